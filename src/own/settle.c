/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "own/settle.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/util.h"
#include "device/node.h"
#include "device/sysfs.h"

#define VANISH_TRIES 50
#define VANISH_MS    20

/* By sectors: a flush is a write of none. */
static bool count_writes(const struct dw_disk_info *info, uint64_t *ret)
{
	char dir[PATH_MAX], text[512];
	uint64_t writes, discards = 0;

	if (!info->block_dev || dw_node_block_dir(&dw_machine_self, info, dir) ||
	    dw_sysfs_text(dir, "stat", text, sizeof(text)) ||
	    sscanf(text,
		   "%*u %*u %*u %*u %*u %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %" SCNu64,
		   &writes, &discards) < 1)
		return false;
	*ret = writes + discards;
	return true;
}

void dw_writes_count(struct dw_device *const *d, size_t n, struct dw_writes *ret)
{
	*ret = (struct dw_writes){ 0 };
	for (size_t i = 0; i < n; i++)
		if (count_writes(&d[i]->info, &ret->n[i]))
			ret->dev[i] = d[i]->info.block_dev;
}

uint64_t dw_writes_between(const struct dw_writes *a, const struct dw_writes *b)
{
	uint64_t n = 0;

	for (size_t i = 0; i < DW_PATHS_MAX; i++)
		if (a->dev[i] && a->dev[i] == b->dev[i])
			n += b->n[i] - a->n[i];
	return n;
}

bool dw_writes_foreign(const struct dw_device *d)
{
	char dir[PATH_MAX], text[8];
	struct utsname u;
	unsigned int major, minor;

	if (!d->info.scsi || uname(&u) ||
	    sscanf(u.release, "%u.%u", &major, &minor) != 2 || major < 5 ||
	    (major == 5 && minor < 17))
		return false;
	return dw_node_block_dir(&dw_machine_self, &d->info, dir) ||
	       dw_sysfs_text(dir, "queue/iostats_passthrough", text, sizeof(text)) ||
	       text[0] == '0';
}

static int is_partition(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX];

	return !dw_path(path, "%s/%s", dir, name) && dw_sysfs_has(path, "partition");
}

int dw_device_drop_partitions(const struct dw_device *d)
{
	const struct timespec nap = { .tv_nsec = VANISH_MS * (long)DW_NS_PER_MS };
	char dir[PATH_MAX];

	/* it cannot be read, and its table is gone */
	if (d->sanitize.running || d->blk_fd < 0 ||
	    dw_node_block_dir(&dw_machine_self, &d->info, dir))
		return 0;
	for (int i = 0; dw_sysfs_each_folder(dir, is_partition, NULL) == 1; i++) {
		if (i == VANISH_TRIES || ioctl(d->blk_fd, BLKRRPART))
			return d->map_fd < 0 ? -EBUSY : 0; /* the map holds its paths */
		nanosleep(&nap, NULL);
	}
	return 0;
}

/* No fsync: the kernel would flush the disk's cache as well, which not every disk supports; that
 * is done by the job. */
static int write_back(int fd)
{
	return fd < 0 || !ioctl(fd, BLKFLSBUF) ? 0 : -errno;
}

int dw_device_settle(struct dw_device *const *d, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		r = write_back(d[i]->map_fd);
		if (!r)
			r = write_back(d[i]->blk_fd);
		if (!r)
			r = dw_device_drop_partitions(d[i]);
		if (n > 1 && (r == -ENODEV || r == -ENXIO))
			r = 0; /* this path is gone; the disk is not */
		d[i]->claim.settled = !r;
	}
	return r;
}
