/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threaded transport over disks made of air. First its rules one by one, then all of
 * them as properties of long random histories: what was submitted comes back once, starts
 * in order, stops at the fence and never passes the guard. The seeds are fresh unless
 * DW_SEED gives the first; a failure prints its seed.
 */
#include "unit.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "fake_sender.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/ata.h"
#include "transport/guard.h"
#include "transport/transport.h"

#define BS     512u
#define BLOCKS 100000u
#define ALL    (DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE)
#define FAR    (30 * DW_NS_PER_S)

static uint8_t data[64 * BS];

static const struct dw_target target = {
	.sg_fd = -1,
	.blk_fd = -1,
	.permits = ALL,
	.block_size = BS,
	.blocks = BLOCKS,
	.depth = 1,
	.max_bytes = sizeof(data),
};

struct fixture {
	struct fake_sender fake;
	struct dw_transport *t;
	uint32_t disk;
};

static void start_with(struct fixture *f, uint32_t depth,
		       const struct dw_executor *executor)
{
	struct dw_target one = target;
	struct dw_sender sender;

	one.depth = depth;
	fake_sender_init(&f->fake, 1);
	sender = fake_sender_ops(&f->fake);
	assert_int_equal(dw_threaded_new(&sender, executor, &f->t), 0);
	assert_int_equal(f->t->ops->attach(f->t, &one, &f->disk), 0);
}

static void stop(struct fixture *f)
{
	f->t->ops->detach(f->t, f->disk);
	f->t->ops->free(f->t);
	assert_true(f->fake.freed);
	fake_sender_deinit(&f->fake);
}

static struct dw_cmd extent(uint8_t verb, uint64_t lba, uint32_t nlb, uint64_t cookie)
{
	const struct dw_cdb_extent x = { .verb = verb, .lba = lba, .nlb = nlb };
	struct dw_cmd cmd = { .timeout_ms = 1000, .cookie = cookie };

	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, 16, &x);
	if (verb == DW_EXTENT_SYNC)
		return cmd;
	cmd.data = data;
	cmd.data_len = verb == DW_EXTENT_WRITE_SAME ? BS : nlb * BS;
	cmd.dir = verb == DW_EXTENT_READ ? DW_DIR_IN : DW_DIR_OUT;
	return cmd;
}

static void submit(struct fixture *f, struct dw_cmd *cmd)
{
	assert_int_equal(f->t->ops->submit(f->t, f->disk, cmd), 0);
}

/* One completion, within 10 s. */
static struct dw_completion reap(struct fixture *f)
{
	struct dw_completion done;

	assert_int_equal(f->t->ops->reap(f->t, &done, 1, f->t->ops->now(f->t) + FAR), 1);
	return done;
}

/* That of a command which nothing else is sent with. */
static struct dw_completion run(struct fixture *f, struct dw_cmd *cmd)
{
	submit(f, cmd);
	f->t->ops->flush(f->t);
	return reap(f);
}

static bool readable(struct fixture *f)
{
	struct pollfd fd = { .fd = f->t->ops->fd(f->t), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* 200 us of the processor's time, in the disk's thread */
static void burn(struct dw_cmd *cmd)
{
	struct timespec ts;
	uint64_t end = 0, now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = (uint64_t)ts.tv_sec * DW_NS_PER_S + (uint64_t)ts.tv_nsec;
		end = end ? end : now + 200000;
	} while (now < end);
}

/* what the host pays for a command: time at the device is none of it, work for it is */
static void test_host_time(void **state)
{
	struct fixture f;
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 5, 8, 42);
	struct dw_completion done;
	uint64_t idle = 0;

	start_with(&f, 1, NULL);
	atomic_store(&f.fake.max_us,
		     10000); /* some 5 ms: far more than a busy host pays */
	for (int i = 0; i < 200; i++) {
		done = run(&f, &cmd);
		assert_true(i >= 32 || !done.host_ns);
		if (i == 99) {
			idle = done.host_ns;
			cmd.prepare = burn;
		}
	}
	assert_true(idle > 0);
	assert_true(done.host_ns > idle + 100000 && done.host_ns < idle + 3000000);
	stop(&f);
}

