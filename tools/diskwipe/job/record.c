/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of what was done. A disk has its record as soon as it has ended, so that nothing of it
 * is lost when the others are cut off.
 */
#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "job/certificate.h"
#include "job/record.h"
#include "job/second.h"
#include "own.h"
#include "signals.h"

#define NOBODY 4294967295u
#define TRIES  30 /* of ten seconds, for the records of a job */

/**
 * struct cli_recorder - records of one job
 * @entry: by number of the disk, the refused ones last; @number: of its record, 0 = it could not
 *	be written
 * @n: how many @entry has room for
 * @failed: one was not written
 * @tries: how often they have waited for another program
 */
struct cli_recorder {
	struct cli_recorded {
		bool done;
		uint64_t number;
	} * entry;
	size_t n;
	bool failed;
	unsigned int tries;
	char operator_name[128];
};

/* Who logged in, whoever he has become since; else the user of the process. */
static uid_t login_uid(void)
{
	unsigned int uid = NOBODY;
	FILE *f = fopen("/proc/self/loginuid", "r");

	if (f && fscanf(f, "%u", &uid) != 1)
		uid = NOBODY;
	if (f)
		fclose(f);
	return uid == NOBODY ? getuid() : uid;
}

void cli_record_operator(const struct cli *c, char *buf, size_t size)
{
	const struct passwd *p = c->spec.operator_name[0] ? NULL : getpwuid(login_uid());

	if (c->spec.operator_name[0])
		snprintf(buf, size, "%s", c->spec.operator_name);
	else if (p)
		snprintf(buf, size, "%s", p->pw_name);
	else
		snprintf(buf, size, "uid %u", (unsigned int)login_uid());
}

int cli_assets_read(struct cli *c)
{
	struct dw_error err = { 0 };

	if (!c->sign.assets_file)
		return 0;
	if (c->sign.asset)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--asset and --assets cannot be combined");
	return dw_assets_read(c->sign.assets_file, &c->sign.assets, &err)
		       ? cli_error(c, CLI_EXIT_USAGE, &err)
		       : 0;
}

int cli_assets_fit(struct cli *c, size_t n)
{
	return c->sign.asset && n != 1
		       ? cli_fail(c, CLI_EXIT_USAGE,
				  "--asset is of one disk, and %zu are selected; name a "
				  "list by --assets=FILE",
				  n)
		       : 0;
}

const char *cli_asset_of(const struct cli *c, const char *serial)
{
	return c->sign.asset ? c->sign.asset : dw_assets_find(&c->sign.assets, serial);
}

int cli_record_try(struct cli *c)
{
	struct dw_error err = { 0 };
	struct dw_ledger *l = NULL;

	if (dw_ledger_open(c->sign.dir, c->sign.key, &l, &err))
		return cli_error(c, CLI_EXIT_USAGE, &err);
	dw_ledger_close(l);
	return 0;
}

int cli_record_open(struct cli *c)
{
	int r = cli_assets_read(c);

	if (r)
		return r;
	if (!c->sign.dir && (c->sign.asset || c->sign.assets_file))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--%s is for a record: --record=DIR is missing",
				c->sign.asset ? "asset" : "assets");
	if (!c->sign.dir && !c->sign.key)
		return 0;
	if (!c->sign.dir || !c->sign.key)
		return cli_fail(c, CLI_EXIT_USAGE,
				c->sign.dir ? "--record: --record-key is missing; "
					      "diskwipe records key FILE makes a key"
					    : "--record-key: --record=DIR is missing");
	if (c->dry_run)
		return 0;
	c->sign.ledger = calloc(1, sizeof(*c->sign.ledger));
	if (!c->sign.ledger)
		return cli_fail(c, CLI_EXIT_USAGE, "%s", strerror(ENOMEM));
	cli_record_operator(c, c->sign.ledger->operator_name,
			    sizeof(c->sign.ledger->operator_name));
	return c->sign.papers && c->sign.papers->without_key ? 0 : cli_record_try(c);
}

void cli_record_close(struct cli *c)
{
	dw_assets_deinit(&c->sign.assets);
	if (c->sign.drawn)
		dw_proof_check_deinit(c->sign.drawn);
	free(c->sign.drawn);
	c->sign.drawn = NULL;
	if (!c->sign.ledger)
		return;
	free(c->sign.ledger->entry);
	free(c->sign.ledger);
	c->sign.ledger = NULL;
}

static bool make_room(struct cli_recorder *r, size_t n)
{
	struct cli_recorded *more =
		n > r->n ? realloc(r->entry, n * sizeof(*more)) : NULL;

	if (n <= r->n)
		return true;
	if (!more)
		return false;
	memset(more + r->n, 0, (n - r->n) * sizeof(*more));
	r->entry = more;
	r->n = n;
	return true;
}

