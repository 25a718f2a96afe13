/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A disk is found by walking from its device number: the folder of a SCSI device has
 * subfolders scsi_generic, block and bsg with its nodes, its own name is H:C:T:L, and
 * its ancestors tell what it hangs on. A block device without such a folder is a disk of
 * its own when hardware stands behind it.
 */
#include "device/node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "device/lun.h"

#define TYPE_UNKNOWN 0x1f

int dw_node_of_path(const char *path, bool *ret_block, dev_t *ret_dev)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode) && !S_ISCHR(st.st_mode))
		return -ENOTBLK;
	*ret_block = S_ISBLK(st.st_mode);
	*ret_dev = st.st_rdev;
	return 0;
}

bool dw_node_address(const char *name, struct dw_disk_info *info)
{
	unsigned int host, channel, target;
	unsigned long long lun;
	int end = 0;

	if (sscanf(name, "%u:%u:%u:%llu%n", &host, &channel, &target, &lun, &end) != 4 ||
	    name[end])
		return false;
	info->host = host;
	info->channel = channel;
	info->target = target;
	info->lun = lun;
	return true;
}

/* The only entry of a subfolder: name and number of one of the device's nodes. */
static dev_t child_node(const char *scsi_dir, const char *sub, const char *node_dir,
			char *ret, size_t len)
{
	char dir[PATH_MAX], name[64], path[PATH_MAX];

	ret[0] = '\0';
	if (dw_path(dir, "%s/%s", scsi_dir, sub) ||
	    !dw_sysfs_first(dir, "", name, sizeof(name)) ||
	    dw_path(path, "%s/%s", dir, name))
		return 0;
	if ((size_t)snprintf(ret, len, "%s%s", node_dir, name) >= len)
		ret[0] = '\0';
	for (char *p = ret + strlen(node_dir); ret[0] && *p; p++)
		if (*p == '!')
			*p = '/';
	return dw_sysfs_dev(path);
}

static void read_slot(const struct dw_machine *m, const char *scsi_dir,
		      struct dw_disk_info *info)
{
	char entry[48], link[PATH_MAX], real[PATH_MAX], id[40];

	if (!dw_sysfs_first(scsi_dir, "enclosure_device:", entry, sizeof(entry)) ||
	    dw_path(link, "%s/%s", scsi_dir, entry) || !realpath(link, real))
		return;
	dw_path_parent(real);
	if (dw_sysfs_text(real, "id", id, sizeof(id)) || !id[0])
		snprintf(id, sizeof(id), "%.39s", dw_path_base(real));
	if (snprintf(info->slot, sizeof(info->slot), "%s:%s", id,
		     strchr(entry, ':') + 1) >= (int)sizeof(info->slot))
		info->slot[0] = '\0';
	dw_text_printable(info->slot);
}

/* The name that the driver gave itself, else the one it is bound by. */
static void read_host_driver(const struct dw_machine *m, const char *scsi_dir,
			     struct dw_disk_info *info)
{
	char dir[PATH_MAX], real[PATH_MAX];

	if (!dw_path(dir, "%s/class/scsi_host/host%u", m->sys, info->host) &&
	    !dw_sysfs_text(dir, "proc_name", info->host_driver,
			   sizeof(info->host_driver)) &&
	    info->host_driver[0] && !strpbrk(info->host_driver, "<("))
		return;
	info->host_driver[0] = '\0';
	snprintf(dir, sizeof(dir), "%s", scsi_dir);
	while (dir[0] && strncmp(dw_path_base(dir), "host", 4))
		dw_path_parent(dir);
	dw_path_parent(dir);
	if (!dir[0] || dw_path(real, "%s/driver", dir) || !realpath(real, dir))
		return;
	snprintf(info->host_driver, sizeof(info->host_driver), "%.23s",
		 dw_path_base(dir));
}

