/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Users inside the kernel that hold no claim, so that neither holders nor O_EXCL tell of them: one
 * table, a row for each kind that shows which disk it uses. A row is found by what the kernel was
 * given, a path or a name, and compared by number; a path that leads nowhere by now may have been
 * any disk's.
 *
 * The table is derived from Linux 6.1.176: all callers there of blkdev_get_by_dev() and
 * blkdev_get_by_path() without FMODE_EXCL, of filp_open() and fget() on what may be a block device
 * and is kept, and of nvme_ctrl_from_file(). Without a row are:
 *   - loop and swap		src/judge/uses.c
 *   - fs/nfs/blocklayout	does not say which disk: src/judge/pnfs.c
 *   - ksmbd			device nodes in a share: shown nowhere, see SECURITY.md
 *   - pktcdvd, pstore/blk	claim the disk as soon as they use it
 *   - partition scans, bcache, hibernation	hold a disk for a moment, or nothing runs meanwhile
 * SCST is not in that kernel; the row of zram, which claims, gives its disk a name.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/util.h"
#include "file/file.h"
#include "device/reach.h"
#include "judge/inuse.h"

#define CONFIGFS_MAGIC 0x62656570
#define CONFIGFS       "kernel/config/"

/* How the file of a row names the disk. */
enum naming {
	BY_PATH,   /* a path; empty, "none" or "(null)": no disk */
	BY_NAME,   /* the kernel's name of a block device: "sda1" */
	BY_NUMBER, /* major and minor, hexadecimal */
	BY_FOLDER, /* it is no file but the folder of a block device */
	BY_INFO,   /* what LIO says of a backstore, in words */
};

/**
 * struct kernel_user - a kind of user in the kernel
 * @what: its name for people; what the stars of @path stand for follows
 * @path: below sys
 * @skip: so many stars of @path are not part of the name
 * @naming: enum naming
 * @enable: a file beside @path that is 1 while it is in use; NULL = always
 * @verb: the command that ends it, NULL = none
 * @arg: the last word of the command: if it begins with a dot, relative to the folder of @path;
 *	else before the folder's name; NULL = none
 * @module: below configfs: there can be one only if this module is loaded
 * @top: the folder of @path is that of a block device that is built on the disk
 */
struct kernel_user {
	const char *what;
	const char *path;
	unsigned int skip;
	enum naming naming;
	const char *enable;
	const char *verb;
	const char *arg;
	const char *module;
	bool top;
};

