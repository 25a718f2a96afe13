/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_H
#define DW_REPORT_TRACE_H

/*
 * The trace: one line per command, the same for real and simulated runs. Fields, separated by
 * blanks: step (j), disk (i), verb, lba, blocks, submitted, done (ns since the job's start),
 * class. Lines that begin with "#" are comments; the first one names the format.
 */
#include <stdint.h>

#include "plan/op.h"

struct dw_trace;

/** dw_trace_open() - begin a trace file; an existing file is replaced. 0 or negative errno. */
int dw_trace_open(const char *path, uint64_t origin_ns, struct dw_trace **ret);

/** dw_trace_disk() - a comment that says which disk a number is. */
void dw_trace_disk(struct dw_trace *t, uint32_t disk, const char *text);

/** dw_trace_line() - one command that ended. */
void dw_trace_line(struct dw_trace *t, const struct dw_op *op,
		   const struct dw_result *result);

/** dw_trace_close() - write out and close. 0, or the errno of the first failed write. */
int dw_trace_close(struct dw_trace *t);

#endif
