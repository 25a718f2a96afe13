/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine, as works.h has it: a model of what becomes of an order. A disk is claimed, waits for
 * its turn behind its adapter, is written from its mark on, and every few minutes what was written
 * is on the medium and in the state file. What a disk has lost, or never got, it does not have: an
 * order that goes on where it should not have gone on ends without having written all.
 */
#include "service/works.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/state.h"
#include "week.h"

#define FLUSH_US (5 * MINUTE)
#define SEEN_US  (2 * MINUTE)

enum stage { CLAIMING, WAITING, AT_WORK, PAUSED, OVER };

/**
 * struct order - one that is under way
 * @disk: NULL = it was not there
 * @passes, @total: of the medium: to write, and altogether with reading
 * @from, @since: it stood there then; @mark: on the medium; what @from ... is written may be lost
 * @next: something happens; @pausing, @ending: it was asked to, and has not yet
 */
struct order {
	struct works_task o;
	struct week_disk *disk;
	enum stage stage;
	uint32_t passes;
	uint64_t total;
	uint64_t from;
	uint64_t since;
	uint64_t mark;
	uint64_t next;
	uint64_t end_at;
	uint64_t pause_at;
	uint64_t flush_at;
	uint64_t seen_at;
	bool pausing;
	bool cancel;
	bool gone;
	struct works_progress seen;
	bool fresh;
	struct order *link;
};

struct item {
	struct works_event event;
	struct item *next;
};

struct works {
	int fd;
	struct item *first;
	struct item **end;
	struct order *orders;
	const struct dw_rules *rules;
	uint64_t look_at;
	uint64_t listed_at;
	struct dw_disk *list;
	size_t n_list;
};

static struct works *the_works;

static void soon(uint64_t *next, uint64_t at)
{
	if (at < *next)
		*next = at;
}

static uint64_t within(uint64_t us)
{
	return week->now + 1 + week_draw(OF_ENGINE, us);
}

static void tell(struct works *w, const struct works_event *e)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		abort();
	item->event = *e;
	*w->end = item;
	w->end = &item->next;
	week_ring(w->fd);
}

struct week_order *engine_order(int64_t id, bool make)
{
	for (unsigned i = week->n_orders; i--;)
		if (week->order[i].id == id)
			return &week->order[i];
	if (!make)
		return NULL;
	if (week->n_orders == ORDERS)
		abort();
	week->order[week->n_orders] = (struct week_order){ .id = id, .disk = -1 };
	return &week->order[week->n_orders++];
}

/* --- the medium ------------------------------------------------------------- */

static uint64_t position(const struct order *k)
{
	uint64_t at = k->from;

	if (k->stage == AT_WORK)
		at += (week->now - k->since) * k->disk->rate / SECOND;
	return at < k->total ? at : k->total;
}

static uint64_t time_of(const struct order *k, uint64_t at)
{
	uint64_t rate = k->disk->rate;

	return at <= k->from ? k->since
			     : k->since + ((at - k->from) * SECOND + rate - 1) / rate;
}

/* before its turn too */
static bool is_halted(const struct order *k)
{
	return k->stage == PAUSED || (k->pausing && k->pause_at == NEVER);
}

static void note_progress(struct order *k)
{
	struct works_progress *p = &k->seen;
	uint64_t at = position(k), blocks = k->disk->info.blocks;
	struct dw_progress *now = &p->now;

	p->id = k->o.id;
	now->phase = k->stage == AT_WORK ? DW_PHASE_WRITE
		     : is_halted(k)      ? DW_PHASE_PAUSED
					 : DW_PHASE_WAITING;
	now->pass = (uint32_t)(at / blocks);
	now->n_passes = k->passes;
	now->lba = at % blocks;
	now->bytes_done = at * 512;
	now->bytes_total = k->total * 512;
	now->rate = (double)k->disk->rate * 512;
	now->eta_seconds =
		week->etas ? (double)(k->total - at) / (double)k->disk->rate : -1;
	k->fresh = true;
	k->seen_at = week->now + SEEN_US;
}

