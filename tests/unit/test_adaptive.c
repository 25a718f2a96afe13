/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adaptive controller on made-up plants: the rate of all disks is a function of what it
 * picks, with noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "sched/controller.h"

#define DISKS 4

/** struct plant - disks whose rate follows from the setting; @buffer: what is in flight beyond
 *  it halves the rate, @each: seconds of a
 *  command beside its data, @lost: more of them at depth one; @quick: how much faster transfers
 *  of less than 64 KiB are, 0 = not at all; @host_ns: CPU time of the host for a command */
struct plant {
	struct dw_rng rng;
	struct dw_view_disk disk[DISKS];
	struct dw_view view;
	struct dw_controller_state state;
	double buffer;
	double each;
	double lost;
	double quick;
	uint64_t host_ns;
	double noise;
	uint64_t now;
	struct dw_pick pick;
	uint32_t next;
	uint64_t changes;
	double bytes;
};

static void begin(struct plant *p, uint64_t seed, double buffer, double lost)
{
	*p = (struct plant){
		.buffer = buffer, .each = 20e-6, .lost = lost, .noise = 0.05, .now = 1
	};
	dw_rng_seed(&p->rng, seed);
	for (int i = 0; i < DISKS; i++)
		p->disk[i] = (struct dw_view_disk){ .left = UINT64_C(1) << 40,
						    .block_size = 512,
						    .optimal = 2048,
						    .max = 8192,
						    .most = 32 };
	p->view = (struct dw_view){
		.n = DISKS, .disk = p->disk, .unfinished = DISKS, .active = DISKS
	};
	assert_int_equal(0, dw_controller_adaptive.init(&p->state));
	for (uint32_t i = 0; i < DISKS; i++)
		assert_int_equal(0,
				 dw_controller_adaptive.disk_in(&p->state, &p->view, i));
}

static double seconds_of(const struct plant *p, const struct dw_pick *k)
{
	double bytes = k->nlb * 512.0, rate = 400e6;
	double t = bytes / rate + p->each + (k->depth > 1 ? 0 : p->lost / DISKS);

	if (p->quick && bytes < (64 << 10))
		t = bytes / rate / p->quick;
	return bytes * k->depth * DISKS > p->buffer ? 2 * t : t;
}

/* one command of the next disk; with @class */
static void command(struct plant *p, uint8_t class)
{
	struct dw_pick pick;

	dw_controller_adaptive.pick(&p->state, &p->view, p->next, &pick);
	p->changes += pick.nlb != p->pick.nlb || pick.depth != p->pick.depth;
	p->pick = pick;
	p->view.inflight = pick.depth * DISKS;
	p->now += (uint64_t)(1e9 * seconds_of(p, &pick) *
			     (1 + p->noise * (2 * dw_rng_unit(&p->rng) - 1)));
	p->bytes += pick.nlb * 512.0;
	assert_int_equal(0, dw_controller_adaptive.observe(&p->state, &p->view,
							   &(struct dw_observation){
								   .disk = p->next,
								   .verb = DW_VERB_WRITE,
								   .class = class,
								   .blocks = pick.nlb,
								   .service_ns = 1,
								   .end_ns = p->now,
								   .host_ns = p->host_ns,
							   }));
	p->next = (p->next + 1) % DISKS;
}

static void run(struct plant *p, double seconds)
{
	uint64_t end = p->now + (uint64_t)(seconds * 1e9);

	while (p->now < end)
		command(p, DW_CLASS_OK);
}

static double best_rate(const struct plant *p)
{
	double best = 0;

	for (uint32_t nlb = 32; nlb <= 8192; nlb *= 2)
		for (uint32_t depth = 1; depth <= 32; depth *= 2) {
			struct dw_pick k = { nlb, depth };

			best = fmax(best, nlb * 512.0 / seconds_of(p, &k));
		}
	return best;
}

/* wherever the buffer ends and whatever depth one costs: near the best, and mostly at rest */
static void finds_the_best(void **state)
{
	static const double buffers[] = { 512 << 10, 1 << 20, 5 << 20, 1 << 30 };
	uint64_t changes = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct plant p;
		double best, before;

		begin(&p, seed, buffers[seed % 4], seed % 3 ? 0.008 : 0);
		best = best_rate(&p);
		run(&p, 120);
		before = p.bytes;
		p.changes = 0;
		run(&p, 480);
		if ((p.bytes - before) / 480 < 0.98 * best)
			fail_msg("seed %llu: %.1f of %.1f MB/s", (unsigned long long)seed,
				 (p.bytes - before) / 480e6, best / 1e6);
		assert_true(p.bytes / 600 > 0.97 * best);
		/* a trial in five seconds, there and back; one after the other for as long as
		 * settings that are as good as equal take turns */
		assert_true(p.changes <= 8 * 36);
		changes += p.changes;
		dw_controller_adaptive.free(&p.state);
	}
	assert_true(changes <= UINT64_C(40) * 8 * 12);
}

/* a simulation that leaps wherever it may, and the seconds lost in trials on the way */
static void run_leaping(struct plant *p, double seconds, double *ret_lost)
{
	const struct dw_controller *c = &dw_controller_adaptive;
	uint64_t end = p->now + (uint64_t)(seconds * 1e9), from, still, lost;
	struct dw_pick after;

	for (*ret_lost = 0; p->now < end;) {
		double rate = p->bytes;
		uint64_t changes = p->changes;

		from = p->now;
		for (int i = 0; i < 64; i++)
			command(p, DW_CLASS_OK);
		if (p->changes != changes)
			continue; /* not one rate */
		rate = (p->bytes - rate) / (double)(p->now - from) * 1e9;
		still = dw_min_u64(c->still(&p->state), 600 * DW_NS_PER_S);
		if (still < DW_NS_PER_S)
			continue;
		lost = c->leapt(&p->state, &p->view, still, rate);
		p->now += still;
		p->bytes += rate * (double)(still - lost) / 1e9;
		*ret_lost += (double)lost / 1e9;
		c->pick(&p->state, &p->view, p->next, &after);
		assert_true(after.nlb == p->pick.nlb && after.depth == p->pick.depth);
	}
}

