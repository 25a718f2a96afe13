/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store against the records. Of each attempt that has ended the record is made again and has to
 * be the same; so is each row of the audit trail. What was changed in the store is found so.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <diskwipe/identity.h>

#include "prove.h"

#define CODE_GOOD       0
#define CODE_USAGE      1
#define CODE_FAULT      5
#define CODE_UNFINISHED 9

/** struct compared_job - what the audit trail has to say of a job */
struct compared_job {
	char id[37];
	uint32_t uid;
	uint32_t loginuid;
	uint64_t submitted;
};

/**
 * struct comparison - of the two
 * @named: by number of a record: an attempt names it
 * @n: how many records there are
 * @job: of all attempts; in the order of ids when they are known
 * @faults: that were reported
 * @last: when the last record was written
 * @headless: behind them is one that no head names
 * @sealed: the store is as its service left it
 * @unsigned_attempts, @unsigned_rows: that are younger than their records
 */
struct comparison {
	struct store *store;
	const char *dir;
	bool *named;
	uint64_t n;
	struct compared_job *job;
	size_t n_jobs;
	uint64_t attempts;
	uint64_t faults;
	time_t last;
	bool headless;
	bool sealed;
	uint64_t unsigned_attempts;
	uint64_t unsigned_rows;
};

/** struct compared_rows - those of one audit record */
struct compared_rows {
	const struct comparison *c;
	const struct dw_audit *want;
	uint32_t n;
	bool same;
};

static void explain_difference(struct comparison *c, const char *what, const char *why)
{
	fprintf(stderr, "diskwiped: %s: %s\n", what, why);
	c->faults++;
}

/* One line, with its newline; NULL: it cannot be read. */
static char *read_entry(const struct comparison *c, uint64_t n, size_t *ret_len)
{
	char path[320], *text = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/record-%08" PRIu64 ".json", c->dir, n);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	len = getline(&text, &size, f);
	fclose(f);
	if (len < 0) {
		free(text);
		return NULL;
	}
	*ret_len = (size_t)len;
	return text;
}

/* What the moment of its making gave to a record, and the store does not know. */
static void take_moment(struct dw_proof *to, const struct dw_proof *from)
{
	to->sequence = from->sequence;
	to->written = from->written;
	to->host = from->host;
	to->clock_synchronised = from->clock_synchronised;
	to->level_table = from->level_table;
	memcpy(to->previous, from->previous, sizeof(to->previous));
	memcpy(to->tool, from->tool, sizeof(to->tool));
	memcpy(to->build, from->build, sizeof(to->build));
	memcpy(to->station, from->station, sizeof(to->station));
	if (!to->simulation[0]) /* a row alone does not tell */
		memcpy(to->simulation, from->simulation, sizeof(to->simulation));
	if (!from->level_table && !from->asked_by[0]) { /* of an earlier version */
		to->asked_by[0] = '\0';
		if (!to->operator_name[0] && !strcmp(from->operator_name, "root"))
			memcpy(to->operator_name, from->operator_name,
			       sizeof(to->operator_name));
		return;
	}
	if (strncmp(to->asked_by, "uid ", 4) != 0)
		return;
	/* a user who had a name then may have none now */
	if (!strcmp(to->operator_name, to->asked_by))
		memcpy(to->operator_name, from->operator_name, sizeof(to->operator_name));
	memcpy(to->asked_by, from->asked_by, sizeof(to->asked_by));
}

/* The row of the disk is what people are shown. Of its names those are compared that never change
 * and that the record has: of a refused disk it has none. */
static bool is_that_disk(const struct dw_disk_info *row, const struct dw_disk_info *is)
{
	return dw_disk_match(row, is, DW_SAME_GIVEN);
}

static int is_same(struct comparison *c, const struct store_record *r, const char *text,
		   size_t len, bool *ret)
{
	struct dw_proof is, want;
	char *again;
	int code = dw_proof_parse(text, len, &is, NULL);

	*ret = false;
	if (code)
		return code == -ENOMEM ? code : 0;
	code = prove_make(c->store, r, &want);
	if (!code) {
		take_moment(&want, &is);
		again = dw_proof_json(&want);
		*ret = again && strlen(again) == len && !memcmp(again, text, len) &&
		       is_that_disk(&r->attempt.identity, &is.info);
		free(again);
		dw_proof_deinit(&want);
	}
	dw_proof_deinit(&is);
	return code;
}

static int add_job(struct comparison *c, const struct store_job *job)
{
	struct compared_job *to;

	if (c->n_jobs && !strcmp(c->job[c->n_jobs - 1].id, job->id))
		return 0;
	if (!(c->n_jobs & (c->n_jobs + 1))) { /* room for twice as many */
		to = realloc(c->job, 2 * (c->n_jobs + 1) * sizeof(*to));
		if (!to)
			return -ENOMEM;
		c->job = to;
	}
	to = &c->job[c->n_jobs++];
	*to = (struct compared_job){ .uid = job->uid,
				     .loginuid = job->loginuid,
				     .submitted = job->submitted };
	memcpy(to->id, job->id, sizeof(to->id));
	return 0;
}