static void test_one_command(void **state)
{
	struct fixture f;
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 5, 8, 42);
	struct dw_completion done;

	start_with(&f, 1, NULL);
	done = run(&f, &cmd);
	assert_ptr_equal(done.cmd, &cmd);
	assert_int_equal(done.cookie, 42);
	assert_int_equal(done.handle, f.disk);
	assert_int_equal(done.err, 0);
	assert_true(cmd.submit_ns <= done.start_ns && done.start_ns <= done.end_ns);
	assert_int_equal(f.t->ops->reap(f.t, &done, 1, 0), 0);
	assert_int_equal(f.t->ops->submit(f.t, f.disk + 1, &cmd), -ENODEV);
	stop(&f);
}

static bool is_clear(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

/* A disk that sends nothing and says GOOD: no sector of the buffer is as it was, at neither
 * end, and none is as the command before left it. Data on their way out are left alone. */
static void test_stamp(void **state)
{
	struct fixture f;
	struct dw_cmd write = extent(DW_EXTENT_WRITE, 0, 8, 1);
	struct dw_cmd read = extent(DW_EXTENT_READ, 0, 8, 2);
	uint8_t before[8 * BS];

	start_with(&f, 1, NULL);
	memset(data, 0, sizeof(data));
	assert_int_equal(run(&f, &write).err, 0);
	assert_true(is_clear(data, sizeof(data)));
	for (int n = 0; n < 2; n++) {
		memcpy(before, data, sizeof(before));
		assert_int_equal(run(&f, &read).err, 0);
		for (size_t at = 0; at < 8 * BS; at += 512) {
			assert_memory_not_equal(data + at, before + at, 8);
			assert_memory_not_equal(data + at + 504, before + at + 504, 8);
		}
		assert_true(is_clear(data + 8, 496));
		assert_true(is_clear(data + 8 * BS, sizeof(data) - 8 * BS));
	}
	memset(data, 0, sizeof(data));
	stop(&f);
}

/* At the device it ends well; what waits comes back; what passes the fence goes on. */
static void test_fence(void **state)
{
	struct fixture f;
	struct dw_cmd bad = extent(DW_EXTENT_WRITE, 0, 8, 1);
	struct dw_cmd write = extent(DW_EXTENT_WRITE, 8, 8, 2);
	struct dw_cmd late = extent(DW_EXTENT_WRITE, 16, 8, 3);
	struct dw_cmd tur = { .cdb_len = 6, .timeout_ms = 1, .cookie = 4 };
	struct dw_cmd sly = extent(DW_EXTENT_WRITE, 24, 8, 5);
	struct dw_cmd sync = extent(DW_EXTENT_SYNC, 0, 0, 6);
	struct dw_completion done;

	tur.flags = sly.flags = sync.flags = DW_CMD_PASS_FENCE;
	start_with(&f, 1, NULL);
	f.fake.bad_per_mille = 1000;
	f.fake.hold = true;
	submit(&f, &bad);
	f.t->ops->flush(f.t);
	assert_true(fake_sender_await(&f.fake, 1));
	submit(&f, &write);
	submit(&f, &tur);
	fake_sender_release(&f.fake);
	for (int i = 0; i < 3; i++) {
		done = reap(&f);
		if (done.cookie == 2)
			assert_int_equal(done.err, -ECANCELED);
		assert_int_equal(done.start_ns == 0, done.cookie == 2);
	}
	f.fake.bad_per_mille = 0;
	submit(&f, &late);
	submit(&f, &sly);
	assert_int_equal(reap(&f).err, -ECANCELED);
	assert_int_equal(reap(&f).err, -ECANCELED);
	assert_int_equal(run(&f, &sync).err, 0);
	submit(&f, &late);
	assert_int_equal(reap(&f).err, -ECANCELED);
	f.t->ops->unfence(f.t, f.disk);
	assert_int_equal(run(&f, &late).err, 0);
	assert_int_equal(f.fake.n_log, 4); /* bad, tur, sync, late */
	stop(&f);
}

static void expect_refused(struct fixture *f, struct dw_cmd cmd)
{
	unsigned int before = f->fake.n_log;
	struct dw_cmd next = extent(DW_EXTENT_READ, 0, 1, 99);
	struct dw_completion done;

	done = run(f, &cmd);
	assert_int_equal(done.err, -EPERM);
	assert_int_equal(done.start_ns, 0);
	submit(f, &next);
	assert_int_equal(reap(f).err, -ECANCELED); /* the disk is fenced */
	assert_int_equal(f->fake.n_log, before);
	f->t->ops->unfence(f->t, f->disk);
}

static void test_guard(void **state)
{
	struct fixture f;
	struct dw_cmd write = extent(DW_EXTENT_WRITE, 0, 8, 1), cmd;

	start_with(&f, 1, NULL);
	expect_refused(&f, extent(DW_EXTENT_WRITE, BLOCKS - 7, 8, 1));
	expect_refused(&f, extent(DW_EXTENT_WRITE, BLOCKS, 1, 1));
	expect_refused(&f, extent(DW_EXTENT_READ, UINT64_MAX, 1, 1));
	expect_refused(&f, extent(DW_EXTENT_WRITE_SAME, BLOCKS - 1, 2, 1));
	expect_refused(&f, extent(DW_EXTENT_WRITE, 0, 0, 1));
	cmd = write;
	cmd.data_len = 7 * BS;
	expect_refused(&f, cmd);
	cmd = write;
	cmd.data = NULL;
	expect_refused(&f, cmd);
	cmd = (struct dw_cmd){ .data = write.data, .data_len = BS, .dir = DW_DIR_IN };
	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_READ_NATIVE_MAX);
	cmd.timeout_ms = 1000;
	expect_refused(&f, cmd); /* a question without data */
	cmd = write;
	cmd.dir = DW_DIR_IN;
	expect_refused(&f, cmd);
	cmd = extent(DW_EXTENT_WRITE_SAME, 0, 8, 1);
	cmd.data_len = 8 * BS;
	expect_refused(&f, cmd);
	cmd = extent(DW_EXTENT_WRITE_SAME, 0, 8, 1);
	cmd.cdb[1] |= 0x08; /* UNMAP */
	expect_refused(&f, cmd);
	cmd = write;
	memset(cmd.cdb, 0, sizeof(cmd.cdb));
	cmd.cdb[0] = 0x48; /* SANITIZE */
	expect_refused(&f, cmd);
	f.t->ops->set_permits(f.t, f.disk, DW_OPCLASS_READ);
	expect_refused(&f, write);
	cmd = extent(DW_EXTENT_SYNC, 0, 0, 1);
	memset(cmd.cdb, 0, sizeof(cmd.cdb));
	cmd.cdb_len = (uint8_t)dw_cdb_start(cmd.cdb);
	expect_refused(&f, cmd);
	f.t->ops->set_permits(f.t, f.disk, UINT32_MAX);
	cmd.cdb[0] = 0x48; /* SANITIZE */
	cmd.cdb_len = 10;
	expect_refused(&f, cmd);
	stop(&f);
}

