/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One disk over several paths made of air. A path that is cut may lose a write, may have
 * carried it out, or may deliver it late: up to the time for which a flush has to wait.
 */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/paths.h"

#define BLOCK    512u
#define BLOCKS   96u
#define PATHS    3u
#define LATE     64u
#define QUIET_NS (40 * DW_NS_PER_MS)

struct late {
	uint64_t due_ns;
	uint64_t lba;
	uint8_t data[BLOCK];
};

/**
 * struct wires - the disk, another one, and the ways to them
 * @medium: of the disk; @other: of a clone
 * @cut, @leads_astray, @attention, @fail_host: by path; @renamed: it says that it is another
 * @half: reads bring their data before the path fails; @empty: they are good and bring none
 * @meet: block 3 waits until the attention has been told, to another command
 * @time_out: the next write over this path is not answered, and comes late
 * @late: writes that are on their way still
 */
struct wires {
	pthread_mutex_t lock;
	struct dw_rng rng;
	uint8_t medium[BLOCKS][BLOCK];
	uint8_t other[BLOCKS][BLOCK];
	bool cut[PATHS];
	bool leads_astray[PATHS];
	bool renamed[PATHS];
	bool half[PATHS];
	bool empty[PATHS];
	bool attention[PATHS];
	uint16_t fail_host[PATHS];
	bool time_out[PATHS];
	bool meet;
	bool hold;
	uint32_t sent[PATHS];
	uint32_t identified[PATHS];
	struct late late[LATE];
	uint32_t n_late;
	struct dw_path_set set;
	struct dw_transport *t;
	uint32_t handle;
	pthread_t tender; /* asks paths that have failed again */
	atomic_bool leaving;
};

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * DW_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void nap_us(uint64_t us)
{
	struct timespec ts = { .tv_nsec = (long)(us * 1000) };

	nanosleep(&ts, NULL);
}

static void deliver_late(struct wires *w, uint64_t now)
{
	for (uint32_t i = 0; i < w->n_late;) {
		if (w->late[i].due_ns > now) {
			i++;
			continue;
		}
		memcpy(w->medium[w->late[i].lba], w->late[i].data, BLOCK);
		w->late[i] = w->late[--w->n_late];
	}
}

static void put_off(struct wires *w, const struct dw_cmd *cmd, uint64_t lba, uint64_t ns)
{
	struct late *l = &w->late[w->n_late];

	if (w->n_late == LATE)
		return;
	l->due_ns = clock_ns() + ns;
	l->lba = lba;
	memcpy(l->data, cmd->data, BLOCK);
	w->n_late++;
}

/* Locked. A write over a path that is cut: lost, done, or late. */
static void lose(struct wires *w, const struct dw_cmd *cmd, const struct dw_cdb_extent *x)
{
	switch (dw_rng_below(&w->rng, 3)) {
	case 0:
		memcpy(w->medium[x->lba], cmd->data, BLOCK);
		break;
	case 1:
		put_off(w, cmd, x->lba, dw_rng_below(&w->rng, QUIET_NS * 9 / 10));
		break;
	default:
		break;
	}
}

static void answer(struct wires *w, uint32_t path, struct dw_cmd *cmd,
		   struct dw_completion *ret)
{
	static const uint8_t attention[] = {
		0x70, 0, 6, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x29
	};
	uint8_t(*medium)[BLOCK] = w->leads_astray[path] ? w->other : w->medium;
	struct dw_cdb_extent x = { .verb = DW_EXTENT_VERB_COUNT };

	dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x);
	if (w->half[path] && x.verb == DW_EXTENT_READ)
		memcpy(cmd->data, medium[x.lba], BLOCK);
	if (w->cut[path]) {
		if (x.verb == DW_EXTENT_WRITE)
			lose(w, cmd, &x);
		ret->err = -ENODEV;
	} else if (w->fail_host[path]) {
		ret->host_status = w->fail_host[path];
	} else if (w->time_out[path] && x.verb == DW_EXTENT_WRITE) {
		w->time_out[path] = false;
		put_off(w, cmd, x.lba, QUIET_NS * 3 / 4);
		ret->host_status = 0x03;
	} else if (w->attention[path] && !(w->meet && x.lba == 3)) {
		w->attention[path] = false;
		ret->status = 2;
		memcpy(ret->sense, attention, sizeof(attention));
		ret->sense_len = sizeof(attention);
	} else if (x.verb == DW_EXTENT_WRITE) {
		memcpy(medium[x.lba], cmd->data, BLOCK);
	} else if (x.verb == DW_EXTENT_READ && !w->empty[path]) {
		memcpy(cmd->data, medium[x.lba], BLOCK);
	}
}

