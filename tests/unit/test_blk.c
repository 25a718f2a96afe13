/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Block devices without SCSI, both ways, over a file opened for direct I/O: what is
 * written is there, errors come in the words of SCSI, and the fence holds as for disks.
 */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "fake_sender.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "transport/blk.h"
#include "transport/guard.h"

#define BS     4096u
#define BLOCKS 2048u
#define ALL    (DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE)

static char file_name[] = "test-blk.XXXXXX";
static uint8_t *data; /* every block different */

struct fixture {
	struct dw_transport *t;
	uint32_t disk;
	int fd;
};

typedef int (*maker)(const struct dw_executor *executor, struct dw_transport **ret);

static bool start(struct fixture *f, void **state, uint32_t depth, int flags,
		  const struct dw_executor *executor)
{
	struct dw_target target = { .sg_fd = -1,
				    .permits = ALL,
				    .block_size = BS,
				    .blocks = BLOCKS + 64,
				    .depth = depth };
	maker make = *(maker *)*state;

	if (make(executor, &f->t) < 0)
		return false;
	f->fd = open(file_name, flags | O_CLOEXEC);
	assert_true(f->fd >= 0);
	target.blk_fd = f->fd;
	assert_int_equal(f->t->ops->attach(f->t, &target, &f->disk), 0);
	return true;
}

/* A filter of the kernel may refuse io_uring: then there is nothing to test. */
#define START(f, depth, flags, executor)                                                 \
	do {                                                                             \
		if (!start(f, state, depth, flags, executor))                            \
			skip();                                                          \
	} while (0)

static void stop(struct fixture *f)
{
	f->t->ops->detach(f->t, f->disk);
	f->t->ops->free(f->t);
	close(f->fd);
}

static struct dw_cmd extent(uint8_t verb, uint64_t lba, uint32_t nlb, void *buf)
{
	const struct dw_cdb_extent x = { .verb = verb, .lba = lba, .nlb = nlb };
	struct dw_cmd cmd = { .data = buf, .timeout_ms = 1000, .cookie = lba };

	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, 16, &x);
	cmd.data_len = verb == DW_EXTENT_WRITE_SAME ? BS
		       : verb == DW_EXTENT_SYNC     ? 0
						    : nlb * BS;
	cmd.dir = verb == DW_EXTENT_READ ? DW_DIR_IN : DW_DIR_OUT;
	if (verb == DW_EXTENT_SYNC) {
		cmd.dir = DW_DIR_NONE;
		cmd.data = NULL;
	}
	return cmd;
}

static struct dw_completion run(struct fixture *f, struct dw_cmd *cmd)
{
	struct dw_completion done;

	assert_int_equal(f->t->ops->submit(f->t, f->disk, cmd), 0);
	f->t->ops->flush(f->t);
	assert_int_equal(
		f->t->ops->reap(f->t, &done, 1, f->t->ops->now(f->t) + 30 * DW_NS_PER_S),
		1);
	assert_ptr_equal(done.cmd, cmd);
	return done;
}

static void expect_sense(struct fixture *f, struct dw_cmd cmd, uint8_t key, uint8_t asc)
{
	struct dw_completion done = run(f, &cmd);
	struct dw_sense sense;

	assert_int_equal(done.err, 0);
	assert_int_equal(done.status, 2);
	assert_int_equal(dw_sense_parse(done.sense, done.sense_len, &sense), 0);
	assert_int_equal(sense.key, key);
	assert_int_equal(sense.asc, asc);
	cmd = extent(DW_EXTENT_READ, 0, 1, data);
	assert_int_equal(run(f, &cmd).err, -ECANCELED);
	f->t->ops->unfence(f->t, f->disk);
}

