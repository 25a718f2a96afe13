/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_MIRROR_H
#define DW_ENGINE_MIRROR_H

#include <diskwipe/job.h>

/** job_mirror_wrong() - say what is wrong with that name; -EINVAL. */
int job_mirror_wrong(struct dw_error *err, const char *name, const char *what);

/**
 * job_mirror_pair() - the two disks of "DEV,DEV"
 * @info, @n: the disks of the job
 * @text: cut at its comma
 * @name: its halves
 * @ret: which disks they are, negative: a serial number or WWN of none of them
 * @err: on failure why
 * Return: 0; -EINVAL: no pair, a node of none of them, a name of several.
 */
int job_mirror_pair(const struct dw_disk_info *const *info, size_t n, char *text,
		    const char *name[2], int ret[2], struct dw_error *err);

#endif
