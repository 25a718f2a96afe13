/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block devices without SCSI: what ioctls and sysfs say of them.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include <diskwipe/identity.h>

#include "device/block.h"
#include "device/identity.h"
#include "device/nvme.h"
#include "device/node.h"

static int read_size(int fd, uint64_t *ret_blocks, uint32_t *ret_block_size)
{
	uint64_t bytes;
	int block_size;

	if (ioctl(fd, BLKGETSIZE64, &bytes) || ioctl(fd, BLKSSZGET, &block_size))
		return -errno;
	if (block_size <= 0)
		return -EINVAL;
	*ret_blocks = bytes / (uint32_t)block_size;
	*ret_block_size = (uint32_t)block_size;
	return 0;
}

static int8_t read_write_cache(const struct dw_machine *m,
			       const struct dw_disk_info *info)
{
	char dir[PATH_MAX], text[32];

	if (dw_node_block_dir(m, info, dir) ||
	    dw_sysfs_text(dir, "queue/write_cache", text, sizeof(text)))
		return DW_UNKNOWN;
	if (!strcmp(text, "write back"))
		return DW_YES;
	return !strcmp(text, "write through") ? DW_NO : DW_UNKNOWN;
}

int dw_block_probe(const struct dw_machine *m, struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct dw_disk_info *info = &d->info;
	unsigned int physical;
	int read_only = 0, r = read_size(d->blk_fd, &c->blocks, &c->block_size);

	if (r)
		return r;
	info->blocks = c->blocks;
	info->block_size = info->physical_block_size = c->block_size;
	if (!ioctl(d->blk_fd, BLKPBSZGET, &physical) && physical >= c->block_size)
		info->physical_block_size = physical;
	while (c->physical_exp < 15 &&
	       ((uint64_t)c->block_size << c->physical_exp) < info->physical_block_size)
		c->physical_exp++;
	c->write_protect = !ioctl(d->blk_fd, BLKROGET, &read_only) && read_only;
	c->cache.wce = info->wce = read_write_cache(m, info);
	c->rotation = info->rotation;
	c->zoned = info->zoned;
	c->rw16 = true; /* no CDB leaves: any block can be named */
	if (!c->blocks)
		return -ENOMEDIUM;
	d->n_units = 1;
	return dw_nvme_probe(m, d);
}

enum dw_identified dw_identify_block(const struct dw_device *d)
{
	struct dw_disk_info now;
	enum dw_node_kind kind;
	uint64_t blocks = 0;
	uint32_t block_size = 0;

	if (d->blk_fd < 0 || read_size(d->blk_fd, &blocks, &block_size) ||
	    dw_node_resolve(&dw_machine_self, true, d->info.block_dev, &now, &kind))
		return DW_IDENTITY_UNKNOWN;
	if (kind != DW_NODE_DISK || now.scsi ||
	    !dw_disk_match(&now, &d->info, DW_SAME_NAME))
		return DW_IDENTITY_CHANGED;
	if (blocks != d->info.blocks || block_size != d->info.block_size)
		return DW_IDENTITY_CAPACITY;
	return DW_IDENTITY_SAME;
}
