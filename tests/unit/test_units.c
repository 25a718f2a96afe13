/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, durations and times: what is read, what is refused, what is printed. */
#include "unit.h"

#include <diskwipe/units.h>

#include "base/rng.h"
#include "base/util.h"

#define BAD   UINT64_C(0xfeedfacefeedface)
#define NS(s) ((s)*UINT64_C(1000000000))

struct row {
	const char *text;
	int r;
	uint64_t value;
};

static void check_rows(int (*parse)(const char *, uint64_t *), const struct row *row,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = BAD;
		int r = parse(row[i].text, &v);

		if (r != row[i].r || v != (r ? BAD : row[i].value))
			fail_msg("\"%s\": %d, %llu", row[i].text, r,
				 (unsigned long long)v);
	}
}

static void numbers(void **state)
{
	static const struct row row[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "007", 0, 7 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
	};

	check_rows(dw_number_parse, row, DW_ARRAY_SIZE(row));
}

static void sizes(void **state)
{
	static const struct row row[] = {
		{ "0", 0, 0 },
		{ "512", 0, 512 },
		{ "512B", 0, 512 },
		{ "1K", 0, 1024 },
		{ "1k", 0, 1024 },
		{ "1KiB", 0, 1024 },
		{ "1KB", 0, 1000 },
		{ "1kb", 0, 1000 },
		{ "200M", 0, 200ull << 20 },
		{ "200MiB", 0, 200ull << 20 },
		{ "200MB", 0, 200000000 },
		{ "64GiB", 0, 64ull << 30 },
		{ "2T", 0, 2ull << 40 },
		{ "3P", 0, 3ull << 50 },
		{ "15E", 0, 15ull << 60 },
		{ "16E", -ERANGE, 0 },
		{ "18EB", 0, 18000000000000000000ull },
		{ "19EB", -ERANGE, 0 },
		{ "15.99E", 0, 18435214858663483146ull },
		{ "1.5G", 0, 3ull << 29 },
		{ "0.5K", 0, 512 },
		{ ".5K", 0, 512 },
		{ "1.9", 0, 1 },
		{ "1.", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 },
		{ "1Kx", -EINVAL, 0 },
		{ "1Ki", -EINVAL, 0 },
		{ "1KiBB", -EINVAL, 0 },
		{ "1MM", -EINVAL, 0 },
		{ "1,5G", -EINVAL, 0 },
		{ "1Z", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
	};

	check_rows(dw_size_parse, row, DW_ARRAY_SIZE(row));
}

static void durations(void **state)
{
	static const struct row row[] = {
		{ "0", 0, 0 },
		{ "300", 0, NS(300) },
		{ "300s", 0, NS(300) },
		{ "5min", 0, NS(300) },
		{ "5M", 0, NS(300) },
		{ "10m", 0, NS(600) },
		{ "2h", 0, NS(7200) },
		{ "2hours", 0, NS(7200) },
		{ "1d", 0, NS(86400) },
		{ "1h30m", 0, NS(5400) },
		{ "1h30min5.25s", 0, NS(5405) + 250000000 },
		{ "250ms", 0, 250000000 },
		{ "1.5us", 0, 1500 },
		{ "7ns", 0, 7 },
		{ "213503d", 0, NS(213503ull * 86400) },
		{ "213504d", -ERANGE, 0 },
		{ "213503d23h50m", -ERANGE, 0 },
		{ "1h30", -EINVAL, 0 },
		{ "30 s", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "-5s", -EINVAL, 0 },
		{ "5x", -EINVAL, 0 },
		{ "5s ", -EINVAL, 0 },
		{ "1:30", -EINVAL, 0 },
	};

	check_rows(dw_duration_parse, row, DW_ARRAY_SIZE(row));
}

static void percents(void **state)
{
	static const char *const bad[] = { "",   "%",   "10%%", "10 %",
					   "-1", "ten", "1e1",  "%10" };
	static const char *const out[] = { "0",     "0%",   "0.0000000001",
					   "100.1", "101%", "1000" };
	double p;

	assert_int_equal(dw_percent_parse("10%", &p), 0);
	assert_true(p == 10);
	assert_int_equal(dw_percent_parse("0.5", &p), 0);
	assert_true(p == 0.5);
	assert_int_equal(dw_percent_parse("100%", &p), 0);
	assert_true(p == 100);
	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(dw_percent_parse(bad[i], &p), -EINVAL);
	for (size_t i = 0; i < DW_ARRAY_SIZE(out); i++)
		assert_int_equal(dw_percent_parse(out[i], &p), -ERANGE);
}

static void format_sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *decimal, *binary;
	} row[] = {
		{ 0, "0 B", "0 B" },
		{ 999, "999 B", "999 B" },
		{ 1000, "1.00 kB", "1000 B" },
		{ 1024, "1.02 kB", "1.00 KiB" },
		{ 9994, "9.99 kB", "9.76 KiB" },
		{ 9996, "10.0 kB", "9.76 KiB" },
		{ 99949, "99.9 kB", "97.6 KiB" },
		{ 99950, "100 kB", "97.6 KiB" },
		{ 999499, "999 kB", "976 KiB" },
		{ 999500, "1.00 MB", "976 KiB" },
		{ 1048063, "1.05 MB", "1023 KiB" },
		{ 1048064, "1.05 MB", "1.00 MiB" },
		{ 18200000000, "18.2 GB", "17.0 GiB" },
		{ 18446744073709551615ull, "18.4 EB", "16.0 EiB" },
	};
	char buf[DW_UNIT_TEXT];

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		assert_string_equal(dw_size_format(row[i].bytes, buf, sizeof(buf)),
				    row[i].decimal);
		assert_string_equal(dw_size_format_binary(row[i].bytes, buf, sizeof(buf)),
				    row[i].binary);
	}
}

