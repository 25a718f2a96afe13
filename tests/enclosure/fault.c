/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults are a list of rules: the first that matches a command decides what
 * happens to it. Medium errors are different: they belong to blocks, not to
 * commands, stay with the logical unit when ports are swapped, and heal block by
 * block; healing a part of a bad range splits the rule.
 */
#include "fault.h"

#include "be.h"
#include "model.h"
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/virtio_scsi.h>

struct name {
	const char *name;
	unsigned int value;
};

static const struct name kinds[] = {
	{ "medium", DW_FAULT_MEDIUM }, { "check", DW_FAULT_CHECK },
	{ "abort", DW_FAULT_CHECK },   { "status", DW_FAULT_STATUS },
	{ "tsf", DW_FAULT_STATUS },    { "busy", DW_FAULT_STATUS },
	{ "ua", DW_FAULT_UA },         { "stall", DW_FAULT_STALL },
	{ "slow", DW_FAULT_SLOW },     { "hold", DW_FAULT_SLOW },
	{ "torn", DW_FAULT_TORN },     { "silent_torn", DW_FAULT_TORN },
	{ "drop", DW_FAULT_DROP },     { "corrupt", DW_FAULT_CORRUPT },
	{ "short", DW_FAULT_SHORT },   { "response", DW_FAULT_RESPONSE },
	{ "reset", DW_FAULT_RESET },   { "gone", DW_FAULT_GONE },
	{ "swap", DW_FAULT_SWAP },     { "capacity", DW_FAULT_CAPACITY },
	{ "answer", DW_FAULT_ANSWER }, { NULL, 0 },
};

static const struct name ops[] = {
	{ "read", DW_OP_READ },
	{ "write", DW_OP_WRITE },
	{ "ws", DW_OP_WS },
	{ "verify", DW_OP_VERIFY },
	{ "sync", DW_OP_SYNC },
	{ "unmap", DW_OP_UNMAP },
	{ "other", DW_OP_OTHER },
	{ "media", DW_OP_MEDIA },
	{ "any", DW_OP_MEDIA | DW_OP_OTHER },
	{ NULL, 0 },
};

static const struct name responses[] = {
	{ "ok", VIRTIO_SCSI_S_OK },
	{ "good", VIRTIO_SCSI_S_OK },
	{ "overrun", VIRTIO_SCSI_S_OVERRUN },
	{ "aborted", VIRTIO_SCSI_S_ABORTED },
	{ "bad_target", VIRTIO_SCSI_S_BAD_TARGET },
	{ "reset", VIRTIO_SCSI_S_RESET },
	{ "busy", VIRTIO_SCSI_S_BUSY },
	{ "transport_failure", VIRTIO_SCSI_S_TRANSPORT_FAILURE },
	{ "target_failure", VIRTIO_SCSI_S_TARGET_FAILURE },
	{ "nexus_failure", VIRTIO_SCSI_S_NEXUS_FAILURE },
	{ "failure", VIRTIO_SCSI_S_FAILURE },
	{ NULL, 0 },
};

static bool lookup(const struct name *t, const char *word, unsigned int *ret_v)
{
	for (; t->name; t++) {
		if (strcmp(t->name, word))
			continue;
		*ret_v = t->value;
		return true;
	}
	return false;
}

static bool parse_ops(char *list, struct dw_fault *f)
{
	char *save = NULL, *word;
	unsigned int v;
	uint64_t code;

	f->ops = 0;
	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (lookup(ops, word, &v)) {
			f->ops |= v;
		} else if (dw_number_parse(word, &code) && code <= 0xff) {
			f->opcodes[code / 8] |= (uint8_t)(1u << code % 8);
			f->by_opcode = true;
		} else {
			return false;
		}
	}
	return f->ops || f->by_opcode;
}