static void test_write_read(void **state)
{
	struct fixture f;
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 3, 16, data);
	uint8_t *buf = mmap(NULL, 16 * BS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	START(&f, 1, O_RDWR, NULL);
	assert_true(fcntl(f.fd, F_GETFL) & O_DIRECT);
	for (int i = 0; i < 3; i++) {
		struct dw_completion done;

		cmd = i == 0   ? extent(DW_EXTENT_WRITE, 3, 16, data)
		      : i == 1 ? extent(DW_EXTENT_SYNC, 0, 0, NULL)
			       : extent(DW_EXTENT_READ, 3, 16, buf);
		done = run(&f, &cmd);
		assert_true(dw_guard_good(&done));
		assert_true(done.start_ns && done.end_ns >= done.start_ns);
	}
	assert_memory_equal(buf, data, 16 * BS);
	stop(&f);
	munmap(buf, 16 * BS);
}

/* What the kernel has, or has done, is news to come. */
static void test_quiet(void **state)
{
	struct dw_cmd cmd = extent(DW_EXTENT_WRITE, 3, 16, data);
	struct dw_completion done;
	struct fixture f;

	START(&f, 1, O_RDWR, NULL);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 10000 && !f.t->ops->quiet(f.t); k++) {
			usleep(1000);
			assert_int_equal(f.t->ops->reap(f.t, &done, 1, 0), 0);
		}
		assert_true(f.t->ops->quiet(f.t));
		if (i)
			break;
		assert_int_equal(f.t->ops->submit(f.t, f.disk, &cmd), 0);
		f.t->ops->flush(f.t);
		assert_false(f.t->ops->quiet(f.t));
		while (!f.t->ops->reap(f.t, &done, 1, 0))
			assert_false(f.t->ops->quiet(f.t));
	}
	stop(&f);
}

static void test_refused(void **state)
{
	struct fixture f;
	struct dw_cmd tur = { .cdb_len = 6, .timeout_ms = 1000 };
	struct dw_cmd fua = extent(DW_EXTENT_WRITE, 0, 1, data);

	START(&f, 1, O_RDWR, NULL);
	expect_sense(&f, extent(DW_EXTENT_WRITE_SAME, 0, 8, data), 5, 0x20);
	expect_sense(&f, tur, 5, 0x20);
	fua.cdb[1] |= 0x08;
	expect_sense(&f, fua, 5, 0x24);
	stop(&f);
	START(&f, 1, O_RDONLY, NULL);
	expect_sense(&f, extent(DW_EXTENT_WRITE, 0, 1, data), 7, 0x27);
	stop(&f);
}

/* Past the end of the file a read is short. */
static void test_short(void **state)
{
	struct fixture f;
	struct dw_cmd cmd = extent(DW_EXTENT_READ, BLOCKS - 4, 16, data + BS * 100);
	struct dw_completion done;

	START(&f, 1, O_RDONLY, NULL);
	done = run(&f, &cmd);
	assert_int_equal(done.err, 0);
	assert_int_equal(done.status, 0);
	assert_int_equal(done.resid, 12 * BS);
	assert_int_equal(run(&f, &cmd).err, -ECANCELED);
	f.t->ops->unfence(f.t, f.disk);
	cmd = extent(DW_EXTENT_READ, BLOCKS + 60, 8, data);
	assert_int_equal(run(&f, &cmd).err, -EPERM); /* the guard */
	stop(&f);
}

/* Nothing comes: every sector of the buffer is another at both ends. */
static void test_stamp(void **state)
{
	struct fixture f;
	uint8_t *buf = data + BS * 100, before[4 * BS];
	struct dw_cmd cmd = extent(DW_EXTENT_READ, 0, 4, buf);

	START(&f, 1, O_WRONLY, NULL);
	memcpy(before, buf, sizeof(before));
	run(&f, &cmd);
	for (size_t at = 0; at < sizeof(before); at += 512) {
		assert_memory_not_equal(buf + at, before + at, 8);
		assert_memory_equal(buf + at + 8, before + at + 8, 496);
		assert_memory_not_equal(buf + at + 504, before + at + 504, 8);
	}
	f.t->ops->unfence(f.t, f.disk);
	stop(&f);
}

