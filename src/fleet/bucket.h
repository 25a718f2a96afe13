/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FLEET_BUCKET_H
#define DW_FLEET_BUCKET_H

/*
 * Heads of chains in a place that the owner of the database cannot change: objects of S3 or what
 * speaks like it, in a bucket with object lock. Nothing here writes over an object, but others who
 * may write there can: the lock keeps the version below, and what is read here is the one on top.
 * A name has what is most asked for: PREFIX/CHAIN/head-00000017-RECORD.json, with the SHA-256 of
 * the record that the head names. Its content has the head and its signature.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

#include "proof/proof.h"

/**
 * struct fleet_bucket - where heads go; fleet_bucket_deinit()
 * @bucket, @prefix: of s3://BUCKET/PREFIX; a prefix may be empty
 * @endpoint: "https://..." of the service, without a slash at its end
 * @region: for the signatures of requests
 * @ca_file: PEM; empty = as the system has it
 * @login: "ID:SECRET"; @token: of a session, or empty
 * @curl: owned
 */
struct fleet_bucket {
	char bucket[64];
	char prefix[192];
	char endpoint[256];
	char region[32];
	char ca_file[PATH_MAX];
	char login[256];
	char token[2048];
	void *curl;
};

/**
 * fleet_bucket_parse() - "s3://BUCKET/PREFIX" into names
 * @endpoint: NULL or empty = that of Amazon in @region
 * @region: NULL or empty = $AWS_REGION, else us-east-1
 * @plain: the endpoint may be one of http://
 *
 * Return: 0 or -EINVAL.
 */
int fleet_bucket_parse(const char *uri, const char *endpoint, const char *region,
		       bool plain, struct fleet_bucket *ret, struct dw_error *err);

/**
 * fleet_bucket_login() - who asks
 * @file: [default] with aws_access_key_id, aws_secret_access_key and aws_session_token, which only
 *	its owner may read; NULL or empty = the variables of the environment of these names, in
 *	upper case
 *
 * Return: 0; -EPERM: others may read it; -EINVAL; another negative errno.
 */
int fleet_bucket_login(struct fleet_bucket *b, const char *file, struct dw_error *err);

/** fleet_bucket_deinit() - close what is open, and wipe the login. */
void fleet_bucket_deinit(struct fleet_bucket *b);

/** struct fleet_answer - why a request failed; @retry_after: seconds, 0 = nothing was said */
struct fleet_answer {
	long status;
	uint64_t retry_after;
};

/**
 * struct fleet_head - a head as it is kept
 * @chain: of which; @sequence, @record: what it names
 * @text, @sig: as they were signed; owned. NULL of a name alone
 * @verdict: of an auditor: 1 it is signed by somebody in the list, -1 it is not, 0 not looked at
 */
struct fleet_head {
	char chain[DW_PROOF_HASH];
	uint64_t sequence;
	char record[DW_PROOF_HASH];
	char *text;
	char *sig;
	int verdict;
};

/**
 * fleet_head_put() - keep it
 * @a: NULL = not wanted
 * Return: 0: it is kept, now or before; negative errno.
 */
int fleet_head_put(struct fleet_bucket *b, const struct fleet_head *h,
		   struct fleet_answer *a, struct dw_error *err);

/**
 * fleet_head_get() - what an object has
 * @h: chain, sequence and record name it; text and sig are set, fleet_head_deinit()
 * @ret_locked: it can be removed by nobody, now
 *
 * Return: 0; -EBADMSG: what is there is no head; negative errno.
 */
int fleet_head_get(struct fleet_bucket *b, struct fleet_head *h, bool *ret_locked,
		   struct dw_error *err);

/** fleet_head_deinit() - free what it owns. */
void fleet_head_deinit(struct fleet_head *h);

/**
 * fleet_heads_list() - the names of all heads, in the order of their chains and numbers
 * @ret: free(); @ret_n: how many
 * @ret_other: objects below the prefix whose names are none of a head
 *
 * Return: 0 or negative errno.
 */
int fleet_heads_list(struct fleet_bucket *b, struct fleet_head **ret, size_t *ret_n,
		     size_t *ret_other, struct dw_error *err);

/**
 * fleet_heads_hidden() - what a list of names does not show
 * @ret: marks of deletion below the prefix, and versions that lie under a newer one
 *
 * Return: 0 or negative errno.
 */
int fleet_heads_hidden(struct fleet_bucket *b, uint64_t *ret, struct dw_error *err);

#endif