static void read_logical(const char *scsi_dir, struct dw_disk_info *info)
{
	char level[32], sas[32];
	struct dw_logical_hints hints = {
		.driver = info->host_driver,
		.channel = info->channel,
		.vendor = info->vendor,
		.model = info->model,
	};

	if (!dw_sysfs_text(scsi_dir, "raid_level", level, sizeof(level)) && level[0])
		hints.raid_level = level;
	hints.sas_address =
		strstr(scsi_dir, "/end_device-") ||
		(!dw_sysfs_text(scsi_dir, "sas_address", sas, sizeof(sas)) && sas[0]);
	hints.of_array = dw_lun_of_array(scsi_dir);
	info->logical_volume = dw_node_logical(&hints);
}

static uint8_t parse_zoned(const char *queue_dir)
{
	char text[32];

	if (dw_sysfs_text(queue_dir, "zoned", text, sizeof(text)))
		return 0;
	if (!strcmp(text, "host-managed"))
		return 3;
	return !strcmp(text, "host-aware") ? 1 : 0;
}

static void read_block(const char *block_dir, struct dw_disk_info *info)
{
	char queue[PATH_MAX];
	uint64_t value;

	info->removable = dw_sysfs_u64(block_dir, "removable", &value) && value;
	if (dw_path(queue, "%s/queue", block_dir))
		return;
	if (dw_sysfs_u64(queue, "logical_block_size", &value))
		info->block_size = (uint32_t)value;
	if (dw_sysfs_u64(queue, "physical_block_size", &value))
		info->physical_block_size = (uint32_t)value;
	if (info->block_size && dw_sysfs_u64(block_dir, "size", &value))
		info->blocks = value * 512 / info->block_size;
	info->zoned = parse_zoned(queue);
	/* "rotational" of a virtual disk is a default and tells nothing; 0 does. */
	if (dw_sysfs_u64(queue, "rotational", &value) && !value)
		info->rotation = 1;
}

static void read_scsi_nodes(const char *dir, struct dw_disk_info *info)
{
	info->scsi = true;
	info->sg_dev =
		child_node(dir, "scsi_generic", "/dev/", info->sg, sizeof(info->sg));
	info->block_dev =
		child_node(dir, "block", "/dev/", info->block, sizeof(info->block));
}

static void read_scsi(const struct dw_machine *m, const char *dir,
		      struct dw_disk_info *info)
{
	uint64_t type = TYPE_UNKNOWN;
	char block[PATH_MAX];

	child_node(dir, "bsg", "/dev/bsg/", info->bsg, sizeof(info->bsg));
	dw_sysfs_text(dir, "vendor", info->vendor, sizeof(info->vendor));
	dw_sysfs_text(dir, "model", info->model, sizeof(info->model));
	dw_sysfs_text(dir, "rev", info->revision, sizeof(info->revision));
	dw_sysfs_u64(dir, "type", &type);
	info->peripheral_type = (uint8_t)type;
	snprintf(info->transport, sizeof(info->transport), "%s",
		 dw_node_transport(m, dir));
	read_host_driver(m, dir, info);
	read_slot(m, dir, info);
	dw_node_phy(m, dir, info->phy, sizeof(info->phy));
	read_logical(dir, info);
	if (!dw_node_block_dir(m, info, block))
		read_block(block, info);
	dw_node_read_map(m, info);
}

/* An NVMe namespace has up to three more names, of which wwid is one. */
static void read_aliases(const char *dir, struct dw_disk_info *info)
{
	static const char *const attrs[] = { "eui", "nguid", "uuid" };
	size_t used = 0;
	char text[64];

	for (size_t i = 0; i < DW_ARRAY_SIZE(attrs); i++)
		if (!dw_sysfs_text(dir, attrs[i], text, sizeof(text)) && text[0])
			used += (size_t)snprintf(info->aliases + used,
						 sizeof(info->aliases) - used, "%s\n",
						 text);
}

