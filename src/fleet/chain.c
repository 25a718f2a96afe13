/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains out of the database, page by page: each is as long as its station is old. */
#include "fleet/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "data/sign.h"

#define PAGE  "50"
#define HEADS "50"

static const char list_sql[] =
	"SELECT encode(r.chain, 'hex'), r.n::text, coalesce(h.n, 0)::text, r.last::text, "
	"coalesce(h.last, 0)::text "
	"FROM (SELECT chain, count(*) AS n, max(sequence) AS last FROM diskwipe.record "
	"WHERE $1 = '' OR chain IN (SELECT chain FROM diskwipe.record WHERE "
	"($2::text IS NULL OR serial = $2) AND ($3::text IS NULL OR label = $3) AND "
	"($4::text IS NULL OR customer = $4) AND ($5::text IS NULL OR order_number = $5) "
	"AND ($6::text IS NULL OR asset = $6) AND ($7::text IS NULL OR operator = $7)) "
	"GROUP BY chain) r LEFT JOIN (SELECT chain, count(*) AS n, "
	"max(sequence) FILTER (WHERE kind = 'head') AS last FROM diskwipe.head "
	"GROUP BY chain) h USING (chain) ORDER BY 1";

/* A bare "sequence" to order by would be the text that is asked for: 9 behind 10. */
static const char record_sql[] =
	"SELECT r.sequence::text, r.text, r.signature::bytea, encode(r.hash, 'hex') "
	"FROM diskwipe.record r WHERE r.chain = decode($1, 'hex') AND sequence <= $2::bigint "
	"AND (sequence, hash) > ($3::bigint, decode($4, 'hex')) "
	"ORDER BY r.sequence, r.hash LIMIT " PAGE;

static const char head_sql[] =
	"SELECT h.sequence::text, h.text, h.signature::bytea FROM diskwipe.head h "
	"WHERE h.chain = decode($1, 'hex') AND kind = 'head' "
	"ORDER BY h.sequence DESC, h.hash LIMIT " HEADS " OFFSET $2::bigint";

static const char day_sql[] =
	"SELECT h.sequence::text, h.text, h.signature::bytea FROM diskwipe.head h "
	"WHERE h.chain = decode($1, 'hex') AND kind = 'day' AND sequence <= $2::bigint "
	"ORDER BY h.sequence, h.hash";

static const char beyond_sql[] =
	"SELECT count(*)::text FROM diskwipe.record "
	"WHERE chain = decode($1, 'hex') AND sequence > $2::bigint";

static const char first_sql[] =
	"SELECT r.sequence::text, r.text, r.signature::bytea FROM diskwipe.record r "
	"WHERE r.chain = decode($1, 'hex') AND r.sequence = $2::bigint "
	"AND r.hash = decode($1, 'hex')";

static struct fleet_value text_of(const char *text)
{
	return (struct fleet_value){ text && text[0] ? text : NULL, 0 };
}

/* It becomes the name of a folder: who owns the database may answer "../../x". */
static int take_name(const struct fleet_rows *rows, size_t i, struct fleet_chain *ret,
		     struct dw_error *err)
{
	size_t len;
	const char *name = fleet_rows_at(rows, i, 0, &len);

	if (len != DW_PROOF_HASH - 1 || strspn(name, "0123456789abcdef") != len)
		return dw_error_set(err, -EPROTO, DW_ERROR_FILE, NULL,
				    "a chain is not named as one: 64 digits of a SHA-256 "
				    "are needed; the database is not to be trusted");
	memcpy(ret->name, name, DW_PROOF_HASH);
	return 0;
}