static void test_good(void **state)
{
	struct dw_cmd write = extent(DW_EXTENT_WRITE, 0, 8, 1);
	struct dw_cmd inquiry = { .dir = DW_DIR_IN, .cdb_len = 6, .data_len = 255 };
	struct dw_completion done = { .cmd = &write };

	inquiry.cdb[0] = 0x12;
	assert_true(dw_guard_good(&done));
	done.status = 0x04;
	assert_true(dw_guard_good(&done));
	for (uint64_t i = 0; i < 7; i++) {
		done = (struct dw_completion){ .cmd = &write };
		fake_done_bad(&done, &write, i);
		assert_false(dw_guard_good(&done));
	}
	done = (struct dw_completion){ .cmd = &inquiry, .resid = 200 };
	assert_true(dw_guard_good(&done));
	done = (struct dw_completion){ .cmd = &write, .resid = -1 };
	assert_false(dw_guard_good(&done));
	done = (struct dw_completion){ .cmd = &write, .status = 2, .sense_len = 8 };
	done.sense[0] = 0x72;
	done.sense[1] = 0x01;
	assert_true(dw_guard_good(&done));
	done.host_status = 7;
	assert_false(dw_guard_good(&done));
}

static void test_cancel_and_full(void **state)
{
	struct dw_cmd cmd[DW_AHEAD_MAX + 3];
	const unsigned int waiting = 1 + DW_AHEAD_MAX, n = DW_ARRAY_SIZE(cmd);
	struct fixture f;

	start_with(&f, 1, NULL);
	f.fake.hold = true;
	for (unsigned int i = 0; i < n; i++)
		cmd[i] = extent(DW_EXTENT_WRITE, i, 1, i);
	submit(&f, &cmd[0]);
	f.t->ops->flush(f.t);
	assert_true(fake_sender_await(&f.fake, 1));
	for (unsigned int i = 1; i <= waiting; i++)
		submit(&f, &cmd[i]);
	assert_int_equal(f.t->ops->submit(f.t, f.disk, &cmd[n - 1]), -EAGAIN);
	f.t->ops->cancel(f.t, f.disk);
	for (uint64_t i = 1; i <= waiting; i++) {
		struct dw_completion done = reap(&f);

		assert_int_equal(done.err, -ECANCELED);
		assert_int_equal(done.cookie, i);
	}
	fake_sender_release(&f.fake);
	assert_int_equal(reap(&f).err, 0);
	submit(&f, &cmd[n - 1]); /* cancelling is no fence */
	f.t->ops->flush(f.t);
	assert_int_equal(reap(&f).err, 0);
	stop(&f);
}

