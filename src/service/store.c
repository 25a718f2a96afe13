/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schema.h"
#include "store_row.h"

#define SIMULATED_ID 1146573645 /* "DWSM", of the file of a simulated station */

struct store {
	sqlite3 *db;
	char error[256];
};

static int failed(struct store *s, int sqlite)
{
	snprintf(s->error, sizeof(s->error), "%s", sqlite3_errmsg(s->db));
	return store_errno(sqlite);
}

const char *store_error(const struct store *s)
{
	return s->error[0] ? s->error : "no error";
}

static int execute(struct store *s, const char *sql)
{
	int r = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return r == SQLITE_OK ? 0 : failed(s, r);
}

/* @types: t text, i int64_t, u int, d double */
static int bind_values(struct store *s, sqlite3_stmt *q, const char *types, va_list args)
{
	int r = SQLITE_OK;

	for (int i = 1; types[i - 1] && r == SQLITE_OK; i++)
		switch (types[i - 1]) {
		case 't':
			r = sqlite3_bind_text(q, i, va_arg(args, const char *), -1,
					      SQLITE_TRANSIENT);
			break;
		case 'i':
			r = sqlite3_bind_int64(q, i, va_arg(args, int64_t));
			break;
		case 'u':
			r = sqlite3_bind_int(q, i, va_arg(args, int));
			break;
		default:
			r = sqlite3_bind_double(q, i, va_arg(args, double));
		}
	return r == SQLITE_OK ? 0 : failed(s, r);
}

static int prepare_query(struct store *s, sqlite3_stmt **ret, const char *sql,
			 const char *types, ...)
{
	va_list args;
	int r = sqlite3_prepare_v2(s->db, sql, -1, ret, NULL);

	if (r != SQLITE_OK)
		return failed(s, r);
	va_start(args, types);
	r = bind_values(s, *ret, types, args);
	va_end(args);
	if (r < 0)
		sqlite3_finalize(*ret);
	return r;
}

/* the next row: 1, none: 0 */
static int next_row(struct store *s, sqlite3_stmt *q)
{
	int r = sqlite3_step(q);

	if (r == SQLITE_ROW)
		return 1;
	return r == SQLITE_DONE ? 0 : failed(s, r);
}

/* a statement without rows, or of whose rows nobody wants to know */
static int run_change(struct store *s, const char *sql, const char *types, ...)
{
	sqlite3_stmt *q;
	va_list args;
	int r = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);

	if (r != SQLITE_OK)
		return failed(s, r);
	va_start(args, types);
	r = bind_values(s, q, types, args);
	va_end(args);
	if (!r)
		r = next_row(s, q);
	sqlite3_finalize(q);
	return r < 0 ? r : 0;
}

/* all or nothing: @r is how the statements went */
static int end_transaction(struct store *s, int r)
{
	char why[sizeof(s->error)];

	if (!r)
		r = execute(s, "commit");
	if (!r)
		return 0;
	snprintf(why, sizeof(why), "%s", s->error);
	sqlite3_exec(s->db, "rollback", NULL, NULL, NULL);
	snprintf(s->error, sizeof(s->error), "%s", why);
	return r;
}

static void copy_column(sqlite3_stmt *q, int i, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(q, i);

	snprintf(to, size, "%s", text ? text : "");
}

/* --- opening -------------------------------------------------------------- */

static int number_of(struct store *s, const char *sql, int64_t *ret)
{
	sqlite3_stmt *q;
	int r = prepare_query(s, &q, sql, "");

	if (r < 0)
		return r;
	r = next_row(s, q);
	*ret = r == 1 ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return r < 0 ? r : 0;
}

