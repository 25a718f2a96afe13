/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulations against the formulas of the same systems: within four half widths of their
 * intervals and some per cent, with fixed seeds; and against a chain that is solved here by
 * brute force.
 */
#include "model_call.h"

static void compare(const char *line, const char *name, double relative)
{
	struct dw_model_call *call = model_call(line);
	char simulated[60];
	struct dw_model_output o;
	double exact = model_value(call, name, 0), off;

	snprintf(simulated, sizeof(simulated), "simulated.%s", name);
	assert_true(model_output(call, simulated, &o));
	assert_non_null(o.half);
	off = fabs(o.value[0] - exact);
	if (off > relative * exact || off > 4 * o.half[0])
		fail_msg("%s: %s %.6g, simulated %.6g +- %.2g", line, name, exact,
			 o.value[0], o.half[0]);
	dw_model_call_free(call);
}

static void mirrors(void **state)
{
	static const char *const policy[] = { "S-PSSQ",  "C-PSSQ", "CR-ESQ", "CRU-ESQ",
					      "MR-ESQ",  "R-DMQ",  "SQ-DMQ", "MR-DMQ",
					      "MR-DMQA", "CMQ" };
	static const char *const load[] = { "lambda=12 read_fraction=.25",
					    "lambda=22 read_fraction=.75" };

	for (size_t i = 0; i < 10; i++) {
		for (size_t l = 0; l < 2; l++) {
			char line[160];

			snprintf(line, sizeof(line),
				 "mirror policy=%s mu=45 %s simulate=200000 seed=7",
				 policy[i], load[l]);
			compare(line, "read_ms", .03);
			compare(line, "update_ms", .03);
		}
	}
	compare("mirror policy=MR-DMQA abort=start lambda=35 mu=45 read_fraction=.6"
		" simulate=200000 seed=1",
		"update_ms", .03);
	compare("mirror policy=R-DMQ alpha=.3 lambda=30 mu=45 read_fraction=.6"
		" simulate=200000 seed=1",
		"update_ms", .03);
	compare("mirror policy=MR-ESQ lambda=18 read_fraction=.6 seek_ms=30 latency_ms=8"
		" transfer_ms=2 sequential=.6 simulate=200000 seed=1",
		"update_ms", .03);
}

static void others(void **state)
{
	compare("stripe members=5 depth=12 simulate=300000 seed=2", "busy", .01);
	compare("reconnect topology=substring substrings=4 per_substring=2 dynamic=1"
		" rate_per_channel=40 seek_ms=9.6 revolution_ms=16.67 transfer_ms=4.03"
		" simulate=100000 seed=3",
		"p_unit", .01);
	compare("reconnect topology=substring substrings=4 per_substring=2 dynamic=0"
		" rate_per_channel=40 seek_ms=9.6 revolution_ms=16.67 transfer_ms=4.03"
		" simulate=100000 seed=3",
		"x", .05);
	compare("closed n=25 think_s=10 demands=[.157,.394] method=simulate hours=60 seed=4",
		"throughput_per_min", .02);
}

/* The simulated gain is that of the responses that both kinds of paths are simulated with. */
static void simulated_gain(void **state)
{
	double response[2], gain[2];

	for (int dynamic = 0; dynamic < 2; dynamic++) {
		char line[160];

		snprintf(
			line, sizeof(line),
			"reconnect topology=dual devices=16 dynamic=%d rate_per_channel=60"
			" seek_ms=10.8 revolution_ms=15.15 transfer_ms=4"
			" simulate=50000 seed=3",
			dynamic);
		response[dynamic] = model_number(line, "simulated.response_ms");
		gain[dynamic] = model_number(line, "simulated.gain_dynamic");
	}
	model_near("gain", gain[0], 1 - response[1] / response[0], 1e-3);
	model_near("gain", gain[1], gain[0], 1e-12);
}

/* With method=simulate the plain output is the simulated one: against exact analysis. */
static void closed_against_mva(void **state)
{
	model_near("response",
		   model_number("closed n=25 think_s=10 demands=[.157,.394] hours=100"
				" method=simulate seed=4",
				"response_ms"),
		   model_number("closed n=25 think_s=10 demands=[.157,.394] method=mva",
				"response_ms"),
		   .03);
}

/* MR-DMQA on a grid of 60 requests by 40 behind, by Gauss-Seidel. */
static void mr_dmqa_by_brute_force(void **state)
{
	enum { N = 60, K = 40 };
	static double p[N + 1][K + 1];
	const double lam = 20, mu = 45, pr = .6;
	double sum = 0, n = 0, behind = 0, read, update;

	for (int i = 0; i <= N; i++)
		for (int k = 0; k <= K; k++)
			p[i][k] = pow(.5, i + k);
	for (int round = 0; round < 3000; round++) {
		for (int i = 0; i <= N; i++) {
			for (int k = 0; k <= K; k++) {
				double in = 0, out = i < N ? lam : 0;
				double ahead = k ? mu : 2 * mu;

				out += (k ? mu : 0) + (i ? ahead : 0);
				if (i)
					in += lam * p[i - 1][k];
				if (k < K)
					in += mu * p[i][k + 1];
				if (i < N)
					in += ahead * pr * p[i + 1][k];
				if (i < N && k)
					in += (k > 1 ? mu : 2 * mu) * (1 - pr) *
					      p[i + 1][k - 1];
				p[i][k] = in / out;
			}
		}
	}
	for (int i = 0; i <= N; i++) {
		for (int k = 0; k <= K; k++) {
			sum += p[i][k];
			n += i * p[i][k];
			behind += k * p[i][k];
		}
	}
	read = n / sum / lam;
	update = read + behind / sum / (lam * (1 - pr));
	model_near("read",
		   model_number("mirror policy=MR-DMQA lambda=20 mu=45 read_fraction=.6",
				"read_ms"),
		   1e3 * read, 1e-7);
	model_near("update",
		   model_number("mirror policy=MR-DMQA lambda=20 mu=45 read_fraction=.6",
				"update_ms"),
		   1e3 * update, 1e-7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mirrors),
		cmocka_unit_test(others),
		cmocka_unit_test(simulated_gain),
		cmocka_unit_test(closed_against_mva),
		cmocka_unit_test(mr_dmqa_by_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