/* leaps come to the same end as going through all: what trials cost is charged, and a plant
 * that changes is noticed */
static void leaps(void **state)
{
	static const double buffers[] = { 512 << 10, 1 << 20, 5 << 20, 1 << 30 };

	for (uint64_t seed = 1; seed <= 12; seed++) {
		double best, lost, other, before;
		struct plant p, q;

		begin(&p, seed, buffers[seed % 4], seed % 3 ? 0.008 : 0);
		begin(&q, seed, buffers[seed % 4], seed % 3 ? 0.008 : 0);
		run(&p, 3600);
		run_leaping(&q, 3600, &lost);
		assert_true(lost < 2 + 0.006 * 3600);
		if (fabs(q.bytes / (double)q.now / p.bytes * (double)p.now - 1) > 0.01)
			fail_msg("seed %llu: %.1f of %.1f MB/s", (unsigned long long)seed,
				 1e3 * q.bytes / (double)q.now,
				 1e3 * p.bytes / (double)p.now);
		q.buffer = buffers[0]; /* what is in flight does not fit any more */
		best = best_rate(&q);
		run_leaping(&q, 1200, &other);
		before = q.bytes;
		run_leaping(&q, 3600, &other);
		/* from 1 MiB on there is no valley to cross */
		assert_true(seed % 4 != 1 || (q.bytes - before) / 3600 > 0.97 * best);
		dw_controller_adaptive.free(&p.state);
		dw_controller_adaptive.free(&q.state);
	}
}

/* a full queue ends a deeper trial with the next pick */
static void full_queue(void **state)
{
	struct dw_pick base;
	struct plant p;

	begin(&p, 1, 1 << 30, 0);
	command(&p, DW_CLASS_OK);
	base = p.pick;
	for (int i = 0; i < 10000000 && p.pick.depth <= base.depth; i++) {
		if (p.pick.depth < base.depth || p.pick.depth == base.depth)
			base = p.pick;
		command(&p, DW_CLASS_OK);
	}
	assert_true(p.pick.depth > base.depth);
	command(&p, DW_CLASS_QUEUE_FULL);
	command(&p, DW_CLASS_OK);
	assert_int_equal(p.pick.depth, base.depth);
	dw_controller_adaptive.free(&p.state);
}

/* a disk that has timed out may have lost against deeper queues: all go on from depth one */
static void leaves_gaps(void **state)
{
	struct plant p;

	begin(&p, 1, 1 << 30, 0.004);
	run(&p, 60);
	assert_true(p.pick.depth > 1);
	command(&p, DW_CLASS_TIMEOUT);
	command(&p, DW_CLASS_OK);
	assert_int_equal(p.pick.depth, 1);
	dw_controller_adaptive.free(&p.state);
}

/* commands that are as fast as others are long, and short ones must be much faster */
static void spares_the_host(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		double sum = 0, longest = 0;
		struct plant p;

		/* what is in flight makes no difference, a short transfer is faster by 2 % */
		begin(&p, seed, 1 << 30, 0);
		p.quick = 1.02;
		p.host_ns = 10000;
		run(&p, 60);
		for (p.bytes = 0; sum < 100000; sum++) {
			command(&p, DW_CLASS_OK);
			longest += p.pick.nlb * 512.0 >= (64 << 10);
		}
		assert_true(longest > 0.8 * sum);
		dw_controller_adaptive.free(&p.state);
	}
}

/* commands that take the same time whatever they carry: after seconds they are long */
static void grows_at_once(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct plant p;

		begin(&p, seed, 1 << 30, 0);
		p.each = 0.02;
		run(&p, 12);
		assert_true(p.bytes / 12 > 0.3 * best_rate(&p));
		dw_controller_adaptive.free(&p.state);
	}
}

/* a buffer that is known: all that is in flight fits it */
static void begins_with_the_buffer(void **state)
{
	struct plant p;

	begin(&p, 1, 1 << 30, 0);
	p.state.buffer_bytes = 1 << 20;
	command(&p, DW_CLASS_OK);
	assert_int_equal(p.pick.depth, 2);
	assert_int_equal(p.pick.nlb, (1 << 20) / 512 / DISKS / 2);
	dw_controller_adaptive.free(&p.state);
}

/* one command at once where no more is allowed; equal runs are equal */
static void stays_in_bounds(void **state)
{
	double bytes[2];

	for (int k = 0; k < 2; k++) {
		struct plant p;

		begin(&p, 7, 2 << 20, 0.004);
		for (int i = 0; i < DISKS; i++)
			p.disk[i].most = 1;
		for (int i = 0; i < 100000; i++) {
			command(&p, DW_CLASS_OK);
			assert_int_equal(p.pick.depth, 1);
		}
		bytes[k] = p.bytes;
		dw_controller_adaptive.free(&p.state);
	}
	assert_true(bytes[0] == bytes[1]);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(finds_the_best),
		cmocka_unit_test(leaps),
		cmocka_unit_test(full_queue),
		cmocka_unit_test(leaves_gaps),
		cmocka_unit_test(spares_the_host),
		cmocka_unit_test(grows_at_once),
		cmocka_unit_test(begins_with_the_buffer),
		cmocka_unit_test(stays_in_bounds),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
