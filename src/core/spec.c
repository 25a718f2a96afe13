/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job's spec, member by member. From these rows come the checks of a spec, what plan, state
 * and trace files keep of it, and what a program may give; a member is added here and in
 * struct dw_job_spec, nowhere else.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/error.h"
#include "base/field.h"
#include "base/util.h"
#include "core/spec.h"
#include "plan/ladder.h"
#include "plan/order.h"
#include "sched/controller.h"
#include "sched/copies.h"
#include "sched/strategy.h"

static const char *const command_words[] = { "auto", "write", "write-same", NULL };
static const char *const level_words[] = { "clear", "purge", NULL };
static const char *const paths_words[] = { "auto", "fixed", "dynamic", NULL };
static const char *const write_cache_words[] = { "auto", "keep", "on", NULL };
static const char *const background_words[] = { "off", "share", "keep-response", NULL };
static const char *const unhide_words[] = { "report", "restore", NULL };
static const char *const verify_words[] = { "default", "off",  "sample", "full",
					    "device",  "auto", NULL };

/* as far as enum dw_verify_kind goes, and only the last two are accepted: check_verify() */
static const char *const chosen_words[] = { "default", "off",    "sample",
					    "full",    "device", NULL };

static const char *const *order_names(void)
{
	static const char *const names[] = { "near-first", NULL };

	return names;
}

#define BESIDE(type, member, ...)                                                        \
	DW_FIELD(type, struct dw_background, member, __VA_ARGS__)

static const struct dw_field background_fields[] = {
	BESIDE(WORD, kind, .max = DW_BACKGROUND_RESPONSE, .words = background_words),
	BESIDE(SHARE, share, .max = 1, .optional = true),
	BESIDE(NUMBER, response_ns, .max = INT64_MAX, .optional = true),
	BESIDE(NUMBER, users, .max = DW_BACKGROUND_USERS, .optional = true),
	BESIDE(NUMBER, think_ns, .max = INT64_MAX, .optional = true),
	{ .key = "demands_ns",
	  .type = DW_FIELD_NUMBERS,
	  .offset = offsetof(struct dw_background, demand_ns),
	  .size = sizeof(((struct dw_background *)0)->demand_ns),
	  DW_FIELD_COUNT(struct dw_background, n_demands),
	  .min = 1,
	  .max = INT64_MAX,
	  .optional = true },
};

#define SPEC(type, member, ...) DW_FIELD(type, struct dw_job_spec, member, __VA_ARGS__)

#define SPEC_AS(type, member, key_, ...)                                                 \
	DW_FIELD_AS(type, struct dw_job_spec, member, key_, __VA_ARGS__)

const struct dw_field dw_spec_table[] = {
	SPEC(NAME, strategy, .names = dw_strategy_list, .offered = true),
	SPEC(NUMBER, active, .min = 1, .max = UINT32_MAX, .or_none = true),
	SPEC(NUMBER, depth, .min = 1, .max = DW_DEPTH_AUTO, .or_none = true,
	     .offered = true),
	SPEC(NAME, controller, .names = dw_controller_list, .offered = true),
	SPEC(NUMBER, fixed_blocks, .min = 1, .max = UINT32_MAX, .or_none = true,
	     .offered = true),
	SPEC(NUMBER, controller_buffer, .min = 512, .max = INT64_MAX, .or_none = true,
	     .offered = true),
	SPEC(WORD, command, .max = DW_COMMAND_WRITE_SAME, .words = command_words,
	     .offered = true),
	SPEC(TEXT, method, .offered = true),
	SPEC(WORD, level, .max = DW_LEVEL_PURGE, .words = level_words, .optional = true,
	     .offered = true),
	SPEC(BOOL, or_clear, .optional = true, .offered = true),
	SPEC(TEXT, allow, .optional = true, .offered = true),
	SPEC(TEXT, pattern, .offered = true),
	SPEC(WORD, hidden, .max = DW_UNHIDE_RESTORE, .words = unhide_words,
	     .optional = true),
	SPEC(WORD, verify, .max = DW_VERIFY_AUTO, .words = verify_words, .offered = true),
	SPEC(WORD, verify_chosen, .max = DW_VERIFY_DEVICE, .words = chosen_words,
	     .optional = true),
	SPEC(SHARE, verify_percent, .max = 100, .offered = true),
	SPEC(BOOL, verify_only, .one_run = true),
	SPEC(NAME, verify_policy, .names = dw_copies_policy_list, .optional = true),
	SPEC(TEXT, mirror, .optional = true),
	SPEC(NUMBER, flush_bytes, .min = 1, .max = INT64_MAX, .offered = true),
	SPEC(NUMBER, flush_seconds, .min = 1, .max = UINT32_MAX, .offered = true),
	SPEC(WORD, write_cache, .max = DW_WRITE_CACHE_ON, .words = write_cache_words,
	     .offered = true),
	SPEC(NAME, order, .names = order_names, .optional = true, .offered = true),
	SPEC(TEXT, near, .optional = true, .offered = true),
	SPEC(BOOL, reserve, .offered = true),
	SPEC(WORD, paths, .max = DW_PATHS_DYNAMIC, .words = paths_words, .offered = true),
	SPEC(NUMBER, path_rate, .max = INT64_MAX, .offered = true),
	SPEC(NUMBER, stall_seconds, .max = UINT32_MAX, .offered = true),
	SPEC(NUMBER, power_cycle_seconds, .max = UINT32_MAX, .one_run = true),
	SPEC(RECORD, background, .optional = true, .fields = background_fields,
	     .n_fields = DW_ARRAY_SIZE(background_fields)),
	SPEC(OTHER, rules, .one_run = true),
	SPEC(TEXT, key_file, .one_run = true),
	SPEC(TEXT, state_file, .one_run = true),
	SPEC(TEXT, resume_file, .one_run = true),
	SPEC(TEXT, trace_file, .one_run = true),
	SPEC(BOOL, trace_full, .one_run = true),
	SPEC(BOOL, print_schedule, .one_run = true),
	SPEC(BITS, seed),
	SPEC(TEXT, customer, .optional = true, .offered = true),
	SPEC(TEXT, order_number, .optional = true, .offered = true),
	SPEC_AS(TEXT, operator_name, "operator", .optional = true, .offered = true),
};
const size_t dw_spec_rows = DW_ARRAY_SIZE(dw_spec_table);

