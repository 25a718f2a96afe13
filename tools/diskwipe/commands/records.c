/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe records: what was done. A day is meant by its place on the clock here; --until names
 * the last day that counts.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/json.h"
#include "options.h"
#include "output/columns.h"
#include "output/station.h"
#include "job/certificate.h"
#include "job/record.h"
#include "own.h"

/*
 * diskwipe records list: what is in a folder of records. It reads them and checks no signature,
 * and says so: that is what verify is for.
 */

#define RECORD_MAX 16777216 /* bytes */
#define US_PER_S   1000000

#define PROOF(member) ((struct dw_proof *)0)->member

/**
 * struct listed_record - a file of the folder, and of it what a line shows: all that 10,000 records
 * say would be 50 MB
 * @text, @len: as it is, for --json; owned
 */
struct listed_record {
	uint64_t number;
	char *text;
	size_t len;
	struct timespec written;
	bool simulated;
	char outcome[sizeof(PROOF(outcome))];
	char level[sizeof(PROOF(level))];
	char model[sizeof(PROOF(info.model))];
	char serial[sizeof(PROOF(info.serial))];
	char bay[sizeof(PROOF(bay))];
	char operator_name[sizeof(PROOF(operator_name))];
	char label[sizeof(PROOF(label))];
};

struct record_listing {
	struct listed_record *record;
	size_t n;
	size_t room;
};

/* "record-00000001.json" and nothing that only looks like it; 0 = another name. */
static uint64_t number_of(const char *name)
{
	unsigned long long n = 0;
	char again[64];

	if (sscanf(name, "record-%llu", &n) != 1)
		return 0;
	snprintf(again, sizeof(again), "record-%08llu.json", n);
	return strcmp(name, again) ? 0 : n;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct listed_record *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int find_records(const char *dir, struct record_listing *l)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		uint64_t number = number_of(e->d_name);

		if (!number)
			continue;
		if (l->n == l->room) {
			struct listed_record *more = l->record;

			l->room = l->room ? 2 * l->room : 256;
			l->record = cli_allocate(l->room, sizeof(*more));
			if (l->n)
				memcpy(l->record, more, l->n * sizeof(*more));
			free(more);
		}
		l->record[l->n++].number = number;
	}
	closedir(d);
	if (l->n)
		qsort(l->record, l->n, sizeof(*l->record), compare_numbers);
	return 0;
}

static bool is_asked(const struct cli_record_query *q, const struct dw_proof *p)
{
	uint64_t at = (uint64_t)p->written.tv_sec * US_PER_S;

	return (!q->since || at >= q->since) && (!q->until || at < q->until) &&
	       (!q->serial || !strcmp(q->serial, p->info.serial)) &&
	       (!q->bay || !strcmp(q->bay, p->bay)) &&
	       (!q->outcome || !strcmp(q->outcome, p->outcome));
}

static void take_shown(const struct dw_proof *p, struct listed_record *r)
{
	r->written = p->written;
	r->simulated = p->simulation[0] != '\0';
	memcpy(r->outcome, p->outcome, sizeof(r->outcome));
	memcpy(r->level, p->level, sizeof(r->level));
	memcpy(r->model, p->info.model, sizeof(r->model));
	memcpy(r->serial, p->info.serial, sizeof(r->serial));
	memcpy(r->bay, p->bay, sizeof(r->bay));
	memcpy(r->operator_name, p->operator_name, sizeof(r->operator_name));
	memcpy(r->label, p->label, sizeof(r->label));
}

/* By its only form: in a text the quotation marks would be escaped. */
static bool is_of_a_disk(const struct listed_record *r)
{
	static const char any[] = "\"document\":\"";
	static const char disk[] = "\"document\":\"erasure-record\"";

	return !memmem(r->text, r->len, any, strlen(any)) ||
	       memmem(r->text, r->len, disk, strlen(disk));
}

/* Whether the record is asked for: 1, 0, or negative after a message. */
static int read_one(struct cli *c, const char *dir, const struct cli_record_query *q,
		    struct listed_record *r)
{
	char path[4096], text[DW_ERROR_TEXT];
	struct dw_error err = { 0 };
	struct dw_proof p;
	bool asked;
	int e;

