/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe records list: what is in a folder of records. It reads them and checks no signature,
 * and says so: that is what verify is for.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "job/certificate.h"
#include "job/record.h"
#include "output/columns.h"
#include "own.h"

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

int cli_records_list(struct cli *c, const struct cli_record_query *q)
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
