/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checker of what arrives. It remembers, outside of the database, how far each chain had come:
 * a chain that has less, or something else there, is an alarm, and stays one until somebody has
 * looked at it and accepts it. Verification of a large ledger takes hours, so what is remembered
 * is written meanwhile: after an interruption the next call continues there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/util.h"
#include "file/file.h"
#include "fleet/check.h"

#define STATE_MAX 1073741824
#define EFFORT    10000 /* records; then the file is written */
#define A_CHAIN   100   /* what its questions take, in records */

/** struct known - how far a chain had come; @records, @heads: its rows then; @seen: it is there */
struct known {
	char chain[DW_PROOF_HASH];
	char head[DW_PROOF_HEAD];
	uint64_t records;
	uint64_t heads;
	bool seen;
};

/**
 * struct memory - of a checker
 * @known, @n: sorted by chains as far as they were read, @old; new ones are behind; owned
 * @went_back: rows of that table that somebody has looked at
 * @until: the last chain that a look at all had come to when it was cut off; empty = none was
 * @resumed: where this one goes on; empty = it begins with the first chain
 * @effort: what was looked at since the file was written, in records
 */
struct memory {
	struct known *known;
	size_t n;
	size_t old;
	uint64_t went_back;
	char until[DW_PROOF_HASH];
	char resumed[DW_PROOF_HASH];
	uint64_t effort;
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return strcmp(x->chain, y->chain);
}

static struct known *find_known(struct memory *m, const char *chain)
{
	struct known key;

	memcpy(key.chain, chain, sizeof(key.chain));
	return m->old ? bsearch(&key, m->known, m->old, sizeof(key), compare_known)
		      : NULL;
}

static struct known *add_known(struct memory *m, const char *chain)
{
	if (dw_grow(&m->known, m->n, m->n + 1, sizeof(*m->known)))
		return NULL;
	memcpy(m->known[m->n].chain, chain, DW_PROOF_HASH);
	return &m->known[m->n++];
}

/*
 * Of two checkers with one file the later to write would forget what the other has seen, and what
 * is taken away after that is no alarm. The file is replaced each time, so the lock is beside it.
 */
static int lock_memory(const char *path, int *ret_fd, struct dw_error *err)
{
	dw_autofree char *lock = NULL;
	int r = 0;

	*ret_fd = -1;
	if (!path)
		return 0;
	if (asprintf(&lock, "%s.lock", path) < 0)
		return dw_error_system(err, -ENOMEM, NULL);
	*ret_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*ret_fd < 0)
		return dw_error_file(err, -errno, lock, dw_file_error(-errno));
	if (flock(*ret_fd, LOCK_EX | LOCK_NB))
		r = -errno;
	if (r == -EWOULDBLOCK)
		return dw_error_file(err, r, path,
				     "another verification uses it; "
				     "try again when that has ended");
	return dw_error_file(err, r, lock, dw_file_error(r));
}

static int read_line(struct memory *m, const char *line)
{
	struct known k = { .seen = false };

	_Static_assert(sizeof(k.chain) == 65 && sizeof(k.head) == 86, "widths below");
	if (sscanf(line, "went-back %" SCNu64, &m->went_back) == 1 ||
	    sscanf(line, "all-until %64s", m->until) == 1)
		return 0;
	if (sscanf(line, "%64s %85s %" SCNu64 " %" SCNu64, k.chain, k.head, &k.records,
		   &k.heads) != 4 ||
	    !strchr(k.head, ':'))
		return -EINVAL;
	if (dw_grow(&m->known, m->n, m->n + 1, sizeof(k)))
		return -ENOMEM;
	m->known[m->n++] = k;
	return 0;
}

static int read_memory(const char *path, struct memory *m, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	size_t len;
	int r = path ? dw_file_read(path, STATE_MAX, &text, &len) : -ENOENT;

	if (r == -ENOENT)
		return 0;
	for (char *at = text, *line; !r && (line = strsep(&at, "\n"));)
		r = line[0] ? read_line(m, line) : 0;
	if (m->n)
		qsort(m->known, m->n, sizeof(*m->known), compare_known);
	m->old = m->n;
	return r == -EINVAL ? dw_error_file(err, r, path, "it is not whole")
			    : dw_error_file(err, r, path, dw_file_error(r));
}

/* Verification of all chains is interrupted. A chain that was absent then is verified when it is
 * back, as if it had come later. */
static void doubt_absent(struct memory *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->known[i].seen && strcmp(m->known[i].chain, m->until) <= 0)
			m->known[i].records = 0;
}

