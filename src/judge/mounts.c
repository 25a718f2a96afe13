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
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "judge/inuse.h"
#include "judge/process.h"

#define NAMESPACES_MAX 1024

struct btrfs {
	const struct dw_machine *m;
	struct dw_uses *u;
	const struct dw_use *use;
	bool found;
	bool adding;
};

/**
 * struct namespaces - mount namespaces, one after the other
 * @pid: a process of the one that is read, 0 = our own
 * @apart: see struct dw_use
 * @seen, @n: those that have been read
 */
struct namespaces {
	const struct dw_machine *m;
	struct dw_uses *u;
	pid_t pid;
	bool apart;
	uint64_t seen[NAMESPACES_MAX];
	size_t n;
};

static int btrfs_member(void *ctx, const char *dir, const char *name)
{
	struct btrfs *b = ctx;
	struct dw_use use = *b->use;
	char path[PATH_MAX];

	if (dw_path(path, "%s/%s", dir, name))
		return 0;
	use.dev = dw_sysfs_dev(path);
	if (use.dev == b->use->dev)
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

/* A mount that another namespace got from ours goes away with ours. */
static bool follows_ours(const struct namespaces *ns, const struct dw_use *use,
			 struct libmnt_fs *fs)
{
	unsigned long flags = 0;

	if (!use->pid || mnt_fs_get_propagation(fs, &flags) ||
	    !(flags & (MS_SHARED | MS_SLAVE)))
		return false;
	for (size_t i = 0; i < ns->u->n; i++) {
		const struct dw_use *ours = &ns->u->v[i];

		if (ours->kind == DW_USE_MOUNT && !ours->pid && ours->dev == use->dev &&
		    !strcmp(ours->text, use->text))
			return true;
	}
	return false;
}

static int add_btrfs(const struct namespaces *ns, const struct dw_use *use)
{
	struct btrfs b = { .m = ns->m, .u = ns->u, .use = use };
	char dir[PATH_MAX];
	int r;

	if (dw_path(dir, "%s/fs/btrfs", ns->m->sys))
		return 0;
	r = dw_sysfs_each(dir, btrfs_file_system, &b);
	return r == 1 || r == -ENOMEM ? r : 0;
}

static int add_mount(const struct namespaces *ns, struct libmnt_fs *fs)
{
	const char *target = mnt_fs_get_target(fs), *source = mnt_fs_get_source(fs);
	const char *type = mnt_fs_get_fstype(fs);
	struct dw_use use = { .kind = DW_USE_MOUNT,
			      .block = true,
			      .dev = mnt_fs_get_devno(fs),
			      .pid = ns->pid,
			      .apart = ns->apart,
			      .id = mnt_fs_get_id(fs),
			      .text = (char *)target };
	int r = 0;

	if (!target)
		return 0;
	if (!major(use.dev)) {
		/* an anonymous number: the source tells, if it is a device at all */
		if (!source || source[0] != '/')
			return 0;
		use.dev = dw_use_dev_of_path(ns->m, source);
	}
	if (!use.dev || follows_ours(ns, &use, fs))
		return 0;
	if (!major(mnt_fs_get_devno(fs)) && type && !strcmp(type, "btrfs"))
		r = add_btrfs(ns, &use);
	if (r)
		return r < 0 ? r : 0;
	return dw_uses_add(ns->u, &use);
}

/* From the last to the first: what is mounted below another mount goes before it. */
static int add_table(const struct namespaces *ns, const char *path)
{
	struct libmnt_table *table = mnt_new_table_from_file(path);
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	int r = 0;

	if (!table)
		return 0;
	it = mnt_new_iter(MNT_ITER_BACKWARD);
	if (!it)
		r = -ENOMEM;
	while (!r && !mnt_table_next_fs(table, it, &fs))
		r = add_mount(ns, fs);
	mnt_free_iter(it);
	mnt_unref_table(table);
	return r;
}

/* One table per namespace; a process whose namespace cannot be told is taken as new. */
static int add_process(void *ctx, const char *dir, const char *name)
{
	struct namespaces *ns = ctx;
	char path[PATH_MAX], link[64] = "";
	unsigned long long id = 0;

	if ((strcmp(name, "self") && (name[0] < '0' || name[0] > '9')) ||
	    dw_path(path, "%s/%s/ns/mnt", dir, name) ||
	    readlink(path, link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "mnt:[%llu]", &id) != 1)
		return 0;
	for (size_t i = 0; i < ns->n; i++)
		if (ns->seen[i] == id)
			return 0;
	if (ns->n == NAMESPACES_MAX) {
		dw_uses_unseen(ns->u, "", "there are more than %d mount namespaces",
			       NAMESPACES_MAX);
		return 1;
	}
	ns->seen[ns->n++] = id;
	if (dw_path(path, "%s/%s/mountinfo", dir, name))
		return 0;
	ns->pid = strcmp(name, "self") ? atoi(name) : 0;
	ns->apart = ns->pid && dw_process_apart(ns->m, name);
	return add_table(ns, path);
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
		r = add_table(ns, path);
	if (!r)
		r = dw_sysfs_each(m->proc, add_process, ns);
	return r == -ENOMEM ? r : 0;
}
