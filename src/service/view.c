/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <stdio.h>
#include <string.h>

/* a time is sent as the number that it is: T as t */
#define VIEW_ROW(view, label, kind, member)                                              \
	{ .name = #label,                                                                \
	  .type = BUS_##kind | ('t' ^ 'T'),                                              \
	  .offset = offsetof(struct view, member),                                       \
	  .size = sizeof(((struct view *)0)->member) },
#define DISK_ROW(label, kind, member, size) VIEW_ROW(disk_view, label, kind, member)
#define JOB_ROW(label, kind, member, size)  VIEW_ROW(job_view, label, kind, member)

const struct property *disk_properties(void)
{
	static const struct property rows[] = { BUS_DISK_PROPERTIES(DISK_ROW){ 0 } };

	return rows;
}

const struct property *job_properties(void)
{
	static const struct property rows[] = { BUS_JOB_PROPERTIES(JOB_ROW){ 0 } };

	return rows;
}

const char *disk_path(const struct svc_disk *d, char buf[PATH_SIZE])
{
	snprintf(buf, PATH_SIZE, DISK_PATH "/%s", d->key);
	return buf;
}

/* a UUID with '_' for '-' */
const char *job_path(const char *id, char buf[PATH_SIZE])
{
	snprintf(buf, PATH_SIZE, JOB_PATH "/j%s", id);
	for (char *c = buf; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return buf;
}

/* what a disk reports of itself may be anything; the bus takes UTF-8 only */
static void text(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (n >= size)
		n = size - 1;
	memcpy(to, from, n); /* many times a second: nothing is formatted */
	to[n] = '\0';
	dw_text_printable(to);
}

#define TEXT(to, from) text(to, sizeof(to), from)

static const char *phase_state(const struct dw_progress *p)
{
	static const char *const words[] = {
		[DW_PHASE_WAITING] = "waiting",
		[DW_PHASE_WRITE] = "writing",
		[DW_PHASE_FLUSH] = "flushing",
		[DW_PHASE_VERIFY] = "verifying",
		[DW_PHASE_REPAIR] = "repairing",
		[DW_PHASE_RECOVER] = "recovering",
		[DW_PHASE_DONE] = "flushing",
		[DW_PHASE_PAUSED] = "paused",
		[DW_PHASE_SANITIZE] = "sanitizing",
		[DW_PHASE_POWER_CYCLE] = "power-cycling",
	};

	return words[p->phase] ? words[p->phase] : "writing";
}

static const char *attempt_word(const struct svc_attempt *a)
{
	bool cancelled = attempt_is_cancelled(a);

	switch (a->state) {
	case ATTEMPT_QUEUED:
		return attempt_is_paused(a) ? "paused" : "queued";
	case ATTEMPT_EXAMINING:
	case ATTEMPT_ASKING:
	case ATTEMPT_CLAIMING:
	case ATTEMPT_HELD:
		return "claiming";
	case ATTEMPT_RUNNING:
	case ATTEMPT_PAUSING:
	case ATTEMPT_PAUSED:
	case ATTEMPT_SETTLING:
		return cancelled                     ? "stopping"
		       : a->state == ATTEMPT_PAUSING ? "pausing"
						     : phase_state(&a->now.now);
	default:
		return "done";
	}
}

static const char *disk_word(const struct svc_disk *d)
{
	if (disk_busy(d))
		return d->present || d->attempt->state != ATTEMPT_QUEUED
			       ? attempt_word(d->attempt)
			       : "absent";
	if (!d->present)
		return "absent";
	if (disk_left(d))
		return "quarantined";
	if (d->facts.verdict.refusal != DW_REFUSAL_NONE)
		return "refused";
	if (d->attempt)
		return "done";
	return d->offered ? "offered" : "free";
}

static void look_at_facts(const struct svc_disk *d, struct disk_view *v)
{
	const struct dw_disk_info *i = &d->facts.info;
	const struct dw_verdict *why = &d->facts.verdict;

	if (d->present) {
		TEXT(v->device, i->sg[0] ? i->sg : i->block);
		TEXT(v->block, i->block);
		TEXT(v->slot, i->slot);
		TEXT(v->bay, d->bay);
	}
	TEXT(v->serial, i->serial);
	TEXT(v->wwn, i->wwn);
	TEXT(v->vendor, i->vendor);
	TEXT(v->model, i->model);
	TEXT(v->revision, i->revision);
	TEXT(v->transport, i->transport);
	TEXT(v->signatures, why->signatures);
	v->capacity = i->blocks * i->block_size;
	v->block_size = i->block_size;
	if (d->present && i->scsi)
		snprintf(v->address, sizeof(v->address), "%u:%u:%u:%llu", i->host,
			 i->channel, i->target, (unsigned long long)i->lun);
	if (d->present && why->refusal != DW_REFUSAL_NONE && !disk_busy(d)) {
		TEXT(v->refusal, dw_refusal_name(why->refusal));
		TEXT(v->reason, why->reason);
		TEXT(v->release, why->release);
	}
}

static double share_of(const struct svc_attempt *a)
{
	const struct dw_progress *p = &a->now.now;

	if (attempt_over(a->state) && !a->row.code)
		return 1;
	return p->bytes_total ? (double)p->bytes_done / (double)p->bytes_total : 0;
}

static void look_at_attempt(const struct svc_attempt *a, struct disk_view *v)
{
	const struct dw_progress *p = &a->now.now;

	job_path(a->row.job, v->job);
	if (a->state == ATTEMPT_ENDED)
		TEXT(v->outcome, outcome_word(a->row.outcome));
	TEXT(v->message, a->message);
	v->progress = share_of(a);
	v->bytes = p->bytes_done;
	v->bytes_total = p->bytes_total;
	v->errors = p->errors;
	v->bad_blocks = p->exceptions;
	v->pass = p->pass;
	v->passes = p->n_passes;
	v->start_time = a->row.started;
	if (attempt_over(a->state))
		return;
	v->rate = (uint64_t)(attempt_claimed(a->state) ? p->rate : 0);
	v->expected_start_time = a->starts;
	v->expected_end_time = a->ends;
}

static void look_at_care(const struct svc_disk *d, struct disk_view *v)
{
	v->temperature = DW_TEMPERATURE_UNKNOWN;
	if (!d->present || !d->care.known)
		return;
	v->temperature = d->care.health.temperature;
	dw_health_text(&d->care.health, v->health, sizeof(v->health));
	dw_text_printable(v->health);
}

void disk_look(const struct service *s, const struct svc_disk *d, struct disk_view *ret)
{
	(void)s;
	memset(ret, 0, sizeof(*ret));
	look_at_facts(d, ret);
	look_at_care(d, ret);
	snprintf(ret->state, sizeof(ret->state), "%s", disk_word(d));
	snprintf(ret->job, sizeof(ret->job), "/");
	if (d->attempt)
		look_at_attempt(d->attempt, ret);
}

static const char *job_word(const struct svc_job *j)
{
	bool running = false;

	if (job_over(j))
		return "done";
	if (j->row.cancelled)
		return "stopping";
	if (j->row.paused)
		return "paused";
	for (size_t i = 0; i < j->n; i++)
		running |= attempt_claimed(j->attempt[i]->state);
	return running ? "running" : "queued";
}

static void add_attempt(const struct svc_attempt *a, struct job_view *v, double *sum,
			enum svc_outcome *worst)
{
	bool ended = a->state == ATTEMPT_ENDED;

	v->disks++;
	v->disks_done += ended;
	*sum += ended ? 1 : share_of(a);
	v->bytes += a->now.now.bytes_total;
	if (attempt_claimed(a->state))
		v->rate += (uint64_t)a->now.now.rate;
	if (ended && a->row.outcome > *worst)
		*worst = a->row.outcome;
	if (a->row.started && (!v->start_time || a->row.started < v->start_time))
		v->start_time = a->row.started;
	if (a->starts && (!v->expected_start_time || a->starts < v->expected_start_time))
		v->expected_start_time = a->starts;
}

/* unknown as long as that of one disk is */
static uint64_t expected_end(const struct svc_job *j)
{
	uint64_t last = 0;

	for (size_t i = 0; i < j->n; i++) {
		const struct svc_attempt *a = j->attempt[i];

		if (attempt_over(a->state))
			continue;
		if (!a->ends)
			return 0;
		last = a->ends > last ? a->ends : last;
	}
	return last;
}

static void look_at_spec(const struct service *s, const struct svc_job *j,
			 struct job_view *v)
{
	struct dw_job_spec spec;
	struct dw_error err;

	if (attempt_spec(s->settings, j->row.options, &spec, &err) < 0)
		return;
	TEXT(v->method, spec.pattern[0] ? "custom" : spec.method);
	/* what is done, where what was asked leaves that open */
	TEXT(v->verify,
	     dw_spec_word(&spec,
			  spec.verify == DW_VERIFY_AUTO ? "verify_chosen" : "verify"));
}

void job_look(const struct service *s, const struct svc_job *j, struct job_view *ret)
{
	enum svc_outcome worst = OUTCOME_NONE;
	double sum = 0;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->operation, sizeof(ret->operation), "erase");
	for (size_t i = 0; i < j->n; i++)
		if (job_current(j, j->attempt[i]->disk) == j->attempt[i])
			add_attempt(j->attempt[i], ret, &sum, &worst);
	TEXT(ret->outcome, outcome_word(worst));
	ret->progress = ret->disks ? sum / ret->disks : 0;
	ret->progress_valid = true;
	ret->expected_end_time = expected_end(j);
	ret->uid = j->row.uid;
	ret->cancelable = !job_over(j) || job_left(j);
	TEXT(ret->id, j->row.id);
	snprintf(ret->state, sizeof(ret->state), "%s", job_word(j));
	ret->exit_code = job_code(j);
	ret->priority = j->row.priority;
	TEXT(ret->label, j->row.label);
	ret->submit_time = j->row.submitted;
	ret->end_time = j->row.ended;
	look_at_spec(s, j, ret);
	snprintf(ret->message, sizeof(ret->message), "%u of %u disk%s done",
		 ret->disks_done, ret->disks, ret->disks == 1 ? "" : "s");
}
