/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models against numbers worked out by other means: closed forms, the papers' own
 * arithmetic, brute force, and each other in their limits.
 */
#include "model_call.h"

#include "base/rng.h"

#define T54 "[365,579,584,657,655,582,397,509,398,365,613,591,595,366]"

struct row {
	const char *line;
	const char *name;
	double want;
	double relative;
};

static const struct row erasures[] = {
	{ "commands bytes=18.2e9 blocks=65536 payload=512", "commands", 543, 0 },
	{ "commands bytes=18.2e9 blocks=256 payload=131072", "commands", 138855, 0 },
	{ "commands bytes=19527630848 blocks=65536 payload=512", "wire_bytes", 303804,
	  0 },
	{ "length buffer=2097152 disks=14", "blocks", 4096.0 / 14, 1e-12 },
	{ "length buffer=2097152 disks=14", "blocks_pow2", 256, 0 },
	{ "length buffer=2097152 disks=8", "blocks_pow2", 512, 0 },
	{ "write t_write_same_s=365 bytes=18.2e9 blocks=256 rpm=10000", "seconds",
	  365 + (138855 - 543) * .006, 1e-12 },
	{ "functional h=[[100,0],[0,100]] tau=1 mode=barrier", "seconds", 200, 0 },
	{ "functional h=[[50,50],[50,50]] tau=1 mode=barrier", "seconds", 100, 0 },
	{ "functional h=[[3,1],[2,4]] tau=[2,3] bus_s=1.5 mode=serial", "seconds", 26,
	  1e-12 },
	{ "functional h=[[3,1],[2,4]] tau=[2,3] bus_s=1.5 mode=barrier", "seconds", 19.5,
	  1e-12 },
	{ "functional h=[[3,1],[2,4]] tau=[2,3] bus_s=1.5 mode=free", "seconds", 18,
	  1e-12 },
	{ "functional strategy=round-robin n=[582,582] tau=1 mode=free", "steps", 1164,
	  0 },
	{ "schedule times=" T54 " slots=6", "list_s", 1357, 0 },
	{ "schedule times=" T54 " slots=6", "lpt_s", 1388, 0 },
	{ "schedule times=" T54 " slots=6", "best_s", 1239, 0 },
	{ "schedule times=" T54 " slots=2", "best_s", 3629, 0 },
	{ "schedule times=" T54 " slots=12", "bound_s", 657, 0 },
	{ "shared_bus rates=[10,100,100] volume_mb=100 capacity_mb_s=110", "mean_s",
	  (10 + 2 + 2) / 3.0, 1e-12 },
	{ "shared_bus rates=[90,90] volume_mb=[100,300] capacity_mb_s=100"
	  " weights=[1,3]",
	  "makespan_s", 4, 1e-12 },
	{ "zone bytes=4e12 outer=250e6 inner=120e6 progress=.5", "seconds",
	  4e12 / 130e6 * 0.733969175080201, 1e-12 },
	{ "zone bytes=4e12 outer=250e6 inner=250e6 progress=.5", "fraction_of_time", .5,
	  1e-15 },
	{ "stripe offset=0 length=345 chunk=69 members=4", "member_blocks", 138, 0 },
	{ "stripe offset=30 length=93 chunk=31 members=3", "balance", 1, 0 },
	{ "stripe offset=0 length=62 chunk=31 members=3", "balance", 2 / 3.0, 1e-12 },
	{ "stripe rate=1.7 channel=2.2 members=4", "speedup", 2.2 / 1.7, 1e-12 },
	{ "stripe depth=24 members=6", "busy", 24 / 29.0, 1e-12 },
	{ "stripe target=.9 members=4", "depth", 27, 0 },
	{ "stripe target=.9 members=6", "depth", 45, 0 },
	{ "stripe service_s=.03 threshold_s=.1 cv2=0 members=1", "op_rate",
	  .14 / (.03 * .17), 1e-12 },
	{ "stripe members_hit=2 utilisation=.5 service_s=1", "response_s", 2.875, 1e-12 },
	{ "stripe members_hit=4 utilisation=.5 service_s=1", "response_s",
	  2.875 * (25 / 18.0 - 4.0 / 11 * 7 / 18 * .5), 1e-12 },
	{ "layout before=141 after=149 relocation_min=2.4", "payback_min", 44.7, 1e-12 },
};

