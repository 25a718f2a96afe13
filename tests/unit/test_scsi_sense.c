/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sense data as disks send it, then every prefix of it: a cut may lose fields but never
 * invent one. Buffers are heap blocks of the exact length, so that the sanitizers see
 * every byte read too many.
 */
#include "unit.h"

#include "base/rng.h"
#include "base/util.h"
#include "scsi/sense.h"

static const struct {
	const char *hex;
	struct dw_sense want;
	const char *text;
} fixtures[] = {
	/* SAS disk, unrecovered read at LBA 1234h, FRU, actual retry count */
	{ "f0 00 03 00001234 18 00000000 11 00 e4 80 0009 0000000000000000000000000000",
	  { .key = 3,
	    .asc = 0x11,
	    .info_valid = true,
	    .information = 0x1234,
	    .fru = 0xe4 },
	  "(3/11/00), LBA 4660, FRU 228" },
	/* scsi_debug, not valid information */
	{ "70 00 03 00001234 0a 00000000 0c 03 00 000000",
	  { .key = 3, .asc = 0x0c, .ascq = 0x03 },
	  "(3/0C/03)" },
	/* LIO, invalid field in CDB, byte 10 */
	{ "70 00 05 00000000 0a 00000000 24 00 00 c0 000a",
	  { .key = 5,
	    .asc = 0x24,
	    .field_valid = true,
	    .field_in_cdb = true,
	    .field = 10 },
	  "(5/24/00), byte 10 of the CDB" },
	/* sanitize at one half */
	{ "70 00 02 00000000 0a 00000000 04 1b 00 80 8000",
	  { .key = 2,
	    .asc = 4,
	    .ascq = 0x1b,
	    .progress_valid = true,
	    .progress = 0x8000 },
	  "(2/04/1B), 50% done" },
	/* deferred write error */
	{ "f1 00 03 00000010 0a 00000000 0c 00 00 000000",
	  { .key = 3,
	    .asc = 0x0c,
	    .deferred = true,
	    .info_valid = true,
	    .information = 0x10 },
	  "deferred (3/0C/00), LBA 16" },
	/* descriptor format, LBA beyond 32 bits */
	{ "72 03 11 00 00 00 00 0c  00 0a 80 00 0000000123456789",
	  { .key = 3,
	    .asc = 0x11,
	    .descriptor = true,
	    .info_valid = true,
	    .information = 0x123456789 },
	  "(3/11/00), LBA 4886718345" },
	/* the same with VALID clear: no LBA */
	{ "72 03 11 00 00 00 00 0c  00 0a 00 00 0000000123456789",
	  { .key = 3, .asc = 0x11, .descriptor = true },
	  "(3/11/00)" },
	/* deferred; sense key specific, FRU, command specific */
	{ "73 02 04 04 00 00 00 18  02 06 00 00 80 4000 00  03 02 00 07  "
	  "01 0a 00 00 0000000000000055",
	  { .key = 2,
	    .asc = 4,
	    .ascq = 4,
	    .descriptor = true,
	    .deferred = true,
	    .progress_valid = true,
	    .progress = 0x4000,
	    .fru = 7,
	    .specific_valid = true,
	    .specific = 0x55 },
	  "deferred (2/04/04), 25% done, FRU 7" },
	/* another progress indication */
	{ "72 00 00 00 00 00 00 08  0a 06 02 04 1b 00 c000",
	  { .descriptor = true, .progress_valid = true, .progress = 0xc000 },
	  "(0/00/00), 75% done" },
	/* direct-access block device descriptor */
	{ "72 05 21 00 00 00 00 20  0d 1e 80 00 c0 0002 09 0000000200000001 "
	  "0000000000000000 0000000000000000",
	  { .key = 5,
	    .asc = 0x21,
	    .descriptor = true,
	    .info_valid = true,
	    .information = 0x200000001,
	    .field_valid = true,
	    .field_in_cdb = true,
	    .field = 2,
	    .fru = 9 },
	  "(5/21/00), LBA 8589934593, "
	  "byte 2 of the CDB, FRU 9" },
	/* libata, ATA status return: nothing of it is ours */
	{ "72 01 00 1d 00 00 00 0e  09 0c 00 00 00 00 00 00 00 00 00 00 00 50",
	  { .key = 1, .ascq = 0x1d, .descriptor = true },
	  "(1/00/1D)" },
	/* only the header */
	{ "72 06 29 02 00 00 00 00",
	  { .key = 6, .asc = 0x29, .ascq = 2, .descriptor = true },
	  "(6/29/02)" },
	/* the additional length hides what stands behind it */
	{ "70 00 0b 00000000 00 00000000 47 03 00 000000", { .key = 0xb }, "(B/00/00)" },
	/* unknown codes */
	{ "70 00 04 00000000 0a 00000000 f1 33 00 000000",
	  { .key = 4, .asc = 0xf1, .ascq = 0x33 },
	  "(4/F1/33)" },
	{ "70 00 04 00000000 0a 00000000 44 33 00 000000",
	  { .key = 4, .asc = 0x44, .ascq = 0x33 },
	  "(4/44/33)" },
};

/* Parse from a heap block of exactly @len bytes. */
static int parse_exact(const uint8_t *data, size_t len, struct dw_sense *ret)
{
	uint8_t *copy = malloc(len ? len : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, data, len);
	r = dw_sense_parse(copy, len, ret);
	free(copy);
	return r;
}

