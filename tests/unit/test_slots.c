/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job on a disk in memory: from ops to CDBs, data and comparison, and from what came back to
 * the outcome. What the disk holds at the end is compared with what is said of it.
 */
#include "unit.h"

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "device/open.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/links.h"
#include "engine/outcome.h"
#include "engine/slots.h"
#include "memory_disk.h"

#define BLOCKS MEMORY_BLOCKS
#define BLOCK  MEMORY_BLOCK

/**
 * struct shelf - a job and its one disk
 * @transport: first member, since it is all that the job knows
 * @asked: identifications are carried out; otherwise it is always there, and always the same
 * @count: failed writes as the disk counts them, SIZE_MAX = it does not; @lose: such a one is
 *	counted at the identification of that number, from 1
 * @cached: how often its write cache is found off before it is on; 0 = it does not tell
 * @reset_at: that of its reads and writes is told of a reset, from 1; @served: so many were sent
 * @compare_error: of every comparison; @uncompared: none is made
 */
struct shelf {
	struct dw_transport transport;
	struct dw_world world;
	struct dw_job *job;
	struct dw_device device;
	struct dw_cmd *cmd;
	uint64_t now;
	struct memory_disk disk;
	bool asked;
	uint64_t count;
	uint32_t identified;
	uint32_t lose;
	uint32_t cached;
	uint32_t reset_at;
	uint32_t served;
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

static void none(struct dw_transport *t)
{
}

static const struct dw_transport_ops ops = {
	.submit = submit, .flush = none, .unfence = nothing, .set_depth = depth
};

static void check_condition(struct dw_completion *done, uint8_t key, uint8_t asc)
{
	done->status = 2;
	done->sense_len = 18;
	done->sense[0] = 0x70;
	done->sense[2] = key;
	done->sense[7] = 10;
	done->sense[12] = asc;
}

/* A disk without a name. */
static void tell(struct shelf *s, const struct dw_cmd *cmd, struct dw_completion *done)
{
	uint8_t *data = cmd->data;

	memset(data, 0, cmd->data_len);
	if (cmd->cdb[0] == 0x12 && !(cmd->cdb[1] & 1)) {
		data[4] = 31;
		memset(data + 8, ' ', 28);
	} else if (cmd->cdb[0] == 0x12 && cmd->cdb[2] == 0x80 && s->reset_at) {
		memcpy(data, "\0\x80\0\1S", 5);
	} else if (cmd->cdb[0] == 0x9e) {
		data[7] = BLOCKS - 1;
		data[10] = BLOCK >> 8;
	} else if (cmd->cdb[0] == 0x4d && s->count != SIZE_MAX) {
		s->identified++;
		s->count += s->identified == s->lose;
		memcpy(data, "\2\0\0\5\0\6\0\1", 8);
		data[8] = (uint8_t)s->count;
	} else if (cmd->cdb[0] == 0x1a && s->cached) {
		memcpy(data, "\x17\0\x10\0\x8\x12", 6);
		data[6] = --s->cached ? 0 : 4;
		s->cached += !s->cached;
	} else {
		check_condition(done, 5, cmd->cdb[0] == 0x12 ? 0x24 : 0x20);
	}
}

static void identify(struct shelf *s, const struct dw_op *op)
{
	assert_int_equal(0, job_submit(s->job->engine, op));
	while (s->cmd) {
		struct dw_cmd *cmd = s->cmd;
		struct dw_completion done = { .cookie = op->slot,
					      .cmd = cmd,
					      .start_ns = s->now,
					      .end_ns = s->now };

		s->cmd = NULL;
		tell(s, cmd, &done);
		assert_int_equal(0, job_complete(s->job->engine, &done));
	}
}

static void serve(struct shelf *s, const struct dw_op *op)
{
	struct dw_completion done = { .cookie = op->slot, .start_ns = s->now };

	assert_int_equal(0, job_submit(s->job->engine, op));
	done.cmd = s->cmd;
	if (s->cmd->prepare)
		s->cmd->prepare(s->cmd);
	s->now += DW_NS_PER_MS;
	done.end_ns = s->now;
	if (++s->served == s->reset_at)
		check_condition(&done, 6, 0x29);
	else if (memory_disk_carry_out(&s->disk, s->cmd, &done) && s->cmd->finish &&
		 !s->uncompared)
		s->cmd->finish(s->cmd, &done);
	if (s->compare_error)
		s->job->engine->slot[op->slot]->compare_error = s->compare_error;
	assert_int_equal(0, job_complete(s->job->engine, &done));
}

/* Who is asked is always there, and always the same. */
static void confirm(struct shelf *s, const struct dw_op *op)
{
	const struct dw_result same = {
		.disk = op->disk, .slot = op->slot, .start_ns = s->now, .end_ns = s->now
	};

	assert_int_equal(0, dw_core_result(s->job->engine->core, &same, s->now));
}

static uint64_t world_now(struct dw_world *w)
{
	return dw_container_of(w, struct shelf, world)->now;
}

static const char *world_way(struct dw_world *w, const struct job_disk *d)
{
	return "memory";
}

static void world_free(struct dw_world *w)
{
}

static void take_world(struct shelf *s)
{
	static const struct dw_world_ops world_ops = {
		.now = world_now, .fill = job_fill, .way = world_way, .free = world_free
	};
	struct dw_engine *e = s->job->engine;

	e->world->ops->free(e->world);
	s->world.ops = &world_ops;
	e->world = &s->world;
}

static void shelf_new(struct shelf *s, const char *pattern, int verify)
{
	struct job_disk *d = calloc(1, sizeof(*d));
	struct dw_job_spec spec;
	struct dw_verdict v;
	struct dw_error err = { 0 };

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
	assert_int_equal(0, dw_job_new(NULL, &spec, &s->job, &err));
	assert_non_null(d);
	d->caps = (struct dw_caps){ .blocks = BLOCKS,
				    .block_size = BLOCK,
				    .scsi = true,
				    .rw16 = true,
				    .same.cdb16 = true,
				    .same.ndob = true,
				    .cache.sync16 = true,
				    .same.max = 64,
				    .cache.wce = DW_NO };
	d->info = (struct dw_disk_info){ .blocks = BLOCKS, .block_size = BLOCK };
	d->device = &s->device;
	d->place.transport = &s->transport;
	d->contents.buffer_bytes = 64 * BLOCK;
	d->job = s->job;
	take_world(s);
	assert_int_equal(0, job_take_disk(s->job, d, &v));
	/* so small a disk is read in full otherwise */
	d->plan.pass[0].verify = (uint8_t)verify;
	d->plan.percent = spec.verify_percent;
	assert_int_equal(0, job_link_take(d));
	assert_int_equal(0,
			 dw_core_add(s->job->engine->core, d->place.link,
				     &(struct dw_core_disk){
					     .plan = &d->plan,
					     .rules = { .flush_bytes = spec.flush_bytes,
							.flush_ns = UINT64_MAX,
							.stall_ns = UINT64_MAX,
							.exception_limit = BLOCKS },
				     },
				     &d->place.number));
	d->place.entered = true;
	s->job->engine->disk = calloc(1, sizeof(d));
	assert_non_null(s->job->engine->disk);
	s->job->engine->disk[0] = d;
	s->job->engine->cap_disks = 1;
}

static const struct dw_disk_result *shelf_run(struct shelf *s)
{
	struct dw_core *core = s->job->engine->core;
	struct dw_op op;

	while (!dw_core_done(core)) {
		assert_int_equal(0, dw_core_step(core, s->now));
		if (!dw_core_op(core, &op))
			s->now = dw_max_u64(s->now, dw_core_timer(core));
		else if (dw_verb_flags(op.verb) & DW_VERB_IS_WORK)
			serve(s, &op);
		else if (op.verb == DW_VERB_LIFT || op.verb == DW_VERB_DEPTH)
			assert_int_equal(0, job_submit(s->job->engine, &op));
		else if (op.verb == DW_VERB_IDENTIFY && s->asked)
			identify(s, &op);
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

static const struct dw_disk_result *counted(struct shelf *s, uint64_t before,
					    uint32_t lose, uint64_t bad)
{
	shelf_new(s, "ff", DW_VERIFY_OFF);
	s->asked = true;
	s->count = before;
	s->lose = lose;
	s->disk.bad = bad;
	s->job->disk[0]->who.watch =
		(struct dw_watch){ .counts = true, .write_errors = 5, .wce = DW_UNKNOWN };
	return shelf_run(s);
}

/* What the disk counts of failed writes, and nobody here was told: all is written again. */
static void failed_writes_counted(void **state)
{
	const uint64_t once = (uint64_t)BLOCKS * BLOCK;
	const struct dw_disk_result *r;
	struct shelf s;

	r = counted(&s, 5, 0, BLOCKS);
	assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
	assert_int_equal(once, r->bytes_written);
	shelf_free(&s);
	r = counted(&s, 5, 1, BLOCKS);
	assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
	assert_int_equal(2 * once, r->bytes_written);
	assert_int_equal(6, s.job->disk[0]->who.watch.write_errors);
	shelf_free(&s);
	r = counted(&s, 4, 0, BLOCKS); /* fewer than before */
	assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
	assert_int_equal(2 * once, r->bytes_written);
	shelf_free(&s);
	r = counted(&s, 5, 2, BLOCKS); /* when it is too late */
	assert_int_equal(DW_OUTCOME_EXCEPTIONS, r->outcome);
	assert_int_equal(0, r->n_exceptions);
	assert_int_equal(once, r->bytes_written);
	shelf_free(&s);
	/* it does not tell any more */
	r = counted(&s, SIZE_MAX, 0, BLOCKS);
	assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
	assert_int_equal(once, r->bytes_written);
	assert_false(s.job->disk[0]->who.watch.counts);
	shelf_free(&s);
	/* ours: told, and counted */
	r = counted(&s, 6, 0, 77);
	assert_int_equal(DW_OUTCOME_EXCEPTIONS, r->outcome);
	assert_int_equal(1, r->n_exceptions);
	assert_int_equal(once - BLOCK, r->bytes_written);
	shelf_free(&s);
}

/* A write cache that was off when the disk was last asked: all since then is written again. */
static void cache_switched_on(void **state)
{
	const uint64_t once = (uint64_t)BLOCKS * BLOCK;

	for (int8_t known = DW_UNKNOWN; known <= DW_YES; known++) {
		for (uint32_t cached = 0; cached <= 3; cached++) {
			const struct dw_disk_result *r;
			struct shelf s;

			shelf_new(&s, "ff", DW_VERIFY_OFF);
			s.asked = true;
			s.count = SIZE_MAX;
			s.cached = cached;
			s.job->disk[0]->who.watch.wce = known;
			r = shelf_run(&s);
			assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
			assert_int_equal(known == DW_NO && cached == 1 ? 2 * once : once,
					 r->bytes_written);
			shelf_free(&s);
		}
	}
}

/* After a reset only a disk that says that its cache is off still has lost nothing. */
static void cache_after_a_reset(void **state)
{
	const uint64_t once = (uint64_t)BLOCKS * BLOCK;

	for (int8_t known = DW_UNKNOWN; known <= DW_YES; known++) {
		for (uint32_t cached = 0; cached <= 100; cached += 100) {
			const struct dw_disk_result *r;
			struct shelf s;

			shelf_new(&s, "ff", DW_VERIFY_OFF);
			s.job->disk[0]->info.serial[0] = 'S';
			s.asked = true;
			s.count = SIZE_MAX;
			s.cached = cached;
			s.reset_at = 3;
			s.job->disk[0]->who.watch.wce = known;
			r = shelf_run(&s);
			assert_int_equal(DW_OUTCOME_ERASED, r->outcome);
			assert_int_equal(known == DW_NO && cached,
					 r->bytes_written == once);
			shelf_free(&s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
		cmocka_unit_test(many_runs),
		cmocka_unit_test(sampled),
		cmocka_unit_test(unwritable),
		cmocka_unit_test(failed_writes_counted),
		cmocka_unit_test(cache_switched_on),
		cmocka_unit_test(cache_after_a_reset),
		cmocka_unit_test(no_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
