/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The disks of the service. The library lists them with their verdicts. Here they become objects
 * whose name follows from their identity and not from their place. A disk in a declared bay is
 * offered or erased as the configuration says. One outside is never touched unless a user asks.
 */
#include <diskwipe/identity.h>

#include "service.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "files.h"
#include "report.h"
#include "signature.h"

#define US_PER_S UINT64_C(1000000)
#define EXAMINED_FOR                                                                     \
	(10 *                                                                            \
	 US_PER_S) /* other programs, udev among them, examine a disk that has come */
#define SPIN_UP (180 * US_PER_S) /* time for a disk to spin up */
#define AGAIN   (2 * US_PER_S)
#define TROUBLED                                                                         \
	(30 * US_PER_S) /* between discoveries while the store cannot be written */
#define LEFT                                                                             \
	(60 *                                                                            \
	 US_PER_S) /* between discoveries while a disk in quarantine may end its work */

static uint64_t hash_text(uint64_t h, const char *text)
{
	do {
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	} while (*text++);
	return h;
}

/* It has a name of its own. Two docks with the same serial number have none. */
static bool has_identity(const struct dw_disk_info *i)
{
	return !i->name_shared && (i->serial[0] || i->wwn[0]);
}

/* A disk without a name of its own is recognised by its node, even before the other disk of its
 * name came. */
static bool is_same_disk(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	if ((!has_identity(a) || !has_identity(b)) && !dw_disk_same_node(a, b))
		return false;
	return dw_disk_match(a, b, DW_SAME_CAPACITY);
}

/* The last part of its object path, from its identity, or from its node if it has none. */
static void make_key(struct service *s, const struct dw_disk_info *i, char ret[40])
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	char capacity[48];

	snprintf(capacity, sizeof(capacity), "%llu/%u", (unsigned long long)i->blocks,
		 i->block_size);
	h = hash_text(hash_text(hash_text(h, i->serial), i->wwn), capacity);
	if (!has_identity(i))
		h = hash_text(hash_text(h, i->sg), i->block);
	do {
		snprintf(ret, 40, "d%016llx", (unsigned long long)h++);
	} while (disk_find(s, ret));
}

struct svc_disk *disk_find(struct service *s, const char *key)
{
	struct svc_disk *d = s->disks;

	while (d && strcmp(d->key, key) != 0)
		d = d->next;
	return d;
}

struct svc_disk *disk_of(struct service *s, const struct dw_disk_info *info)
{
	struct svc_disk **at = &s->disks, *d;

	for (; *at; at = &(*at)->next)
		if (is_same_disk(&(*at)->facts.info, info))
			return *at;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	make_key(s, info, d->key);
	d->facts.info = *info;
	*at = d;
	return d;
}

bool disk_busy(const struct svc_disk *d)
{
	return d->attempt && !attempt_over(d->attempt->state);
}

static bool is_held(const struct svc_disk *d)
{
	return disk_busy(d) && d->attempt->state != ATTEMPT_QUEUED;
}

/* The machine uses what is on the disk. Mounts in other namespaces by users do not count: they
 * say nothing about the machine, and would be remembered for good. */
static bool is_in_use(const struct dw_verdict *v)
{
	enum dw_refusal why = v->refusal;

	return (why == DW_REFUSAL_MOUNTED && !v->foreign) || why == DW_REFUSAL_SWAP ||
	       why == DW_REFUSAL_HOLDER || why == DW_REFUSAL_SYSTEM ||
	       why == DW_REFUSAL_CONFIGURED;
}

/* Stores the disk and its bay; a store that fails is reported elsewhere. */
static void remember(struct service *s, struct svc_disk *d, bool used_here)
{
	bool used = false;

	if (!has_identity(&d->facts.info))
		return;
	if (service_stored(s, store_disk(s->store, &d->facts.info, d->bay, used_here,
					 now_us(), &d->row, &used)) < 0)
		return;
	d->used_here = used;
}

static int take_last(void *ctx, const struct store_record *r)
{
	struct store_attempt *last = ctx;

	*last = r->attempt;
	return 1;
}

/* An erased disk that is still empty is not erased again. A person decides about a disk whose job
 * was cancelled, whose job failed before the service started, or that was put to use in
 * between. */
