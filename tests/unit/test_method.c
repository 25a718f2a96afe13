/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of methods as text, its soundness, and lists of patterns. */
#include "unit.h"

#include "base/util.h"
#include "plan/method.h"

/* "name/verify/percent: passes", one line per row of the table. */
static const char golden[] =
	"zero/0/0: 00\n"
	"one/0/0: ff\n"
	"random/0/0: random\n"
	"nist-clear/2/0: 00\n"
	"dod-short/3/0: 00 ff random\n"
	"dod-ece/3/0: 00 ff random aa 00 ff random\n"
	"hmg-baseline/3/0: 00\n"
	"hmg-enhanced/3/0: ff 00 random\n"
	"bsi-vsitr/0/0: 00 ff 00 ff 00 ff aa\n"
	"schneier/0/0: ff 00 random random random random random\n"
	"gutmann/0/0: random random random random 55 aa 924924 492492 249249"
	" 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff"
	" 924924 492492 249249 6db6db b6db6d db6db6 random random random random\n"
	"afssi-5020/2/10: 00 ff aa\n"
	"ops-ii/3/0: 00 ff 00 ff 00 ff random\n"
	"ar-380-19/0/0: random-byte 00 complement\n"
	"bmb21-2019/0/0: ff 00 random random random ff\n"
	"sanitize-overwrite/0/0: 00\n"
	"sanitize-block/0/0: 00\n"
	"sanitize-crypto/0/0: 00\n"
	"ata-normal/0/0: 00\n"
	"ata-enhanced/0/0: 00\n"
	"nvme-format/0/0: 00\n"
	"nvme-format-crypto/0/0: 00\n"
	"sanitize/0/0: 00\n"
	"auto/0/0: 00\n";

static size_t print_row(const struct dw_method *m, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s/%u/%u:", m->name, m->verify,
				    m->verify_percent);
	char name[16];

	for (unsigned i = 0; i < m->n_passes; i++)
		n += (size_t)snprintf(buf + n, size - n, " %s",
				      dw_pattern_name(&m->pass[i], name, sizeof(name)));
	n += (size_t)snprintf(buf + n, size - n, "\n");
	return n;
}

static void table(void **state)
{
	char text[8192];
	size_t n = 0;

	for (const struct dw_method *m = dw_method_next(NULL); m; m = dw_method_next(m))
		n += print_row(m, text + n, sizeof(text) - n);
	assert_string_equal(text, golden);
}

static void rows_are_sound(void **state)
{
	for (const struct dw_method *m = dw_method_next(NULL); m; m = dw_method_next(m)) {
		assert_in_range(m->n_passes, 1, DW_PASSES_MAX);
		assert_true(strlen(m->title) > 0);
		assert_in_range(strlen(m->worth), 10, 160);
		assert_ptr_equal(dw_method_find(m->name), m);
		assert_true(m->verify == DW_VERIFY_SAMPLE || m->verify_percent == 0);
		for (unsigned i = 0; i < DW_PASSES_MAX; i++) {
			const struct dw_pattern *p = &m->pass[i];

			if (i >= m->n_passes)
				assert_int_equal(p->kind + p->len, 0);
			else if (p->kind == DW_PATTERN_CONST)
				assert_in_range(p->len, 1, 3);
			else
				assert_int_equal(p->len, 0);
		}
		/* A complement follows something of which there is one. */
		for (unsigned i = 0; i < m->n_passes; i++) {
			if (m->pass[i].kind != DW_PATTERN_COMPLEMENT)
				continue;
			assert_true(i > 0);
			assert_int_not_equal(m->pass[i - 1].kind, DW_PATTERN_RANDOM);
		}
	}
	assert_int_equal(dw_method_find("gutmann")->n_passes, 35);
	assert_ptr_equal(dw_method_next(NULL), dw_method_find("zero"));
	assert_null(dw_method_find("Zero"));
	assert_null(dw_method_find(""));
	assert_null(dw_method_find("custom"));
}

static void custom(void **state)
{
	struct dw_method m;
	char text[256];

	assert_int_equal(dw_method_custom("00,ff,random", &m), 0);
	print_row(&m, text, sizeof(text));
	assert_string_equal(text, "custom/0/0: 00 ff random\n");
	assert_int_equal(dw_method_custom("random-byte,complement,complement,924924", &m),
			 0);
	print_row(&m, text, sizeof(text));
	assert_string_equal(text,
			    "custom/0/0: random-byte complement complement 924924\n");
}

static void custom_refused(void **state)
{
	static const char *const bad[] = {
		"",
		",",
		"00,",
		",00",
		"00,,ff",
		"00, ff",
		"00;ff",
		"complement",
		"random,complement",
		"0",
		"zero",
		"00,ffffffff",
		"00,xx",
		"00,random-byte-or-something-long",
	};
	struct dw_method m = { .n_passes = 99 };
	char list[3 * (DW_PASSES_MAX + 1) + 1] = "";

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(dw_method_custom(bad[i], &m), -EINVAL);
	for (int i = 0; i < DW_PASSES_MAX + 1; i++)
		strcat(list, i ? ",00" : "00");
	assert_int_equal(dw_method_custom(list, &m), -E2BIG);
	assert_int_equal(m.n_passes, 99);
	assert_int_equal(dw_method_custom(list + 3, &m), 0);
	assert_int_equal(m.n_passes, DW_PASSES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(custom),
		cmocka_unit_test(custom_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
