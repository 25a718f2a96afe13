/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store comes first, and a record is made of what stands there. So whatever is cut off, nothing
 * is lost: a row that knows no number of a record has none yet, or has the last one of the folder,
 * which the folder then says.
 */
#include "prove.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE  16
#define RETRY_US 60000000u

/**
 * struct prove - the folder
 * @ledger: open; NULL = not yet, or none is wanted
 * @dir, @key: as it was opened
 * @retry_at: by steady_us()
 * @left: perhaps there is an attempt without a record
 * @trouble: that it cannot be written was told
 */
struct prove {
	struct dw_ledger *ledger;
	char dir[256];
	char key[256];
	uint64_t retry_at;
	bool left;
	bool trouble;
};

/** struct prove_batch - rows that are to be recorded */
struct prove_batch {
	struct store_record row[AT_ONCE];
	size_t n;
};

struct prove *prove_new(void)
{
	struct prove *p = calloc(1, sizeof(*p));

	if (p)
		p->left = true;
	return p;
}

void prove_free(struct prove *p)
{
	if (p)
		dw_ledger_close(p->ledger);
	free(p);
}

bool prove_left(const struct prove *p)
{
	return p->left && p->dir[0];
}

void prove_due(struct prove *p)
{
	p->left = true;
}

static void say_trouble(struct service *s, const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	s->prove->retry_at = steady_us() + RETRY_US;
	if (s->prove->trouble)
		return;
	s->prove->trouble = true;
	service_note(
		s,
		"no signed records can be written: %s; what has ended is on record in "
		"the store, and is signed as soon as that is possible",
		dw_error_text(err, text));
}

/* As the settings want it now. */
static bool open_ledger(struct service *s)
{
	struct prove *p = s->prove;
	const struct settings *want = s->settings;
	struct dw_error err = { 0 };

	if (strcmp(p->dir, want->records) != 0 || strcmp(p->key, want->record_key) != 0) {
		dw_ledger_close(p->ledger);
		p->ledger = NULL;
		memcpy(p->dir, want->records, sizeof(p->dir));
		memcpy(p->key, want->record_key, sizeof(p->key));
		p->retry_at = 0;
		p->left = true;
	}
	if (p->ledger || !p->dir[0] || steady_us() < p->retry_at)
		return p->ledger;
	if (dw_ledger_open(p->dir, p->key, &p->ledger, &err))
		say_trouble(s, &err);
	return p->ledger;
}

static int take_row(void *ctx, const struct store_record *r)
{
	struct prove_batch *b = ctx;

	b->row[b->n++] = *r;
	return b->n == AT_ONCE;
}

static void name_user(uint32_t uid, char *buf, size_t size)
{
	const struct passwd *p = uid == UINT32_MAX ? NULL : getpwuid(uid);

	if (p)
		snprintf(buf, size, "%s", p->pw_name);
	else if (uid == UINT32_MAX)
		snprintf(buf, size, "the service itself");
	else
		snprintf(buf, size, "uid %u", uid);
}

static struct timespec time_of(uint64_t us)
{
	return (struct timespec){ .tv_sec = (time_t)(us / 1000000),
				  .tv_nsec = (long)(us % 1000000) * 1000 };
}

/* Of an attempt that the engine never took there is its row alone. */
static void of_row(const struct store_record *r, struct dw_proof *ret)
{
	const struct store_attempt *a = &r->attempt;

	*ret = (struct dw_proof){ .info = a->identity,
				  .max_temperature = DW_TEMPERATURE_UNKNOWN };
	snprintf(ret->id, sizeof(ret->id), "%s/a%lld", a->job, (long long)a->id);
	snprintf(ret->tool, sizeof(ret->tool), "%s", dw_version());
	snprintf(ret->level, sizeof(ret->level), "none");
	snprintf(ret->verify.mode, sizeof(ret->verify.mode), "off");
	ret->finished = time_of(a->ended);
}

static int of_result(struct service *s, const struct store_record *r,
		     struct dw_proof *ret)
{
	char *text = store_result(s->store, r->attempt.id);
	struct dw_result_doc *doc = NULL;
	int code = text ? dw_result_parse(text, strlen(text), &doc, NULL) : -ENOENT;

	if (!code && !doc->job.n_disks)
		code = -ENOENT;
	if (!code) {
		if (doc->forecast.n)
			doc->job.forecast = &doc->forecast;
		code = dw_proof_of(&doc->job, 0, NULL, ret);
		doc->job.forecast = NULL;
	}
	dw_result_free(doc);
	free(text);
	return code;
}

/* What the row says stands above what the engine said: a disk may have come to another end. */
static int make_proof(struct service *s, const struct store_record *r,
		      struct dw_proof *ret)
{
	const struct store_attempt *a = &r->attempt;
	int code = of_result(s, r, ret);

	if (code == -ENOMEM)
		return code;
	if (code)
		of_row(r, ret);
	if (strcmp(ret->outcome, a->outcome) != 0)
		snprintf(ret->level, sizeof(ret->level), "none");
	snprintf(ret->outcome, sizeof(ret->outcome), "%s", a->outcome);
	snprintf(ret->reason, sizeof(ret->reason), "%s", a->reason);
	snprintf(ret->job, sizeof(ret->job), "%s", a->job);
	snprintf(ret->bay, sizeof(ret->bay), "%s", a->bay);
	snprintf(ret->label, sizeof(ret->label), "%s", r->job.label);
	ret->max_temperature = a->max_temperature;
	name_user(r->job.uid, ret->operator_name, sizeof(ret->operator_name));
	return 0;
}

/* False: it could not be written; it is tried again. */
static bool record(struct service *s, const struct store_record *r)
{
	struct dw_error err = { 0 };
	struct dw_proof proof = { .sequence = 0 };
	int code = make_proof(s, r, &proof);
	uint64_t number;

	if (!code)
		code = dw_ledger_add(s->prove->ledger, &proof, &err);
	else
		dw_error_system(&err, code, "a record");
	number = proof.sequence;
	dw_proof_deinit(&proof);
	if (code < 0) {
		say_trouble(s, &err);
		return false;
	}
	if (s->prove->trouble)
		service_note(s, "signed records can be written again");
	s->prove->trouble = false;
	return service_stored(s, store_proven(s->store, r->attempt.id, number)) >= 0;
}

void prove_round(struct service *s)
{
	struct prove_batch *b;
	bool good;

	if (!open_ledger(s) || !s->prove->left || steady_us() < s->prove->retry_at)
		return;
	b = calloc(1, sizeof(*b));
	good = b && store_each_unproven(s->store, AT_ONCE, take_row, b) >= 0;
	if (good)
		s->prove->left = b->n == AT_ONCE;
	for (size_t i = 0; good && i < b->n; i++)
		good = record(s, &b->row[i]);
	s->prove->left |= !good;
	free(b);
}
