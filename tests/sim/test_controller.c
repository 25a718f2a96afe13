/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The adaptive controller against every fixed pair of length and depth, on random stations in
 * virtual time. The stations have terms that the controller knows nothing of: jitter, overflow,
 * lost revolutions on a busy bus, the bus' time for a command, stalls, aborted commands, disks
 * that become slow.
 *
 *	test_controller SEED [COUNT]	one line each; fails when a bound is broken
 *	test_controller fixed SEED [SIZE]	only the fixed pairs
 *	test_controller adaptive SEED [SIZE]	only the adaptive controller
 *	test_controller pair SEED BYTES DEPTH [SIZE]
 *	test_controller floor SEED COUNT	whether no pair undercuts its floor
 *
 * SIZE is the share of the size that the disks have by the seed; the first form chooses it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "base/util.h"
#include "diskwipe/diskwipe.h"
#include "pair_floor.h"
#include "forecast/simulate.h"
#include "forecast/world.h"
#include "../unit/error_line.h"

#define SECONDS       620.0 /* that no pair can undercut */
#define KINDS         3
#define LENGTHS       9 /* 16 KiB to 4 MiB */
#define LENGTH_MIN    (16 * DW_KIB)
#define DEPTHS        6
#define DEPTHS_TOP    32u
#define PAIRS         (LENGTHS * DEPTHS)
#define DISKS_MAX     64
#define SCREEN        (1 / 60.0) /* of a job, with all pairs */
#define SCREEN_S      15.0
#define FAR_OFF       1.33
#define BEHIND        1.03  /* of a limit, at half time */
#define TOO_LONG_S    900.0 /* for a job: smaller disks will do */
#define LONG_ENOUGH_S 650.0
#define SHORTEST_S    600.0
#define LOST_S        100.0
#define LOST          1.33 /* times too slow after LOST_S */
#define LOOK_STEPS    8192
#define FLOOR_ERROR   1.002  /* jitter in a short job */
#define CLOSE         1.0075 /* to what no pair can undercut: near enough to the best */
#define WORST         1.05   /* of the best fixed pair */
#define WORST_256     1.01   /* of fixed:256 */

/** struct task - a station by its seed; @size: its disks, 1 = SECONDS or more for any pair */
struct task {
	uint64_t seed;
	double size;
};

/** struct bench - a station and what a job on it is like; @scale: which part of one that is;
 *  @steps: between two looks at it, @least: the highest floor that was seen then */
struct bench {
	struct dw_rng rng;
	struct dw_station station;
	struct station_node node[2];
	struct station_disk disk[KINDS];
	struct station_fault fault[KINDS][3];
	uint64_t seed;
	double scale;
	uint32_t steps;
	double least;
};

static uint64_t pick(struct bench *b, uint64_t from, uint64_t to)
{
	return from + dw_rng_below(&b->rng, to - from + 1);
}

/* between the two, each octave equally likely */
static double pick_log(struct bench *b, double from, double to)
{
	return from * pow(to / from, dw_rng_unit(&b->rng));
}

static void draw_nodes(struct bench *b)
{
	b->node[0] = (struct station_node){
		.name = "controller",
		.kind = STATION_CONTROLLER,
		.on = STATION_NONE,
		.command_ns = pick(b, 0, 20000),
		.buffer = (uint64_t)pick_log(b, 256 << 10, 64 << 20),
		.queue = pick(b, 0, 2) ? 0 : (uint64_t)pick_log(b, 32, 1024),
		.overflow_ns = pick(b, 0, 5000000),
	};
	b->node[1] = (struct station_node){
		.name = "bus",
		.kind = STATION_BUS,
		.on = STATION_NONE,
		.on_name = "controller",
		.rate = (uint64_t)pick_log(b, 80e6, 12e9),
		.command_ns = pick(b, 0, 10000),
		.parallel = pick(b, 0, 3) == 0,
		.retry = pick(b, 0, 3) == 0,
	};
	b->station.node = b->node;
	b->station.n_nodes = 2;
}

