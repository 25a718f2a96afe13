/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sizes, durations and times as text. Every number is read as an integer and billionths,
 * and written by integer arithmetic, so that neither the locale's decimal point nor binary
 * fractions ever show; products are formed in 128 bits and refused when they do not fit.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"

#define BILLION UINT64_C(1000000000)

struct decimal {
	uint64_t whole;
	uint32_t billionths;
};

struct unit_suffix {
	const char *suffix;
	uint64_t factor;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read "12", "12.5" or ".5"; digits beyond the ninth after the point count for nothing. */
static int read_decimal(const char **at, struct decimal *ret_d)
{
	struct decimal d = { 0 };
	const char *s = *at;
	uint32_t place = BILLION / 10;
	bool any = false;

	for (; is_digit(*s); s++, any = true) {
		if (__builtin_mul_overflow(d.whole, 10, &d.whole) ||
		    __builtin_add_overflow(d.whole, (uint64_t)(*s - '0'), &d.whole))
			return -ERANGE;
	}
	if (*s == '.') {
		if (!is_digit(*++s))
			return -EINVAL;
		for (any = true; is_digit(*s); s++, place /= 10)
			d.billionths += (uint32_t)(*s - '0') * place;
	}
	if (!any)
		return -EINVAL;
	*at = s;
	*ret_d = d;
	return 0;
}

static int multiply(struct decimal d, uint64_t factor, uint64_t *ret_product)
{
	unsigned __int128 p = (unsigned __int128)d.whole * factor +
			      (unsigned __int128)d.billionths * factor / BILLION;

	if (p > UINT64_MAX)
		return -ERANGE;
	*ret_product = (uint64_t)p;
	return 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_fold(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!b[i] || lower(a[i]) != lower(b[i]))
			return false;
	return b[len] == '\0';
}

static const struct unit_suffix *find_unit(const struct unit_suffix *units, size_t n,
					   const char *text, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (equal_fold(text, units[i].suffix, len))
			return &units[i];
	return NULL;
}

int dw_number_parse(const char *text, uint64_t *ret_value)
{
	struct decimal d;
	int r;

	if (strchr(text, '.'))
		return -EINVAL;
	r = read_decimal(&text, &d);
	if (r < 0)
		return r;
	if (*text)
		return -EINVAL;
	*ret_value = d.whole;
	return 0;
}

int dw_size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char prefixes[] = "kmgtpe";
	uint64_t base = 1024, factor = 1;
	struct decimal d;
	const char *prefix;
	int r;

	r = read_decimal(&text, &d);
	if (r < 0)
		return r;
	if (!*text || equal_fold(text, "b", strlen(text)))
		return multiply(d, 1, ret_bytes);
	prefix = strchr(prefixes, lower(*text));
	if (!prefix)
		return -EINVAL;
	text++;
	if (equal_fold(text, "b", strlen(text)))
		base = 1000;
	else if (*text && !equal_fold(text, "ib", strlen(text)))
		return -EINVAL;
	for (const char *p = prefixes; p <= prefix; p++)
		factor *= base;
	return multiply(d, factor, ret_bytes);
}

int dw_duration_parse(const char *text, uint64_t *ret_ns)
{
	static const struct unit_suffix units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", BILLION },
		{ "sec", BILLION },
		{ "m", 60 * BILLION },
		{ "min", 60 * BILLION },
		{ "h", 3600 * BILLION },
		{ "hour", 3600 * BILLION },
		{ "hours", 3600 * BILLION },
		{ "d", 86400 * BILLION },
		{ "day", 86400 * BILLION },
		{ "days", 86400 * BILLION },
	};
	const char *start = text;
	uint64_t sum = 0;

	do {
		const struct unit_suffix *unit;
		struct decimal d;
		const char *number = text;
		uint64_t part;
		size_t len;
		int r;

		r = read_decimal(&text, &d);
		if (r < 0)
			return r;
		len = strcspn(text, "0123456789.");
		unit = find_unit(units, DW_ARRAY_SIZE(units), text, len);
		if (!len && number == start && !*text)
			unit = &units[3];
		if (!unit)
			return -EINVAL;
		text += len;
		r = multiply(d, unit->factor, &part);
		if (r < 0 || __builtin_add_overflow(sum, part, &sum))
			return -ERANGE;
	} while (*text);
	*ret_ns = sum;
	return 0;
}