void dw_job_spec_init(struct dw_job_spec *spec)
{
	*spec = (struct dw_job_spec){
		.strategy = "parallel",
		.controller = "adaptive",
		.method = "zero",
		.verify_policy = "both",
		.verify_percent = 1,
		.flush_bytes = 64 * DW_GIB,
		.flush_seconds = 300,
		.stall_seconds = 600,
	};
}

const struct dw_field *dw_spec_field(size_t i)
{
	return i < dw_spec_rows ? &dw_spec_table[i] : NULL;
}

const struct dw_field *dw_spec_find(const char *key)
{
	for (size_t i = 0; i < dw_spec_rows; i++)
		if (!strcmp(dw_spec_table[i].key, key))
			return &dw_spec_table[i];
	return NULL;
}

const char *dw_spec_word(const struct dw_job_spec *spec, const char *key)
{
	const struct dw_field *f = dw_spec_find(key);

	if (!f || f->type != DW_FIELD_WORD || dw_field_wrong(f, spec))
		return NULL;
	return f->words[dw_field_number(f, spec)];
}

void dw_spec_adopt(struct dw_job_spec *spec, const struct dw_job_spec *kept)
{
	for (size_t i = 0; i < dw_spec_rows; i++) {
		const struct dw_field *f = &dw_spec_table[i];

		if (!f->one_run)
			memcpy((char *)spec + f->offset, (const char *)kept + f->offset,
			       f->size);
	}
}

static int explain(const struct dw_field *f, const void *base, const char *wrong,
		   struct dw_error *err)
{
	const char *at = (const char *)base + f->offset;

	if (f->type == DW_FIELD_NUMBER)
		return dw_error_member(err, f->key,
				       "%" PRIu64 " is not in %" PRIu64 "..%" PRIu64,
				       dw_field_number(f, base), f->min, f->max);
	if (f->type == DW_FIELD_SHARE)
		return dw_error_member(err, f->key, "%g is not in (0, %" PRIu64 "]",
				       *(const double *)(const void *)at, f->max);
	if (f->type == DW_FIELD_NAME)
		return dw_error_member(err, f->key, "'%.*s' is not known", (int)f->size,
				       at);
	return dw_error_member(err, f->key, "%s", wrong);
}

static int check_background(const struct dw_background *b, struct dw_error *err)
{
	if ((b->kind == DW_BACKGROUND_SHARE && !(b->share > 0)) ||
	    (b->kind == DW_BACKGROUND_RESPONSE && !b->response_ns) ||
	    !b->users != !b->n_demands)
		return dw_error_member(err, "background", "does not fit together");
	if (b->users && b->kind == DW_BACKGROUND_OFF)
		return dw_error_member(
			err, "background",
			"other work is described, but nothing is asked for it; ask for "
			"its response to be kept, or for a share");
	return 0;
}

int dw_spec_method(const struct dw_job_spec *spec, struct dw_method *ret,
		   struct dw_error *err)
{
	const struct dw_method *m = dw_method_find(spec->method);
	int r;

