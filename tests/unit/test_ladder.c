/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ladder: the level of each way on each medium, which way is taken, and what is told of it. */
#include "unit.h"

#include "base/util.h"
#include "plan/ladder.h"
#include "plan/method.h"

#define HOUR   (3600 * DW_NS_PER_S)
#define BIT(o) (1u << (o))
#define ALL    (BIT(DW_OPERATION_COUNT) - 1)

enum {
	ZERO = DW_OPERATION_NONE,
	OVERWRITE = DW_OPERATION_OVERWRITE,
	BLOCK = DW_OPERATION_BLOCK_ERASE,
	CRYPTO = DW_OPERATION_CRYPTO_ERASE,
	NORMAL = DW_OPERATION_ATA_NORMAL,
	ENHANCED = DW_OPERATION_ATA_ENHANCED,
	FORMAT = DW_OPERATION_FORMAT_USER,
	FORMAT_CRYPTO = DW_OPERATION_FORMAT_CRYPTO
};

static const struct dw_ladder_want clear = { .level = DW_LEVEL_CLEAR };
static const struct dw_ladder_want purge = { .level = DW_LEVEL_PURGE };

static struct dw_ladder_disk disk_of(enum dw_medium medium, uint32_t offered)
{
	return (struct dw_ladder_disk){
		.medium = medium,
		.offered = offered,
		.stated = BIT(BLOCK) | BIT(OVERWRITE),
		.ns = { [ZERO] = 10 * HOUR,
			[OVERWRITE] = 9 * HOUR,
			[BLOCK] = 120 * DW_NS_PER_S,
			[CRYPTO] = 2 * DW_NS_PER_S,
			[NORMAL] = 8 * HOUR,
			[ENHANCED] = 7 * HOUR,
			[FORMAT] = 300 * DW_NS_PER_S,
			[FORMAT_CRYPTO] = 3 * DW_NS_PER_S },
	};
}

/* way that is taken, -1 = none */
static int taken(enum dw_medium medium, uint32_t offered,
		 const struct dw_ladder_want *want)
{
	struct dw_ladder_disk disk = disk_of(medium, offered | BIT(ZERO));
	struct dw_ladder_choice choice;

	return dw_ladder_choose(&disk, want, &choice) ? choice.operation : -1;
}

static void levels(void **state)
{
	static const char *const want[DW_MEDIUM_COUNT] = {
		[DW_MEDIUM_UNKNOWN] = "cccpcccc",
		[DW_MEDIUM_MAGNETIC] = "cpcpcpcc",
		[DW_MEDIUM_FLASH] = "ccppcccc",
		[DW_MEDIUM_THIN] = "cccccccc",
	};

	for (int m = 0; m < DW_MEDIUM_COUNT; m++)
		for (int o = 0; o < DW_OPERATION_COUNT; o++) {
			bool p = want[m][o] == 'p';

			assert_int_equal(dw_ladder_level(m, o),
					 p ? DW_LEVEL_PURGE : DW_LEVEL_CLEAR);
			assert_int_equal(!dw_ladder_limit(m, o), p);
		}
}

static void media(void **state)
{
	assert_int_equal(dw_medium_of(7200, false), DW_MEDIUM_MAGNETIC);
	assert_int_equal(dw_medium_of(7200, true), DW_MEDIUM_MAGNETIC);
	assert_int_equal(dw_medium_of(1, false), DW_MEDIUM_FLASH);
	assert_int_equal(dw_medium_of(1, true), DW_MEDIUM_FLASH);
	assert_int_equal(dw_medium_of(0, true), DW_MEDIUM_THIN);
	assert_int_equal(dw_medium_of(0, false), DW_MEDIUM_UNKNOWN);
}

/* each way has its method, and that does nothing else */
static void methods(void **state)
{
	for (int o = 0; o < DW_OPERATION_COUNT; o++) {
		const struct dw_method *m = dw_method_find(dw_ladder_method(o));

		assert_non_null(m);
		assert_int_equal(m->operation, o);
		assert_false(m->optional || m->chosen);
	}
}