int dw_percent_parse(const char *text, double *ret_percent)
{
	struct decimal d;
	double percent;
	int r;

	r = read_decimal(&text, &d);
	if (r < 0)
		return r;
	if (*text == '%')
		text++;
	if (*text)
		return -EINVAL;
	percent = (double)d.whole + (double)d.billionths / (double)BILLION;
	if (percent <= 0 || percent > 100)
		return -ERANGE;
	*ret_percent = percent;
	return 0;
}

static uint64_t rounded(uint64_t value, uint32_t times, uint64_t divisor)
{
	return (uint64_t)(((unsigned __int128)value * times + divisor / 2) / divisor);
}

/* Three significant digits: "999 kB", "1.00 MB", "18.2 GB"; four where 1024 needs them. */
static const char *format_scaled(uint64_t value, uint64_t base, const char *const *unit,
				 char *buf, size_t size)
{
	uint64_t factor = 1, hundredths, tenths;

	for (; unit[1] && rounded(value, 1, factor) >= base; unit++)
		factor *= base;
	hundredths = rounded(value, 100, factor);
	tenths = rounded(value, 10, factor);
	if (factor > 1 && hundredths < 1000)
		snprintf(buf, size, "%u.%02u %s", (unsigned)hundredths / 100,
			 (unsigned)hundredths % 100, *unit);
	else if (factor > 1 && tenths < 1000)
		snprintf(buf, size, "%u.%u %s", (unsigned)tenths / 10,
			 (unsigned)tenths % 10, *unit);
	else
		snprintf(buf, size, "%llu %s",
			 (unsigned long long)rounded(value, 1, factor), *unit);
	return buf;
}

const char *dw_count_format(uint64_t n, char *buf, size_t size)
{
	char text[DW_UNIT_TEXT];
	size_t at = sizeof(text) - 1, digits = 0;

	text[at] = '\0';
	do {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + n % 10);
		digits++;
		n /= 10;
	} while (n);
	snprintf(buf, size, "%s", text + at);
	return buf;
}

const char *dw_size_format(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = {
		"B", "kB", "MB", "GB", "TB", "PB", "EB", NULL
	};

	return format_scaled(bytes, 1000, units, buf, size);
}

const char *dw_size_format_binary(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB", NULL };

	return format_scaled(bytes, 1024, units, buf, size);
}

const char *dw_rate_format(uint64_t bytes, uint64_t ns, char *buf, size_t size)
{
	static const char *const units[] = { "B/s",  "kB/s", "MB/s", "GB/s",
					     "TB/s", "PB/s", "EB/s", NULL };
	unsigned __int128 rate;

	if (!ns) {
		snprintf(buf, size, "-");
		return buf;
	}
	rate = (unsigned __int128)bytes * BILLION / ns;
	if (rate > UINT64_MAX)
		rate = UINT64_MAX;
	return format_scaled((uint64_t)rate, 1000, units, buf, size);
}

const char *dw_duration_format(uint64_t ns, char *buf, size_t size)
{
	uint64_t s = ns / BILLION + (ns % BILLION >= BILLION / 2);

	snprintf(buf, size, "%llu:%02u:%02u", (unsigned long long)(s / 3600),
		 (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	return buf;
}

/* Year, month and day of a day counted from 1970-01-01 in the Gregorian calendar: years
 * begin in March, so that the leap day comes last, and 400 of them have 146,097 days. */
static void civil_from_days(int64_t days, int64_t *ret_year, unsigned *ret_month,
			    unsigned *ret_day)
{
	int64_t era;
	uint32_t doe, yoe, doy, mp;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = (uint32_t)(days - era * 146097);
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	*ret_day = doy - (153 * mp + 2) / 5 + 1;
	*ret_month = mp < 10 ? mp + 3 : mp - 9;
	*ret_year = (int64_t)yoe + era * 400 + (*ret_month <= 2);
}

const char *dw_time_format(const struct timespec *t, int32_t offset_s, char *buf,
			   size_t size)
{
	int64_t local = (int64_t)t->tv_sec + offset_s, year;
	int64_t days = local / 86400;
	int32_t s = (int32_t)(local % 86400), east = offset_s < 0 ? -offset_s : offset_s;
	unsigned month, day;

	if (s < 0) {
		s += 86400;
		days--;
	}
	civil_from_days(days, &year, &month, &day);
	snprintf(buf, size, "%04lld-%02u-%02uT%02d:%02d:%02d%c%02d:%02d", (long long)year,
		 month, day, s / 3600, s / 60 % 60, s % 60, offset_s < 0 ? '-' : '+',
		 east / 3600, east / 60 % 60);
	return buf;
}
