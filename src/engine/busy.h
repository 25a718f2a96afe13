/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_BUSY_H
#define DW_ENGINE_BUSY_H

/* The time in which a disk had commands, from which its rate is computed. */
#include "plan/op.h"

/**
 * struct job_busy - time in which a disk had commands
 *
 * A command counts from the end of the one before, or from its own start if that is later, to its
 * end. A report counts the lines of a trace in the same way.
 *
 * @last_ns: end of the latest command
 * @asked_ns: end of the latest poll of an operation, 0 = another command came after it
 * @write_ns, @read_ns: time with commands to write or flush, and to read
 * @own_ns: time of operations of the disk itself
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

/** job_busy_rate() - bytes per second of the main work of a disk: of writing, else of its own
 *  operation, else of reading; 0 = of nothing. */
double job_busy_rate(const struct job_busy *b, uint64_t written, uint64_t operated,
		     uint64_t compared);

#endif