/* what a kind means unless the line says otherwise */
static bool parse_kind(const char *word, struct dw_fault *f)
{
	unsigned int v;

	if (!lookup(kinds, word, &v))
		return false;
	f->kind = (enum dw_fault_kind)v;
	if (f->kind == DW_FAULT_MEDIUM)
		f->ops = DW_OP_READ | DW_OP_WRITE | DW_OP_WS | DW_OP_VERIFY;
	else if (f->kind == DW_FAULT_CORRUPT || f->kind == DW_FAULT_TORN ||
		 f->kind == DW_FAULT_DROP)
		f->ops = DW_OP_WRITE | DW_OP_WS;
	if (f->kind == DW_FAULT_CHECK || f->kind == DW_FAULT_TORN)
		f->sense = (struct dw_sense){ .key = KEY_ABORTED };
	if (f->kind == DW_FAULT_UA)
		f->sense = (struct dw_sense){ .key = KEY_UNIT_ATTENTION,
					      .asc = ASC_POWER_ON };
	f->quiet = !strcmp(word, "silent_torn");
	f->status = !strcmp(word, "busy") ? 0x08 : 0x28;
	if (f->kind == DW_FAULT_STALL)
		f->response = VIRTIO_SCSI_S_ABORTED;
	if (!strcmp(word, "hold"))
		f->hold_ns = DW_HOLD_EVER;
	if (f->kind == DW_FAULT_RESPONSE)
		f->response = VIRTIO_SCSI_S_TRANSPORT_FAILURE;
	if (f->kind == DW_FAULT_ANSWER) {
		f->ops = DW_OP_MEDIA | DW_OP_OTHER;
		f->status = 0;
		if (!f->answer)
			f->answer = dw_answer_new();
		return f->answer;
	}
	return true;
}

static bool parse_seconds(const char *text, uint64_t *ret_ns)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s >= 0 && s < 1e6))
		return false;
	*ret_ns = (uint64_t)(s * 1e9);
	return true;
}

static bool parse_flag(const char *text, bool *ret_b)
{
	uint64_t v;

	if (!dw_number_parse(text, &v) || v > 1)
		return false;
	*ret_b = v;
	return true;
}

/* bytes of the CDB; page and service action are where their commands have them */
static bool parse_cdb(const char *k, const char *v, struct dw_fault *f)
{
	f->by_cdb = true;
	if (!strcmp(k, "cdb"))
		return dw_pattern_parse(v, &f->cdb);
	if (!strcmp(k, "sa"))
		return dw_pattern_byte(&f->cdb, 1, 0x1f, v);
	if (!strcmp(k, "vpd"))
		return dw_pattern_byte(&f->cdb, 0, 0xff, "0x12") &&
		       dw_pattern_byte(&f->cdb, 1, 0x01, "1") &&
		       dw_pattern_byte(&f->cdb, 2, 0xff, v);
	if (!strcmp(k, "page"))
		return dw_pattern_byte(&f->cdb, 2, 0x3f, v);
	return dw_pattern_byte(&f->cdb, 0, 0xff, "0x85") &&
	       dw_pattern_byte(&f->cdb, 14, 0xff, v);
}

static bool parse_condition(const char *k, char *v, struct dw_fault *f)
{
	uint64_t n;

	if (!strcmp(k, "cdb") || !strcmp(k, "sa") || !strcmp(k, "vpd") ||
	    !strcmp(k, "page") || !strcmp(k, "ata"))
		return parse_cdb(k, v, f);

	if (!strcmp(k, "lba"))
		return (f->by_lba = dw_range_parse(v, &f->lo, &f->hi));
	if (!strcmp(k, "after"))
		return parse_seconds(v, &f->after_ns);
	if (!strcmp(k, "until"))
		return parse_seconds(v, &f->until_ns);
	if (!dw_number_parse(v, &n))
		return false;
	if (!strcmp(k, "nth"))
		return (f->nth = n) > 0;
	if (!strcmp(k, "every"))
		return (f->every = n) > 0;
	if (!strcmp(k, "permille"))
		return (f->permille = n) <= 1000;
	if (!strcmp(k, "working")) {
		f->working = n;
		return n == 1;
	}
	if (!strcmp(k, "worked")) {
		f->worked = n;
		return n == 1;
	}
	if (!strcmp(k, "over")) {
		f->over = n + 1;
		return true;
	}
	if (!strcmp(k, "max")) {
		f->max = n;
		return true;
	}
	if (!strcmp(k, "min")) {
		f->min = n;
		return true;
	}
	f->left = (int64_t)n;
	return n <= INT64_MAX;
}

