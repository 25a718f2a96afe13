/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ledger is checked as a whole; then its records are read once more, from the last one backwards:
 * its signature is checked again on the bytes that will be printed, and it names the SHA-256 of the
 * one before it, and so on. So a file that is changed between the two looks is found.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/util.h"
#include "data/sign.h"
#include "file/file.h"
#include "print/attempts.h"
#include "print/checked.h"
#include "proof/proof.h"

#define SIG_MAX 4096

static int not_signed(struct dw_error *err, const char *file, const char *why)
{
	dw_error_file(err, -EBADMSG, file, why);
	return DW_PAPER_UNSIGNED;
}

static struct dw_paper_record *one_more(struct dw_paper_records *in)
{
	if (dw_grow(&in->record, in->n, in->n + 1, sizeof(*in->record)))
		return NULL;
	return &in->record[in->n++];
}

/* In the only form of a record no text looks like that: its quotes would be escaped. */
static bool is_erasure(const char *text)
{
	return strstr(text, ",\"document\":\"erasure-record\",") != NULL;
}

/* What is not of a disk is a link of the chain all the same. */
static void read_link(const char *text, struct dw_proof *p)
{
	static const char key[] = ",\"previous\":\"";
	const char *at = strstr(text, key);

	if (at)
		snprintf(p->previous, sizeof(p->previous), "%s", at + sizeof(key) - 1);
}

/* From bytes that were checked; they are owned by the record then, also on failure. */
static int add_record(struct dw_paper_records *in, char *text, size_t len,
		      const char *file, struct dw_error *err)
{
	struct dw_paper_record *r = one_more(in);
	int e = 0;

	if (!r) {
		free(text);
		return -ENOMEM;
	}
	*r = (struct dw_paper_record){ .text = text, .len = len, .file = strdup(file) };
	if (!r->file)
		return -ENOMEM;
	e = dw_sha256_hex(text, len, r->hash);
	if (!e && is_erasure(text))
		e = dw_proof_parse(text, len, &r->proof, err);
	else if (!e)
		read_link(text, &r->proof);
	if (e)
		dw_error_in(err, file, 0);
	memcpy(r->before, r->proof.previous, sizeof(r->before));
	return e;
}

static void name_signer(const struct dw_signers *signers,
			const uint8_t key[DW_ED25519_KEY], struct dw_paper_record *r)
{
	const char *why;
	const struct dw_signer *who = dw_signers_find(signers, key, DW_PROOF_NAMESPACE,
						      r->proof.written.tv_sec, &why);

	if (who)
		memcpy(r->signer, who->name, sizeof(r->signer));
}

/* Of a record in a chain: its ledger has checked that its key is in the list. */
static int find_signer(const char *file, const struct dw_signers *signers,
		       struct dw_paper_record *r)
{
	dw_autofree char *sig = NULL, *path = NULL;
	uint8_t key[DW_ED25519_KEY];
	size_t len;
	int e;

	if (asprintf(&path, "%s.sig", file) < 0)
		return -ENOMEM;
	e = dw_file_read(path, SIG_MAX, &sig, &len);
	if (!e)
		e = dw_ssh_check(sig, len, DW_PROOF_NAMESPACE, r->text, r->len, key);
	if (!e)
		name_signer(signers, key, r);
	return e;
}

static int read_alone(const char *file, const struct dw_signers *signers,
		      struct dw_paper_records *in, struct dw_error *err)
{
	struct dw_signed s;
	const char *why;
	int r = dw_signed_read(file, DW_RECORD_MAX, &s);

	if (r == 1)
		return not_signed(
			err, file,
			"signature wrong: it or its signature was changed after signing");
	if (r == -ENOENT)
		return not_signed(err, file, "it, or its signature, is missing");
	if (r == -EINVAL)
		return not_signed(err, file, "its signature is none");
	if (r)
		return dw_error_file(err, r, file, strerror(-r));
	r = add_record(in, s.text, s.len, file, err);
	if (!r)
		name_signer(signers, s.key, &in->record[in->n - 1]);
	/* of what is no record of a disk its ledger has checked that */
	if (!r && is_erasure(s.text) &&
	    !dw_signers_find(signers, s.key, DW_PROOF_NAMESPACE,
			     in->record[in->n - 1].proof.written.tv_sec, &why))
		return not_signed(err, file, why);
	return r;
}