static int write_memory(const char *path, const struct memory *m, struct dw_error *err)
{
	dw_autofree char *text = NULL;
	size_t len;
	FILE *f;
	int r;

	if (!path)
		return 0;
	f = open_memstream(&text, &len);
	if (!f)
		return dw_error_system(err, -ENOMEM, NULL);
	fprintf(f, "went-back %" PRIu64 "\n", m->went_back);
	if (m->until[0])
		fprintf(f, "all-until %s\n", m->until);
	for (size_t i = 0; i < m->n; i++)
		if (m->known[i].head[0])
			fprintf(f, "%s %s %" PRIu64 " %" PRIu64 "\n", m->known[i].chain,
				m->known[i].head, m->known[i].records, m->known[i].heads);
	if (fclose(f))
		return dw_error_system(err, -ENOMEM, NULL);
	r = dw_file_replace(path, text, len, 0600);
	return dw_error_file(err, r, path, dw_file_error(r));
}

static int remember_all(const struct fleet_check *c, struct memory *m,
			struct dw_error *err)
{
	if (c->all)
		doubt_absent(m);
	return write_memory(c->state, m, err);
}

static int mark(struct fleet_check *c, const char *chain, const char *head,
		struct dw_error *err)
{
	dw_autofree char *number = strndup(head, strcspn(head, ":"));
	const struct fleet_value values[] = { { chain, 0 },
					      { number, 0 },
					      { strchr(head, ':') + 1, 0 } };

	return fleet_db_ask(c->db,
			    "INSERT INTO diskwipe.checked (chain, sequence, hash) VALUES "
			    "(decode($1, 'hex'), $2::bigint, decode($3, 'hex')) "
			    "ON CONFLICT DO NOTHING",
			    values, 3, NULL, err);
}

/* Does the chain still have what it had come to? */
static bool is_continued(struct fleet_check *c, const struct known *k,
			 const struct fleet_copy *copy)
{
	uint64_t n = strtoull(k->head, NULL, 10);
	const char *is = fleet_copy_hash(copy, n), *was = strchr(k->head, ':') + 1;

	if (is && !strcmp(is, was))
		return true;
	if (is)
		fleet_say(c, FLEET_BACK, k->chain,
			  "record %" PRIu64
			  " is not the one that was checked before: it was rewritten",
			  n);
	else
		fleet_say(c, FLEET_BACK, k->chain,
			  "it ends with record %" PRIu64 ", but it had come to %" PRIu64
			  ": it was put back, or records or heads were taken away",
			  copy->head, n);
	return false;
}

/* The mark comes first: what is remembered is not looked at again, and so not marked. */
static int remember(struct fleet_check *c, struct known *k,
		    const struct fleet_chain *chain, const char *head, struct memory *m,
		    struct dw_error *err)
{
	int r = c->mark ? mark(c, chain->name, head, err) : 0;

	if (r)
		return r;
	if (!k)
		k = add_known(m, chain->name);
	if (!k)
		return dw_error_system(err, -ENOMEM, NULL);
	k->seen = true;
	memcpy(k->head, head, sizeof(k->head));
	k->records = chain->records;
	k->heads = chain->heads;
	return 0;
}

static int verify_chain(struct fleet_check *c, const struct fleet_chain *chain,
			const char *folder, const char *signers_file, struct memory *m,
			struct dw_error *err)
{
	struct known *k = find_known(m, chain->name);
	char head[DW_PROOF_HEAD] = "";
	struct fleet_copy copy;
	bool good = true;
	int r = dw_scratch_empty(folder);

	if (r)
		return dw_error_file(err, r, folder, strerror(-r));
	r = fleet_chain_copy(c->db, chain->name, c->signers, folder, &copy, err);
	if (r)
		return r;
	r = fleet_check_copy(c, chain->name, folder, &copy, signers_file, head, err);
	if (!r && k && k->head[0])
		good = is_continued(c, k, &copy);
	if (!r && (good || c->accept) && head[0])
		r = remember(c, k, chain, head, m, err);
	else if (k)
		k->records = 0; /* it is looked at again, however many rows it has */
	fleet_copy_deinit(&copy);
	return r;
}

/* It has as many rows as before; when all are looked at, a look that was cut off has seen it. */
static bool is_passed_over(const struct fleet_check *c, const struct fleet_chain *chain,
			   const struct known *k, const struct memory *m)
{
	if (c->all && strcmp(chain->name, m->resumed) > 0)
		return false;
	return k && k->records && k->records == chain->records &&
	       k->heads == chain->heads;
}

/* The file has a line for each chain: it is written when more was looked at than it costs. */
static int looked_at(struct fleet_check *c, const struct fleet_chain *chain,
		     struct memory *m, struct dw_error *err)
{
	if (c->all && strcmp(chain->name, m->until) > 0)
		memcpy(m->until, chain->name, sizeof(m->until));
	m->effort += A_CHAIN + chain->records;
	if (m->effort < EFFORT || m->effort < m->n)
		return 0;
	m->effort = 0;
	return remember_all(c, m, err);
}

static int verify_all(struct fleet_check *c, const struct fleet_chain *chain, size_t n,
		      const char *signers_file, struct memory *m, struct dw_error *err)
{
	char *folder = dw_scratch_new();
	int r = folder ? 0 : dw_error_system(err, -errno, "a folder for a moment");

	for (size_t i = 0; i < n && !r; i++) {
		struct known *k = find_known(m, chain[i].name);

		if (k)
			k->seen = true;
		if (is_passed_over(c, &chain[i], k, m)) {
			c->passed_over++;
			continue;
		}
		r = verify_chain(c, &chain[i], folder, signers_file, m, err);
		if (!r)
			r = looked_at(c, &chain[i], m, err);
	}
	dw_scratch_free(folder);
	return r;
}

