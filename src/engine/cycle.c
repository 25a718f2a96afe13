/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The power cycle that takes the place of a flush. No command empties the cache of the disk. So
 * the user is asked to unplug it, and all of it is verified when it is back: data that was only
 * in its cache is lost then.
 *
 * What is proven: the system had no such disk for some seconds. Then it had one with the same
 * identity, which was claimed again and has got no write since. A reset, of the disk or of its
 * bus, removes the node for a moment only, or not at all. What is not proven: that the disk had
 * no power meanwhile. Its cable may have been unplugged while it had a supply of its own, and
 * root can remove any node. So the disk ends with an exception that says so.
 *
 * The descriptors stay open until the node is gone, so that until then nobody else gets its
 * number, nor the disk. A check reads sysfs once a second, and sends commands only to disks that
 * have come.
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
#include "device/node.h"
#include "judge/verdict.h"
#include "own/claim.h"

#define LOOK_NS    DW_NS_PER_S
#define AWAY_NS    (5 * DW_NS_PER_S) /* after a reset of a bus, its disks are back sooner */
#define ASK_AWAY_S 10

/** struct place - a node of the system; as long as it exists, it is the same disk */
struct place {
	dev_t sg;
	dev_t block;
	uint32_t host, channel, target;
	uint64_t lun;
};

/**
 * struct job_cycle - the power cycle of one disk
 * @work: the check off the loop
 * @op: the op of the core; @asked: it has no result yet
 * @at_work: a check is under way, off the loop
 * @stopped: the disk is no longer waited for
 * @missed: nobody unplugged the disk, or nobody was asked to
 * @away: its node is gone; @away_ns: when that was first seen; @seen_ns: and last
 * @until_ns: end of the wait; @next_ns: time of the next check
 * @known, @n_known: nodes that are other disks; owned
 * @transport: the transport that the absent disk is to be detached from; NULL = done
 * @gone: result of a check: the node is gone; @looked_ns: when the check began
 * @unclear: result of a check: some node may be the disk, or the nodes could not be read
 * @doubted: a check was @unclear since the disk went away
 * @back: result of a check: the disk, claimed
 * @came: result of a check: another disk that came; no blocks = none
 * @refused: result of a check: why the disk cannot be claimed yet
 * @noticed: the latest @refused that was reported
 * @lost: why the disk is given up, though it is back
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
	char noticed[192];
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

/* Compares as after any loss of power: all names, and the capacity. */
static bool is_same(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return dw_disk_match(a, b, DW_SAME_BUT_CAPACITY) && a->blocks == b->blocks;
}

static void release(struct job_cycle *c)
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

/* Claims the disk as at the beginning; if that fails, it is tried again at the next check. */
static void claim(struct job_cycle *c, const struct dw_disk *unit)
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

/* Examines a disk that came. False: it has to be examined again. */
static bool examine(struct job_cycle *c, const struct dw_disk_info *node)
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
	claim(c, &unit);
	return false;
}

/* Known are the nodes that were known and still exist, and those that were examined. */
static void find(struct job_cycle *c, const struct dw_disk_info *node, size_t n,
		 struct place *known)
{
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		struct place p = place_of(&node[i]);

		if (is_known(c, &p) || (!c->back && examine(c, &node[i])))
			known[n_known++] = p;
	}
	c->n_known = n_known;
	c->unclear = n_known < n;
}

/* The place of the disk itself is not among them, as it may come back there. */
static void note_others(struct job_cycle *c, const struct dw_disk_info *node, size_t n,
			struct place *known)
{
	c->n_known = 0;
	for (size_t i = 0; i < n; i++)
		if (!dw_disk_same_node(&node[i], &c->disk->info))
			known[c->n_known++] = place_of(&node[i]);
}

static void check(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);
	struct dw_world *world = c->disk->job->engine->world;
	struct dw_disk_info *node = NULL;
	struct place *known;
	size_t n = 0;

	if (c->transport)
		release(c);
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

/* Reports what the check found that is not the disk. */
static int report_found(struct job_cycle *c)
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
	if (!r && c->refused[0] && strcmp(c->refused, c->noticed) != 0)
		r = job_notice(d->job, d->id, "it is back, and cannot be claimed: %s",
			       c->refused);
	memcpy(c->noticed, c->refused, sizeof(c->noticed));
	c->came = (struct dw_disk_info){ 0 };
	c->refused[0] = '\0';
	return r;
}

static int unplugged(struct job_cycle *c, uint64_t now_ns)
{
	struct job_disk *d = c->disk;
	struct dw_disk_result *r = &d->job->result.disk[d->id];
	struct dw_world *w = d->job->engine->world;

	c->away = true;
	c->doubted = false;
	c->away_ns = c->seen_ns = now_ns;
	snprintf(r->path, sizeof(r->path), "%s", w->ops->way(w, d));
	c->transport = d->place.transport;
	d->place.transport = NULL; /* the transport is not asked for the disk any more */
	d->place.attached = false;
	c->next_ns = now_ns;
	return job_notice(d->job, d->id, "it is unplugged: leave it so for %d s",
			  ASK_AWAY_S);
}

/* Puts the disk that is back in the place of the one that went. It gets no permit to write. */
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
	d->who.reset_reported = d->who.reset_noticed = d->who.exchangeable =
		d->who.stranger = false;
	atomic_store(&d->who.doubted, false);
	d->who.write_errors = 0;
	d->step.sealed = true;
	e = job_attach(d);
	return e ? e : job_settle_begin(d->job, d);
}

static void release_off_loop(struct dw_work *w)
{
	release(cycle_of(w));
}

static int released(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);

	c->at_work = false;
	return finish(c, c->stopped ? DW_CLASS_GIVEN_BACK : DW_CLASS_FAILED,
		      engine_clock(c->disk->job->engine));
}

/* Gives up a disk that is back but cannot be attached, for want of a thread, say. This ends this
 * disk alone. Nothing was written to it since it came, and a resumed job asks for it again. */
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
	c->work.run = release_off_loop;
	c->work.done = released;
	dw_loop_begin(d->job->engine->loop, &c->work);
	return 0;
}

static bool is_long_enough(const struct job_cycle *c)
{
	return c->seen_ns - c->away_ns >= AWAY_NS;
}

static int plugged_in(struct job_cycle *c, uint64_t now_ns)
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

/* After an unclear check the disk may have come and gone unseen. Then the time of its absence
 * begins again. */
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

static int checked(struct dw_work *w)
{
	struct job_cycle *c = cycle_of(w);
	struct dw_job *job = c->disk->job;
	uint64_t now_ns = engine_clock(job->engine);
	int r = report_found(c);

	c->at_work = false;
	c->next_ns = now_ns + LOOK_NS;
	if (!r && c->back)
		r = plugged_in(c, now_ns);
	else if (!r && c->gone)
		r = unplugged(c, c->looked_ns);
	else if (!r && c->away)
		r = still_away(c);
	if (c->asked)
		job->cycle_ns = dw_min_u64(job->cycle_ns, c->next_ns);
	return r;
}

static int step(struct job_cycle *c, uint64_t now_ns)
{
	/* the absent disk is detached first */
	if (!c->transport && (c->stopped || now_ns >= c->until_ns))
		return give_up(c, now_ns);
	c->at_work = true;
	c->gone = false;
	c->work.run = check;
	c->work.done = checked;
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
