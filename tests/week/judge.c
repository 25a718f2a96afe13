/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What has to be true when everything has ended: the store against what happened to the disks, and
 * the process at the end of a long life against itself.
 */
#include "week.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#define DAY_2 (2 * DAY) /* it must not grow from then on */

/* --- the record -------------------------------------------------------------- */

static sqlite3_stmt *ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
		week_wrong("%s", sqlite3_errmsg(db));
	return q;
}

static const char *text(sqlite3_stmt *q, int column)
{
	const char *t = (const char *)sqlite3_column_text(q, column);

	return t ? t : "";
}

static void judge_result(sqlite3_stmt *q, const char *outcome)
{
	const char *json = text(q, 6);
	struct dw_result_doc *doc = NULL;

	if (!json[0])
		return;
	if (dw_result_parse(json, strlen(json), &doc, NULL) < 0)
		week_wrong("attempt %lld: its result cannot be read",
			   (long long)sqlite3_column_int64(q, 0));
	else if (strcmp(doc->outcome, outcome) != 0)
		week_wrong("attempt %lld is %s, and its result %s",
			   (long long)sqlite3_column_int64(q, 0), outcome, doc->outcome);
	dw_result_free(doc);
}

static void no_end(int64_t id, const char *serial, const char *job)
{
	const struct week_disk *d = station_by_serial(serial);

	week_wrong(
		"NO END: attempt %lld of disk %s, job %.8s; it is in place %d, of kind "
		"%d%s%s",
		(long long)id, serial, job, d ? d->place : -1, d ? (int)d->kind : -1,
		d && d->stopped ? ", stopped" : "", d && d->failing ? ", failing" : "");
}

/* id, job, serial, outcome, ended, whether it is the last of its job and disk, result */
static void judge_attempt(sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0);
	const struct week_order *log = engine_order(id, false);
	const char *serial = text(q, 2), *outcome = text(q, 3);
	bool erased = !strcmp(outcome, "erased");

	if (!outcome[0] || !sqlite3_column_int64(q, 4))
		no_end(id, serial, text(q, 1));
	if (erased && (!log || log->disk < 0 ||
		       strcmp(week->disk[log->disk].info.serial, serial) != 0 ||
		       log->outcome != DW_OUTCOME_ERASED || !log->clean))
		week_wrong("FALSE ERASED: attempt %lld of disk %s, job %.8s",
			   (long long)id, serial, text(q, 1));
	if (!sqlite3_column_int(q, 5) && strcmp(outcome, "removed") != 0)
		week_wrong("TWO ENDS: attempt %lld of disk %s, job %.8s is %s, and there "
			   "is a later one",
			   (long long)id, serial, text(q, 1), outcome);
	judge_result(q, outcome);
}

static void judge_attempts(sqlite3 *db)
{
	sqlite3_stmt *q = ask(db, "select a.id, a.job, d.serial, a.outcome, a.ended,"
				  " a.id = (select max(b.id) from attempt b where"
				  " b.job = a.job and b.disk = a.disk), a.result"
				  " from attempt a join disk d on d.id = a.disk");

	while (q && sqlite3_step(q) == SQLITE_ROW)
		judge_attempt(q);
	sqlite3_finalize(q);
}

static bool has_row(sqlite3_stmt *q)
{
	bool found = q && sqlite3_step(q) == SQLITE_ROW;

	sqlite3_reset(q);
	return found;
}

