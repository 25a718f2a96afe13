/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loss of power that takes the place of a flush. Nothing empties the cache of the disk, so
 * somebody is asked to unplug it, and all of it is verified when it is back: what was in its cache
 * alone is not there any more.
 *
 * What is proven: the system had no such disk for some seconds, then it had one that says the same
 * of itself, which was claimed anew and got no write since. A reset, of the disk or of what it
 * hangs on, takes the node away for a moment only, or not at all. What is not proven: that it had
 * no power meanwhile. Its cable may have been unplugged while a supply of its own fed it, and root
 * can take any node away. So it ends with an exception that says so.
 *
 * The descriptors stay open until the node is gone: nobody else gets its number before that, nor
 * the disk. Looking takes one reading of sysfs a second, and questions only to disks that came.
 */
#include <diskwipe/identity.h>

#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/resume.h"
#include "engine/settle.h"
#include "engine/slots.h"
#include "engine/start.h"
#include "engine/cycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diskwipe/units.h"
#include "engine/own.h"
#include "device/node.h"
#include "judge/verdict.h"
#include "own/claim.h"

#define LOOK_NS    DW_NS_PER_S
#define AWAY_NS    (5 * DW_NS_PER_S) /* a bus that is reset has its disks back before that */
#define ASK_AWAY_S 10

/** struct place - a node that the system had, and does not get another disk unseen */
struct place {
	dev_t sg;
	dev_t block;
	uint32_t host, channel, target;
	uint64_t lun;
};

/**
 * struct job_cycle - of one disk
 * @op: of the core; @asked: it has no result yet
 * @at_work: somebody looks, off the loop
 * @stopped: nobody is to be waited for; @missed: nobody came
 * @away: its node is gone, which was seen first at @away_ns and last at @seen_ns
 * @until_ns: so long it is waited for; @next_ns: when to look
 * @known, @n_known: nodes that are other disks'
 * @transport: to be taken out of that, as it is gone; NULL = it is out
 * @gone: of a look: the node is there no more; @looked_ns: when it began
 * @unclear: of a look: something is there that may be the disk, or nobody knows what is there;
 *	@doubted: so it was at a look since it was gone
 * @back: of a look: the disk, claimed; @came: another disk that came; @refused: why it cannot be
 *	claimed yet, @told: what was last said of that
 * @lost: why it is given back, though it is there again
 */
struct job_cycle {
	struct dw_work work;
	struct job_disk *disk;
	struct dw_op op;
	bool asked;
	bool at_work;
	bool stopped;
	bool missed;
	bool away;
	uint64_t away_ns;
	uint64_t seen_ns;
	uint64_t until_ns;
	uint64_t next_ns;
	struct place *known;
	size_t n_known;
	struct dw_transport *transport;
	bool gone;
	uint64_t looked_ns;
	bool unclear;
	bool doubted;
	struct job_disk *back;
	struct dw_disk_info came;
	char refused[192];
	char told[192];
	char lost[192];
};

static struct job_cycle *cycle_of(struct dw_work *w)
{
	return dw_container_of(w, struct job_cycle, work);
}

bool job_cycle_possible(const struct job_disk *d)
{
	return d->device && d->caps.scsi && !d->paths && !d->caps.zones &&
	       !dw_identity_nameless(&d->info);
}

bool job_cycle_missed(const struct job_disk *d)
{
	return d->cycle && d->cycle->missed;
}

unsigned int job_cycle_away(const struct job_disk *d)
{
	const struct job_cycle *c = d->cycle;

	return c ? (unsigned int)((c->seen_ns - c->away_ns) / DW_NS_PER_S) : 0;
}

void job_cycle_free(struct job_disk *d)
{
	if (!d->cycle)
		return;
	job_disk_free(d->cycle->back);
	free(d->cycle->known);
	free(d->cycle);
	d->cycle = NULL;
}

/* --- off the loop ------------------------------------------------------------- */

static struct place place_of(const struct dw_disk_info *i)
{
	return (struct place){ .sg = i->sg_dev,
			       .block = i->block_dev,
			       .host = i->host,
			       .channel = i->channel,
			       .target = i->target,
			       .lun = i->lun };
}

static bool is_known(const struct job_cycle *c, const struct place *p)
{
	for (size_t i = 0; i < c->n_known; i++) {
		const struct place *k = &c->known[i];

		if (k->sg == p->sg && k->block == p->block && k->host == p->host &&
		    k->channel == p->channel && k->target == p->target &&
		    k->lun == p->lun)
			return true;
	}
	return false;
}

