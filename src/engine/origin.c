/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names the run and its machine, which a certificate has to state. A simulation has no machine,
 * and the same name in every run.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/engine.h"
#include "engine/job.h"
#include "engine/start.h"

/* RFC 9562, version 4 */
static void write_uuid(const uint64_t bits[2], char ret[37])
{
	uint64_t high = (bits[0] & ~UINT64_C(0xf000)) | 0x4000;
	uint64_t low = bits[1] >> 2 | UINT64_C(1) << 63;

	snprintf(ret, 37,
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
		 low & UINT64_C(0xffffffffffff));
}

int job_origin(struct dw_job *job)
{
	struct dw_world *w = job->engine->world;
	uint64_t bits[2];
	int r = w->ops->origin(w, job, bits);

	if (!r)
		write_uuid(bits, job->result.id);
	return r;
}