static void draw_faults(struct bench *b, struct station_disk *d)
{
	struct station_fault *f = b->fault[d - b->disk];

	d->fault = f;
	if (pick(b, 0, 5) == 0)
		f[d->n_faults++] = (struct station_fault){
			.kind = STATION_STALL,
			.at_ns = pick(b, 0, 500) * DW_NS_PER_S,
			.for_ns = pick(b, 100, 8000) * DW_NS_PER_MS,
		};
	if (pick(b, 0, 5) == 0)
		f[d->n_faults++] = (struct station_fault){
			.kind = STATION_ABORT,
			.share = pick_log(b, 1e-6, 1e-4),
		};
	if (pick(b, 0, 7) == 0)
		f[d->n_faults++] = (struct station_fault){
			.kind = STATION_SLOW,
			.at_ns = pick(b, 100, 400) * DW_NS_PER_S,
			.share = 0.5,
		};
}

/* mean rate of a whole pass */
static double mean_rate(const struct station_disk *d)
{
	double o = (double)d->outer, i = (double)d->inner;

	return d->outer == d->inner ? o : (o - i) / log(o / i);
}

static void draw_disk(struct bench *b, uint32_t i, uint64_t count)
{
	static const uint64_t rpm[] = { 5400, 7200, 10000, 15000 };
	struct station_disk *d = &b->disk[i];
	bool rotates = pick(b, 0, 9) < 6;

	station_disk_init(d);
	snprintf(d->name, sizeof(d->name), "kind-%u", i);
	snprintf(d->on_name[0], sizeof(d->on_name[0]), "bus");
	d->n_on = 1;
	d->count = count;
	d->sector = i ? b->disk[0].sector : pick(b, 0, 3) ? 512 : 4096;
	d->physical = 4096;
	d->outer =
		(uint64_t)(rotates ? pick_log(b, 40e6, 280e6) : pick_log(b, 200e6, 1e9));
	d->inner = rotates ? d->outer * 100 / pick(b, 150, 220) : d->outer;
	d->rpm = rotates ? rpm[pick(b, 0, 3)] : 0;
	d->cache = pick(b, 0, 1);
	d->buffer = (uint64_t)pick_log(b, 2 << 20, 64 << 20);
	d->overhead_ns = (uint64_t)pick_log(b, 10000, 200000);
	d->link = (uint64_t)pick_log(b, 300e6, 1200e6);
	d->tagged = pick(b, 0, 4) ? 64 : (uint64_t)pick_log(b, 4, 33);
	d->max_transfer = pick(b, 0, 3) ? 4 << 20 : UINT64_C(1) << pick(b, 19, 21);
	d->jitter = pick(b, 0, 2) ? pick_log(b, 0.005, 0.15) : 0;
	d->capacity = (uint64_t)(mean_rate(d) * SECONDS);
	if (i)
		d->capacity = d->capacity * pick(b, 30, 100) / 100;
	draw_faults(b, d);
}

/* no faster than SECONDS through the bus either; then @size, and @scale of all times */
static void fit(struct bench *b, double size, double scale)
{
	double bytes = 0, most = SECONDS * (double)b->node[1].rate;

	for (uint32_t i = 0; i < b->station.n_disks; i++)
		bytes += (double)b->disk[i].capacity * (double)b->disk[i].count;
	for (uint32_t i = 0; i < b->station.n_disks; i++) {
		struct station_disk *d = &b->disk[i];

		d->capacity = (uint64_t)((double)d->capacity * size * scale *
					 fmin(1, most / bytes));
		d->capacity -= d->capacity % (1 << 20);
		d->capacity += 1 << 20;
		for (uint32_t f = 0; f < d->n_faults; f++) {
			d->fault[f].at_ns = (uint64_t)((double)d->fault[f].at_ns * scale);
			d->fault[f].for_ns =
				(uint64_t)((double)d->fault[f].for_ns * scale);
		}
	}
}

