/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of disks: first the SCSI devices that hold blocks, each once however many
 * nodes it has, then the block devices that have hardware behind them and are no SCSI
 * disks.
 */
#include "device/node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/lun.h"
#include "scsi/inquiry.h"

/** struct node_list - nodes that were found; @enclosures: of those, instead of disks */
struct node_list {
	const struct dw_machine *m;
	bool enclosures;
	struct dw_disk_info *v;
	size_t n;
};

static int append_info(struct node_list *l, const struct dw_disk_info *info)
{
	struct dw_disk_info *v = reallocarray(l->v, l->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	l->v = v;
	l->v[l->n++] = *info;
	return 0;
}

static bool holds_blocks(uint64_t peripheral_type)
{
	return peripheral_type == DW_TYPE_DISK || peripheral_type == DW_TYPE_OPTICAL ||
	       peripheral_type == DW_TYPE_SIMPLIFIED || peripheral_type == DW_TYPE_ZONED;
}

/* The number of any node of a SCSI device: its sg node, else its block device. */
static dev_t any_node(const char *scsi_dir, bool *ret_block)
{
	static const char *const subs[] = { "scsi_generic", "block" };
	char sub[PATH_MAX], name[64], path[PATH_MAX];
	dev_t dev;

	for (size_t i = 0; i < DW_ARRAY_SIZE(subs); i++) {
		*ret_block = i == 1;
		if (!dw_path(sub, "%s/%s", scsi_dir, subs[i]) &&
		    dw_sysfs_first(sub, "", name, sizeof(name)) &&
		    !dw_path(path, "%s/%s", sub, name) && (dev = dw_sysfs_dev(path)))
			return dev;
	}
	return 0;
}

static bool is_wanted(const struct node_list *l, uint64_t peripheral_type)
{
	return l->enclosures ? peripheral_type == DW_TYPE_ENCLOSURE
			     : holds_blocks(peripheral_type);
}

/* What goes away while we look is left out. */
static int add_found(struct node_list *l, bool block, dev_t dev, bool want_scsi)
{
	struct dw_disk_info info;
	enum dw_node_kind kind;
	int r = dw_node_resolve(l->m, block, dev, &info, &kind);

	if (r == -ENOMEM)
		return r;
	if (r || kind != DW_NODE_DISK || info.scsi != want_scsi)
		return 0;
	if (info.scsi && !is_wanted(l, info.peripheral_type))
		return 0;
	dw_udev_names(&info);
	return append_info(l, &info);
}

/* Of what is not wanted, which may be all the disks of a hall, nothing but the type is read. */
static int add_scsi(void *ctx, const char *dir, const char *name)
{
	struct node_list *l = ctx;
	char path[PATH_MAX];
	uint64_t type;
	bool block;
	dev_t dev;

	if (dw_path(path, "%s/%s/device", dir, name) ||
	    !dw_sysfs_u64(path, "type", &type) || !is_wanted(l, type) ||
	    dw_lun_phantom(path))
		return 0;
	dev = any_node(path, &block);
	return dev ? add_found(l, block, dev, true) : 0;
}

static bool is_secondary(const char *name)
{
	const char *boot = strstr(name, "boot");

	return (!strncmp(name, "mmcblk", 6) && boot) || strstr(name, "rpmb");
}

static int add_plain(void *ctx, const char *dir, const char *name)
{
	struct node_list *l = ctx;
	char path[PATH_MAX];
	uint64_t hidden = 0;
	dev_t dev;

	if (dw_path(path, "%s/%s", dir, name) || !dw_sysfs_has(path, "device") ||
	    dw_sysfs_has(path, "partition") || is_secondary(name))
		return 0;
	dev = dw_sysfs_dev(path);
	if (!dev || (dw_sysfs_u64(path, "hidden", &hidden) && hidden))
		return 0;
	return add_found(l, true, dev, false);
}

static int by_address(const void *x, const void *y)
{
	const struct dw_disk_info *a = x, *b = y;
	int r;

	if (a->scsi != b->scsi)
		return a->scsi ? -1 : 1;
	if (!a->scsi)
		return strverscmp(a->block, b->block);
	r = dw_compare_u64(a->host, b->host);
	if (!r)
		r = dw_compare_u64(a->channel, b->channel);
	if (!r)
		r = dw_compare_u64(a->target, b->target);
	return r ? r : dw_compare_u64(a->lun, b->lun);
}

/* A list from which something is missing is none. */
static int end_list(struct node_list *l, int r, struct dw_disk_info **ret, size_t *ret_n)
{
	int lacks = dw_sysfs_starved();

	if (lacks || (r && r != -ENOENT)) {
		free(l->v);
		return lacks ? lacks : r;
	}
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_address);
	*ret = l->v;
	*ret_n = l->n;
	return 0;
}

int dw_nodes_list(const struct dw_machine *m, struct dw_disk_info **ret, size_t *ret_n)
{
	struct node_list l = { .m = m };
	char dir[PATH_MAX];
	int r = dw_path(dir, "%s/class/scsi_device", m->sys);

	dw_sysfs_starved();
	if (!r)
		r = dw_sysfs_each(dir, add_scsi, &l);
	if (!r || r == -ENOENT)
		r = dw_path(dir, "%s/class/block", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_plain, &l);
	return end_list(&l, r, ret, ret_n);
}

int dw_nodes_enclosures(const struct dw_machine *m, struct dw_disk_info **ret,
			size_t *ret_n)
{
	struct node_list l = { .m = m, .enclosures = true };
	char dir[PATH_MAX];
	int r = dw_path(dir, "%s/class/scsi_device", m->sys);

	dw_sysfs_starved();
	if (!r)
		r = dw_sysfs_each(dir, add_scsi, &l);
	return end_list(&l, r, ret, ret_n);
}