static int compare_chains(const void *a, const void *b)
{
	const struct fleet_chain *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* An interrupted verification continues by their order, which the database must not decide. */
int fleet_chains_list(struct fleet_db *db, const struct fleet_selection *s,
		      struct fleet_chain **ret, size_t *ret_n, struct dw_error *err)
{
	static const struct fleet_selection all;
	const struct fleet_selection *w = s ? s : &all;
	const struct fleet_value values[] = {
		{ s ? "some" : "", 0 },   text_of(w->serial), text_of(w->label),
		text_of(w->customer),     text_of(w->order),  text_of(w->asset),
		text_of(w->operator_name)
	};
	struct fleet_rows *rows;
	size_t n;
	int r = fleet_db_ask(db, list_sql, values, DW_ARRAY_SIZE(values), &rows, err);

	if (r)
		return r;
	n = fleet_rows_n(rows);
	*ret = calloc(n + 1, sizeof(**ret));
	r = *ret ? 0 : dw_error_system(err, -ENOMEM, NULL);
	for (size_t i = 0; i < n && *ret && !r; i++) {
		struct fleet_chain *c = &(*ret)[i];

		r = take_name(rows, i, c, err);
		c->records = fleet_rows_number(rows, i, 1);
		c->heads = fleet_rows_number(rows, i, 2);
		c->last = fleet_rows_number(rows, i, 3);
		c->head = fleet_rows_number(rows, i, 4);
	}
	fleet_rows_free(rows);
	if (r) {
		free(*ret);
		*ret = NULL;
	} else if (*ret) {
		qsort(*ret, n, sizeof(**ret), compare_chains);
	}
	*ret_n = r ? 0 : n;
	return r;
}

static bool is_listed(const struct dw_signers *signers, const uint8_t key[DW_ED25519_KEY])
{
	for (size_t i = 0; i < signers->n; i++)
		if (!memcmp(signers->signer[i].key, key, DW_ED25519_KEY))
			return true;
	return false;
}

bool fleet_is_signed(const struct dw_signers *signers, const char *text, size_t len,
		     const char *sig, size_t sig_len)
{
	uint8_t key[DW_ED25519_KEY];

	return !dw_ssh_check(sig, sig_len, DW_PROOF_NAMESPACE, text, len, key) &&
	       is_listed(signers, key);
}

/* It need not be durable; another one may replace it. */
static int put_file(const char *dir, const char *name, const char *text, size_t len)
{
	dw_autofree char *path = dw_ledger_path(dir, name);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	if (close(fd) || n != (ssize_t)len)
		return n < 0 ? -errno : -ENOSPC;
	return 0;
}

/** struct chain_row - of a record, a head or a mark: its bytes, borrowed */
struct chain_row {
	uint64_t sequence;
	const char *text;
	size_t len;
	const char *sig;
	size_t sig_len;
};

static struct chain_row row_at(const struct fleet_rows *rows, size_t i)
{
	struct chain_row r = { .sequence = fleet_rows_number(rows, i, 0) };

	r.text = fleet_rows_at(rows, i, 1, &r.len);
	r.sig = fleet_rows_at(rows, i, 2, &r.sig_len);
	return r;
}

static int put_row(const char *dir, enum dw_ledger_file kind, const struct chain_row *r)
{
	char name[DW_LEDGER_NAME];
	int e = put_file(dir, dw_ledger_name(kind, r->sequence, false, name), r->text,
			 r->len);

	return e ? e
		 : put_file(dir, dw_ledger_name(kind, r->sequence, true, name), r->sig,
			    r->sig_len);
}

/**
 * struct copying - a chain on its way to a folder
 * @from, @hash: number and hash of the last record that was read, for the next page
 * @at: the place that the last record was put at
 * @known: is that one signed? -1 = not looked at
 */
struct copying {
	struct fleet_db *db;
	const char *chain;
	const struct dw_signers *signers;
	const char *dir;
	struct fleet_copy *ret;
	struct dw_error *err;
	char from[24];
	char hash[DW_PROOF_HASH];
	uint64_t at;
	int known;
};

static bool is_good(const struct copying *c, const struct chain_row *r)
{
	return fleet_is_signed(c->signers, r->text, r->len, r->sig, r->sig_len);
}

/* Where a place has one record, the check of the folder looks at its signature. */
static bool was_good(struct copying *c)
{
	char name[DW_LEDGER_NAME];
	dw_autofree char *path = NULL;
	struct dw_signed s;

	if (c->known < 0) {
		path = dw_ledger_path(
			c->dir, dw_ledger_name(DW_LEDGER_RECORD, c->at, false, name));
		c->known = path && !dw_signed_read(path, DW_RECORD_MAX, &s);
		if (c->known) {
			c->known = is_listed(c->signers, s.key);
			dw_signed_deinit(&s);
		}
	}
	return c->known;
}

/* Another record for the place of the one before: the signed one counts, two of them are a fork. */
static bool take_twin(struct copying *c, const struct chain_row *r)
{
	if (is_good(c, r) && was_good(c)) {
		if (!c->ret->fork)
			c->ret->fork = r->sequence;
		return false;
	}
	c->ret->stray++;
	if (!is_good(c, r))
		return false;
	c->known = true;
	return true;
}

static int place_record(struct copying *c, const struct chain_row *r)
{
	struct fleet_copy *t = c->ret;
	int e = 0;

	if (r->sequence == c->at) {
		if (!take_twin(c, r))
			return 0;
	} else {
		e = dw_grow(&t->record, t->n, t->n + 1, sizeof(*t->record));
		t->n += e == 0;
		c->known = -1;
	}
	if (e)
		return e;
	c->at = t->record[t->n - 1].sequence = r->sequence;
	e = dw_sha256_hex(r->text, r->len, t->record[t->n - 1].record);
	return e ? e : put_row(c->dir, DW_LEDGER_RECORD, r);
}

static int take_record(struct copying *c, const struct fleet_rows *rows, size_t i)
{
	const struct chain_row r = row_at(rows, i);

	snprintf(c->from, sizeof(c->from), "%s", fleet_rows_at(rows, i, 0, NULL));
	snprintf(c->hash, sizeof(c->hash), "%s", fleet_rows_at(rows, i, 3, NULL));
	return r.sequence && r.sequence <= c->ret->head ? place_record(c, &r) : -EPROTO;
}

/* The last head that somebody in the list has signed; those above it are strays. */
static int take_head(struct copying *c, const struct fleet_rows *rows, size_t i)
{
	const struct chain_row r = row_at(rows, i);

	if (c->ret->head)
		return 0;
	if (!is_good(c, &r)) {
		c->ret->stray++;
		return 0;
	}
	c->ret->head = r.sequence;
	return put_row(c->dir, DW_LEDGER_HEAD, &r);
}

static int take_day(struct copying *c, const struct fleet_rows *rows, size_t i)
{
	const struct chain_row r = row_at(rows, i);

	if (is_good(c, &r))
		return put_row(c->dir, DW_LEDGER_DAY, &r);
	c->ret->stray++;
	return 0;
}

static int take_beyond(struct copying *c, const struct fleet_rows *rows, size_t i)
{
	c->ret->beyond = fleet_rows_number(rows, i, 0);
	return 0;
}

/* Anybody who may add can begin a chain of any name; only a station signs the record behind it. */
static int take_first(struct copying *c, const struct fleet_rows *rows, size_t i)
{
	const struct chain_row r = row_at(rows, i);

	c->ret->genuine |= is_good(c, &r);
	return 0;
}

/** struct chain_question - about the chain and a record of it; @take is called with each row */
struct chain_question {
	const char *sql;
	int (*take)(struct copying *c, const struct fleet_rows *rows, size_t i);
};

static const struct chain_question records = { record_sql, take_record };
static const struct chain_question heads = { head_sql, take_head };
static const struct chain_question days = { day_sql, take_day };
static const struct chain_question beyond = { beyond_sql, take_beyond };
static const struct chain_question first = { first_sql, take_first };

/* @number: of the record, or how many rows are left out; @ret_n: rows that there were. */
static int ask_once(struct copying *c, const struct chain_question *q, uint64_t number,
		    size_t *ret_n)
{
	char text[24];
	const struct fleet_value values[] = {
		{ c->chain, 0 }, { text, 0 }, { c->from, 0 }, { c->hash, 0 }
	};
	struct fleet_rows *rows;
	int r;

	snprintf(text, sizeof(text), "%" PRIu64, number);
	r = fleet_db_ask(c->db, q->sql, values, q == &records ? 4 : 2, &rows, c->err);
	if (r)
		return r;
	*ret_n = fleet_rows_n(rows);
	for (size_t i = 0; i < *ret_n && !r; i++)
		r = q->take(c, rows, i);
	fleet_rows_free(rows);
	return dw_error_system(c->err, r, c->dir);
}

static int copy_records(struct copying *c)
{
	size_t n = 1;
	int r = 0;

	while (n && !r)
		r = ask_once(c, &records, c->ret->head, &n);
	return r;
}

static int copy_head(struct copying *c)
{
	size_t n = 1;
	int r = 0;

	while (n && !c->ret->head && !r)
		r = ask_once(c, &heads, c->ret->stray, &n);
	return r;
}

int fleet_chain_copy(struct fleet_db *db, const char *chain,
		     const struct dw_signers *signers, const char *dir,
		     struct fleet_copy *ret, struct dw_error *err)
{
	struct copying c = { .db = db,
			     .chain = chain,
			     .signers = signers,
			     .dir = dir,
			     .ret = ret,
			     .err = err,
			     .from = "0" };
	size_t n;
	int r;

	*ret = (struct fleet_copy){ .head = 0 };
	r = copy_head(&c);
	if (!r && ret->head) {
		r = copy_records(&c);
		if (!r)
			r = ask_once(&c, &days, ret->head, &n);
	}
	if (!r && !ret->head)
		r = ask_once(&c, &first, 1, &n);
	if (!r)
		r = ask_once(&c, &beyond, ret->head, &n);
	if (r)
		fleet_copy_deinit(ret);
	return r;
}

void fleet_copy_deinit(struct fleet_copy *c)
{
	free(c->record);
	*c = (struct fleet_copy){ .head = 0 };
}

static int compare_places(const void *a, const void *b)
{
	const struct dw_drawn *x = a, *y = b;

	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

const char *fleet_copy_hash(const struct fleet_copy *c, uint64_t sequence)
{
	const struct dw_drawn key = { .sequence = sequence };
	const struct dw_drawn *found =
		c->n ? bsearch(&key, c->record, c->n, sizeof(key), compare_places) : NULL;

	return found ? found->record : NULL;
}