static bool parse_effect(const char *k, char *v, struct dw_fault *f)
{
	unsigned int r;
	uint64_t n;
	bool ok;

	if (f->kind == DW_FAULT_ANSWER && dw_answer_key(k, v, f->answer, &ok))
		return ok;
	if (!strcmp(k, "sense")) {
		if (f->answer)
			f->answer->checks = true;
		return dw_sense_parse(v, &f->sense);
	}
	if (!strcmp(k, "end") || !strcmp(k, "response")) {
		if (!lookup(responses, v, &r))
			return false;
		f->response = (uint8_t)r;
		return true;
	}
	if (!strcmp(k, "seconds"))
		return parse_seconds(v, &f->hold_ns);
	if (!strcmp(k, "info"))
		return parse_flag(v, &f->info);
	if (!strcmp(k, "done"))
		return parse_flag(v, &f->done);
	if (!strcmp(k, "deferred"))
		return parse_flag(v, &f->sense.deferred);
	if (!strcmp(k, "lose"))
		return parse_flag(v, &f->lose);
	if (!strcmp(k, "quiet"))
		return parse_flag(v, &f->quiet);
	if (!dw_number_parse(v, &n))
		return false;
	if (!strcmp(k, "heal"))
		f->heal = n;
	else if (!strcmp(k, "blocks"))
		f->blocks = n;
	else if (!strcmp(k, "ms"))
		f->hold_ns = n * 1000000;
	else if (!strcmp(k, "with") || !strcmp(k, "to"))
		f->arg = n;
	else if ((!strcmp(k, "code") || !strcmp(k, "status")) && n <= 0xff)
		f->status = (uint8_t)n;
	else
		return false;
	return true;
}

static bool is_condition(const char *k)
{
	static const char *const keys[] = { "lba",     "after",    "until", "nth",
					    "every",   "permille", "over",  "count",
					    "times",   "min",      "max",   "cdb",
					    "sa",      "vpd",      "page",  "ata",
					    "working", "worked" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], k))
			return true;
	return false;
}

static bool parse_word(struct dw_word *w, struct dw_fault *f)
{
	uint64_t n;

	if (!w->value || !strcmp(w->key, "kind"))
		return w->value != NULL;
	if (!strcmp(w->key, "op"))
		return parse_ops(w->value, f);
	if (!strcmp(w->key, "disk")) {
		if (!dw_number_parse(w->value, &n) || n > 255)
			return false;
		f->disk = (int)n;
		return true;
	}
	if (is_condition(w->key))
		return parse_condition(w->key, w->value, f);
	return parse_effect(w->key, w->value, f);
}

/* what a rule is about has to be said where it answers for the disk */
static bool complete(const struct dw_fault *f, bool op)
{
	if (f->kind == DW_FAULT_MEDIUM)
		return f->by_lba;
	return f->kind != DW_FAULT_ANSWER || op || f->by_cdb;
}

static int parse_line(char *line, struct dw_fault *f)
{
	struct dw_word w[DW_WORDS_MAX];
	bool kind = false, op = false;
	int i, n = dw_words_split(line, w, DW_WORDS_MAX);

	for (i = 0; i < n && !kind; i++)
		if (!strcmp(w[i].key, "kind") && w[i].value)
			kind = parse_kind(w[i].value, f);
	for (i = 0; i < n; i++)
		if (!parse_word(&w[i], f))
			return -EINVAL;
	for (i = 0; i < n; i++)
		op |= !strcmp(w[i].key, "op");
	if (f->by_cdb && !op)
		f->ops = DW_OP_MEDIA | DW_OP_OTHER;
	return n > 0 && kind && complete(f, op) ? 0 : -EINVAL;
}

