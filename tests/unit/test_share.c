/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of a job beside others: the model's, the gate that keeps it, the correction. */
#include <math.h>

#include "diskwipe/background.h"
#include "sched/gate.h"
#include "sched/share.h"
#include "unit.h"

#define MS UINT64_C(1000000)

static struct dw_background_forecast forecast(const char *how, const char *others)
{
	struct dw_background_forecast f = { 0 };
	struct dw_background b = { 0 };

	assert_int_equal(0, dw_background_parse(how, &b));
	assert_int_equal(0, dw_others_parse(others, &b));
	assert_true(dw_background_forecast(&b, &f));
	return f;
}

/* Dyal and Draughn's system; response and knee by another program's mean value analysis */
static void model(void **state)
{
	static const char others[] = "users:20,think:10.167,demands:.157/.394";
	static const struct {
		const char *share;
		double response, knee;
	} rows[] = {
		{ "share:10%", 1.51, 25 },
		{ "share:20%", 1.93, 22 },
		{ "share:30%", 2.62, 19 },
	};
	struct dw_background_forecast f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f = forecast(rows[i].share, others);
		assert_true(fabs(f.response_before - 1.24) < 0.005);
		assert_true(fabs(f.response - rows[i].response) < 0.005);
		assert_true(round(f.knee) == rows[i].knee && round(f.knee_before) == 27);
	}
	f = forecast("keep-response:2s", others);
	assert_true(f.share > 0.2 && f.share < 0.22 && fabs(f.response - 2) < 1e-9);
	f = forecast("keep-response:1s", others);
	assert_true(f.share == 0);
	/* one user, one station: the response is D / (1 - share) */
	f = forecast("keep-response:40ms", "users:1,think:1s,demands:10ms");
	assert_true(fabs(f.share - 0.75) < 1e-9);
}

static void words(void **state)
{
	static const char *const wrong[] = { "",
					     "users:0,think:1,demands:1",
					     "users:1,think:1",
					     "users:1,demands:1",
					     "users:1,think:1,demands:0",
					     "users:1,think:1,demands:1,think:1",
					     "users:1,think:1,demands:1,more:1",
					     "users:1,think:1,demands:1/1/1/1/1/1/1/1/1",
					     "users:x,think:1,demands:1" };
	struct dw_background b = { .users = 7 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(-EINVAL, dw_others_parse(wrong[i], &b));
	assert_int_equal(7, b.users);
	assert_int_equal(-EINVAL, dw_background_parse("share:0%", &b));
	assert_int_equal(-EINVAL, dw_background_parse("share:101%", &b));
	assert_int_equal(-EINVAL, dw_background_parse("keep-response:0s", &b));
	assert_int_equal(-EINVAL, dw_background_parse("keep-response", &b));
	assert_int_equal(0, dw_background_parse("keep-response:2s", &b));
	assert_true(b.kind == DW_BACKGROUND_RESPONSE && b.response_ns == 2000 * MS);
}

/* one disk of 100 MB/s behind a gate for a minute: its share, and no window too long */
static void gate(void **state)
{
	static const double shares[] = { 0.02, 0.2, 0.5, 0.9 };

	for (size_t i = 0; i < 4; i++) {
		uint64_t now = MS, end = 60000 * MS, longest = 0;
		struct dw_gate g;

		dw_gate_init(&g, shares[i], 20 * MS);
		dw_gate_advance(&g, now);
		while (now < end) {
			uint64_t opens = dw_gate_opens_ns(&g), ns;

			if (!dw_gate_open(&g)) {
				assert_true(opens > now && opens != UINT64_MAX);
				dw_gate_advance(&g, now = opens);
			}
			assert_true(dw_gate_open(&g) && dw_gate_room(&g) > 0);
			ns = g.clip_bytes * 10;
			dw_gate_enter(&g, 0, g.clip_bytes);
			assert_true(!dw_gate_open(&g));
			dw_gate_advance(&g, now += ns);
			dw_gate_leave(&g);
			longest = now > end / 2 && ns > longest ? ns : longest;
		}
		assert_true(fabs((double)g.on_ns / (double)now - shares[i]) < 0.01);
		assert_true(longest > 10 * MS && longest < 40 * MS);
	}
}

/* shut, and always open */
static void gate_ends(void **state)
{
	struct dw_gate g;

	dw_gate_init(&g, 0, 0);
	dw_gate_advance(&g, 5000 * MS);
	assert_false(dw_gate_open(&g));
	assert_true(dw_gate_opens_ns(&g) == UINT64_MAX);
	dw_gate_init(&g, 1, 0);
	dw_gate_enter(&g, 0, 1);
	assert_true(dw_gate_open(&g) && !dw_gate_limits(&g));
}

static void seen(struct dw_share *s, uint64_t answers, double response_ms,
		 uint64_t waiting, double used)
{
	struct dw_share_seen x = { .ns = 500 * MS,
				   .answers = answers,
				   .answer_ns = (double)answers * response_ms * 1e6,
				   .waiting = waiting,
				   .used = used };

	dw_share_measured(s, &x);
}

/* others whose response is R = a + b / (1 - share): where it settles, from any begin */
static void settles(void **state)
{
	for (int i = 1; i < 20; i++) {
		double a = i % 4, b = 1 + i % 7, target = a + b * (1.1 + i % 5), sum = 0;
		struct dw_share s;

		dw_share_init(&s, target * 1e6, i % 10 * 0.1);
		for (int k = 0; k < 600; k++) {
			double share = dw_share_now(&s), r = a + b / (1 - share);

			seen(&s, (uint64_t)(5 + k * 7 % 60), r, 0, share);
			sum += k >= 300 ? r : 0;
		}
		assert_true(fabs(sum / 300 / target - 1) < 0.02);
	}
}

static void limits(void **state)
{
	struct dw_share s;
	double before;

	/* far below: it ends at the top, and comes down from there at once */
	dw_share_init(&s, 100e6, 0.5);
	for (int k = 0; k < 1000; k++)
		seen(&s, 100, 10, 0, dw_share_now(&s));
	assert_true(fabs(dw_share_now(&s) - DW_SHARE_MOST) < 1e-9);
	for (int k = 0; k < 8; k++)
		seen(&s, 100, 400, 0, dw_share_now(&s));
	assert_true(dw_share_now(&s) < 0.5);
	/* far above: it ends at the bottom, and comes up from there */
	for (int k = 0; k < 1000; k++)
		seen(&s, 100, 1000, 0, dw_share_now(&s));
	assert_true(fabs(dw_share_now(&s) - DW_SHARE_MIN) < 1e-9);
	/* what is not used does not grow */
	before = dw_share_now(&s);
	seen(&s, 100, 10, 0, 0);
	assert_true(dw_share_now(&s) == before);
	seen(&s, 100, 10, 0, before);
	assert_true(dw_share_now(&s) > before);
	/* an I/O that does not end is a long one */
	dw_share_init(&s, 100e6, 0.5);
	for (int k = 0; k < 20; k++)
		seen(&s, 0, 0, 1, 0.5);
	assert_true(dw_share_now(&s) < 0.1);
	/* nobody there: all of it; when they are back, the model's share at most */
	dw_share_init(&s, 100e6, 0.5);
	for (int k = 0; k < 200; k++)
		seen(&s, 0, 0, 0, 1);
	assert_true(dw_share_now(&s) == 1);
	seen(&s, 1, 100, 0, 1);
	assert_true(dw_share_now(&s) <= 0.5 + 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model),   cmocka_unit_test(words),
		cmocka_unit_test(gate),    cmocka_unit_test(gate_ends),
		cmocka_unit_test(settles), cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
