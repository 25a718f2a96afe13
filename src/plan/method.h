/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_METHOD_H
#define DW_PLAN_METHOD_H

/*
 * Erasure methods as rows of a table: passes, whether the method itself demands a
 * verification, and what it is worth today.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/job.h>

#include "plan/op.h"
#include "plan/pattern.h"

#define DW_PASSES_MAX 64

/**
 * struct dw_method - one row
 * @name: as on the command line
 * @title: the scheme's name in words
 * @worth: what it is worth today, one sentence
 * @n_passes: 1..DW_PASSES_MAX
 * @pass: the patterns in their order
 * @verify: enum dw_verify_kind: least verification the method demands; DW_VERIFY_DEFAULT = nothing
 * @verify_percent: least share of the blocks, for DW_VERIFY_SAMPLE; 0 = the default share
 * @verify_every_pass: true when each pass is to be verified, not only the last
 * @operation: enum dw_operation: each pass is the disk's own work, and the pattern is what it
 *	leaves behind if that can be foretold
 * @optional: a disk that does not offer the operation is overwritten
 * @chosen: each disk gets the method that the ladder chooses for it (dw_ladder_choose())
 */
struct dw_method {
	const char *name;
	const char *title;
	const char *worth;
	uint8_t n_passes;
	uint8_t verify;
	uint8_t verify_percent;
	bool verify_every_pass;
	uint8_t operation;
	bool optional;
	bool chosen;
	struct dw_pattern pass[DW_PASSES_MAX];
};

/** dw_method_find() - the row of that name, static, or NULL. */
const struct dw_method *dw_method_find(const char *name);

/** dw_method_next() - rows in their order: NULL gives the first; NULL after the last. */
const struct dw_method *dw_method_next(const struct dw_method *m);

/**
 * dw_method_custom() - a method from a list of patterns
 * @list: "00,ff,random"; 1..DW_PASSES_MAX items of dw_pattern_parse()
 * @ret_method: filled; name "custom"; not written on error
 *
 * A complement needs a pass of constant bytes (or another complement) before it.
 *
 * Return: 0, -EINVAL (not a pattern, or nothing to complement), -E2BIG (too many passes).
 */
int dw_method_custom(const char *list, struct dw_method *ret_method);

#endif
