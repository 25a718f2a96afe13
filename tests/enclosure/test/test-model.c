/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timing model in virtual time, against figures worked out by hand. */
#include "../model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIB 1024u
#define MB  1000000u
#define REV 8333333u

/* one disk or several, each sending sequential writes at a depth, for some time */
struct load {
	struct dw_model_conf conf;
	struct dw_model_disk disk[16];
	struct dw_model_op op[16][4];
	uint64_t pos[16], bytes, next_gap;
	unsigned int n, depth;
	size_t len;
	enum dw_model_kind kind;
};

static void issue(struct load *l, struct dw_model *m, unsigned int i, unsigned int k,
		  uint64_t now)
{
	struct dw_model_op *op = &l->op[i][k];

	*op = (struct dw_model_op){ .disk = i,
				    .kind = l->kind,
				    .offset_bytes = l->pos[i],
				    .bus_bytes = l->len,
				    .media_bytes = l->len };
	op->cookie = op;
	l->pos[i] += l->len;
	assert_int_equal(dw_model_submit(m, op, now), 0);
}

/* bytes per second over @seconds of virtual time */
static double rate(struct load *l, double seconds)
{
	struct dw_model_op *op;
	struct dw_model m;
	uint64_t now = 0, end = (uint64_t)(seconds * 1e9);
	unsigned int i, k;

	dw_model_init(&m, &l->conf, l->disk, l->n);
	l->bytes = 0;
	memset(l->pos, 0, sizeof(l->pos));
	for (i = 0; i < l->n; i++)
		for (k = 0; k < l->depth; k++)
			issue(l, &m, i, k, 0);
	while (now < end) {
		now = dw_model_next(&m);
		assert_true(now != UINT64_MAX);
		while ((op = dw_model_pop(&m, now))) {
			assert_true(op->due_ns <= now);
			l->bytes += op->bus_bytes;
			i = op->disk;
			k = (unsigned int)(op - l->op[i]);
			issue(l, &m, i, k, now + l->next_gap);
		}
	}
	dw_model_deinit(&m);
	return (double)l->bytes / (double)now * 1e9;
}

static void disks(struct load *l, unsigned int n, bool cache_on)
{
	unsigned int i;

	l->n = n;
	for (i = 0; i < n; i++)
		l->disk[i] = (struct dw_model_disk){ .outer_bps = 60 * MB,
						     .capacity_bytes = 1ull << 40,
						     .rev_ns = REV,
						     .cache_bytes = cache_on ? MB : 0,
						     .cache_on = cache_on };
}

static void assert_near(double want, double got, double within)
{
	if (got < want * (1 - within) || got > want * (1 + within))
		fail_msg("%.0f is not about %.0f", got, want);
}

static void cache_on_runs_at_media_rate(void **state)
{
	struct load l = { .conf = { .bus_bps = 300 * MB },
			  .depth = 1,
			  .len = 64 * KIB,
			  .kind = DW_MODEL_WRITE };

	(void)state;
	disks(&l, 1, true);
	assert_near(60e6, rate(&l, 20), 0.01);
	l.len = 1024 * KIB;
	disks(&l, 1, true);
	assert_near(60e6, rate(&l, 20), 0.01);
}

static void cache_off_loses_a_revolution(void **state)
{
	struct load l = {
		.depth = 1, .len = 64 * KIB, .kind = DW_MODEL_WRITE, .next_gap = 100000
	};

	(void)state;
	disks(&l, 1, false);
	assert_near(64 * KIB / (REV / 1e9 + 64 * KIB / 60e6), rate(&l, 5), 0.01);
	l.len = 1024 * KIB;
	disks(&l, 1, false);
	assert_near(1024 * KIB / (REV / 1e9 + 1024 * KIB / 60e6), rate(&l, 5), 0.01);
}

static void depth_saves_the_revolution(void **state)
{
	struct load l = {
		.depth = 4, .len = 512 * KIB, .kind = DW_MODEL_WRITE, .next_gap = 100000
	};

	(void)state;
	disks(&l, 1, false);
	assert_near(60e6, rate(&l, 10), 0.01);
}

static void bus_is_shared(void **state)
{
	struct load l = { .conf = { .bus_bps = 300 * MB },
			  .depth = 1,
			  .len = 512 * KIB,
			  .kind = DW_MODEL_WRITE };

	(void)state;
	disks(&l, 14, true);
	assert_near(300e6, rate(&l, 5), 0.01);
	l.kind = DW_MODEL_READ;
	disks(&l, 14, true);
	assert_near(300e6, rate(&l, 5), 0.02);
}