static void write_state(const struct order *k, enum dw_outcome outcome)
{
	struct dw_state_entry entry = { .outcome = outcome };
	struct dw_state_doc doc = { .spec = k->o.spec, .entry = &entry, .n = 1 };
	const struct dw_disk_info *i = &k->disk->info;
	uint64_t written = (uint64_t)k->passes * i->blocks;

	entry.pass = (uint32_t)(k->mark / i->blocks);
	entry.lba = k->mark % i->blocks;
	if (k->mark >= written) {
		entry.pass = k->passes - 1;
		entry.lba = i->blocks;
	}
	memcpy(entry.disk.serial, i->serial, sizeof(entry.disk.serial));
	memcpy(entry.disk.wwn, i->wwn, sizeof(entry.disk.wwn));
	memcpy(entry.disk.vendor, i->vendor, sizeof(entry.disk.vendor));
	memcpy(entry.disk.model, i->model, sizeof(entry.disk.model));
	entry.disk.capacity_bytes = i->blocks * i->block_size;
	entry.disk.block_size = i->block_size;
	if (dw_state_write(k->o.spec.state_file, &doc) < 0)
		week_wrong("no state file %s", k->o.spec.state_file);
}

/* everything so far is on the medium, and the state file says so */
static void flush(struct order *k, enum dw_outcome outcome)
{
	uint64_t at = position(k), written = (uint64_t)k->passes * k->disk->info.blocks;

	k->mark = at < written ? at : written;
	if (k->disk->done < at)
		k->disk->done = at;
	station_erased(k->disk);
	if (k->mark || outcome != DW_OUTCOME_NONE)
		write_state(k, outcome);
	note_progress(k);
	k->seen.flushed = true;
	k->seen.flushed_pass = (uint32_t)(k->mark / k->disk->info.blocks);
	k->seen.flushed_lba = k->mark % k->disk->info.blocks;
	k->flush_at = week->now + FLUSH_US;
}

static void begin_medium(struct order *k)
{
	struct week_disk *d = k->disk;
	struct dw_state_doc doc;
	struct dw_error err;

	k->from = 0;
	if (k->o.spec.resume_file[0]) {
		if (dw_state_read(k->o.spec.resume_file, &doc, &err) < 0) {
			week_wrong("order %lld goes on with a bad file",
				   (long long)k->o.id);
			return;
		}
		k->from = doc.entry[0].pass * d->info.blocks + doc.entry[0].lba;
		dw_state_deinit(&doc);
	}
	if (!k->from) {
		d->done = 0;
		d->hole = false;
	} else if (k->from > d->done) {
		d->hole = true;
	}
	k->mark = k->from;
}

/* --- the end of an order -------------------------------------------------------- */

static char *document(const struct order *k, enum dw_outcome outcome, const char *reason,
		      int *code)
{
	struct dw_disk_result r = { .info = k->disk->info, .outcome = outcome };
	struct dw_exception bad = { .lba = 7, .blocks = 1, .kind = DW_UNWRITABLE };
	struct dw_job_result all = { .spec = k->o.spec, .disk = &r, .n_disks = 1 };

	all.outcome = outcome;
	snprintf(all.id, sizeof(all.id), "%08llx-0000-4000-8000-%012x",
		 (unsigned long long)k->o.id, week->count.lives);
	if (outcome == DW_OUTCOME_EXCEPTIONS) {
		r.exception = &bad;
		r.n_exceptions = 1;
	}
	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	snprintf(r.method, sizeof(r.method), "%s", k->o.spec.method);
	r.bytes_written = k->mark * 512;
	*code = dw_job_exit_code(&all);
	return dw_job_result_json(&all);
}

static void take_off(struct works *w, struct order *k)
{
	struct order **at = &w->orders;

	while (*at != k)
		at = &(*at)->link;
	*at = k->link;
	free(k);
}

static void end_refused(struct works *w, struct order *k, const char *why)
{
	struct works_event e = {
		.kind = WORKS_ENDED, .id = k->o.id, .outcome = OUTCOME_REFUSED, .code = 2
	};

	snprintf(e.text, sizeof(e.text), "%s", why);
	if (k->disk)
		k->disk->claimed = false;
	week->count.refusals++;
	tell(w, &e);
	take_off(w, k);
}

static void end_order(struct works *w, struct order *k, enum dw_outcome outcome,
		      const char *reason)
{
	struct works_event e = { .kind = WORKS_ENDED,
				 .id = k->o.id,
				 .outcome = outcome_of(outcome, false) };
	struct week_order *log = engine_order(k->o.id, false);

	log->outcome = outcome;
	log->clean = outcome == DW_OUTCOME_ERASED && !k->disk->hole &&
		     k->disk->done >= k->total;
	week->count.outcomes[outcome]++;
	e.last = k->seen;
	e.json = document(k, outcome, reason, &e.code);
	snprintf(e.text, sizeof(e.text), "%s", reason);
	k->disk->claimed = false;
	tell(w, &e);
	take_off(w, k);
}

