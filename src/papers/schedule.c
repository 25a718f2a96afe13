/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs on k equal slots: in list order, longest first (LPT), and as well as it can be done,
 * beside the bound max(longest job, sum/k).
 *
 * Up to 16 jobs the best is the optimum: its makespan is the sum of a subset of the jobs, so
 * the sums between the bound and the best schedule at hand are tried by bisection, each by
 * filling slots one after the other over all subsets of jobs (2^n states). More jobs are
 * improved from LPT by moving and swapping jobs of the longest slot, and from shuffles of
 * that, by a seeded generator.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/rng.h"
#include "base/util.h"
#include "papers/model.h"

#define EXACT    16
#define ROUNDING 1e-12
#define EFFORT   4000000.0 /* steps of the search */

struct jobs {
	const double *time;
	size_t n;
	size_t k;
	double bound;
};

static double longest_of(const double *v, size_t n)
{
	double max = 0;

	for (size_t i = 0; i < n; i++)
		max = v[i] > max ? v[i] : max;
	return max;
}

/* Give the jobs in order to the slot that is free first; slot of each job, its start, the
 * makespan. @load has room for k. */
static double dispatch(const struct jobs *jobs, const size_t *order, size_t *slot,
		       double *start, double *load)
{
	memset(load, 0, jobs->k * sizeof(*load));
	for (size_t i = 0; i < jobs->n; i++) {
		size_t j = order ? order[i] : i, s = 0;

		for (size_t c = 1; c < jobs->k; c++)
			if (load[c] < load[s])
				s = c;
		slot[j] = s;
		if (start)
			start[j] = load[s];
		load[s] += jobs->time[j];
	}
	return longest_of(load, jobs->k);
}

struct keyed {
	double key;
	double second;
	size_t job;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

/* The jobs, longest first. */
static void longest_first(const struct jobs *jobs, struct keyed *work, size_t *order)
{
	for (size_t i = 0; i < jobs->n; i++)
		work[i] = (struct keyed){ .key = -jobs->time[i], .job = i };
	qsort(work, jobs->n, sizeof(*work), by_key);
	for (size_t i = 0; i < jobs->n; i++)
		order[i] = work[i].job;
}

/* For each subset of jobs, the fewest full slots and the least load of the next one. */
struct fill {
	int full;
	double load;
	uint8_t last;
};

/* Whether all jobs fit into k slots of length @limit; the last job put into each subset
 * then tells the slots. */
static bool jobs_fit(const struct jobs *jobs, struct fill *fill, double limit)
{
	size_t all = (size_t)1 << jobs->n;

	limit *= 1 + ROUNDING;
	fill[0] = (struct fill){ 0 };
	for (size_t set = 1; set < all; set++) {
		struct fill best = { .full = INT32_MAX };

		for (size_t j = 0; j < jobs->n; j++) {
			const struct fill *f;
			struct fill t;

			if (!(set & (size_t)1 << j))
				continue;
			f = &fill[set ^ (size_t)1 << j];
			t = *f;
			t.load += jobs->time[j];
			if (t.load > limit) {
				t.full++;
				t.load = jobs->time[j];
			}
			t.last = (uint8_t)j;
			if (t.full < best.full ||
			    (t.full == best.full && t.load < best.load))
				best = t;
		}
		fill[set] = best;
	}
	return (size_t)fill[all - 1].full < jobs->k;
}

/* Sums of subsets from the bound up to below @best, sorted. */
static size_t candidates(const struct jobs *jobs, double best, double *sum, double *ret)
{
	size_t n = 0;

	sum[0] = 0;
	for (size_t set = 1; set < (size_t)1 << jobs->n; set++) {
		size_t low = (size_t)__builtin_ctzll(set);

		sum[set] = sum[set & (set - 1)] + jobs->time[low];
		if (sum[set] >= jobs->bound * (1 - ROUNDING) &&
		    sum[set] < best * (1 - ROUNDING))
			ret[n++] = sum[set];
	}
	dw_sort(ret, n);
	return n;
}

static int find_optimum(const struct jobs *jobs, double best, size_t *slot)
{
	size_t all = (size_t)1 << jobs->n, lo = 0, hi;
	dw_autofree struct fill *fill = calloc(all, sizeof(*fill));
	dw_autofree double *sum = calloc(all, sizeof(*sum));
	dw_autofree double *limit = calloc(all, sizeof(*limit));
	size_t n;

	if (!fill || !sum || !limit)
		return -ENOMEM;
	n = candidates(jobs, best, sum, limit);
	/* The optimum is mostly close to the bound: look there first. */
	for (hi = 0; hi < n && !jobs_fit(jobs, fill, limit[hi]); hi = 2 * hi + 1)
		lo = hi + 1;
	hi = hi < n ? hi : n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (jobs_fit(jobs, fill, limit[mid]))
			hi = mid;
		else
			lo = mid + 1;
	}
	if (hi == n)
		return 0;
	jobs_fit(jobs, fill, limit[hi]);
	for (size_t set = all - 1; set; set ^= (size_t)1 << fill[set].last)
		slot[fill[set].last] = (size_t)fill[set].full;
	return 0;
}