static void *wake_later(void *arg)
{
	struct fixture *f = arg;

	await_asleep(getpid()); /* the first thread, in reap */
	f->t->ops->wake(f->t);
	return NULL;
}

static void test_wake_and_fd(void **state)
{
	struct fixture f;
	struct dw_completion done[4];
	struct dw_cmd cmd[3];
	pthread_t thread;
	uint64_t before;

	start_with(&f, 2, NULL);
	assert_int_equal(pthread_create(&thread, NULL, wake_later, &f), 0);
	assert_int_equal(f.t->ops->reap(f.t, done, 4, UINT64_MAX), -EINTR);
	pthread_join(thread, NULL);
	f.t->ops->wake(f.t);
	assert_true(readable(&f));
	assert_int_equal(f.t->ops->reap(f.t, done, 4, 0), -EINTR);
	assert_false(readable(&f));
	before = f.t->ops->now(f.t);
	assert_int_equal(f.t->ops->reap(f.t, done, 4, before + 5 * DW_NS_PER_MS), 0);
	assert_true(f.t->ops->now(f.t) >= before + 5 * DW_NS_PER_MS);
	f.fake.hold = true;
	for (unsigned int i = 0; i < 3; i++) {
		cmd[i] = extent(DW_EXTENT_WRITE, i, 1, i);
		submit(&f, &cmd[i]);
	}
	f.t->ops->cancel(f.t, f.disk);
	assert_true(readable(&f));
	assert_int_equal(f.t->ops->reap(f.t, done, 2, UINT64_MAX), 2);
	assert_true(readable(&f)); /* one is left */
	assert_int_equal(f.t->ops->reap(f.t, done, 4, UINT64_MAX), 1);
	assert_int_equal(f.t->ops->reap(f.t, done, 4, 0), 0);
	assert_false(readable(&f));
	stop(&f);
}

