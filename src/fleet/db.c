/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The only user of libpq. Every wait has an end, also where the server was stopped or is gone. */
#include "fleet/db.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libpq-fe.h>

#define CONNECT_S  "15"
#define VALUES_MAX 12
#define TEXT       25 /* types of PostgreSQL's catalogue */
#define BYTEA      17

/* Else a function encode() that the database's owner has made could hide the server's. */
#define SCHEMAS "pg_catalog, pg_temp"
/* A sender whose machine has lost its power leaves a transaction open, and the chain locked. */
#define FOR_ONE                                                                          \
	"SELECT set_config('search_path', '" SCHEMAS "', true), "                        \
	"set_config('lock_timeout', '20s', true), "                                      \
	"set_config('idle_in_transaction_session_timeout', '60s', true)"

/** struct fleet_db - a connection; @pooled: who answers is no server, see fleet_db_is_pooled() */
struct fleet_db {
	PGconn *c;
	unsigned int patience;
	bool pooled;
};

struct fleet_rows {
	PGresult *r;
};

/* libpq ends its messages with a newline, and has several lines. */
static int failed(struct dw_error *err, int code, const char *message)
{
	char line[200];

	snprintf(line, sizeof(line), "%s", message);
	line[strcspn(line, "\n")] = '\0';
	return dw_error_set(err, code, DW_ERROR_FILE, NULL, "%s",
			    line[0] ? line : "the server went away");
}

int fleet_db_check(const char *uri, struct dw_error *err)
{
	char *why = NULL;
	PQconninfoOption *o = NULL;
	bool secret = false;

	if (!strncmp(uri, "postgresql://", 13) || !strncmp(uri, "postgres://", 11))
		o = PQconninfoParse(uri, &why);
	for (PQconninfoOption *k = o; k && k->keyword; k++)
		secret |= k->val && *k->dispchar == '*';
	PQconninfoFree(o);
	if (!o)
		failed(err, -EINVAL, why ? why : "it does not begin with postgresql://");
	PQfreemem(why);
	if (secret)
		return dw_error_set(
			err, -EINVAL, DW_ERROR_FILE, NULL,
			"there is a password in it, which others can see; put it "
			"into ~/.pgpass, or into a file that passfile= names");
	return o ? 0 : -EINVAL;
}

void fleet_db_close(struct fleet_db *db)
{
	if (db)
		PQfinish(db->c);
	free(db);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 0: there may be something to read or to write; negative errno. */
static int wait_for(const struct fleet_db *db, bool out, int64_t until)
{
	struct pollfd p = { .fd = PQsocket(db->c),
			    .events = (short)(POLLIN | (out ? POLLOUT : 0)) };
	int64_t left = until - now_ms();
	int r;

	if (left <= 0)
		return -ETIMEDOUT;
	r = poll(&p, 1, (int)left);
	return r < 0 && errno != EINTR ? -errno : 0;
}

/* Until the answer is there. */
static int hear(struct fleet_db *db, int64_t until)
{
	bool out = true;

	for (;;) {
		int r;

		if (out) {
			r = PQflush(db->c);
			if (r < 0)
				return -ENOTCONN;
			out = r > 0;
		}
		if (!out && !PQisBusy(db->c))
			return 0;
		r = wait_for(db, out, until);
		if (r)
			return r;
		if (!PQconsumeInput(db->c))
			return -ENOTCONN;
	}
}

static int ask(struct fleet_db *db, const char *sql, const struct fleet_value *value,
	       size_t n)
{
	const char *data[VALUES_MAX];
	int len[VALUES_MAX], binary[VALUES_MAX];
	Oid type[VALUES_MAX];

	for (size_t i = 0; i < n; i++) {
		data[i] = value[i].data;
		len[i] = (int)value[i].len;
		binary[i] = value[i].len > 0;
		type[i] = binary[i] ? BYTEA : TEXT;
	}
	return PQsendQueryParams(db->c, sql, (int)n, type, data, len, binary, 1)
		       ? 0
		       : -ENOTCONN;
}

/* The last of what came; NULL and an error when it did not come. */
static PGresult *answer(struct fleet_db *db, struct dw_error *err, int *ret)
{
	int64_t until = now_ms() + (int64_t)db->patience * 1000;
	PGresult *last = NULL, *next;

	for (;;) {
		*ret = hear(db, until);
		if (*ret) {
			PQclear(last);
			if (*ret == -ETIMEDOUT)
				failed(err, *ret, "the server does not answer");
			else
				failed(err, *ret, PQerrorMessage(db->c));
			return NULL;
		}
		next = PQgetResult(db->c);
		if (!next)
			break;
		PQclear(last);
		last = next;
	}
	if (!last)
		*ret = failed(err, -ENOTCONN, PQerrorMessage(db->c));
	return last;
}

static int ask_once(struct fleet_db *db, const char *sql, const struct fleet_value *value,
		    size_t n, struct fleet_rows **ret, struct dw_error *err)
{
	PGresult *r;
	int e = n <= VALUES_MAX ? ask(db, sql, value, n) : -EINVAL;

	if (e)
		return failed(err, e, PQerrorMessage(db->c));
	r = answer(db, err, &e);
	if (!r)
		return e;
	if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK)
		e = failed(err, PQstatus(db->c) == CONNECTION_OK ? -EPROTO : -ENOTCONN,
			   PQresultErrorMessage(r));
	if (!e && ret) {
		*ret = calloc(1, sizeof(**ret));
		if (*ret) {
			(*ret)->r = r;
			return 0;
		}
		e = dw_error_system(err, -ENOMEM, NULL);
	}
	PQclear(r);
	return e;
}