static void choices(void **state)
{
	struct dw_ladder_want w = purge;

	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, ALL, &purge), OVERWRITE);
	assert_int_equal(taken(DW_MEDIUM_FLASH, ALL, &purge), BLOCK);
	assert_int_equal(taken(DW_MEDIUM_UNKNOWN, ALL, &purge), -1);
	assert_int_equal(taken(DW_MEDIUM_THIN, ALL, &purge), -1);
	assert_int_equal(taken(DW_MEDIUM_FLASH, BIT(OVERWRITE), &purge), -1);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(BLOCK), &purge), -1);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, 0, &purge), -1);
	w.allow = DW_ALLOW_CRYPTO;
	assert_int_equal(taken(DW_MEDIUM_FLASH, ALL, &w), CRYPTO);
	assert_int_equal(taken(DW_MEDIUM_UNKNOWN, ALL, &w), CRYPTO);
	assert_int_equal(taken(DW_MEDIUM_THIN, ALL, &w), -1);
	w.barred = BIT(CRYPTO);
	assert_int_equal(taken(DW_MEDIUM_FLASH, ALL, &w), BLOCK);
	w.barred |= BIT(BLOCK);
	assert_int_equal(taken(DW_MEDIUM_FLASH, ALL, &w), -1);

	assert_int_equal(taken(DW_MEDIUM_FLASH, ALL, &clear), BLOCK);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(OVERWRITE), &clear), OVERWRITE);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(CRYPTO), &clear), ZERO);
}

/* what sets a password is never taken unasked; it purges only what rotates, where enhanced */
static void security(void **state)
{
	uint32_t both = BIT(NORMAL) | BIT(ENHANCED);
	struct dw_ladder_want w = purge, c = clear;

	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, both, &purge), -1);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, both, &clear), ZERO);
	c.allow = w.allow = DW_ALLOW_CRYPTO;
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, both, &w), -1);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, both, &c), ZERO);
	c.allow = w.allow = DW_ALLOW_ATA_SECURITY;
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, both, &w), ENHANCED);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(NORMAL), &w), -1);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(NORMAL), &c), NORMAL);
	assert_int_equal(taken(DW_MEDIUM_FLASH, both, &w), -1);
	assert_int_equal(taken(DW_MEDIUM_FLASH, both, &c), ENHANCED);
	assert_int_equal(taken(DW_MEDIUM_UNKNOWN, both, &w), -1);
}

static void formats(void **state)
{
	uint32_t both = BIT(FORMAT) | BIT(FORMAT_CRYPTO);
	struct dw_ladder_want w = clear, p = purge;

	assert_int_equal(taken(DW_MEDIUM_FLASH, both, &w), FORMAT);
	w.allow = p.allow = DW_ALLOW_CRYPTO;
	assert_int_equal(taken(DW_MEDIUM_FLASH, both, &w), FORMAT_CRYPTO);
	assert_int_equal(taken(DW_MEDIUM_FLASH, both, &p), -1);
}

/* clear will do only where there is no purge */
static void or_clear(void **state)
{
	struct dw_ladder_want w = { .level = DW_LEVEL_PURGE, .or_clear = true };

	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, ALL, &w), OVERWRITE);
	assert_int_equal(taken(DW_MEDIUM_MAGNETIC, BIT(BLOCK), &w), BLOCK);
	assert_int_equal(taken(DW_MEDIUM_FLASH, 0, &w), ZERO);
}

/* of equal times the higher level */
static void ties(void **state)
{
	struct dw_ladder_disk d = disk_of(DW_MEDIUM_MAGNETIC, BIT(ZERO) | BIT(OVERWRITE));
	struct dw_ladder_choice c;

	d.ns[OVERWRITE] = d.ns[ZERO];
	assert_true(dw_ladder_choose(&d, &clear, &c));
	assert_int_equal(c.operation, OVERWRITE);
	assert_int_equal(c.level, DW_LEVEL_PURGE);
	d.ns[OVERWRITE]++;
	assert_true(dw_ladder_choose(&d, &clear, &c));
	assert_int_equal(c.operation, ZERO);
}

