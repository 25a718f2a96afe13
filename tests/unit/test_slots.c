/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job on a disk in memory: from ops to CDBs, data and comparison, and from what came back to
 * the outcome. What the disk holds at the end is compared with what is said of it.
 */
#include "unit.h"

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "device/open.h"
#include "engine/internal.h"
#include "memory_disk.h"

#define BLOCKS MEMORY_BLOCKS
#define BLOCK  MEMORY_BLOCK

/**
 * struct shelf - a job and its one disk
 * @transport: first member, since it is all that the job knows
 * @compare_error: of every comparison; @uncompared: none is made
 */
struct shelf {
	struct dw_transport transport;
	struct dw_job *job;
	struct dw_device device;
	struct dw_cmd *cmd;
	uint64_t now;
	struct memory_disk disk;
	int compare_error;
	bool uncompared;
};

static int submit(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	((struct shelf *)t)->cmd = cmd;
	return 0;
}

static void nothing(struct dw_transport *t, uint32_t handle)
{
}

static void depth(struct dw_transport *t, uint32_t handle, uint32_t n)
{
}

static uint64_t now(struct dw_transport *t)
{
	return ((struct shelf *)t)->now;
}

static const struct dw_transport_ops ops = {
	.submit = submit, .unfence = nothing, .set_depth = depth, .now = now
};

static void serve(struct shelf *s, const struct dw_op *op)
{
	struct dw_completion done = { .cookie = op->slot, .start_ns = s->now };

	assert_int_equal(0, job_submit(s->job, op));
	done.cmd = s->cmd;
	if (s->cmd->prepare)
		s->cmd->prepare(s->cmd);
	s->now += DW_NS_PER_MS;
	done.end_ns = s->now;
	if (memory_disk_carry_out(&s->disk, s->cmd, &done) && s->cmd->finish &&
	    !s->uncompared)
		s->cmd->finish(s->cmd, &done);
	if (s->compare_error)
		s->job->slot[op->slot]->compare_error = s->compare_error;
	assert_int_equal(0, job_complete(s->job, &done));
}

/* Who is asked is always there, and always the same. */
static void confirm(struct shelf *s, const struct dw_op *op)
{
	const struct dw_result same = {
		.disk = op->disk, .slot = op->slot, .start_ns = s->now, .end_ns = s->now
	};

	assert_int_equal(0, dw_core_result(s->job->core, &same, s->now));
}

static void shelf_new(struct shelf *s, const char *pattern, int verify)
{
	struct job_disk *d = calloc(1, sizeof(*d));
	struct dw_job_spec spec;
	struct dw_verdict v;
	char err[256];

	memset(s, 0, sizeof(*s));
	s->transport.ops = &ops;
	memory_disk_init(&s->disk);
	dw_job_spec_init(&spec);
	snprintf(spec.pattern, sizeof(spec.pattern), "%s", pattern);
	snprintf(spec.controller, sizeof(spec.controller), "fixed");
	spec.fixed_blocks = 64;
	spec.verify = verify;
	spec.verify_percent = 50;
	spec.seed = 1;
	assert_int_equal(0, dw_job_new(&spec, &s->job, err));
	assert_non_null(d);
	d->caps = (struct dw_caps){ .blocks = BLOCKS,
				    .block_size = BLOCK,
				    .scsi = true,
				    .rw16 = true,
				    .ws16 = true,
				    .ndob = true,
				    .sync16 = true,
				    .ws_max = 64,
				    .wce = DW_NO };
	d->info = (struct dw_disk_info){ .blocks = BLOCKS, .block_size = BLOCK };
	d->device = &s->device;
	d->transport = &s->transport;
	d->buffer_bytes = 64 * BLOCK;
	s->job->block_name = "memory";
	assert_int_equal(0, job_take_disk(s->job, d, &v));
	assert_int_equal(0, dw_core_add(s->job->core, &d->plan, 0, NULL, 0, &d->id));
}