static int compare_attempt(void *ctx, const struct store_record *r)
{
	struct comparison *c = ctx;
	char what[96], *text = NULL;
	uint64_t number;
	size_t len = 0;
	bool same = false;
	int code;

	code = add_job(c, &r->job);
	if (code || r->attempt.outcome == OUTCOME_NONE)
		return code;
	code = store_record_of(c->store, r->attempt.id, &number);
	if (code < 0)
		return code;
	c->attempts++;
	if (!number) {
		c->unsigned_attempts++;
		return 0;
	}
	snprintf(what, sizeof(what), "attempt %lld, record %" PRIu64,
		 (long long)r->attempt.id, number);
	if (number <= c->n && !c->named[number]) /* one attempt names a record */
		text = read_entry(c, number, &len);
	if (text) {
		c->named[number] = true;
		code = is_same(c, r, text, len, &same);
		free(text);
	}
	if (!code && !same)
		explain_difference(c, what,
				   "the store does not say what the record says");
	return code;
}

static int order_jobs(const void *a, const void *b)
{
	return strcmp(((const struct compared_job *)a)->id,
		      ((const struct compared_job *)b)->id);
}

/* Who submitted a job, and when, is signed with the audit trail. */
static bool is_that_job(const struct comparison *c, const struct dw_audit_row *row)
{
	struct compared_job key, *job;

	if (strcmp(row->what, "submit") != 0 || !c->n_jobs)
		return true;
	memcpy(key.id, row->job, sizeof(key.id));
	job = bsearch(&key, c->job, c->n_jobs, sizeof(*job), order_jobs);
	return !job || (job->uid == row->uid && job->submitted == row->at &&
			(job->loginuid == row->loginuid ||
			 job->loginuid == UINT32_MAX)); /* of an earlier version */
}

static int compare_row(void *ctx, const struct dw_audit_row *row)
{
	struct compared_rows *c = ctx;
	const struct dw_audit_row *want = &c->want->row[c->n++];

	c->same &= row->row == want->row && row->at == want->at &&
		   row->uid == want->uid && row->pid == want->pid &&
		   row->loginuid == want->loginuid && !strcmp(row->comm, want->comm) &&
		   !strcmp(row->bus, want->bus) && !strcmp(row->what, want->what) &&
		   !strcmp(row->job, want->job) && !strcmp(row->text, want->text) &&
		   is_that_job(c->c, row);
	return 0;
}

static int compare_audit(struct comparison *c, const struct dw_audit *a)
{
	struct compared_rows rows = { .c = c, .want = a, .same = true };
	char what[96];
	int r = 0;

	if (a->n_rows)
		r = store_each_audit(c->store, a->first - 1, a->n_rows, compare_row,
				     &rows);
	snprintf(what, sizeof(what), "audit trail, record %" PRIu64, a->sequence);
	if (r != -E2BIG && r < 0)
		return r;
	if (r || rows.n != a->n_rows || !rows.same)
		explain_difference(c, what,
				   "the store does not say what the record says");
	return 0;
}

/* @last: how far the trail of this store is signed */
static int compare_entry(struct comparison *c, const struct store_trail *trail,
			 uint64_t n, uint64_t *last)
{
	size_t len = 0;
	char *text = read_entry(c, n, &len), what[64];
	struct dw_proof p;
	struct dw_audit a;
	bool misses;
	int r = 0;

	snprintf(what, sizeof(what), "record %" PRIu64, n);
	if (!text) {
		explain_difference(c, what, "it cannot be read");
	} else if (!dw_audit_parse(text, len, &a, NULL)) {
		if (a.store == trail->begun) {
			r = compare_audit(c, &a);
			*last = a.last;
		} else if (a.n_rows) {
			explain_difference(c, what, "it is of another audit trail");
		}
		dw_audit_deinit(&a);
	} else if (!c->named[n] && !dw_proof_parse(text, len, &p, NULL)) {
		r = store_misses(c->store, p.job, &misses);
		if (!r && misses)
			explain_difference(c, what, "the store has no attempt of it");
		dw_proof_deinit(&p);
	}
	free(text);
	return r;
}