/* what was asked of one that is still being claimed, or that waits for its turn */
static void finish(struct works *w, struct order *k)
{
	if (k->stage == CLAIMING) {
		end_refused(w, k, "stopped before it began");
		return;
	}
	flush(k, DW_OUTCOME_STOPPED);
	end_order(w, k, DW_OUTCOME_STOPPED, "stopped");
}

static void lose(struct works *w, struct order *k)
{
	if (k->stage == CLAIMING)
		end_refused(w, k, "it is not there any more");
	else
		end_order(w, k, DW_OUTCOME_REMOVED, "it was pulled");
}

/* --- its course ------------------------------------------------------------------ */

static void claim(struct works *w, struct order *k)
{
	struct week_disk *d = station_disk(&k->o.disk.info);

	if (!d || d->claimed) {
		end_refused(w, k, "it is another disk than the one that was found");
		return;
	}
	k->disk = d;
	if (week->now < d->opened_until || d->stopped || d->moving ||
	    week_odds(OF_ENGINE, 1)) {
		end_refused(w, k, "somebody has it");
		return;
	}
	d->claimed = true;
	begin_medium(k);
	k->stage = WAITING;
	k->next = NEVER;
	note_progress(k);
	tell(w, &(struct works_event){ .kind = WORKS_BEGUN, .id = k->o.id });
	if (k->cancel)
		k->end_at = within(SECOND);
	else if (k->pausing)
		k->pause_at = within(SECOND);
}

static unsigned at_work(const struct works *w, uint32_t host)
{
	unsigned n = 0;

	for (const struct order *k = w->orders; k; k = k->link)
		n += (k->stage == AT_WORK || k->stage == PAUSED) &&
		     k->disk->info.host == host;
	return n;
}

static bool goes_first(const struct order *a, const struct order *b)
{
	if (!b || a->o.priority != b->o.priority)
		return !b || a->o.priority > b->o.priority;
	return a->o.id < b->o.id;
}

/* A disk for which nobody has asked, and which the station has had time to see. */
static bool is_unasked(const struct week_disk *d)
{
	return !d->asked && d->place >= 0 && d->came + MINUTE < week->now;
}

static bool is_switched_off(const struct week_disk *d)
{
	return is_unasked(d) && !week->unattended &&
	       week->place[d->place].action == PLACE_ERASE &&
	       week->unattended_at + MINUTE < week->now;
}

/* behind each adapter, the one whose turn it is */
static void admit(struct works *w)
{
	for (uint32_t host = 0; host < PLACES / PER_HOST + 1; host++) {
		struct order *first = NULL;

		for (struct order *k = w->orders; k; k = k->link)
			if (k->stage == WAITING && !k->pausing &&
			    k->disk->info.host == host && goes_first(k, first))
				first = k;
		if (!first ||
		    (first->o.spec.active && at_work(w, host) >= first->o.spec.active))
			continue;
		if (!first->from && is_switched_off(first->disk))
			week_wrong("WRONG DISK: %s has its turn, but the switch is off",
				   first->disk->info.serial);
		first->stage = AT_WORK;
		first->since = week->now;
		first->flush_at = week->now + MINUTE;
		note_progress(first);
	}
}

static void halt(struct works *w, struct order *k)
{
	flush(k, DW_OUTCOME_NONE);
	k->from = position(k);
	k->pause_at = NEVER;
	if (k->stage == AT_WORK)
		k->stage = PAUSED;
	note_progress(k);
	tell(w, &(struct works_event){ .kind = WORKS_PAUSED, .id = k->o.id });
}

static uint64_t fault_position(const struct order *k)
{
	const struct week_disk *d = k->disk;

	return d->fault == FAULT_DEAD && d->fault_at > k->from ? d->fault_at : NEVER;
}

static void work(struct works *w, struct order *k)
{
	uint64_t at = position(k);

	if (at >= fault_position(k)) {
		end_order(w, k, DW_OUTCOME_FAILED, "it does not answer");
	} else if (at >= k->total) {
		flush(k, DW_OUTCOME_NONE);
		end_order(w, k,
			  k->disk->fault == FAULT_BLOCKS ? DW_OUTCOME_EXCEPTIONS
							 : DW_OUTCOME_ERASED,
			  "");
	} else if (week->now >= k->flush_at) {
		flush(k, DW_OUTCOME_NONE);
	} else if (week->now >= k->seen_at) {
		note_progress(k);
	}
}

