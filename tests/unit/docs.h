/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_DOCS_H
#define DW_TESTS_DOCS_H

/* Random but valid parts of plan and state files, and damage to their text. */
#include "unit.h"

#include <math.h>

#include <diskwipe/planfile.h>

#include "base/rng.h"

static inline void random_text(struct dw_rng *rng, char *buf, size_t size, bool empty)
{
	static const char alphabet[] = "ABCxyz019 _-\"\\/\t{}[]:,\xc3\xa9";
	size_t n = dw_rng_below(rng, size - !empty) + !empty;

	memset(buf, 0, size);
	for (size_t i = 0; i < n; i++) {
		char c = alphabet[dw_rng_below(rng, sizeof(alphabet) - 1)];

		buf[i] = (unsigned char)c < 0x80 ? c : 'e';
	}
	if (n >= 4 && dw_rng_below(rng, 2))
		memcpy(buf + n - 2, "\xc3\xa9", 2);
}

static inline uint64_t random_bits(struct dw_rng *rng, unsigned bits)
{
	return dw_rng_next(rng) >> (64 - bits) >> dw_rng_below(rng, bits);
}

static inline struct dw_job_spec random_spec(struct dw_rng *rng)
{
	static const char *const methods[] = { "zero", "gutmann", "ar-380-19" };
	struct dw_job_spec s = {
		.active = (uint32_t)random_bits(rng, 32),
		.depth = 1 + (uint32_t)dw_rng_below(rng, 32),
		.fixed_blocks = (uint32_t)random_bits(rng, 32),
		.controller_buffer = random_bits(rng, 63),
		.command = (enum dw_command_mode)dw_rng_below(rng, 3),
		.verify = (enum dw_verify_kind)dw_rng_below(rng, 4),
		.verify_percent = 100 * (1 - dw_rng_unit(rng)),
		.flush_bytes = random_bits(rng, 63),
		.flush_seconds = (uint32_t)random_bits(rng, 32),
		.write_cache_on = dw_rng_below(rng, 2),
		.reserve = dw_rng_below(rng, 2),
		.stall_seconds = (uint32_t)random_bits(rng, 32),
		.seed = random_bits(rng, 64),
	};

	s.background.kind = (enum dw_background_kind)dw_rng_below(rng, 3);
	if (s.background.kind == DW_BACKGROUND_SHARE)
		s.background.share = 1 - dw_rng_unit(rng);
	if (s.background.kind == DW_BACKGROUND_RESPONSE)
		s.background.response_ns = 1 + random_bits(rng, 62);
	if (dw_rng_below(rng, 2)) {
		s.background.users = 1 + (uint32_t)dw_rng_below(rng, DW_BACKGROUND_USERS);
		s.background.think_ns = random_bits(rng, 62);
		s.background.n_demands =
			1 + (uint32_t)dw_rng_below(rng, DW_BACKGROUND_DEMANDS);
	}
	for (uint32_t i = 0; i < s.background.n_demands; i++)
		s.background.demand_ns[i] = 1 + random_bits(rng, 62);
	random_text(rng, s.mirror, sizeof(s.mirror), true);
	random_text(rng, s.verify_policy, sizeof(s.verify_policy), false);
	random_text(rng, s.strategy, sizeof(s.strategy), true);
	random_text(rng, s.controller, sizeof(s.controller), true);
	snprintf(s.method, sizeof(s.method), "%s", methods[dw_rng_below(rng, 3)]);
	if (dw_rng_below(rng, 3) == 0)
		snprintf(s.pattern, sizeof(s.pattern), "00,924924,random");
	return s;
}

static inline struct dw_plan_entry random_entry(struct dw_rng *rng)
{
	struct dw_plan_entry e = {
		.block_size = dw_rng_below(rng, 2) ? 512 : 520,
	};

	e.capacity_bytes = e.block_size * (1 + random_bits(rng, 53));
	random_text(rng, e.device, sizeof(e.device), true);
	random_text(rng, e.vendor, sizeof(e.vendor), true);
	random_text(rng, e.model, sizeof(e.model), true);
	random_text(rng, e.serial, sizeof(e.serial), false);
	random_text(rng, e.wwn, sizeof(e.wwn), true);
	return e;
}

static inline void same_spec(const struct dw_job_spec *a, const struct dw_job_spec *b)
{
	/* padding differs, so member by member where there is any */
	assert_string_equal(a->strategy, b->strategy);
	assert_string_equal(a->controller, b->controller);
	assert_string_equal(a->method, b->method);
	assert_string_equal(a->pattern, b->pattern);
	assert_int_equal(a->active, b->active);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->fixed_blocks, b->fixed_blocks);
	assert_int_equal(a->controller_buffer, b->controller_buffer);
	assert_int_equal(a->command, b->command);
	assert_int_equal(a->verify, b->verify);
	assert_true(a->verify_percent == b->verify_percent ||
		    (a->verify_percent < b->verify_percent * (1 + 1e-14) &&
		     b->verify_percent < a->verify_percent * (1 + 1e-14)));
	assert_int_equal(a->flush_bytes, b->flush_bytes);
	assert_int_equal(a->flush_seconds, b->flush_seconds);
	assert_int_equal(a->write_cache_on, b->write_cache_on);
	assert_int_equal(a->reserve, b->reserve);
	assert_string_equal(a->mirror, b->mirror);
	assert_string_equal(a->verify_policy, b->verify_policy);
	assert_int_equal(a->background.kind, b->background.kind);
	assert_int_equal(a->background.users, b->background.users);
	assert_int_equal(a->background.think_ns, b->background.think_ns);
	assert_int_equal(a->background.response_ns, b->background.response_ns);
	assert_true(fabs(a->background.share - b->background.share) <= 1e-14);
	assert_int_equal(a->background.n_demands, b->background.n_demands);
	assert_memory_equal(a->background.demand_ns, b->background.demand_ns,
			    sizeof(a->background.demand_ns));
	assert_int_equal(a->stall_seconds, b->stall_seconds);
	assert_true(a->seed == b->seed);
}

static inline void same_entry(const struct dw_plan_entry *a,
			      const struct dw_plan_entry *b)
{
	assert_string_equal(a->device, b->device);
	assert_string_equal(a->vendor, b->vendor);
	assert_string_equal(a->model, b->model);
	assert_string_equal(a->serial, b->serial);
	assert_string_equal(a->wwn, b->wwn);
	assert_int_equal(a->capacity_bytes, b->capacity_bytes);
	assert_int_equal(a->block_size, b->block_size);
}

/**
 * replaced() - a text with its first @old replaced
 * @text: in which @old stands
 * @old: what to replace
 * @new: by what
 *
 * Return: malloc'd.
 */
static inline char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *out = malloc(strlen(text) + strlen(new) + 1);

	if (!at)
		fail_msg("no '%s' in: %s", old, text);
	sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	return out;
}

#endif
