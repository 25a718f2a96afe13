/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results, events, forecasts and measurements as documents: whatever they say is read back. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <diskwipe/diskwipe.h>

#include "docs.h"

#include "base/util.h"
#include "report/json.h"
#include "report/record.h"
#include "report/result.h"
#include "error_line.h"

#define DISKS 3

static void random_table(struct dw_rng *rng, const struct dw_table *t, void *base)
{
	random_fields(rng, t->field, t->n, base);
}

static void random_disk(struct dw_rng *rng, struct dw_disk_result *d)
{
	random_table(rng, &dw_disk_table, d);
	d->info.blocks = 1 + random_bits(rng, 30);
	d->outcome = (enum dw_outcome)dw_rng_below(rng, DW_OUTCOME_REMOVED + 1);
	d->verify_only = dw_rng_below(rng, 2);
	random_text(rng, d->info.block, sizeof(d->info.block), false);
	random_text(rng, d->verify.mode, sizeof(d->verify.mode), false);
	d->n_paths = 1 + (uint32_t)dw_rng_below(rng, 2);
	for (uint32_t i = 0; i < d->n_paths; i++)
		random_text(rng, d->paths[i], sizeof(d->paths[i]), false);
	if (d->outcome == DW_OUTCOME_STOPPED)
		random_table(rng, &dw_stopped_table, d);
}

/* as dw_result_parse() makes one; the last disk joined later, and has no forecast */
static struct dw_result_doc *random_doc(struct dw_rng *rng)
{
	struct dw_result_doc *doc = calloc(1, sizeof(*doc));

	assert_non_null(doc);
	random_table(rng, &dw_job_table, doc);
	random_table(rng, &dw_refused_table, &doc->job);
	for (size_t i = 0; i < doc->job.n_refused; i++)
		doc->job.refused[i].verdict.refusal =
			(enum dw_refusal)dw_rng_below(rng, DW_REFUSAL_COUNT);
	random_text(rng, doc->tool, sizeof(doc->tool), false);
	random_text(rng, doc->error, sizeof(doc->error), false);
	doc->job.n_disks = DISKS;
	doc->job.disk = calloc(DISKS, sizeof(*doc->job.disk));
	doc->forecast.disk = calloc(DISKS, sizeof(*doc->forecast.disk));
	assert_true(doc->job.disk && doc->forecast.disk);
	for (size_t i = 0; i < DISKS; i++)
		random_disk(rng, &doc->job.disk[i]);
	random_table(rng, &dw_forecast_table, &doc->forecast);
	doc->forecast.n = DISKS - 1;
	for (size_t i = 0; i < doc->forecast.n; i++)
		random_table(rng, &dw_forecast_disk_table, &doc->forecast.disk[i]);
	return doc;
}

static void same_table(const struct dw_table *t, const void *a, const void *b)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->field[i].type != DW_FIELD_LIST) /* its text is compared */
			same_field(&t->field[i], a, b);
}

static void results_come_back(void **state)
{
	struct dw_rng rng;
	struct dw_error err = { 0 };

	dw_rng_seed(&rng, 11);
	for (int k = 0; k < 100; k++) {
		struct dw_result_doc *doc = random_doc(&rng), *back;
		char *text = dw_result_doc_json(doc, k % 2), *again;

		assert_non_null(text);
		if (dw_result_parse(text, strlen(text), &back, &err))
			fail_msg("%s", error_line(&err));
		again = dw_result_doc_json(back, k % 2);
		assert_string_equal(text, again);
		same_table(&dw_job_table, doc, back);
		same_table(&dw_forecast_table, &doc->forecast, &back->forecast);
		for (size_t i = 0; i < DISKS; i++) {
			same_table(&dw_disk_table, &doc->job.disk[i], &back->job.disk[i]);
			assert_int_equal(doc->job.disk[i].outcome,
					 back->job.disk[i].outcome);
		}
		dw_result_free(doc);
		dw_result_free(back);
		free(text);
		free(again);
	}
}