static uint64_t next_of(const struct order *k)
{
	uint64_t next = k->next;

	soon(&next, k->end_at);
	soon(&next, k->pause_at);
	if (k->stage != AT_WORK || k->gone)
		return next;
	soon(&next, k->flush_at);
	soon(&next, k->seen_at);
	soon(&next, time_of(k, k->total));
	if (fault_position(k) != NEVER)
		soon(&next, time_of(k, fault_position(k)));
	return next;
}

static void go_on(struct works *w, struct order *k)
{
	if (k->gone && week->now >= k->next)
		lose(w, k);
	else if (week->now >= k->end_at && !k->gone)
		finish(w, k);
	else if (k->stage == CLAIMING && week->now >= k->next)
		claim(w, k);
	else if (week->now >= k->pause_at && !k->gone)
		halt(w, k);
	else if (k->stage == AT_WORK && !k->gone)
		work(w, k);
}

bool engine_lost(const struct week_disk *d)
{
	bool had_it = false;

	for (struct order *k = the_works ? the_works->orders : NULL; k; k = k->link) {
		if (k->disk != d)
			continue;
		had_it = k->gone = true;
		k->from = position(k);
		k->end_at = k->pause_at = NEVER;
		k->next = within(3 * SECOND);
	}
	return had_it;
}

/* --- discovery ------------------------------------------------------------------------ */

/* it sees each disk at some moment between its beginning and its end: here, all at one */
static void look(struct works *w)
{
	if (week->now >= w->listed_at) {
		w->list = station_list(&w->n_list);
		w->listed_at = NEVER;
	}
	if (week->now < w->look_at)
		return;
	w->look_at = NEVER;
	tell(w, &(struct works_event){
			.kind = WORKS_FOUND, .disk = w->list, .n = w->n_list });
	w->list = NULL;
}

uint64_t engine_next(void)
{
	uint64_t next = NEVER;

	if (!the_works)
		return next;
	soon(&next, the_works->look_at);
	soon(&next, the_works->listed_at);
	for (const struct order *k = the_works->orders; k; k = k->link)
		soon(&next, next_of(k));
	return next;
}

void engine_advance(void)
{
	struct order *next;

	if (!the_works)
		return;
	look(the_works);
	for (struct order *k = the_works->orders; k; k = next) {
		next = k->link;
		if (next_of(k) <= week->now)
			go_on(the_works, k);
	}
	admit(the_works);
}

bool engine_idle(void)
{
	return the_works && !the_works->orders && !the_works->first;
}

void engine_break(void)
{
	if (the_works)
		tell(the_works, &(struct works_event){ .kind = WORKS_FAILED,
						       .error = -EIO,
						       .text = "out of order" });
}

/* --- what is asked ----------------------------------------------------------------------- */

/* the job of an order, by the name of its state file */
static void name_job(const struct works_task *o, char ret[37])
{
	const char *name = strrchr(o->spec.state_file, '/');

	snprintf(ret, 37, "%.36s", name ? name + 1 : "");
}

static void check_order(const struct works_task *o, const struct week_order *log)
{
	struct week_disk *d = station_by_serial(o->disk.info.serial);
	const char *why = NULL;

	if (!d || !o->disk.info.serial[0])
		why = "it has no name";
	else if (d->kind != DISK_USUAL)
		why = "it must not be erased";
	else if (log && log->refused_in == week->count.lives)
		why = "it was refused";
	else if (is_unasked(d) && (week->place[d->place].action == PLACE_NONE ||
				   week->place[d->place].action == PLACE_OFFER))
		why = "nobody has asked for it";
	else if (is_switched_off(d))
		why = "the switch is off";
	else if (o->disk.verdict.refusal != DW_REFUSAL_NONE)
		why = "it was found refused";
	if (why)
		week_wrong("WRONG DISK: %s begins, but %s", o->disk.info.serial, why);
}

static void log_order(const struct works_task *o)
{
	struct week_order *log = engine_order(o->id, true);
	struct week_disk *d = station_by_serial(o->disk.info.serial);

	check_order(o, log);
	if (!d)
		return;
	log->told = log->clean = false;
	log->outcome = DW_OUTCOME_NONE;
	log->disk = (int)(d - week->disk);
	name_job(o, log->job);
	/* other contents that look the same are told from it by the engine alone */
	if (!strcmp(d->job, log->job) && d->job_contents != d->contents &&
	    d->signature[0] && strcmp(d->signature, d->job_signature))
		week_wrong(
			"WRONG CONTENTS: %s carries %s, which it did not when job %.8s "
			"began on it",
			d->info.serial, d->signature, d->job);
	memcpy(d->job, log->job, sizeof(d->job));
	d->job_contents = d->contents;
	memcpy(d->job_signature, d->signature, sizeof(d->job_signature));
	d->expected = NEVER;
	week->count.orders++;
}