static const struct kernel_user kernel_users[] = {
	/* drivers/target/target_core_iblock.c, _pscsi.c (these claim), _file.c (does not) */
	{ .what = "LIO backstore block/",
	  .path = CONFIGFS "target/core/iblock_*/*/info",
	  .skip = 1,
	  .naming = BY_INFO,
	  .verb = "targetcli /backstores/block delete",
	  .arg = "",
	  .module = "target_core_iblock" },
	{ .what = "LIO backstore pscsi/",
	  .path = CONFIGFS "target/core/pscsi_*/*/info",
	  .skip = 1,
	  .naming = BY_INFO,
	  .verb = "targetcli /backstores/pscsi delete",
	  .arg = "",
	  .module = "target_core_pscsi" },
	{ .what = "LIO backstore fileio/",
	  .path = CONFIGFS "target/core/fileio_*/*/info",
	  .skip = 1,
	  .naming = BY_INFO,
	  .verb = "targetcli /backstores/fileio delete",
	  .arg = "",
	  .module = "target_core_file" },
	/* drivers/nvme/target/io-cmd-bdev.c, io-cmd-file.c */
	{ .what = "NVMe target ",
	  .path = CONFIGFS "nvmet/subsystems/*/namespaces/*/device_path",
	  .enable = "enable",
	  .verb = "echo 0 >",
	  .arg = "./enable",
	  .module = "nvmet" },
	/* drivers/nvme/target/passthru.c: a controller, and all that it reaches */
	{ .what = "NVMe target ",
	  .path = CONFIGFS "nvmet/subsystems/*/passthru/device_path",
	  .enable = "enable",
	  .verb = "echo 0 >",
	  .arg = "./enable",
	  .module = "nvmet" },
	/* drivers/usb/gadget/function/storage_common.c: gadgets of configfs, and g_mass_storage,
	 * g_multi and g_acm_ms */
	{ .what = "USB gadget ",
	  .path = CONFIGFS "usb_gadget/*/functions/mass_storage.*/lun.*/file",
	  .verb = "echo >",
	  .arg = "./file",
	  .module = "usb_f_mass_storage" },
	{ .what = "USB gadget ",
	  .path = "class/udc/*/device/gadget*/lun*/file",
	  .verb = "echo >",
	  .arg = "./file" },
	/* fs/ocfs2/cluster/heartbeat.c: writes each 2 s */
	{ .what = "OCFS2 heartbeat ",
	  .path = CONFIGFS "cluster/*/heartbeat/*/dev",
	  .naming = BY_NAME,
	  .verb = "rmdir",
	  .arg = ".",
	  .module = "ocfs2_nodemanager" },
	/* drivers/block/xen-blkback/xenbus.c; the name is vbd-DOMAIN-DEVICE */
	{ .what = "disk of a Xen domain, to be detached there: ",
	  .path = "bus/xen-backend/devices/vbd-*/physical_device",
	  .naming = BY_NUMBER },
	/* drivers/block/rnbd/rnbd-srv.c */
	{ .what = "RNBD server ",
	  .path = "class/rnbd-server/ctl/devices/*/block_dev",
	  .naming = BY_FOLDER },
	/* drivers/mtd/nand/raw/nandsim.c: keeps its pages in a file */
	{ .what = "NAND simulator",
	  .path = "module/nandsim/parameters/cache_file",
	  .verb = "rmmod nandsim" },
	/* drivers/block/zram/zram_drv.c */
	{ .what = "compressed disk ",
	  .path = "block/zram*/backing_dev",
	  .verb = "zramctl --reset",
	  .arg = "/dev/",
	  .top = true },
	{ .what = "SCST device ", .path = "kernel/scst_tgt/devices/*/filename" },
};

/**
 * struct users_scan - the walk along a row's path
 * @user: the row
 */
struct users_scan {
	const struct dw_machine *m;
	struct dw_uses *u;
	const struct kernel_user *user;
};

static int take_node(void *ctx, const struct dw_reach *node)
{
	struct dw_seen_node *seen = ctx;

	*seen = (struct dw_seen_node){ .found = true,
				       .block = node->block,
				       .dev = node->dev };
	return 1;
}

static void set_block(struct dw_seen_node *seen, dev_t dev)
{
	*seen = (struct dw_seen_node){ .found = dev != 0, .block = true, .dev = dev };
}

/* A line of the backstore's info that names a block device by number. */
static bool parse_major_minor(const char *text, struct dw_seen_node *ret)
{
	unsigned int major, minor;
	const char *at = strstr(text, "Major: ");

	if (!at || sscanf(at, "Major: %u Minor: %u", &major, &minor) != 2)
		return false;
	set_block(ret, makedev(major, minor));
	return true;
}

/* pscsi names the SCSI device by its address; one without a block node has an sg node. */
static bool parse_location(const struct dw_machine *m, const char *text,
			   struct dw_seen_node *ret)
{
	static const char *const classes[] = { "block", "scsi_generic" };
	const char *at = strstr(text, "Channel ID: ");
	unsigned int channel, target, host;
	unsigned long long lun;
	char dir[PATH_MAX], name[64];

	if (!at || sscanf(at, "Channel ID: %u Target ID: %u LUN: %llu Host ID: %u",
			  &channel, &target, &lun, &host) != 4)
		return false;
	for (size_t i = 0; i < DW_ARRAY_SIZE(classes) && !ret->found; i++)
		if (!dw_path(dir, "%s/class/scsi_device/%u:%u:%u:%llu/device/%s", m->sys,
			     host, channel, target, lun, classes[i]) &&
		    dw_sysfs_first(dir, "", name, sizeof(name)))
			dw_reach_named(m, name, take_node, ret);
	return ret->found;
}