/* What is not there at all any more. */
static void look_for_lost(struct fleet_check *c, struct memory *m)
{
	for (size_t i = 0; i < m->old; i++) {
		struct known *k = &m->known[i];

		if (k->seen || !k->head[0])
			continue;
		fleet_say(c, FLEET_BACK, k->chain,
			  "it is gone: it had come to record %" PRIu64,
			  (uint64_t)strtoull(k->head, NULL, 10));
		if (c->accept)
			k->head[0] = '\0';
	}
}

/* Who may add can add what nobody has signed; of a head that is gone nobody can say that. */
static bool is_by_stranger(const struct fleet_check *c, const struct fleet_rows *rows,
			   size_t i)
{
	size_t len, sig_len;
	const char *text = fleet_rows_at(rows, i, 4, &len);
	const char *sig = fleet_rows_at(rows, i, 5, &sig_len);

	return len && !fleet_is_signed(c->signers, text, len, sig, sig_len);
}

static void tell_late(struct fleet_check *c, const struct fleet_rows *rows, size_t first)
{
	uint64_t strays = 0;

	for (size_t i = first; i < fleet_rows_n(rows); i++) {
		if (is_by_stranger(c, rows, i)) {
			strays++;
			continue;
		}
		fleet_say(c, FLEET_BACK, fleet_rows_at(rows, i, 0, NULL),
			  "its station sent the head of record %s when that of %s was "
			  "there: its ledger was put back (sender %.64s)",
			  fleet_rows_at(rows, i, 1, NULL),
			  fleet_rows_at(rows, i, 2, NULL),
			  fleet_rows_at(rows, i, 3, NULL));
	}
	if (strays)
		fleet_say(c, FLEET_NOTE, NULL,
			  "%" PRIu64 " heads that came late are signed by nobody in the "
			  "list, and passed over",
			  strays);
}

/* Stations that sent an older head than before: their ledgers were put back. */
static int look_at_heads(struct fleet_check *c, struct memory *m, struct dw_error *err)
{
	struct fleet_rows *rows;
	int r = fleet_db_ask(
		c->db,
		"SELECT encode(w.chain, 'hex'), w.sequence::text, w.highest::text, "
		"w.sender::text, h.text, h.signature::bytea "
		"FROM diskwipe.went_back w LEFT JOIN diskwipe.head h ON "
		"h.chain = w.chain AND h.kind = 'head' AND h.sequence = w.sequence "
		"AND h.hash = w.hash ORDER BY w.arrived",
		NULL, 0, &rows, err);
	size_t n;

	if (r)
		return r;
	n = fleet_rows_n(rows);
	if (n < m->went_back)
		fleet_say(c, FLEET_BACK, NULL,
			  "of %" PRIu64 " rows about heads that came late %" PRIu64
			  " are gone",
			  m->went_back, m->went_back - n);
	tell_late(c, rows, (size_t)m->went_back);
	if (c->accept)
		m->went_back = n;
	fleet_rows_free(rows);
	return 0;
}

/* Without the chains behind it nobody can say what is gone. What was looked at is kept. */
static int verify_with(struct fleet_check *c, const char *signers_file, struct memory *m,
		       const struct fleet_chain *chain, size_t n, struct dw_error *err)
{
	struct dw_error second = { 0 };
	int r = verify_all(c, chain, n, signers_file, m, err);

	if (!r)
		r = look_at_heads(c, m, err);
	if (r) {
		remember_all(c, m, &second);
		return r;
	}
	look_for_lost(c, m);
	if (c->all)
		m->until[0] = '\0';
	return write_memory(c->state, m, err);
}

/* Only who says so goes on: what was looked at before is not looked at again. */
static int go_on(const struct fleet_check *c, struct memory *m, struct dw_error *err)
{
	if (c->resume)
		memcpy(m->resumed, m->until, sizeof(m->resumed));
	if (c->resume || !m->until[0])
		return 0;
	m->until[0] = '\0';
	return write_memory(c->state, m, err);
}

int fleet_verify(struct fleet_check *c, const char *signers_file, struct dw_error *err)
{
	struct memory m = { .n = 0 };
	struct fleet_chain *chain = NULL;
	size_t n = 0;
	int lock, r = lock_memory(c->state, &lock, err);

	if (!r)
		r = read_memory(c->state, &m, err);
	if (!r && c->all)
		r = go_on(c, &m, err);
	if (!r)
		r = fleet_chains_list(c->db, NULL, &chain, &n, err);
	if (!r)
		r = verify_with(c, signers_file, &m, chain, n, err);
	free(chain);
	free(m.known);
	if (lock >= 0)
		close(lock);
	return r;
}