static uint32_t passes_of(const char *method)
{
	struct dw_method_info info;

	for (size_t i = 0; dw_method_info_get(i, &info); i++)
		if (!strcmp(info.name, method))
			return info.n_passes;
	return 1;
}

int works_begin(struct works *w, const struct works_task *order)
{
	struct order *k = calloc(1, sizeof(*k));
	const struct dw_job_spec *s = &order->spec;
	uint64_t blocks = order->disk.info.blocks;

	if (!k)
		return -ENOMEM;
	k->o = *order;
	k->passes = passes_of(s->method);
	k->total = (k->passes + (s->verify == DW_VERIFY_FULL)) * blocks;
	k->next = within(5 * SECOND);
	k->end_at = k->pause_at = k->flush_at = k->seen_at = NEVER;
	k->link = w->orders;
	w->orders = k;
	log_order(order);
	return 0;
}

static void resume(struct works *w, struct order *k)
{
	if (!k->pausing)
		return;
	k->pausing = false;
	if (k->stage == PAUSED && k->pause_at == NEVER) {
		k->stage = AT_WORK;
		k->since = week->now;
		k->flush_at = week->now + FLUSH_US;
		note_progress(k);
	}
	k->pause_at = NEVER;
	tell(w, &(struct works_event){ .kind = WORKS_RESUMED, .id = k->o.id });
}

void works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg)
{
	struct order *k = w->orders;

	while (k && k->o.id != id)
		k = k->link;
	if (!k || k->gone)
		return;
	if (ask == WORKS_PRIORITY) {
		k->o.priority = arg;
	} else if (ask == WORKS_CANCEL) {
		k->cancel = true;
		if (k->stage != CLAIMING)
			k->end_at = within(3 * SECOND);
	} else if (ask == WORKS_RESUME) {
		resume(w, k);
	} else if (!k->pausing) {
		k->pausing = true;
		k->pause_at = k->stage == CLAIMING ? NEVER : within(3 * SECOND);
	}
}

void works_look(struct works *w, const struct dw_rules *rules)
{
	w->rules = rules;
	w->look_at = within(3 * SECOND);
	w->listed_at = week->now + week_draw(OF_ENGINE, w->look_at - week->now);
}

void works_stop(struct works *w)
{
	for (struct order *k = w->orders; k; k = k->link)
		if (!k->gone)
			k->end_at = within(5 * SECOND);
}

/* --- the seam ------------------------------------------------------------------------------- */

bool works_next(struct works *w, struct works_event *ret)
{
	struct item *item = w->first;
	struct week_order *log;

	if (!item) {
		week_hush(w->fd);
		return false;
	}
	w->first = item->next;
	if (!w->first)
		w->end = &w->first;
	*ret = item->event;
	free(item);
	log = ret->kind == WORKS_ENDED ? engine_order(ret->id, false) : NULL;
	if (log)
		log->told = true;
	return true;
}

void works_progress(struct works *w,
		    void (*each)(void *ctx, const struct works_progress *p), void *ctx)
{
	for (struct order *k = w->orders; k; k = k->link) {
		if (k->fresh && k->stage != CLAIMING)
			each(ctx, &k->seen);
		k->fresh = false;
	}
}

int works_fd(const struct works *w)
{
	return w->fd;
}

void works_beat(struct works *w, void (*beat)(void *ctx), void *ctx)
{
	(void)w;
	(void)beat;
	(void)ctx;
}

int works_new(struct dw_simulation *simulated, struct works **ret)
{
	struct works *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->fd = week_pipe();
	w->end = &w->first;
	w->look_at = w->listed_at = NEVER;
	the_works = *ret = w;
	return 0;
}

/* what is still under way after the service has failed is cut off */
void works_free(struct works *w)
{
	struct works_event e;

	if (!w)
		return;
	while (works_next(w, &e)) {
		free(e.disk);
		free(e.json);
	}
	while (w->orders) {
		struct order *k = w->orders;

		w->orders = k->link;
		free(k);
	}
	free(w->list);
	close(w->fd);
	free(w);
	the_works = NULL;
}