/* The path between "File: " and what fileio writes after it. */
static bool parse_file(const char *text, char *ret, size_t len)
{
	const char *at = strstr(text, "File: "), *end = NULL;

	if (!at)
		return false;
	at += strlen("File: ");
	for (const char *next = at; (next = strstr(next, "  Size: ")); next++)
		end = next;
	snprintf(ret, len, "%.*s", (int)(end ? (size_t)(end - at) : strcspn(at, "\n")),
		 at);
	return true;
}

/* 0, or negative errno: a path that leads nowhere. */
static int backstore_node(const struct dw_machine *m, const char *dir,
			  struct dw_seen_node *ret)
{
	char path[PATH_MAX], file[PATH_MAX];
	dw_autofree char *all = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;
	int r = dw_path(path, "%s/info", dir);

	f = r ? NULL : fopen(path, "re");
	if (!f)
		return r ? r : -errno;
	n = getdelim(&all, &size, '\0', f);
	fclose(f);
	if (n <= 0)
		return 0; /* not set up yet */
	if (parse_major_minor(all, ret) || parse_location(m, all, ret))
		return 0;
	if (parse_file(all, file, sizeof(file)))
		return dw_use_backing(m, file, ret);
	if (dw_sysfs_text(dir, "udev_path", file, sizeof(file)) || file[0] != '/')
		return 0;
	return dw_use_backing(m, file, ret);
}

/* The kernel's name of a disk has a slash where that of its folder has an exclamation mark. */
static int node_of_name(const struct dw_machine *m, char *name, struct dw_seen_node *ret)
{
	for (char *p = name; (p = strchr(p, '/'));)
		*p = '!';
	dw_reach_named(m, name, take_node, ret);
	return ret->found ? 0 : -ENOENT;
}

/* 0, or negative errno: what is named there is not to be found. */
static int node_of(const struct users_scan *s, const char *dir, const char *file,
		   struct dw_seen_node *ret)
{
	char text[PATH_MAX], path[PATH_MAX];
	unsigned int major, minor;

	*ret = (struct dw_seen_node){ 0 };
	if (s->user->naming == BY_INFO)
		return backstore_node(s->m, dir, ret);
	if (s->user->naming == BY_FOLDER) {
		if (!dw_path(path, "%s/%s", dir, file))
			set_block(ret, dw_sysfs_dev(path));
		return ret->found ? 0 : -ENOENT;
	}
	if (dw_sysfs_text(dir, file, text, sizeof(text)) || !text[0] ||
	    !strcmp(text, "none") || !strcmp(text, "(null)"))
		return 0;
	if (s->user->naming == BY_NAME)
		return node_of_name(s->m, text, ret);
	if (s->user->naming == BY_PATH)
		return dw_use_backing(s->m, text, ret);
	if (sscanf(text, "%x:%x", &major, &minor) != 2)
		return -EINVAL;
	if (major)
		set_block(ret, makedev(major, minor));
	return 0;
}

/* What the row's stars stand for, up to the file: "g1/functions/mass_storage.0/lun.0". */
static void name_of(const struct users_scan *s, const char *path, char *ret, size_t len)
{
	const char *at = path + strlen(s->m->sys) + 1;
	unsigned int skip = s->user->skip;

	ret[0] = '\0';
	for (const char *p = s->user->path; *p; p++) {
		if (*p == '*' && !skip--) {
			snprintf(ret, len, "%.*s", (int)(dw_path_base(path) - 1 - at),
				 at);
			return;
		}
		if (*p == '/')
			at = strchr(at, '/') + 1;
	}
}

static void release_of(const struct kernel_user *user, const char *dir, char *ret,
		       size_t len)
{
	char arg[PATH_MAX];
	int r;

	ret[0] = '\0';
	if (!user->verb)
		return;
	if (!user->arg) {
		snprintf(ret, len, "%s", user->verb);
		return;
	}
	r = user->arg[0] == '.' ? dw_path(arg, "%s%s", dir, user->arg + 1)
				: dw_path(arg, "%s%s", user->arg, dw_path_base(dir));
	if (!r)
		dw_shell_command(user->verb, arg, ret, len);
}