/* It is open while a record is added, no longer: others add to it, too. */
static int add_to_ledger(struct cli *c, struct dw_proof *p, struct dw_error *err)
{
	struct dw_ledger *l = NULL;
	int r = dw_ledger_open(c->sign.dir, c->sign.key, &l, err);

	if (!r) {
		cli_second_note(c, p);
		r = dw_ledger_add(l, p, err);
	}
	dw_ledger_close(l);
	return r;
}

/* Of the work for a record, what can be repeated; 0 or negative errno. */
static int add(struct cli *c, const struct dw_job_result *result, size_t disk,
	       struct dw_error *err)
{
	bool shared = disk < result->n_disks && result->disk[disk].info.name_shared;
	const char *serial = shared ? "" /* several disks have it */
			     : disk < result->n_disks
				     ? result->disk[disk].info.serial
				     : result->refused[disk - result->n_disks].serial;
	const struct dw_proof_place place = { .operator_name =
						      c->sign.ledger->operator_name,
					      .label = c->label,
					      .asset = cli_asset_of(c, serial) };
	struct dw_proof p;
	int r = dw_proof_of(result, disk, &place, &p);

	if (r)
		return r;
	r = add_to_ledger(c, &p, err);
	c->sign.ledger->entry[disk].number = r < 0 ? 0 : p.sequence;
	dw_proof_deinit(&p);
	return r < 0 ? r : 0;
}

/* Who adds a record needs a moment, who checks all of many has the records for minutes. Each try
 * waits ten seconds (dw_ledger_open()). */
static int add_patiently(struct cli *c, const struct dw_job_result *result, size_t disk,
			 struct dw_error *err)
{
	struct cli_recorder *recorder = c->sign.ledger;
	int r = add(c, result, disk, err);

	while (r == -EBUSY && recorder->tries < TRIES && !cli_signals_stop()) {
		if (!recorder->tries++)
			cli_say(c,
				"%s: another program reads or adds to the records; those of "
				"this job wait for it, for at most 5 minutes",
				c->sign.dir);
		r = add(c, result, disk, err);
	}
	return r;
}

/* @last: there is no later moment for it */
static void add_once(struct cli *c, const struct dw_job_result *result, size_t disk,
		     bool last)
{
	struct cli_recorder *r = c->sign.ledger;
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int e;

	if (!make_room(r, disk + 1)) {
		r->failed = true;
		return;
	}
	if (r->entry[disk].done)
		return;
	e = (last ? add_patiently : add)(c, result, disk, &err);
	if (e == -EBUSY && !last)
		return;
	r->entry[disk].done = true;
	if (!e)
		return;
	r->failed = true;
	cli_fail(c, CLI_EXIT_USAGE, "a record could not be written: %s",
		 err.kind ? cli_error_text(&err, text) : strerror(-e));
}

uint64_t cli_record_number(const struct cli *c, size_t disk)
{
	const struct cli_recorder *r = c->sign.ledger;

	return r && disk < r->n ? r->entry[disk].number : 0;
}

void cli_record_done(struct cli *c, const struct dw_job_result *result, size_t disk)
{
	if (c->sign.ledger && disk < result->n_disks)
		add_once(c, result, disk, false);
}

int cli_record_rest(struct cli *c, const struct dw_job_result *result, int code)
{
	/* a refusal is no reason to make a key */
	if (!c->sign.ledger || (c->sign.papers && c->sign.papers->without_key))
		return code;
	/* an earlier run has put its disks on record */
	for (size_t i = 0; i < result->n_disks + result->n_refused; i++)
		if (i >= result->n_disks || !result->disk[i].earlier)
			add_once(c, result, i, true);
	return !code && c->sign.ledger->failed ? CLI_EXIT_USAGE : code;
}

const char *cli_record_signer(char buf[CLI_SIGNER])
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) || !isalnum((unsigned char)host[0]))
		snprintf(host, sizeof(host), "localhost");
	snprintf(buf, CLI_SIGNER, "diskwipe@%s", host);
	return buf;
}

int cli_records_key(struct cli *c)
{
	struct dw_error err = { 0 };
	char name[CLI_SIGNER], *line = NULL;
	const char *signer = c->sign.key_owner;

	if (c->n_operands != 2)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"name one file for the new key: diskwipe records key FILE");
	if (!signer)
		signer = cli_record_signer(name);
	if (dw_record_key(c->operand[1], signer, &line, &err))
		return cli_error(c, CLI_EXIT_USAGE, &err);
	cli_say(c, "%s: a new key; keep it on this machine alone", c->operand[1]);
	cli_say(c,
		"who checks its records adds this line to a list of signers of his own:");
	puts(line);
	free(line);
	c->documented = true;
	return 0;
}