/* Names of a disk that is not SCSI: NVMe and MMC have them beside the device. */
static void read_plain(const struct dw_machine *m, const char *dir,
		       struct dw_disk_info *info)
{
	char device[PATH_MAX], wwn[DW_WWN_MAX];

	snprintf(info->transport, sizeof(info->transport), "%s",
		 dw_node_transport(m, dir));
	read_block(dir, info);
	if (!dw_sysfs_text(dir, "wwid", wwn, sizeof(wwn)))
		snprintf(info->wwn, sizeof(info->wwn), "%s", wwn);
	if (dw_sysfs_text(dir, "serial", info->serial, sizeof(info->serial)))
		info->serial[0] = '\0';
	read_aliases(dir, info);
	if (dw_path(device, "%s/device", dir))
		return;
	if (!info->serial[0])
		dw_sysfs_text(device, "serial", info->serial, sizeof(info->serial));
	if (dw_sysfs_text(device, "model", info->model, sizeof(info->model)))
		dw_sysfs_text(device, "name", info->model, sizeof(info->model));
	if (!dw_sysfs_text(device, "cid", wwn, sizeof(wwn)))
		snprintf(info->wwn, sizeof(info->wwn), "%s", wwn);
}

/* A disk that a bcache device stands on has the attribute "bcache", too. */
static bool is_stacked(const char *block_dir)
{
	return dw_sysfs_has(block_dir, "dm") || dw_sysfs_has(block_dir, "md") ||
	       !strncmp(dw_path_base(block_dir), "bcache", 6);
}

/* @dir, of a block device, becomes that of the SCSI device which it belongs to. */
static int find_block(char *dir, struct dw_disk_info *ret, enum dw_node_kind *ret_kind)
{
	char device[PATH_MAX], real[PATH_MAX];

	*ret_kind = DW_NODE_DISK;
	if (dw_sysfs_has(dir, "partition")) {
		dw_path_parent(dir);
		*ret_kind = DW_NODE_PARTITION;
	}
	if (is_stacked(dir))
		*ret_kind = DW_NODE_STACKED;
	if (!dw_path(device, "%s/device", dir) && realpath(device, real) &&
	    dw_node_address(dw_path_base(real), ret)) {
		strcpy(dir, real);
		read_scsi_nodes(dir, ret);
		return 0;
	}
	ret->block_dev = dw_sysfs_dev(dir);
	snprintf(ret->block, sizeof(ret->block), "/dev/%.58s", dw_path_base(dir));
	for (char *p = ret->block; (p = strchr(p, '!'));)
		*p = '/';
	return 0;
}

/** struct namespace_search - the namespaces that a controller reaches; @name: of its block node */
struct namespace_search {
	char name[32];
	unsigned int n;
};

/* A controller has a folder for each: nvme0n1, or nvme0c1n1 with the kernel's multipath, which is
 * hidden behind nvme0n1; the first number is its subsystem's then. */
static int add_namespace(void *ctx, const char *dir, const char *name)
{
	struct namespace_search *s = ctx;
	const char *digits = "0123456789", *at = name + 4, *rest;
	size_t n;

	(void)dir;
	if (strncmp(name, "nvme", 4) != 0 || !(n = strspn(at, digits)) || n > 9)
		return 0;
	rest = at + n;
	if (*rest == 'c')
		rest += 1 + strspn(rest + 1, digits);
	if (*rest != 'n' || !rest[1] || rest[1 + strspn(rest + 1, digits)])
		return 0;
	snprintf(s->name, sizeof(s->name), "nvme%.*s%.12s", (int)n, at, rest);
	s->n++;
	return 0;
}

/*
 * An NVMe disk has up to three nodes: that of its controller, and a generic and a block node for
 * each namespace. The first names a disk if it reaches one namespace itself: another controller of
 * its subsystem may reach others. False: it is none of them.
 */
