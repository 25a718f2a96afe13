/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store comes first, and a record is made of what stands there. So whatever is cut off, nothing
 * is lost: a row that knows no number of a record has none yet, or has one behind those that the
 * store knows, which is then found there. The folder is open while something is added, no longer:
 * others add to it, too.
 */
#include "prove.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE   16
#define RETRY_US  60000000u
#define BUSY_US   1000000u
#define AUDIT_MAX 500         /* rows of one record */
#define AUDIT_US  3600000000u /* rows do not wait longer for it */
#define DAY_US    86400000000u

/**
 * struct prove - the folder
 * @ledger: open; NULL = nothing is added
 * @dir, @key: of the settings; empty = none is wanted
 * @proven: the highest number of a record that the store knows, if @proven_known
 * @busy_since: somebody else has it open; 0 = no. @retry_at: both by steady_us()
 * @left: perhaps there is an attempt without a record
 * @trouble: why the ledger cannot be written, as reported last; empty = it can
 * @audit: the last audit record, if @audit_known
 * @wake: when the next one is due, by the clock
 */
struct prove {
	struct dw_ledger *ledger;
	char dir[256];
	char key[256];
	uint64_t proven;
	uint64_t busy_since;
	uint64_t retry_at;
	bool proven_known;
	bool left;
	char trouble[DW_ERROR_TEXT];
	bool audit_known;
	struct dw_audit audit;
	sd_event_source *wake;
};

/** struct prove_batch - rows that are to be recorded */
struct prove_batch {
	struct store_record row[AT_ONCE];
	size_t n;
};

struct prove *prove_new(void)
{
	struct prove *p = calloc(1, sizeof(*p));

	if (p)
		p->left = true;
	return p;
}

void prove_free(struct prove *p)
{
	if (p) {
		dw_ledger_close(p->ledger);
		sd_event_source_unref(p->wake);
	}
	free(p);
}

bool prove_left(const struct prove *p)
{
	return p->left && p->dir[0];
}

void prove_due(struct prove *p)
{
	p->left = true;
}

/* Whether the folder, or the nearest one above it that exists, is on a read-only mount, as the
 * sandbox makes it. */
static bool is_closed(const char *dir)
{
	char above[256];
	char *slash;

	snprintf(above, sizeof(above), "%s", dir);
	while (access(above, F_OK) && (slash = strrchr(above, '/')) && slash != above)
		*slash = '\0';
	return access(above, W_OK) && errno == EROFS;
}

const char *prove_trouble(const struct prove *p)
{
	return p ? p->trouble : "";
}

static void report_trouble(struct service *s, const struct dw_error *err)
{
	struct prove *p = s->prove;
	char was[sizeof(p->trouble)];

	p->retry_at = steady_us() + RETRY_US;
	memcpy(was, p->trouble, sizeof(was));
	dw_error_text(err, p->trouble);
	if (!strcmp(was, p->trouble))
		return;
	service_note(
		s,
		"no signed records can be written: %s%s; what has ended is on record in "
		"the store, and is signed as soon as that is possible",
		p->trouble,
		is_closed(p->dir) ? "; its sandbox keeps the service from that folder: "
				    "diskwipe doctor --fix opens it"
				  : "");
}

static void obey_settings(struct service *s)
{
	struct prove *p = s->prove;
	const struct settings *want = s->settings;

	if (!strcmp(p->dir, want->records) && !strcmp(p->key, want->record_key))
		return;
	memcpy(p->dir, want->records, sizeof(p->dir));
	memcpy(p->key, want->record_key, sizeof(p->key));
	p->audit_known = false;
	p->retry_at = 0;
	p->left = true;
	p->trouble[0] = '\0'; /* that was of another folder */
}

/* The loop does not wait for who adds a record, and nobody needs long for that. */
static bool open_ledger(struct service *s, bool wait)
{
	struct prove *p = s->prove;
	struct dw_error err = { 0 };
	uint64_t now = steady_us();
	int r = (wait ? dw_ledger_open : dw_ledger_open_now)(p->dir, p->key, &p->ledger,
							     &err);

	if (r != -EBUSY)
		p->busy_since = 0;
	else if (!p->busy_since)
		p->busy_since = now;
	if (r == -EBUSY && now - p->busy_since < RETRY_US)
		p->retry_at = now + BUSY_US;
	else if (r)
		report_trouble(s, &err);
	return !r;
}

