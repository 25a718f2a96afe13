/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_RUN_H
#define DW_REPORT_TRACE_RUN_H

/*
 * Runs of like commands as one line. A command joins the one before when verb, length, pass
 * and path are the same, both ended well, and its address is not far below the run's end. A
 * run lasts a two-thousandth of the time that the trace has at most: so the number of lines
 * grows with the logarithm of the time, and a line is always short beside the whole. Where lengths
 * alternate all the time, that holds once the disk has many lines: its runs are of any length then.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "plan/op.h"

#define TRACE_RUN_SHARE 2000

/**
 * struct trace_times - of a command, in ns since the job's start
 * @submit_ns <= @start_ns <= @end_ns: handed over, sent to the disk, answered
 */
struct trace_times {
	uint64_t submit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
};

/** struct trace_follow - where and when the last command of a disk with an extent ended, and when
 *  the last of all */
struct trace_follow {
	uint64_t next_lba;
	uint64_t end_ns;
	uint64_t last_ns;
};

/**
 * struct trace_run - commands that share a line
 * @n: how many, 0 = none
 * @op: the first one
 * @path: of all of them
 * @low, @high: from the lowest to behind the highest block
 * @blocks: all together
 * @times: of the first one; its end is that of the last
 * @least_ns, @most_ns, @sum_ns: response times
 * @close, @close_ns, @busy_ns: see trace.h
 */
struct trace_run {
	uint32_t n;
	struct dw_op op;
	uint8_t path;
	uint64_t low;
	uint64_t high;
	uint64_t blocks;
	struct trace_times times;
	uint64_t least_ns;
	uint64_t most_ns;
	uint64_t sum_ns;
	uint32_t close;
	uint64_t close_ns;
	uint64_t busy_ns;
};

/** trace_run_takes() - does a command which ended well belong to the run, of whatever length if
 *  @mixed? */
bool trace_run_takes(const struct trace_run *r, const struct dw_op *op, uint8_t path,
		     bool mixed, const struct trace_times *times);

/** trace_run_add() - a command that belongs to it, or begins it; @follow is moved on. */
void trace_run_add(struct trace_run *r, const struct dw_op *op, uint8_t path,
		   const struct trace_times *times, struct trace_follow *follow);

/** trace_run_print() - its line; nothing when it is empty, and it is empty afterwards. */
void trace_run_print(struct trace_run *r, FILE *f);

#endif