static const struct row queues[] = {
	{ "closed n=1 think_s=10.167 demands=[.157,.394] method=mva", "response_ms", 551,
	  1e-12 },
	{ "closed n=1 think_s=10.167 demands=[.157,.394] method=mva",
	  "throughput_per_min", 60 / 10.718, 1e-12 },
	{ "closed n=20 think_s=10.167 demands=[.157,.394] method=bounds", "response_ms",
	  551, 1e-12 },
	{ "closed_paths devices=24 base_ms=4.194304 hold_ms=.873813333333333"
	  " revolution_ms=8.333333333333333 paths=2 dynamic=0",
	  "misses", .982, 1e-3 },
	{ "closed_paths devices=24 base_ms=4.194304 hold_ms=.873813333333333"
	  " revolution_ms=8.333333333333333 paths=2 dynamic=1",
	  "cycle_ms", 17.6055, 1e-5 },
	{ "reconnect topology=dual devices=16 dynamic=0 rate_per_channel=70"
	  " seek_ms=10.8 revolution_ms=15.15 transfer_ms=6.38",
	  "gain_dynamic", .3216816601671034, 1e-9 },
	{ "reconnect topology=substring substrings=4 per_substring=2 dynamic=1"
	  " utilisation=.3018",
	  "p_substring", .8491 / (1 - .1509 / 2), 1e-12 },
	{ "mirror policy=S-PSSQ lambda=20 mu=45 read_fraction=.75", "max_throughput", 40,
	  1e-12 },
	{ "mirror policy=C-PSSQ lambda=20 mu=45 read_fraction=.75", "read_ms", 41.25,
	  1e-4 },
	{ "mirror policy=C-PSSQ lambda=20 mu=45 read_fraction=.75", "update_ms", 54.37,
	  1e-4 },
	{ "mirror policy=C-PSSQ lambda=20 mu=45 read_fraction=.75", "update_ms_printed",
	  52.865, 1e-4 },
	/* one disk, two disks */
	{ "mirror policy=C-PSSQ lambda=30 mu=45 read_fraction=1", "read_ms", 1e3 / 15,
	  1e-9 },
	{ "mirror policy=CRU-ESQ lambda=30 mu=45 read_fraction=1", "read_ms",
	  1e3 / 45 / (1 - 1 / 9.0), 1e-9 },
	{ "mirror policy=CR-ESQ lambda=30 mu=45 read_fraction=1", "read_ms",
	  1e3 / 45 / (1 - 1 / 9.0), 1e-9 },
	{ "mirror policy=CMQ lambda=30 mu=45 read_fraction=1", "read_ms",
	  1e3 / 45 / (1 - 1 / 9.0), 1e-9 },
	{ "mirror policy=MR-DMQA lambda=30 mu=45 read_fraction=1", "read_ms", 1e3 / 60,
	  1e-9 },
	{ "mirror policy=MR-DMQ lambda=30 mu=45 read_fraction=.3", "update_ms",
	  1e3 / 15 * (12 - 2 / 3.0) / 8, 1e-12 },
	/* bounds of long chains, one block larger than the kernels' and not */
	{ "mirror policy=MR-DMQA lambda=40 mu=45 read_fraction=1e-7 truncation=133",
	  "update_ms", 1e3 / 5 * (12 - 40 / 45.0) / 8, 2e-5 },
	{ "mirror policy=MR-DMQA lambda=40 mu=45 read_fraction=1e-7 truncation=134",
	  "update_ms", 1e3 / 5 * (12 - 40 / 45.0) / 8, 2e-5 },
	{ "mirror policy=CMQ lambda=40 mu=45 read_fraction=1e-7 truncation=135",
	  "update_ms", 1e3 / 5 * (12 - 40 / 45.0) / 8, 2e-5 },
	{ "mirror policy=SQ-DMQ lambda=40 mu=45 read_fraction=1e-7 truncation=136",
	  "update_ms", 1e3 / 5 * (12 - 40 / 45.0) / 8, 2e-5 },
	/* independent queues: the larger of two exponential responses */
	{ "mirror policy=R-DMQ lambda=40 mu=45 read_fraction=1 alpha=.25", "update_ms",
	  1e3 / 15 + 1e3 / 35 - 1e3 / 50, 1e-6 },
	{ "mirror policy=S-PSSQ lambda=1e-9 read_fraction=1 seek_ms=30 latency_ms=8"
	  " transfer_ms=2 sequential=.6",
	  "read_ms", 22, 1e-6 },
};