static void test_errors(void **state)
{
	static const struct {
		int err;
		uint8_t verb;
		uint32_t nlb;
		uint8_t key, asc;
		bool info;
	} rows[] = {
		{ EIO, DW_EXTENT_WRITE, 1, 3, 0x0c, true },
		{ EIO, DW_EXTENT_READ, 1, 3, 0x11, true },
		{ ENODATA, DW_EXTENT_READ, 2, 3, 0x11, false },
		{ EIO, DW_EXTENT_SYNC, 0, 3, 0x0c, false },
		{ ENOSPC, DW_EXTENT_WRITE, 1, 5, 0x21, false },
		{ EROFS, DW_EXTENT_WRITE, 1, 7, 0x27, false },
	};
	struct dw_completion done;
	struct dw_sense sense;
	struct dw_blk_op op;
	struct dw_cmd cmd;

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		cmd = extent(rows[i].verb, UINT64_C(0x123456789), rows[i].nlb, data);
		done = (struct dw_completion){ .cmd = &cmd };
		dw_blk_parse(&cmd, BS, &op);
		dw_blk_result(&cmd, &op, -1, -rows[i].err, &done);
		assert_int_equal(dw_sense_parse(done.sense, done.sense_len, &sense), 0);
		assert_int_equal(sense.key, rows[i].key);
		assert_int_equal(sense.asc, rows[i].asc);
		assert_int_equal(sense.info_valid, rows[i].info);
		if (rows[i].info)
			assert_int_equal(sense.information, UINT64_C(0x123456789));
		assert_false(dw_guard_good(&done));
	}
	done = (struct dw_completion){ .cmd = &cmd };
	dw_blk_result(&cmd, &op, -1, -ENODEV, &done);
	assert_int_equal(done.err, -ENODEV);
	done = (struct dw_completion){ .cmd = &cmd };
	dw_blk_result(&cmd, &op, -1, -ETIMEDOUT, &done);
	assert_int_equal(done.host_status, 3);
}

struct piece {
	struct dw_cmd cmd;
	bool prepared;
	bool finished;
};

static void piece_prepare(struct dw_cmd *cmd)
{
	((struct piece *)cmd->ctx)->prepared = true;
}

static void piece_finish(struct dw_cmd *cmd, const struct dw_completion *done)
{
	((struct piece *)cmd->ctx)->finished = true;
}

/* All blocks once, in pieces, deep, through an executor or without; then read back. */
static void fill(struct fixture *f, struct piece *pieces, uint8_t verb, uint8_t *buf)
{
	struct dw_completion done[16];
	uint64_t lba = 0, dice = 7;
	unsigned int n = 0, back = 0;

	while (lba < BLOCKS || back < n) {
		uint32_t nlb = 1 + (uint32_t)(fake_random(&dice) % 32);
		struct piece *p = &pieces[n];
		bool more = lba < BLOCKS;
		int r;

		nlb = (uint32_t)dw_min_u64(nlb, BLOCKS - lba);
		if (more) {
			*p = (struct piece){ .cmd = extent(verb, lba, nlb,
							   buf + lba * BS) };
			p->cmd.ctx = p;
			p->cmd.prepare = piece_prepare;
			p->cmd.finish = piece_finish;
			if (f->t->ops->submit(f->t, f->disk, &p->cmd) == 0) {
				lba += nlb;
				n++;
				continue;
			}
		}
		f->t->ops->flush(f->t);
		r = f->t->ops->reap(f->t, done, 16,
				    f->t->ops->now(f->t) + 30 * DW_NS_PER_S);
		assert_true(r > 0);
		for (int i = 0; i < r; i++) {
			p = done[i].cmd->ctx;
			assert_true(dw_guard_good(&done[i]));
			assert_true(p->prepared);
			assert_int_equal(p->finished, verb == DW_EXTENT_READ);
			back++;
		}
	}
}

