/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The auditor. Who owns the database can give it back as it once was, and all of it looks whole.
 * The heads outside say how far each chain had come: what the table has less, or other, is seen.
 * Names of objects have what is compared; their content, with the signature, is read of the newest
 * head of each chain, and of all that contradict the table. A lock keeps versions, not names: who
 * may write there can put something else over a head, or a mark of deletion. That is reported, and
 * left to a person: nothing here reads what is below.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "file/file.h"
#include "fleet/check.h"

/**
 * struct outside - the heads of one chain
 * @head, @n: in the order of their numbers
 * @newest: the number of the last one that is signed; 0 = none
 * @unsigned_: that were read, and are signed by nobody in the list
 */
struct outside {
	struct fleet_head *head;
	size_t n;
	uint64_t newest;
	size_t unsigned_;
	bool unlocked;
};

/* In the only form of a head no other text looks like that. */
static bool says(const struct fleet_head *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool says(const struct fleet_head *h, const char *format, ...)
{
	char want[DW_PROOF_HASH + 32];
	va_list args;

	va_start(args, format);
	vsnprintf(want, sizeof(want), format, args);
	va_end(args);
	return strstr(h->text, want) != NULL;
}

/* Is what is there a head by somebody in the list, of what its name says? 0 or negative errno. */
static int look_at_head(struct fleet_check *c, struct fleet_head *h, struct outside *o,
			struct dw_error *err)
{
	bool locked = false, good = false;
	int r;

	if (h->verdict)
		return 0;
	r = fleet_head_get(c->bucket, h, &locked, err);
	if (r && r != -EBADMSG)
		return r;
	if (!r)
		good = fleet_is_signed(c->signers, h->text, strlen(h->text), h->sig,
				       strlen(h->sig)) &&
		       says(h, "\"document\":\"ledger-head\",\"record\":\"%s\",",
			    h->record) &&
		       says(h, "\"sequence\":%" PRIu64 ",", h->sequence);
	h->verdict = good ? 1 : -1;
	o->unsigned_ += !good;
	o->unlocked |= good && !locked;
	return 0;
}

/* The newest that is signed. */
static int find_newest(struct fleet_check *c, struct outside *o, struct dw_error *err)
{
	for (size_t i = o->n; i > 0 && !o->newest; i--) {
		int r = look_at_head(c, &o->head[i - 1], o, err);

		if (r)
			return r;
		if (o->head[i - 1].verdict > 0)
			o->newest = o->head[i - 1].sequence;
	}
	return 0;
}

/* It was signed so recently, by a clock that may be wrong as much, that the rest is on its way. */
static bool is_recent(const struct fleet_check *c, const struct fleet_head *h)
{
	static const char key[] = "\"written\":\"";
	const char *at = strstr(h->text, key);
	struct tm tm = { .tm_sec = 0 };
	time_t now = time(NULL), then;

	if (!at || !strptime(at + sizeof(key) - 1, "%Y-%m-%dT%H:%M:%S", &tm))
		return false;
	then = timegm(&tm);
	return then - now < c->grace && now - then < c->grace;
}

static void tell_missing(struct fleet_check *c, const char *chain,
			 const struct fleet_copy *copy, const struct fleet_head *h)
{
	if (is_recent(c, h))
		fleet_say(c, FLEET_UNPROVEN, chain,
			  "a head outside that was signed a short time ago names record "
			  "%" PRIu64 ", and the table ends with %" PRIu64
			  ": look again when it has arrived",
			  h->sequence, copy->head);
	else
		fleet_say(c, FLEET_BACK, chain,
			  "a head outside names record %" PRIu64
			  ", and the table ends with %" PRIu64
			  ": it was put back, or rows were taken away",
			  h->sequence, copy->head);
}

/* Each that says something else than the table. The oldest that is missing tells since when. */
static int compare_all(struct fleet_check *c, const char *chain,
		       const struct fleet_copy *copy, struct outside *o,
		       struct dw_error *err)
{
	bool missing = false;

	for (size_t i = 0; i < o->n; i++) {
		struct fleet_head *h = &o->head[i];
		const char *is = fleet_copy_hash(copy, h->sequence);
		int r;

		if ((is && !strcmp(is, h->record)) || (!is && missing))
			continue;
		r = look_at_head(c, h, o, err);
		if (r)
			return r;
		if (h->verdict < 0)
			continue;
		missing |= !is;
		if (!is)
			tell_missing(c, chain, copy, h);
		else
			fleet_say(c, FLEET_BACK, chain,
				  "record %" PRIu64 " is not the one that a head outside "
				  "names: the table was rewritten, or the ledger was",
				  h->sequence);
	}
	return 0;
}

static void tell_outside(struct fleet_check *c, const char *chain,
			 const struct fleet_copy *copy, const struct outside *o)
{
	if (o->unsigned_)
		fleet_say(
			c, FLEET_UNPROVEN, chain,
			"%zu objects outside are no heads signed by somebody in the list: "
			"what they hide is in their older versions",
			o->unsigned_);
	if (!o->newest && copy->head)
		fleet_say(c, FLEET_UNPROVEN, chain,
			  "no head of it is outside: nobody can tell where it ends");
	if (o->unlocked)
		fleet_say(
			c, FLEET_UNPROVEN, chain,
			"its newest head outside has no lock: whoever has the bucket can "
			"remove it");
	c->proven += dw_min_u64(o->newest, copy->head);
}

static int audit_chain(struct fleet_check *c, const char *chain, struct outside *o,
		       const char *folder, const char *signers_file, struct dw_error *err)
{
	char head[DW_PROOF_HEAD];
	struct fleet_copy copy;
	int r = dw_scratch_empty(folder);

	if (r)
		return dw_error_file(err, r, folder, strerror(-r));
	r = fleet_chain_copy(c->db, chain, c->signers, folder, &copy, err);
	if (r)
		return r;
	r = fleet_check_copy(c, chain, folder, &copy, signers_file, head, err);
	if (!r)
		r = find_newest(c, o, err);
	if (!r)
		r = compare_all(c, chain, &copy, o, err);
	if (!r)
		tell_outside(c, chain, &copy, o);
	for (size_t i = 0; i < o->n; i++)
		fleet_head_deinit(&o->head[i]);
	fleet_copy_deinit(&copy);
	return r;
}

/* Both lists are sorted by chains: each chain that is in one of them. */
static int audit_all(struct fleet_check *c, const struct fleet_chain *chain, size_t n,
		     struct fleet_head *head, size_t n_heads, const char *signers_file,
		     struct dw_error *err)
{
	char *folder = dw_scratch_new();
	int r = folder ? 0 : dw_error_system(err, -errno, "a folder for a moment");
	size_t i = 0, k = 0;

	while (!r && (i < n || k < n_heads)) {
		struct outside o = { .head = head + k };
		const char *name = k == n_heads || (i < n && strcmp(chain[i].name,
								    head[k].chain) < 0)
					   ? chain[i].name
					   : head[k].chain;

		while (k < n_heads && !strcmp(head[k].chain, name)) {
			o.n++;
			k++;
		}
		i += i < n && !strcmp(chain[i].name, name);
		r = audit_chain(c, name, &o, folder, signers_file, err);
	}
	dw_scratch_free(folder);
	return r;
}

int fleet_audit(struct fleet_check *c, const char *signers_file, struct dw_error *err)
{
	struct fleet_chain *chain = NULL;
	struct fleet_head *head = NULL;
	size_t n = 0, n_heads = 0, other = 0;
	uint64_t hidden = 0;
	/* what is younger than the list of heads cannot contradict it */
	int r = fleet_heads_list(c->bucket, &head, &n_heads, &other, err);

	if (!r)
		r = fleet_heads_hidden(c->bucket, &hidden, err);
	if (!r)
		r = fleet_chains_list(c->db, NULL, &chain, &n, err);
	if (!r)
		r = audit_all(c, chain, n, head, n_heads, signers_file, err);
	if (!r && other)
		fleet_say(c, FLEET_NOTE, NULL,
			  "%zu objects outside are not named as heads are", other);
	if (!r && hidden)
		fleet_say(c, FLEET_UNPROVEN, NULL,
			  "%" PRIu64
			  " versions of objects outside are hidden, or marks of "
			  "deletion that hide others: list them, see docs/ledger.md",
			  hidden);
	free(head);
	free(chain);
	return r;
}