static bool find_namespace(const struct dw_machine *m, const char *dir, char *ret)
{
	struct namespace_search s = { .n = 0 };
	const char *name = dw_path_base(dir);
	bool generic = !strncmp(name, "ng", 2);
	const char *rest = name + (generic ? 2 : 4);
	size_t digits = strspn(rest, "0123456789");

	if ((!generic && strncmp(name, "nvme", 4) != 0) || !digits || digits > 9)
		return false;
	if (generic) {
		if (rest[digits] != 'n' ||
		    dw_path(ret, "%s/class/block/nvme%s", m->sys, rest))
			return false;
		return !access(ret, F_OK);
	}
	if (rest[digits])
		return false;
	dw_sysfs_each(dir, add_namespace, &s);
	return s.n == 1 && !dw_path(ret, "%s/class/block/%s", m->sys, s.name) &&
	       !access(ret, F_OK);
}

/* @ret_dir: the folder of the SCSI device, else of the block device */
static int find(const struct dw_machine *m, bool block, dev_t dev, char ret_dir[PATH_MAX],
		struct dw_disk_info *ret, enum dw_node_kind *ret_kind)
{
	char plain[PATH_MAX], class[32];
	int r;

	*ret = (struct dw_disk_info){ .wce = -1 };
	r = dw_sysfs_real(m, block, dev, ret_dir);
	if (r)
		return r;
	if (block)
		return find_block(ret_dir, ret, ret_kind);

	*ret_kind = DW_NODE_OTHER;
	if (find_namespace(m, ret_dir, plain) &&
	    !dw_sysfs_real(m, true, dw_sysfs_dev(plain), ret_dir))
		return find_block(ret_dir, ret, ret_kind);
	dw_path_parent(ret_dir);
	snprintf(class, sizeof(class), "%.31s", dw_path_base(ret_dir));
	dw_path_parent(ret_dir);
	if ((strcmp(class, "scsi_generic") && strcmp(class, "bsg")) ||
	    !dw_node_address(dw_path_base(ret_dir), ret))
		return 0;
	*ret_kind = DW_NODE_DISK;
	read_scsi_nodes(ret_dir, ret);
	return 0;
}

int dw_node_find(const struct dw_machine *m, bool block, dev_t dev,
		 struct dw_disk_info *ret, enum dw_node_kind *ret_kind)
{
	char dir[PATH_MAX];

	return find(m, block, dev, dir, ret, ret_kind);
}

int dw_node_resolve(const struct dw_machine *m, bool block, dev_t dev,
		    struct dw_disk_info *ret, enum dw_node_kind *ret_kind)
{
	char dir[PATH_MAX];
	int r = find(m, block, dev, dir, ret, ret_kind);

	if (r)
		return r;
	if (ret->scsi)
		read_scsi(m, dir, ret);
	else if (*ret_kind != DW_NODE_OTHER)
		read_plain(m, dir, ret);
	return 0;
}

int dw_node_scsi_dir(const struct dw_machine *m, const struct dw_disk_info *info,
		     char *ret)
{
	if (!info->scsi)
		return -ENODEV;
	return dw_path(ret, "%s/class/scsi_device/%u:%u:%u:%llu/device", m->sys,
		       info->host, info->channel, info->target,
		       (unsigned long long)info->lun);
}

bool dw_node_listed(const struct dw_machine *m, const struct dw_disk_info *info)
{
	bool block = !info->sg_dev;
	char real[PATH_MAX], address[80];

	if (dw_sysfs_real(m, block, block ? info->block_dev : info->sg_dev, real) ||
	    access(real, F_OK))
		return false;
	snprintf(address, sizeof(address), "/%u:%u:%u:%llu/", info->host, info->channel,
		 info->target, (unsigned long long)info->lun);
	return !info->scsi || strstr(real, address);
}

int dw_node_block_dir(const struct dw_machine *m, const struct dw_disk_info *info,
		      char *ret)
{
	if (!info->block_dev)
		return -ENODEV;
	return dw_path(ret, "%s/dev/block/%u:%u", m->sys, major(info->block_dev),
		       minor(info->block_dev));
}
