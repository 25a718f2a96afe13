/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof, step by step, on two media made of air. A step that fails may be carried out
 * some steps later; when all is quiet it has been.
 */
#include "unit.h"

#include "scsi/cdb.h"
#include "transport/marker.h"

#define BLOCK  512u
#define BLOCKS 8u
#define PATHS  3u
#define LBA    5u

/* read; write, flush, read over the other path, twice; put back: write, flush, read */
#define STEPS_SHOWN 7u
#define STEPS_MATCH 6u
#define LATEST      12u

/**
 * struct rig - what is behind the paths
 * @to: the medium that a path leads to
 * @left, @left_at: a path that has another disk from that step on
 * @fail_at: the step that fails, counted from 1; 0 = none
 * @delay: steps after which it is carried out nevertheless
 * @no_flush: SYNCHRONIZE CACHE is not known
 * @narrow: WRITE(16) and SYNCHRONIZE CACHE(16) are not known
 * @refuses: no write is carried out through that path, counted from 1; 0 = none
 * @late, @due, @late_to: a write that is on its way, and the step that comes after it
 */
struct rig {
	uint8_t medium[2][BLOCKS][BLOCK];
	uint32_t to[PATHS];
	uint32_t steps;
	uint32_t writes[PATHS];
	uint32_t left;
	uint32_t left_at;
	uint32_t fail_at;
	uint32_t delay;
	bool no_flush;
	bool narrow;
	uint32_t refuses;
	uint32_t quiets;
	uint32_t due;
	uint32_t late_to;
	uint8_t late[BLOCK];
};

static void deliver(struct rig *rig)
{
	if (rig->due)
		memcpy(rig->medium[rig->late_to][LBA], rig->late, BLOCK);
	rig->due = 0;
}

static int lose(struct rig *rig, uint32_t path, const struct dw_cmd *cmd, uint8_t verb)
{
	if (verb == DW_EXTENT_WRITE) {
		memcpy(rig->late, cmd->data, BLOCK);
		rig->late_to = rig->to[path];
		rig->due = rig->steps + 1 + rig->delay;
	}
	return -EIO;
}

static int rig_send(void *ctx, uint32_t path, struct dw_cmd *cmd)
{
	struct rig *rig = ctx;
	struct dw_cdb_extent x;
	uint8_t *block;

	assert_true(path < PATHS);
	assert_int_equal(0, dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x));
	rig->steps++;
	if (rig->due && rig->steps >= rig->due)
		deliver(rig);
	if (rig->left_at && rig->left == path && rig->steps >= rig->left_at)
		return -ESTALE;
	if (rig->steps == rig->fail_at)
		return lose(rig, path, cmd, x.verb);
	if (rig->narrow && cmd->cdb_len == 16 && x.verb != DW_EXTENT_READ)
		return -EOPNOTSUPP;
	if (rig->refuses == path + 1 && x.verb == DW_EXTENT_WRITE)
		return -EACCES;
	block = rig->medium[rig->to[path]][x.lba];
	switch (x.verb) {
	case DW_EXTENT_WRITE:
		assert_int_equal(LBA, x.lba);
		rig->writes[path]++;
		memcpy(block, cmd->data, BLOCK);
		return 0;
	case DW_EXTENT_READ:
		memcpy(cmd->data, block, BLOCK);
		return 0;
	default:
		assert_int_equal(DW_EXTENT_SYNC, x.verb);
		return rig->no_flush ? -EOPNOTSUPP : 0;
	}
}

static void rig_quiet(void *ctx)
{
	struct rig *rig = ctx;

	rig->quiets++;
	deliver(rig);
}

static struct dw_marker_io rig_new(struct rig *rig)
{
	*rig = (struct rig){ 0 };
	for (uint32_t i = 0; i < BLOCKS; i++) {
		memset(rig->medium[0][i], (int)(0x10 + i), BLOCK);
		memset(rig->medium[1][i], (int)(0x80 + i), BLOCK);
	}
	return (struct dw_marker_io){ .send = rig_send,
				      .quiet = rig_quiet,
				      .ctx = rig,
				      .block_size = BLOCK,
				      .rw16 = true,
				      .sync16 = true };
}

/* Both media as they were made. */
static void assert_unchanged(const struct rig *rig)
{
	struct rig fresh;

	rig_new(&fresh);
	assert_memory_equal(fresh.medium, rig->medium, sizeof(fresh.medium));
}

static void proven(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);

	assert_int_equal(0, dw_marker_prove(&io, PATHS, LBA, &m));
	assert_true(m.touched && m.restored);
	assert_unchanged(&rig);
	assert_int_equal(2, rig.writes[0]); /* its marker, and the block put back */
	assert_int_equal(1, rig.writes[1]);
	assert_int_equal(1, rig.writes[2]);
	assert_int_equal(0, rig.quiets);

	io = rig_new(&rig);
	rig.no_flush = true;
	assert_int_equal(0, dw_marker_prove(&io, PATHS, LBA, &m));
	assert_true(m.restored);
	assert_unchanged(&rig);
}

/* What WRITE(16) does not do WRITE(10) does. */
static void ten_bytes(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);

	rig.narrow = true;
	assert_int_equal(0, dw_marker_prove(&io, PATHS, LBA, &m));
	assert_true(m.touched && m.restored);
	assert_unchanged(&rig);
	assert_int_equal(2, rig.writes[0]);
}