static uint8_t state_of(struct wires *w, uint32_t lead)
{
	struct dw_lead_news news;

	dw_paths_news(w->t, w->handle, lead, &news);
	return news.state;
}

/* Locked before and after, not in between. */
static void wait_for_other(struct wires *w, uint32_t path, const struct dw_cmd *cmd)
{
	struct dw_cdb_extent x = { 0 };

	dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x);
	if (x.lba != 3)
		return;
	while (w->meet && w->attention[path]) {
		pthread_mutex_unlock(&w->lock);
		nap_us(100);
		pthread_mutex_lock(&w->lock);
	}
	if (!w->meet)
		return;
	w->meet = false;
	pthread_mutex_unlock(&w->lock);
	while (state_of(w, path) == DW_LEAD_UP)
		nap_us(100);
	pthread_mutex_lock(&w->lock);
}

static void wires_send(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		       struct dw_completion *ret)
{
	struct wires *w = ctx;
	uint32_t path = handle % DW_LEADS_MAX;
	uint64_t us;

	/* the lease of a path must not go by when the command was first begun */
	assert_int_equal(ret->start_ns, 0);
	pthread_mutex_lock(&w->lock);
	w->sent[path]++;
	us = dw_rng_below(&w->rng, 60);
	pthread_mutex_unlock(&w->lock);
	nap_us(us);
	pthread_mutex_lock(&w->lock);
	while (w->hold) {
		pthread_mutex_unlock(&w->lock);
		nap_us(100);
		pthread_mutex_lock(&w->lock);
	}
	wait_for_other(w, path, cmd);
	deliver_late(w, clock_ns());
	answer(w, path, cmd, ret);
	pthread_mutex_unlock(&w->lock);
}

static int identify(void *ctx, uint32_t lead)
{
	struct wires *w = ctx;
	int r;

	pthread_mutex_lock(&w->lock);
	w->identified[lead]++;
	r = w->cut[lead] ? -EIO : w->renamed[lead];
	pthread_mutex_unlock(&w->lock);
	return r;
}

/* A clone has the name as well. */
static void revive(struct wires *w, uint32_t lead)
{
	struct dw_lead_fds fds = { .sg_fd = -1, .blk_fd = -1, .link = lead };

	snprintf(fds.name, sizeof(fds.name), "new%u", lead);
	dw_paths_let_go(w->t, w->handle, lead);
	dw_paths_revived(w->t, w->handle, lead, identify(w, lead), &fds);
}

static void *tend(void *arg)
{
	struct wires *w = arg;
	uint64_t next;
	int lead;

	while (!atomic_load(&w->leaving)) {
		lead = dw_paths_retry(w->t, w->handle, clock_ns(), &next);
		if (lead >= 0)
			revive(w, (uint32_t)lead);
		nap_us(1000);
	}
	return NULL;
}

