/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the kernel read the capacity of a disk again. By itself it does so only when the disk
 * comes. */
#include "own/unhide.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/util.h"
#include "device/sysfs.h"

#define SEEN_TRIES 30 /* tenths of a second, for the kernel to see the new size */

bool dw_device_rescan(const struct dw_device *d, uint64_t bytes)
{
	const struct timespec nap = { .tv_nsec = (long)(100 * DW_NS_PER_MS) };
	char real[PATH_MAX], dir[PATH_MAX];
	bool block = !d->info.sg_dev;
	uint64_t size = 0;

	if (dw_sysfs_real(&dw_machine_self, block,
			  block ? d->info.block_dev : d->info.sg_dev, real) ||
	    dw_path(dir, "%s/device", real) || dw_sysfs_write(dir, "rescan", 1))
		return false;
	for (int i = 0; d->blk_fd >= 0 && i < SEEN_TRIES; i++) {
		if (!ioctl(d->blk_fd, BLKGETSIZE64, &size) && size == bytes)
			return true;
		nanosleep(&nap, NULL);
	}
	return d->blk_fd < 0;
}
