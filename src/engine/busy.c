/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Computes the rate of a disk: its bytes over the time in which it had commands to write or
 * flush. Time in which it waited for its turn depends on the strategy, and time in which it was
 * read belongs to another rate. A report of the trace gives the same.
 */
#include "base/util.h"
#include "engine/disk.h"

void job_busy_add(struct job_busy *b, const struct dw_op *op,
		  const struct dw_result *result)
{
	uint64_t from = dw_max_u64(result->start_ns, b->last_ns), ns;
	bool own = op->verb == DW_VERB_OPERATE || op->verb == DW_VERB_POLL;

	/* it was at work from one poll to the next */
	if (own && b->asked_ns)
		from = b->asked_ns;
	ns = result->end_ns > from ? result->end_ns - from : 0;
	b->asked_ns = own ? result->end_ns : 0;
	b->last_ns = dw_max_u64(b->last_ns, result->end_ns);
	switch (op->verb) {
	case DW_VERB_WRITE:
	case DW_VERB_WRITE_SAME:
	case DW_VERB_FLUSH:
		b->write_ns += ns;
		break;
	case DW_VERB_READ:
		b->read_ns += ns;
		break;
	default:
		b->own_ns += own ? ns : 0;
	}
}

double job_busy_rate(const struct job_busy *b, uint64_t written, uint64_t operated,
		     uint64_t compared)
{
	uint64_t bytes = written ? written : operated ? operated : compared;
	uint64_t ns = written ? b->write_ns : operated ? b->own_ns : b->read_ns;

	return ns ? (double)bytes * 1e9 / (double)ns : 0;
}
