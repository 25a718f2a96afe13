/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The snapshot's container, and what the kernel uses disks for without a trace in
 * holders: swap, LIO backstores, loop devices.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/inuse.h"

int dw_uses_add(struct dw_uses *u, const struct dw_use *use)
{
	struct dw_use *v = reallocarray(u->v, u->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	u->v = v;
	v[u->n] = *use;
	v[u->n].text = strdup(use->text);
	return v[u->n++].text ? 0 : -ENOMEM;
}

void dw_uses_free(struct dw_uses *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->v[i].text);
	free(u->v);
	*u = (struct dw_uses){ 0 };
}

dev_t dw_use_dev_of_path(const struct dw_machine *m, const char *path)
{
	char where[PATH_MAX];
	struct stat st;

	if (!strncmp(path, "/dev/", 5) && !dw_path(where, "%s/%s", m->dev, path + 5) &&
	    !stat(where, &st) && S_ISBLK(st.st_mode))
		return st.st_rdev;
	if (!path[0] || dw_path(where, "%s/class/block/%s", m->sys, dw_path_base(path)))
		return 0;
	return dw_sysfs_dev(where);
}

/* /proc files write blanks and backslashes as three octal digits. */
static void unescape(char *s)
{
	char *to = s;
	unsigned int c;

	for (; *s; s++, to++) {
		*to = *s;
		if (*s == '\\' && sscanf(s + 1, "%3o", &c) == 1) {
			*to = (char)c;
			s += 3;
		}
	}
	*to = '\0';
}

static int scan_swaps(const struct dw_machine *m, struct dw_uses *u)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;
	FILE *f;
	int r = dw_path(path, "%s/swaps", m->proc);

	f = r ? NULL : fopen(path, "re");
	if (!f)
		return r;
	while (!r && getline(&line, &size, f) > 0) {
		struct dw_use use = { .kind = DW_USE_SWAP, .block = true, .text = line };

		if (line[0] != '/')
			continue;
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		use.dev = dw_use_dev_of_path(m, line);
		if (use.dev)
			r = dw_uses_add(u, &use);
	}
	free(line);
	fclose(f);
	return r;
}

struct scan {
	const struct dw_machine *m;
	struct dw_uses *u;
	const char *plugin;
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

static dev_t backstore_dev(const struct dw_machine *m, const char *dir)
{
	char path[PATH_MAX], text[1024], udev_path[256], *line, *save;
	dw_autofree char *all = NULL;
	size_t n, size = 0;
	dev_t dev = 0;
	FILE *f;

	if (!dw_path(path, "%s/info", dir) && (f = fopen(path, "re"))) {
		n = getdelim(&all, &size, '\0', f) > 0 ? strlen(all) : 0;
		fclose(f);
		for (line = n ? strtok_r(all, "\n", &save) : NULL; line && !dev;
		     line = strtok_r(NULL, "\n", &save)) {
			char *file = strstr(line, "File: ");

			snprintf(text, sizeof(text), "%s", line);
			if (parse_major_minor(text, &dev) ||
			    parse_location(m, text, &dev))
				return dev;
			if (file) {
				file += strlen("File: ");
				file[strcspn(file, " ")] = '\0';
				dev = strncmp(file, "/dev/", 5)
					      ? 0
					      : dw_use_dev_of_path(m, file);
			}
		}
	}
	if (!dev && !dw_sysfs_text(dir, "udev_path", udev_path, sizeof(udev_path)))
		dev = strncmp(udev_path, "/dev/", 5) ? 0
						     : dw_use_dev_of_path(m, udev_path);
	return dev;
}

static int add_backstore(void *ctx, const char *dir, const char *name)
{
	struct scan *s = ctx;
	char path[PATH_MAX], text[320];
	struct dw_use use = { .kind = DW_USE_BACKSTORE, .block = true, .text = text };

	if (dw_path(path, "%s/%s", dir, name) || !dw_sysfs_has(path, "info"))
		return 0;
	use.dev = backstore_dev(s->m, path);
	snprintf(text, sizeof(text), "%s/%s", s->plugin, name);
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
	struct scan *s = ctx;
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

static int add_loop(void *ctx, const char *dir, const char *name)
{
	struct scan *s = ctx;
	char path[PATH_MAX], file[PATH_MAX], node[80];
	struct dw_use use = { .kind = DW_USE_LOOP, .block = true, .text = node };

	if (strncmp(name, "loop", 4) || dw_path(path, "%s/%s/loop", dir, name) ||
	    dw_sysfs_text(path, "backing_file", file, sizeof(file)) ||
	    strncmp(file, "/dev/", 5))
		return 0;
	use.dev = dw_use_dev_of_path(s->m, file);
	snprintf(node, sizeof(node), "/dev/%.64s", name);
	return use.dev ? dw_uses_add(s->u, &use) : 0;
}

int dw_uses_kernel(const struct dw_machine *m, struct dw_uses *ret)
{
	struct scan s = { .m = m, .u = ret };
	char dir[PATH_MAX];
	int r = scan_swaps(m, ret);

	if (!r)
		r = dw_path(dir, "%s/kernel/config/target/core", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_plugin, &s);
	if (r == -ENOMEM)
		return r;
	r = dw_path(dir, "%s/class/block", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_loop, &s);
	return r == -ENOMEM ? r : 0;
}

int dw_uses_scan(const struct dw_machine *m, struct dw_uses *ret)
{
	int r = dw_uses_mounts(m, ret);

	if (!r)
		r = dw_uses_kernel(m, ret);
	if (!r)
		r = dw_uses_openers(m, ret);
	return r;
}
