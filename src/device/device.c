/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk is opened by a node's number: the path that was given is only looked up once,
 * sysfs names the siblings, and what was opened is compared with what was meant. The
 * nodes are opened first and resolved again afterwards, because an open node keeps its
 * number from being given to another device.
 *
 * Block nodes are opened read-only here: closing a descriptor that could write makes
 * udevd probe the disk again. The claim opens its own.
 */
#include "device/device.h"

#include <errno.h>
#include <linux/major.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/node.h"
#include "device/open.h"
#include "scsi/opcodes.h"
#include "transport/open.h"
#include "transport/spared.h"

#define JOB_MAX_BYTES (4 * DW_MIB)

int dw_node_open(const struct dw_node_ref *ref, int flags)
{
	struct stat st;
	int fd = dw_disk_open(ref->path, flags), r = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		r = -errno;
	else if (ref->block ? !S_ISBLK(st.st_mode)
			    : !S_ISCHR(st.st_mode) ||
				      major(st.st_rdev) != SCSI_GENERIC_MAJOR)
		r = -ENOTBLK;
	else if (st.st_rdev != ref->dev)
		r = -ENODEV;
	if (r) {
		close(fd);
		return r;
	}
	return fd;
}

/* The node that was named is opened by that name, its sibling by the kernel's. */
static int open_nodes(struct dw_device *d, const struct dw_node_ref *named)
{
	struct dw_node_ref sg = { .path = d->info.sg, .dev = d->info.sg_dev };
	struct dw_node_ref blk = { .path = d->info.block,
				   .block = true,
				   .dev = d->info.block_dev };
	int r = -ENODEV;

	if (sg.dev) {
		if (!named->block && named->dev == sg.dev)
			sg.path = named->path;
		r = d->sg_fd = dw_node_open(&sg, O_RDWR);
		if (r == -EROFS || r == -EACCES || r == -EPERM)
			r = d->sg_fd = dw_node_open(&sg, O_RDONLY);
	}
	if (!dw_lacks_room(r) && blk.dev) {
		if (named->block && named->dev == blk.dev)
			blk.path = named->path;
		d->blk_fd = dw_node_open(&blk, O_RDONLY);
		if (d->sg_fd < 0 && (r >= 0 || d->blk_fd >= 0 || !sg.dev))
			r = d->blk_fd;
	}
	d->sg_fd = d->sg_fd < 0 ? -1 : d->sg_fd;
	d->blk_fd = d->blk_fd < 0 ? -1 : d->blk_fd;
	return r < 0 ? r : 0;
}

/* What was opened is still what was looked up. */
static int check_nodes(const struct dw_machine *m, const struct dw_device *d, bool block,
		       dev_t dev)
{
	struct dw_disk_info now;
	enum dw_node_kind kind;
	int r = dw_node_find(m, block, dev, &now, &kind);

	if (r)
		return r;
	if (kind != DW_NODE_DISK || !dw_disk_same_node(&now, &d->info) ||
	    now.host != d->info.host || now.channel != d->info.channel ||
	    now.target != d->info.target || now.lun != d->info.lun)
		return -ENODEV;
	return 0;
}

struct dw_node_ref dw_device_holdable(const struct dw_disk_info *i)
{
	return (struct dw_node_ref){ .path = i->map_dev ? i->map : i->block,
				     .block = true,
				     .dev = i->map_dev ? i->map_dev : i->block_dev };
}

/* Opened for reading, so that closing it wakes nobody. Paths of one unit are looked at by several
 * threads, and share a map: one at a time, or each would be held by the other. */
bool dw_node_in_use(const struct dw_node_ref *ref)
{
	static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
	int fd;

	if (!ref->dev)
		return false;
	pthread_mutex_lock(&alone);
	fd = dw_node_open(ref, O_RDONLY | O_EXCL);
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&alone);
	return fd == -EBUSY;
}

bool dw_device_in_use(const struct dw_device *d)
{
	struct dw_node_ref ref = dw_device_holdable(&d->info);

	return !d->claim.by[0] && dw_node_in_use(&ref);
}

/*
 * The folder of a device in sysfs is another one once it was unplugged, and then the device may be
 * another, too. A bridge on USB that drops off the bus comes back by itself, so there it is the
 * port that counts, and what is plugged in there.
 */
static void remember(const struct dw_machine *m, struct dw_device *d)
{
	char dir[PATH_MAX], real[PATH_MAX], name[PATH_MAX + 128];
	const struct dw_disk_info *i = &d->info;
	struct stat st;
	char *host;

	if (!i->scsi || dw_node_scsi_dir(m, i, dir) || !realpath(dir, real) ||
	    stat(real, &st))
		return;
	host = strcmp(i->transport, "usb") ? NULL : strstr(real, "/host");
	if (host)
		*host = '\0';
	snprintf(name, sizeof(name), "%s %llu %s %s %llu", real,
		 host ? 0 : (unsigned long long)st.st_ino, i->vendor, i->model,
		 (unsigned long long)i->lun);
	d->spared = dw_spared_get(name);
}