/**
 * dw_fault_parse - a fault line, without the word "fault"
 * @args: "kind=K [disk=D] [op=LIST] [lba=A-B] ..."
 * @ret_f: fault; what it answers is the caller's, or that of the rules it is added to
 *
 * Return: 0, or -EINVAL.
 */
int dw_fault_parse(const char *args, struct dw_fault *ret_f)
{
	struct dw_fault f = { .disk = -1,
			      .ops = DW_OP_MEDIA,
			      .hi = UINT64_MAX,
			      .left = INT64_MIN,
			      .info = true,
			      .lose = true };
	char *line = strdup(args);
	int e = line ? parse_line(line, &f) : -ENOMEM;

	free(line);
	if (e) {
		dw_answer_free(f.answer);
		return e;
	}
	if (f.left == INT64_MIN) /* "the 5th" is one command; others go on for ever */
		f.left = f.nth ? 1 : -1;
	*ret_f = f;
	return 0;
}

/**
 * dw_answer_parse - an answer line, without the word "answer"
 * @args: "[disk=D] op=LIST [vpd=P] ... [data=BYTES] ..."
 * @ret_f: the fault of that kind, as with dw_fault_parse()
 *
 * Return: 0 or a negative errno.
 */
int dw_answer_parse(const char *args, struct dw_fault *ret_f)
{
	char *line;
	int e;

	if (asprintf(&line, "kind=answer %s", args) < 0)
		return -ENOMEM;
	e = dw_fault_parse(line, ret_f);
	free(line);
	return e;
}

/**
 * dw_faults_add - one more rule, after the others
 * @s: rules
 * @f: rule, copied; what it answers is theirs then, or freed
 *
 * Return: 0, or -ENOMEM.
 */
int dw_faults_add(struct dw_faults *s, const struct dw_fault *f)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct dw_fault *p = reallocarray(s->f, cap, sizeof(*p));

		if (!p) {
			dw_answer_free(f->answer);
			return -ENOMEM;
		}
		s->f = p;
		s->cap = cap;
	}
	s->f[s->n++] = *f;
	return 0;
}

/**
 * dw_faults_clear - drop rules
 * @s: rules
 * @disk: those that name this disk; -1 for all
 */
void dw_faults_clear(struct dw_faults *s, int disk)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		if (disk >= 0 && s->f[i].disk != disk)
			s->f[n++] = s->f[i];
		else
			dw_answer_free(s->f[i].answer);
	s->n = n;
}

/**
 * dw_faults_deinit - free the rules
 * @s: rules
 */
void dw_faults_deinit(struct dw_faults *s)
{
	dw_faults_clear(s, -1);
	free(s->f);
	memset(s, 0, sizeof(*s));
}

static bool overlaps(const struct dw_fault *f, uint64_t lba, uint64_t nlb)
{
	return nlb && lba <= f->hi && lba + nlb - 1 >= f->lo;
}

static bool concerns(const struct dw_fault *f, const struct dw_fault_query *q)
{
	if (f->disk >= 0 && (unsigned int)f->disk != q->port)
		return false;
	if (!(f->ops & q->op) && !(f->opcodes[q->cdb[0] / 8] >> q->cdb[0] % 8 & 1))
		return false;
	if (f->by_cdb && !dw_pattern_fits(&f->cdb, q->cdb))
		return false;
	if (f->by_lba && !(q->by_lba && overlaps(f, q->lba, q->nlb)))
		return false;
	if (q->attention && f->kind == DW_FAULT_ANSWER)
		return false; /* that comes first, and is no answer to the command */
	if (f->max && !(q->by_lba && q->nlb <= f->max))
		return false;
	if (f->min && !(q->by_lba && q->nlb >= f->min))
		return false;
	if ((f->working && !q->working) || (f->worked && !q->worked))
		return false;
	if (f->over && q->in_flight < f->over)
		return false;
	return q->now_ns >= f->after_ns && (!f->until_ns || q->now_ns < f->until_ns);
}