static void expect(const struct dw_sense *s, const struct dw_sense *want)
{
	assert_int_equal(s->key, want->key);
	assert_int_equal(s->asc, want->asc);
	assert_int_equal(s->ascq, want->ascq);
	assert_int_equal(s->fru, want->fru);
	assert_int_equal(s->descriptor, want->descriptor);
	assert_int_equal(s->deferred, want->deferred);
	assert_int_equal(s->info_valid, want->info_valid);
	assert_int_equal(s->information, want->information);
	assert_int_equal(s->specific_valid, want->specific_valid);
	assert_int_equal(s->specific, want->specific);
	assert_int_equal(s->progress_valid, want->progress_valid);
	assert_int_equal(s->progress, want->progress);
	assert_int_equal(s->field_valid, want->field_valid);
	assert_int_equal(s->field_in_cdb, want->field_in_cdb);
	assert_int_equal(s->field, want->field);
}

/* @rest with T10's words before the codes; they differ a little by version. */
static const char *expected(const struct dw_sense *s, const char *rest, char *buf,
			    size_t size)
{
	const char *code = dw_sense_code_name(s->asc, s->ascq);
	const char *codes = strchr(rest, '(');

	snprintf(buf, size, "%.*s%s%s%s %s", (int)(codes - rest), rest,
		 dw_sense_key_name(s->key), code ? ": " : "", code ? code : "", codes);
	return buf;
}

static void test_fixtures(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(fixtures); i++) {
		uint8_t data[96];
		struct dw_sense s;
		char text[256], want[256];
		size_t n = unhex(fixtures[i].hex, data, sizeof(data));

		assert_int_equal(parse_exact(data, n, &s), 0);
		expect(&s, &fixtures[i].want);
		assert_string_equal(expected(&s, fixtures[i].text, want, sizeof(want)),
				    dw_sense_text(&s, text, sizeof(text)));
	}
	assert_string_equal("Medium Error", dw_sense_key_name(3));
	assert_string_equal("Unrecovered read error", dw_sense_code_name(0x11, 0));
	assert_string_equal("Logical block address out of range",
			    dw_sense_code_name(0x21, 0));
}

static void test_prefixes(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(fixtures); i++) {
		const struct dw_sense *want = &fixtures[i].want;
		uint8_t data[96];
		size_t n = unhex(fixtures[i].hex, data, sizeof(data));

		for (size_t len = 0; len < n; len++) {
			struct dw_sense s;
			int r = parse_exact(data, len, &s);

			if (len < 3) {
				assert_int_equal(r, -EINVAL);
				continue;
			}
			assert_int_equal(r, 0);
			assert_int_equal(s.key, want->key);
			assert_true(s.asc == want->asc || s.asc == 0);
			assert_true(s.ascq == want->ascq || s.ascq == 0);
			assert_true(!s.info_valid || s.information == want->information);
			assert_true(s.info_valid <= want->info_valid);
			assert_true(!s.progress_valid || s.progress == want->progress);
			assert_true(s.progress_valid <= want->progress_valid);
			assert_true(s.field_valid <= want->field_valid);
		}
	}
}

static void test_not_sense(void **state)
{
	static const uint8_t codes[] = { 0x00, 0x01, 0x6f, 0x74, 0x7f, 0xff, 0x80 };
	uint8_t data[18] = { 0 };
	struct dw_sense s;

	for (size_t i = 0; i < DW_ARRAY_SIZE(codes); i++) {
		data[0] = codes[i];
		assert_int_equal(dw_sense_parse(data, sizeof(data), &s), -EINVAL);
	}
}

static void test_text_is_cut(void **state)
{
	struct dw_sense s = { .key = 3, .asc = 0x11, .info_valid = true, .fru = 1 };
	char full[256];

	dw_sense_text(&s, full, sizeof(full));
	for (size_t size = 1; size <= strlen(full) + 1; size++) {
		char *buf = malloc(size);

		assert_non_null(buf);
		dw_sense_text(&s, buf, size);
		assert_int_equal(strlen(buf), size - 1);
		assert_memory_equal(buf, full, size - 1);
		free(buf);
	}
}

static void test_random(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 2);
	for (int i = 0; i < 200000; i++) {
		uint8_t data[96];
		size_t len = dw_rng_below(&rng, sizeof(data) + 1);
		struct dw_sense s;
		char text[300];

		for (size_t k = 0; k < len; k++)
			data[k] = (uint8_t)(dw_rng_next(&rng) & (k < 40 ? 0x8f : 0xff));
		if (len)
			data[0] |= 0x70;
		if (parse_exact(data, len, &s) < 0)
			continue;
		assert_true(s.key <= 0xf);
		dw_sense_text(&s, text, sizeof(text));
		assert_true(strlen(text) < sizeof(text) - 1);
	}
}

static void test_names(void **state)
{
	for (unsigned int k = 0; k < 256; k++)
		assert_non_null(dw_sense_key_name((uint8_t)k));
	assert_null(dw_sense_code_name(0xf0, 0));
	assert_null(dw_sense_code_name(0x00, 0x77));
	assert_string_equal(dw_sense_code_name(0x29, 0x77),
			    dw_sense_code_name(0x29, 0x00));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),  cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_not_sense), cmocka_unit_test(test_text_is_cut),
		cmocka_unit_test(test_random),    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
