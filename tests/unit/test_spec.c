/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a job's spec: what a row says holds for the checks, for plan and state files
 * and for the words, whatever rows there are.
 */
#include "docs.h"

#include <unistd.h>

#include "base/util.h"
#include "core/spec.h"
#include "report/planfile.h"
#include "report/state.h"
#include "error_line.h"

static struct dw_plan_entry disk = { .serial = "A",
				     .capacity_bytes = 512,
				     .block_size = 512 };

static bool equals(const struct dw_field *f, const struct dw_job_spec *a,
		   const struct dw_job_spec *b)
{
	return !memcmp((const char *)a + f->offset, (const char *)b + f->offset, f->size);
}

/* the defaults, but for this option */
static void differing(struct dw_rng *rng, const struct dw_field *f,
		      struct dw_job_spec *ret)
{
	struct dw_job_spec usual;

	dw_job_spec_init(&usual);
	do {
		dw_job_spec_init(ret);
		random_option(rng, f, ret);
	} while (equals(f, &usual, ret));
}

static void through_plan(const struct dw_job_spec *spec)
{
	struct dw_plan_doc back, plan = { .spec = *spec, .entry = &disk, .n = 1 };
	struct dw_error err = { 0 };
	char *text = dw_plan_json(&plan);

	assert_non_null(text);
	if (dw_plan_parse(text, strlen(text), &back, &err) < 0)
		fail_msg("%s in: %s", error_line(&err), text);
	same_spec(&back.spec, spec);
	dw_plan_deinit(&back);
	free(text);
}

static void through_state(const char *path, const struct dw_job_spec *spec)
{
	struct dw_state_entry e = { .disk = disk };
	struct dw_state_doc state = { .spec = *spec, .entry = &e, .n = 1 };
	struct dw_plan_doc back;
	struct dw_error err = { 0 };

	assert_int_equal(dw_state_write(path, &state), 0);
	if (dw_resume_disks(path, &back, &err) < 0)
		fail_msg("%s", error_line(&err));
	same_spec(&back.spec, spec);
	dw_plan_deinit(&back);
}

