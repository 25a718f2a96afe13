/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_TRACE_H
#define DW_ENGINE_TRACE_H

/* The trace file of a job. */
#include "core/core.h"
#include "engine/loop.h"
#include "report/trace.h"

struct job_disk;

/**
 * struct job_trace - the trace file while the job runs; at most one write is under way
 * @work: the write, off the loop
 * @file: NULL = there is none, or it is closed
 * @under_way: a write is under way; @closing: and it is the last
 * @error: of closing it
 * @looked_ns: time of the latest check
 */
struct job_trace {
	struct dw_work work;
	struct dw_trace *file;
	bool under_way;
	bool closing;
	int error;
	uint64_t looked_ns;
};

/** job_trace_op() - write @op and its result as a line of the trace, if there is one. */
void job_trace_op(const struct job_disk *d, const struct dw_op *op,
		  const struct dw_result *result);

/** job_trace_open() - begin the trace, if one is wanted. 0 or -errno. */
int job_trace_open(struct dw_job *job);

/** job_trace_joined() - name a disk in the trace that came after the start, before its first
 *  command. */
void job_trace_joined(struct dw_job *job, const struct job_disk *d);

/** job_trace_look() - write the trace off the loop from time to time, and report once that this
 *  fails. 0, -ENOMEM. */
int job_trace_look(struct dw_job *job, uint64_t now_ns);

/** job_trace_close() - write the last line, and close the trace off the loop; then job_conclude()
 *  follows. */
void job_trace_close(struct dw_job *job, uint64_t now_ns);

#endif
