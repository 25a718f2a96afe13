/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Device-mapper's multipath maps. A map made without multipathd has an empty uuid, so the
 * kernel is asked what its table is; libdevmapper is not needed for one ioctl.
 */
#include <errno.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/node.h"

/* The kernel's encoding of a device number (new_encode_dev). */
static uint64_t encode(dev_t dev)
{
	return (minor(dev) & 0xff) | (uint64_t)major(dev) << 8 |
	       (uint64_t)(minor(dev) & ~0xffu) << 12;
}

/* The types of a map's targets: 1 a single one called multipath, 0 others, -errno. */
static int ask_table(dev_t dev)
{
	union {
		struct dm_ioctl head;
		uint64_t room[512];
	} table = { .head = { .version = { DM_VERSION_MAJOR, 0, 0 },
			      .data_size = sizeof(table),
			      .data_start = sizeof(struct dm_ioctl),
			      .flags = DM_STATUS_TABLE_FLAG,
			      .dev = encode(dev) } };
	const struct dm_target_spec *spec;
	dw_autoclose int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, DM_TABLE_STATUS, &table))
		return -errno;
	if (table.head.target_count != 1 ||
	    table.head.data_start + sizeof(*spec) > sizeof(table))
		return 0;
	spec = (const void *)((const char *)&table + table.head.data_start);
	return !strncmp(spec->target_type, "multipath", sizeof(spec->target_type));
}

/*
 * Is that folder of a block device a dm-multipath map?
 *
 * The kernel is asked for the table, which must be one target of type multipath; where that
 * cannot be (another machine's tree, no control node), the uuid that multipathd gives.
 */
static bool is_multipath(const struct dw_machine *m, const char *block_dir)
{
	char uuid[140];
	int r = -ENOTTY;

	if (!dw_sysfs_has(block_dir, "dm"))
		return false;
	if (m == &dw_machine_self)
		r = ask_table(dw_sysfs_dev(block_dir));
	if (r >= 0)
		return r;
	return !dw_sysfs_text(block_dir, "dm/uuid", uuid, sizeof(uuid)) &&
	       !strncmp(uuid, "mpath-", 6);
}

static int count_entry(void *ctx, const char *dir, const char *name)
{
	++*(unsigned int *)ctx;
	return 0;
}

void dw_node_read_map(const struct dw_machine *m, struct dw_disk_info *info)
{
	char dir[PATH_MAX], holders[PATH_MAX], name[64], link[PATH_MAX], real[PATH_MAX];
	unsigned int n = 0;

	info->map[0] = '\0';
	info->map_dev = 0;
	if (dw_node_block_dir(m, info, dir) || dw_path(holders, "%s/holders", dir) ||
	    dw_sysfs_each(holders, count_entry, &n) || n != 1 ||
	    !dw_sysfs_first(holders, "", name, sizeof(name)) ||
	    dw_path(link, "%s/%s", holders, name) || !realpath(link, real) ||
	    !is_multipath(m, real))
		return;
	snprintf(info->map, sizeof(info->map), "/dev/%.58s", name);
	info->map_dev = dw_sysfs_dev(real);
}

int dw_node_map_path(const struct dw_machine *m, dev_t dev, char *ret, size_t len)
{
	char real[PATH_MAX], slaves[PATH_MAX], name[64];
	int r = dw_sysfs_real(m, true, dev, real);

	if (r)
		return r;
	if (!is_multipath(m, real))
		return -ENOTBLK;
	r = dw_path(slaves, "%s/slaves", real);
	if (r || !dw_sysfs_first(slaves, "", name, sizeof(name)))
		return r ? r : -ENODEV;
	snprintf(ret, len, "/dev/%s", name);
	return 0;
}