static void test_depth_changes(void **state)
{
	struct fixture f;
	struct dw_cmd cmd[5];

	start_with(&f, 1, NULL);
	f.t->ops->set_depth(f.t, f.disk, 4);
	f.fake.hold = true;
	for (unsigned int i = 0; i < 5; i++)
		cmd[i] = extent(DW_EXTENT_WRITE, i, 1, i);
	for (unsigned int i = 0; i < 4; i++)
		submit(&f, &cmd[i]);
	f.t->ops->flush(f.t);
	assert_true(fake_sender_await(&f.fake, 4));
	assert_int_equal(f.fake.peak[f.disk], 4);
	f.t->ops->set_depth(f.t, f.disk, 1);
	submit(&f, &cmd[4]);
	f.t->ops->flush(f.t);
	fake_sender_release(&f.fake);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(reap(&f).err, 0);
	assert_int_equal(f.fake.n_log, 5);
	assert_int_equal(f.fake.log[4].worker, 0);
	f.fake.peak[f.disk] = 0;
	f.fake.max_us = 500;
	for (unsigned int round = 0; round < 10; round++) {
		submit(&f, &cmd[0]);
		submit(&f, &cmd[1]);
		f.t->ops->flush(f.t);
		reap(&f);
		reap(&f);
	}
	assert_int_equal(f.fake.peak[f.disk], 1);
	stop(&f);
}

static void prepare_refuse(struct dw_cmd *cmd)
{
	cmd->data_len = 0;
}

static void test_prepare_fails(void **state)
{
	struct fixture f;
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 0, 8, 1);

	start_with(&f, 1, NULL);
	cmd.prepare = prepare_refuse;
	assert_int_equal(run(&f, &cmd).err, -EPERM);
	assert_int_equal(f.fake.n_log, 0);
	stop(&f);
}

/*
 * Histories. Every command remembers what was done to it; a disk's log of lifted fences tells
 * whether a command that started after a bad end was allowed to.
 */
static uint64_t running; /* shown by a failure */

#define N_CMDS  160
#define N_DISKS 3

struct story {
	struct dw_cmd cmd;
	uint32_t disk;
	atomic_bool prepared;
	atomic_int released;
	atomic_bool finished;
	bool submitted;
	bool back;
	struct dw_completion done;
};

/* The fence of a disk was lifted between these. */
struct lift {
	uint64_t before;
	uint64_t after;
};

struct history {
	uint64_t dice;
	struct fake_sender fake;
	struct fake_pool *pool;
	struct dw_transport *t;
	uint32_t disks[N_DISKS];
	uint32_t depth[N_DISKS];
	bool fixed_depth;
	struct story story[N_CMDS];
	unsigned int n;
	unsigned int n_back;
	struct lift lifts[N_DISKS][N_CMDS * 3];
	unsigned int n_lifts[N_DISKS];
};

static void story_prepare(struct dw_cmd *cmd)
{
	atomic_store(&((struct story *)cmd->ctx)->prepared, true);
}

/* the data may be another command's from now on */
static void story_release(struct dw_cmd *cmd)
{
	struct story *s = cmd->ctx;

	assert_false(s->back);
	atomic_fetch_add(&s->released, 1);
}

static void story_finish(struct dw_cmd *cmd, const struct dw_completion *done)
{
	assert_true(dw_guard_good(done));
	atomic_store(&((struct story *)cmd->ctx)->finished, true);
}

static void story_make(struct history *h, struct story *s, uint64_t dice)
{
	static uint8_t room[N_CMDS][sizeof(data)]; /* every read marks its own */
	static const uint8_t verbs[] = { DW_EXTENT_WRITE, DW_EXTENT_WRITE, DW_EXTENT_READ,
					 DW_EXTENT_WRITE_SAME, DW_EXTENT_SYNC };
	uint8_t verb = verbs[dice % DW_ARRAY_SIZE(verbs)];

	s->cmd = extent(verb, (dice >> 40) % (BLOCKS - 64), 1 + (dice >> 8) % 64, h->n);
	if (verb == DW_EXTENT_READ)
		s->cmd.data = room[h->n];
	s->disk = (dice >> 16) % N_DISKS;
	s->cmd.ctx = s;
	if ((dice >> 20) % 4 == 0)
		s->cmd.flags |= DW_CMD_PASS_FENCE;
	if ((dice >> 24) % 2)
		s->cmd.prepare = story_prepare;
	s->cmd.release = story_release;
	if (verb == DW_EXTENT_READ)
		s->cmd.finish = story_finish;
	if (dice % 397 == 0)
		s->cmd.data_len ^= BS; /* the guard must see it */
}

