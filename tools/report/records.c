/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records on paper. All of them are read and checked before a command sees any, so that nothing can
 * be printed of a record that is not as it was signed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "print/attempts.h"
#include "report.h"

/*
 * A file for each disk, or for each lot: the records with one customer, order and label. The names
 * of the files follow from the records, so that the same records give the same files. In a name,
 * all characters but letters, digits, '-', '.' and '_' become '_', and no name begins with a dot.
 */

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

static size_t report_lots(const struct dw_paper_records *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++)
		n += begins_lot(in, i);
	return n;
}

static bool report_is_folder(const struct report_options *o)
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

static int report_each(const struct report_options *o, struct dw_paper_records *in,
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

void report_unknown(size_t n)
{
	if (n)
		fprintf(stderr,
			"diskwipe-report: no font of this machine has %zu character%s of these "
			"texts; codes are printed instead. Install a font that has more, as "
			"the package fonts-noto-cjk, and print again\n",
			n, n == 1 ? "" : "s");
}

int report_write(const char *path, const char *data, size_t len)
{
	int r;

	if (path) {
		r = dw_file_write(path, data, len);
		return r ? cli_refuse(DW_PAPER_FAILED, "%s: %s", path, dw_file_error(r))
			 : 0;
	}
	if (isatty(STDOUT_FILENO) && len && (data[0] == '%' || (data[0] & 0x80)))
		return cli_refuse(DW_PAPER_FAILED,
				  "a terminal shows no PDF or PNG; name a file by -o");
	if (fwrite(data, 1, len, stdout) != len || fflush(stdout))
		return cli_refuse(DW_PAPER_FAILED,
				  "the standard output takes no more; name a file by -o");
	return 0;
}

/* A beginning that two jobs have is no name. */
static int check_job(const char *job, const struct dw_paper_records *in)
{
	const char *first = in->record[0].proof.job;

	for (size_t i = 1; job && i < in->n; i++)
		if (strcmp(in->record[i].proof.job, first) != 0)
			return cli_refuse(DW_PAPER_FAILED,
					  "--job=%s: jobs %s and %s begin so; give more "
					  "of it",
					  job, first, in->record[i].proof.job);
	return 0;
}

/* What was read, and whether it may be printed. */
static int judge_records(const struct report_options *c, int r,
			 const struct dw_error *err, const struct dw_paper_records *in)
{
	char text[DW_ERROR_TEXT];

	if (r > 0)
		return cli_refuse(r, "%s; nothing was printed", dw_error_text(err, text));
	if (r)
		return cli_refuse(DW_PAPER_FAILED, "%s", dw_error_text(err, text));
	if (!in->n)
		return cli_refuse(DW_PAPER_FAILED,
				  "there is no record of a disk of that kind");
	if (in->record[0].own_signers)
		fputs("diskwipe-report: the list of signers beside the records was used, "
		      "which whoever changes the records can change, too; name yours by "
		      "--signers\n",
		      stderr);
	return check_job(c->selection.job, in);
}

/* The seals are read while the folder is there. */
static int read_fetched(const struct report_options *c, const char *dir,
			struct dw_paper_records *in)
{
	struct dw_error err = { 0 };
	char **folder = NULL;
	size_t n = 0;
	int r = dw_paper_fetch(c->from, &c->selection, dir, &folder, &n, &err);

	if (r > 0) {
		r = cli_refuse(r == DW_PAPER_FAILED ? DW_PAPER_FAILED : DW_PAPER_UNSIGNED,
			       "the ledger cannot be printed from; nothing was printed");
	} else {
		if (!r)
			r = dw_paper_read((const char *const *)folder, n, &c->selection,
					  in, &err);
		if (!r)
			r = dw_paper_seals(in, &err);
		r = judge_records(c, r, &err, in);
	}
	dw_paper_fetched_free(folder, n);
	return r;
}

static int read_database(const struct report_options *c, struct dw_paper_records *in)
{
	char *dir;
	int r;

	if (c->n_operands)
		return cli_refuse(DW_PAPER_FAILED,
				  "records are named, or come --from a database, not "
				  "both");
	if (!c->selection.signers)
		return cli_refuse(
			DW_PAPER_FAILED,
			"--from needs --signers=FILE: a database cannot say who "
			"may sign");
	dir = dw_paper_scratch();
	if (!dir)
		return cli_refuse(DW_PAPER_FAILED, "there is no folder for a moment: %m");
	r = read_fetched(c, dir, in);
	dw_paper_scratch_free(dir);
	return r;
}

static int read_records(const struct report_options *c, struct dw_paper_records *in)
{
	struct dw_error err;
	int r;

	if (c->from)
		return read_database(c, in);
	if (!c->n_operands)
		return cli_refuse(DW_PAPER_FAILED,
				  "name records, or folders of them: diskwipe-report %s "
				  "DIR",
				  c->verb->name);
	r = dw_paper_read(c->operand, c->n_operands, &c->selection, in, &err);
	return judge_records(c, r, &err, in);
}

static bool wants_each(const struct report_options *o)
{
	return o->verb->bit != REPORT_LABEL && report_is_folder(o);
}

static bool has_folder(const struct report_options *o)
{
	struct stat st;

	for (size_t i = 0; i < o->n_operands && !o->from; i++)
		if (!stat(o->operand[i], &st) && S_ISDIR(st.st_mode))
			return true;
	return o->from != NULL;
}

/* A paper for one customer must not list the disks of another. */
static int check_lots(const struct report_options *o, const struct dw_paper_records *in)
{
	const struct dw_paper_selection *w = &o->selection;
	bool chosen = w->serial || w->label || w->customer || w->order || w->asset;

	if (o->per && !wants_each(o))
		return cli_refuse(DW_PAPER_FAILED,
				  "--per is for -o DIR/, which gets a file for each");
	if (o->verb->bit != REPORT_CERTIFICATE || o->all || chosen || wants_each(o) ||
	    !has_folder(o) || report_lots(in) < 2)
		return 0;
	return cli_refuse(
		DW_PAPER_FAILED,
		"these are %zu records of %zu lots; choose by --label, --customer "
		"or --order, get a paper for each lot by --per=lot -o DIR/, or one of all "
		"by --all; nothing was printed",
		in->n, report_lots(in));
}

/* Reports how much was printed, so that a selection that is too wide is noticed. */
static void tell_printed(const struct report_options *o,
			 const struct dw_paper_records *in)
{
	size_t disks = 0, lots = report_lots(in);

	for (size_t i = 0; i < in->n; i++)
		disks += !in->record[i].superseded;
	fprintf(stderr, "diskwipe-report: %s: %zu disk%s by %zu record%s of %zu lot%s\n",
		o->output, disks, disks == 1 ? "" : "s", in->n, in->n == 1 ? "" : "s",
		lots, lots == 1 ? "" : "s");
}

/* Reports later failures of disks on this paper that the selection left out. */
static void tell_later(const struct dw_paper_records *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->record[i].later)
			fprintf(stderr,
				"diskwipe-report: record %llu: a later record of its disk, %llu, "
				"which was not chosen, says that it is not erased or not as "
				"expected\n",
				(unsigned long long)in->record[i].proof.sequence,
				(unsigned long long)in->record[i].later);
}

int report_print(const struct report_options *o, report_printer *print)
{
	struct dw_paper_records in = { .n = 0 };
	int r;

	if (o->check)
		return report_certificate_check(o);
	r = read_records(o, &in);
	if (!r)
		r = check_lots(o, &in);
	if (!r)
		r = wants_each(o) ? report_each(o, &in, print) : print(o, &in);
	if (!r && o->output && !wants_each(o))
		tell_printed(o, &in);
	if (!r)
		tell_later(&in);
	dw_paper_records_deinit(&in);
	return r;
}
