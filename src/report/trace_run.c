/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/trace_run.h"

#include <inttypes.h>

#include "base/util.h"
#include "report/trace.h"

/* A disk answers the commands that it has in an order of its own. */
#define DISORDER 64 /* commands */

bool trace_run_takes(const struct trace_run *r, const struct dw_op *op, uint8_t path,
		     bool mixed, const struct trace_times *times)
{
	return r->n && r->n < UINT32_MAX && op->verb == r->op.verb &&
	       (mixed || op->nlb == r->op.nlb) && op->pass == r->op.pass &&
	       path == r->path && op->lba + DISORDER * (uint64_t)op->nlb >= r->high &&
	       times->end_ns - dw_min_u64(r->times.start_ns, times->end_ns) <=
		       times->end_ns / TRACE_RUN_SHARE;
}

/* Did it follow the disk's command before without a pause? Then their ends are its time. */
static bool follows(const struct dw_op *op, const struct trace_times *times,
		    const struct trace_follow *last)
{
	return op->nlb && op->lba == last->next_lba && times->end_ns >= last->end_ns &&
	       times->start_ns <= last->end_ns + DW_TRACE_PAUSE_NS;
}

void trace_run_add(struct trace_run *r, const struct dw_op *op, uint8_t path,
		   const struct trace_times *times, struct trace_follow *follow)
{
	uint64_t ns = times->end_ns - times->start_ns;
	uint64_t busy_from = dw_max_u64(times->start_ns, follow->last_ns);

	if (!r->n)
		*r = (struct trace_run){ .op = *op,
					 .path = path,
					 .low = op->lba,
					 .times = *times,
					 .least_ns = ns };
	if (r->n && follows(op, times, follow)) {
		r->close++;
		r->close_ns += times->end_ns - follow->end_ns;
	}
	r->busy_ns += times->end_ns - dw_min_u64(busy_from, times->end_ns);
	follow->last_ns = dw_max_u64(follow->last_ns, times->end_ns);
	r->n++;
	r->low = dw_min_u64(r->low, op->lba);
	r->high = dw_max_u64(r->high, op->lba + op->nlb);
	r->blocks += op->nlb;
	r->times.end_ns = dw_max_u64(r->times.end_ns, times->end_ns);
	r->least_ns = dw_min_u64(r->least_ns, ns);
	r->most_ns = dw_max_u64(r->most_ns, ns);
	r->sum_ns += ns;
	if (op->nlb) {
		follow->next_lba = op->lba + op->nlb;
		follow->end_ns = times->end_ns;
	}
}

void trace_run_print(struct trace_run *r, FILE *f)
{
	if (!r->n)
		return;
	fprintf(f,
		"%" PRIu64 " %" PRIu32 " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %s %" PRIu64 " %" PRIu32 " %u",
		r->op.step, r->op.disk, dw_verb_name(r->op.verb), r->low, r->blocks,
		r->times.submit_ns, r->times.end_ns, dw_class_name(DW_CLASS_OK),
		r->times.start_ns, r->n, r->op.pass);
	/* where lines of other verbs came in between, a single flush has to tell its time, too */
	if (r->n > 1 || !r->op.nlb)
		fprintf(f,
			" %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32
			" %" PRIu64 " %" PRIu64,
			r->path, r->least_ns, r->sum_ns / r->n, r->most_ns,
			r->high - r->low, r->close, r->close_ns, r->busy_ns);
	else if (r->path)
		fprintf(f, " %u", r->path);
	fputc('\n', f);
	r->n = 0;
}