/* Through a pooler the next question may be in another session, and this one be somebody else's. */
static int ask_apart(struct fleet_db *db, const char *sql,
		     const struct fleet_value *value, size_t n, struct fleet_rows **ret,
		     struct dw_error *err)
{
	int r = ask_once(db, "BEGIN", NULL, 0, NULL, err);

	if (!r)
		r = ask_once(db, FOR_ONE, NULL, 0, NULL, err);
	if (!r)
		r = ask_once(db, sql, value, n, ret, err);
	if (r)
		return r;
	r = ask_once(db, "COMMIT", NULL, 0, NULL, err);
	if (r && ret)
		fleet_rows_free(*ret);
	return r;
}

int fleet_db_ask(struct fleet_db *db, const char *sql, const struct fleet_value *value,
		 size_t n, struct fleet_rows **ret, struct dw_error *err)
{
	return db->pooled ? ask_apart(db, sql, value, n, ret, err)
			  : ask_once(db, sql, value, n, ret, err);
}

/*
 * A client learns the number of its server process when it connects, for requests to cancel. A
 * pooler invents that number: it assigns processes for as long as a session or a transaction lasts.
 */
static int look_for_pooler(struct fleet_db *db, struct dw_error *err)
{
	struct fleet_rows *rows = NULL;
	int r = ask_once(db, "SELECT pg_catalog.pg_backend_pid()::text", NULL, 0, &rows,
			 err);

	if (r || !rows)
		return r;
	db->pooled = fleet_rows_n(rows) != 1 ||
		     fleet_rows_number(rows, 0, 0) != (uint64_t)PQbackendPID(db->c);
	fleet_rows_free(rows);
	return 0;
}

int fleet_db_open(const char *uri, const struct fleet_tls *tls, unsigned int patience,
		  struct fleet_db **ret, struct dw_error *err)
{
	static const struct fleet_tls none;
	const struct fleet_tls *t = tls ? tls : &none;
	/* what comes first gives way to what the address says */
	const char *const keys[] = { "sslmode",
				     "connect_timeout",
				     "client_encoding",
				     "fallback_application_name",
				     "tcp_user_timeout",
				     "keepalives_idle",
				     "dbname",
				     "sslrootcert",
				     "sslcert",
				     "sslkey",
				     NULL };
	const char *const values[] = { "verify-full",  CONNECT_S,     "UTF8", "diskwipe",
				       "60000",        "60",          uri,    t->ca_file,
				       t->client_cert, t->client_key, NULL };
	struct fleet_db *db;
	int r = fleet_db_check(uri, err);

	if (r)
		return r;
	db = calloc(1, sizeof(*db));
	if (!db)
		return dw_error_system(err, -ENOMEM, NULL);
	db->patience = patience;
	db->c = PQconnectdbParams(keys, values, 1);
	if (!db->c)
		r = dw_error_system(err, -ENOMEM, NULL);
	else if (PQstatus(db->c) != CONNECTION_OK)
		r = failed(err, -ENOTCONN, PQerrorMessage(db->c));
	else if (PQsetnonblocking(db->c, 1))
		r = failed(err, -EIO, PQerrorMessage(db->c));
	if (!r)
		r = look_for_pooler(db, err);
	if (!r && !db->pooled)
		r = ask_once(db, "SET search_path = " SCHEMAS, NULL, 0, NULL, err);
	if (r)
		fleet_db_close(db);
	else
		*ret = db;
	return r;
}

bool fleet_db_is_pooled(const struct fleet_db *db)
{
	return db->pooled;
}

size_t fleet_rows_n(const struct fleet_rows *r)
{
	return (size_t)PQntuples(r->r);
}

const char *fleet_rows_at(const struct fleet_rows *r, size_t row, size_t column,
			  size_t *ret_len)
{
	if (ret_len)
		*ret_len = (size_t)PQgetlength(r->r, (int)row, (int)column);
	return PQgetvalue(r->r, (int)row, (int)column);
}

uint64_t fleet_rows_number(const struct fleet_rows *r, size_t row, size_t column)
{
	return strtoull(fleet_rows_at(r, row, column, NULL), NULL, 10);
}

void fleet_rows_free(struct fleet_rows *r)
{
	if (r)
		PQclear(r->r);
	free(r);
}