/* One better place for a job of the longest slot, alone or against another job. */
static bool improve(const struct jobs *jobs, size_t *slot, double *load, double *effort)
{
	size_t top = 0;

	for (size_t s = 1; s < jobs->k; s++)
		top = load[s] > load[top] ? s : top;
	for (size_t i = 0; i < jobs->n; i++) {
		double t = jobs->time[i];

		if (slot[i] != top)
			continue;
		*effort -= (double)(jobs->k + jobs->n);
		for (size_t s = 0; s < jobs->k; s++) {
			if (s == top || load[s] + t >= load[top] * (1 - ROUNDING))
				continue;
			load[top] -= t;
			load[s] += t;
			slot[i] = s;
			return true;
		}
		for (size_t j = 0; j < jobs->n; j++) {
			double gain = t - jobs->time[j];
			size_t s = slot[j];

			if (gain <= 0 || s == top ||
			    load[s] + gain >= load[top] * (1 - ROUNDING))
				continue;
			load[top] -= gain;
			load[s] += gain;
			slot[i] = s;
			slot[j] = top;
			return true;
		}
	}
	return false;
}

static void fill_load(const struct jobs *jobs, const size_t *slot, double *load)
{
	memset(load, 0, jobs->k * sizeof(*load));
	for (size_t i = 0; i < jobs->n; i++)
		load[slot[i]] += jobs->time[i];
}

/* Improve, then shuffle a few jobs of the best so far and improve again. */
static int search(const struct jobs *jobs, size_t *slot, double *load)
{
	dw_autofree size_t *best = calloc(jobs->n, sizeof(*best));
	double least = longest_of(load, jobs->k), effort = EFFORT;
	struct dw_rng rng;

	if (!best)
		return -ENOMEM;
	dw_rng_seed(&rng, 1);
	memcpy(best, slot, jobs->n * sizeof(*best));
	while (effort > 0 && least > jobs->bound * (1 + ROUNDING)) {
		double now;

		fill_load(jobs, slot, load);
		while (effort > 0 && improve(jobs, slot, load, &effort))
			;
		effort -= (double)(jobs->n + jobs->k);
		now = longest_of(load, jobs->k);
		if (now < least) {
			least = now;
			memcpy(best, slot, jobs->n * sizeof(*best));
		}
		memcpy(slot, best, jobs->n * sizeof(*best));
		for (size_t i = 0; i < 4; i++)
			slot[dw_rng_below(&rng, jobs->n)] = dw_rng_below(&rng, jobs->k);
	}
	memcpy(slot, best, jobs->n * sizeof(*best));
	return 0;
}