static int compare_both(struct comparison *c)
{
	const struct store_filter all = { 0 };
	struct store_trail trail = { 0 };
	uint64_t last = 0;
	int r;

	c->named = calloc(c->n + 1, sizeof(*c->named));
	r = c->named ? store_each_record(c->store, &all, compare_attempt, c) : -ENOMEM;
	if (!r)
		r = store_trail(c->store, &trail);
	if (c->n_jobs)
		qsort(c->job, c->n_jobs, sizeof(*c->job), order_jobs);
	for (uint64_t n = 1; n <= c->n && !r; n++)
		r = compare_entry(c, &trail, n, &last);
	c->unsigned_rows = trail.last > last ? trail.last - last : 0;
	free(c->named);
	free(c->job);
	return r;
}

static int look_at_ledger(struct comparison *c, const char *signers)
{
	char text[DW_ERROR_TEXT];
	struct dw_error err = { 0 };
	struct dw_proof_check check;
	int r = dw_ledger_check(c->dir, signers, &check, &err);

	if (r) {
		fprintf(stderr, "diskwiped: %s\n", dw_error_text(&err, text));
		return r;
	}
	for (size_t i = 0; i < check.n; i++)
		explain_difference(c, check.fault[i].file, check.fault[i].reason);
	if (check.own_signers && check.records)
		fprintf(stderr,
			"diskwiped: %s: its own list of signers was used, which whoever "
			"changes the records can change, too; name yours by --signers\n",
			c->dir);
	c->n = check.records;
	c->last = check.last.tv_sec;
	c->headless = check.headless;
	dw_proof_check_deinit(&check);
	return 0;
}

/* What SQLite would read with it. */
static bool has_journal(const char *db)
{
	static const char *const ends[] = { "-wal", "-journal" };
	char path[320];
	struct stat st;

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", db, ends[i]);
		if (!stat(path, &st) && st.st_size)
			return true;
	}
	return false;
}

/* Each byte of it, also those that no record has. */
static int look_at_seal(struct comparison *c, const char *db, const char *signers)
{
	char text[DW_ERROR_TEXT], own[320];
	struct dw_error err;
	int r;

	snprintf(own, sizeof(own), "%s/" DW_PROOF_SIGNERS, c->dir);
	r = dw_seal_check(db, signers ? signers : own, c->last, &err);
	if (r == -ENOENT)
		return 0;
	c->sealed = !r && !has_journal(db);
	if (!r && !c->sealed)
		explain_difference(c, "the database",
				   "a journal is with it that was not sealed");
	else if (r == 1)
		explain_difference(c, "the database", dw_error_text(&err, text));
	else if (r)
		fprintf(stderr, "diskwiped: %s\n", dw_error_text(&err, text));
	return r < 0 ? r : 0;
}

/* What is not whole is nothing to compare with. */
static int look_at_store(struct comparison *c, const char *db, const char *signers)
{
	char note[STORE_NOTE];
	int r = look_at_seal(c, db, signers);

	if (r)
		return CODE_USAGE;
	r = store_look(db, &c->store, note);
	if (r == -EBUSY) {
		printf("%" PRIu64 " records: whole\n", c->n);
		fprintf(stderr,
			"diskwiped: %s: a service uses it, so it was not compared with the "
			"records; stop the service first\n",
			db);
		return CODE_USAGE;
	}
	if (r) {
		fprintf(stderr, "diskwiped: %s: %s\n", db, note);
		return r == -EUCLEAN ? CODE_FAULT : CODE_USAGE;
	}
	r = compare_both(c);
	if (r)
		fprintf(stderr, "diskwiped: %s: %s\n", db, strerror(-r));
	store_close(c->store);
	return r ? CODE_USAGE : CODE_GOOD;
}

int compare_all(const char *db, const char *dir, const char *signers)
{
	struct comparison c = { .dir = dir };
	int code;

	if (!dir[0]) {
		fprintf(stderr,
			"diskwiped: the configuration names no records (records= of "
			"[station]; see diskwiped.conf(5))\n");
		return CODE_USAGE;
	}
	if (look_at_ledger(&c, signers))
		return CODE_USAGE;
	if (c.headless && !c.faults) {
		fprintf(stderr,
			"diskwiped: record %" PRIu64
			" is signed, and no head names it: its writing was cut off, which "
			"the service finishes when it starts, or records behind it were "
			"taken away\n",
			c.n + 1);
		return CODE_UNFINISHED;
	}
	code = c.faults ? CODE_GOOD : look_at_store(&c, db, signers);
	if (code)
		return code;
	printf("%" PRIu64 " records, %" PRIu64 " attempts: %s; not yet signed: %" PRIu64
	       " attempts, %" PRIu64 " rows of the audit trail%s\n",
	       c.n, c.attempts, c.faults ? "they differ" : "they say the same",
	       c.unsigned_attempts, c.unsigned_rows,
	       c.sealed   ? "; the database is as the service left it"
	       : c.faults ? ""
			  : "; the database has no seal: its service was cut off, or "
			    "somebody removed it");
	return c.faults ? CODE_FAULT : CODE_GOOD;
}