static void history_reap(struct history *h, uint64_t wait_ns)
{
	struct dw_completion done[16];
	size_t max = 1 + fake_random(&h->dice) % 16;
	int n = h->t->ops->reap(h->t, done, max, h->t->ops->now(h->t) + wait_ns);

	assert_true(n >= 0 || n == -EINTR);
	for (int i = 0; i < n; i++) {
		struct story *s = done[i].cmd->ctx;

		assert_true(s->submitted);
		assert_false(s->back);
		assert_int_equal(atomic_load(&s->released), 1);
		assert_int_equal(done[i].cookie, s - h->story);
		assert_int_equal(done[i].handle, h->disks[s->disk]);
		s->back = true;
		s->done = done[i];
		h->n_back++;
	}
}

static void history_unfence(struct history *h, uint32_t disk)
{
	struct lift *lift = &h->lifts[disk][h->n_lifts[disk]++];

	lift->before = h->t->ops->now(h->t);
	h->t->ops->unfence(h->t, h->disks[disk]);
	lift->after = h->t->ops->now(h->t);
}

static void history_step(struct history *h)
{
	uint64_t dice = fake_random(&h->dice);
	uint32_t disk = (dice >> 8) % N_DISKS;
	struct story *s = &h->story[h->n];

	switch (dice % 16) {
	case 0:
		h->t->ops->cancel(h->t, h->disks[disk]);
		break;
	case 1:
		history_unfence(h, disk);
		break;
	case 2:
		h->t->ops->wake(h->t);
		break;
	case 3:
		if (!h->fixed_depth)
			h->t->ops->set_depth(h->t, h->disks[disk], 1 + (dice >> 16) % 8);
		break;
	case 4:
		if ((dice >> 16) % 40 == 0)
			atomic_fetch_or(&h->fake.gone, 1u << h->disks[disk]);
		break;
	case 5:
	case 6:
	case 7:
		h->t->ops->flush(h->t);
		history_reap(h, (dice >> 16) % (300 * 1000));
		break;
	default:
		story_make(h, s, fake_random(&h->dice));
		s->submitted = true;
		if (h->t->ops->submit(h->t, h->disks[s->disk], &s->cmd) == 0) {
			h->n++;
			break;
		}
		s->submitted = false;
		h->t->ops->flush(h->t);
		history_reap(h, DW_NS_PER_MS);
	}
}

/* When the disk was fenced last, before this one started; 0 = never. */
static uint64_t fence_fell(const struct history *h, const struct story *s)
{
	uint64_t fell = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		const struct dw_completion *done = &h->story[i].done;
		bool bad = done->start_ns ? !dw_guard_good(done) : done->err == -EPERM;

		if (h->story[i].disk == s->disk && bad &&
		    done->end_ns < s->done.start_ns && done->end_ns > fell)
			fell = done->end_ns;
	}
	return fell;
}

static void check_fence(const struct history *h, const struct story *s)
{
	uint64_t fell = fence_fell(h, s);
	bool lifted = !fell || dw_guard_passes_fence(&s->cmd);

	for (unsigned int i = 0; i < h->n_lifts[s->disk] && !lifted; i++)
		lifted = h->lifts[s->disk][i].after >= fell &&
			 h->lifts[s->disk][i].before <= s->done.start_ns;
	assert_true(lifted);
}

static void check_story(struct history *h, const struct story *s)
{
	unsigned int sent = 0;

	assert_true(s->back);
	for (unsigned int i = 0; i < h->fake.n_log; i++)
		sent += h->fake.log[i].cookie == s->cmd.cookie;
	assert_int_equal(sent, s->done.start_ns != 0);
	if (!sent) {
		assert_true(s->done.err == -ECANCELED || s->done.err == -EPERM);
		assert_false(s->finished);
		return;
	}
	assert_int_equal(s->prepared, s->cmd.prepare != NULL);
	assert_int_equal(s->finished, s->cmd.finish && dw_guard_good(&s->done));
	assert_int_equal(dw_guard_check(&target, &s->cmd), 0);
	check_fence(h, s);
}