int dw_device_attach(const struct dw_machine *m, const char *path, struct dw_device **ret)
{
	struct dw_node_ref ref = { .path = path };
	enum dw_node_kind kind;
	struct dw_device *d;
	int r = dw_node_of_path(path, &ref.block, &ref.dev), starved;

	if (r)
		return r;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->sg_fd = d->blk_fd = d->map_fd = -1;
	d->changed.wce = d->caps.cache.wce = DW_UNKNOWN;
	dw_sysfs_starved();
	r = dw_node_resolve(m, ref.block, ref.dev, &d->info, &kind);
	starved = dw_sysfs_starved(); /* what is not there may be */
	if (starved)
		r = starved;
	if (!r && kind != DW_NODE_DISK)
		r = -ENOTBLK;
	if (!r)
		r = open_nodes(d, &ref);
	if (!r)
		r = check_nodes(m, d, ref.block, ref.dev);
	starved = dw_sysfs_starved();
	if (r || starved) {
		dw_device_close(d);
		return starved ? starved : r;
	}
	d->caps.scsi = d->info.scsi;
	remember(m, d);
	*ret = d;
	return 0;
}

int dw_device_peek(const struct dw_disk_info *info, int flags, struct dw_device **ret)
{
	struct dw_node_ref sg = { .path = info->sg, .dev = info->sg_dev };
	struct dw_node_ref blk = { .path = info->block,
				   .block = true,
				   .dev = info->block_dev };
	struct dw_device *d = calloc(1, sizeof(*d));
	int r = -ENODEV;

	if (!d)
		return -ENOMEM;
	d->info = *info;
	d->sg_fd = d->blk_fd = d->map_fd = -1;
	d->changed.wce = d->caps.cache.wce = DW_UNKNOWN;
	d->caps.scsi = info->scsi;
	if (sg.dev)
		r = d->sg_fd = dw_node_open(&sg, flags);
	if (r < 0 && blk.dev)
		r = d->blk_fd = dw_node_open(&blk, O_RDONLY);
	if (r < 0) {
		d->sg_fd = d->blk_fd = -1;
		dw_device_close(d);
		return r;
	}
	remember(&dw_machine_self, d);
	*ret = d;
	return 0;
}

int dw_device_open_operating(const char *path, uint64_t blocks, uint32_t block_size,
			     struct dw_device **ret)
{
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r)
		return r;
	d->sanitize.blocks = blocks;
	d->sanitize.block_size = block_size;
	r = dw_device_probe(&dw_machine_self, d);
	if (r) {
		dw_device_close(d);
		return r;
	}
	dw_device_assume_length(d, JOB_MAX_BYTES);
	*ret = d;
	return 0;
}

int dw_device_open(const char *path, struct dw_device **ret)
{
	return dw_device_open_operating(path, 0, 0, ret);
}

void dw_device_close(struct dw_device *d)
{
	if (!d)
		return;
	if (d->claim.release)
		d->claim.release(d);
	dw_closep(&d->sg_fd);
	dw_closep(&d->blk_fd);
	dw_closep(&d->map_fd);
	dw_spared_put(d->spared);
	free(d->zones);
	free(d);
}

void dw_device_inherit(struct dw_device *d, struct dw_device *from)
{
	d->changed.wce = from->changed.wce;
	d->changed.descriptor = from->changed.descriptor;
	d->changed.reserved = from->changed.reserved;
	d->changed.reservation = from->changed.reservation;
	from->changed.wce = DW_UNKNOWN;
	from->changed.descriptor = false;
	from->changed.reserved = from->changed.registered = false;
}

void dw_device_replace(struct dw_device *d, struct dw_device *by)
{
	dw_device_inherit(by, d);
	dw_closep(&d->sg_fd);
	dw_closep(&d->blk_fd);
	dw_closep(&d->map_fd);
	dw_spared_put(d->spared);
	*d = *by;
	free(by);
}

void dw_device_target(struct dw_device *d, uint32_t depth, uint32_t max_bytes,
		      struct dw_target *ret)
{
	*ret = (struct dw_target){
		.sg_fd = d->sg_fd,
		.blk_fd = d->blk_fd,
		.permits = DW_OPCLASS_READ,
		.block_size = d->caps.block_size,
		.blocks = d->caps.blocks,
		.depth = depth,
		.max_bytes = max_bytes,
		.errors = &d->error.ours,
		.nvme = d->nvme.nsid ? &d->nvme : NULL,
		.spared = d->spared,
		.zones = d->caps.zones,
	};
	if (d->permit.steerable)
		ret->permits |= DW_OPCLASS_CONTROL;
	if (d->claim.held)
		ret->permits |= DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE;
	if (d->claim.held && d->permit.formats)
		ret->permits |= DW_OPCLASS_FORMAT;
	if (d->claim.held) {
		ret->permits |= d->permit.granted;
		ret->raise_last = d->permit.raise_last;
	} else if (d->claim.by[0]) {
		ret->permits |= d->permit.granted & DW_OPCLASS_SECURITY;
	}
}
