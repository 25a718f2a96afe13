/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices of several units that are erased by one command. SANITIZE erases every logical unit of
 * a device, or every namespace of an NVM subsystem. Format NVM does so if the controller says
 * that (FNA). All of them are disks of the job, and the first is sent the command. The units wait
 * for each other: their commands to begin are held here until blocks of all have been read, and
 * all are known to be the whole device.
 *
 * During a SANITIZE, the first unit is polled for all. When it has ended, each of the others is
 * polled and proven by itself. A format ends with its command, and a good answer is the answer of
 * all. Where an erasure affects one namespace, and formatting all, each is sent the command, one
 * after the other. Their answers are kept until the last has come, as nothing may be read before
 * that.
 */
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/slots.h"
#include "engine/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/open.h"
#include "engine/resume.h"
#include "judge/whole.h"
#include "own/claim.h"

#define COMMANDED_BY                                                                     \
	"its device was told by %s, and did not say that it ended well: %.120s"

/**
 * struct job_units - a device; a disk that is alone on its device has one of its own
 * @work: the check of the device off the loop
 * @disk, @n: its units, by number; the first is sent the command
 * @known: the units as they were claimed
 * @op, @held: commands to begin; those with @held wait here
 * @checking: the check is under way
 * @cleared: the check has succeeded, and the command is being sent
 * @out: the command is in flight; @commanded: the unit that was sent the latest one
 * @answer, @kept: good answers; those with @kept wait for the answers of the others
 * @answered: all units have a good answer
 * @lost: no command is sent any more; @text: why
 * @next: in the list of the job
 */
struct job_units {
	struct dw_work work;
	struct job_disk *disk[DW_WHOLE_MAX];
	struct dw_disk known[DW_WHOLE_MAX];
	uint32_t n;
	struct dw_op op[DW_WHOLE_MAX];
	bool held[DW_WHOLE_MAX];
	bool checking;
	bool cleared;
	bool out;
	const struct job_disk *commanded;
	bool kept[DW_WHOLE_MAX];
	struct dw_result answer[DW_WHOLE_MAX];
	bool answered;
	bool lost;
	char text[320];
	struct job_units *next;
};

static const char *node_of(const struct job_disk *d)
{
	return d->info.sg[0] ? d->info.sg : d->info.block;
}

static void describe(const struct job_disk *d, struct dw_disk *ret)
{
	const struct dw_disk_info *path;

	*ret = (struct dw_disk){ .info = d->device ? d->device->info : d->info };
	for (uint32_t k = 1; (path = job_paths_node(d, k)); k++) {
		struct dw_path_node *n = &ret->other[ret->n_others++];

		memcpy(n->sg, path->sg, sizeof(n->sg));
		memcpy(n->block, path->block, sizeof(n->block));
		n->sg_dev = path->sg_dev;
		n->block_dev = path->block_dev;
	}
}

/* By the state file its device is at work, or has ended it. An operation that ends with its
 * command is sent again. */
static bool is_commanded(const struct dw_job *job, const struct dw_disk_info *info)
{
	const struct dw_state_entry *e =
		job->resuming ? job_resume_find(job, info) : NULL;

	if (!e)
		return false;
	return (e->operating && !dw_operation_blocks(job->method.operation)) ||
	       e->lba >= e->disk.capacity_bytes / e->disk.block_size;
}

bool job_units_known(const struct job_disk *d)
{
	return is_commanded(d->job, &d->info);
}

static bool is_of_state(void *ctx, const struct dw_disk_info *info)
{
	return job_resume_find(ctx, info);
}

int job_units_check(struct dw_job *job, struct job_disk *const *d,
		    const struct dw_disk *want, size_t n, struct dw_verdict *v,
		    uint32_t *group)
{
	struct dw_whole w = { .m = &dw_machine_self,
			      .operation = job->method.operation,
			      .rules = &job->spec.rules,
			      .n = n,
			      .group = group };
	int r;

	for (size_t i = 0; i < n; i++)
		group[i] = (uint32_t)i;
	if (!job->method.operation || job->method.optional || job->spec.verify_only)
		return 0;
	w.disk = calloc(n + 1, sizeof(*w.disk));
	if (!w.disk)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		w.disk[i] = want[i];
		if (d[i])
			describe(d[i], &w.disk[i]);
		w.disk[i].verdict = v[i];
	}
	r = dw_whole_check(&w);
	for (size_t i = 0; i < n && !r; i++)
		if (!is_commanded(job, &w.disk[i].info))
			v[i] = w.disk[i].verdict;
	free(w.disk);
	return r;
}

static uint64_t number_of(const struct job_disk *d)
{
	return d->info.scsi ? d->info.lun : d->device ? d->device->nvme.nsid : 0;
}

