/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FLEET_S3_H
#define DW_FLEET_S3_H

/* Requests to S3, signed with AWS Signature Version 4 by libcurl. */
#include "fleet/bucket.h"

/**
 * struct s3_request - one request; s3_request_deinit()
 * @verb: "GET" or "PUT"
 * @key: of the object, of letters that need no escape; empty = the bucket itself
 * @query: sorted and escaped; NULL = none
 * @body: of a PUT; else NULL
 * @status, @retry_after: of the answer
 * @text, @len: its body; owned, with a 0 behind it
 * @locked: the object is held by a lock of the kind COMPLIANCE, until a time that is to come
 */
struct s3_request {
	const char *verb;
	const char *key;
	const char *query;
	const char *body;
	long status;
	uint64_t retry_after;
	char *text;
	size_t len;
	bool locked;
};

/** s3_ask() - 0: it was answered, by whatever status; negative errno. */
int s3_ask(struct fleet_bucket *b, struct s3_request *q, struct dw_error *err);

/** s3_refused() - tell @err of a status that is none of success; returns -EPROTO. */
int s3_refused(const struct s3_request *q, struct dw_error *err);

/** s3_escape() - as a query needs it; returns @buf, cut if it does not fit. */
const char *s3_escape(const char *text, char *buf, size_t size);

/** s3_tag() - the text of the first <NAME> at or behind @at, up to its end; NULL = there is none.
 *  @ret_len: bytes. */
const char *s3_tag(const char *at, const char *name, size_t *ret_len);

/** s3_request_deinit() - free what it owns. */
void s3_request_deinit(struct s3_request *q);

/** s3_end() - close the connections. */
void s3_end(struct fleet_bucket *b);

#endif
