/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_BUSY_H
#define DW_ENGINE_BUSY_H

/* The time in which a disk had commands, for its rate. */
#include "plan/op.h"

/**
 * struct job_busy - time in which a disk had commands: from the end of the one before, or from its
 *	own start if that is later, to its end, counted as a report counts the lines of a trace
 * @last_ns: end of the last one; @asked_ns: of the last one about the disk's own work, 0 = another
 *	came after it
 * @write_ns, @read_ns: with commands to write or flush, and to read; @own_ns: its own work
 */
struct job_busy {
	uint64_t last_ns;
	uint64_t asked_ns;
	uint64_t write_ns;
	uint64_t read_ns;
	uint64_t own_ns;
};

/** job_busy_add() - count a command that ended. */
void job_busy_add(struct job_busy *b, const struct dw_op *op,
		  const struct dw_result *result);

/** job_busy_rate() - bytes per second of what a disk was there for: of writing, else of its own
 *  work, else of reading; 0 = of nothing. */
double job_busy_rate(const struct job_busy *b, uint64_t written, uint64_t operated,
		     uint64_t compared);

#endif