static void test_fill(void **state)
{
	struct piece *pieces = calloc(BLOCKS, sizeof(*pieces));
	uint8_t *buf = mmap(NULL, BLOCKS * BS, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fake_pool *pool = fake_pool_new(2, 1);
	struct dw_executor executor = fake_pool_executor(pool);
	struct fixture f;

	for (uint32_t depth = 1; depth <= 16; depth *= 4) {
		if (!start(&f, state, depth, O_RDWR, depth == 4 ? NULL : &executor)) {
			depth = 0;
			break;
		}
		data[depth]++;
		fill(&f, pieces, DW_EXTENT_WRITE, data);
		memset(buf, 0, BLOCKS * BS);
		f.t->ops->set_depth(f.t, f.disk, depth + 3);
		fill(&f, pieces, DW_EXTENT_READ, buf);
		assert_memory_equal(buf, data, BLOCKS * BS);
		stop(&f);
	}
	munmap(buf, BLOCKS * BS);
	fake_pool_free(pool);
	free(pieces);
}

static void test_wake(void **state)
{
	struct fixture f;
	struct dw_completion done;
	struct dw_cmd cmd[2] = { extent(DW_EXTENT_WRITE, 0, 1, data),
				 extent(DW_EXTENT_WRITE, 1, 1, data + BS) };
	struct pollfd fd = { .events = POLLIN };

	START(&f, 1, O_RDWR, NULL);
	fd.fd = f.t->ops->fd(f.t);
	f.t->ops->wake(f.t);
	assert_int_equal(f.t->ops->reap(f.t, &done, 1, UINT64_MAX), -EINTR);
	assert_int_equal(f.t->ops->reap(f.t, &done, 1, f.t->ops->now(f.t) + 1000000), 0);
	f.t->ops->submit(f.t, f.disk, &cmd[0]);
	f.t->ops->flush(f.t);
	assert_int_equal(poll(&fd, 1, 30000),
			 1); /* for programs with a loop of their own */
	while (f.t->ops->reap(f.t, &done, 1, 0) != 1)
		assert_int_equal(poll(&fd, 1, 30000), 1);
	f.t->ops->submit(f.t, f.disk, &cmd[1]);
	f.t->ops->cancel(f.t, f.disk);
	assert_int_equal(f.t->ops->reap(f.t, &done, 1, UINT64_MAX), 1);
	assert_true(done.err == -ECANCELED || done.err == 0);
	stop(&f);
}

static maker makers[] = { dw_blk_sync_new, dw_blk_uring_new };

static int file_make(void **state)
{
	int fd = mkstemp(file_name);

	data = mmap(NULL, BLOCKS * BS, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || data == MAP_FAILED || ftruncate(fd, BLOCKS * BS) < 0)
		return -1;
	for (size_t i = 0; i < BLOCKS * BS; i += 4)
		memcpy(data + i, &(uint32_t){ (uint32_t)i }, 4);
	close(fd);
	return 0;
}

static int file_remove(void **state)
{
	munmap(data, BLOCKS * BS);
	return unlink(file_name);
}

static void test_new(void **state)
{
	struct dw_transport *t;
	const char *name;

	assert_int_equal(dw_blk_new(NULL, &t, &name), 0);
	assert_true(!strcmp(name, "io_uring") || !strcmp(name, "pwrite"));
	t->ops->free(t);
}

#define BOTH(test)                                                                       \
	cmocka_unit_test_prestate(test, &makers[0]),                                     \
		cmocka_unit_test_prestate(test, &makers[1])

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_write_read),
		BOTH(test_quiet),
		BOTH(test_refused),
		BOTH(test_short),
		BOTH(test_stamp),
		BOTH(test_fill),
		BOTH(test_wake),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_new),
	};
	int fd, r = file_make(NULL);

	if (r < 0)
		return 1;
	fd = open(file_name, O_RDWR | O_DIRECT);
	if (fd < 0) {
		file_remove(NULL);
		fprintf(stderr, "this file system has no direct I/O\n");
		return 77;
	}
	close(fd);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	file_remove(NULL);
	return r;
}
