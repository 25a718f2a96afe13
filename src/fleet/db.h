/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FLEET_DB_H
#define DW_FLEET_DB_H

/*
 * The database of a fleet's ledger: a connection, and questions with parameters. No text of a
 * record is ever a part of a question. A server that does not answer is given up, and so is its
 * connection; what was asked may have been done all the same.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

struct fleet_db;
struct fleet_rows;

/**
 * struct fleet_tls - with what a server is to be proven; each empty or NULL = as libpq finds it
 * @ca_file, @client_cert, @client_key: PEM
 */
struct fleet_tls {
	const char *ca_file;
	const char *client_cert;
	const char *client_key;
};

/**
 * fleet_db_check() - may that address of a database stand in a file or on a command line?
 * @uri: as libpq has it: "postgresql://..."
 * @err: why not: it cannot be read, or has a password in it, which others would see
 *
 * Return: 0; -EINVAL; -ENOTSUP: the program was built without libpq.
 */
int fleet_db_check(const char *uri, struct dw_error *err);

/**
 * fleet_db_open() - connect
 * @uri: as above. Unless it says otherwise, a server that is reached over a network has to prove
 *	its name (sslmode=verify-full)
 * @tls: NULL = nothing is said
 * @patience: seconds that an answer may take
 * @ret: fleet_db_close()
 *
 * Passwords come from ~/.pgpass, the file of passfile= or the service file alone.
 *
 * Return: 0; -ENOTCONN and another negative errno, with why.
 */
int fleet_db_open(const char *uri, const struct fleet_tls *tls, unsigned int patience,
		  struct fleet_db **ret, struct dw_error *err);

/**
 * fleet_db_is_pooled() - does something stand between, which may carry out each question in
 * another session? Then a question is a transaction of its own, and no session is told anything.
 */
bool fleet_db_is_pooled(const struct fleet_db *db);

/** fleet_db_close() - NULL is accepted. */
void fleet_db_close(struct fleet_db *db);

/** struct fleet_value - a parameter: a text, @len 0, or @len bytes; @data NULL is SQL's NULL. */
struct fleet_value {
	const void *data;
	size_t len;
};

/**
 * fleet_db_ask() - a question, and all of its answer
 * @sql: with $1 and so on; its columns are text or bytea
 * @ret: fleet_rows_free(); NULL = it has no rows that are wanted
 *
 * Return: 0: it was done, and is durable if it changed something; -EPROTO: the server refused it,
 * and through a pooler the connection is of no use any more; -ETIMEDOUT, -ENOTCONN and others:
 * nobody can tell, and it is of no use.
 */
int fleet_db_ask(struct fleet_db *db, const char *sql, const struct fleet_value *value,
		 size_t n, struct fleet_rows **ret, struct dw_error *err);

/** fleet_rows_n() - how many. */
size_t fleet_rows_n(const struct fleet_rows *r);

/** fleet_rows_at() - a value, with a 0 behind it; NULL is empty; borrowed. @ret_len: bytes, NULL =
 *  not wanted. */
const char *fleet_rows_at(const struct fleet_rows *r, size_t row, size_t column,
			  size_t *ret_len);

/** fleet_rows_number() - a value that is one; 0 if it is none. */
uint64_t fleet_rows_number(const struct fleet_rows *r, size_t row, size_t column);

/** fleet_rows_free() - NULL is accepted. */
void fleet_rows_free(struct fleet_rows *r);

#endif