/* Jobs by their start, the jobs of a slot in the order of the list. */
static void starting_order(const struct jobs *jobs, const size_t *slot, double *load,
			   struct keyed *work, size_t *order)
{
	memset(load, 0, jobs->k * sizeof(*load));
	for (size_t i = 0; i < jobs->n; i++) {
		work[i] = (struct keyed){ .key = load[slot[i]],
					  .second = (double)slot[i],
					  .job = i };
		load[slot[i]] += jobs->time[i];
	}
	qsort(work, jobs->n, sizeof(*work), by_key);
	for (size_t i = 0; i < jobs->n; i++)
		order[i] = work[i].job;
}

struct scratch {
	size_t *order;
	size_t *slot;
	size_t *other;
	struct keyed *work;
	double *load;
	double *number;
};

static int solve_schedule(struct dw_model_call *call, const struct jobs *jobs,
			  struct scratch *s)
{
	double list = dispatch(jobs, NULL, s->other, NULL, s->load), lpt, best;
	int r;

	longest_first(jobs, s->work, s->order);
	lpt = dispatch(jobs, s->order, s->slot, NULL, s->load);
	if (list < lpt) {
		memcpy(s->slot, s->other, jobs->n * sizeof(*s->slot));
		fill_load(jobs, s->slot, s->load);
	}
	if (jobs->n <= EXACT)
		r = find_optimum(jobs, list < lpt ? list : lpt, s->slot);
	else
		r = search(jobs, s->slot, s->load);
	if (r)
		return r;
	fill_load(jobs, s->slot, s->load);
	best = longest_of(s->load, jobs->k);
	starting_order(jobs, s->slot, s->load, s->work, s->order);
	for (size_t i = 0; i < jobs->n; i++)
		s->number[i] = (double)s->order[i];
	dw_out_number(call, "list_s", list);
	dw_out_number(call, "lpt_s", lpt);
	dw_out_number(call, "best_s", best);
	dw_out_number(call, "bound_s", jobs->bound);
	dw_out_array(call, "order", s->number, jobs->n);
	return 0;
}

static int run_schedule(struct dw_model_call *call)
{
	struct jobs jobs = { .k = (size_t)dw_call_number(call, "slots") };
	struct scratch s;
	double sum = 0;
	int r = -ENOMEM;

	jobs.time = dw_call_array(call, "times", NULL, &jobs.n);
	for (size_t i = 0; i < jobs.n; i++)
		sum += jobs.time[i];
	jobs.bound = longest_of(jobs.time, jobs.n);
	if (sum / (double)jobs.k > jobs.bound)
		jobs.bound = sum / (double)jobs.k;
	s = (struct scratch){
		.order = calloc(jobs.n + 1, sizeof(*s.order)),
		.slot = calloc(jobs.n + 1, sizeof(*s.slot)),
		.other = calloc(jobs.n + 1, sizeof(*s.other)),
		.work = calloc(jobs.n + 1, sizeof(*s.work)),
		.load = calloc(jobs.k, sizeof(*s.load)),
		.number = calloc(jobs.n + 1, sizeof(*s.number)),
	};
	if (s.order && s.slot && s.other && s.work && s.load && s.number)
		r = solve_schedule(call, &jobs, &s);
	free(s.order);
	free(s.slot);
	free(s.other);
	free(s.work);
	free(s.load);
	free(s.number);
	return r;
}

static const struct dw_model_key keys[] = {
	{ "times", "s", DW_MODEL_ARRAY, .needed = 1, .help = "of the jobs, alone" },
	{ "slots", "", DW_MODEL_WHOLE, .min = 1, .max = 100000, .needed = 1,
	  .help = "jobs at the same time" },
};

const struct dw_model dw_model_schedule = {
	.name = "schedule",
	.paper = "Tikhomirov",
	.summary = "Makespan of jobs on slots: list order, longest first, best, bound.",
	.outputs = "list_s lpt_s best_s bound_s order[]",
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_schedule,
};