static void format_rates(void **state)
{
	char buf[DW_UNIT_TEXT];

	assert_string_equal(dw_rate_format(270000000, NS(1), buf, sizeof(buf)),
			    "270 MB/s");
	assert_string_equal(dw_rate_format(1 << 20, 1000000, buf, sizeof(buf)),
			    "1.05 GB/s");
	assert_string_equal(dw_rate_format(0, NS(3), buf, sizeof(buf)), "0 B/s");
	assert_string_equal(dw_rate_format(1, 0, buf, sizeof(buf)), "-");
	assert_string_equal(dw_rate_format(UINT64_MAX, 1, buf, sizeof(buf)), "18.4 EB/s");
}

static void format_durations(void **state)
{
	char buf[DW_UNIT_TEXT];

	assert_string_equal(dw_duration_format(0, buf, sizeof(buf)), "0:00:00");
	assert_string_equal(dw_duration_format(499999999, buf, sizeof(buf)), "0:00:00");
	assert_string_equal(dw_duration_format(500000000, buf, sizeof(buf)), "0:00:01");
	assert_string_equal(dw_duration_format(NS(271), buf, sizeof(buf)), "0:04:31");
	assert_string_equal(dw_duration_format(NS(3600) - 1, buf, sizeof(buf)),
			    "1:00:00");
	assert_string_equal(dw_duration_format(NS(360000), buf, sizeof(buf)),
			    "100:00:00");
	assert_string_equal(dw_duration_format(UINT64_MAX, buf, sizeof(buf)),
			    "5124095:34:34");
}

static const char *at(int64_t s, int32_t offset, char *buf)
{
	struct timespec t = { .tv_sec = s, .tv_nsec = 999999999 };

	return dw_time_format(&t, offset, buf, DW_UNIT_TEXT);
}

static void format_times(void **state)
{
	char buf[DW_UNIT_TEXT];

	assert_string_equal(at(0, 0, buf), "1970-01-01T00:00:00+00:00");
	assert_string_equal(at(0, -3600, buf), "1969-12-31T23:00:00-01:00");
	assert_string_equal(at(-1, 0, buf), "1969-12-31T23:59:59+00:00");
	assert_string_equal(at(951782400, 0, buf), "2000-02-29T00:00:00+00:00");
	assert_string_equal(at(4107542400, 0, buf), "2100-03-01T00:00:00+00:00");
	assert_string_equal(at(1795224845, 3600, buf), "2026-11-21T02:34:05+01:00");
	assert_string_equal(at(1795224845, 20700, buf), "2026-11-21T07:19:05+05:45");
	assert_string_equal(at(1795224845, -12600, buf), "2026-11-20T22:04:05-03:30");
	assert_string_equal(at(253402300799, 0, buf), "9999-12-31T23:59:59+00:00");
}

/* The calendar against the C library's, over six thousand years. */
static void times_as_libc(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (int i = 0; i < 20000; i++) {
		time_t s = (time_t)dw_rng_below(&rng, 250000000000) - 60000000000;
		char want[DW_UNIT_TEXT], got[DW_UNIT_TEXT];
		struct tm tm;

		gmtime_r(&s, &tm);
		strftime(want, sizeof(want), "-%m-%dT%H:%M:%S+00:00", &tm);
		assert_string_equal(at(s, 0, got) + 4, want);
		assert_int_equal(strtol(got, NULL, 10), tm.tm_year + 1900);
	}
}

/* Short buffers cut the text, and nothing is written behind them. */
static void short_buffers(void **state)
{
	char buf[8] = "zzzzzzz";

	dw_size_format(18200000000, buf, 4);
	assert_string_equal(buf, "18.");
	assert_int_equal(buf[4], 'z');
}

static void text_that_may_be_shown(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "" },
		{ "Slot 07 ~", "Slot 07 ~" },
		{ "a\033[2Jb\nc\td\x7f", "a?[2Jb?c?d?" },
		{ "\x9b"
		  "2J\x80\xff",
		  "?2J??" }, /* C1 as a byte */
		{ "\xc2\x9b"
		  "2J\xc2\x80\xc2\x9f",
		  "?2J??" }, /* C1 in UTF-8 */
		{ "\xc2\xa0\xc3\xa9\xe2\x82\xac", "\xc2\xa0\xc3\xa9\xe2\x82\xac" },
		{ "\xf0\x9f\x92\xbe", "\xf0\x9f\x92\xbe" },
		{ "\xe2\x80\xae"
		  "x\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9",
		  "?x???" },
		{ "\xe2\x80\xa8\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf", "????" },
		{ "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5", "?\xe2\x80\xaf\xe2\x81\xa5" },
		{ "\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b", "?????????" }, /* too long */
		{ "\xed\xa0\x80\xf4\x90\x80\x80\xf5", "????????" },
		{ "a\xe2\x82", "a??" }, /* cut off */
		{ "\xc3"
		  "A",
		  "?A" },
	};
	char text[32];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "%s", rows[i].text);
		assert_ptr_equal(text, dw_text_printable(text));
		assert_string_equal(rows[i].want, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_that_may_be_shown),
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(durations),
		cmocka_unit_test(percents),
		cmocka_unit_test(format_sizes),
		cmocka_unit_test(format_rates),
		cmocka_unit_test(format_durations),
		cmocka_unit_test(format_times),
		cmocka_unit_test(times_as_libc),
		cmocka_unit_test(short_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
