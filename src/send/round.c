/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a target has not got. Only what stands before the head of the ledger is sent, so that what
 * is being written is left alone; and nothing whose signature is wrong. Where the
 * record that was sent last is missing in the ledger, or is another, that is not the ledger that
 * it was: nothing is sent, and somebody has to look.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "file/file.h"
#include "send/send.h"

static void drop_item(struct send_item *i)
{
	free(i->text);
	free(i->sig);
	*i = (struct send_item){ .len = 0 };
}

/* Who keeps what it names elsewhere can tell later that the ledger was not put back. In the only
 * form of a head nothing else looks like that: quotes in a text would be escaped. */
static int name_head(struct send_item *i)
{
	static const char key[] = ",\"record\":\"";
	const char *at = strstr(i->text, key);

	if (!at)
		return -EINVAL;
	snprintf(i->head, sizeof(i->head), "%" PRIu64 ":%.*s", i->sequence,
		 DW_PROOF_HASH - 1, at + sizeof(key) - 1);
	return 0;
}

/* 0; -EAGAIN: it is just being replaced; -1 */
static int read_item(const char *dir, enum dw_ledger_file kind, uint64_t n,
		     struct send_item *ret, struct send_failure *f)
{
	char name[DW_LEDGER_NAME], sig[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(dir, dw_ledger_name(kind, n, false, name));
	dw_autofree char *sig_path =
		dw_ledger_path(dir, dw_ledger_name(kind, n, true, sig));
	struct dw_signed s;
	size_t len;
	int r;

	*ret = (struct send_item){ .kind = kind, .sequence = n };
	r = path && sig_path ? dw_signed_read(path, DW_RECORD_MAX, &s) : -ENOMEM;
	if (kind == DW_LEDGER_HEAD && (r == 1 || r == -ENOENT))
		return -EAGAIN;
	if (r == 1)
		return send_fail(
			f,
			"%s: signature wrong: it or its signature was changed after "
			"signing; look at it with diskwipe records verify",
			name);
	if (r)
		return send_fail(f, "%s: %s", name,
				 r == -EINVAL ? "its signature is none" : strerror(-r));
	ret->text = s.text;
	ret->len = s.len;
	memcpy(ret->hash, s.hash, sizeof(ret->hash));
	r = dw_file_read(sig_path, 4096, &ret->sig, &len);
	if (!r && kind != DW_LEDGER_RECORD)
		r = name_head(ret);
	if (!r)
		return 0;
	drop_item(ret);
	return send_fail(f, "%s: %s", sig, strerror(-r));
}

static int deliver(struct send_target *t, const struct send_item *i,
		   struct send_failure *f)
{
	switch (t->kind) {
	case SEND_DIRECTORY:
		return send_to_directory(t, i, f);
	case SEND_URL:
		return send_to_url(t, i, f);
	case SEND_SYSLOG:
		return send_to_syslog(t, i, f);
	case SEND_DATABASE:
		return send_to_database(t, i, f);
	case SEND_BUCKET:
		return send_to_bucket(t, i, f);
	case SEND_NOWHERE:
		break;
	}
	return send_fail(f, "no place");
}

static int keep(const struct send_config *c, struct send_target *t,
		struct send_failure *f)
{
	int r;

	t->state.success = (uint64_t)time(NULL);
	t->state.error[0] = '\0';
	r = send_state_write(c->folder, t);
	return r ? send_fail(f, "%s: how far it has come cannot be written: %s",
			     c->folder, strerror(-r))
		 : 0;
}

/* Is what was sent last still what stands there? */
static int is_continued(const struct send_config *c, const struct send_target *t,
			uint64_t head, struct send_failure *f)
{
	struct send_item last;
	int r;

	if (!t->state.sequence)
		return 0;
	if (head < t->state.sequence)
		return send_fail(f,
				 "the ledger ends with record %" PRIu64 ", but %" PRIu64
				 " records were sent: records were taken "
				 "away, or it was put back to an older copy",
				 head, t->state.sequence);
	if (read_item(c->ledger, DW_LEDGER_RECORD, t->state.sequence, &last, f))
		return -1;
	r = strcmp(last.hash, t->state.hash)
		    ? send_fail(f,
				"record %" PRIu64
				" is not the one that was sent: the ledger was changed",
				t->state.sequence)
		    : 0;
	drop_item(&last);
	return r;
}

/* A bucket gets heads alone: of records only the last one is looked at. */
static int pass_records(const struct send_config *c, struct send_target *t, uint64_t head,
			struct send_failure *f)
{
	struct send_item i;