static const char *why_not_again(struct service *s, const struct svc_disk *d)
{
	struct store_attempt last = { .id = 0 };
	struct store_filter f = { .disk = d->row, .limit = 1 };

	if (d->facts.info.name_shared)
		return "another disk has its serial number";
	if (!has_identity(&d->facts.info))
		return "it tells neither serial nor WWN";
	if (!d->row || store_each_record(s->store, &f, take_last, &last) < 0)
		return "it is not on record";
	if (last.outcome == OUTCOME_NONE)
		return NULL;
	if (last.outcome == OUTCOME_STOPPED)
		return "the last job on it was cancelled";
	if (last.outcome == OUTCOME_REMOVED)
		return disk_new_signature(d, &last)
			       ? "it carries what it did not when it was pulled"
			       : NULL;
	if (last.left_working)
		return "it was left at work, and given up";
	if (last.outcome == OUTCOME_ERASED && !d->facts.verdict.signatures[0])
		return "it is erased";
	if (d->at_start)
		return "it was worked on before the service started";
	return NULL;
}

/* A damaged store was kept aside. The new one does not know which disks this machine has used,
 * nor which are erased. When the old file has been moved away, somebody has looked at it. */
static bool has_lost_record(const struct service *s)
{
	char pattern[256];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/station.db.damaged-*", s->state_dir);
	if (glob(pattern, GLOB_NOSORT, NULL, &g))
		return false;
	globfree(&g);
	return true;
}

bool disk_new_signature(const struct svc_disk *d, const struct store_attempt *agreed)
{
	return signature_is_new(d->facts.verdict.signatures, agreed->signatures,
				agreed->start_erased);
}

const char *disk_withheld(const struct service *s, const struct svc_disk *d)
{
	const struct bay *bay = settings_bay(s->settings, &d->facts.info);

	if (!bay)
		return "it is outside of the declared bays";
	if (bay->action == BAY_ERASE && !s->settings->unattended)
		return "unattended=no";
	if (bay->action != BAY_ERASE && bay->action != BAY_QUEUE)
		return "its bay has neither action=erase nor action=queue";
	return NULL;
}

/* Why the service does not erase a disk in a bay by itself; NULL = it does. */
static const char *why_not_unattended(struct service *s, const struct svc_disk *d)
{
	const char *why = disk_withheld(s, d);

	if (why)
		return why;
	if (d->facts.verdict.refusal != DW_REFUSAL_NONE)
		return d->facts.verdict.reason;
	if (d->used_here)
		return "it was in use on this machine";
	if (has_lost_record(s))
		return "a damaged record was kept aside; look at it, then move it away";
	if (disk_busy(d))
		return "a job has it";
	return why_not_again(s, d);
}

static void take_unasked(struct service *s, struct svc_disk *d, const struct bay *bay)
{
	struct job_request request = {
		.disk = &d,
		.n = 1,
		.paused = bay->action == BAY_QUEUE,
		.who = { .uid = UINT32_MAX, .loginuid = UINT32_MAX, .comm = "diskwiped" }
	};
	char text[DW_ERROR_TEXT];
	struct dw_error err = { 0 };
	struct svc_job *job;
	const char *why = why_not_unattended(s, d);

	if (why) {
		d->unsettled = has_identity(&d->facts.info) && !d->row;
		service_note(s, "bay %s: disk %s is offered only: %s", bay->name,
			     d->facts.info.serial, why);
		return;
	}
	job_new_id(request.id);
	snprintf(request.options, sizeof(request.options), "%s", bay->options);
	snprintf(request.label, sizeof(request.label), "bay %.50s", bay->name);
	if (jobs_submit(s, &request, &job, &err) >= 0)
		return;
	d->unsettled = s->trouble;
	service_note(s, "bay %s: disk %s is not erased: %s", bay->name,
		     d->facts.info.serial, dw_error_text(&err, text));
}

/* A disk that was just plugged in spins up, and other programs examine it: that ends by itself. A
 * program that has it open for longer is using it, and the disk is left alone. */
static bool may_pass(const struct svc_disk *d)
{
	uint64_t age = steady_us() - d->came;

	switch (d->facts.verdict.refusal) {
	case DW_REFUSAL_OPEN:
	case DW_REFUSAL_BUSY:
		return age < EXAMINED_FOR;
	case DW_REFUSAL_NO_MEDIUM:
	case DW_REFUSAL_MISSING:
	case DW_REFUSAL_UNSEEN:
	case DW_REFUSAL_ERROR:
		return age < SPIN_UP;
	default:
		return false;
	}
}