	snprintf(path, sizeof(path), "%s/record-%08llu.json", dir,
		 (unsigned long long)r->number);
	e = dw_file_read(path, RECORD_MAX, &r->text, &r->len);
	if (e) {
		cli_fail(c, CLI_EXIT_USAGE, "%s: %s", path, dw_file_error(e));
		return e;
	}
	if (!is_of_a_disk(r)) {
		free(r->text);
		r->text = NULL;
		return 0;
	}
	e = dw_proof_parse(r->text, r->len, &p, &err);
	asked = !e && is_asked(q, &p);
	if (e)
		cli_fail(c, CLI_EXIT_USAGE, "%s: %s", path,
			 err.kind ? cli_error_text(&err, text) : strerror(-e));
	if (asked)
		take_shown(&p, r);
	if (!asked || !c->show.json) {
		free(r->text);
		r->text = NULL;
	}
	if (!e)
		dw_proof_deinit(&p);
	return e ? e : asked;
}

/* The newest @q->limit of those that are asked for, at the end of the list; returns how many. */
static size_t read_asked(struct cli *c, const char *dir, const struct cli_record_query *q,
			 struct record_listing *l, int *ret_code)
{
	size_t first = l->n;

	for (size_t i = l->n; i && (!q->limit || l->n - first < q->limit); i--) {
		struct listed_record r = { .number = l->record[i - 1].number };
		int asked = read_one(c, dir, q, &r);

		if (asked < 0)
			*ret_code = CLI_EXIT_USAGE;
		else if (asked)
			l->record[--first] = r;
	}
	return l->n - first;
}

static const char *color_of(const struct listed_record *r)
{
	return strcmp(r->outcome, "erased") ? "red" : NULL;
}

static void show_table(struct cli *c, const struct listed_record *record, size_t n)
{
	static const struct cli_column heads[] = {
		{ "NO", true },
		{ "WRITTEN" },
		{ "OUTCOME" },
		{ "LEVEL" },
		{ "MODEL", false, true, 1 },
		{ "SERIAL" },
		{ "BAY", false, true, 2 },
		{ "OPERATOR", false, true, 3 },
		{ "LABEL", false, true, 4 },
	};
	struct cli_table *t = cli_table_out(c, heads, CLI_ARRAY_SIZE(heads));

	for (size_t i = 0; i < n; i++) {
		const struct listed_record *p = &record[i];
		char text[64];

		cli_table_line(t, color_of(p));
		cli_table_add(t, "%llu", (unsigned long long)p->number);
		cli_table_add(t, "%s",
			      dw_time_format(&p->written, 0, text, sizeof(text)));
		cli_table_add(t, "%s%s", p->simulated ? "simulated: " : "", p->outcome);
		cli_table_add(t, "%s", p->level);
		cli_table_add(t, "%s", cli_or_dash(p->model));
		cli_table_add(t, "%s", cli_or_dash(p->serial));
		cli_table_add(t, "%s", cli_or_dash(p->bay));
		cli_table_add(t, "%s", cli_or_dash(p->operator_name));
		cli_table_add(t, "%s", p->label);
	}
	cli_table_end(t);
}

static int cli_records_list(struct cli *c, const struct cli_record_query *q)
{
	const struct cli_records_options *own = c->own;
	struct record_listing l = { .n = 0 };
	char here[PATH_MAX], quoted[CLI_QUOTED];
	size_t n = 0;
	int code = 0, r;

	if (own->csv)
		return cli_fail(c, CLI_EXIT_USAGE,
				"list has no --csv; diskwipe-report summary --format=csv "
				"writes it");
	if (c->n_operands != 2)
		return cli_fail(c, CLI_EXIT_USAGE,
				"name one folder of records: diskwipe records list %s",
				cli_certificate_records(here, sizeof(here))
					? cli_quote(here, quoted)
					: "DIR");
	r = find_records(c->operand[1], &l);
	if (r)
		return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", c->operand[1], strerror(-r));
	n = read_asked(c, c->operand[1], q, &l, &code);
	if (c->show.json)
		for (size_t i = l.n - n; i < l.n; i++)
			fwrite(l.record[i].text, 1, l.record[i].len, stdout);
	else if (n)
		show_table(c, l.record + l.n - n, n);
	cli_say(c, n ? "signatures were not checked; diskwipe records verify does that"
		     : "no record of that kind");
	for (size_t i = l.n - n; i < l.n; i++)
		free(l.record[i].text);
	free(l.record);
	c->documented = true;
	return code;
}

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