static void judge_jobs(sqlite3 *db)
{
	sqlite3_stmt *any = ask(db, "select 1 from job where id = ?");
	sqlite3_stmt *cancelled =
		ask(db, "select 1 from job where id = ? and cancelled <> 0");
	sqlite3_stmt *open = ask(db, "select 1 from job where id = ? and ended = 0");

	for (unsigned i = 0; i < week->n_jobs; i++) {
		const struct week_job *j = &week->job[i];

		sqlite3_bind_text(any, 1, j->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(cancelled, 1, j->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(open, 1, j->name, -1, SQLITE_STATIC);
		if (!has_row(any))
			week_wrong("LOST: job %s was %s", j->name,
				   j->acknowledged ? "acknowledged" : "told of");
		if (j->cancelled && !has_row(cancelled))
			week_wrong("LOST: the end of job %s was acknowledged", j->name);
		if (has_row(open))
			week_wrong("NO END: job %s", j->name);
	}
	sqlite3_finalize(any);
	sqlite3_finalize(cancelled);
	sqlite3_finalize(open);
}

/* whatever began is on record, by its number */
static void judge_orders(sqlite3 *db)
{
	sqlite3_stmt *q = ask(db, "select 1 from attempt where id = ?");

	for (unsigned i = 0; i < week->n_orders; i++) {
		sqlite3_bind_int64(q, 1, week->order[i].id);
		if (!has_row(q))
			week_wrong("attempt %lld is not on record",
				   (long long)week->order[i].id);
	}
	sqlite3_finalize(q);
}

static void judge_files(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (strstr(e->d_name, ".state") || strstr(e->d_name, ".key"))
			week_wrong("%s has outlived its attempt", e->d_name);
		if (strstr(e->d_name, "damaged"))
			week_wrong("%s: the record was damaged", e->d_name);
	}
	if (dir)
		closedir(dir);
}

void judge_record(void)
{
	char path[192];
	sqlite3 *db = NULL;
	sqlite3_stmt *q;

	snprintf(path, sizeof(path), "%s/state", week->folder);
	judge_files(path);
	strcat(path, "/station.db");
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
		week_wrong("%s cannot be opened", path);
	} else {
		q = ask(db, "pragma integrity_check");
		if (!q || sqlite3_step(q) != SQLITE_ROW || strcmp(text(q, 0), "ok") != 0)
			week_wrong("the record is damaged");
		sqlite3_finalize(q);
		judge_attempts(db);
		judge_jobs(db);
		judge_orders(db);
	}
	sqlite3_close(db);
}

/* --- the process -------------------------------------------------------------------- */

/* its own memory: the model's, which the lives share, grows with what it knows */
static uint64_t resident_kib(void)
{
	unsigned long long kib = 0;
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "RssAnon: %llu", &kib) != 1)
		;
	if (f)
		fclose(f);
	return kib;
}

static unsigned count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static uint64_t count_blocks(void)
{
	int sqlite = 0, unused;

	sqlite3_status(SQLITE_STATUS_MALLOC_COUNT, &sqlite, &unused, 0);
	return week_blocks() > sqlite ? (uint64_t)(week_blocks() - sqlite) : 0;
}

void judge_sample(void)
{
	struct week_sample *s = &week->sample[week->n_samples];

	if (week->n_samples == SAMPLES)
		return;
	week->n_samples++;
	*s = (struct week_sample){ .at = week->now,
				   .rss_kib = resident_kib(),
				   .blocks = count_blocks(),
				   .fds = count_fds() };
}

/* A day, as at noon there is more to do than at night; of its hours, as what is resident is there
 * until the heap is trimmed. */
bool judge_mean(uint64_t from, struct week_sample *ret)
{
	uint64_t n = 0;

	*ret = (struct week_sample){ .at = 0 };
	for (unsigned i = 0; i < week->n_samples; i++) {
		const struct week_sample *s = &week->sample[i];

		if (s->at < from || s->at >= from + DAY)
			continue;
		ret->at = s->at;
		ret->rss_kib += s->rss_kib;
		ret->blocks += s->blocks;
		if (s->fds > ret->fds) /* callers come and go */
			ret->fds = s->fds;
		n++;
	}
	if (n < 23) /* the sample of an hour is one of its first minutes */
		return false;
	ret->rss_kib /= n;
	ret->blocks /= n;
	return true;
}

static void judge_day(const struct week_sample *a, const struct week_sample *b)
{
	const double day = (double)b->at / DAY;

	if (b->blocks > a->blocks + a->blocks / 50)
		week_wrong("LEAK: %llu blocks of the heap on day 2, %llu on day %.1f",
			   (unsigned long long)a->blocks, (unsigned long long)b->blocks,
			   day);
	if (b->fds > a->fds)
		week_wrong("LEAK: %u descriptors on day 2, %u on day %.1f", a->fds,
			   b->fds, day);
}

/* What is resident goes up and down from day to day by a few percent, with the holes in the heap:
 * the last day counts. */
void judge_growth(void)
{
	struct week_sample a, b, last;

	if (!judge_mean(DAY_2, &a))
		return;
	last = a;
	for (uint64_t from = DAY_2 + 12 * HOUR; judge_mean(from, &b); from += 12 * HOUR) {
		judge_day(&a, &b);
		last = b;
	}
	if (last.rss_kib > a.rss_kib + a.rss_kib / 20)
		week_wrong("LEAK: %llu KiB resident on day 2, %llu on the last day",
			   (unsigned long long)a.rss_kib,
			   (unsigned long long)last.rss_kib);
}