	if (read_item(c->ledger, DW_LEDGER_RECORD, head, &i, f))
		return -1;
	t->state.sequence = head;
	memcpy(t->state.hash, i.hash, sizeof(t->state.hash));
	drop_item(&i);
	return 0;
}

static int send_records(const struct send_config *c, struct send_target *t, uint64_t head,
			uint64_t *ret_sent, struct send_failure *f)
{
	if (t->kind == SEND_BUCKET && t->state.sequence < head)
		return pass_records(c, t, head, f);
	while (t->state.sequence < head) {
		struct send_item i;

		if (read_item(c->ledger, DW_LEDGER_RECORD, t->state.sequence + 1, &i, f))
			return -1;
		if (deliver(t, &i, f)) {
			drop_item(&i);
			return -1;
		}
		t->state.sequence = i.sequence;
		memcpy(t->state.hash, i.hash, sizeof(t->state.hash));
		drop_item(&i);
		++*ret_sent;
		if (keep(c, t, f))
			return -1;
	}
	return 0;
}

/* a mark of a day, or the head: what says that no record is missing */
static int send_mark(const struct send_config *c, struct send_target *t,
		     enum dw_ledger_file kind, uint64_t n, struct send_failure *f)
{
	struct send_item i;
	uint64_t *had;
	int r = read_item(c->ledger, kind, n, &i, f);

	if (r == -EAGAIN)
		return 0;
	if (r)
		return -1;
	r = deliver(t, &i, f);
	drop_item(&i);
	if (r)
		return -1;
	had = kind == DW_LEDGER_DAY ? &t->state.day : &t->state.head;
	if (*had == n)
		return 0;
	*had = n;
	return keep(c, t, f);
}

static int send_marks(const struct send_config *c, struct send_target *t,
		      const struct dw_ledger_files *now, struct send_failure *f)
{
	const struct dw_numbers *day = &now->day_sig;
	uint64_t head = dw_numbers_last(&now->head);
	int r = 0;

	for (size_t i = 0; i < day->n && !r; i++)
		if (day->v[i] > t->state.day && day->v[i] <= t->state.sequence)
			r = send_mark(c, t, DW_LEDGER_DAY, day->v[i], f);
	/* what a folder has under that name is compared each time, and older ones are removed, of
	 * which one that was killed may have left some */
	if (!r && head && (head > t->state.head || t->kind == SEND_DIRECTORY))
		r = send_mark(c, t, DW_LEDGER_HEAD, head, f);
	return r;
}

/* The name of the chain: its first record. */
static int name_chain(const struct send_config *c, struct send_target *t, uint64_t head,
		      struct send_failure *f)
{
	struct send_item first;

	if (!head || (t->kind != SEND_DATABASE && t->kind != SEND_BUCKET))
		return 0;
	if (read_item(c->ledger, DW_LEDGER_RECORD, 1, &first, f))
		return -1;
	memcpy(t->chain, first.hash, sizeof(t->chain));
	drop_item(&first);
	return 0;
}

int send_round(const struct send_config *c, struct send_target *t, uint64_t *ret_sent,
	       struct send_failure *f)
{
	struct dw_ledger_files now;
	uint64_t head;
	int r;

	*f = (struct send_failure){ .retry_after = 0 };
	*ret_sent = 0;
	r = dw_ledger_files_list(c->ledger, &now);
	head = dw_numbers_last(&now.head);
	if (r) {
		dw_ledger_files_deinit(&now);
		return send_fail(f, "%s: %s", c->ledger, strerror(-r));
	}
	if (t->kind == SEND_DIRECTORY)
		r = send_directory_begin(c->ledger, head, t, f);
	if (!r)
		r = name_chain(c, t, head, f);
	if (!r)
		r = is_continued(c, t, head, f);
	if (!r)
		r = send_records(c, t, head, ret_sent, f);
	if (!r)
		r = send_marks(c, t, &now, f);
	if (!r && t->kind == SEND_DIRECTORY)
		r = send_directory_end(t, f);
	dw_ledger_files_deinit(&now);
	return r;
}
