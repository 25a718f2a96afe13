/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is a ledger whole? Each record has a signature of somebody who may sign, stands at its place, and
 * names the one before it; the heads name the records that are there, and the last one names the
 * last. What cannot be seen in a ledger alone is that all of it was put back to what it once was:
 * the copy that has left the machine shows that.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "data/sign.h"
#include "file/file.h"
#include "proof/proof.h"

#define FAULTS_MAX 1000 /* more are not reported */

/**
 * struct ledger_look - one look at a ledger
 * @files: the ledger's
 * @n_records: that are looked at, of the files
 * @seen: ids of the records; sorted in the end
 * @sum: SHA-256 of the records, behind that of none
 * @candidate: of the records what a draw has to know
 * @seconds: draws, and checks of what they drew
 * @audit: the last audit record
 * @at: when that was written
 */
struct ledger_look {
	const char *dir;
	struct dw_signers signers;
	struct dw_proof_check *ret;
	struct dw_ledger_files files;
	size_t n_records;
	char (*seen)[64];
	char (*sum)[DW_PROOF_HASH];
	struct dw_candidate *candidate;
	struct dw_seconds seconds;
	struct dw_audit audit;
	time_t at;
	int error;
};

static void say_fault(struct ledger_look *l, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say_fault(struct ledger_look *l, const char *file, const char *format, ...)
{
	struct dw_proof_check *c = l->ret;
	struct dw_proof_fault *f;
	va_list args;

	if (c->n == FAULTS_MAX)
		return;
	if (dw_grow(&c->fault, c->n, c->n + 1, sizeof(*f))) {
		l->error = -ENOMEM;
		return;
	}
	f = &c->fault[c->n++];
	snprintf(f->file, sizeof(f->file), "%s", file);
	va_start(args, format);
	vsnprintf(f->reason, sizeof(f->reason), format, args);
	va_end(args);
}

static void say_unread(struct ledger_look *l, const char *file, int r)
{
	if (r == 1)
		say_fault(
			l, file,
			"signature wrong: it or its signature was changed after signing");
	else if (r == -ENOENT)
		say_fault(l, file, "it, or its signature, is missing");
	else if (r == -EINVAL)
		say_fault(l, file, "its signature is none");
	else
		say_fault(l, file, "it cannot be read: %s", strerror(-r));
}

/* Text whose signature is right, by one who may sign; false, and a fault is reported. */
static bool read_as_signed(struct ledger_look *l, const char *path, const char *file,
			   size_t max, struct dw_signed *ret)
{
	int r = dw_signed_read(path, max, ret);

	if (r)
		say_unread(l, file, r);
	return !r;
}

static bool may_sign(struct ledger_look *l, const struct dw_signed *s, const char *file,
		     time_t at)
{
	char print[DW_FINGERPRINT];
	const char *why;

	if (dw_signers_find(&l->signers, s->key, DW_PROOF_NAMESPACE, at, &why))
		return true;
	say_fault(l, file, "%s (%s)", why, dw_ssh_fingerprint(s->key, print));
	return false;
}

/* Does a draw, repeated, give what it gave? Records behind it are not in the way. */
static void look_at_draw(struct ledger_look *l, const char *file, const struct dw_draw *d)
{
	struct dw_draw again = *d;
	int r;

	if (!l->candidate)
		return;

	again.picked = NULL;
	again.n_picked = 0;
	r = dw_draw_pick(&again, l->candidate, l->n_records);
	if (r)
		l->error = r;
	else if (!dw_draw_same(d, &again))
		say_fault(l, file,
			  "the records that it names are not those that are drawn");
	free(again.picked);
	if (!r && dw_seconds_draw(&l->seconds, d))
		l->error = -ENOMEM;
}

static int look_at_erasure(struct ledger_look *l, size_t i, const char *file,
			   const struct dw_signed *s, struct dw_error *err)
{
	const char *fault = NULL;
	struct dw_proof p;
	int r = dw_proof_parse(s->text, s->len, &p, err);

	if (r)
		return r;
	if (l->candidate) {
		dw_candidate_of(&p, s->hash, &l->candidate[i]);
		r = dw_seconds_take(&l->seconds, &p, s->hash, &fault);
	}
	if (fault)
		say_fault(l, file, "%s", fault);
	l->ret->simulated += p.simulation[0] != '\0';
	dw_proof_deinit(&p);
	return r;
}

static int look_at_audit(struct ledger_look *l, const char *file,
			 const struct dw_signed *s, struct dw_error *err)
{
	struct dw_audit a;
	int r = dw_audit_parse(s->text, s->len, &a, err);

	if (r)
		return r;
	if (l->candidate && !dw_audit_follows(&l->audit, &a))
		say_fault(l, file,
			  "rows of the audit trail before %" PRIu64 " are missing",
			  a.first);
	free(a.row);
	a.row = NULL;
	l->audit = a;
	return 0;
}

/* What more there is to a record than its place; in a ledger, to those before it. */
static void look_inside(struct ledger_look *l, size_t i, enum dw_entry kind,
			const char *file, const struct dw_signed *s)
{
	struct dw_error err = { 0 };
	struct dw_draw d;
	int r;

	switch (kind) {
	case DW_ENTRY_DRAW:
		r = dw_draw_parse(s->text, s->len, &d, &err);
		if (!r) {
			look_at_draw(l, file, &d);
			dw_draw_deinit(&d);
		}
		break;
	case DW_ENTRY_AUDIT:
		r = look_at_audit(l, file, s, &err);
		break;
	default:
		r = look_at_erasure(l, i, file, s, &err);
	}
	if (r == -ENOMEM)
		l->error = r;
	else if (r)
		say_fault(l, file, "%s %s", err.subject, err.reason);
}

/* @ret: sequence, previous, id, written; @i: its place, if there are others */
static bool read_record(struct ledger_look *l, size_t i, const char *path,
			const char *file, struct dw_proof *ret, char hash[DW_PROOF_HASH])
{
	struct dw_error err = { 0 };
	enum dw_entry kind;
	struct dw_signed s;
	bool good;

	if (!read_as_signed(l, path, file, DW_RECORD_MAX, &s))
		return false;
	memcpy(hash, s.hash, DW_PROOF_HASH);
	good = !dw_proof_link_parse(s.text, s.len, &kind, ret, &err);
	if (!good)
		say_fault(l, file, "%s %s", err.subject, err.reason);
	good = good && may_sign(l, &s, file, ret->written.tv_sec);
	if (good)
		look_inside(l, i, kind, file, &s);
	dw_signed_deinit(&s);
	return good;
}

/* The head of the last record of a day becomes its mark when the next head is there. */
static void look_for_day(struct ledger_look *l, uint64_t n)
{
	char file[DW_LEDGER_NAME];

	if (!dw_numbers_has(&l->files.day, n) && !dw_numbers_has(&l->files.day_sig, n) &&
	    !dw_numbers_has(&l->files.head, n))
		say_fault(l, dw_ledger_name(DW_LEDGER_DAY, n, false, file),
			  "it is missing: record %" PRIu64 " was the last of its day", n);
}

static void look_at_place(struct ledger_look *l, size_t i, const char *file,
			  const struct dw_proof *p)
{
	if (p->sequence != i + 1)
		say_fault(l, file, "it is record %" PRIu64 ", not %zu", p->sequence,
			  i + 1);
	else if (strcmp(p->previous, l->sum[i]) != 0)
		say_fault(l, file, "the record before it is not the one that it names");
	else if (p->written.tv_sec < l->at)
		say_fault(l, file, "it is older than the record before it");
	else
		l->ret->records++;
	if (i && !dw_same_day(l->at, p->written.tv_sec))
		look_for_day(l, i);
	memcpy(l->seen[i], p->id, sizeof(l->seen[i]));
	l->at = p->written.tv_sec;
	if (!i)
		l->ret->first = p->written;
	l->ret->last = p->written;
}

static void look_at_record(struct ledger_look *l, size_t i)
{
	char file[DW_LEDGER_NAME];
	dw_autofree char *path = dw_ledger_path(
		l->dir, dw_ledger_name(DW_LEDGER_RECORD, i + 1, false, file));
	struct dw_proof p;

	if (!path)
		l->error = -ENOMEM;
	else if (read_record(l, i, path, file, &p, l->sum[i + 1]))
		look_at_place(l, i, file, &p);
}

static void look_at_head(struct ledger_look *l, enum dw_ledger_file kind, uint64_t n)
{
	char file[DW_LEDGER_NAME];
	dw_autofree char *path =
		dw_ledger_path(l->dir, dw_ledger_name(kind, n, false, file));
	struct dw_error err = { 0 };
	struct dw_signed s;
	struct dw_head h;

	if (!path || !read_as_signed(l, path, file, DW_HEAD_MAX, &s)) {
		l->error = path ? l->error : -ENOMEM;
		return;
	}
	if (dw_head_parse(kind, s.text, s.len, &h, &err))
		say_fault(l, file, "%s %s", err.subject, err.reason);
	else if (h.sequence != n)
		say_fault(l, file, "it is the head of record %" PRIu64, h.sequence);
	else if (may_sign(l, &s, file, h.written.tv_sec) &&
		 (n > l->n_records || strcmp(h.record, l->sum[n]) != 0))
		say_fault(l, file, "record %" PRIu64 " is not the one that it names", n);
	dw_signed_deinit(&s);
}

/* Numbers without a file; the rest of the look has them in the order of their places. */
static void look_for_gaps(struct ledger_look *l)
{
	const uint64_t *record = l->files.record.v;
	uint64_t last = dw_numbers_last(&l->files.head), n = 1;
	uint64_t most = l->n_records ? record[l->n_records - 1] : 0;
	char file[DW_LEDGER_NAME];

	for (size_t i = 0; n <= dw_max_u64(last, most) && l->ret->n < FAULTS_MAX; n++) {
		if (i < l->n_records && record[i] == n)
			i++;
		else
			say_fault(l, dw_ledger_name(DW_LEDGER_RECORD, n, false, file),
				  "it is missing");
	}
	if (most > last + 1)
		say_fault(l, dw_ledger_name(DW_LEDGER_HEAD, most, true, file),
			  "the head of the last record is missing");
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void look_for_twins(struct ledger_look *l)
{
	qsort(l->seen, l->n_records, sizeof(*l->seen), compare_ids);
	for (size_t i = 1; i < l->n_records; i++)
		if (l->seen[i][0] && !strcmp(l->seen[i - 1], l->seen[i]))
			say_fault(l, l->seen[i], "there are two records of this attempt");
}

/* A record beyond the last head was being written, or what was behind it was taken away with its
 * head. Nobody can tell, so that it does not count; one that is signed has to fit all the same. */
static void look_at_unfinished(struct ledger_look *l)
{
	uint64_t last = dw_numbers_last(&l->files.head);
	char name[DW_LEDGER_NAME];
	dw_autofree char *path = NULL;
	struct dw_signed s;
	int r;

	if (!l->n_records || dw_numbers_last(&l->files.record) != last + 1)
		return;
	path = dw_ledger_path(l->dir,
			      dw_ledger_name(DW_LEDGER_RECORD, last + 1, false, name));
	r = path ? dw_signed_read(path, DW_RECORD_MAX, &s) : -ENOMEM;
	if (!r)
		dw_signed_deinit(&s);
	if (r && r != -ENOENT)
		return;
	l->ret->unfinished = true;
	l->ret->headless = !r;
	l->n_records -= r != 0;
}

static int look_at_all(struct ledger_look *l)
{
	const struct dw_numbers *head = &l->files.head, *day = &l->files.day,
				*sig = &l->files.day_sig;
	int r = dw_ledger_files_list(l->dir, &l->files);

	if (r)
		return r;
	l->n_records = l->files.record.n;
	look_at_unfinished(l);
	look_for_gaps(l);
	l->seen = calloc(l->n_records + 1, sizeof(*l->seen));
	l->sum = calloc(l->n_records + 2, sizeof(*l->sum));
	l->candidate = calloc(l->n_records + 1, sizeof(*l->candidate));
	if (!l->seen || !l->sum || !l->candidate)
		return -ENOMEM;
	dw_hash_none(l->sum[0]);
	if (l->ret->n) /* places are not known: what is there is looked at by itself */
		return 0;
	for (size_t i = 0; i < l->n_records && !l->error; i++)
		look_at_record(l, i);
	if (l->ret->headless && l->ret->records == l->n_records)
		l->ret->records--;
	for (size_t i = 0; i < head->n && !l->error; i++)
		look_at_head(l, DW_LEDGER_HEAD, head->v[i]);
	for (size_t i = 0; i < day->n && !l->error; i++)
		look_at_head(l, DW_LEDGER_DAY, day->v[i]);
	for (size_t i = 0; i < sig->n && !l->error; i++)
		if (!dw_numbers_has(day, sig->v[i]))
			look_at_head(l, DW_LEDGER_DAY, sig->v[i]);
	look_for_twins(l);
	if (l->n_records && !l->ret->n && !l->ret->headless)
		snprintf(l->ret->head, sizeof(l->ret->head), "%zu:%s", l->n_records,
			 l->sum[l->n_records]);
	return l->error;
}

static int open_signers(const char *dir, const char *signers, struct ledger_look *l,
			struct dw_error *err)
{
	dw_autofree char *own = dw_ledger_path(dir, DW_PROOF_SIGNERS);
	int r;

	if (!own)
		return -ENOMEM;
	l->ret->own_signers = !signers;
	if (signers)
		return dw_signers_read(signers, &l->signers, err);
	if (access(dir, F_OK))
		return dw_error_file(err, -errno, dir, strerror(errno));
	r = dw_signers_read(own, &l->signers, err);
	return r == -ENOENT
		       ? dw_error_file(err, r, own,
				       "it is missing, and no other list of those who "
				       "may sign was named; is that folder a ledger?")
		       : r;
}

static int look_once(const char *dir, const char *signers, struct dw_proof_check *ret,
		     struct dw_error *err)
{
	struct ledger_look l = { .dir = dir, .ret = ret };
	int r;

	dw_error_clear(err);
	*ret = (struct dw_proof_check){ .records = 0 };
	r = open_signers(dir, signers, &l, err);
	if (!r) {
		r = look_at_all(&l);
		dw_error_file(err, r, dir, strerror(-r));
	}
	dw_signers_free(&l.signers);
	dw_ledger_files_deinit(&l.files);
	free(l.seen);
	free(l.sum);
	free(l.candidate);
	free(l.seconds.erased);
	ret->pick = l.seconds.pick;
	ret->n_picks = l.seconds.n_picks;
	if (r)
		dw_proof_check_deinit(ret);
	return r;
}

/* What is not whole may be what somebody is just writing: it is looked at again while nobody can.
 * The first look is in nobody's way. */
int dw_ledger_check(const char *dir, const char *signers, struct dw_proof_check *ret,
		    struct dw_error *err)
{
	int lock, r = look_once(dir, signers, ret, err);

	if (r || (!ret->n && !ret->headless && !ret->unfinished))
		return r;
	lock = dw_ledger_hold(dir);
	if (lock < 0) /* a copy has none */
		return 0;
	dw_proof_check_deinit(ret);
	r = look_once(dir, signers, ret, err);
	close(lock);
	return r;
}

/* Of a file that the check has read already. */
static int hash_of_record(const char *path, char ret[DW_PROOF_HASH])
{
	dw_autofree char *text = NULL;
	size_t len;
	int r = dw_file_read(path, DW_RECORD_MAX, &text, &len);

	return r ? r : dw_sha256_hex(text, len, ret);
}

int dw_ledger_expect(const char *dir, const char *head, struct dw_proof_check *c,
		     struct dw_error *err)
{
	struct ledger_look l = { .dir = dir, .ret = c };
	char file[DW_LEDGER_NAME], hash[DW_PROOF_HASH];
	dw_autofree char *path = NULL;
	const char *sum;
	char *end;
	uint64_t n;
	int r;

	dw_error_clear(err);
	n = strtoull(head, &end, 10);
	sum = *end ? end + 1 : end;
	if (*end != ':' || !n || *head < '0' || *head > '9' ||
	    strlen(sum) != DW_PROOF_HASH - 1 ||
	    strspn(sum, "0123456789abcdef") != DW_PROOF_HASH - 1)
		return dw_error_set(err, -EINVAL, DW_ERROR_MEMBER, "expect",
				    "'%.100s' is no head: it is NUMBER:SHA256, as a "
				    "certificate has it",
				    head);
	path = dw_ledger_path(dir, dw_ledger_name(DW_LEDGER_RECORD, n, false, file));
	r = path ? hash_of_record(path, hash) : -ENOMEM;
	if (r == -ENOENT)
		say_fault(&l, file,
			  "it is missing: the folder was put back to a copy from "
			  "before the head that is expected");
	else if (r)
		return dw_error_file(err, r, path ? path : dir, dw_file_error(r));
	else if (strcmp(hash, sum) != 0)
		say_fault(&l, file,
			  "it is not the one that the expected head names: the "
			  "folder was rewritten, or is another");
	if (c->n)
		c->head[0] = '\0';
	return l.error;
}

int dw_record_check(const char *file, const char *signers, struct dw_proof_check *ret,
		    struct dw_error *err)
{
	struct ledger_look l = { .dir = ".", .ret = ret };
	const char *name = strrchr(file, '/');
	char hash[DW_PROOF_HASH];
	struct dw_proof p;
	int r;

	dw_error_clear(err);
	*ret = (struct dw_proof_check){ .records = 0 };
	r = open_signers(".", signers, &l, err);
	if (r)
		return r;
	if (read_record(&l, 0, file, name ? name + 1 : file, &p, hash)) {
		ret->records = 1;
		ret->first = ret->last = p.written;
	}
	dw_signers_free(&l.signers);
	return l.error;
}

void dw_proof_check_deinit(struct dw_proof_check *c)
{
	free(c->fault);
	free(c->pick);
	*c = (struct dw_proof_check){ .records = 0 };
}
