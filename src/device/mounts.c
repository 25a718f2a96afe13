/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is mounted, in every mount namespace, by libmount. A mount is found by its device
 * number; btrfs has numbers of its own, so there the source names one device and
 * /sys/fs/btrfs the rest. A ZFS pool shows no device here: O_EXCL and its label do.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/inuse.h"

#define NAMESPACES_MAX 1024

struct btrfs {
	const struct dw_machine *m;
	struct dw_uses *u;
	const char *target;
	dev_t dev;
	bool found;
	bool adding;
};

static int btrfs_member(void *ctx, const char *dir, const char *name)
{
	struct btrfs *b = ctx;
	struct dw_use use = { .kind = DW_USE_MOUNT,
			      .block = true,
			      .text = (char *)b->target };
	char path[PATH_MAX];

	if (dw_path(path, "%s/%s", dir, name))
		return 0;
	use.dev = dw_sysfs_dev(path);
	if (use.dev == b->dev)
		b->found = true;
	return b->adding && use.dev ? dw_uses_add(b->u, &use) : 0;
}

static int btrfs_file_system(void *ctx, const char *dir, const char *name)
{
	struct btrfs *b = ctx;
	char path[PATH_MAX];
	int r;

	if (dw_path(path, "%s/%s/devices", dir, name))
		return 0;
	b->found = b->adding = false;
	r = dw_sysfs_each(path, btrfs_member, b);
	b->adding = b->found;
	if (!r && b->found)
		r = dw_sysfs_each(path, btrfs_member, b);
	return r == -ENOMEM ? r : b->found;
}

static int add_mount(const struct dw_machine *m, struct libmnt_fs *fs, struct dw_uses *u)
{
	const char *target = mnt_fs_get_target(fs), *source = mnt_fs_get_source(fs);
	const char *type = mnt_fs_get_fstype(fs);
	struct dw_use use = { .kind = DW_USE_MOUNT,
			      .block = true,
			      .dev = mnt_fs_get_devno(fs),
			      .text = (char *)target };
	struct btrfs b = { .m = m, .u = u, .target = target };
	char dir[PATH_MAX];
	int r;

	if (!target)
		return 0;
	if (major(use.dev))
		return dw_uses_add(u, &use);
	if (!source || source[0] != '/')
		return 0;
	/* an anonymous number: the source tells, if it is a device at all */
	use.dev = b.dev = dw_use_dev_of_path(m, source);
	if (!use.dev)
		return 0;
	if (type && !strcmp(type, "btrfs") && !dw_path(dir, "%s/fs/btrfs", m->sys)) {
		r = dw_sysfs_each(dir, btrfs_file_system, &b);
		if (r == 1 || r == -ENOMEM)
			return r == 1 ? 0 : r;
	}
	return dw_uses_add(u, &use);
}

static int add_table(const struct dw_machine *m, const char *path, struct dw_uses *u)
{
	struct libmnt_table *table = mnt_new_table_from_file(path);
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	int r = 0;

	if (!table)
		return 0;
	it = mnt_new_iter(MNT_ITER_FORWARD);
	if (!it)
		r = -ENOMEM;
	while (!r && !mnt_table_next_fs(table, it, &fs))
		r = add_mount(m, fs, u);
	mnt_free_iter(it);
	mnt_unref_table(table);
	return r;
}

struct namespaces {
	const struct dw_machine *m;
	struct dw_uses *u;
	uint64_t seen[NAMESPACES_MAX];
	size_t n;
};

/* One table per namespace; a process whose namespace cannot be told is taken as new. */
static int add_process(void *ctx, const char *dir, const char *name)
{
	struct namespaces *ns = ctx;
	char path[PATH_MAX], link[64] = "";
	unsigned long long id = 0;

	if (name[0] < '0' || name[0] > '9' || dw_path(path, "%s/%s/ns/mnt", dir, name) ||
	    readlink(path, link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "mnt:[%llu]", &id) != 1)
		return 0;
	for (size_t i = 0; i < ns->n; i++)
		if (ns->seen[i] == id)
			return 0;
	if (ns->n == NAMESPACES_MAX)
		return 1;
	ns->seen[ns->n++] = id;
	if (dw_path(path, "%s/%s/mountinfo", dir, name))
		return 0;
	return add_table(ns->m, path, ns->u);
}

int dw_uses_mounts(const struct dw_machine *m, struct dw_uses *ret)
{
	dw_autofree struct namespaces *ns = calloc(1, sizeof(*ns));
	char path[PATH_MAX];
	int r;

	if (!ns)
		return -ENOMEM;
	ns->m = m;
	ns->u = ret;
	r = add_process(ns, m->proc, "self");
	if (!ns->n && !dw_path(path, "%s/self/mountinfo", m->proc))
		r = add_table(m, path, ret);
	if (!r)
		r = dw_sysfs_each(m->proc, add_process, ns);
	return r == -ENOMEM ? r : 0;
}