static int read_linked(const char *file, const char *hash,
		       const struct dw_signers *signers, struct dw_paper_records *in,
		       struct dw_error *err)
{
	char *text;
	size_t len;
	int r = dw_file_read(file, DW_RECORD_MAX, &text, &len);

	if (r)
		return dw_error_file(err, r, file, dw_file_error(r));
	r = add_record(in, text, len, file, err);
	if (!r && strcmp(in->record[in->n - 1].hash, hash) != 0)
		return not_signed(err, file, "it was changed while it was read");
	if (!r && in->record[in->n - 1].proof.sequence &&
	    find_signer(file, signers, &in->record[in->n - 1]))
		return not_signed(err, file, "its signature was changed meanwhile");
	return r;
}

static bool is_wanted(const char *want, const char *is)
{
	return !want || !strcmp(want, is);
}

static bool is_chosen(const struct dw_paper_selection *s, const struct dw_proof *p)
{
	return p->sequence && is_wanted(s->serial, p->info.serial) &&
	       is_wanted(s->label, p->label) && is_wanted(s->customer, p->customer) &&
	       is_wanted(s->order, p->order_number) && is_wanted(s->asset, p->asset) &&
	       is_wanted(s->operator_name, p->operator_name) &&
	       (!s->job || !strncmp(s->job, p->job, strlen(s->job))) &&
	       p->written.tv_sec >= s->since &&
	       (!s->until || p->written.tv_sec < s->until);
}

static void drop_last(struct dw_paper_records *in)
{
	struct dw_paper_record *r = &in->record[--in->n];

	dw_proof_deinit(&r->proof);
	free(r->text);
	free(r->file);
	free(r->sig);
	*r = (struct dw_paper_record){ .text = NULL };
}

static void reverse_from(struct dw_paper_records *in, size_t from)
{
	for (size_t i = from, k = in->n; i + 1 < k; i++) {
		struct dw_paper_record swap = in->record[i];

		in->record[i] = in->record[--k];
		in->record[k] = swap;
	}
}

/* Removes the last record, which was not chosen. One of a failed attempt is kept in @failed, for
 * the earlier records of its disk. */
static int set_aside(struct dw_paper_records *in, struct dw_paper_records *failed)
{
	struct dw_paper_record *r = &in->record[in->n - 1];

	if (!r->proof.sequence || !paper_failed(r)) {
		drop_last(in);
		return 0;
	}
	if (dw_grow(&failed->record, failed->n, failed->n + 1, sizeof(*r)))
		return -ENOMEM;
	failed->record[failed->n++] = *r;
	in->n--;
	return 0;
}

/* The last one is not of a disk: before the one that came after it stands what is before this. */
static void pass_over(struct dw_paper_records *in, size_t from)
{
	const struct dw_paper_record *link = &in->record[in->n - 1];
	struct dw_paper_record *next = in->n - from > 1 ? &in->record[in->n - 2] : NULL;

	if (!link->proof.sequence && next && !strcmp(next->before, link->hash))
		memcpy(next->before, link->before, sizeof(next->before));
}

/* Of @records that were found whole. */
static int read_back(const char *dir, uint64_t records, const struct dw_signers *signers,
		     const struct dw_paper_selection *s, struct dw_paper_records *in,
		     struct dw_error *err)
{
	char name[DW_LEDGER_NAME], previous[DW_PROOF_HASH];
	struct dw_paper_records failed = { .n = 0 };
	size_t from = in->n;
	int r = 0;