static void close_ledger(struct prove *p)
{
	dw_ledger_close(p->ledger);
	p->ledger = NULL;
}

static int take_row(void *ctx, const struct store_record *r)
{
	struct prove_batch *b = ctx;

	b->row[b->n++] = *r;
	return b->n == AT_ONCE;
}

static void name_user(uint32_t uid, char *buf, size_t size)
{
	const struct passwd *p = uid == UINT32_MAX ? NULL : getpwuid(uid);

	if (p)
		snprintf(buf, size, "%s", p->pw_name);
	else if (uid == UINT32_MAX)
		snprintf(buf, size, "the service itself");
	else
		snprintf(buf, size, "uid %u", uid);
}

/* The user who submitted the job; behind root, the user who logged in, if that is known. */
static uint32_t person_of(const struct store_job *job)
{
	return !job->uid && job->loginuid != UINT32_MAX ? job->loginuid : job->uid;
}

/* Customer, order, operator and method are what the caller gave, or the configuration; @asked_by is
 * what the kernel knows of the caller. Without a named operator that is the caller, but not root,
 * behind whom anybody may be. */
static void of_job(const struct store_record *r, struct dw_proof *ret)
{
	uint32_t person = person_of(&r->job);
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	spec_options(&spec, r->job.options, NULL);
	name_user(person, ret->asked_by, sizeof(ret->asked_by));
	snprintf(ret->asked_method, sizeof(ret->asked_method), "%s",
		 spec.pattern[0] ? "custom" : spec.method);
	snprintf(ret->asked_level, sizeof(ret->asked_level), "%s",
		 spec.level == DW_LEVEL_PURGE ? "purge" : "clear");
	ret->or_clear = spec.or_clear;
	memcpy(ret->customer, spec.customer, sizeof(ret->customer));
	memcpy(ret->order_number, spec.order_number, sizeof(ret->order_number));
	memcpy(ret->operator_name, spec.operator_name, sizeof(ret->operator_name));
	if (!ret->operator_name[0] && person)
		memcpy(ret->operator_name, ret->asked_by, sizeof(ret->operator_name));
	memcpy(ret->label, r->job.label, sizeof(ret->label));
	memcpy(ret->asset, r->attempt.asset, sizeof(ret->asset));
}

static struct timespec time_of(uint64_t us)
{
	return (struct timespec){ .tv_sec = (time_t)(us / 1000000),
				  .tv_nsec = (long)(us % 1000000) * 1000 };
}

/* Of an attempt that the engine never took there is its row alone. */
static void of_row(const struct store_record *r, struct dw_proof *ret)
{
	const struct store_attempt *a = &r->attempt;

	*ret = (struct dw_proof){ .info = a->identity,
				  .max_temperature = DW_TEMPERATURE_UNKNOWN };
	snprintf(ret->id, sizeof(ret->id), "%s/a%lld", a->job, (long long)a->id);
	snprintf(ret->tool, sizeof(ret->tool), "%s", dw_version());
	snprintf(ret->level, sizeof(ret->level), "none");
	snprintf(ret->verify.mode, sizeof(ret->verify.mode), "off");
	ret->finished = time_of(a->ended);
}

static int of_result(struct store *store, const struct store_record *r,
		     struct dw_proof *ret)
{
	char *text = store_result(store, r->attempt.id);
	struct dw_result_doc *doc = NULL;
	int code = text ? dw_result_parse(text, strlen(text), &doc, NULL) : -ENOENT;

	if (!code && !doc->job.n_disks)
		code = -ENOENT;
	if (!code) {
		if (doc->forecast.n)
			doc->job.forecast = &doc->forecast;
		code = dw_proof_of(&doc->job, 0, NULL, ret);
		doc->job.forecast = NULL;
	}
	dw_result_free(doc);
	free(text);
	return code;
}