static void allowed(void **state)
{
	uint32_t bits = 7;

	assert_int_equal(dw_allow_parse("", &bits), 0);
	assert_int_equal(bits, 0);
	assert_int_equal(dw_allow_parse("crypto", &bits), 0);
	assert_int_equal(bits, DW_ALLOW_CRYPTO);
	assert_int_equal(dw_allow_parse("crypto,crypto", &bits), 0);
	assert_int_equal(dw_allow_parse("ata-security", &bits), 0);
	assert_int_equal(bits, DW_ALLOW_ATA_SECURITY);
	assert_int_equal(dw_allow_parse("ata-security,crypto", &bits), 0);
	assert_int_equal(bits, DW_ALLOW_ATA_SECURITY | DW_ALLOW_CRYPTO);
	assert_int_equal(dw_allow_parse("crypto", &bits), 0);
	assert_int_equal(dw_allow_parse("ata", &bits), -EINVAL);
	assert_int_equal(dw_allow_parse("cryp", &bits), -EINVAL);
	assert_int_equal(dw_allow_parse("crypto,", &bits), -EINVAL);
	assert_int_equal(dw_allow_parse(",crypto", &bits), -EINVAL);
	assert_int_equal(bits, DW_ALLOW_CRYPTO);
}

static void reasons(void **state)
{
	struct dw_ladder_want w = { .level = DW_LEVEL_PURGE, .or_clear = true };
	struct dw_ladder_disk d =
		disk_of(DW_MEDIUM_FLASH, BIT(ZERO) | BIT(BLOCK) | BIT(CRYPTO));
	struct dw_ladder_choice c;
	char text[256];

	assert_true(dw_ladder_choose(&d, &purge, &c));
	assert_string_equal(
		dw_ladder_reason(&d, &purge, &c, text, sizeof(text)),
		"purge by sanitize-block, 0:02:00 stated; by sanitize-crypto if "
		"crypto is allowed; zero reaches clear only: flash has blocks that "
		"writes do not reach");
	d.offered = BIT(ZERO);
	assert_string_equal(
		dw_ladder_reason(&d, &purge, NULL, text, sizeof(text)),
		"this disk cannot purge itself here; zero reaches clear only: flash "
		"has blocks that writes do not reach");
	d.offered = BIT(ZERO) | BIT(CRYPTO);
	assert_string_equal(
		dw_ladder_reason(&d, &purge, NULL, text, sizeof(text)),
		"no allowed way to purge it; by sanitize-crypto if crypto is allowed; "
		"zero reaches clear only: flash has blocks that writes do not reach");
	d.offered = BIT(ZERO);
	assert_true(dw_ladder_choose(&d, &w, &c));
	assert_string_equal(dw_ladder_reason(&d, &w, &c, text, sizeof(text)),
			    "clear by zero, about 10:00:00; no purge is available, clear "
			    "was accepted");
	/* all of it fits, on each medium */
	for (int m = 0; m < DW_MEDIUM_COUNT; m++) {
		d = disk_of(m, ALL);
		w.or_clear = false;
		dw_ladder_reason(&d, &w, dw_ladder_choose(&d, &w, &c) ? &c : NULL, text,
				 sizeof(text));
		assert_in_range(strlen(text), 20, 255);
	}
}