	for (uint64_t i = records; i && !r && (!s->last || in->n - from < s->last); i--) {
		dw_autofree char *path = dw_ledger_path(
			dir, dw_ledger_name(DW_LEDGER_RECORD, i, false, name));

		if (!path) {
			r = -ENOMEM;
			break;
		}
		r = i == records ? read_alone(path, signers, in, err)
				 : read_linked(path, previous, signers, in, err);
		if (r)
			break;
		memcpy(previous, in->record[in->n - 1].proof.previous, DW_PROOF_HASH);
		in->record[in->n - 1].in_chain = true;
		pass_over(in, from);
		if (is_chosen(s, &in->record[in->n - 1].proof))
			paper_look_later(&in->record[in->n - 1], &failed);
		else
			r = set_aside(in, &failed);
	}
	dw_paper_records_deinit(&failed);
	reverse_from(in, from);
	return r;
}

/* A disk that was drawn more than once has passed when all of them have. */
static void take_seconds(const struct dw_proof_check *found, struct dw_paper_record *r)
{
	struct dw_paper_second *s = &r->second;

	for (size_t i = 0; i < found->n_picks && !s->differs; i++) {
		const struct dw_drawn_disk *k = &found->pick[i];

		if (!k->checked || k->last.of.sequence != r->proof.sequence ||
		    strcmp(k->last.of.record, r->hash) != 0)
			continue;
		s->record = k->checked;
		memcpy(s->by, k->checked_by, sizeof(s->by));
		s->differs = strcmp(k->outcome, "as-expected") != 0;
	}
}

static int read_ledger(const char *dir, const struct dw_signers *signers,
		       const struct dw_paper_selection *s, struct dw_paper_records *in,
		       struct dw_error *err)
{
	struct dw_proof_check found;
	char why[DW_ERROR_TEXT];
	int r = dw_ledger_check(dir, s->signers, &found, err);
	size_t from = in->n;

	if (r)
		return r;
	if (found.n) {
		snprintf(why, sizeof(why), "%s: %s", found.fault[0].file,
			 found.fault[0].reason);
		r = not_signed(err, dir, why);
	} else if (found.headless) {
		dw_error_file(
			err, -EBADMSG, dir,
			"no head names its last record: its writing was cut off, or "
			"records were taken away; see diskwipe records verify");
		r = DW_PAPER_UNFINISHED;
	}
	if (!r)
		r = read_back(dir, found.records, signers, s, in, err);
	for (size_t i = from; i < in->n && !r; i++) {
		memcpy(in->record[i].head, found.head, sizeof(found.head));
		take_seconds(&found, &in->record[i]);
	}
	dw_proof_check_deinit(&found);
	return r;
}

/* The list of signers that goes with an operand. */
static int open_list(const char *operand, bool folder, const struct dw_paper_selection *s,
		     struct dw_signers *ret, struct dw_error *err)
{
	const char *slash = folder ? NULL : strrchr(operand, '/');
	dw_autofree char *dir = folder  ? strdup(operand)
				: slash ? strndup(operand, (size_t)(slash - operand) + 1)
					: strdup(".");
	dw_autofree char *own = dir ? dw_ledger_path(dir, DW_PROOF_SIGNERS) : NULL;

	if (!own)
		return -ENOMEM;
	return dw_signers_read(s->signers ? s->signers : own, ret, err);
}

static int read_one(const char *operand, const struct dw_signers *signers,
		    struct dw_paper_records *in, struct dw_error *err)
{
	int r = read_alone(operand, signers, in, err);

	if (r || in->record[in->n - 1].proof.sequence)
		return r;
	return dw_error_file(err, -EINVAL, operand, "it is not the record of a disk");
}

static int read_operand(const char *operand, const struct dw_paper_selection *s,
			struct dw_paper_records *in, struct dw_error *err)
{
	struct dw_signers signers = { .n = 0 };
	struct stat st;
	bool folder;
	int r;

	if (stat(operand, &st))
		return dw_error_file(err, -errno, operand, strerror(errno));
	folder = S_ISDIR(st.st_mode);
	r = open_list(operand, folder, s, &signers, err);
	if (!r)
		r = folder ? read_ledger(operand, &signers, s, in, err)
			   : read_one(operand, &signers, in, err);
	dw_signers_free(&signers);
	return r;
}