/* 14 disks on 2 MiB: the best length is the largest that all have room for */
static void buffer_has_an_optimum(void **state)
{
	static const unsigned int kib[] = { 32, 64, 128, 512, 1024 };
	struct load l = { .conf = { .bus_bps = 300 * MB, .buffer_bytes = 2048 * KIB },
			  .depth = 1,
			  .kind = DW_MODEL_WRITE };
	double got[5];
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		l.len = kib[i] * KIB;
		disks(&l, 14, false);
		got[i] = rate(&l, 5);
	}
	assert_true(got[0] < got[1] && got[1] < got[2]);
	assert_true(got[2] > got[3] && got[3] > got[4]);
}

static void oversized_pays_per_load(void **state)
{
	struct load l = { .conf = { .buffer_bytes = 256 * KIB, .overflow_ns = 5000000 },
			  .depth = 1,
			  .len = 1024 * KIB,
			  .kind = DW_MODEL_WRITE };

	(void)state;
	disks(&l, 1, true);
	assert_near(1024 * KIB / (1024 * KIB / 60e6 + 3 * 0.005), rate(&l, 10), 0.01);
}

static void inner_tracks_are_slower(void **state)
{
	struct load l = { .depth = 1, .kind = DW_MODEL_WRITE };

	(void)state;
	/* the whole disk takes ln 2 / 100 MB/s = 6.93 s, however long its commands are */
	for (l.len = 1000000; l.len <= 100000000; l.len *= 100) {
		disks(&l, 1, true);
		l.disk[0].outer_bps = 200 * MB;
		l.disk[0].inner_bps = 100 * MB;
		l.disk[0].capacity_bytes = 1000 * MB;
		assert_near(1000e6 / 6.93, rate(&l, 6.68), 0.02);
	}
}

static void slow_factor(void **state)
{
	struct load l = { .depth = 1, .len = 512 * KIB, .kind = DW_MODEL_WRITE };

	(void)state;
	disks(&l, 1, true);
	l.disk[0].slow_permille = 4000;
	assert_near(15e6, rate(&l, 20), 0.02);
}

static void hold_and_cancel(void **state)
{
	struct dw_model_conf conf = { .buffer_bytes = 1024 };
	struct dw_model_disk disk = { 0 };
	struct dw_model_op a = { .kind = DW_MODEL_WRITE,
				 .bus_bytes = 1024,
				 .hold_ns = 1000 };
	struct dw_model_op b = a, c = a;
	struct dw_model m;

	(void)state;
	disk.overhead_ns = 10;
	dw_model_init(&m, &conf, &disk, 1);
	assert_int_equal(dw_model_submit(&m, &a, 0), 0);
	assert_int_equal(dw_model_submit(&m, &b, 0), 0);
	assert_int_equal(dw_model_submit(&m, &c, 0), 0);
	assert_null(dw_model_pop(&m, 5));
	dw_model_cancel(&m, &b, 5);         /* waits for buffer */
	assert_null(dw_model_pop(&m, 500)); /* a is held, but not its buffer */
	dw_model_cancel(&m, &a, 500);
	assert_ptr_equal(dw_model_pop(&m, 5000), &c);
	assert_int_equal(c.due_ns, 10 + 10 + 1000);
	assert_int_equal(dw_model_next(&m), UINT64_MAX);
	assert_int_equal(m.buffer_used, 0);
	dw_model_deinit(&m);
}

static void flush_waits_for_the_medium(void **state)
{
	struct dw_model_disk disk = { .outer_bps = 1000,
				      .cache_bytes = 4000,
				      .cache_on = true };
	struct dw_model_op w = { .kind = DW_MODEL_WRITE,
				 .bus_bytes = 2000,
				 .media_bytes = 2000 };
	struct dw_model_op f = { .kind = DW_MODEL_FLUSH };
	struct dw_model_conf conf = { 0 };
	struct dw_model m;

	(void)state;
	dw_model_init(&m, &conf, &disk, 1);
	assert_int_equal(dw_model_submit(&m, &w, 0), 0);
	assert_ptr_equal(dw_model_pop(&m, 0), &w);
	assert_int_equal(dw_model_submit(&m, &f, 0), 0);
	assert_null(dw_model_pop(&m, 1999999999u));
	assert_ptr_equal(dw_model_pop(&m, 2000000000u), &f);
	dw_model_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_on_runs_at_media_rate),
		cmocka_unit_test(cache_off_loses_a_revolution),
		cmocka_unit_test(depth_saves_the_revolution),
		cmocka_unit_test(bus_is_shared),
		cmocka_unit_test(buffer_has_an_optimum),
		cmocka_unit_test(oversized_pays_per_load),
		cmocka_unit_test(inner_tracks_are_slower),
		cmocka_unit_test(slow_factor),
		cmocka_unit_test(hold_and_cancel),
		cmocka_unit_test(flush_waits_for_the_medium),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