/* The same as after any loss of power: every name that it has, and its capacity. */
static bool is_same(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return dw_disk_match(a, b, DW_SAME_BUT_CAPACITY) && a->blocks == b->blocks;
}

static void leave(struct job_cycle *c)
{
	struct job_disk *d = c->disk;

	if (c->transport)
		c->transport->ops->detach(c->transport, d->place.handle);
	c->transport = NULL;
	job_settle_free(d);
	dw_device_release(d->device);
	dw_device_close(d->device);
	d->device = NULL;
}

/* It has to be claimed as at the beginning; where that fails it is tried again. */
static void take(struct job_cycle *c, const struct dw_disk *unit)
{
	struct dw_job *job = c->disk->job;
	struct dw_world *w = job->engine->world;
	struct job_disk *b = job_disk_new(job);
	struct dw_verdict v = { 0 };
	struct dw_error err = { 0 };
	int r = b ? w->ops->open(w, b, unit, &v) : -ENOMEM;

	if (!r && !is_same(&b->info, &c->disk->info))
		r = dw_verdict_set(&v, DW_REFUSAL_CHANGED, DW_ANOTHER_DISK);
	if (!r) {
		b->plan = c->disk->plan;
		r = w->ops->prepare(w, b, &err);
	}
	if (!r) {
		c->back = b;
		return;
	}
	snprintf(c->refused, sizeof(c->refused), "%.190s",
		 r > 0           ? v.reason
		 : err.reason[0] ? err.reason
				 : strerror(-r));
	job_disk_free(b);
}

/* A disk that came; false when it is to be looked at again. */
static bool look_at(struct job_cycle *c, const struct dw_disk_info *node)
{
	const struct dw_disk_info *want = &c->disk->info;
	struct dw_disk unit;

	if (dw_disk_examine(node->sg[0] ? node->sg : node->block,
			    &c->disk->job->spec.rules, &unit) ||
	    unit.verdict.refusal == DW_REFUSAL_MISSING ||
	    unit.verdict.refusal == DW_REFUSAL_NO_MEDIUM)
		return false;
	if (!is_same(&unit.info, want)) {
		c->came = unit.info;
		return unit.info.blocks > 0;
	}
	if (unit.n_others || unit.info.name_shared) {
		snprintf(c->refused, sizeof(c->refused), "%s",
			 unit.n_others
				 ? "it has several paths now: leave one of them"
				 : "another disk has its name, too: unplug that one");
		return false;
	}
	take(c, &unit);
	return false;
}

/* What is known is what was, and is still, and what was looked at. */
static void find(struct job_cycle *c, const struct dw_disk_info *node, size_t n,
		 struct place *known)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		struct place p = place_of(&node[i]);

		if (is_known(c, &p) || (!c->back && look_at(c, &node[i])))
			known[n_known++] = p;
	}
	c->n_known = n_known;
	c->unclear = n_known < n;
}

/* Its own place may be its place again. */
static void note_others(struct job_cycle *c, const struct dw_disk_info *node, size_t n,
			struct place *known)
{
	c->n_known = 0;
	for (size_t i = 0; i < n; i++)
		if (!dw_disk_same_node(&node[i], &c->disk->info))
			known[c->n_known++] = place_of(&node[i]);
}

static void look(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);
	struct dw_world *world = c->disk->job->engine->world;
	struct dw_disk_info *node = NULL;
	struct place *known;
	size_t n = 0;

	if (c->transport)
		leave(c);
	c->unclear = true;
	c->looked_ns = world->ops->now(world);
	if (dw_nodes_list(&dw_machine_self, &node, &n) < 0)
		return;
	known = calloc(n + 1, sizeof(*known));
	c->gone = known && !c->away && !dw_node_listed(&dw_machine_self, &c->disk->info);
	if (known && c->away) {
		find(c, node, n, known);
	} else if (known && !c->gone) {
		note_others(c, node, n, known);
	}
	free(node);
	if (!known || c->gone) {
		free(known);
		return;
	}
	free(c->known);
	c->known = known;
}

/* --- in the loop -------------------------------------------------------------- */

