/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_SPEC_H
#define DW_CORE_SPEC_H

/* The table of a job's spec: the one place that says what a member may be. */
#include <diskwipe/error.h>
#include <diskwipe/spec.h>

#include "plan/method.h"

/** dw_spec_table, dw_spec_rows - one row for each member of struct dw_job_spec, in order. */
extern const struct dw_field dw_spec_table[];
extern const size_t dw_spec_rows;

/**
 * dw_spec_check() - is each value in its range, and do they fit together?
 * @spec: as a program or a document has it
 * @err: the member and what is wrong with it
 *
 * Return: 0 or -EINVAL.
 */
int dw_spec_check(const struct dw_job_spec *spec, struct dw_error *err);

/** dw_spec_verify() - the verification that is done: of DW_VERIFY_AUTO what was chosen, and
 *  DW_VERIFY_FULL where nothing was or where the method itself demands it. */
enum dw_verify_kind dw_spec_verify(const struct dw_job_spec *spec);

/** dw_spec_wants_all() - is a disk refused whose contents cannot be foretold? With DW_VERIFY_AUTO,
 *  too, whatever it comes to. */
static inline bool dw_spec_wants_all(const struct dw_job_spec *spec)
{
	return spec->verify == DW_VERIFY_FULL || spec->verify == DW_VERIFY_AUTO;
}

/**
 * dw_spec_method() - the passes that are asked for
 * @spec: its pattern, or else its method
 * @ret: written on success
 * @err: as there
 *
 * Return: 0 or -EINVAL.
 */
int dw_spec_method(const struct dw_job_spec *spec, struct dw_method *ret,
		   struct dw_error *err);

#endif
