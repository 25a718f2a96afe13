/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SEND_SEND_H
#define DW_SEND_SEND_H

/*
 * Records that leave the machine: what a ledger has goes to targets, each at least once, in its
 * order. How far a target has come is a number that is durable after each acknowledgement;
 * the records stay in the ledger, so nothing is dropped however long a target is away.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

#include "fleet/bucket.h"
#include "fleet/db.h"
#include "proof/proof.h"

enum send_kind {
	SEND_NOWHERE,
	SEND_DIRECTORY, /* a copy of the ledger in a folder: a stick, a share that is mounted */
	SEND_URL,       /* POST by HTTP */
	SEND_DATABASE, /* PostgreSQL, with the schema of integrations/ledger */
	SEND_BUCKET,   /* heads alone, as objects of S3 */
	SEND_SYSLOG,   /* a line for each record */
};

/**
 * struct send_state - how far a target has come; zero = nothing was sent
 * @sequence, @hash: the last record that it has acknowledged, and its SHA-256
 * @head, @day: the last head and the last mark of a day that it has
 * @success: when it has last acknowledged something, seconds since the epoch
 * @error: why the last attempt failed; empty = it did not
 */
struct send_state {
	uint64_t sequence;
	char hash[DW_PROOF_HASH];
	uint64_t head;
	uint64_t day;
	uint64_t success;
	char error[256];
};

/**
 * struct send_target - where to
 * @name: of its section
 * @where: the folder, the URL, or the facility
 * @require_mount: the folder must be, or lie on, another file system than its parent's root
 * @plain: HTTP without TLS is allowed
 * @ca_file, @client_cert, @client_key: PEM; @token_file: holds a bearer token; empty = none
 * @endpoint, @region, @credentials_file: of a bucket, see fleet_bucket_parse(); empty = not said
 * @state: as it is on record
 * @delay: seconds that were waited after the last failure; 0 = it did not fail
 * @not_before: it is not tried before, seconds of CLOCK_MONOTONIC
 * @chain: SHA-256 of the first record of the ledger, by which databases and buckets know it
 * @curl: of a URL, libcurl's handle, with connections that are used again; owned, NULL = none yet
 * @db: of a database, the connection that holds the chain; owned, NULL = none
 * @bucket: owned, NULL = nobody has asked it yet
 */
struct send_target {
	char name[64];
	enum send_kind kind;
	char where[PATH_MAX];
	bool require_mount;
	bool plain;
	char ca_file[PATH_MAX];
	char client_cert[PATH_MAX];
	char client_key[PATH_MAX];
	char token_file[PATH_MAX];
	char endpoint[256];
	char region[32];
	char credentials_file[PATH_MAX];
	struct send_state state;
	uint64_t delay;
	uint64_t not_before;
	char chain[DW_PROOF_HASH];
	void *curl;
	struct fleet_db *db;
	struct fleet_bucket *bucket;
};

/**
 * struct send_config - the whole
 * @ledger: the folder of records; it is only read
 * @folder: of the states
 * @every: seconds between two looks at the ledger
 * @target, @n: owned
 */
struct send_config {
	char ledger[PATH_MAX];
	char folder[PATH_MAX];
	unsigned int every;
	struct send_target *target;
	size_t n;
};

/**
 * send_config_read() - a configuration file; diskwipe-send(8)
 * @ret: send_config_deinit(), also on failure
 * Return: 0; -EINVAL: what it says is wrong; another negative errno.
 */
int send_config_read(const char *path, struct send_config *ret, struct dw_error *err);

/** send_config_deinit() - free what it owns. */
void send_config_deinit(struct send_config *c);

/** send_state_read() - of @target, from @folder; what is missing is zero. 0; -EINVAL: it is not
 *  whole; another negative errno. */
int send_state_read(const char *folder, struct send_target *target);

/** send_state_write() - durable before this returns; 0 or negative errno. */
int send_state_write(const char *folder, const struct send_target *target);

/**
 * struct send_item - what is sent: a file of the ledger, and its signature
 * @kind, @sequence: which
 * @text, @len, @hash: of the file
 * @head: of a head or the mark of a day, what it names: "NUMBER:SHA256"; else empty
 * @sig: of that of its signature
 */
struct send_item {
	enum dw_ledger_file kind;
	uint64_t sequence;
	char *text;
	size_t len;
	char hash[DW_PROOF_HASH];
	char head[DW_PROOF_HEAD];
	char *sig;
};

/**
 * struct send_failure - why something was not acknowledged
 * @why: in words
 * @retry_after: seconds that the target asked for; 0 = it did not
 */
struct send_failure {
	char why[256];
	uint64_t retry_after;
};

/** send_fail() - set @why in the manner of printf; returns -1. */
int send_fail(struct send_failure *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * send_round() - send a target what it has not got
 * @c: the configuration; @t: one of its targets, its state is brought up to date and on record
 * @ret_sent: records that were acknowledged
 * @f: on failure why
 *
 * Return: 0: it has all that the ledger has; -1: it failed, what was acknowledged before counts.
 */
int send_round(const struct send_config *c, struct send_target *t, uint64_t *ret_sent,
	       struct send_failure *f);

/** send_to_url(), send_to_syslog(), send_to_directory(), send_to_database(), send_to_bucket() - one
 *  item; 0: it was acknowledged, in a folder or a database durable; -1. */
int send_to_url(struct send_target *t, const struct send_item *i, struct send_failure *f);
int send_to_database(struct send_target *t, const struct send_item *i,
		     struct send_failure *f);
int send_to_bucket(struct send_target *t, const struct send_item *i,
		   struct send_failure *f);
int send_to_syslog(const struct send_target *t, const struct send_item *i,
		   struct send_failure *f);
int send_to_directory(const struct send_target *t, const struct send_item *i,
		      struct send_failure *f);

/** send_url_end(), send_database_end(), send_bucket_end() - close the connections of @t. */
void send_url_end(struct send_target *t);
void send_database_end(struct send_target *t);
void send_bucket_end(struct send_target *t);

/**
 * send_directory_begin() - how far a folder has come, by what is in it
 * @ledger: from it the list of signers is copied, if there is none
 * @last: number of its last record
 * @t: its state is set
 *
 * Return: 0; -1: it is not there, not mounted, or has records of another ledger.
 */
int send_directory_begin(const char *ledger, uint64_t last, struct send_target *t,
			 struct send_failure *f);

/** send_directory_end() - all of it is on the medium; 0 or -1. */
int send_directory_end(const struct send_target *t, struct send_failure *f);

/** send_quote() - text as a value between quotes in a line of ASCII; returns @buf. */
const char *send_quote(const char *text, char *buf, size_t size);

#endif