static void check_rows(const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		model_near(row[i].line, model_number(row[i].line, row[i].name),
			   row[i].want, row[i].relative);
}

static void numbers(void **state)
{
	check_rows(erasures, sizeof(erasures) / sizeof(erasures[0]));
	check_rows(queues, sizeof(queues) / sizeof(queues[0]));
}

/* The chains at no reads, before they are told the answer, are the fork-join queue; so the
 * truncated values with few reads must come close to it. */
static void few_reads(void **state)
{
	static const char *const policy[] = { "R-DMQ", "SQ-DMQ", "MR-DMQA", "CMQ" };
	double want = 1e3 / 20 * (12 - 25 / 45.0) / 8;

	for (size_t i = 0; i < 4; i++) {
		char line[120];

		snprintf(line, sizeof(line),
			 "mirror policy=%s lambda=25 mu=45 read_fraction=1e-7",
			 policy[i]);
		model_near(line, model_number(line, "update_ms"), want, 2e-6);
	}
}

/* Least makespan over all assignments. */
static double brute(const double *time, size_t n, size_t k, double *load, double most,
		    double best)
{
	if (most >= best)
		return best;
	if (!n)
		return most;
	for (size_t s = 0; s < k; s++) {
		double then;

		load[s] += time[n - 1];
		then = brute(time, n - 1, k, load, load[s] > most ? load[s] : most, best);
		load[s] -= time[n - 1];
		best = then < best ? then : best;
		if (load[s] == 0)
			break;
	}
	return best;
}

/* Makespan when the first free slot takes the next job of the order. */
static double dispatched(const double *time, const double *order, size_t n, size_t k)
{
	double load[8] = { 0 }, most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t s = 0;

		for (size_t c = 1; c < k; c++)
			s = load[c] < load[s] ? c : s;
		load[s] += time[(size_t)order[i]];
		most = load[s] > most ? load[s] : most;
	}
	return most;
}

static void schedules(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 5);
	for (int round = 0; round < 150; round++) {
		size_t n = 1 + dw_rng_below(&rng, 10), k = 1 + dw_rng_below(&rng, 5);
		double time[10], load[8] = { 0 }, best;
		struct dw_model_call *call;
		char line[400] = "schedule times=[";

		for (size_t i = 0; i < n; i++) {
			time[i] = 1 + (double)dw_rng_below(&rng, 100);
			snprintf(line + strlen(line), 20, "%s%g", i ? "," : "", time[i]);
		}
		snprintf(line + strlen(line), 20, "] slots=%zu", k);
		call = model_call(line);
		best = model_value(call, "best_s", 0);
		model_near(line, best, brute(time, n, k, load, 0, INFINITY), 1e-12);
		for (size_t i = 0; i < n; i++)
			load[0] += model_value(call, "order", i);
		assert_true(load[0] == (double)(n * (n - 1) / 2));
		{
			struct dw_model_output o;

			assert_true(model_output(call, "order", &o));
			assert_true(dispatched(time, o.value, n, k) <=
				    best * (1 + 1e-12));
		}
		dw_model_call_free(call);
	}
}

/* More jobs than are solved exactly: never worse than both rules, never below the bound. */
static void many_jobs(void **state)
{
	struct dw_rng rng;
	char line[1200] = "schedule times=[";
	struct dw_model_call *call;
	double best, bound;

	dw_rng_seed(&rng, 6);
	for (int i = 0; i < 100; i++)
		snprintf(line + strlen(line), 20, "%s%d", i ? "," : "",
			 300 + (int)dw_rng_below(&rng, 400));
	strcat(line, "] slots=7");
	call = model_call(line);
	best = model_value(call, "best_s", 0);
	bound = model_value(call, "bound_s", 0);
	assert_true(best <= model_value(call, "lpt_s", 0));
	assert_true(best <= model_value(call, "list_s", 0));
	assert_true(best >= bound && best <= bound * 1.001);
	dw_model_call_free(call);
}

