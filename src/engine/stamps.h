/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_STAMPS_H
#define DW_ENGINE_STAMPS_H

/* Proof that a disk has as many blocks as addresses, before the first write and after the last
 * pass. */
#include <stdint.h>

#include "diskwipe/job.h"

struct job_disk;

/** job_stamps_before() - before anything of the job is written: check that two addresses are two
 *  blocks, over each path of the disk. May wait. 0, 1 refused with @v, -ENOMEM. */
int job_stamps_before(struct job_disk *d, struct dw_verdict *v);

/**
 * struct job_stamps - the check after the last pass
 * @device: the path to use
 * @st: the state of the disk in the core
 * @class: enum dw_class of the result, and @text its reason
 * @write_errors: errors of writes that the disk reported
 */
struct job_stamps {
	struct dw_device *device;
	const struct dw_disk_state *st;
	uint8_t class;
	uint32_t write_errors;
	char text[160];
};

/** job_stamps_after() - check again; nothing of the disk is under way, and its blocks will be
 *  flushed. Waits: off the loop. */
void job_stamps_after(struct job_disk *d, struct job_stamps *s);

#endif