static bool disk_operates(const struct svc_disk *d)
{
	return d->facts.info.operating && d->facts.info.blocks &&
	       d->facts.verdict.refusal == DW_REFUSAL_NO_MEDIUM;
}

static void follow_policy(struct service *s, struct svc_disk *d, const struct bay *bay)
{
	d->unsettled = may_pass(d) && !disk_operates(d);
	if (d->unsettled)
		return;
	if (jobs_continue(s, d) || !bay || disk_busy(d) || disk_will_spin_up(s, d))
		return;
	if (bay->action == BAY_ERASE || bay->action == BAY_QUEUE)
		take_unasked(s, d, bay);
}

static void appeared(struct service *s, struct svc_disk *d, const struct bay *bay)
{
	remember(s, d, !is_held(d) && is_in_use(&d->facts.verdict));
	d->offered = bay && bay->action != BAY_NONE;
	d->came = steady_us();
	d->doubted = d->seen_working = false;
	follow_policy(s, d, bay);
}

/* An earlier discovery may have found it in use by what was then the service's own work. */
static bool was_held(const struct service *s, const struct svc_disk *d)
{
	return is_held(d) ||
	       (d->present && d->attempt && attempt_over(d->attempt->state) &&
		s->look.began_at < d->attempt->lost_at);
}

/* The disk was present before. It may have left and returned between two discoveries: then an
 * attempt that ended is resumed. */
static void stayed(struct service *s, struct svc_disk *d, const struct bay *bay)
{
	if (was_held(s, d))
		return;
	if (!d->used_here && is_in_use(&d->facts.verdict))
		remember(s, d, true);
	if (d->unsettled)
		follow_policy(s, d, bay);
	else
		jobs_continue(s, d);
}

/* The verdict found of a disk that the engine holds says only that, and is not kept. */
static void take_facts(const struct service *s, struct svc_disk *d,
		       const struct dw_disk *found)
{
	struct dw_verdict verdict = d->facts.verdict;
	bool signatures = found->verdict.signatures[0];

	d->facts = *found;
	if (!was_held(s, d))
		return;
	if (signatures)
		memcpy(verdict.signatures, found->verdict.signatures,
		       sizeof(verdict.signatures));
	d->facts.verdict = verdict;
}

static bool is_held_by_somebody(const struct svc_disk *d)
{
	return d->facts.verdict.refusal == DW_REFUSAL_OPEN ||
	       d->facts.verdict.refusal == DW_REFUSAL_BUSY;
}

/* A disk that is not ready reports no capacity, and becomes another object when it is. */
static bool was_there_at_start(const struct service *s, const struct dw_disk_info *info)
{
	for (const struct svc_disk *d = s->disks; d; d = d->next)
		if (d->at_start && d->present && !d->facts.info.blocks &&
		    dw_disk_same_node(&d->facts.info, info) &&
		    dw_disk_match(&d->facts.info, info, DW_SAME_NAME))
			return true;
	return !s->look.ended_once;
}

static bool has_no_capacity(const struct dw_disk *found)
{
	return found->info.operating && !found->info.blocks &&
	       found->verdict.refusal == DW_REFUSAL_NO_MEDIUM &&
	       has_identity(&found->info);
}

/*
 * A disk that executes SANITIZE reports no capacity. It is taken from the disk of that name that
 * a job has begun with. Whether it is the same disk is found out by the job.
 */
static void recall_capacity(struct service *s, struct dw_disk *found)
{
	const struct svc_disk *d = s->disks, *known = NULL;

	for (; d && has_no_capacity(found); d = d->next) {
		if (!d->attempt || !d->facts.info.blocks ||
		    !dw_disk_match(&d->facts.info, &found->info, DW_SAME_NAME))
			continue;
		if (known)
			return;
		known = d;
	}
	if (!known)
		return;
	found->info.blocks = known->facts.info.blocks;
	found->info.block_size = known->facts.info.block_size;
}

bool attempt_operates(const struct service *s, const struct svc_attempt *a)
{
	char file[256];

	files_name(s, a, "state", file, sizeof(file));
	return disk_operates(a->disk) && access(file, F_OK) == 0;
}