static void kept(void **state)
{
	struct dw_error err = { 0 };
	char dir[] = "/tmp/dw-spec-XXXXXX", path[64];
	const struct dw_field *f;
	struct dw_job_spec spec;
	struct dw_rng rng;

	dw_rng_seed(&rng, 3);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state", dir);
	for (size_t i = 0; (f = dw_spec_field(i)); i++) {
		for (int round = 0; !f->one_run && round < 20; round++) {
			differing(&rng, f, &spec);
			if (dw_spec_check(&spec, &err) < 0)
				fail_msg("%s: %s", f->key, error_line(&err));
			through_plan(&spec);
			through_state(path, &spec);
		}
	}
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

/* What concerns one run is in no document, and stays when one is taken over. */
static void one_run(void **state)
{
	struct dw_job_spec spec, other, usual;
	const struct dw_field *f;
	struct dw_rng rng;

	dw_rng_seed(&rng, 4);
	dw_job_spec_init(&usual);
	for (size_t i = 0; (f = dw_spec_field(i)); i++) {
		if (f->type == DW_FIELD_OTHER)
			continue;
		differing(&rng, f, &spec);
		other = spec;
		dw_spec_adopt(&other, &usual);
		assert_int_equal(equals(f, &other, &spec), f->one_run);
		assert_int_equal(equals(f, &other, &usual), !f->one_run);
	}
}

static void refused(const struct dw_field *f, const struct dw_job_spec *spec)
{
	struct dw_error err = { 0 };
	struct dw_job *job = NULL;

	assert_int_equal(dw_job_new(NULL, spec, &job, &err), -EINVAL);
	assert_null(job);
	if (err.kind != DW_ERROR_MEMBER || strcmp(err.subject, f->key) != 0)
		fail_msg("%s: \"%s\"", f->key, error_line(&err));
}

static void set_number(const struct dw_field *f, uint64_t v)
{
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	dw_field_set_number(f, &spec, v);
	if (dw_field_number(f, &spec) == v)
		refused(f, &spec);
}

static void ranges(void **state)
{
	const struct dw_field *f;
	struct dw_job_spec spec;

	for (size_t i = 0; (f = dw_spec_field(i)); i++) {
		if (f->type == DW_FIELD_NUMBER || f->type == DW_FIELD_WORD)
			set_number(f, f->max + 1);
		if (f->type == DW_FIELD_NUMBER && f->min > f->or_none)
			set_number(f, f->min - 1);
		if (f->type == DW_FIELD_SHARE) {
			dw_job_spec_init(&spec);
			*(double *)(void *)((char *)&spec + f->offset) = NAN;
			refused(f, &spec);
		}
		if (f->type == DW_FIELD_TEXT || f->type == DW_FIELD_NAME) {
			dw_job_spec_init(&spec);
			memset((char *)&spec + f->offset, 'x', f->size);
			refused(f, &spec);
		}
		if (f->type == DW_FIELD_NAME && !f->optional) {
			dw_job_spec_init(&spec);
			((char *)&spec)[f->offset] = '\0';
			refused(f, &spec);
		}
	}
}

static void together(void **state)
{
	static const struct {
		const char *key, *value, *err;
	} row[] = {
		{ "order", "near-first", "near: missing" },
		{ "near", "start", "order: missing" },
		{ "pattern", "0", "pattern: '0': not a list" },
		{ "method", "none", "method: 'none' is not known" },
	};
	struct dw_job_spec spec;
	struct dw_error err = { 0 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		dw_job_spec_init(&spec);
		strcpy((char *)&spec + dw_spec_find(row[i].key)->offset, row[i].value);
		assert_int_equal(dw_spec_check(&spec, &err), -EINVAL);
		if (!strstr(error_line(&err), row[i].err))
			fail_msg("%s: \"%s\"", row[i].key, error_line(&err));
	}
	dw_job_spec_init(&spec);
	spec.background.kind = DW_BACKGROUND_SHARE;
	assert_int_equal(dw_spec_check(&spec, &err), -EINVAL);
	spec.background.share = .5;
	assert_int_equal(dw_spec_check(&spec, &err), 0);
	spec.background.users = 3;
	assert_int_equal(dw_spec_check(&spec, &err), -EINVAL);
}

/* It goes on paper and into tables: as it was said, or not at all. */
static void said(void **state)
{
	static const char *const keys[] = { "customer", "order_number", "operator" };
	static const struct {
		const char *text;
		int r;
	} row[] = {
		{ "M\xc3\xbcller & S\xc3\xb6hne, <b>\"4711\"</b>; =1+1", 0 },
		{ "a\nb", -EINVAL },    /* another line of options */
		{ "a\tb", -EINVAL },    /* C0 */
		{ "\x1b[2J", -EINVAL }, /* what a terminal obeys */
		{ "a\xc2\x9b"
		  "b",
		  -EINVAL }, /* C1 */
		{ "a\xe2\x80\xae"
		  "b",
		  -EINVAL },          /* from right to left */
		{ "a\xff", -EINVAL }, /* no UTF-8 */
	};
	struct dw_error err;

	for (size_t k = 0; k < DW_ARRAY_SIZE(keys); k++)
		for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
			const struct dw_field *f = dw_spec_find(keys[k]);
			struct dw_job_spec spec;

			dw_job_spec_init(&spec);
			assert_true(f->offered);
			strcpy((char *)&spec + f->offset, row[i].text);
			assert_int_equal(dw_spec_check(&spec, &err), row[i].r);
			if (row[i].r)
				assert_string_equal(err.subject, keys[k]);
		}
}

static void words(void **state)
{
	struct dw_job_spec spec;

	dw_job_spec_init(&spec);
	assert_string_equal(dw_spec_word(&spec, "command"), "auto");
	spec.command = DW_COMMAND_WRITE_SAME;
	assert_string_equal(dw_spec_word(&spec, "command"), "write-same");
	spec.command = (enum dw_command_mode)3;
	assert_null(dw_spec_word(&spec, "command"));
	assert_null(dw_spec_word(&spec, "depth"));
	assert_null(dw_spec_word(&spec, "none"));
	assert_null(dw_spec_find("none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),   cmocka_unit_test(one_run),
		cmocka_unit_test(ranges), cmocka_unit_test(together),
		cmocka_unit_test(said),   cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