static void wires_new(struct wires *w, uint64_t seed, bool dynamic, uint32_t depth)
{
	const struct dw_sender inner = { .send = wires_send, .ctx = w };
	struct dw_target target = { .sg_fd = -1,
				    .blk_fd = -1,
				    .permits = DW_OPCLASS_READ | DW_OPCLASS_CONTROL |
					       DW_OPCLASS_WRITE,
				    .block_size = BLOCK,
				    .blocks = BLOCKS,
				    .depth = depth,
				    .max_bytes = BLOCK };

	memset(w, 0, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	dw_rng_seed(&w->rng, seed);
	w->set = (struct dw_path_set){ .n = PATHS,
				       .dynamic = dynamic,
				       .home = 1,
				       .rw16 = true,
				       .sync16 = true,
				       .quiet_ns = QUIET_NS,
				       .identify = identify,
				       .ctx = w };
	for (uint32_t i = 0; i < PATHS; i++)
		w->set.lead[i] =
			(struct dw_lead_fds){ .sg_fd = -1, .blk_fd = -1, .link = i };
	target.paths = &w->set;
	assert_int_equal(0, dw_paths_new(&inner, NULL, &w->t));
	assert_int_equal(0, w->t->ops->attach(w->t, &target, &w->handle));
	assert_int_equal(0, pthread_create(&w->tender, NULL, tend, w));
}

static void wires_free(struct wires *w)
{
	atomic_store(&w->leaving, true);
	pthread_join(w->tender, NULL);
	w->t->ops->detach(w->t, w->handle);
	w->t->ops->free(w->t);
	pthread_mutex_destroy(&w->lock);
}

static void set_flag(struct wires *w, bool *flag, bool value)
{
	pthread_mutex_lock(&w->lock);
	*flag = value;
	pthread_mutex_unlock(&w->lock);
}

static void fill_cmd(struct dw_cmd *cmd, uint8_t verb, uint64_t lba, void *data)
{
	struct dw_cdb_extent x = { .verb = verb, .lba = lba, .nlb = data ? 1 : 0 };

	*cmd = (struct dw_cmd){ .dir = !data                     ? DW_DIR_NONE
				       : verb == DW_EXTENT_WRITE ? DW_DIR_OUT
								 : DW_DIR_IN,
				.data = data,
				.data_len = data ? BLOCK : 0,
				.timeout_ms = 1000,
				.cookie = lba };
	cmd->cdb_len = (uint8_t)dw_cdb_fill_extent(cmd->cdb, 16, &x);
}

/* One command, waited for. */
static struct dw_completion one(struct wires *w, uint8_t verb, uint64_t lba, void *data)
{
	struct dw_completion done;
	struct dw_cmd cmd;

	fill_cmd(&cmd, verb, lba, data);
	assert_int_equal(0, w->t->ops->submit(w->t, w->handle, &cmd));
	w->t->ops->flush(w->t);
	assert_int_equal(1, w->t->ops->reap(w->t, &done, 1, UINT64_MAX));
	return done;
}

/* Writes until a path has come to a state. */
static void await_state(struct wires *w, uint32_t lead, uint8_t state)
{
	uint64_t end = clock_ns() + 20 * DW_NS_PER_S;
	uint8_t data[BLOCK] = { 7 };

	while (state_of(w, lead) != state) {
		assert_true(clock_ns() < end);
		one(w, DW_EXTENT_WRITE, 5, data);
		nap_us(1000);
	}
}

static void choice(void **state)
{
	uint8_t data[BLOCK] = { 1 };
	struct wires w;

	wires_new(&w, 1, true, 1);
	for (uint32_t i = 0; i < 30; i++)
		one(&w, DW_EXTENT_WRITE, i, data);
	assert_int_equal(10, w.sent[0]);
	assert_int_equal(10, w.sent[1]);
	wires_free(&w);
	wires_new(&w, 2, false, 1);
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(1, one(&w, DW_EXTENT_WRITE, i, data).path);
	assert_int_equal(0, w.sent[0] + w.sent[2]);
	wires_free(&w);
}

static void await_all_sent(struct wires *w, uint32_t n)
{
	uint64_t end = clock_ns() + 20 * DW_NS_PER_S;
	uint32_t sent = 0;

	while (sent < n) {
		assert_true(clock_ns() < end);
		nap_us(100);
		pthread_mutex_lock(&w->lock);
		sent = 0;
		for (uint32_t i = 0; i < PATHS; i++)
			sent += w->sent[i];
		pthread_mutex_unlock(&w->lock);
	}
}

/* Of several at once, each goes where the least is under way. */
static void least_busy(void **state)
{
	struct dw_completion done[PATHS];
	uint8_t data[BLOCK] = { 1 };
	struct dw_cmd cmd[PATHS];
	size_t n = 0;
	struct wires w;

	wires_new(&w, 3, true, PATHS);
	w.hold = true;
	for (uint32_t i = 0; i < PATHS; i++) {
		fill_cmd(&cmd[i], DW_EXTENT_WRITE, i, data);
		assert_int_equal(0, w.t->ops->submit(w.t, w.handle, &cmd[i]));
	}
	w.t->ops->flush(w.t);
	await_all_sent(&w, PATHS);
	set_flag(&w, &w.hold, false);
	while (n < PATHS)
		n += (size_t)w.t->ops->reap(w.t, done + n, PATHS - n, UINT64_MAX);
	for (uint32_t i = 0; i < PATHS; i++)
		assert_int_equal(1, w.sent[i]);
	wires_free(&w);
}

static void failover_and_return(void **state)
{
	uint8_t data[BLOCK] = { 2 }, seen[BLOCK] = { 0 };
	struct dw_completion done;
	struct dw_lead_news news;
	struct wires w;
	uint64_t begin;

	wires_new(&w, 4, false, 1);
	begin = clock_ns();
	set_flag(&w, &w.cut[1], true);
	done = one(&w, DW_EXTENT_WRITE, 9, data);
	assert_int_equal(0, done.err);
	assert_true(done.path != 1);
	assert_int_equal(DW_LEAD_DOWN, state_of(&w, 1));
	/* what was lost may be on its way: the flush waits, other commands do not */
	one(&w, DW_EXTENT_READ, 9, seen);
	assert_memory_equal(data, seen, BLOCK);
	assert_int_equal(0, one(&w, DW_EXTENT_SYNC, 0, NULL).err);
	assert_true(clock_ns() - begin >= QUIET_NS);
	set_flag(&w, &w.cut[1], false);
	await_state(&w, 1, DW_LEAD_UP);
	assert_int_equal(1, one(&w, DW_EXTENT_WRITE, 10, data).path);
	dw_paths_news(w.t, w.handle, 1, &news);
	assert_int_equal(1, news.returns);
	assert_string_equal("new1", news.name);
	wires_free(&w);
}

/* Reads give no occasion for a proof: the path stays out of use until the next write. */
static void unproven(void **state)
{
	uint8_t data[BLOCK] = { 2 };
	struct wires w;
	uint64_t end = clock_ns() + 20 * DW_NS_PER_S;

	wires_new(&w, 5, true, 1);
	set_flag(&w, &w.cut[0], true);
	for (int i = 0; i < 6; i++)
		one(&w, DW_EXTENT_READ, 3, data);
	set_flag(&w, &w.cut[0], false);
	while (state_of(&w, 0) != DW_LEAD_BACK && clock_ns() < end)
		nap_us(1000);
	for (int i = 0; i < 9; i++)
		assert_true(one(&w, DW_EXTENT_READ, 3, data).path != 0);
	assert_int_equal(DW_LEAD_BACK, state_of(&w, 0));
	one(&w, DW_EXTENT_WRITE, 3, data);
	assert_int_equal(DW_LEAD_UP, state_of(&w, 0));
	assert_memory_equal(data, w.medium[3], BLOCK);
	wires_free(&w);
}

/* Takes a path down and lets it come back, up to where the next write proves it. */
static void bring_back(struct wires *w, uint32_t lead)
{
	uint64_t end = clock_ns() + 20 * DW_NS_PER_S;
	uint8_t data[BLOCK];

	set_flag(w, &w->cut[lead], true);
	while (state_of(w, lead) != DW_LEAD_DOWN)
		one(w, DW_EXTENT_READ, 3, data);
	set_flag(w, &w->cut[lead], false);
	while (state_of(w, lead) != DW_LEAD_BACK) {
		assert_true(clock_ns() < end);
		nap_us(1000);
	}
	nap_us(QUIET_NS / 1000); /* what failed so far is no reason to wait */
}

/* A marker that was not answered, over either of the two paths, comes before the data. */
static void late_marker(void **state)
{
	uint8_t data[BLOCK] = { 5 };
	struct wires w;

	for (uint32_t late = 0; late < 2; late++) {
		wires_new(&w, 30 + late, true, 1);
		bring_back(&w, 0);
		set_flag(&w, &w.time_out[late], true);
		assert_int_equal(0, one(&w, DW_EXTENT_WRITE, 3, data).err);
		assert_false(w.time_out[late]);
		assert_int_equal(late ? DW_LEAD_BACK : DW_LEAD_DOWN, state_of(&w, 0));
		pthread_mutex_lock(&w.lock);
		deliver_late(&w, UINT64_MAX);
		assert_memory_equal(data, w.medium[3], BLOCK);
		pthread_mutex_unlock(&w.lock);
		await_state(&w, 0, DW_LEAD_UP);
		wires_free(&w);
	}
}

/* What the disk says during the proof is the end of the command that waits for it: nothing
 * is written before the core has asked who is there. */
static void told_in_proof(void **state)
{
	static const uint8_t nothing[BLOCK];
	uint8_t data[BLOCK] = { 6 };
	struct dw_completion done;
	uint32_t identified;
	struct wires w;

	wires_new(&w, 40, true, 1);
	bring_back(&w, 0);
	identified = w.identified[1];
	set_flag(&w, &w.attention[1], true);
	done = one(&w, DW_EXTENT_WRITE, 3, data);
	assert_int_equal(2, done.status);
	assert_int_equal(0x29, done.sense[12]);
	assert_int_equal(1, done.path);
	assert_memory_equal(nothing, w.medium[3], BLOCK);
	assert_int_equal(DW_LEAD_DOUBTED, state_of(&w, 1));
	assert_int_equal(DW_LEAD_BACK, state_of(&w, 0));
	/* the disk is fenced, as by any end that is not good */
	assert_int_equal(-ECANCELED, one(&w, DW_EXTENT_WRITE, 3, data).err);
	w.t->ops->unfence(w.t, w.handle);
	assert_int_equal(identified, w.identified[1]);
	await_state(&w, 0, DW_LEAD_UP);
	for (int i = 0; i < 9; i++)
		assert_int_equal(0, one(&w, DW_EXTENT_WRITE, 3, data).status);
	assert_int_equal(identified + 1, w.identified[1]);
	assert_memory_equal(data, w.medium[3], BLOCK);
	wires_free(&w);
}

static void await_sent(struct wires *w, uint32_t path, uint32_t n)
{
	bool enough = false;

	while (!enough) {
		nap_us(100);
		pthread_mutex_lock(&w->lock);
		enough = w->sent[path] >= n;
		pthread_mutex_unlock(&w->lock);
	}
}

/* It is told to another command, while the first marker is on its way: no second one. */
static void told_beside_proof(void **state)
{
	uint8_t data[BLOCK] = { 8 };
	struct dw_completion done[2];
	uint32_t sent, before, identified;
	struct dw_cmd cmd[2];
	struct wires w;
	int n = 0;

	wires_new(&w, 42, false, 2);
	w.set.home = 0;
	bring_back(&w, 0);
	w.set.home = 1;
	sent = w.sent[0];
	before = w.sent[1];
	identified = w.identified[1];
	pthread_mutex_lock(&w.lock);
	w.attention[1] = true;
	w.meet = true;
	pthread_mutex_unlock(&w.lock);
	for (uint32_t i = 0; i < 2; i++) {
		fill_cmd(&cmd[i], DW_EXTENT_WRITE, 3 + i, data);
		assert_int_equal(0, w.t->ops->submit(w.t, w.handle, &cmd[i]));
		w.t->ops->flush(w.t);
		await_sent(&w, 1, before + 1 + i);
	}
	while (n < 2)
		n += w.t->ops->reap(w.t, done + n, (size_t)(2 - n), UINT64_MAX);
	assert_int_equal(4, done[0].cookie);
	assert_int_equal(2, done[0].status);
	assert_int_equal(0, done[1].err | done[1].status | done[1].host_status);
	assert_memory_equal(data, w.medium[3], BLOCK);
	assert_int_equal(sent, w.sent[0]);
	assert_int_equal(identified + 1, w.identified[1]);
	assert_int_equal(DW_LEAD_BACK, state_of(&w, 0));
	w.t->ops->unfence(w.t, w.handle);
	await_state(&w, 0, DW_LEAD_UP);
	wires_free(&w);
}

/* The path that is to be proven says again who it is. Of that the core need not know. */
static void back_again(void **state)
{
	uint8_t data[BLOCK] = { 7 };
	struct dw_completion done;
	uint32_t identified;
	struct wires w;

	wires_new(&w, 41, true, 1);
	bring_back(&w, 0);
	identified = w.identified[0];
	pthread_mutex_lock(&w.lock);
	w.attention[0] = true;
	memset(w.other, 0x77, sizeof(w.other));
	w.leads_astray[0] = true; /* and what is there has the name */
	pthread_mutex_unlock(&w.lock);
	done = one(&w, DW_EXTENT_WRITE, 3, data);
	assert_int_equal(0, done.err | done.status | done.host_status);
	assert_true(done.path != 0);
	assert_memory_equal(data, w.medium[3], BLOCK);
	assert_int_equal(DW_LEAD_DOWN, state_of(&w, 0));
	set_flag(&w, &w.leads_astray[0], false);
	await_state(&w, 0, DW_LEAD_UP);
	assert_true(w.identified[0] > identified);
	wires_free(&w);
}

/* What comes back under the name is a clone: not a byte goes there. */
static void foreign(void **state)
{
	static const uint8_t nothing[BLOCKS][BLOCK];
	uint8_t data[BLOCK] = { 3 };
	struct wires w;

	wires_new(&w, 6, true, 1);
	set_flag(&w, &w.cut[2], true);
	for (int i = 0; i < 4; i++)
		one(&w, DW_EXTENT_WRITE, 1, data);
	set_flag(&w, &w.leads_astray[2], true);
	set_flag(&w, &w.cut[2], false);
	await_state(&w, 2, DW_LEAD_FOREIGN);
	for (int i = 0; i < 9; i++)
		assert_true(one(&w, DW_EXTENT_WRITE, 1, data).path != 2);
	assert_memory_equal(nothing, w.other, sizeof(nothing));
	assert_memory_equal(data, w.medium[1], BLOCK);
	wires_free(&w);
}

/* What one path brought before it failed is not what the next one brings. */
static void nothing_arrives(void **state)
{
	uint8_t data[BLOCK] = { 6 }, seen[BLOCK] = { 0 };
	struct dw_completion done;
	struct wires w;

	wires_new(&w, 10, false, 1);
	one(&w, DW_EXTENT_WRITE, 1, data);
	set_flag(&w, &w.half[1], true);
	set_flag(&w, &w.empty[0], true);
	set_flag(&w, &w.empty[2], true);
	set_flag(&w, &w.cut[1], true);
	done = one(&w, DW_EXTENT_READ, 1, seen);
	assert_int_equal(0, done.err | done.status | done.resid);
	assert_true(done.path != 1);
	assert_true(memcmp(data, seen, BLOCK) != 0);
	wires_free(&w);
}

/* After an attention another disk answers over the path: it is not used any more. */
static void renamed(void **state)
{
	static const uint8_t nothing[BLOCKS][BLOCK];
	uint8_t data[BLOCK] = { 5 };
	struct wires w;

	wires_new(&w, 9, false, 1);
	set_flag(&w, &w.attention[1], true);
	assert_int_equal(2, one(&w, DW_EXTENT_WRITE, 1, data).status);
	set_flag(&w, &w.leads_astray[1], true);
	set_flag(&w, &w.renamed[1], true);
	w.t->ops->unfence(w.t, w.handle);
	for (int i = 0; i < 5; i++)
		assert_true(one(&w, DW_EXTENT_WRITE, 1, data).path != 1);
	assert_int_equal(DW_LEAD_FOREIGN, state_of(&w, 1));
	assert_memory_equal(nothing, w.other, sizeof(nothing));
	assert_memory_equal(data, w.medium[1], BLOCK);
	wires_free(&w);
}

/* After an attention a path says who it is; the last path's failures go up. */
static void attention_and_last(void **state)
{
	uint8_t data[BLOCK] = { 4 };
	struct dw_completion done;
	struct wires w;

	wires_new(&w, 7, false, 1);
	set_flag(&w, &w.attention[1], true);
	done = one(&w, DW_EXTENT_WRITE, 1, data);
	assert_int_equal(2, done.status);
	w.t->ops->unfence(w.t, w.handle);
	assert_int_equal(0, one(&w, DW_EXTENT_WRITE, 1, data).status);
	assert_int_equal(1, w.identified[1]);
	set_flag(&w, &w.cut[0], true);
	set_flag(&w, &w.cut[2], true);
	pthread_mutex_lock(&w.lock);
	w.fail_host[1] = 0x0e;
	pthread_mutex_unlock(&w.lock);
	done = one(&w, DW_EXTENT_WRITE, 1, data);
	assert_int_equal(-ENODEV, done.err);
	w.t->ops->unfence(w.t, w.handle);
	/* all are down: the disk may still be there */
	done = one(&w, DW_EXTENT_WRITE, 1, data);
	assert_int_equal(-EHOSTUNREACH, done.err);
	w.t->ops->unfence(w.t, w.handle);
	wires_free(&w);

	wires_new(&w, 8, false, 1);
	set_flag(&w, &w.cut[0], true);
	set_flag(&w, &w.cut[1], true);
	one(&w, DW_EXTENT_WRITE, 1, data); /* takes 1 down */
	pthread_mutex_lock(&w.lock);
	w.fail_host[2] = 0x0e;
	pthread_mutex_unlock(&w.lock);
	for (int i = 0; i < 3; i++) {
		done = one(&w, DW_EXTENT_WRITE, 1, data);
		w.t->ops->unfence(w.t, w.handle);
	}
	assert_int_equal(0x0e, done.host_status);
	pthread_mutex_lock(&w.lock);
	w.fail_host[2] = 0;
	pthread_mutex_unlock(&w.lock);
	done = one(&w, DW_EXTENT_WRITE, 1, data);
	assert_int_equal(0, done.err | done.host_status | done.status);
	wires_free(&w);
}

/* Cut or restore a path, but leave one; locked. */
static void disturb(struct wires *w)
{
	uint32_t i = (uint32_t)dw_rng_below(&w->rng, PATHS), whole = 0;

	for (uint32_t k = 0; k < PATHS; k++)
		whole += !w->cut[k] && state_of(w, k) == DW_LEAD_UP && k != i;
	if (w->cut[i])
		w->cut[i] = false;
	else if (whole)
		w->cut[i] = true;
}

/* One pass: every block once, in order, several at once; then the flush. */
static void pass(struct wires *w, uint8_t number, uint32_t depth)
{
	static uint8_t data[BLOCKS][BLOCK];
	static struct dw_cmd cmd[BLOCKS];
	struct dw_completion done[BLOCKS];
	uint32_t sent = 0, ended = 0;
	int n;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		memset(data[i], number, BLOCK);
		fill_cmd(&cmd[i], DW_EXTENT_WRITE, i, data[i]);
	}
	while (ended < BLOCKS) {
		while (sent < BLOCKS && sent - ended < depth)
			assert_int_equal(
				0, w->t->ops->submit(w->t, w->handle, &cmd[sent++]));
		w->t->ops->flush(w->t);
		n = w->t->ops->reap(w->t, done, BLOCKS, UINT64_MAX);
		assert_true(n > 0);
		for (int i = 0; i < n; i++)
			assert_int_equal(0, done[i].err | done[i].status |
						    done[i].host_status);
		ended += (uint32_t)n;
		pthread_mutex_lock(&w->lock);
		if (!dw_rng_below(&w->rng, 12))
			disturb(w);
		pthread_mutex_unlock(&w->lock);
	}
	assert_int_equal(0, one(w, DW_EXTENT_SYNC, 0, NULL).err);
}