static void add_member(struct job_units *u, struct job_disk *d)
{
	uint32_t at = u->n++;

	for (; at && number_of(u->disk[at - 1]) > number_of(d); at--) {
		u->disk[at] = u->disk[at - 1];
		u->known[at] = u->known[at - 1];
	}
	u->disk[at] = d;
	describe(d, &u->known[at]);
	d->units = u;
}

static struct job_units *new_units(struct dw_job *job)
{
	struct job_units *u = calloc(1, sizeof(*u));

	if (u) {
		u->next = job->units;
		job->units = u;
	}
	return u;
}

int job_units_join(struct dw_job *job, struct job_disk *const *d, size_t n,
		   const struct dw_verdict *v, const uint32_t *group)
{
	for (size_t i = 0; i < n; i++) {
		struct job_disk *first = d[group[i]];

		if (!d[i] || !first || group[i] == i || v[i].refusal != DW_REFUSAL_NONE)
			continue;
		if (!first->units) {
			if (!new_units(job))
				return -ENOMEM;
			add_member(job->units, first);
		}
		add_member(first->units, d[i]);
	}
	return 0;
}

static uint32_t index_of(const struct job_units *u, const struct job_disk *d)
{
	uint32_t i = 0;

	while (u->disk[i] != d)
		i++;
	return i;
}

void job_units_leave(struct job_disk *d)
{
	struct job_units *u = d->units;

	if (!u)
		return;
	u->n--;
	for (uint32_t i = index_of(u, d); i < u->n; i++) {
		u->disk[i] = u->disk[i + 1];
		u->known[i] = u->known[i + 1];
	}
	d->units = NULL;
	u->lost = true;
	snprintf(
		u->text, sizeof(u->text),
		"its device was not told: %s, which is erased with it, could not be taken "
		"into the job",
		node_of(d));
}

static const struct dw_verdict *find_refusal(const struct job_units *u,
					     struct job_disk *const *d, size_t n,
					     const struct dw_verdict *v, size_t *ret_of)
{
	for (size_t i = 0; i < n; i++)
		if (d[i] && d[i]->units == u && v[i].refusal != DW_REFUSAL_NONE) {
			*ret_of = i;
			return &v[i];
		}
	return NULL;
}

void job_units_spread(struct job_disk *const *d, size_t n, struct dw_verdict *v)
{
	for (size_t i = 0; i < n; i++) {
		const struct dw_verdict *why;
		size_t of;

		if (!d[i] || !d[i]->units || v[i].refusal != DW_REFUSAL_NONE ||
		    job_units_known(d[i]))
			continue;
		why = find_refusal(d[i]->units, d, n, v, &of);
		if (why)
			dw_verdict_set(&v[i], why->refusal,
				       "its logical unit %s, which %s erases as well: "
				       "%.160s",
				       node_of(d[of]),
				       dw_whole_command(d[i]->job->method.operation),
				       why->reason);
	}
}

uint32_t job_units_number(const struct job_disk *d)
{
	return d->units ? d->units->n : 1;
}

bool job_units_needed(const struct job_disk *d)
{
	return d->device && dw_self_whole(&d->caps.self, d->plan.operation) &&
	       !(d->units && d->units->cleared);
}

static int answer(struct job_units *u, uint32_t i, struct dw_result *r)
{
	struct dw_engine *e = u->disk[i]->job->engine;

	u->held[i] = u->kept[i] = false;
	r->disk = u->op[i].disk;
	r->slot = u->op[i].slot;
	if (!r->end_ns)
		r->submit_ns = r->end_ns = engine_clock(e);
	return job_local_result(e, r);
}

static int answer_held(struct job_units *u, uint8_t class)
{
	int r = 0;

	for (uint32_t i = 0; i < u->n && !r; i++)
		if (u->held[i])
			r = answer(
				u, i,
				&(struct dw_result){ .class = class, .detail = u->text });
	return r;
}

static int answer_kept(struct job_units *u)
{
	int r = 0;

	for (uint32_t i = 0; i < u->n && !r; i++)
		if (u->kept[i])
			r = answer(u, i, &u->answer[i]);
	return r;
}

/* This includes good answers: without the others' they prove nothing. */
static int give_back_stopped(struct job_units *u)
{
	int r = 0;

	for (uint32_t i = 0; i < u->n && !r; i++)
		if (u->disk[i]->step.stopping && (u->held[i] || u->kept[i]))
			r = answer(u, i,
				   &(struct dw_result){ .class = DW_CLASS_GIVEN_BACK });
	return r;
}

static bool any_held(const struct job_units *u)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->held[i])
			return true;
	return false;
}