/* What the row says stands above what the engine said: a disk may have come to another end. */
int prove_make(struct store *store, const struct store_record *r, struct dw_proof *ret)
{
	const struct store_attempt *a = &r->attempt;
	int code = of_result(store, r, ret);

	if (code == -ENOMEM)
		return code;
	if (code)
		of_row(r, ret);
	if (outcome_read(ret->outcome) != a->outcome)
		snprintf(ret->level, sizeof(ret->level), "none");
	snprintf(ret->outcome, sizeof(ret->outcome), "%s", outcome_word(a->outcome));
	snprintf(ret->reason, sizeof(ret->reason), "%s", a->reason);
	snprintf(ret->job, sizeof(ret->job), "%s", a->job);
	snprintf(ret->bay, sizeof(ret->bay), "%s", a->bay);
	ret->max_temperature = a->max_temperature;
	of_job(r, ret);
	return 0;
}

static void report_well(struct service *s)
{
	if (s->prove->trouble[0])
		service_note(s, "signed records can be written again");
	s->prove->trouble[0] = '\0';
}

/* Once, though the service was killed before the store knew of it, and others have added since. */
static int add_once(struct prove *p, struct dw_proof *proof, uint64_t *ret_number,
		    struct dw_error *err)
{
	int r = dw_ledger_find(p->ledger, proof->id, p->proven, ret_number, err);

	if (!r) {
		r = dw_ledger_add(p->ledger, proof, err);
		*ret_number = proof->sequence;
	}
	return r;
}

/* False: it could not be written; it is tried again. */
static bool record(struct service *s, const struct store_record *r)
{
	struct prove *p = s->prove;
	struct dw_error err = { 0 };
	struct dw_proof proof = { .sequence = 0 };
	int code = prove_make(s->store, r, &proof);
	uint64_t number = 0;

	memcpy(proof.station, s->settings->station, sizeof(proof.station));
	if (s->simulation && !proof.simulation[0]) /* the engine never took it */
		snprintf(proof.simulation, sizeof(proof.simulation), "real time");
	if (!code)
		code = add_once(p, &proof, &number, &err);
	else
		dw_error_system(&err, code, "a record");
	dw_proof_deinit(&proof);
	if (code < 0) {
		report_trouble(s, &err);
		return false;
	}
	report_well(s);
	if (service_stored(s, store_proven(s->store, r->attempt.id, number)) < 0)
		return false;
	p->proven = number;
	return true;
}

static int take_audit_row(void *ctx, const struct dw_audit_row *row)
{
	struct dw_audit *a = ctx;

	a->row[a->n_rows++] = *row;
	return 0;
}

/* The rows that come next, and if there are none, that there are none. */
static int write_audit(struct service *s, const struct store_trail *trail,
		       struct dw_error *err)
{
	struct prove *p = s->prove;
	struct dw_audit a = { .store = trail->begun };
	uint64_t after = trail->begun == p->audit.store ? p->audit.last : 0;
	int r;

	a.row = calloc(AUDIT_MAX, sizeof(*a.row));
	r = a.row ? 0 : -ENOMEM;
	if (!r)
		r = store_each_audit(s->store, after, AUDIT_MAX, take_audit_row, &a);
	if (r)
		dw_error_system(err, r, "the audit trail");
	else
		r = dw_ledger_audit(p->ledger, &a, err);
	if (!r) {
		free(a.row);
		a.row = NULL;
		a.n_rows = 0;
		p->audit = a;
	}
	free(a.row);
	return r;
}

static uint64_t us_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_nsec / 1000;
}

/* Rows that are not signed yet; of a table that was begun again all. */
static uint64_t rows_left(const struct prove *p, const struct store_trail *trail)
{
	if (trail->begun != p->audit.store)
		return trail->last;
	return trail->last > p->audit.last ? trail->last - p->audit.last : 0;
}