static const char *how_it_is(const struct dw_proof_check *k)
{
	return k->n ? "NOT as they were signed" : k->headless ? "NOT finished" : "whole";
}

static void print_found(struct cli *c, const char *name, const struct dw_proof_check *k,
			bool alone)
{
	char first[DW_UNIT_TEXT], last[DW_UNIT_TEXT], shown[CLI_QUOTED];

	cli_quote(name, shown);
	dw_text_printable(shown);
	for (size_t i = 0; i < k->n; i++)
		cli_warn("%s: %s: %s", shown, k->fault[i].file, k->fault[i].reason);
	if (k->headless)
		cli_warn(
			"%s: record %llu is signed, and no head names it: its writing was "
			"cut off, or records behind it were taken away; it is not counted. "
			"If nobody has been at the folder, whoever adds the next record "
			"finishes it",
			shown, (unsigned long long)k->records + 1);
	else if (k->unfinished)
		cli_warn(
			"%s: the writing of the last record was cut off; it is not counted",
			shown);
	if (k->own_signers && k->records)
		cli_warn(
			"%s: its own list of signers was used, which whoever changes the "
			"records can change, too; name yours by --signers",
			shown);
	if (k->simulated)
		cli_warn("%s: %llu of these are of simulations: no disk was touched",
			 shown, (unsigned long long)k->simulated);
	if (alone)
		printf("%s: %s\n", shown,
		       k->n ? "NOT as it was signed"
			    : "signature good (this record alone)");
	else if (k->records)
		printf("%s: %llu record%s, %s to %s, %s\n", shown,
		       (unsigned long long)k->records, k->records == 1 ? "" : "s",
		       dw_time_format(&k->first, 0, first, sizeof(first)),
		       dw_time_format(&k->last, 0, last, sizeof(last)), how_it_is(k));
	else
		printf("%s: %s\n", shown,
		       k->n || k->headless ? how_it_is(k) : "no record");
	if (k->head[0])
		printf("%s: head %s\n", shown, k->head);
}

static int verify_one(struct cli *c, const char *name)
{
	const struct cli_records_options *own = c->own;
	struct dw_proof_check found;
	struct dw_error err = { 0 };
	struct stat st;
	bool alone = !stat(name, &st) && !S_ISDIR(st.st_mode);
	int r;

	if (alone && !c->sign.signers)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: --signers=FILE is missing: who may have signed it?",
				name);
	if (alone && own->expect)
		return cli_fail(
			c, CLI_EXIT_USAGE,
			"%s: --expect is for a folder, of which a head tells the end",
			name);
	r = alone ? dw_record_check(name, c->sign.signers, &found, &err)
		  : dw_ledger_check(name, c->sign.signers, &found, &err);
	if (r)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	r = own->expect ? dw_ledger_expect(name, own->expect, &found, &err) : 0;
	if (r) {
		dw_proof_check_deinit(&found);
		return cli_error(c, CLI_EXIT_USAGE, &err);
	}
	print_found(c, name, &found, alone);
	r = found.n ? CLI_EXIT_MISMATCH : found.headless ? CLI_EXIT_UNFINISHED : 0;
	dw_proof_check_deinit(&found);
	return r;
}

/* Which folder that is, and what is in the database, the service's program knows: it continues. */
static int verify_all(struct cli *c)
{
	const char *words[] = { "diskwiped", "--check",
				c->sign.signers ? "--signers" : NULL, c->sign.signers,
				NULL };

	if (c->n_operands > 1)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--all is the records of the service; leave out %s",
				c->operand[1]);
	execvp(words[0], (char *const *)words);
	return cli_fail(c, CLI_EXIT_USAGE,
			errno == ENOENT
				? "--all: diskwiped is not installed here; name folders "
				  "of records: diskwipe records verify DIR"
				: "--all: diskwiped: %s",
			strerror(errno));
}

int cli_records_verify(struct cli *c)
{
	const struct cli_records_options *own = c->own;
	int code = 0;

	if (own->all && own->expect)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--expect is for a folder of records: diskwipe records "
				"verify --expect=HEAD DIR");
	if (own->all)
		return verify_all(c);
	if (own->expect && c->n_operands > 2)
		return cli_fail(c, CLI_EXIT_USAGE, "--expect: name one folder");
	if (c->n_operands < 2)
		return cli_fail(c, CLI_EXIT_USAGE,
				"name folders of records, or records: diskwipe records "
				"verify DIR; or --all");
	for (size_t i = 1; i < c->n_operands; i++) {
		int r = verify_one(c, c->operand[i]);

		if (r && code != CLI_EXIT_MISMATCH)
			code = r;
	}
	c->documented = true;
	return code;
}