static const struct dw_disk_result *shelf_run(struct shelf *s)
{
	struct dw_core *core = s->job->core;
	struct dw_op op;

	while (!dw_core_done(core)) {
		assert_int_equal(0, dw_core_step(core, s->now));
		if (!dw_core_op(core, &op))
			s->now = dw_max_u64(s->now, dw_core_timer(core));
		else if (op.verb <= DW_VERB_FLUSH)
			serve(s, &op);
		else if (op.verb == DW_VERB_LIFT || op.verb == DW_VERB_DEPTH)
			assert_int_equal(0, job_submit(s->job, &op));
		else
			confirm(s, &op);
	}
	job_outcome(s->job, s->job->disk[0]);
	return &s->job->result.disk[0];
}

static void shelf_free(struct shelf *s)
{
	s->job->disk[0]->device = NULL;
	dw_job_free(s->job);
}

static void assert_medium(const struct shelf *s, uint8_t byte)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		for (uint32_t k = 0; k < BLOCK; k++)
			assert_int_equal(byte, s->disk.medium[i][k]);
}

/* Without data WRITE SAME writes zeros, and nothing else. */
static void constants(void **state)
{
	static const struct {
		const char *pattern;
		uint8_t byte;
		bool without_data;
	} rows[] = { { "00", 0, true }, { "ff", 0xff, false }, { "a5", 0xa5, false } };
	struct shelf s;

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		shelf_new(&s, rows[i].pattern, DW_VERIFY_FULL);
		assert_int_equal(DW_OUTCOME_ERASED, shelf_run(&s)->outcome);
		assert_medium(&s, rows[i].byte);
		assert_int_equal(rows[i].without_data, s.disk.no_data > 0);
		shelf_free(&s);
	}
}

/* More runs in one read than there is room for: all are found, each block by itself. */
static void many_runs(void **state)
{
	const struct dw_disk_result *r;
	uint32_t n = 0;
	struct shelf s;

	shelf_new(&s, "ff", DW_VERIFY_FULL);
	for (uint32_t i = 1; i < 2 * DW_RUNS_MAX + 6; i += 2)
		s.disk.lost[i] = ++n;
	s.disk.lost[BLOCKS - 1] = ++n;
	r = shelf_run(&s);
	assert_int_equal(DW_OUTCOME_EXCEPTIONS, r->outcome);
	assert_int_equal(n, r->n_exceptions);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(1, r->exception[i].blocks);
		assert_true(s.disk.lost[r->exception[i].lba]);
	}
	shelf_free(&s);
}

/* What differs in a sample says something of what was not read. */
static void sampled(void **state)
{
	struct shelf s;

	shelf_new(&s, "ff", DW_VERIFY_SAMPLE);
	s.disk.lost[3] = true; /* the first unit is always read */
	assert_int_equal(DW_OUTCOME_FAILED, shelf_run(&s)->outcome);
	shelf_free(&s);
}

static void unwritable(void **state)
{
	const struct dw_disk_result *r;
	struct shelf s;

	shelf_new(&s, "ff", DW_VERIFY_FULL);
	s.disk.bad = 77;
	r = shelf_run(&s);
	assert_int_equal(DW_OUTCOME_EXCEPTIONS, r->outcome);
	assert_int_equal(1, r->n_exceptions);
	assert_int_equal(77, r->exception[0].lba);
	assert_int_equal(1, r->exception[0].blocks);
	shelf_free(&s);
}

/* A comparison that was not made, or failed, is no proof. */
static void no_comparison(void **state)
{
	struct shelf s;

	shelf_new(&s, "ff", DW_VERIFY_FULL);
	s.compare_error = -EIO;
	assert_int_equal(DW_OUTCOME_FAILED, shelf_run(&s)->outcome);
	shelf_free(&s);
	shelf_new(&s, "ff", DW_VERIFY_FULL);
	s.uncompared = true;
	assert_int_equal(DW_OUTCOME_FAILED, shelf_run(&s)->outcome);
	shelf_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),     cmocka_unit_test(many_runs),
		cmocka_unit_test(sampled),       cmocka_unit_test(unwritable),
		cmocka_unit_test(no_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