static int add_user(const struct users_scan *s, const char *path)
{
	const struct kernel_user *user = s->user;
	char dir[PATH_MAX], name[128], text[320], command[1024];
	struct dw_use use = { .kind = DW_USE_KERNEL, .text = text, .release = command };
	struct dw_seen_node node;
	uint64_t on = 1;
	int r;

	snprintf(dir, sizeof(dir), "%s", path);
	dw_path_parent(dir);
	if (user->enable && dw_sysfs_u64(dir, user->enable, &on) && !on)
		return 0;
	name_of(s, path, name, sizeof(name));
	snprintf(text, sizeof(text), "%s%s", user->what, name);
	release_of(user, dir, command, sizeof(command));
	use.top = user->top ? dw_sysfs_dev(dir) : 0;
	r = node_of(s, dir, dw_path_base(path), &node);
	if (r)
		dw_uses_unseen(s->u, command, "%s stands on a path that is not there",
			       text);
	use.block = node.block;
	use.dev = node.dev;
	return node.found ? dw_uses_add(s->u, &use) : 0;
}

struct path_step {
	const struct users_scan *s;
	char pattern[64];
	const char *rest;
};

static int walk_path(const struct users_scan *s, const char *dir, const char *pattern);

static int follow_entry(void *ctx, const char *dir, const char *name)
{
	const struct path_step *step = ctx;
	char path[PATH_MAX];

	if (fnmatch(step->pattern, name, 0) || dw_path(path, "%s/%s", dir, name))
		return 0;
	return walk_path(step->s, path, step->rest);
}

/* A file that cannot be read may name any disk. */
static int walk_path(const struct users_scan *s, const char *dir, const char *pattern)
{
	size_t n = strcspn(pattern, "/");
	struct path_step step = { .s = s, .rest = pattern + n + (pattern[n] == '/') };
	char path[PATH_MAX];
	int r;

	if (!n)
		return add_user(s, dir);
	snprintf(step.pattern, sizeof(step.pattern), "%.*s", (int)n, pattern);
	if (!strchr(step.pattern, '*'))
		return dw_sysfs_has(dir, step.pattern) &&
				       !dw_path(path, "%s/%s", dir, step.pattern)
			       ? walk_path(s, path, step.rest)
			       : 0;
	r = dw_sysfs_each(dir, follow_entry, &step);
	if (r && r != -ENOMEM && r != -ENOENT && r != -ENOTDIR)
		dw_uses_unseen(s->u, "", "%s cannot be read (%s)", dir, strerror(-r));
	return r == -ENOMEM ? r : 0;
}

static bool has_configfs(const struct dw_machine *m)
{
	char path[PATH_MAX];
	struct statfs fs;

	return !dw_path(path, "%s/kernel/config", m->sys) && !statfs(path, &fs) &&
	       fs.f_type == CONFIGFS_MAGIC;
}

/* Its module is loaded, but the tree that would show its users is missing. */
static void check_configfs(const struct users_scan *s)
{
	char path[PATH_MAX];

	if (s->user->module && !dw_path(path, "%s/module", s->m->sys) &&
	    dw_sysfs_has(path, s->user->module))
		dw_uses_unseen(s->u, "mount -t configfs configfs /sys/kernel/config",
			       "the kernel may hand disks on by %s, and configfs, which "
			       "would tell, is not mounted",
			       s->user->module);
}

int dw_uses_exports(const struct dw_machine *m, struct dw_uses *ret)
{
	struct users_scan s = { .m = m, .u = ret };
	bool blind = m->live && !has_configfs(m);
	int r = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(kernel_users) && !r; i++) {
		s.user = &kernel_users[i];
		if (blind)
			check_configfs(&s);
		r = walk_path(&s, m->sys, s.user->path);
	}
	return r;
}
