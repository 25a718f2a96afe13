/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SECURITY ERASE UNIT in a job. The command needs others before and after it, and lasts for
 * hours, in which nothing else may be sent to the disk. All of it is done off the loop and
 * without the transport, whose checks between two commands would separate what belongs together.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "codec/encode.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/own.h"
#include "own/security.h"

/** struct job_security - one erase; it is freed with its result */
struct job_security {
	struct dw_work work;
	struct job_disk *disk;
	struct dw_op op;
	struct dw_security_end end;
};

static void erase_in_worker(struct dw_work *w)
{
	struct job_security *x = dw_container_of(w, struct job_security, work);

	dw_security_erase(x->disk->device, x->op.operation == DW_OPERATION_ATA_ENHANCED,
			  &x->end);
}

/* The lost answer decides whether it is tried again. */
static void read_cut_off(const struct job_security *x, struct dw_result *r)
{
	struct dw_caps plain = x->disk->caps;

	plain.self.ata = false; /* these registers are none of SANITIZE DEVICE */
	dw_decode(&plain, &x->op, &x->end.done, r);
	if (r->class == DW_CLASS_OK)
		r->class = DW_CLASS_RETRY;
	/* a disk without power was gone for a moment, and has answered since */
	if (r->class == DW_CLASS_GONE)
		r->class = DW_CLASS_RESET;
}

static struct dw_result result_of(const struct job_security *x)
{
	struct dw_result r = { .class = DW_CLASS_FAILED };

	switch (x->end.how) {
	case DW_SECURED_ERASED:
		r.class = DW_CLASS_OK;
		r.ended = DW_ENDED_WELL;
		break;
	case DW_SECURED_UNTOLD:
		r.class = DW_CLASS_OK;
		r.ended = DW_ENDED_UNREADABLE;
		break;
	case DW_SECURED_CUT_OFF:
		read_cut_off(x, &r);
		break;
	case DW_SECURED_GONE:
		r.class = DW_CLASS_GONE;
		break;
	default:
		break;
	}
	if (x->end.text[0])
		r.detail = x->end.text;
	r.disk = x->op.disk;
	r.slot = x->op.slot;
	return r;
}

static int secured(struct dw_work *w)
{
	struct job_security *x = dw_container_of(w, struct job_security, work);
	struct dw_engine *e = x->disk->job->engine;
	uint64_t now = engine_clock(e);
	struct dw_result r = result_of(x);
	int ret;

	x->disk->who.stranger |= x->end.stranger;
	r.submit_ns = r.start_ns = x->end.sent ? x->end.begun_ns : 0;
	r.end_ns = x->end.sent ? x->end.ended_ns : now;
	if (!r.submit_ns)
		r.submit_ns = now;
	if (r.class == DW_CLASS_RESET || r.class == DW_CLASS_TIMEOUT)
		x->disk->who.reset_reported = true;
	job_trace_op(x->disk, &x->op, &r);
	ret = dw_core_result(e->core, &r, now);
	free(x);
	return ret;
}

int job_security_submit(struct job_disk *d, const struct dw_op *op)
{
	struct job_security *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->disk = d;
	x->op = *op;
	x->work.run = erase_in_worker;
	x->work.done = secured;
	dw_loop_begin(d->job->engine->loop, &x->work);
	return 0;
}