static int upgrade(struct store *s, char note[STORE_NOTE])
{
	char set[48];
	int64_t version = 0;
	int r = number_of(s, "pragma user_version", &version);

	if (!r && (version < 0 || version > (int64_t)SCHEMA_VERSION)) {
		snprintf(note, STORE_NOTE,
			 "it was written by a later version of diskwiped (%lld, this is "
			 "%zu): install that",
			 (long long)version, SCHEMA_VERSION);
		return -EPROTO;
	}
	for (; !r && version < (int64_t)SCHEMA_VERSION; version++) {
		r = execute(s, "begin immediate");
		if (!r)
			r = execute(s, schema_steps[version]);
		snprintf(set, sizeof(set), "pragma user_version = %lld",
			 (long long)version + 1);
		if (!r)
			r = execute(s, set);
		r = end_transaction(s, r);
	}
	return r;
}

/* damage that is found now is not built on */
static int check_file(struct store *s, const char *pragma)
{
	sqlite3_stmt *q;
	int r = prepare_query(s, &q, pragma, "");

	if (r < 0)
		return r;
	r = next_row(s, q);
	if (r == 1 && strcmp((const char *)sqlite3_column_text(q, 0), "ok") != 0) {
		snprintf(s->error, sizeof(s->error), "%s", sqlite3_column_text(q, 0));
		r = -EUCLEAN;
	}
	sqlite3_finalize(q);
	return r < 0 ? r : 0;
}

static int try_open(const char *path, struct store *s, char note[STORE_NOTE])
{
	int r = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				NULL);

	if (r != SQLITE_OK)
		return s->db ? failed(s, r) : -ENOMEM;
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, 2000);
	r = execute(s, "pragma locking_mode=exclusive");
	if (!r)
		r = execute(s, "pragma journal_mode=wal");
	if (!r) /* the kernel has the file, too: a cache of 512 KiB is full within a day */
		r = execute(s, "pragma synchronous=full; pragma foreign_keys=on;"
			       "pragma cache_size=-512;"
			       "begin exclusive; commit");
	if (!r)
		r = check_file(s, "pragma quick_check(1)");
	return r ? r : upgrade(s, note);
}

/* with what belongs to it, so that it can be looked into */
static int keep_aside(const char *path, char note[STORE_NOTE], const char *why)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char from[512], to[560], aside[512];
	time_t now = time(NULL);

	snprintf(aside, sizeof(aside), "%.440s.damaged-%lld", path, (long long)now);
	for (int i = 0; i < 3; i++) {
		snprintf(from, sizeof(from), "%.490s%s", path, parts[i]);
		snprintf(to, sizeof(to), "%s%s", aside, parts[i]);
		if (rename(from, to) < 0 && !(i && errno == ENOENT))
			return -errno;
	}
	snprintf(
		note, STORE_NOTE,
		"%.160s was damaged (%.80s): it is kept as %.180s, and a new one is begun; "
		"jobs that were under way have to be submitted again",
		path, why, aside);
	return 0;
}