/* Started in the order of submission; at depth 1 they also arrive so. */
static void check_order(struct history *h, uint32_t disk)
{
	uint64_t last = 0, last_cookie = 0;

	for (unsigned int i = 0; i < h->n; i++) {
		const struct story *s = &h->story[i];

		if (s->disk != disk || !s->done.start_ns)
			continue;
		assert_true(s->done.start_ns >= last);
		last = s->done.start_ns;
	}
	for (unsigned int i = 0; i < h->fake.n_log && h->fixed_depth; i++) {
		const struct fake_entry *e = &h->fake.log[i];

		if (e->handle != h->disks[disk] || h->depth[disk] != 1)
			continue;
		assert_true(e->cookie >= last_cookie);
		last_cookie = e->cookie;
	}
	if (h->fixed_depth)
		assert_true(h->fake.peak[h->disks[disk]] <= h->depth[disk]);
}

static void history_start(struct history *h, uint64_t seed)
{
	struct dw_target one = target;
	struct dw_executor executor;
	struct dw_sender sender;

	h->dice = seed;
	fake_sender_init(&h->fake, seed * 3);
	h->fake.max_us = fake_random(&h->dice) % 200;
	h->fake.bad_per_mille = fake_random(&h->dice) % 3 * 40;
	h->fixed_depth = fake_random(&h->dice) % 2;
	if (fake_random(&h->dice) % 3)
		h->pool = fake_pool_new(3, seed * 5);
	sender = fake_sender_ops(&h->fake);
	if (h->pool)
		executor = fake_pool_executor(h->pool);
	assert_int_equal(dw_threaded_new(&sender, h->pool ? &executor : NULL, &h->t), 0);
	for (uint32_t i = 0; i < N_DISKS; i++) {
		one.depth = h->depth[i] = 1 + fake_random(&h->dice) % 3;
		assert_int_equal(h->t->ops->attach(h->t, &one, &h->disks[i]), 0);
	}
}

static void history_run(uint64_t seed)
{
	struct history *h = calloc(1, sizeof(*h));
	unsigned int spins = 0;

	assert_non_null(h);
	history_start(h, seed);
	running = seed;
	while (h->n < N_CMDS && spins++ < N_CMDS * 3)
		history_step(h);
	h->t->ops->flush(h->t);
	for (spins = 0; h->n_back < h->n && spins < 1000; spins++)
		history_reap(h, 20 * DW_NS_PER_MS);
	assert_int_equal(h->n_back, h->n);
	for (unsigned int i = 0; i < h->n; i++)
		check_story(h, &h->story[i]);
	for (uint32_t i = 0; i < N_DISKS; i++)
		check_order(h, i);
	for (uint32_t i = 0; i < N_DISKS; i++)
		h->t->ops->detach(h->t, h->disks[i]);
	h->t->ops->free(h->t);
	fake_pool_free(h->pool);
	fake_sender_deinit(&h->fake);
	free(h);
}

static int show_seed(void **state)
{
	if (running)
		fprintf(stderr, "last seed: DW_SEED=%llu\n", (unsigned long long)running);
	return 0;
}

static void test_histories(void **state)
{
	const char *from = getenv("DW_SEED"), *count = getenv("DW_SEEDS");
	uint64_t first =
		from ? strtoull(from, NULL, 0) : (uint64_t)time(NULL) * 1000 % 1000000007;
	uint64_t n = count ? strtoull(count, NULL, 0) : 60;

	for (uint64_t seed = first; seed < first + n; seed++)
		history_run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_command),
		cmocka_unit_test(test_host_time),
		cmocka_unit_test(test_stamp),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_cancel_and_full),
		cmocka_unit_test(test_wake_and_fd),
		cmocka_unit_test(test_depth_changes),
		cmocka_unit_test(test_prepare_fails),
		cmocka_unit_test_teardown(test_histories, show_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