static int compare_hashes(const void *a, const void *b)
{
	const struct dw_paper_record *const *x = a, *const *y = b;
	int order = strcmp((*x)->hash, (*y)->hash);

	return order ? order : (*x > *y) - (*x < *y);
}

/* A record that was named twice counts once, where it came first. */
static int drop_twins(struct dw_paper_records *in)
{
	struct dw_paper_record **sorted =
		calloc(in->n + 1, sizeof(struct dw_paper_record *));
	size_t kept = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++)
		sorted[i] = &in->record[i];
	qsort(sorted, in->n, sizeof(struct dw_paper_record *), compare_hashes);
	for (size_t i = 1; i < in->n; i++)
		if (!strcmp(sorted[i]->hash, sorted[i - 1]->hash)) {
			dw_proof_deinit(&sorted[i]->proof);
			free(sorted[i]->text);
			free(sorted[i]->file);
			sorted[i]->text = NULL;
		}
	for (size_t i = 0; i < in->n; i++)
		if (in->record[i].text)
			in->record[kept++] = in->record[i];
	in->n = kept;
	free(sorted);
	return 0;
}

int dw_paper_read(const char *const *operand, size_t n,
		  const struct dw_paper_selection *s, struct dw_paper_records *ret,
		  struct dw_error *err)
{
	int r = 0;

	dw_error_clear(err);
	*ret = (struct dw_paper_records){ .n = 0 };
	for (size_t i = 0; i < n && !r; i++)
		r = read_operand(operand[i], s, ret, err);
	if (!r)
		r = drop_twins(ret);
	if (!r)
		r = paper_attempts(ret);
	for (size_t i = 0; i < ret->n; i++)
		ret->record[i].own_signers = !s->signers;
	if (r < 0)
		dw_error_system(err, r, NULL);
	if (r)
		dw_paper_records_deinit(ret);
	return r;
}

/* The key as ssh-keygen -l shows it. */
static int name_key(const uint8_t key[DW_ED25519_KEY], char ret[DW_PAPER_FINGERPRINT])
{
	static const char type[] = "ssh-ed25519";
	uint8_t blob[4 + sizeof(type) - 1 + 4 + DW_ED25519_KEY] = { 0 }, sum[DW_SHA256];
	dw_autofree char *text = NULL;
	int r;

	blob[3] = sizeof(type) - 1;
	memcpy(blob + 4, type, sizeof(type) - 1);
	blob[4 + sizeof(type) - 1 + 3] = DW_ED25519_KEY;
	memcpy(blob + sizeof(blob) - DW_ED25519_KEY, key, DW_ED25519_KEY);
	r = dw_sha256(blob, sizeof(blob), sum);
	if (!r)
		text = dw_base64(sum, sizeof(sum));
	if (!r && !text)
		r = -ENOMEM;
	if (!r)
		snprintf(ret, DW_PAPER_FINGERPRINT, "SHA256:%.43s", text);
	return r;
}

static int read_seal(struct dw_paper_record *r, struct dw_error *err)
{
	dw_autofree char *path = NULL;
	uint8_t key[DW_ED25519_KEY];
	size_t len;
	int e;

	if (r->sig)
		return 0;
	if (asprintf(&path, "%s.sig", r->file) < 0)
		return -ENOMEM;
	e = dw_file_read(path, SIG_MAX, &r->sig, &len);
	if (e)
		return dw_error_file(err, e, path, dw_file_error(e));
	e = dw_ssh_check(r->sig, len, DW_PROOF_NAMESPACE, r->text, r->len, key);
	if (e)
		return not_signed(
			err, r->file,
			"signature wrong: it or its signature was changed after signing");
	return name_key(key, r->key);
}

int dw_paper_seals(struct dw_paper_records *in, struct dw_error *err)
{
	int r = 0;

	dw_error_clear(err);
	for (size_t i = 0; i < in->n && !r; i++)
		r = read_seal(&in->record[i], err);
	return r;
}

void dw_paper_records_deinit(struct dw_paper_records *in)
{
	while (in->n)
		drop_last(in);
	free(in->record);
	*in = (struct dw_paper_records){ .n = 0 };
}