static int finish(struct job_cycle *c, uint8_t class, uint64_t now_ns)
{
	struct dw_result r = { .disk = c->op.disk,
			       .slot = c->op.slot,
			       .class = class,
			       .vanished = class == DW_CLASS_GONE,
			       .detail = c->lost[0] ? c->lost : "nobody unplugged it",
			       .submit_ns = now_ns,
			       .end_ns = now_ns };

	c->asked = false;
	c->missed = class == DW_CLASS_FAILED && !c->lost[0];
	return dw_core_result(c->disk->job->engine->core, &r, now_ns);
}

static int give_up(struct job_cycle *c, uint64_t now_ns)
{
	return finish(c,
		      c->stopped ? DW_CLASS_GIVEN_BACK
		      : c->away  ? DW_CLASS_GONE
				 : DW_CLASS_FAILED,
		      now_ns);
}

static int ask(const struct job_cycle *c, const char *why)
{
	const struct job_disk *d = c->disk;
	char within[DW_UNIT_TEXT];

	dw_duration_format(d->job->spec.power_cycle_seconds * DW_NS_PER_S, within,
			   sizeof(within));
	return job_notice(
		d->job, d->id,
		"%s: unplug it, and its power supply if it has its own, for %d s, and "
		"plug it in again, all within %s; then it is verified",
		why, ASK_AWAY_S, within);
}

static bool is_ours(const struct job_cycle *c)
{
	const struct dw_engine *e = c->disk->job->engine;

	for (uint32_t i = 0; i < e->cap_disks; i++)
		if (e->disk[i] && is_same(&e->disk[i]->info, &c->came))
			return true;
	return false;
}

/* what was found that is not the disk */
static int tell(struct job_cycle *c)
{
	struct job_disk *d = c->disk;
	const struct dw_disk_info *i = &c->came;
	int r = 0;

	if (i->blocks && !is_ours(c))
		r = job_notice(
			d->job, d->id,
			"another disk came, %s %s %s at %s: it is left alone, and this "
			"one is waited for",
			i->vendor, i->model, i->serial[0] ? i->serial : i->wwn,
			i->sg[0] ? i->sg : i->block);
	if (!r && c->refused[0] && strcmp(c->refused, c->told) != 0)
		r = job_notice(d->job, d->id, "it is back, and cannot be claimed: %s",
			       c->refused);
	memcpy(c->told, c->refused, sizeof(c->told));
	c->came = (struct dw_disk_info){ 0 };
	c->refused[0] = '\0';
	return r;
}

static int leaves(struct job_cycle *c, uint64_t now_ns)
{
	struct job_disk *d = c->disk;
	struct dw_disk_result *r = &d->job->result.disk[d->id];
	struct dw_world *w = d->job->engine->world;

	c->away = true;
	c->doubted = false;
	c->away_ns = c->seen_ns = now_ns;
	snprintf(r->path, sizeof(r->path), "%s", w->ops->way(w, d));
	c->transport = d->place.transport;
	d->place.transport = NULL; /* nobody asks it for the disk any more */
	d->place.attached = false;
	c->next_ns = now_ns;
	return job_notice(d->job, d->id, "it is unplugged: leave it so for %d s",
			  ASK_AWAY_S);
}

/* Nothing is written to it any more: it gets no permit for that. */
static int adopt(struct job_cycle *c)
{
	struct job_disk *d = c->disk, *b = c->back;
	struct dw_disk_result *r = &d->job->result.disk[d->id];
	int e;

	c->back = NULL;
	d->device = b->device;
	b->device = NULL;
	d->info = b->info;
	r->info = b->info;
	job_result_nodes(d, r);
	job_disk_free(b);
	d->who.reset_told = d->who.reset_heard = d->who.exchangeable = d->who.stranger =
		false;
	atomic_store(&d->who.doubted, false);
	d->who.write_errors = 0;
	d->step.sealed = true;
	e = job_attach(d);
	return e ? e : job_settle_begin(d->job, d);
}

static void let_go(struct dw_work *w)
{
	leave(cycle_of(w));
}

static int let_gone(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);

	c->at_work = false;
	return finish(c, c->stopped ? DW_CLASS_GIVEN_BACK : DW_CLASS_FAILED,
		      engine_clock(c->disk->job->engine));
}

/* The system has no thread for it, say. That is the end of this disk alone: nothing was written to
 * it since it came, and a job that is resumed asks for it again. */