/* When the next audit record is due, by the clock: at the end of the day, or earlier. */
static uint64_t audit_due(const struct prove *p, uint64_t rows)
{
	uint64_t last = us_of(&p->audit.written), day = (last / DAY_US + 1) * DAY_US;

	if (rows >= AUDIT_MAX)
		return 0;
	return rows && last + AUDIT_US < day ? last + AUDIT_US : day;
}

static int on_wake(sd_event_source *source, uint64_t usec, void *ctx)
{
	(void)source;
	(void)usec;
	service_kick(ctx);
	return 0;
}

static void wake_at(struct service *s, uint64_t at)
{
	struct prove *p = s->prove;

	if (!p->wake && sd_event_add_time(s->event, &p->wake, CLOCK_REALTIME, at, 1000000,
					  on_wake, s) < 0)
		return;
	sd_event_source_set_time(p->wake, at);
	sd_event_source_set_enabled(p->wake, SD_EVENT_ONESHOT);
}

/* One record, or @all: as many as it takes, also of what is not due yet. */
static void audit_round(struct service *s, bool all)
{
	struct prove *p = s->prove;
	struct store_trail trail = { 0 };
	struct dw_error err = { 0 };
	int r = p->audit_known ? 0 : dw_ledger_audited(p->ledger, &p->audit, &err);

	if (!r && store_trail(s->store, &trail) < 0)
		r = dw_error_set(&err, -EIO, DW_ERROR_FILE, "the audit trail", "%s",
				 store_error(s->store));
	p->audit_known = !r;
	while (!r) {
		uint64_t rows = rows_left(p, &trail);

		if (!(all && rows) && now_us() < audit_due(p, rows))
			break;
		r = write_audit(s, &trail, &err);
		if (!r)
			report_well(s);
		if (!all)
			break;
	}
	if (r)
		report_trouble(s, &err);
	wake_at(s, r ? now_us() + RETRY_US : audit_due(p, rows_left(p, &trail)));
}

/* Of what has ended, some. */
static void attempts_round(struct service *s)
{
	struct prove *p = s->prove;
	struct prove_batch *b = calloc(1, sizeof(*b));
	bool good = b;

	if (good && !p->proven_known)
		good = p->proven_known = store_last_record(s->store, &p->proven) >= 0;
	if (good)
		good = store_each_unproven(s->store, AT_ONCE, take_row, b) >= 0;
	if (good)
		p->left = b->n == AT_ONCE;
	for (size_t i = 0; good && i < b->n; i++)
		good = record(s, &b->row[i]);
	p->left |= !good;
	free(b);
}

static bool audit_is_due(struct service *s)
{
	struct prove *p = s->prove;
	struct store_trail trail = { 0 };
	uint64_t at;

	if (!p->audit_known || store_trail(s->store, &trail) < 0)
		return true;
	at = audit_due(p, rows_left(p, &trail));
	if (now_us() >= at)
		return true;
	wake_at(s, at);
	return false;
}

void prove_stop(struct service *s)
{
	if (!s->prove || !s->store || !s->event)
		return;
	obey_settings(s);
	if (!s->prove->dir[0] || !open_ledger(s, true))
		return;
	attempts_round(s);
	audit_round(s, true);
	close_ledger(s->prove);
}

void seal_store(struct service *s, const char *db)
{
	char text[DW_ERROR_TEXT], wal[320];
	struct dw_error err;

	snprintf(wal, sizeof(wal), "%s-wal", db);
	if (!s->settings->record_key[0] || !access(wal, F_OK))
		return; /* what is in that file would not be signed */
	if (dw_seal_write(db, s->settings->record_key, &err))
		service_note(s, "the database could not be signed: %s",
			     dw_error_text(&err, text));
}

void prove_round(struct service *s)
{
	struct prove *p = s->prove;

	obey_settings(s);
	if (!p->dir[0] || steady_us() < p->retry_at || !(p->left || audit_is_due(s)) ||
	    !open_ledger(s, false))
		return;
	audit_round(s, false);
	if (p->left && steady_us() >= p->retry_at)
		attempts_round(s);
	if (steady_us() >= p->retry_at)
		report_well(s);
	close_ledger(p);
}
