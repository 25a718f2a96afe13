/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Heads as objects of S3, in a bucket with object lock: what the chain had reached, out of reach of
 * who owns the database. The lock keeps each version; who may write there can still hide it behind
 * a newer one. docs/ledger.md is about what that proves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "send/send.h"

void send_bucket_end(struct send_target *t)
{
	if (t->bucket)
		fleet_bucket_deinit(t->bucket);
	free(t->bucket);
	t->bucket = NULL;
}

static int begin(struct send_target *t, struct dw_error *err)
{
	int r;

	t->bucket = calloc(1, sizeof(*t->bucket));
	if (!t->bucket)
		return dw_error_system(err, -ENOMEM, NULL);
	r = fleet_bucket_parse(t->where, t->endpoint, t->region, t->plain, t->bucket,
			       err);
	memcpy(t->bucket->ca_file, t->ca_file, sizeof(t->ca_file));
	return r ? r : fleet_bucket_login(t->bucket, t->credentials_file, err);
}

int send_to_bucket(struct send_target *t, const struct send_item *i,
		   struct send_failure *f)
{
	struct fleet_head h = { .sequence = i->sequence, .text = i->text, .sig = i->sig };
	struct fleet_answer a = { .status = 0 };
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int r = 0;

	if (i->kind != DW_LEDGER_HEAD)
		return 0;
	memcpy(h.chain, t->chain, sizeof(h.chain));
	memcpy(h.record, strchr(i->head, ':') + 1, sizeof(h.record));
	if (!t->bucket)
		r = begin(t, &err);
	if (!r)
		r = fleet_head_put(t->bucket, &h, &a, &err);
	if (!r)
		return 0;
	f->retry_after = a.retry_after;
	send_bucket_end(
		t); /* credentials are read again: somebody may have put them right */
	return send_fail(f, "%.250s", dw_error_text(&err, text));
}
