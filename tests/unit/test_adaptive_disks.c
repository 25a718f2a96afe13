/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the adaptive controller does for single disks, and when a rate does not come back: on a
 * bus that goes from disk to disk by the commands that wait, one at a time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/util.h"
#include "sched/controller.h"

#define DISKS 4
#define BLOCK 512
#define RATE  400e6 /* of the bus */
#define COST  20e-6 /* of a command */

/**
 * struct bus - the plant
 * @own: what a disk can take, bytes/s, 0 = all; @busy: until when it has to do with what it has
 * @deaf: this disk gets no turn while the others have more than a page each on the bus
 * @rhythm: bytes in flight at a disk beyond which the rate is halved, and stays so until a
 *	transfer of at least @mends bytes; 0 = never
 */
struct bus {
	struct dw_rng rng;
	struct dw_view_disk disk[DISKS];
	struct dw_pick pick[DISKS];
	struct dw_view view;
	struct dw_controller_state state;
	double own[DISKS];
	double busy[DISKS];
	int deaf;
	uint64_t rhythm;
	uint64_t mends;
	bool broken;
	double now;
	double bytes;
};

static void begin(struct bus *b, uint64_t seed, uint64_t blocks)
{
	*b = (struct bus){ .deaf = -1 };
	dw_rng_seed(&b->rng, seed);
	for (int i = 0; i < DISKS; i++)
		b->disk[i] = (struct dw_view_disk){ .left = blocks,
						    .transfers = 1,
						    .block_size = BLOCK,
						    .optimal = 512,
						    .max = 8192,
						    .most = 32 };
	b->view = (struct dw_view){
		.n = DISKS, .disk = b->disk, .unfinished = DISKS, .active = DISKS
	};
	assert_int_equal(0, dw_controller_adaptive.init(&b->state));
	for (uint32_t i = 0; i < DISKS; i++)
		assert_int_equal(0,
				 dw_controller_adaptive.disk_in(&b->state, &b->view, i));
}

static bool has_turn(struct bus *b, int i)
{
	const struct dw_pick *p = &b->pick[i];
	double room = b->own[i] > 0 ? (p->depth - 1.0) * p->nlb * BLOCK / b->own[i] : 0;
	bool crowd = b->pick[(i + 1) % DISKS].nlb > 8;

	return !b->disk[i].out && b->busy[i] <= b->now + room && !(i == b->deaf && crowd);
}

/* the disk that has the bus next: each has as many chances as commands; -1 = none is ready */
static int next_disk(struct bus *b)
{
	uint64_t sum = 0, at;

	b->view.inflight = 0;
	for (int i = 0; i < DISKS; i++) {
		dw_controller_adaptive.pick(&b->state, &b->view, (uint32_t)i,
					    &b->pick[i]);
		b->view.inflight += b->pick[i].depth;
	}
	for (int i = 0; i < DISKS; i++)
		sum += has_turn(b, i) ? b->pick[i].depth : 0;
	if (!sum)
		return -1;
	at = dw_rng_below(&b->rng, sum);
	for (int i = 0; i < DISKS; i++) {
		uint64_t chances = has_turn(b, i) ? b->pick[i].depth : 0;

		if (at < chances)
			return i;
		at -= chances;
	}
	return -1;
}

static void command(struct bus *b)
{
	int i = next_disk(b);
	struct dw_view_disk *d = &b->disk[i < 0 ? 0 : i];
	uint64_t nlb, bytes;

	if (i < 0) {
		b->now += COST;
		return;
	}
	nlb = dw_min_u64(b->pick[i].nlb, d->left);
	bytes = nlb * BLOCK;
	if (b->rhythm)
		b->broken = b->broken ? bytes < b->mends
				      : bytes * b->pick[i].depth > b->rhythm;
	b->now += ((double)bytes / RATE + COST) * (b->broken ? 2 : 1) *
		  (1 + 0.02 * dw_rng_unit(&b->rng));
	if (b->own[i] > 0)
		b->busy[i] = fmax(b->busy[i], b->now) + (double)bytes / b->own[i];
	b->bytes += (double)bytes;
	d->left -= nlb;
	d->out = !d->left;
	d->transfers = !d->out;
	b->view.unfinished -= d->out;
	assert_int_equal(0, dw_controller_adaptive.observe(
				    &b->state, &b->view,
				    &(struct dw_observation){
					    .disk = (uint32_t)i,
					    .verb = DW_VERB_WRITE,
					    .class = DW_CLASS_OK,
					    .blocks = nlb,
					    .service_ns = 1,
					    .end_ns = 1 + (uint64_t)(b->now * 1e9),
				    }));
}

/* one disk has four times as much to do, and alone cannot take the bus: with equal turns it
 * has most of it left when the others end; deeper than they are it is done with them */
static void the_last_go_deeper(void **state)
{
	const double gb = 50e9, all = 7 * gb / RATE;
	double sum = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint32_t deeper = 0;
		struct bus b;

		begin(&b, seed, (uint64_t)(gb / BLOCK));
		b.disk[0].left *= 4;
		b.own[0] = RATE * 0.6;
		while (b.view.unfinished) {
			command(&b);
			deeper += b.pick[0].depth > b.pick[1].depth;
		}
		assert_true(deeper > 0);
		sum += b.now;
		dw_controller_adaptive.free(&b.state);
	}
	/* gb at a quarter of the bus, and three more at its own rate: 1.29 of all */
	if (sum / 10 > 1.18 * all)
		fail_msg("%.0f s, the bus alone takes %.0f", sum / 10, all);
}

/* what a trial has broken is mended, though no neighbour of the base does it */
static void comes_back(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct bus b;

		begin(&b, seed, UINT64_C(1) << 40);
		b.rhythm = 600 << 10;
		b.mends = 512 << 10;
		while (b.now < 600)
			command(&b);
		if (b.bytes / 600 < 0.9 * RATE)
			fail_msg("seed %llu: %.0f MB/s", (unsigned long long)seed,
				 b.bytes / 600e6);
		dw_controller_adaptive.free(&b.state);
	}
}

/* a disk that gets no turn is let in every few seconds, long before its commands time out, and
 * the others lose little by it; one that does not answer whatever is done costs less and less */
static void lets_in(void **state)
{
	for (int dead = 0; dead < 2; dead++) {
		double last = 0, longest = 0;
		uint64_t had = 0;
		struct bus b;

		begin(&b, 1, UINT64_C(1) << 40);
		while (b.now < 300) {
			uint64_t left = b.disk[2].left;

			command(&b);
			if (b.now > 10 && b.deaf < 0) {
				b.deaf = 2;
				last = b.now;
			}
			if (b.deaf == 2 && dead)
				b.busy[2] = INFINITY;
			if (left != b.disk[2].left) {
				longest = fmax(longest, b.now - last);
				last = b.now;
				had += b.now > 11;
			}
		}
		assert_true(dead ? had == 0 : had > 50 && longest < 8);
		assert_true(b.bytes / 300 > (dead ? 0.97 : 0.85) * RATE * 0.97);
		dw_controller_adaptive.free(&b.state);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(the_last_go_deeper),
		cmocka_unit_test(comes_back),
		cmocka_unit_test(lets_in),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