/* Two nodes with one identity that are not known as paths to one unit refuse each other
 * already. */
static void take_found(struct service *s, const struct dw_disk *found)
{
	struct svc_disk *spun_down = find_spun_down(s, found);
	struct svc_disk *d = spun_down ? spun_down : disk_of(s, &found->info);
	const struct bay *bay = settings_bay(s->settings, &found->info);
	bool moved;

	if (!d)
		return;
	if (d->looked) {
		if (found->verdict.refusal != DW_REFUSAL_NONE && !is_held(d))
			d->facts.verdict = found->verdict;
		return;
	}
	d->looked = true;
	d->found_at = s->look.began_at;
	if (spun_down) { /* nothing but its motor has changed since the service stopped it */
		if (is_held_by_somebody(d)) {
			d->facts.verdict.refusal = DW_REFUSAL_NONE;
			d->facts.verdict.reason[0] = d->facts.verdict.release[0] = '\0';
		}
		return;
	}
	take_facts(s, d, found);
	moved = strcmp(d->bay, bay ? bay->name : "") != 0;
	snprintf(d->bay, sizeof(d->bay), "%s", bay ? bay->name : "");
	if (!d->present || moved)
		d->at_start = was_there_at_start(s, &found->info);
	if (!d->present || moved || (!d->row && has_identity(&found->info))) {
		d->present = true;
		appeared(s, d, bay);
	} else {
		stayed(s, d, bay);
	}
}

static void take_all(struct service *s, const struct works_event *e)
{
	for (struct svc_disk *d = s->disks; d; d = d->next)
		d->looked = false;
	for (size_t i = 0; i < e->n; i++) {
		recall_capacity(s, &e->disk[i]);
		take_found(s, &e->disk[i]);
	}
	for (struct svc_disk *d = s->disks; d; d = d->next)
		d->present = d->looked;
	s->look.ended_once = true;
}

/* Verdicts by rules that are no longer in force are discarded. */
void disks_found(struct service *s, const struct works_event *e)
{
	bool outdated = s->look.settings != s->settings;

	settings_unref(s->look.settings);
	s->look.settings = NULL;
	s->look.ended_at = steady_us();
	if (e->error < 0)
		service_note(s, "the disks cannot be listed: %s", strerror(-e->error));
	else if (!outdated)
		take_all(s, e);
	if (!s->reported && !outdated)
		report_started(s);
	s->reported |= !outdated;
	if (s->look.again || outdated)
		disks_look(s);
	jobs_advance(s);
	reconcile(s);
	disks_forget(s);
	/* a new disk is published at once, and so is what has changed of the others */
	bus_refresh(s);
	service_kick(s);
}

/* The disk was the service's own a moment ago, and was found in use by that. */
static bool was_ours(const struct svc_disk *d)
{
	return is_held_by_somebody(d) && d->attempt && !disk_busy(d) &&
	       steady_us() - d->attempt->lost_at < EXAMINED_FOR;
}

bool disks_unsettled(const struct service *s)
{
	for (const struct svc_disk *d = s->disks; d; d = d->next)
		if (d->present && (d->unsettled || was_ours(d)))
			return true;
	return false;
}

/* A disk that ends its work by itself does not report that unasked. */
void disks_tick(struct service *s)
{
	uint64_t wait = disks_unsettled(s) ? (s->trouble ? TROUBLED : AGAIN)
			: disks_left(s)    ? LEFT
					   : UINT64_MAX;

	if (!s->look.settings && steady_us() - s->look.ended_at >= wait)
		disks_look(s);
}

void disks_look(struct service *s)
{
	s->look.again = s->look.settings != NULL;
	if (s->look.again || s->stopping)
		return;
	s->look.settings = settings_ref(s->settings);
	s->look.began_at = steady_us();
	works_look(s->works, &s->look.settings->rules);
}

static bool has_job(const struct service *s, const struct svc_disk *d)
{
	for (const struct svc_job *j = s->jobs; j; j = j->next)
		if (job_current(j, d))
			return true;
	return false;
}

void disks_forget(struct service *s)
{
	struct svc_disk **at = &s->disks;

	while (*at) {
		struct svc_disk *d = *at;

		if (d->present || has_job(s, d)) {
			at = &d->next;
			continue;
		}
		bus_disk_gone(s, d);
		*at = d->next;
		free(d->view);
		free(d);
	}
}