/* keys that a result may lack, wherever they stand */
static bool may_lack(const char *key)
{
	static const char *const keys[] = {
		"id",
		"key_check",
		"state_error",
		"trace_error",
		"paths",
		"simulation",
		"background",
		"forecast",
		"pattern",
		"policy",
		"sweeps",
		"started",
		"simulated_gain",
		"verify_share",
		"vague",
		"places",
		"planted",
		"planted_found",
		"device_compared",
		"device_skipped",
		"device_refused",
		"asked_response",
		"asked_share",
		"users",
		"think",
		"demand",
		"error",
		"finished",
		"left_working",
		"password_left",
		"purge_requested",
		"purge_attested",
		"name_shared",
		"earlier",
		"verify_asked",
		"verify_chosen",
		"verify_why",
		"verify_full_seconds",
		"verify_device_seconds",
		"compares",
		"transport",
		"host_driver",
		"phy",
		"slot",
		"medium",
		"seed",
		"health_before",
		"health_after",
		"text",
		"event",
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void refused(const json_t *root, const char *key, const char *what)
{
	struct dw_result_doc *doc;
	struct dw_error err = { 0 };
	char *text = json_dumps(root, 0);

	if (!dw_result_parse(text, strlen(text), &doc, &err))
		fail_msg("%s: taken though it is %s", key, what);
	assert_true(is_whole_error(&err, -EINVAL));
	free(text);
}

/* each key of each object left out, and then of another type */
static size_t spoil(const json_t *root, json_t *at)
{
	char keys[64][32];
	size_t n = 0, done = 0, i;
	json_t *v;
	const char *key;

	json_array_foreach(at, i, v)
	{
		done += spoil(root, v);
	}
	json_object_foreach(at, key, v)
	{
		assert_true(n < DW_ARRAY_SIZE(keys));
		snprintf(keys[n++], sizeof(keys[0]), "%s", key);
	}
	for (i = 0; i < n; i++) {
		v = json_incref(json_object_get(at, keys[i]));
		done += 1 + spoil(root, v);
		json_object_del(at, keys[i]);
		if (!may_lack(keys[i]))
			refused(root, keys[i], "missing");
		json_object_set_new(at, keys[i],
				    json_is_boolean(v) ? json_integer(7) : json_false());
		if (strcmp(keys[i], "text") != 0 && strcmp(keys[i], "event") != 0)
			refused(root, keys[i], "of another type");
		json_object_set_new(at, keys[i], v);
	}
	return done;
}

static json_t *loaded(const char *text)
{
	json_t *v = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

	assert_non_null(v);
	return v;
}

static void damage_is_found(void **state)
{
	struct dw_rng rng;
	struct dw_result_doc *doc, *back;
	json_t *root;
	struct dw_error err = { 0 };
	char *text;

	dw_rng_seed(&rng, 12);
	doc = random_doc(&rng);
	doc->job.disk[0].outcome = DW_OUTCOME_STOPPED;
	text = dw_result_doc_json(doc, false);
	assert_int_equal(0, dw_result_parse(text, strlen(text), &back, &err));
	dw_result_free(back);
	root = loaded(text);
	assert_true(spoil(root, root) > 300);
	json_decref(root);
	free(text);
	dw_result_free(doc);
}

/* keys of later versions are passed over */
static void more_keys_are_taken(void **state)
{
	struct dw_rng rng;
	struct dw_result_doc *doc, *back;
	struct dw_error err = { 0 };
	char *text;
	json_t *root;

	dw_rng_seed(&rng, 13);
	doc = random_doc(&rng);
	text = dw_result_doc_json(doc, false);
	root = loaded(text);
	json_object_set_new(json_object_get(root, "job"), "later", json_integer(1));
	json_object_set_new(json_array_get(json_object_get(root, "disks"), 0), "later",
			    json_array());
	free(text);
	text = json_dumps(root, 0);
	assert_int_equal(0, dw_result_parse(text, strlen(text), &back, &err));
	dw_result_free(back);
	dw_result_free(doc);
	json_decref(root);
	free(text);
}

static void events_come_back(void **state)
{
	struct dw_rng rng;
	struct dw_table table[4];
	struct dw_error err = { 0 };

	dw_rng_seed(&rng, 14);
	for (int k = 0; k < 400; k++) {
		struct dw_event_doc e = { .event = { .kind = k %
							     (DW_EVENT_RESUMED + 1) } },
				    back;
		uint8_t kind = (uint8_t)e.event.kind;
		size_t n = dw_event_tables(&e, table);
		json_t *line;
		char *text;

		for (size_t i = 0; i < n; i++)
			random_table(&rng, &table[i], &e);
		e.event.kind = kind;
		text = dw_event_doc_json(&e);
		line = loaded(text);
		memset(&back, 0, sizeof(back));
		for (size_t i = 0; i < n; i++)
			assert_int_equal(0,
					 dw_record_unpack_open(table[i].field, table[i].n,
							       line, "", &back, &err));
		for (size_t i = 0; i < n; i++)
			same_table(&table[i], &e, &back);
		json_decref(line);
		free(text);
	}
}

static void forecasts_come_back(void **state)
{
	const struct dw_table *disks = &dw_forecast_disks_table;
	struct dw_rng rng;
	struct dw_error err = { 0 };

	dw_rng_seed(&rng, 15);
	for (int k = 0; k < 50; k++) {
		struct dw_forecast f = { 0 }, back = { 0 };
		json_t *doc;
		char *text;

		random_table(&rng, &dw_forecast_table, &f);
		random_table(&rng, disks, &f);
		text = dw_forecast_json(&f);
		doc = loaded(text);
		assert_int_equal(0, dw_record_unpack_open(
					    dw_forecast_table.field, dw_forecast_table.n,
					    json_object_get(doc, "forecast"), "", &back,
					    &err));
		assert_int_equal(0,
				 dw_record_unpack_open(disks->field, disks->n,
						       json_object_get(doc, "forecast"),
						       "", &back, &err));
		same_table(&dw_forecast_table, &f, &back);
		assert_int_equal(f.n, back.n);
		for (size_t i = 0; i < f.n; i++)
			same_table(&dw_forecast_disk_table, &f.disk[i], &back.disk[i]);
		dw_record_free(disks->field, disks->n, &f);
		dw_record_free(disks->field, disks->n, &back);
		json_decref(doc);
		free(text);
	}
}

static void measurements_come_back(void **state)
{
	struct dw_rng rng;
	struct dw_error err = { 0 };
	char *text, *again;

	dw_rng_seed(&rng, 16);
	for (int k = 0; k < 60; k++) {
		const struct dw_table *t = &dw_bench_tables[k % 3];
		struct dw_bench b = { 0 }, *back = NULL;

		random_table(&rng, t, &b);
		b.spec.kind = (enum dw_bench_kind)(k % 3);
		text = dw_bench_json(&b);
		if (!b.n) {
			assert_int_equal(dw_bench_parse(text, strlen(text), &back, &err),
					 -EINVAL);
			assert_string_equal(err.subject, "series");
			free(text);
			continue;
		}
		if (dw_bench_parse(text, strlen(text), &back, &err))
			fail_msg("%s", error_line(&err));
		assert_int_equal(back->n_disks, b.n > 1 ? b.n - 1 : 1);
		again = dw_bench_json(back);
		assert_string_equal(text, again);
		dw_record_free(t->field, t->n, &b);
		dw_bench_free(back);
		free(text);
		free(again);
	}
}

/* What is no measurement is left to others; what is a wrong one is told. */
static void measurements_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *subject;
	} cases[] = {
		{ "", -ENOMSG, "" },
		{ "[]", -ENOMSG, "" },
		{ "{\"bench\": 1}", -ENOMSG, "" },
		{ "{\"bench\": \"speed\"}", -ENOMSG, "" },
		{ "{\"bench\": \"load\"}", -EINVAL, "misalign_bytes" },
		{ "{\"bench\": \"load\", \"misalign_bytes\": 0, \"series\": [{}]}",
		  -EINVAL, "series[0].device" },
		{ "{\"bench\": \"load\", \"misalign_bytes\": 0, \"series\": []}", -EINVAL,
		  "series" },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		struct dw_bench *b = NULL;
		struct dw_error err = { 0 };

		assert_int_equal(
			dw_bench_parse(cases[i].text, strlen(cases[i].text), &b, &err),
			cases[i].r);
		assert_string_equal(err.subject, cases[i].subject);
		assert_null(b);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(damage_is_found),
		cmocka_unit_test(more_keys_are_taken),
		cmocka_unit_test(events_come_back),
		cmocka_unit_test(forecasts_come_back),
		cmocka_unit_test(measurements_come_back),
		cmocka_unit_test(measurements_are_told_apart),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
