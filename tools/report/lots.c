/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file for each disk, or for each lot: the records with one customer, order and label. The names
 * of the files follow from the records, so that the same records give the same files. In a name,
 * all characters but letters, digits, '-', '.' and '_' become '_', and no name begins with a dot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "print/attempts.h"
#include "report.h"

static bool is_same_lot(const struct dw_paper_record *a, const struct dw_paper_record *b)
{
	return !strcmp(a->proof.customer, b->proof.customer) &&
	       !strcmp(a->proof.order_number, b->proof.order_number) &&
	       !strcmp(a->proof.label, b->proof.label);
}

/* Whether record @i is the first one of its lot. */
static bool begins_lot(const struct dw_paper_records *in, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same_lot(&in->record[k], &in->record[i]))
			return false;
	return true;
}

size_t report_lots(const struct dw_paper_records *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++)
		n += begins_lot(in, i);
	return n;
}

bool report_is_folder(const struct report_options *o)
{
	size_t n = o->output ? strlen(o->output) : 0;
	struct stat st;

	return n && (o->output[n - 1] == '/' ||
		     (!stat(o->output, &st) && S_ISDIR(st.st_mode)));
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || strchr("-._", c);
}

static void add_name(char *buf, size_t size, const char *text)
{
	size_t n = strlen(buf);

	if (n && text[0] && n + 1 < size)
		buf[n++] = '-';
	for (; *text && n + 1 < size; text++, n++)
		buf[n] = is_plain(*text) && (*text != '.' || n) ? *text : '_';
	buf[n] = '\0';
}

/* The hash of the first record tells names apart that have become equal. */
static void name_file(const struct dw_paper_record *r, bool lot, const char *end,
		      char *buf, size_t size)
{
	char hash[13];

	buf[0] = '\0';
	if (lot) {
		add_name(buf, size, r->proof.customer);
		add_name(buf, size, r->proof.order_number);
		add_name(buf, size, r->proof.label);
	} else {
		add_name(buf, size,
			 r->proof.info.serial[0] ? r->proof.info.serial
						 : r->proof.info.wwn);
	}
	if (!buf[0])
		add_name(buf, size, lot ? "lot" : "disk");
	buf[size - sizeof(hash) - strlen(end) - 2] = '\0';
	snprintf(hash, sizeof(hash), "%.12s", r->hash);
	add_name(buf, size, hash);
	snprintf(buf + strlen(buf), size - strlen(buf), ".%s", end);
}

static const char *end_of(const struct report_options *o)
{
	if (o->verb->bit == REPORT_CERTIFICATE)
		return "pdf";
	return o->format ? o->format : "html";
}

/* Prints one file. The records are borrowed, but for their signatures, which are read here. */
static int print_some(const struct report_options *o, struct dw_paper_records *some,
		      bool lot, report_printer *print)
{
	struct report_options one = *o;
	char path[4096], name[256];
	size_t n;
	int r;

	name_file(&some->record[0], lot, end_of(o), name, sizeof(name));
	n = strlen(o->output);
	snprintf(path, sizeof(path), "%s%s%s", o->output,
		 o->output[n - 1] == '/' ? "" : "/", name);
	one.output = path;
	/* of a lot, the last attempt within it counts */
	r = lot && paper_attempts(some)
		    ? cli_refuse(DW_PAPER_FAILED, "there is no memory")
		    : 0;
	if (!r)
		r = print(&one, some);
	for (size_t i = 0; i < some->n; i++)
		free(some->record[i].sig);
	return r;
}

/* Looks for later failed attempts at the disks of a lot in the other lots. */
static void look_later(const struct dw_paper_records *in, struct dw_paper_records *some,
		       struct dw_paper_records *failed)
{
	failed->n = 0;
	for (size_t i = 0; i < in->n; i++)
		if (!is_same_lot(&in->record[i], &some->record[0]) &&
		    paper_failed(&in->record[i]))
			failed->record[failed->n++] = in->record[i]; /* borrowed */
	for (size_t i = 0; i < some->n; i++)
		paper_look_later(&some->record[i], failed);
}

/* Collects the records of the file that begins with record @i; false = none begins there. */
static bool gather(const struct dw_paper_records *in, size_t i, bool lot,
		   struct dw_paper_records *ret)
{
	ret->n = 0;
	if (lot ? !begins_lot(in, i) : in->record[i].superseded)
		return false;
	for (size_t k = i; k < (lot ? in->n : i + 1); k++)
		if (!lot || is_same_lot(&in->record[i], &in->record[k]))
			ret->record[ret->n++] = in->record[k];
	return true;
}

int report_each(const struct report_options *o, struct dw_paper_records *in,
		report_printer *print)
{
	bool lot = o->per ? !strcmp(o->per, "lot") : o->verb->bit == REPORT_SUMMARY;
	struct dw_paper_records some = { .n = 0 }, failed = { .n = 0 };
	size_t files = 0;
	int r = 0;

	if (o->per && !lot && (strcmp(o->per, "disk") || o->verb->bit == REPORT_SUMMARY))
		return cli_refuse(DW_PAPER_FAILED, "--per: there is %slot%s",
				  o->verb->bit == REPORT_SUMMARY ? "only " : "disk and ",
				  o->verb->bit == REPORT_SUMMARY ? " for summaries" : "");
	if (mkdir(o->output, 0777) && errno != EEXIST)
		return cli_refuse(DW_PAPER_FAILED, "%s: %s", o->output, strerror(errno));
	some.record = calloc(in->n, sizeof(*some.record));
	failed.record = calloc(in->n, sizeof(*failed.record));
	if (!some.record || !failed.record) {
		free(some.record);
		free(failed.record);
		return cli_refuse(DW_PAPER_FAILED, "there is no memory");
	}
	for (size_t i = 0; i < in->n && !r; i++)
		if (gather(in, i, lot, &some)) {
			if (lot)
				look_later(in, &some, &failed);
			r = print_some(o, &some, lot, print);
			files += !r;
		}
	free(some.record);
	free(failed.record);
	if (!r)
		fprintf(stderr, "diskwipe-report: %s: %zu file%s, one for each %s\n",
			o->output, files, files == 1 ? "" : "s", lot ? "lot" : "disk");
	return r;
}
