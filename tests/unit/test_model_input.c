/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What models refuse, with which words, and that their table can be trusted. */
#include "model_call.h"

static void refuses(void **state)
{
	static const struct {
		const char *line;
		const char *error;
	} row[] = {
		{ "zone bytes=1 outer=1", "zone: inner is missing" },
		{ "zone bytes=1 outer=1 inner",
		  "zone: 'inner' is not of the form key=value" },
		{ "zone bites=1", "zone: there is no key 'bites'" },
		{ "zone bytes=1 bytes=2", "zone: bytes is given twice" },
		{ "zone bytes=one", "zone: bytes: 'one' is no number" },
		{ "zone bytes=1x", "zone: bytes: 'x' after its value" },
		{ "zone bytes=nan", "zone: bytes: 'nan' is no number" },
		{ "zone bytes=1e999", "zone: bytes: '1e999' is no number" },
		{ "zone bytes=0", "zone: bytes must be above 0 bytes, not 0" },
		{ "zone bytes=1 outer=1 inner=1 progress=1.5",
		  "zone: progress must be at most 1, not 1.5" },
		{ "length buffer=1 disks=1.5",
		  "length: disks is a whole number, not 1.5" },
		{ "functional h=[[1,2],[3]]",
		  "functional: h: its rows differ in length" },
		{ "functional h=[1]", "functional: h: '1]' is no list like [1,2,3]" },
		{ "functional h=[[1]", "functional: h: the matrix does not end with ]" },
		{ "functional h=[[1]] strategy=sequential",
		  "functional: h and strategy do not go together" },
		{ "functional h=[[1]] tau=1 mode=quick",
		  "functional: mode is serial|barrier|free, not 'quick'" },
		{ "functional h=[[1],[1]] tau=[1] mode=free",
		  "functional: tau has 1 values where 2 are wanted" },
		{ "functional strategy=proportional n=[1] tau=1 mode=free",
		  "functional: steps is missing" },
		{ "reconnect topology=dual devices=8 dynamic=2",
		  "reconnect: dynamic is 0 or 1, not 2" },
		{ "reconnect topology=dual devices=8 dynamic=1 utilisation=.4 seek_ms=3",
		  "reconnect: utilisation and seek_ms do not go together" },
		{ "reconnect topology=dual substrings=8 dynamic=1 utilisation=.4",
		  "reconnect: substrings goes with topology=substring" },
		{ "mirror policy=CMQ lambda=80 mu=45 read_fraction=.75",
		  "mirror: unstable: lambda 80 is not below 72" },
		{ "closed n=2 think_s=1 demands=[0] method=mva",
		  "closed: the demands are nothing at all" },
		{ "stripe service_s=.1 threshold_s=.1 cv2=1 members=2",
		  "stripe: threshold_s is not above service_s" },
		{ "stripe members=2 depth=3 service=constant",
		  "stripe: simulate is missing: there is no formula for constant service" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct dw_model_call *call;
		int r = model_begin(row[i].line, &call);

		if (!r)
			r = dw_model_call_run(call);
		assert_int_equal(r, -EINVAL);
		assert_string_equal(dw_model_call_error(call), row[i].error);
		dw_model_call_free(call);
	}
}

static void reads_blanks_and_lists(void **state)
{
	struct dw_model_call *call;
	struct dw_model_output o;

	assert_int_equal(dw_model_call_new(dw_model_find("schedule"), &call), 0);
	assert_int_equal(dw_model_call_set(call, "times= [1, 2.5 ,3e0]"), 0);
	assert_int_equal(dw_model_call_set(call, "slots=2"), 0);
	assert_int_equal(dw_model_call_run(call), 0);
	assert_true(dw_model_call_input(call, 0, &o));
	assert_int_equal(o.n, 3);
	assert_true(o.value[1] == 2.5);
	assert_true(model_value(call, "best_s", 0) == 3.5);
	dw_model_call_free(call);
}

/* Every key that a form needs belongs to it, has no default, and defaults parse. */
static void table_is_sound(void **state)
{
	const struct dw_model *m;
	size_t n = 0;

	for (; (m = dw_model_at(n)); n++) {
		uint32_t forms = 0;

		for (size_t f = 0; m->forms[f]; f++)
			forms |= 1u << f;
		forms = forms ? forms : 1;
		assert_ptr_equal(dw_model_find(m->name), m);
		for (size_t i = 0; i < m->n_keys; i++) {
			const struct dw_model_key *k = &m->keys[i];

			assert_int_equal(k->forms & ~forms, 0);
			assert_int_equal(k->needed & ~(k->forms ? k->forms : forms), 0);
			assert_false(k->needed && k->fallback);
			assert_true(k->kind != DW_MODEL_WORD || k->words);
			assert_true(strlen(k->help) > 0);
			if (k->fallback) {
				struct dw_model_call *call;
				char word[80];

				snprintf(word, sizeof(word), "%s=%s", k->name,
					 k->fallback);
				assert_int_equal(dw_model_call_new(m, &call), 0);
				assert_int_equal(dw_model_call_set(call, word), 0);
				dw_model_call_free(call);
			}
		}
	}
	assert_int_equal(n, 13);
}

static void writes_json(void **state)
{
	struct dw_model_call *call =
		model_call("stripe members=3 depth=6 simulate=1000 seed=1");
	char *text = dw_model_json(call);

	assert_non_null(text);
	assert_non_null(strstr(text, "\"model\": \"stripe\""));
	assert_non_null(strstr(text, "\"busy\": 0.75,"));
	assert_non_null(strstr(text, "\"simulated\": {\n      \"busy\": 0."));
	assert_non_null(strstr(text, "\"busy_half\": 0."));
	assert_non_null(strstr(text, "\"service\": \"exponential\""));
	free(text);
	dw_model_call_free(call);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses),
		cmocka_unit_test(reads_blanks_and_lists),
		cmocka_unit_test(table_is_sound),
		cmocka_unit_test(writes_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