static bool fires(struct dw_faults *s, struct dw_fault *f)
{
	if (!f->left || (f->nth && f->seen < f->nth))
		return false;
	if (f->every && (f->seen - (f->nth ? f->nth : 0)) % f->every)
		return false;
	if (f->permille && dw_rng_next(&s->rng) % 1000 >= f->permille)
		return false;
	if (f->left > 0)
		f->left--;
	f->fired++;
	return true;
}

/**
 * dw_faults_match - what happens to a command
 * @s: rules; counts go up
 * @q: command
 *
 * Return: the first rule that fires, NULL for none; valid until rules change.
 */
const struct dw_fault *dw_faults_match(struct dw_faults *s,
				       const struct dw_fault_query *q)
{
	struct dw_fault *hit = NULL;
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct dw_fault *f = &s->f[i];

		if (f->kind == DW_FAULT_MEDIUM || !concerns(f, q))
			continue;
		f->seen++; /* "the 5th" is the 5th that matches, whatever befell the 4th */
		if (!hit && fires(s, f))
			hit = f;
	}
	return hit;
}

static bool bad_for(const struct dw_fault *f, unsigned int lu, unsigned int op)
{
	return f->kind == DW_FAULT_MEDIUM && f->left && (f->ops & op) &&
	       (f->disk < 0 || (unsigned int)f->disk == lu);
}

/* blocks lo..hi of rule i have been hit once; splits the rule where need be */
static int hit(struct dw_faults *s, size_t i, uint64_t lo, uint64_t hi)
{
	struct dw_fault f = s->f[i], part = f;
	int r = 0;

	if (lo > f.lo) {
		part.hi = lo - 1;
		r = dw_faults_add(s, &part);
	}
	part = f;
	if (!r && hi < f.hi) {
		part.lo = hi + 1;
		r = dw_faults_add(s, &part);
	}
	if (r)
		return r;
	s->f[i].lo = lo > f.lo ? lo : f.lo;
	s->f[i].hi = hi < f.hi ? hi : f.hi;
	if (!--s->f[i].heal)
		s->f[i].left = 0;
	return 0;
}

/**
 * dw_faults_bad - the first bad block a command meets
 * @s: rules; a failed write counts toward healing that block
 * @q: command
 * @ret_lba: the block, when there is one
 *
 * Return: its rule, NULL when all blocks are good; valid until rules change.
 */
const struct dw_fault *dw_faults_bad(struct dw_faults *s, const struct dw_fault_query *q,
				     uint64_t *ret_lba)
{
	size_t i, best = SIZE_MAX;
	uint64_t first = 0;

	for (i = 0; i < s->n; i++) {
		struct dw_fault *f = &s->f[i];
		uint64_t at = f->lo > q->lba ? f->lo : q->lba;

		if (!bad_for(f, q->lu, q->op) || !overlaps(f, q->lba, q->nlb))
			continue;
		if (best == SIZE_MAX || at < first) {
			best = i;
			first = at;
		}
	}
	if (best == SIZE_MAX)
		return NULL;
	*ret_lba = first;
	s->f[best].fired++;
	if (s->f[best].left > 0)
		s->f[best].left--;
	if (s->f[best].heal && (q->op & (DW_OP_WRITE | DW_OP_WS)))
		hit(s, best, first, first);
	return &s->f[best];
}

/**
 * dw_faults_rewritten - blocks were written with success
 * @s: rules; blocks that only fail to read come closer to healing
 * @lu: logical unit
 * @lba: first block
 * @nlb: blocks
 *
 * Return: 0, or -ENOMEM.
 */
int dw_faults_rewritten(struct dw_faults *s, unsigned int lu, uint64_t lba, uint64_t nlb)
{
	size_t i, n = s->n;
	int r = 0;

	for (i = 0; i < n && !r; i++) {
		const struct dw_fault *f = &s->f[i];

		if (bad_for(f, lu, DW_OP_READ | DW_OP_VERIFY) && f->heal &&
		    overlaps(f, lba, nlb))
			r = hit(s, i, lba, lba + nlb - 1);
	}
	return r;
}
