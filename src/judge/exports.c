/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel hands on to others by a name that it was given: LIO backstores, and a
 * table of the rest. Few of these hold a claim, so that nothing else tells of them. What a
 * path means is found out by the number of what it leads to; one that leads nowhere by now
 * may have been any disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/util.h"
#include "judge/inuse.h"

#define CONFIGFS_MAGIC 0x62656570

struct exports_scan {
	const struct dw_machine *m;
	struct dw_uses *u;
	const char *plugin;
	int error;
};

/* A line of the backstore's info that names a block device by number. */
static bool parse_major_minor(const char *text, dev_t *ret)
{
	unsigned int major, minor;
	const char *at = strstr(text, "Major: ");

	if (!at || sscanf(at, "Major: %u Minor: %u", &major, &minor) != 2)
		return false;
	*ret = makedev(major, minor);
	return true;
}

/* pscsi names the SCSI device by its address. */
static bool parse_location(const struct dw_machine *m, const char *text, dev_t *ret)
{
	const char *at = strstr(text, "Channel ID: ");
	unsigned int channel, target, host;
	unsigned long long lun;
	char dir[PATH_MAX], name[64], path[PATH_MAX];

	if (!at || sscanf(at, "Channel ID: %u Target ID: %u LUN: %llu Host ID: %u",
			  &channel, &target, &lun, &host) != 4)
		return false;
	if (dw_path(dir, "%s/class/scsi_device/%u:%u:%u:%llu/device/block", m->sys, host,
		    channel, target, lun) ||
	    !dw_sysfs_first(dir, "", name, sizeof(name)) ||
	    dw_path(path, "%s/%s", dir, name))
		return false;
	*ret = dw_sysfs_dev(path);
	return *ret != 0;
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
static int backstore_dev(const struct dw_machine *m, const char *dir, dev_t *ret)
{
	char path[PATH_MAX], file[PATH_MAX];
	dw_autofree char *all = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;
	int r = dw_path(path, "%s/info", dir);

	*ret = 0;
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

static int add_backstore(void *ctx, const char *dir, const char *name)
{
	struct exports_scan *s = ctx;
	char path[PATH_MAX], text[320], verb[64], command[256];
	struct dw_use use = {
		.kind = DW_USE_KERNEL, .block = true, .text = text, .release = command
	};
	int r;

	if (dw_path(path, "%s/%s", dir, name) || !dw_sysfs_has(path, "info"))
		return 0;
	snprintf(verb, sizeof(verb), "targetcli /backstores/%s delete", s->plugin);
	dw_shell_command(verb, name, command, sizeof(command));
	snprintf(text, sizeof(text), "LIO backstore %s/%.100s", s->plugin, name);
	r = backstore_dev(s->m, path, &use.dev);
	if (r)
		dw_uses_unseen(s->u, command, "%s stands on a path that is not there",
			       text);
	return use.dev ? dw_uses_add(s->u, &use) : 0;
}

static int add_plugin(void *ctx, const char *dir, const char *name)
{
	static const struct {
		const char *hba;
		const char *plugin;
	} plugins[] = { { "iblock_", "block" },
			{ "pscsi_", "pscsi" },
			{ "fileio_", "fileio" } };
	struct exports_scan *s = ctx;
	char path[PATH_MAX];
	int r;

	s->plugin = NULL;
	for (size_t i = 0; i < DW_ARRAY_SIZE(plugins); i++)
		if (!strncmp(name, plugins[i].hba, strlen(plugins[i].hba)))
			s->plugin = plugins[i].plugin;
	if (!s->plugin || dw_path(path, "%s/%s", dir, name))
		return 0;
	r = dw_sysfs_each(path, add_backstore, s);
	return r == -ENOMEM ? r : 0;
}

/**
 * struct export - a kind of user that writes down what it was given
 * @what: for people; the part of the path that the stars stand for follows
 * @path: below sys: a file that has a path, or the folder of a block device
 * @enable: a file beside it that is 1 while it is in use; NULL = always
 * @verb, @file: the command that ends it; @file is beside @path, NULL = the node @path is of
 * @top: the entry below @path's parent is a block device itself
 */
struct export
{
	const char *what;
	const char *path;
	const char *enable;
	const char *verb;
	const char *file;
	bool top;
};

static const struct export exports[] = {
	{ "NVMe target", "kernel/config/nvmet/subsystems/*/namespaces/*/device_path",
	  "enable", "echo 0 >", "enable", false },
	{ "USB gadget", "kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file",
	  NULL, "echo >", "file", false },
	{ "SCST device", "kernel/scst_tgt/devices/*/filename", NULL, NULL, NULL, false },
	{ "RNBD server", "class/rnbd-server/ctl/devices/*/block_dev", NULL, NULL, NULL,
	  false },
	{ "compressed disk", "block/zram*/backing_dev", NULL, "zramctl --reset", NULL,
	  true },
};

/* What the row's stars stand for, up to the file: "g1/functions/mass_storage.0/lun.0". */
static void name_of(const struct exports_scan *s, const struct export *e,
		    const char *path, char *ret, size_t len)
{
	const char *at = path + strlen(s->m->sys) + 1;

	for (const char *p = e->path; *p != '*'; p++)
		if (*p == '/')
			at = strchr(at, '/') + 1;
	snprintf(ret, len, "%.*s", (int)(dw_path_base(path) - 1 - at), at);
}

static void release_of(const struct export *e, const char *dir, const char *name,
		       char *ret, size_t len)
{
	char arg[PATH_MAX];

	ret[0] = '\0';
	if (!e->verb)
		return;
	if (e->file ? dw_path(arg, "%s/%s", dir, e->file) : dw_path(arg, "/dev/%s", name))
		return;
	dw_shell_command(e->verb, arg, ret, len);
}

static void add_export(struct exports_scan *s, const struct export *e, const char *path)
{
	char dir[PATH_MAX], name[128], file[PATH_MAX], text[192], command[1024];
	struct dw_use use = {
		.kind = DW_USE_KERNEL, .block = true, .text = text, .release = command
	};
	uint64_t on = 1;

	snprintf(dir, sizeof(dir), "%s", path);
	dw_path_parent(dir);
	if (e->enable && dw_sysfs_u64(dir, e->enable, &on) && !on)
		return;
	name_of(s, e, path, name, sizeof(name));
	snprintf(text, sizeof(text), "%s %s", e->what, name);
	release_of(e, dir, name, command, sizeof(command));
	use.top = e->top ? dw_sysfs_dev(dir) : 0;
	use.dev = dw_sysfs_dev(path);
	if (!use.dev && (dw_sysfs_text(dir, dw_path_base(path), file, sizeof(file)) ||
			 !file[0] || !strcmp(file, "none")))
		return;
	if (!use.dev && dw_use_backing(s->m, file, &use.dev))
		dw_uses_unseen(s->u, command, "%s stands on a path that is not there",
			       text);
	if (use.dev)
		s->error = dw_uses_add(s->u, &use);
}

static void scan_table(struct exports_scan *s)
{
	char pattern[PATH_MAX];
	glob_t found;

	for (size_t i = 0; i < DW_ARRAY_SIZE(exports) && !s->error; i++) {
		if (dw_path(pattern, "%s/%s", s->m->sys, exports[i].path))
			continue;
		if (glob(pattern, GLOB_NOSORT, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc && !s->error; k++)
			add_export(s, &exports[i], found.gl_pathv[k]);
		globfree(&found);
	}
}

/* Its modules are there, but not the tree in which they would tell. */
static void check_configfs(struct exports_scan *s)
{
	static const char *const modules[] = { "target_core_file", "nvmet",
					       "usb_f_mass_storage" };
	char path[PATH_MAX];
	struct statfs fs;

	if (!s->m->live || (!dw_path(path, "%s/kernel/config", s->m->sys) &&
			    !statfs(path, &fs) && fs.f_type == CONFIGFS_MAGIC))
		return;
	for (size_t i = 0; i < DW_ARRAY_SIZE(modules); i++)
		if (!dw_path(path, "%s/module/%s", s->m->sys, modules[i]) &&
		    dw_sysfs_has(path, ""))
			dw_uses_unseen(
				s->u, "mount -t configfs configfs /sys/kernel/config",
				"the kernel may hand disks on by %s, and configfs, "
				"which would tell, is not mounted",
				modules[i]);
}

int dw_uses_exports(const struct dw_machine *m, struct dw_uses *ret)
{
	struct exports_scan s = { .m = m, .u = ret };
	char dir[PATH_MAX];
	int r = dw_path(dir, "%s/kernel/config/target/core", m->sys);

	if (!r)
		r = dw_sysfs_each(dir, add_plugin, &s);
	if (r == -ENOMEM)
		return r;
	if (r && r != -ENOENT)
		dw_uses_unseen(ret, "", "%s cannot be read (%s)", dir, strerror(-r));
	check_configfs(&s);
	scan_table(&s);
	return s.error;
}