	if (spec->pattern[0]) {
		r = dw_method_custom(spec->pattern, ret);
		if (r < 0)
			return dw_error_member(
				err, "pattern",
				"'%.80s': %s; give 1 to %d of 00..ff, random, "
				"random-byte, complement",
				spec->pattern,
				r == -E2BIG ? "too many passes"
					    : "not a list of patterns",
				DW_PASSES_MAX);
		return 0;
	}
	if (!m)
		return dw_error_member(err, "method", "'%s' is not known", spec->method);
	*ret = *m;
	return 0;
}

enum dw_verify_kind dw_spec_verify(const struct dw_job_spec *spec)
{
	const struct dw_method *m =
		spec->pattern[0] ? NULL : dw_method_find(spec->method);

	if (spec->verify != DW_VERIFY_AUTO)
		return spec->verify;
	if (m && m->verify == DW_VERIFY_FULL)
		return DW_VERIFY_FULL;
	return spec->verify_chosen == DW_VERIFY_DEVICE ? DW_VERIFY_DEVICE
						       : DW_VERIFY_FULL;
}

static int check_verify(const struct dw_job_spec *s, struct dw_error *err)
{
	if (s->verify_only && s->verify == DW_VERIFY_DEVICE)
		return dw_error_member(
			err, "verify",
			"device is for an erasure: a disk is only believed after differences "
			"were written to it, and a verification writes nothing; choose full");
	if (s->verify_only && s->verify == DW_VERIFY_AUTO)
		return dw_error_member(
			err, "verify",
			"auto is for an erasure: a verification has nothing but reading to "
			"choose; choose full");
	if (s->verify_chosen != DW_VERIFY_DEFAULT &&
	    (s->verify != DW_VERIFY_AUTO || s->verify_chosen < DW_VERIFY_FULL))
		return dw_error_member(
			err, "verify_chosen",
			"not what the verification auto can come to: full or device");
	return 0;
}

/* do the members that say what is reached fit together? */
static int check_level(const struct dw_job_spec *s, struct dw_error *err)
{
	const struct dw_method *m = s->pattern[0] ? NULL : dw_method_find(s->method);
	uint32_t allow;

	if (dw_allow_parse(s->allow, &allow) < 0)
		return dw_error_member(err, "allow",
				       "'%.40s' is not a list of: crypto, ata-security",
				       s->allow);
	if (s->verify_only && s->hidden != DW_UNHIDE_REPORT)
		return dw_error_member(
			err, "hidden",
			"a verification changes nothing of a disk; only an "
			"erasure restores hidden blocks");
	if (s->verify_only && m && m->chosen)
		return dw_error_member(
			err, "method",
			"auto chooses how to erase; to verify, name what was done");
	return check_verify(s, err);
}

/* What people say goes into records and on paper, as they said it or not at all. */
static int check_reported(const struct dw_job_spec *s, struct dw_error *err)
{
	const struct {
		const char *key;
		const char *text;
	} reported[] = {
		{ "customer", s->customer },
		{ "order_number", s->order_number },
		{ "operator", s->operator_name },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(reported); i++)
		if (!dw_text_is_printable(reported[i].text))
			return dw_error_member(
				err, reported[i].key,
				"it has control characters, marks of direction, or bytes "
				"that are no UTF-8");
	return 0;
}

/* do the members fit together? */
static int check_whole(const struct dw_job_spec *s, struct dw_error *err)
{
	struct dw_near near;
	int r = check_level(s, err);

	if (!r)
		r = check_reported(s, err);
	if (r < 0)
		return r;

	if (s->order[0] && !s->near[0])
		return dw_error_member(
			err, "near",
			"missing; the order near-first needs the blocks on which other "
			"load falls: LBA, LBA-LBA, start or end");
	if (s->near[0] && !s->order[0])
		return dw_error_member(
			err, "order",
			"missing; blocks to be near to go with the order near-first");
	if (s->near[0] && dw_near_parse(s->near, &near) < 0)
		return dw_error_member(err, "near", "not LBA, LBA-LBA, start or end");
	return check_background(&s->background, err);
}

int dw_spec_check(const struct dw_job_spec *spec, struct dw_error *err)
{
	struct dw_method method;
	const char *wrong;

	for (size_t i = 0; i < dw_spec_rows; i++) {
		wrong = dw_field_wrong(&dw_spec_table[i], spec);
		if (wrong)
			return explain(&dw_spec_table[i], spec, wrong, err);
	}
	if (dw_spec_method(spec, &method, err) < 0)
		return -EINVAL;
	return check_whole(spec, err);
}