/* A closed exponential system of two stations by its product form: the states' weights. */
static void closed_product_form(void **state)
{
	const double d[2] = { .157, .394 }, z = 10.167;
	double g[31], weight[31], before = 0;

	for (int n = 0; n <= 30; n++) {
		double pow_z = 1;

		for (int k = 0; k <= n; k++) {
			double both = 0;

			for (int i = 0; i <= n - k; i++)
				both += pow(d[0], i) * pow(d[1], n - k - i);
			weight[k] = pow_z * both;
			pow_z *= z / (k + 1);
		}
		g[n] = 0;
		for (int k = 0; k <= n; k++)
			g[n] += weight[k];
	}
	for (int n = 1; n <= 30; n += 7) {
		char line[120];
		double x;

		snprintf(line, sizeof(line),
			 "closed n=%d think_s=10.167 demands=[.157,.394] method=mva", n);
		x = model_number(line, "throughput_per_min") / 60;
		model_near(line, x, g[n - 1] / g[n], 1e-10);
		model_near(line, model_number(line, "response_ms"), 1e3 * (n / x - z),
			   1e-9);
		assert_true(x > before);
		before = x;
	}
}

/* The other system, asked for the same figure, gives that figure at the users it names. */
static void transfer_function(void **state)
{
	struct dw_model_call *call =
		model_call("closed n=30 think_s=10 demands=[.157,.394] method=mva"
			   " same=throughput other_demands=[.157,.394]");

	model_near("n", model_value(call, "n", 0), 30, 1e-9);
	model_near("response", model_value(call, "response_ms", 0),
		   model_number("closed n=30 think_s=10 demands=[.157,.394] method=mva",
				"response_ms"),
		   1e-9);
	dw_model_call_free(call);
}

static struct dw_model_call *layout(const char *order, const char *more)
{
	static const char table[] = "# name tracks percent\n"
				    "a, 2, 10\n"
				    "b 1 40\n"
				    "\n"
				    "c,3,15   # ties with a\n"
				    "d,2,35\n";
	struct dw_model_call *call;
	char line[120];

	snprintf(line, sizeof(line), "layout file=t per_cylinder=1 order=%s %s", order,
		 more);
	assert_int_equal(model_begin(line, &call), 0);
	assert_string_equal(dw_model_call_file(call, 0), "t");
	assert_int_equal(dw_model_call_text(call, "t", table), 0);
	assert_int_equal(dw_model_call_run(call), 0);
	return call;
}

static void check_places(struct dw_model_call *call, const char *want)
{
	struct dw_model_output o;
	char got[80] = "";

	assert_true(model_output(call, "placement", &o));
	for (size_t i = 0; i < o.n; i++)
		strcat(got, o.text[i]);
	assert_string_equal(got, want);
	dw_model_call_free(call);
}

static void layouts(void **state)
{
	/* by track: a .05 .05, b .4, c .05 .05 .05, d .175 .175 */
	const double p[8] = { .05, .05, .4, .05, .05, .05, .175, .175 };
	struct dw_model_call *call = layout("table", "");
	double distance = 0, same = 0;

	for (int i = 0; i < 8; i++) {
		same += p[i] * p[i];
		for (int j = 0; j < 8; j++)
			distance += p[i] * p[j] * abs(i - j);
	}
	model_near("distance", model_value(call, "mean_distance", 0), distance, 1e-12);
	model_near("same", model_value(call, "p_same_cylinder", 0), same, 1e-12);
	check_places(call, "abcd");
	check_places(layout("arora-gallo", ""), "abdc");
	check_places(layout("organ-pipe", ""), "cadbdac");
	call = layout("table", "disks=2");
	model_near("balance", model_value(call, "balance", 0), .5, 1e-12);
	dw_model_call_free(call);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(few_reads),
		cmocka_unit_test(schedules),
		cmocka_unit_test(many_jobs),
		cmocka_unit_test(closed_product_form),
		cmocka_unit_test(transfer_function),
		cmocka_unit_test(layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