static void draw(struct bench *b, const struct task *t, double scale)
{
	uint64_t n, kinds;
	struct dw_error err = { 0 };

	memset(b, 0, sizeof(*b));
	b->seed = t->seed;
	b->scale = scale;
	b->steps = LOOK_STEPS;
	dw_rng_seed(&b->rng, t->seed);
	draw_nodes(b);
	n = (uint64_t)pick_log(b, 1, 65);
	kinds = pick(b, 0, 9) < 6 || n < 2 ? 1 : n < 3 ? 2 : pick(b, 2, KINDS);
	b->station.disk = b->disk;
	b->station.n_disks = (uint32_t)kinds;
	for (uint32_t i = 0; i < kinds; i++)
		draw_disk(b, i, i ? n / kinds : n - n / kinds * (kinds - 1));
	fit(b, t->size, scale);
	if (station_check(&b->station, &err)) {
		fprintf(stderr, "seed %llu: %s\n", (unsigned long long)t->seed,
			error_line(&err));
		exit(2);
	}
}

/* bytes of each disk that have ended, and what share of all that is */
static double look(struct dw_job *job, const struct bench *b, uint64_t *done)
{
	double all = 0, total = 0;

	for (uint32_t i = 0; i < b->station.n_units; i++) {
		struct dw_progress p;

		dw_job_progress(job, i, &p);
		done[i] = p.bytes_done;
		all += (double)p.bytes_done;
		total += (double)p.bytes_total;
	}
	return all / total;
}

/* so far behind @limit that it will not be made up for: rates fall towards the inner zones, so
 * that what it would take at the rate so far is too little rather than too much */
static bool behind(const struct bench *b, const struct pair *p, double at, double share,
		   double limit)
{
	if (b->scale == SCREEN)
		return at >= SCREEN_S;
	if (!p)
		return at >= LOST_S && at > LOST * limit * share;
	return share >= 0.5 && at > BEHIND * limit * share;
}

/* @p cannot do it below @limit any more; @ret: what it takes at least, or at that rate */
static bool hopeless(struct dw_job *job, struct bench *b, const struct pair *p,
		     double limit, double *ret)
{
	uint64_t done[DISKS_MAX];
	double at = dw_job_seconds(job), share = fmax(look(job, b, done), 1e-6);

	*ret = p ? pair_floor(&b->station, p, at, done) : at;
	b->least = fmax(b->least, *ret);
	if (*ret >= limit && b->scale == 1)
		return true;
	if (*ret < limit && !behind(b, p, at, share, limit))
		return false;
	*ret = fmax(*ret, at / share);
	return true;
}

/* until it ends, or it is clear that it will not be faster than @limit; @p as in job_seconds() */
static int steps(struct dw_job *job, struct bench *b, const struct pair *p, double limit,
		 double *ret)
{
	struct dw_event e;
	int r;

	for (uint32_t n = 1; (r = dw_job_step(job, 0)) == 1; n++) {
		while (dw_job_next_event(job, &e))
			;
		if (dw_job_result(job)->outcome != DW_OUTCOME_NONE)
			break;
		if (n % b->steps == 0 && hopeless(job, b, p, limit, ret))
			return 0;
	}
	/* too deep for a small queue: a disk may be given up */
	*ret = dw_job_result(job)->outcome == DW_OUTCOME_ERASED ? dw_job_seconds(job)
								: INFINITY;
	return r < 0 ? r : 0;
}