/* All that there is, against what the standard's reader would say in his own words. */
static void cases(void **state)
{
	static const char *const table[DW_MEDIUM_COUNT] = {
		[DW_MEDIUM_UNKNOWN] = "cccpcccc",
		[DW_MEDIUM_MAGNETIC] = "cpcpcpcc",
		[DW_MEDIUM_FLASH] = "ccppcccc",
		[DW_MEDIUM_THIN] = "cccccccc",
	};
	size_t reached[3] = { 0 };

	for (unsigned int i = 0; i < DW_MEDIUM_COUNT * DW_OPERATION_COUNT * 96; i++) {
		struct dw_level_case c = {
			.medium = i / 96 % DW_MEDIUM_COUNT,
			.operation = i / 96 / DW_MEDIUM_COUNT,
			.ended = i % 3,
			.verified = i / 3 % 4,
			.mapped = i / 12 % 2,
			.hidden = i / 24 % 2,
			.witnessed = i / 48 % 2,
		};
		enum dw_level level = DW_LEVEL_CLEAR;
		const char *limit = "";
		bool own = c.operation != DW_OPERATION_NONE;
		char want = table[c.medium][c.operation];

		if (want == 'p' && c.hidden)
			want = 'c';
		if (c.ended != DW_COMPLETE_WHOLE || c.verified == DW_VERIFIED_PART ||
		    (own ? !c.witnessed : c.mapped))
			want = 'n';
		assert_int_equal(dw_level_reached(&c, &level, &limit), want != 'n');
		assert_int_equal(level, want == 'p' ? DW_LEVEL_PURGE : DW_LEVEL_CLEAR);
		assert_int_equal(limit == NULL, want == 'p');
		if (want == 'c' && !own && !c.hidden)
			assert_int_equal(!strcmp(limit, "it was not read back"),
					 c.verified < DW_VERIFIED_SAMPLE);
		reached[want == 'p' ? 2 : want == 'c']++;
	}
	assert_true(reached[0] > 1000 && reached[1] > 100 && reached[2] > 10);
}

static char *read_page(void)
{
	char path[4096], *text = calloc(1, 65536);
	FILE *f;

	assert_non_null(getenv("DW_TEST_DATA"));
	snprintf(path, sizeof(path), "%s/../../docs/records.md", getenv("DW_TEST_DATA"));
	f = fopen(path, "re");
	assert_non_null(f);
	assert_true(text && fread(text, 1, 65535, f) > 1000);
	fclose(f);
	return text;
}

/* docs/records.md: a row of a medium, a column of each way, and each reason */
static void page(void **state)
{
	static const char *const media_words[] = { "unknown", "magnetic", "flash",
						   "thin" };
	char *text = read_page(), *at;
	char row[32];

	for (unsigned int m = 0; m < DW_MEDIUM_COUNT; m++) {
		snprintf(row, sizeof(row), "\n| %s:", media_words[m]);
		at = strstr(text, row);
		assert_non_null(at);
		for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++) {
			at = strchr(at + 2, '|');
			assert_non_null(at);
			assert_false(
				strncmp(at + 2, dw_level_name(dw_ladder_level(m, o)), 5));
		}
	}
	for (unsigned int i = 0; i < 7; i++) {
		struct dw_level_case c = { .medium = DW_MEDIUM_MAGNETIC,
					   .operation = i == 2 || i == 4
								? DW_OPERATION_OVERWRITE
								: DW_OPERATION_NONE,
					   .ended = i < 2 ? i : DW_COMPLETE_WHOLE,
					   .mapped = i == 3,
					   .verified = i == 6 ? DW_VERIFIED_PART
							      : DW_VERIFIED_NONE,
					   .hidden = i == 4,
					   .witnessed = i == 4 };
		enum dw_level level;
		const char *limit;

		dw_level_reached(&c, &level, &limit);
		assert_non_null(limit);
		assert_non_null(strstr(text, limit));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),   cmocka_unit_test(media),
		cmocka_unit_test(cases),    cmocka_unit_test(page),
		cmocka_unit_test(methods),  cmocka_unit_test(choices),
		cmocka_unit_test(or_clear), cmocka_unit_test(ties),
		cmocka_unit_test(allowed),  cmocka_unit_test(reasons),
		cmocka_unit_test(security), cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
