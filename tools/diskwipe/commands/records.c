/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe records: what was done. A day is meant by its place on the clock here; --until names
 * the last day that counts.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/json.h"
#include "output/station.h"
#include "job/certificate.h"
#include "job/record.h"
#include "own.h"

#define DAY_S 86400

/* The beginning of a day that is @days from today. */
static time_t day(int days)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	tm.tm_mday += days;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

/* A whole day, "2026-11-25" or a word for it; @ret: its beginning. */
static bool parse_day(const char *text, time_t *ret)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	if (!strcmp(text, "today"))
		*ret = day(0);
	else if (!strcmp(text, "yesterday"))
		*ret = day(-1);
	else if (end && !*end)
		*ret = mktime(&tm);
	else
		return false;
	return true;
}

/* A moment: "2026-11-25 01:22", with T and seconds as well, or how long ago it was. */
static bool parse_moment(const char *text, time_t *ret)
{
	static const char *const forms[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M",
					     "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M" };
	uint64_t ns;

	for (size_t i = 0; i < CLI_ARRAY_SIZE(forms); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *end = strptime(text, forms[i], &tm);

		if (!end || *end)
			continue;
		*ret = mktime(&tm);
		return true;
	}
	if (dw_duration_parse(text, &ns) < 0)
		return false;
	*ret = time(NULL) - (time_t)(ns / 1000000000);
	return true;
}

int cli_record_time(struct cli *c, const char *option, const char *text, bool last,
		    uint64_t *ret)
{
	time_t t = 0;

	if (!text)
		return 0;
	if (parse_day(text, &t))
		t += last ? DAY_S : 0;
	else if (!parse_moment(text, &t))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s: '%s' is not a date like 2026-11-25 or '2026-11-25 "
				"13:30', today, yesterday, or a time ago like 8h",
				option, text);
	if (t <= 0)
		return cli_fail(c, CLI_EXIT_USAGE, "--%s: '%s' is before 1970", option,
				text);
	*ret = (uint64_t)t * 1000000;
	return 0;
}

static void show(struct cli *c, const struct cli_record *records, size_t n)
{
	const struct cli_records_options *own = c->own;

	if (c->show.json)
		cli_json_records(records, n);
	else if (own->csv)
		cli_csv_records(records, n);
	else if (n)
		cli_table_records(c, records, n);
	else
		cli_say(c, "no record of that kind");
	c->documented = true;
}

static bool any_simulated(const struct cli_record *records, size_t n)
{
	size_t i = 0;

	while (i < n && !records[i].simulated)
		i++;
	return i < n;
}

static int query(struct cli *c, struct cli_record_query *ret)
{
	const struct cli_records_options *own = c->own;
	int r = cli_record_time(c, "since", own->since, false, &ret->since);

	if (!r)
		r = cli_record_time(c, "until", own->until, true, &ret->until);
	if (!r && c->show.json && own->csv)
		r = cli_fail(c, CLI_EXIT_USAGE, "--json and --csv cannot be combined");
	if (!r && c->n_operands && strcmp(c->operand[0], "list") != 0)
		r = cli_fail(
			c, CLI_EXIT_USAGE,
			"%s: records has only key, list and verify; see diskwipe records "
			"--help",
			c->operand[0]);
	ret->serial = own->serial;
	ret->bay = own->bay;
	ret->outcome = own->outcome;
	ret->limit = own->limit;
	return r;
}

int cli_verb_records(struct cli *c)
{
	const struct cli_records_options *own = c->own;
	struct cli_record_query q = { 0 };
	struct cli_record *records = NULL;
	struct cli_client *k = NULL;
	char here[PATH_MAX], quoted[CLI_QUOTED];
	size_t n = 0;
	int r;

	if (c->n_operands && !strcmp(c->operand[0], "verify"))
		return cli_records_verify(c);
	if (own->all)
		return cli_fail(c, CLI_EXIT_USAGE, "--all is for records verify");
	if (own->expect)
		return cli_fail(c, CLI_EXIT_USAGE, "--expect is for records verify");
	if (c->n_operands && !strcmp(c->operand[0], "key"))
		return cli_records_key(c);
	r = query(c, &q);
	if (!r && c->n_operands)
		return cli_records_list(c, &q);
	if (!r)
		r = cli_client_open(c, &k);
	if (r == CLI_EXIT_UNREACHABLE && cli_certificate_records(here, sizeof(here)))
		cli_say(c,
			"what erase --certificate has recorded: diskwipe records list %s",
			cli_quote(here, quoted));
	if (r)
		return r;
	r = cli_client_records(k, &q, &records, &n);
	if (r)
		cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
	else
		show(c, records, n);
	if (any_simulated(records, n))
		cli_warn("a simulated station: none of these disks was touched");
	cli_records_free(records, n);
	cli_client_free(k);
	return r;
}