static double run(struct bench *b, const struct pair *p, double limit)
{
	struct dw_job_spec spec;
	struct sim_world *world;
	struct dw_job *job;
	struct dw_error err = { 0 };
	double seconds;
	int r;

	dw_job_spec_init(&spec);
	spec.seed = b->seed + 1;
	spec.command = DW_COMMAND_WRITE;
	spec.verify = DW_VERIFY_OFF;
	spec.depth = p ? p->depth : 0;
	spec.fixed_blocks = p ? (uint32_t)(p->bytes / b->disk[0].sector) : 0;
	snprintf(spec.controller, sizeof(spec.controller), p ? "fixed" : "adaptive");
	r = dw_job_new(NULL, &spec, &job, &err);
	if (!r)
		r = sim_job_add(job, &b->station, false, &world);
	if (!r)
		r = dw_job_start(job, &err);
	if (!r)
		r = steps(job, b, p, limit, &seconds);
	if (r) {
		fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)b->seed,
			spec.controller, error_line(&err));
		exit(2);
	}
	dw_job_free(job);
	return seconds;
}

/* of the adaptive controller without @p; something not below @limit if that is not reached */
static double job_seconds(const struct task *t, double scale, const struct pair *p,
			  double limit)
{
	struct bench b;
	double least;

	draw(&b, t, scale);
	least = p ? pair_floor(&b.station, p, 0, NULL) : 0;
	return least >= limit ? least : run(&b, p, limit);
}

static int faster(const void *a, const void *b)
{
	double x = ((const struct pair *)a)->seconds,
	       y = ((const struct pair *)b)->seconds;

	return x < y ? -1 : x > y;
}

static uint32_t longest_of(const struct bench *b)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < b->station.n_disks; i++)
		longest = dw_max_u64(longest, b->disk[i].max_transfer);
	return (uint32_t)longest;
}

/* what no pair of the grid can undercut */
static double grid_floor(const struct task *t)
{
	struct bench b;
	double least = INFINITY;

	draw(&b, t, 1);
	for (uint32_t bytes = longest_of(&b); bytes >= LENGTH_MIN; bytes /= 2)
		for (uint32_t d = 0; d < DEPTHS; d++) {
			struct pair p = { .bytes = bytes, .depth = 1u << d };

			least = fmin(least, pair_floor(&b.station, &p, 0, NULL));
		}
	return least;
}

/*
 * Jobs of a 60th of the length with all pairs that may be below @limit, longest first and no
 * further down than where two in a row are a third slower than the best of that depth. They
 * end after SCREEN_S, or when they are a third slower than the best of all. Returns how many
 * pairs, best first.
 */
static uint32_t screen(const struct task *t, double limit, struct pair *p)
{
	double best = INFINITY;
	uint32_t n = 0;
	struct bench b;

	draw(&b, t, 1);
	for (uint32_t k = 0; k < DEPTHS; k++) {
		double least = INFINITY;
		uint32_t worse = 0;

		for (uint32_t bytes = longest_of(&b); bytes >= LENGTH_MIN && worse < 2;
		     bytes /= 2) {
			p[n] = (struct pair){ .bytes = bytes, .depth = DEPTHS_TOP >> k };
			if (pair_floor(&b.station, &p[n], 0, NULL) >= limit)
				continue;
			p[n].seconds = job_seconds(t, SCREEN, &p[n], FAR_OFF * best);
			worse = p[n].seconds > FAR_OFF * least ? worse + 1 : 0;
			least = fmin(least, p[n].seconds);
			best = fmin(best, p[n++].seconds);
		}
	}
	qsort(p, n, sizeof(p[0]), faster);
	return n;
}

/* jobs with @n pairs, sorted: none goes on when it is behind the @keep best. Returns these. */
static uint32_t stage(const struct task *t, double scale, double limit, struct pair *p,
		      uint32_t n, uint32_t keep)
{
	for (uint32_t i = 0; i < n; i++) {
		double bar = i < keep ? limit : fmin(limit, p[keep - 1].seconds);

		p[i].seconds = job_seconds(t, scale, &p[i], bar);
		qsort(p, i + 1, sizeof(p[0]), faster);
	}
	return n < keep ? n : keep;
}

/* the best fixed pair, if one is below @limit: of the @n best, jobs of a tenth of the length
 * with the best eight, whole ones with the best three */
