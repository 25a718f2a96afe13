/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_STAMPS_H
#define DW_ENGINE_STAMPS_H

/* Are there as many blocks as addresses? Asked before the first write, and after the last pass. */
#include <stdint.h>

#include "diskwipe/job.h"

struct job_disk;

/** job_stamps_before() - before anything of a job is written: two addresses of the disk are two
 *  blocks, over each of its paths. May wait. 0, 1 refused with @v, -ENOMEM. */
int job_stamps_before(struct job_disk *d, struct dw_verdict *v);

/** struct job_stamps - the same after its last pass; @device: by which path, @st: of the disk
 *  @class: enum dw_class of what came of it, and @text why; @write_errors: that the disk told */
struct job_stamps {
	struct dw_device *device;
	const struct dw_disk_state *st;
	uint8_t class;
	uint32_t write_errors;
	char text[160];
};

/** job_stamps_after() - nothing of the disk is under way, and its blocks will be flushed. Waits:
 *  off the loop. */
void job_stamps_after(struct job_disk *d, struct job_stamps *s);

#endif