/* A write that is refused has changed nothing, and nothing is said to have been lost. */
static void refused(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io;

	for (uint32_t path = 0; path < PATHS; path++) {
		io = rig_new(&rig);
		rig.refuses = path + 1;
		assert_int_equal(-EACCES, dw_marker_prove(&io, PATHS, LBA, &m));
		assert_int_equal(path > 0, m.touched);
		assert_int_equal(path, m.reader);
		assert_true(m.restored);
		assert_unchanged(&rig);
	}
}

/* Nothing is written to a disk that merely has the same name. */
static void a_clone(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);
	uint32_t path;

	rig.to[2] = 1;
	assert_int_equal(1, dw_marker_prove(&io, PATHS, LBA, &m));
	assert_int_equal(0, m.writer);
	assert_int_equal(2, m.reader);
	assert_true(m.touched && m.restored);
	assert_unchanged(&rig);
	assert_int_equal(0, rig.writes[1] + rig.writes[2] + rig.quiets);

	io = rig_new(&rig);
	rig.to[2] = 1;
	assert_int_equal(1, dw_marker_match(&io, 1, 2, LBA, &path));
	assert_int_equal(0, rig.writes[2] + rig.quiets);
}

static void one_late_proof(uint32_t fail_at, uint32_t delay)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);

	rig.fail_at = fail_at;
	rig.delay = delay;
	assert_int_equal(-EIO, dw_marker_prove(&io, 2, LBA, &m));
	deliver(&rig);
	/* what was not touched is not waited for */
	assert_int_equal(fail_at > 1, m.touched);
	assert_int_equal(m.touched, rig.quiets);
	assert_true(m.restored);
	assert_unchanged(&rig);
}

/* Whichever step fails, and however late it comes: the block is put back after it. */
static void late_in_proof(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io;

	for (uint32_t fail_at = 1; fail_at <= STEPS_SHOWN; fail_at++)
		for (uint32_t delay = 0; delay < LATEST; delay++)
			one_late_proof(fail_at, delay);
	/* where putting back fails, it says so */
	for (uint32_t i = 1; i <= 3; i++) {
		io = rig_new(&rig);
		rig.fail_at = STEPS_SHOWN + i;
		rig.delay = LATEST;
		assert_int_equal(0, dw_marker_prove(&io, 2, LBA, &m));
		assert_false(m.restored);
	}
}

/* A path that has another disk in the middle of it is not written through again. */
static void swapped(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io;

	for (uint32_t left_at = 4; left_at <= 6; left_at++) {
		io = rig_new(&rig);
		rig.left = 1;
		rig.left_at = left_at;
		assert_int_equal(-ESTALE, dw_marker_prove(&io, 2, LBA, &m));
		assert_int_equal(1, m.reader);
		assert_true(m.touched && m.restored);
		assert_unchanged(&rig);
		assert_int_equal(left_at == 6, rig.writes[1]);
	}
	io = rig_new(&rig);
	rig.left_at = 3;
	assert_int_equal(-ESTALE, dw_marker_prove(&io, 2, LBA, &m));
	assert_false(m.restored);
	assert_int_equal(1, rig.writes[0]);
}

static void one_late_match(uint32_t fail_at, uint32_t delay)
{
	struct dw_cdb_extent x = { .verb = DW_EXTENT_WRITE, .lba = LBA, .nlb = 1 };
	uint8_t data[BLOCK];
	struct dw_cmd next = { .dir = DW_DIR_OUT, .data = data, .data_len = BLOCK };
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);
	uint32_t path = PATHS;

	memset(data, 0xee, sizeof(data));
	next.cdb_len = (uint8_t)dw_cdb_fill_extent(next.cdb, 16, &x);
	rig.fail_at = fail_at;
	rig.delay = delay;
	assert_int_equal(fail_at ? -EIO : 0, dw_marker_match(&io, 0, 1, LBA, &path));
	assert_int_equal(fail_at != 0, rig.quiets);
	if (fail_at) /* write and flush over one, read over the other */
		assert_int_equal(fail_at >= 3 && fail_at <= 5, path);
	rig.fail_at = 0;
	assert_int_equal(0, rig_send(&rig, 0, &next));
	deliver(&rig);
	assert_memory_equal(data, rig.medium[0][LBA], BLOCK);
}

/* The write that follows a match comes last, whatever became of the markers. */
static void late_in_match(void **state)
{
	for (uint32_t fail_at = 0; fail_at <= STEPS_MATCH; fail_at++)
		for (uint32_t delay = 0; delay < LATEST; delay++)
			one_late_match(fail_at, delay);
}

/* A block that has no room here is not tried. */
static void too_long(void **state)
{
	struct dw_marker_result m;
	struct rig rig;
	struct dw_marker_io io = rig_new(&rig);
	uint32_t path;

	io.block_size = 2 * DW_MARKER_BLOCK_MAX;
	assert_int_equal(-EINVAL, dw_marker_prove(&io, 2, LBA, &m));
	assert_false(m.touched);
	assert_int_equal(-EINVAL, dw_marker_match(&io, 0, 1, LBA, &path));
	assert_int_equal(0, rig.steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proven),        cmocka_unit_test(a_clone),
		cmocka_unit_test(late_in_proof), cmocka_unit_test(late_in_match),
		cmocka_unit_test(swapped),       cmocka_unit_test(too_long),
		cmocka_unit_test(ten_bytes),     cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