static struct pair best_pair(const struct task *t, double limit, struct pair *p,
			     uint32_t n)
{
	if (!n)
		return (struct pair){ .seconds = INFINITY };
	n = stage(t, 0.1, INFINITY, p, n < 8 ? n : 8, 3);
	stage(t, 1, limit, p, n, 1);
	return p[0];
}

/* disks of a size that a good pair needs eleven minutes for, not hours */
static double size_for(const struct task *t)
{
	struct pair p[PAIRS];
	double seconds;

	screen(t, INFINITY, p);
	seconds = p[0].seconds / SCREEN;
	return seconds > TOO_LONG_S ? LONG_ENOUGH_S / seconds : 1;
}

static void print_station(const struct task *t)
{
	struct bench b;
	uint64_t n = 0;

	draw(&b, t, 1);
	for (uint32_t i = 0; i < b.station.n_disks; i++)
		n += b.disk[i].count;
	printf("seed %llu disks %llu buffer %lluK bus %lluM%s",
	       (unsigned long long)t->seed, (unsigned long long)n,
	       (unsigned long long)b.node[0].buffer >> 10,
	       (unsigned long long)b.node[1].rate / 1000000,
	       b.node[1].retry ? " retry" : "");
	for (uint32_t i = 0; i < b.station.n_disks; i++)
		printf(" [%llu %s %lluM cache-%s%s]", (unsigned long long)b.disk[i].count,
		       b.disk[i].rpm ? "HDD" : "SSD",
		       (unsigned long long)b.disk[i].outer / 1000000,
		       b.disk[i].cache ? "on" : "off",
		       b.disk[i].n_faults ? " faults" : "");
	printf(" size %.3f floor %.1f s", t->size, grid_floor(t));
}

static struct pair plain_of(const struct task *t)
{
	struct bench b;

	draw(&b, t, 1);
	return (struct pair){ .bytes = (uint32_t)(256 * b.disk[0].sector), .depth = 1 };
}

/* @best and @plain: below @adaptive they are known, else bounds */
static void print_result(const struct pair *best, const struct pair *plain,
			 double adaptive)
{
	bool known = best->seconds < adaptive && best->bytes;

	if (known)
		printf(" best %uK x %u %.1f s", best->bytes >> 10, best->depth,
		       best->seconds);
	else
		printf(" best >=%.1f s", best->seconds);
	printf(" fixed:256 %s%.1f s adaptive %.1f s",
	       plain->bytes ? "" : ">=", plain->seconds, adaptive);
	printf(" excess %s%.2f %%",
	       known ? "" : "<=", 100 * (adaptive / best->seconds - 1));
	printf(" against-256 %s%.2f %%",
	       plain->bytes ? "" : "<=", 100 * (adaptive / plain->seconds - 1));
	printf(" cpu %.1f s\n", (double)clock() / CLOCKS_PER_SEC);
	fflush(stdout);
}

/* where no pair can be faster than that by more than CLOSE, there is no need to ask which is;
 * @plain: of which only a bound is known has no length */
static double measure(const struct task *t, double adaptive, struct pair *best,
		      struct pair *plain)
{
	struct pair p[PAIRS];

	if (adaptive >= TOO_LONG_S)
		adaptive = job_seconds(t, 1, NULL, INFINITY);
	*best = (struct pair){ .seconds = grid_floor(t) };
	*plain = plain_of(t);
	if (adaptive <= CLOSE * best->seconds) {
		plain->seconds = job_seconds(t, 1, plain, 0);
		plain->bytes = 0;
		return adaptive;
	}
	plain->seconds = job_seconds(t, 1, plain, adaptive);
	*best = best_pair(t, adaptive, p, screen(t, adaptive, p));
	if (plain->seconds < best->seconds)
		*best = *plain;
	if (best->seconds >= adaptive)
		*best = (struct pair){ .seconds = adaptive };
	if (plain->seconds >= adaptive)
		plain->bytes = 0;
	return adaptive;
}