static int give_back(struct job_cycle *c, int error)
{
	struct job_disk *d = c->disk;

	snprintf(c->lost, sizeof(c->lost),
		 "it is back, but cannot be used (%s); see to that, and %s",
		 strerror(-error),
		 d->job->spec.state_file[0]
			 ? "resume the job, which asks for it again"
			 : "verify it in full when it was unplugged once more");
	c->transport = d->place.attached ? d->place.transport : NULL;
	d->place.transport = NULL;
	d->place.attached = false;
	c->at_work = true;
	c->work.run = let_go;
	c->work.done = let_gone;
	dw_loop_begin(d->job->engine->loop, &c->work);
	return 0;
}

static bool is_long_enough(const struct job_cycle *c)
{
	return c->seen_ns - c->away_ns >= AWAY_NS;
}

static int comes(struct job_cycle *c, uint64_t now_ns)
{
	struct job_disk *d = c->disk;
	bool enough = is_long_enough(c);
	int r = adopt(c);

	if (r < 0)
		return give_back(c, r);
	c->away = false;
	if (!enough)
		return ask(c, "it was gone for a moment only, as after a reset");
	r = job_notice(d->job, d->id, "it is back, at %s, and is verified in full",
		       d->info.sg[0] ? d->info.sg : d->info.block);
	return r ? r : finish(c, DW_CLASS_OK, now_ns);
}

/* What came may have been the disk, which got ready, or was claimed, too late to be seen: if that
 * has left again it is gone since then only. */
static int still_away(struct job_cycle *c)
{
	bool was = is_long_enough(c);

	if (c->unclear) {
		c->doubted = true;
		return 0;
	}
	if (c->doubted)
		c->away_ns = c->looked_ns;
	c->doubted = false;
	c->seen_ns = c->looked_ns;
	if (was || !is_long_enough(c))
		return 0;
	return job_notice(c->disk->job, c->disk->id, "it can be plugged in again");
}

static int looked(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);
	struct dw_job *job = c->disk->job;
	uint64_t now_ns = engine_clock(job->engine);
	int r = tell(c);

	c->at_work = false;
	c->next_ns = now_ns + LOOK_NS;
	if (!r && c->back)
		r = comes(c, now_ns);
	else if (!r && c->gone)
		r = leaves(c, c->looked_ns);
	else if (!r && c->away)
		r = still_away(c);
	if (c->asked)
		job->cycle_ns = dw_min_u64(job->cycle_ns, c->next_ns);
	return r;
}

static int step(struct job_cycle *c, uint64_t now_ns)
{
	/* what is gone is given back first */
	if (!c->transport && (c->stopped || now_ns >= c->until_ns))
		return give_up(c, now_ns);
	c->at_work = true;
	c->gone = false;
	c->work.run = look;
	c->work.done = looked;
	dw_loop_begin(c->disk->job->engine->loop, &c->work);
	return 0;
}

int job_cycles_look(struct dw_job *job, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	int r = 0;

	if (now_ns < job->cycle_ns)
		return 0;
	job->cycle_ns = UINT64_MAX;
	for (uint32_t i = 0; i < job->n_disks && !r; i++) {
		struct job_cycle *c = job->disk[i]->cycle;

		if (!c || !c->asked || c->at_work)
			continue;
		if (c->stopped || now_ns >= c->next_ns)
			r = step(c, now_ns);
		if (c->asked && !c->at_work)
			next_ns = dw_min_u64(next_ns, c->next_ns);
	}
	job->cycle_ns = dw_min_u64(job->cycle_ns, next_ns);
	return r;
}

int job_cycle_submit(struct job_disk *d, const struct dw_op *op)
{
	struct dw_job *job = d->job;
	uint64_t now_ns = engine_clock(job->engine);
	struct job_cycle *c = d->cycle;
	int r;

	if (!c)
		c = d->cycle = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->disk = d;
	c->op = *op;
	c->missed = !job->spec.power_cycle_seconds;
	if (c->missed)
		return job_local_result(job->engine,
					&(struct dw_result){
						.disk = op->disk,
						.slot = op->slot,
						.class = DW_CLASS_FAILED,
						.detail = "nobody is asked to "
							  "unplug it",
						.submit_ns = now_ns,
						.end_ns = now_ns,
					});
	c->asked = true;
	c->until_ns = now_ns + job->spec.power_cycle_seconds * DW_NS_PER_S;
	c->next_ns = job->cycle_ns = now_ns;
	engine_look_after(job);
	r = job_state_keep(job);
	return r ? r : ask(c, "it is written, and nothing flushes its cache");
}

void job_cycle_stop(struct job_disk *d)
{
	if (!d->cycle)
		return;
	d->cycle->stopped = true;
	d->job->cycle_ns = 0;
}
