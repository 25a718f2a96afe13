/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is active and could take a disk that it does not hold now: arrays and file systems
 * that lack a member, volume groups, pools, bcache sets. One that lacks nothing has no use
 * for a disk that once was its member.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "file/file.h"
#include "judge/wants.h"
#include "transport/open.h"

struct stacks_scan {
	const struct dw_machine *m;
	struct dw_uses *u;
};

/* "LVM-", 32 characters of the group, 32 of the volume */
static int add_group(struct stacks_scan *s, const char *dir)
{
	char uuid[130], name[130], group[130], by[144], release[160];

	if (dw_sysfs_text(dir, "dm/uuid", uuid, sizeof(uuid)) ||
	    strncmp(uuid, "LVM-", 4) || strlen(uuid) < 36 ||
	    dw_sysfs_text(dir, "dm/name", name, sizeof(name)))
		return 0;
	uuid[36] = '\0';
	dw_lvm_group(name, group, sizeof(group));
	snprintf(by, sizeof(by), "volume group %.100s, which is active", group);
	dw_shell_command("vgchange -an", group, release, sizeof(release));
	return dw_want_add(s->u, DW_TAG_GROUP_ID, uuid + 4, by, release);
}

struct member {
	const struct dw_machine *m;
	char uuid[DW_TAG_MAX];
};

/* The array's uuid stands on each member. */
static int member_uuid(void *ctx, const char *dir, const char *name)
{
	struct dw_tags tags = { 0 };
	char path[PATH_MAX];
	struct member *ret = ctx;
	struct dw_signatures found;
	int fd;

	if (dw_path(path, "%s/%s", ret->m->dev, name))
		return 0;
	fd = dw_disk_open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	dw_signatures_read(fd, &found, &tags);
	close(fd);
	for (size_t i = 0; i < tags.n; i++)
		if (tags.v[i].kind == DW_TAG_ARRAY)
			strcpy(ret->uuid, tags.v[i].value);
	free(tags.v);
	return ret->uuid[0] != '\0';
}

/* A whole array is entered too, wanted by nobody: it is served. */
static int add_array(struct stacks_scan *s, const char *dir, const char *name)
{
	char path[PATH_MAX], by[144] = "", node[80], release[96];
	struct member member = { .m = s->m };
	uint64_t degraded;

	if (!dw_path(path, "%s/slaves", dir) && s->m->live)
		dw_sysfs_each(path, member_uuid, &member);
	else
		dw_sysfs_text(dir, "md/uuid", member.uuid, sizeof(member.uuid));
	if (dw_sysfs_u64(dir, "md/degraded", &degraded) && degraded)
		snprintf(by, sizeof(by), "md array %.60s, which lacks a member", name);
	snprintf(node, sizeof(node), "/dev/%.60s", name);
	dw_shell_command("mdadm --stop", node, release, sizeof(release));
	return dw_want_add(s->u, DW_TAG_ARRAY, member.uuid, by, release);
}

static int add_block(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (dw_path(path, "%s/%s", dir, name))
		return 0;
	if (!strncmp(name, "dm-", 3))
		return add_group(ctx, path);
	return strncmp(name, "md", 2) ? 0 : add_array(ctx, path, name);
}

static int find_missing(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX];
	uint64_t missing;

	return !dw_path(path, "%s/%s", dir, name) &&
	       dw_sysfs_u64(path, "missing", &missing) && missing;
}

struct mount_search {
	const struct dw_uses *u;
	const char *found;
};

static int find_mount(void *ctx, const char *dir, const char *name)
{
	struct mount_search *s = ctx;
	char path[PATH_MAX];
	dev_t dev = dw_path(path, "%s/%s", dir, name) ? 0 : dw_sysfs_dev(path);

	for (size_t i = 0; dev && i < s->u->n && !s->found; i++)
		if (s->u->v[i].kind == DW_USE_MOUNT && s->u->v[i].dev == dev &&
		    !s->u->v[i].pid)
			s->found = s->u->v[i].text;
	return s->found != NULL;
}

/* Kernels before 5.6 do not tell what is missing. */
static int add_btrfs(void *ctx, const char *dir, const char *name)
{
	struct stacks_scan *s = ctx;
	struct mount_search search = { .u = s->u };
	char path[PATH_MAX], by[144], release[640] = "";

	if (strlen(name) != 36 || dw_path(path, "%s/%s/devinfo", dir, name))
		return 0;
	if (!dw_sysfs_each(path, find_missing, NULL))
		return 0;
	if (!dw_path(path, "%s/%s/devices", dir, name))
		dw_sysfs_each(path, find_mount, &search);
	snprintf(by, sizeof(by), "btrfs at %.90s, which lacks a device",
		 search.found ? search.found : "some place");
	if (search.found)
		dw_shell_command("umount", search.found, release, sizeof(release));
	return dw_want_add(s->u, DW_TAG_BTRFS, name, by, release);
}

static int add_pool(void *ctx, const char *dir, const char *name)
{
	struct stacks_scan *s = ctx;
	char path[PATH_MAX], by[144], release[640];

	if (dw_path(path, "%s/%s", dir, name) ||
	    (!dw_sysfs_has(path, "state") && !dw_sysfs_has(path, "txgs")))
		return 0;
	snprintf(by, sizeof(by), "ZFS pool %.100s, which is imported", name);
	dw_shell_command("zpool export", name, release, sizeof(release));
	return dw_want_add(s->u, DW_TAG_POOL, name, by, release);
}

static int add_set(void *ctx, const char *dir, const char *name)
{
	struct stacks_scan *s = ctx;
	char by[144], release[160];

	if (strlen(name) != 36)
		return 0;
	snprintf(by, sizeof(by), "bcache set %s, which is active", name);
	snprintf(release, sizeof(release), "echo 1 > %.60s/%s/stop", dir, name);
	return dw_want_add(s->u, DW_TAG_CACHE_SET, name, by, release);
}

int dw_wants_stacks(const struct dw_machine *m, struct dw_uses *u)
{
	const struct {
		const char *root, *sub;
		int (*fn)(void *ctx, const char *dir, const char *name);
	} rows[] = { { m->sys, "class/block", add_block },
		     { m->sys, "fs/btrfs", add_btrfs },
		     { m->proc, "spl/kstat/zfs", add_pool },
		     { m->sys, "fs/bcache", add_set } };
	struct stacks_scan s = { .m = m, .u = u };
	char dir[PATH_MAX];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (!dw_path(dir, "%s/%s", rows[i].root, rows[i].sub) &&
		    dw_sysfs_each(dir, rows[i].fn, &s) == -ENOMEM)
			return -ENOMEM;
	return 0;
}