static bool compare(uint64_t seed)
{
	struct task t = { .seed = seed, .size = 1 };
	double adaptive = job_seconds(&t, 1, NULL, TOO_LONG_S);
	struct pair plain, best;

	if (adaptive >= TOO_LONG_S)
		t.size = size_for(&t);
	adaptive = measure(&t, adaptive, &best, &plain);
	while (best.seconds < SHORTEST_S) {
		t.size *= LONG_ENOUGH_S / best.seconds;
		adaptive = measure(&t, INFINITY, &best, &plain);
	}
	print_station(&t);
	print_result(&best, &plain, adaptive);
	return adaptive <= WORST * best.seconds && adaptive <= WORST_256 * plain.seconds;
}

/* the floor of some pairs, before they begin and on their way, against what they take */
static bool floors_hold(uint64_t seed)
{
	struct task t = { .seed = seed, .size = 1 };
	struct dw_rng rng;
	struct bench b;
	bool good = true;

	dw_rng_seed(&rng, seed);
	for (int i = 0; i < 6; i++) {
		struct pair p = { .bytes = (uint32_t)(64 * DW_KIB
						      << dw_rng_below(&rng, 7)),
				  .depth = 1u << dw_rng_below(&rng, DEPTHS) };

		draw(&b, &t, 1 / 50.0);
		b.steps = 256;
		b.least = pair_floor(&b.station, &p, 0, NULL);
		p.seconds = run(&b, &p, INFINITY);
		if (b.least <= FLOOR_ERROR * p.seconds)
			continue;
		printf("seed %llu: %u x %u takes %.3f s, which is below its floor, %.3f s\n",
		       (unsigned long long)seed, p.bytes, p.depth, p.seconds, b.least);
		good = false;
	}
	return good;
}

static int usage(void)
{
	fputs("usage: test_controller SEED [COUNT] | adaptive SEED [SIZE] | fixed SEED [SIZE]"
	      " | pair SEED BYTES DEPTH [SIZE] | floor SEED COUNT\n",
	      stderr);
	return 64;
}

/* one job, or the search for the best pair, whatever adaptive does */
static int single(int argc, char **argv)
{
	struct task t = { .seed = strtoull(argv[2], NULL, 10), .size = 1 };
	struct pair p[PAIRS] = { { .bytes = 0 } };

	if (argc == 4 || argc == 6)
		t.size = strtod(argv[argc - 1], NULL);
	if (!strcmp(argv[1], "adaptive")) {
		p->seconds = job_seconds(&t, 1, NULL, INFINITY);
	} else if (!strcmp(argv[1], "fixed")) {
		*p = best_pair(&t, INFINITY, p, screen(&t, INFINITY, p));
	} else if (!strcmp(argv[1], "pair") && argc > 4) {
		p->bytes = (uint32_t)atoi(argv[3]);
		p->depth = (uint32_t)atoi(argv[4]);
		p->seconds = job_seconds(&t, 1, p, INFINITY);
	} else {
		return usage();
	}
	print_station(&t);
	printf(" %s %uK x %u %.2f s cpu %.1f s\n", argv[1], p->bytes >> 10, p->depth,
	       p->seconds, (double)clock() / CLOCKS_PER_SEC);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed, count;
	bool good = true;

	if (argc == 4 && !strcmp(argv[1], "floor")) {
		for (int i = 0; i < atoi(argv[3]); i++)
			good = floors_hold(strtoull(argv[2], NULL, 10) + (uint64_t)i) &&
			       good;
		return good ? 0 : 1;
	}
	if (argc > 2 && argv[1][0] > '9')
		return single(argc, argv);
	if (argc < 2 || argc > 3)
		return usage();
	seed = strtoull(argv[1], NULL, 10);
	count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t s = seed; s < seed + count; s++)
		good = compare(s) && good;
	return good ? 0 : 1;
}