/* Blocks of each unit have been read, and nothing is under way at it. */
static bool all_wait(const struct job_units *u)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (!u->held[i] && !u->kept[i])
			return false;
	return true;
}

static uint32_t held_for_paused(const struct job_units *u)
{
	uint32_t held = 0, paused = 0;

	for (uint32_t i = 0; i < u->n; i++) {
		const struct dw_disk_state *st = job_disk_state(u->disk[i]);

		held += u->held[i];
		paused += st && st->paused;
	}
	return paused ? held : 0;
}

uint32_t job_units_paused(const struct dw_engine *e)
{
	uint32_t n = 0;

	for (const struct dw_job *job = e->jobs; job; job = job->in.next)
		for (const struct job_units *u = job->units; u; u = u->next)
			n += held_for_paused(u);
	return n;
}

const char *job_units_came(struct job_disk *d, bool commanded, char *text, size_t size)
{
	struct job_units alone = { .n = 0 }, *u = d->units;
	struct dw_disk disk[DW_WHOLE_MAX];
	uint32_t group[DW_WHOLE_MAX];
	struct dw_whole w = { .m = &dw_machine_self,
			      .operation = d->plan.operation,
			      .disk = disk,
			      .known = commanded && d->job->resuming ? is_of_state : NULL,
			      .ctx = d->job,
			      .group = group };
	uint32_t me, units;
	int r;

	if (!dw_self_whole(&d->caps.self, d->plan.operation) || d->plan.verify_only)
		return NULL;
	if (!u) {
		u = &alone;
		u->disk[0] = d;
		describe(d, &u->known[0]);
		u->n = 1;
	}
	memcpy(disk, u->known, u->n * sizeof(disk[0]));
	w.n = u->n;
	me = index_of(u, d);
	units = d->caps.scsi ? dw_device_count_units(w.m, d->device)
			     : disk[me].info.units;
	disk[me].info.units = (uint8_t)dw_min_u64(units, UINT8_MAX);
	r = dw_whole_check(&w);
	if (!r && disk[me].verdict.refusal == DW_REFUSAL_NONE)
		return NULL;
	snprintf(text, size, "%.220s", r ? strerror(-r) : disk[me].verdict.reason);
	return text;
}

/* Runs off the loop: do all nodes still belong to the claimed units, and is no unit unclaimed? */
static void check(struct dw_work *w)
{
	struct job_units *u = dw_container_of(w, struct job_units, work);
	char text[200];

	u->text[0] = '\0';
	for (uint32_t i = 0; i < u->n && !u->text[0]; i++) {
		if (u->n > 1 && dw_device_names(u->disk[i]->device))
			snprintf(
				u->text, sizeof(u->text),
				"nothing was told to its device: %s does not say that it "
				"is the disk that was claimed",
				node_of(u->disk[i]));
		else if (job_units_came(u->disk[i], false, text, sizeof(text)))
			snprintf(u->text, sizeof(u->text), "not told: %.160s", text);
	}
}

/* Sends the first command that is held. */
static int command_next(struct job_units *u)
{
	struct job_disk *d;
	uint32_t i = 0;
	int r;

	while (!u->held[i])
		i++;
	d = u->disk[i];
	u->held[i] = false;
	u->out = dw_operation_blocks(u->op[i].operation);
	u->cleared = true;
	u->commanded = d;
	r = job_submit(d->job->engine, &u->op[i]);
	u->cleared = false;
	if (!r)
		d->place.transport->ops->flush(d->place.transport);
	return r;
}

/* A unit that was stopped meanwhile gets its command back; then the others do not get theirs
 * sent. */
static int checked(struct dw_work *w)
{
	struct job_units *u = dw_container_of(w, struct job_units, work);
	int r;

	u->checking = false;
	r = give_back_stopped(u);
	if (r || !all_wait(u))
		return r;
	if (!u->text[0])
		return command_next(u);
	u->lost = true;
	r = answer_kept(u);
	return r ? r : answer_held(u, DW_CLASS_FAILED);
}

/* A command that is the whole work is stored as begun before it is sent. */
static bool was_commanded(const struct job_disk *d)
{
	const struct dw_disk_state *st = job_disk_state(d);
	bool begun = st->operation.running && !dw_operation_blocks(d->plan.operation);

	return begun || st->passes[0].used_operation || d->plan.first_lba;
}

/* Its blocks were read after the device was commanded, and prove nothing. */
static bool comes_late(const struct job_units *u, const struct job_disk *d)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->disk[i] != d && was_commanded(u->disk[i]))
			return true;
	return false;
}