/* Whatever the paths do, each pass leaves its data, and nothing that was on its way when it
 * ended comes after. */
static void passes_in_order(void **state)
{
	uint8_t want[BLOCK];
	struct wires w;

	for (uint64_t seed = 100; seed < 140; seed++) {
		uint32_t depth = 1 + (uint32_t)(seed % 4);

		wires_new(&w, seed, seed % 5, depth);
		for (uint8_t number = 1; number <= 3; number++) {
			memset(want, number, BLOCK);
			pass(&w, number, depth);
			pthread_mutex_lock(&w.lock);
			deliver_late(&w, number == 3 ? UINT64_MAX : clock_ns());
			for (uint32_t i = 0; i < BLOCKS; i++)
				if (memcmp(want, w.medium[i], BLOCK))
					fail_msg("seed %llu: block %u after pass %u",
						 (unsigned long long)seed, i, number);
			pthread_mutex_unlock(&w.lock);
		}
		wires_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choice),
		cmocka_unit_test(least_busy),
		cmocka_unit_test(failover_and_return),
		cmocka_unit_test(unproven),
		cmocka_unit_test(late_marker),
		cmocka_unit_test(told_in_proof),
		cmocka_unit_test(told_beside_proof),
		cmocka_unit_test(back_again),
		cmocka_unit_test(foreign),
		cmocka_unit_test(renamed),
		cmocka_unit_test(nothing_arrives),
		cmocka_unit_test(attention_and_last),
		cmocka_unit_test(passes_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