int store_open(const char *path, struct store **ret, char note[STORE_NOTE])
{
	struct store *s = calloc(1, sizeof(*s));
	int r = s ? 0 : -ENOMEM;

	note[0] = '\0';
	if (!r)
		r = try_open(path, s, note);
	if (r == -EUCLEAN) {
		char why[sizeof(s->error)];

		snprintf(why, sizeof(why), "%s", s->error);
		sqlite3_close(s->db);
		s->db = NULL;
		r = keep_aside(path, note, why);
		if (!r) {
			char unused[STORE_NOTE];

			r = try_open(path, s, unused);
		}
	}
	if (r < 0) {
		if (!note[0])
			snprintf(note, STORE_NOTE, "%s",
				 s && s->error[0] ? s->error : strerror(-r));
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

int store_look(const char *path, struct store **ret, char note[STORE_NOTE])
{
	struct store *s = calloc(1, sizeof(*s));
	int64_t version = 0;
	int r = s ? sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READONLY, NULL) : -1;

	note[0] = '\0';
	if (!s)
		return -ENOMEM;
	if (r != SQLITE_OK)
		r = s->db ? failed(s, r) : -ENOMEM;
	if (!r)
		r = check_file(s, "pragma integrity_check(1)"); /* indexes, too */
	if (!r)
		r = number_of(s, "pragma user_version", &version);
	if (!r && version != (int64_t)SCHEMA_VERSION) {
		snprintf(s->error, sizeof(s->error), "it is of another version");
		r = -EPROTO;
	} else if (!r && !store_schema_kept(s->db)) {
		snprintf(s->error, sizeof(s->error),
			 "its tables and triggers are not those of diskwiped");
		r = -EUCLEAN;
	}
	if (r < 0) {
		snprintf(note, STORE_NOTE, "%s", store_error(s));
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

int store_claim(struct store *s, bool simulated)
{
	int64_t id = 0, used = 0;
	int r = number_of(s, "pragma application_id", &id);

	if (!r)
		r = number_of(s, "select exists(select 1 from disk)", &used);
	if (r < 0 || (id == SIMULATED_ID) == simulated)
		return r;
	return id || used ? -EBUSY : execute(s, "pragma application_id = 1146573645");
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	free(s);
}

/* --- rows ----------------------------------------------------------------- */

int store_disk(struct store *s, const struct dw_disk_info *info, const char *bay,
	       bool used_here, uint64_t now, int64_t *ret, bool *ret_used)
{
	sqlite3_stmt *q;
	int r = prepare_query(
		s, &q,
		"insert into disk(serial, wwn, capacity, block_size, vendor, model, revision,"
		" bay, first_seen, last_seen, used_here) values(?,?,?,?,?,?,?,?,?9,?9,?10)"
		" on conflict(serial, wwn, capacity, block_size) do update set"
		" revision = excluded.revision, last_seen = excluded.last_seen,"
		" bay = case when excluded.bay = '' then bay else excluded.bay end,"
		" used_here = used_here | excluded.used_here returning id, used_here",
		"ttiittttiu", info->serial, info->wwn,
		(int64_t)(info->blocks * info->block_size), (int64_t)info->block_size,
		info->vendor, info->model, info->revision, bay, (int64_t)now, used_here);

	if (r < 0)
		return r;
	r = next_row(s, q);
	if (r == 1) { /* which is on the medium only when the query has ended */
		int64_t id = sqlite3_column_int64(q, 0);
		bool used = sqlite3_column_int(q, 1);

		r = next_row(s, q);
		if (!r) {
			*ret = id;
			*ret_used = used;
		}
	}
	sqlite3_finalize(q);
	return r;
}

static int add_audit(struct store *s, const struct store_caller *who, const char *what,
		     const char *job, const char *text, uint64_t now)
{
	return run_change(
		s,
		"insert into audit(at, uid, pid, loginuid, comm, bus, what, job, text_)"
		" values(?,?,?,?,?,?,?,?,?)",
		"iiiittttt", (int64_t)now, (int64_t)who->uid, (int64_t)who->pid,
		(int64_t)who->loginuid, who->comm, who->bus, what, job, text);
}

int store_audit(struct store *s, const struct store_caller *who, const char *what,
		const char *job, const char *text, uint64_t now)
{
	return add_audit(s, who, what, job, text, now);
}

static int add_attempt(struct store *s, struct store_attempt *a)
{
	int r = run_change(
		s,
		"insert into attempt(job, disk, bay, signatures, expected, started, ended,"
		" outcome, reason, code, paused, cancelled, left_working, asset)"
		" values(?,?,?,?,?,0,0,'','',0,0,0,?,?)",
		"tittdut", a->job, a->disk, a->bay, a->signatures, a->expected,
		a->left_working, a->asset);

	a->max_temperature = DW_TEMPERATURE_UNKNOWN;
	a->id = sqlite3_last_insert_rowid(s->db);
	return r;
}

int store_submit(struct store *s, const struct store_job *job,
		 struct store_attempt *attempt, size_t n, const struct store_caller *who)
{
	int r = execute(s, "begin immediate");

	if (r < 0)
		return r;
	r = run_change(
		s,
		"insert into job(id, submitted, ended, uid, priority, label, options,"
		" paused, cancelled, loginuid) values(?,?,0,?,?,?,?,?,0,?)",
		"tiiuttui", job->id, (int64_t)job->submitted, (int64_t)job->uid,
		job->priority, job->label, job->options, job->paused,
		(int64_t)job->loginuid);
	for (size_t i = 0; i < n && !r; i++)
		r = add_attempt(s, &attempt[i]);
	for (size_t i = 0; i < n && !r; i++) {
		char text[320];

		snprintf(text, sizeof(text), "serial %s, WWN %s, %llu bytes, bay %s",
			 attempt[i].identity.serial, attempt[i].identity.wwn,
			 (unsigned long long)(attempt[i].identity.blocks *
					      attempt[i].identity.block_size),
			 attempt[i].bay[0] ? attempt[i].bay : "none");
		r = add_audit(s, who, "submit", job->id, text, job->submitted);
	}
	if (!r && job->note[0])
		r = add_audit(s, who, "note", job->id, job->note, job->submitted);
	return end_transaction(s, r);
}

int store_again(struct store *s, struct store_attempt *attempt, uint64_t now)
{
	static const struct store_caller self = { .uid = UINT32_MAX,
						  .loginuid = UINT32_MAX,
						  .comm = "diskwiped" };
	int r = execute(s, "begin immediate");

	if (r < 0)
		return r;
	r = add_attempt(s, attempt);
	if (!r)
		r = run_change(s, "update job set ended = 0 where id = ?", "t",
			       attempt->job);
	if (!r)
		r = add_audit(s, &self, "continue", attempt->job,
			      attempt->identity.serial, now);
	return end_transaction(s, r);
}

int store_begin(struct store *s, int64_t attempt, const char *bay, uint64_t now)
{
	return run_change(s,
			  "update attempt set bay = ?2,"
			  " started = case when started = 0 then ?3 else started end"
			  " where id = ?1",
			  "iti", attempt, bay, (int64_t)now);
}

int store_health(struct store *s, const struct store_attempt *a)
{
	return run_change(s,
			  "update attempt set max_temperature = ?, heat_pause = ?,"
			  " health_before = ? where id = ?",
			  "uiti", a->max_temperature, (int64_t)a->heat_us,
			  a->health_before, a->id);
}

int store_end(struct store *s, const struct store_attempt *a, const char *json)
{
	return run_change(
		s,
		"update attempt set ended = ?, outcome = ?, reason = ?, code = ?,"
		" result = ?, max_temperature = ?, heat_pause = ?, health_before = ?,"
		" health_after = ?, do_not_reuse = ?, left_working = ? where id = ?",
		"ittutuittuui", (int64_t)a->ended, outcome_word(a->outcome), a->reason,
		a->code, json, a->max_temperature, (int64_t)a->heat_us, a->health_before,
		a->health_after, a->do_not_reuse, a->left_working, a->id);
}

int store_job_end(struct store *s, const char *id, uint64_t now)
{
	return run_change(s, "update job set ended = ? where id = ?", "it", (int64_t)now,
			  id);
}

int store_job_ask(struct store *s, const struct store_job *job,
		  const struct store_attempt *attempt, const char *what,
		  const struct store_caller *who, uint64_t now)
{
	int r = execute(s, "begin immediate");

	if (r < 0)
		return r;
	if (attempt)
		r = run_change(
			s, "update attempt set paused = ?, cancelled = ? where id = ?",
			"uui", attempt->paused, attempt->cancelled, attempt->id);
	else
		r = run_change(s,
			       "update job set priority = ?, paused = ?, cancelled = ?"
			       " where id = ?",
			       "uuut", job->priority, job->paused, job->cancelled,
			       job->id);
	if (!r)
		r = add_audit(s, who, what, job->id,
			      attempt ? attempt->identity.serial : "", now);
	return end_transaction(s, r);
}

int store_marks(struct store *s, const struct store_mark *mark, size_t n)
{
	int r = n ? execute(s, "begin immediate") : 0;

	if (!n || r < 0)
		return r;
	for (size_t i = 0; i < n && !r; i++)
		r = run_change(
			s,
			"insert into progress values(?,?,?,?,?,?,?)"
			" on conflict(attempt) do update set at = excluded.at,"
			" pass = excluded.pass, bytes = excluded.bytes,"
			" total = excluded.total,"
			/* nothing is flushed yet of what continues: what was is still true */
			" flushed_lba = case when excluded.flushed_pass + excluded.flushed_lba = 0"
			" then flushed_lba else excluded.flushed_lba end,"
			" flushed_pass = max(flushed_pass, excluded.flushed_pass)",
			"iiiiiii", mark[i].attempt, (int64_t)mark[i].at,
			(int64_t)mark[i].pass, (int64_t)mark[i].bytes,
			(int64_t)mark[i].total, (int64_t)mark[i].flushed_pass,
			(int64_t)mark[i].flushed_lba);
	return end_transaction(s, r);
}

/* --- reading -------------------------------------------------------------- */

#define JOB_COLUMNS                                                                       \
	"job.number, job.id, job.submitted, job.ended, job.uid, job.priority, job.label," \
	" job.options, job.paused, job.cancelled, job.loginuid"

static void job_from_row(sqlite3_stmt *q, int at, struct store_job *ret)
{
	*ret = (struct store_job){
		.number = sqlite3_column_int64(q, at),
		.submitted = (uint64_t)sqlite3_column_int64(q, at + 2),
		.ended = (uint64_t)sqlite3_column_int64(q, at + 3),
		.uid = (uint32_t)sqlite3_column_int64(q, at + 4),
		.priority = sqlite3_column_int(q, at + 5),
		.paused = sqlite3_column_int(q, at + 8),
		.cancelled = sqlite3_column_int(q, at + 9),
		.loginuid = (uint32_t)sqlite3_column_int64(q, at + 10),
	};
	copy_column(q, at + 1, ret->id, sizeof(ret->id));
	copy_column(q, at + 6, ret->label, sizeof(ret->label));
	copy_column(q, at + 7, ret->options, sizeof(ret->options));
}

#define ATTEMPT_COLUMNS                                                                  \
	"attempt.id, attempt.job, attempt.disk, attempt.bay, attempt.signatures,"        \
	" attempt.expected, attempt.started, attempt.ended, attempt.outcome,"            \
	" attempt.reason, attempt.code, attempt.paused, attempt.cancelled, disk.serial," \
	" disk.wwn, disk.capacity, disk.block_size, disk.vendor, disk.model,"            \
	" disk.revision, attempt.max_temperature, attempt.health_before,"                \
	" attempt.health_after, coalesce((select flushed_pass > 0 or"                    \
	" flushed_lba >= 4096 from progress where progress.attempt = attempt.id), 0),"   \
	" attempt.heat_pause, attempt.do_not_reuse, attempt.left_working, attempt.asset"
#define ATTEMPT_WIDTH 28

static void attempt_from_row(sqlite3_stmt *q, int at, struct store_attempt *ret)
{
	struct dw_disk_info *i = &ret->identity;

	*ret = (struct store_attempt){
		.id = sqlite3_column_int64(q, at),
		.disk = sqlite3_column_int64(q, at + 2),
		.expected = sqlite3_column_double(q, at + 5),
		.started = (uint64_t)sqlite3_column_int64(q, at + 6),
		.ended = (uint64_t)sqlite3_column_int64(q, at + 7),
		.outcome = outcome_read((const char *)sqlite3_column_text(q, at + 8)),
		.code = sqlite3_column_int(q, at + 10),
		.paused = sqlite3_column_int(q, at + 11),
		.cancelled = sqlite3_column_int(q, at + 12),
		.max_temperature = sqlite3_column_int(q, at + 20),
		.start_erased = sqlite3_column_int(q, at + 23),
		.heat_us = (uint64_t)sqlite3_column_int64(q, at + 24),
		.do_not_reuse = sqlite3_column_int(q, at + 25),
		.left_working = sqlite3_column_int(q, at + 26),
	};
	copy_column(q, at + 1, ret->job, sizeof(ret->job));
	copy_column(q, at + 21, ret->health_before, sizeof(ret->health_before));
	copy_column(q, at + 22, ret->health_after, sizeof(ret->health_after));
	copy_column(q, at + 3, ret->bay, sizeof(ret->bay));
	copy_column(q, at + 4, ret->signatures, sizeof(ret->signatures));
	copy_column(q, at + 9, ret->reason, sizeof(ret->reason));
	copy_column(q, at + 13, i->serial, sizeof(i->serial));
	copy_column(q, at + 14, i->wwn, sizeof(i->wwn));
	i->block_size = (uint32_t)sqlite3_column_int64(q, at + 16);
	if (i->block_size)
		i->blocks = (uint64_t)sqlite3_column_int64(q, at + 15) / i->block_size;
	copy_column(q, at + 17, i->vendor, sizeof(i->vendor));
	copy_column(q, at + 18, i->model, sizeof(i->model));
	copy_column(q, at + 19, i->revision, sizeof(i->revision));
	copy_column(q, at + 27, ret->asset, sizeof(ret->asset));
}

int store_each_job(struct store *s, uint32_t most,
		   int (*each)(void *ctx, const struct store_job *job), void *ctx)
{
	struct store_job job;
	sqlite3_stmt *q;
	int r = prepare_query(
		s, &q,
		"select " JOB_COLUMNS " from job where ended = 0 or number in"
		" (select number from job where ended <> 0 order by number desc"
		" limit ?) or (not cancelled and exists (select 1 from attempt a"
		" where a.job = job.id and a.left_working and not a.cancelled"
		" and not exists (select 1 from attempt b where b.disk = a.disk"
		" and b.id > a.id))) order by number",
		"i", (int64_t)most);

	if (r < 0)
		return r;
	while ((r = next_row(s, q)) == 1) {
		job_from_row(q, 0, &job);
		r = each(ctx, &job);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

int store_each_attempt(struct store *s, const char *job,
		       int (*each)(void *ctx, const struct store_attempt *a), void *ctx)
{
	struct store_attempt a;
	sqlite3_stmt *q;
	int r = prepare_query(s, &q,
			      "select " ATTEMPT_COLUMNS " from attempt join disk on"
			      " disk.id = attempt.disk where job = ? order by attempt.id",
			      "t", job);

	if (r < 0)
		return r;
	while ((r = next_row(s, q)) == 1) {
		attempt_from_row(q, 0, &a);
		r = each(ctx, &a);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

/* Rows of attempts with their jobs; @q is finalized. */
static int each_row(struct store *s, sqlite3_stmt *q,
		    int (*each)(void *ctx, const struct store_record *r), void *ctx)
{
	struct store_record rec;
	int r;

	while ((r = next_row(s, q)) == 1) {
		attempt_from_row(q, 0, &rec.attempt);
		job_from_row(q, ATTEMPT_WIDTH, &rec.job);
		r = each(ctx, &rec);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

int store_each_record(struct store *s, const struct store_filter *f,
		      int (*each)(void *ctx, const struct store_record *r), void *ctx)
{
	sqlite3_stmt *q;
	int r = prepare_query(
		s, &q,
		"select " ATTEMPT_COLUMNS ", " JOB_COLUMNS " from attempt"
		" join disk on disk.id = attempt.disk join job on job.id = attempt.job"
		" where max(attempt.started, attempt.ended, job.submitted) >= ?1"
		" and (?2 = 0 or max(attempt.started, attempt.ended, job.submitted) < ?2)"
		" and (?3 = '' or disk.serial = ?3) and (?4 = '' or attempt.bay = ?4)"
		" and (?5 = '' or attempt.outcome = ?5) and (?6 = '' or job.id = ?6)"
		" and (?8 = 0 or disk.id = ?8)"
		" order by attempt.id desc limit ?7",
		"iittttii", (int64_t)f->since, (int64_t)f->until, f->serial, f->bay,
		f->outcome, f->job, f->limit ? (int64_t)f->limit : INT64_C(-1), f->disk);

	if (r < 0)
		return r;
	return each_row(s, q, each, ctx);
}

int store_each_unproven(struct store *s, uint32_t most,
			int (*each)(void *ctx, const struct store_record *r), void *ctx)
{
	sqlite3_stmt *q;
	int r = prepare_query(
		s, &q,
		"select " ATTEMPT_COLUMNS ", " JOB_COLUMNS " from attempt"
		" join disk on disk.id = attempt.disk join job on job.id = attempt.job"
		" where attempt.outcome <> '' and attempt.record = 0"
		" order by attempt.ended, attempt.id limit ?",
		"i", (int64_t)most);

	return r < 0 ? r : each_row(s, q, each, ctx);
}

int store_proven(struct store *s, int64_t attempt, uint64_t record)
{
	return run_change(s, "update attempt set record = ? where id = ?", "ii",
			  (int64_t)record, attempt);
}

/* Of a query that was prepared with @r. */
static int one_number(struct store *s, int r, sqlite3_stmt *q, uint64_t *ret)
{
	*ret = 0;
	if (r)
		return r;
	r = next_row(s, q);
	if (r == 1)
		*ret = (uint64_t)sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return r < 0 ? r : 0;
}

int store_last_record(struct store *s, uint64_t *ret)
{
	sqlite3_stmt *q = NULL;
	int r = prepare_query(s, &q, "select max(record) from attempt", "");

	return one_number(s, r, q, ret);
}

int store_record_of(struct store *s, int64_t attempt, uint64_t *ret)
{
	sqlite3_stmt *q = NULL;
	int r = prepare_query(s, &q, "select record from attempt where id = ?", "i",
			      attempt);

	return one_number(s, r, q, ret);
}

int store_misses(struct store *s, const char *job, bool *ret)
{
	uint64_t misses;
	sqlite3_stmt *q = NULL;
	int r = prepare_query(s, &q,
			      "select (exists(select 1 from audit where job = ?1)"
			      " or exists(select 1 from job where id = ?1))"
			      " and not exists(select 1 from attempt where job = ?1"
			      " and outcome <> '' and record = 0)",
			      "t", job);

	r = one_number(s, r, q, &misses);
	*ret = misses > 0;
	return r;
}

int store_trail(struct store *s, struct store_trail *ret)
{
	sqlite3_stmt *q;
	int r = prepare_query(
		s, &q,
		"select coalesce((select at from audit order by seq limit 1), 0),"
		" coalesce((select max(seq) from audit), 0)",
		"");

	if (r < 0)
		return r;
	r = next_row(s, q);
	if (r == 1)
		*ret = (struct store_trail){
			.begun = (uint64_t)sqlite3_column_int64(q, 0),
			.last = (uint64_t)sqlite3_column_int64(q, 1),
		};
	sqlite3_finalize(q);
	return r < 0 ? r : 0;
}

int store_each_audit(struct store *s, uint64_t after, uint32_t most,
		     int (*each)(void *ctx, const struct dw_audit_row *row), void *ctx)
{
	struct dw_audit_row row;
	sqlite3_stmt *q;
	int r = prepare_query(s, &q,
			      "select seq, at, uid, pid, loginuid, comm, bus, what, job,"
			      " text_ from audit where seq > ? order by seq limit ?",
			      "ii", (int64_t)after, (int64_t)most);

	if (r < 0)
		return r;
	while ((r = next_row(s, q)) == 1) {
		r = store_audit_row(q, &row) ? each(ctx, &row) : -E2BIG;
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

char *store_result(struct store *s, int64_t attempt)
{
	const char *text;
	char *copy = NULL;
	sqlite3_stmt *q;

	if (prepare_query(s, &q, "select result from attempt where id = ?", "i",
			  attempt) < 0)
		return NULL;
	if (next_row(s, q) == 1) {
		text = (const char *)sqlite3_column_text(q, 0);
		copy = text ? strdup(text) : NULL;
	}
	sqlite3_finalize(q);
	return copy;
}