static void begin_check(struct job_units *u)
{
	u->checking = true;
	u->work.run = check;
	u->work.done = checked;
	dw_loop_begin(u->disk[0]->job->engine->loop, &u->work);
}

int job_units_submit(struct job_disk *d, const struct dw_op *op)
{
	struct job_units *u = d->units;
	uint32_t i;

	if (!u) {
		u = new_units(d->job);
		if (!u)
			return -ENOMEM;
		add_member(u, d);
	}
	i = index_of(u, d);
	u->op[i] = *op;
	if (!u->lost && comes_late(u, d)) {
		u->lost = true;
		snprintf(u->text, sizeof(u->text),
			 "it was told before its blocks were read, which proves nothing: "
			 "erase all units of its device by a new job");
	}
	u->held[i] = true;
	if (d->step.stopping)
		return job_units_ended(d, true);
	if (u->lost)
		return answer_held(u, DW_CLASS_FAILED);
	if (all_wait(u) && !u->checking)
		begin_check(u);
	return 0;
}

/* Where an erasure affects all namespaces, the answer of one is the answer of all. */
static void keep_answer(struct job_units *u, uint32_t i, const struct dw_result *result)
{
	bool each = dw_self_commands_each(&u->disk[i]->caps.self, u->op[i].operation);

	u->answer[i] = *result;
	u->kept[i] = true;
	for (uint32_t k = 0; k < u->n && !each; k++) {
		if (!u->held[k])
			continue;
		u->answer[k] = (struct dw_result){ .class = DW_CLASS_OK,
						   .ended = DW_ENDED_WELL };
		u->kept[k] = true;
		u->held[k] = false;
	}
}

int job_units_answered(struct job_disk *d, const struct dw_result *result)
{
	struct job_units *u = d->units;
	int r;

	if (!u || u->answered || !dw_operation_blocks(d->plan.operation))
		return 0;
	u->out = false;
	if (result->class != DW_CLASS_OK || result->ended != DW_ENDED_WELL)
		return give_back_stopped(u);
	keep_answer(u, index_of(u, d), result);
	u->answered = !any_held(u);
	if (u->answered)
		r = answer_kept(u);
	else
		r = give_back_stopped(u);
	if (!r && !u->answered && all_wait(u))
		begin_check(u);
	return r ? r : 1;
}

int job_units_commanded(struct job_disk *d)
{
	struct job_units *u = d->units;

	if (!u || u->disk[0] != d || dw_operation_blocks(d->plan.operation) ||
	    !job_disk_state(d)->operation.running)
		return 0;
	u->answered = true;
	return answer_held(u, DW_CLASS_RUNNING);
}

static uint32_t progress_of(const struct dw_disk_state *st, uint64_t blocks)
{
	return (uint32_t)((double)st->position / (double)blocks * DW_PROGRESS_ALL);
}

int job_units_poll(struct job_disk *d, const struct dw_op *op)
{
	struct job_units *u = d->units;
	const struct job_disk *first = u ? u->disk[0] : d;
	const struct dw_disk_state *st = job_disk_state(first);
	struct dw_result r = { .class = DW_CLASS_RUNNING, .detail = NULL };
	uint32_t i;

	if (first == d || st->passes[0].used_operation || first->plan.first_lba)
		return 1;
	i = index_of(u, d);
	u->op[i] = *op;
	if (st->phase == DW_CORE_DONE) {
		snprintf(u->text, sizeof(u->text), COMMANDED_BY, node_of(first),
			 st->reason);
		r.class = DW_CLASS_FAILED;
		r.detail = u->text;
	}
	r.progress = progress_of(st, first->plan.blocks);
	return answer(u, i, &r);
}

static void set_lost_text(struct job_units *u, const struct job_disk *d)
{
	if (d == u->commanded)
		snprintf(u->text, sizeof(u->text), COMMANDED_BY, node_of(d),
			 job_disk_state(d)->reason);
	else
		snprintf(u->text, sizeof(u->text),
			 "its device was not told to erase itself: %s, which that would "
			 "erase as well, has ended before",
			 node_of(d));
}

int job_units_ended(struct job_disk *d, bool stopped)
{
	struct job_units *u = d->units;
	int r;

	d->step.stopping |= stopped;
	if (!u || u->answered)
		return 0;
	if (stopped) /* a command in flight and a check are waited for */
		return u->out || u->checking ? 0 : give_back_stopped(u);
	if (!u->lost)
		set_lost_text(u, d);
	u->lost = true;
	r = answer_kept(u);
	return r ? r : answer_held(u, DW_CLASS_FAILED);
}

void job_units_free(struct dw_job *job)
{
	while (job->units) {
		struct job_units *u = job->units;

		job->units = u->next;
		free(u);
	}
}
