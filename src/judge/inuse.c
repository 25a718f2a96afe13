/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds who uses a disk. One walk over the disk, its partitions and everything that is built on
 * them, from the bottom to the top, compares each node with the snapshot. Release commands are
 * listed in the order in which they have to be typed: the topmost first.
 *
 * Some drivers give no holders link, so the walk is done from the other end too: every device
 * that is mounted or swapped to is followed down its slaves.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "file/file.h"
#include "judge/inuse.h"
#include "device/reach.h"
#include "judge/verdict.h"

#define DEPTH_MAX 32

struct walk {
	const struct dw_machine *m;
	const struct dw_uses *uses;
	const struct dw_disk_info *info;
	struct dw_verdict found;
	char release[256];
	bool release_full;
	bool own; /* the machine itself uses it */
	int depth;
	bool *seen; /* by index of uses */
};

/* The weight of a kind of use: the heaviest is named. */
static int refusal_weight(enum dw_refusal r)
{
	static const enum dw_refusal order[] = { DW_REFUSAL_OPEN, DW_REFUSAL_HOLDER,
						 DW_REFUSAL_SWAP, DW_REFUSAL_MOUNTED,
						 DW_REFUSAL_SYSTEM };

	for (size_t i = 0; i < DW_ARRAY_SIZE(order); i++)
		if (order[i] == r)
			return (int)i + 1;
	return 0;
}

__attribute__((format(printf, 3, 4))) static void found(struct walk *w, enum dw_refusal r,
							const char *format, ...)
{
	va_list ap;

	w->own |= r != DW_REFUSAL_OPEN;
	if (refusal_weight(r) <= refusal_weight(w->found.refusal))
		return;
	va_start(ap, format);
	dw_verdict_vset(&w->found, r, format, ap);
	va_end(ap);
}

/* Whole commands only: "umount /mnt/a" stands inside "umount /mnt/ab". */
static bool has_release(const struct walk *w, const char *command)
{
	size_t length = strlen(command);

	for (const char *at = w->release; (at = strstr(at, command)); at++) {
		size_t before = (size_t)(at - w->release);

		if ((!before || (before > 4 && !memcmp(at - 4, " && ", 4))) &&
		    (!at[length] || !strncmp(at + length, " && ", 4)))
			return true;
	}
	return false;
}

/* A command that does not fit ends the list: half a command is worse than none. */
static void append_release(struct walk *w, const char *command)
{
	size_t have = strlen(w->release);
	size_t room = sizeof(w->release) - have;
	int length;

	if (!command[0] || w->release_full)
		return;
	length = snprintf(w->release + have, room, "%s%s", have ? " && " : "", command);
	if (length < 0 || (size_t)length >= room) {
		w->release[have] = '\0';
		w->release_full = true;
	}
}

static void add_release(struct walk *w, const char *command)
{
	if (!has_release(w, command))
		append_release(w, command);
}

static bool is_system(const char *mount_point)
{
	static const char *const points[] = { "/", "/boot", "/boot/efi", "/efi", "/usr" };

	for (size_t i = 0; i < DW_ARRAY_SIZE(points); i++)
		if (!strcmp(mount_point, points[i]))
			return true;
	return false;
}

/* One mount is found by each device of its file system. */
static bool is_known_mount(const struct walk *w, const struct dw_use *use)
{
	for (const struct dw_use *v = w->uses->v; v < w->uses->v + w->uses->n; v++)
		if (v != use && w->seen[v - w->uses->v] && v->kind == DW_USE_MOUNT &&
		    v->id == use->id && v->pid == use->pid)
			return true;
	return false;
}

/*
 * Commands always run in this machine's own namespace: in a namespace of another user every file,
 * umount too, is what that user wants. If the mounts are apart only the process can release them,
 * and a path there is foreign text, which means nothing here.
 */
static void take_mount(struct walk *w, const struct dw_use *use, const char *name)
{
	char command[220], verb[64] = "umount";
	bool own = w->own;

	if (use->apart) {
		found(w, DW_REFUSAL_MOUNTED,
		      "mounted (%s) where process %d sees it, which has to end", name,
		      (int)use->pid);
		w->own = own || !use->foreign;
		return;
	}
	if (is_system(use->text)) {
		found(w, DW_REFUSAL_SYSTEM, "holds %s of the running system (%s)",
		      use->text, name);
		return;
	}
	found(w, DW_REFUSAL_MOUNTED, "mounted at %.160s (%s)", use->text, name);
	if (is_known_mount(w, use))
		return;
	if (use->pid)
		snprintf(verb, sizeof(verb), "umount --namespace=%d", (int)use->pid);
	append_release(w, dw_shell_command(verb, use->text, command, sizeof(command)));
}

static int visit_partitions_and_holders(struct walk *w, const char *dir);
static void match(struct walk *w, bool block, dev_t dev, const char *name, bool slaves);

/* What the kernel does not show as a holder has holders and mounts of its own. */
static void take_kernel(struct walk *w, const struct dw_use *use, const char *name)
{
	char dir[PATH_MAX];

	found(w, DW_REFUSAL_HOLDER, "%.120s (%s)", use->text, name);
	if (use->top && w->depth < DEPTH_MAX &&
	    !dw_sysfs_real(w->m, true, use->top, dir)) {
		w->depth++;
		if (!visit_partitions_and_holders(w, dir))
			match(w, true, use->top, dw_path_base(dir), true);
		w->depth--;
	}
	if (use->release)
		add_release(w, use->release);
}

/* A node that the list does not show as the disk's is named. */
static void take_open(struct walk *w, const struct dw_use *use, const char *name)
{
	if (!strcmp(name, dw_path_base(w->info->block)) ||
	    !strcmp(name, dw_path_base(w->info->sg)))
		found(w, DW_REFUSAL_OPEN, "open in process %d (%.60s)", (int)use->pid,
		      use->text);
	else
		found(w, DW_REFUSAL_OPEN,
		      "open in process %d (%.60s) by /dev/%.64s, which reaches this "
		      "disk; that process has to end",
		      (int)use->pid, use->text, name);
}

static void take_use(struct walk *w, const struct dw_use *use, const char *name)
{
	char command[220];

	switch (use->kind) {
	case DW_USE_MOUNT:
		take_mount(w, use, name);
		break;
	case DW_USE_SWAP:
		found(w, DW_REFUSAL_SWAP, "swap (%s)", name);
		add_release(w, dw_shell_command("swapoff", use->text, command,
						sizeof(command)));
		break;
	case DW_USE_KERNEL:
		take_kernel(w, use, name);
		break;
	case DW_USE_OPEN:
		take_open(w, use, name);
		break;
	}
}

/* Is that device, followed down its slaves, built on @dev? */
static bool stands_on(const struct dw_machine *m, dev_t top, dev_t dev, int depth);

struct slaves {
	const struct dw_machine *m;
	dev_t dev;
	int depth;
};

static int slave_stands_on(void *ctx, const char *dir, const char *name)
{
	struct slaves *s = ctx;
	char path[PATH_MAX];
	dev_t slave;

	if (dw_path(path, "%s/%s", dir, name))
		return 0;
	slave = dw_sysfs_dev(path);
	return slave == s->dev || (slave && stands_on(s->m, slave, s->dev, s->depth + 1));
}

static bool stands_on(const struct dw_machine *m, dev_t top, dev_t dev, int depth)
{
	struct slaves s = { .m = m, .dev = dev, .depth = depth };
	char real[PATH_MAX], dir[PATH_MAX];

	if (top == dev)
		return true;
	return depth < DEPTH_MAX && !dw_sysfs_real(m, true, top, real) &&
	       !dw_path(dir, "%s/slaves", real) &&
	       dw_sysfs_each(dir, slave_stands_on, &s) == 1;
}

/* multipathd has the paths of its maps open, to see whether they answer. */
static bool is_maps_keeper(const struct walk *w, const struct dw_use *use)
{
	return w->info->map_dev && use->kind == DW_USE_OPEN && use->keeper;
}

static void match(struct walk *w, bool block, dev_t dev, const char *name, bool slaves)
{
	for (size_t i = 0; i < w->uses->n; i++) {
		const struct dw_use *use = &w->uses->v[i];

		if (w->seen[i] || use->block != block || is_maps_keeper(w, use))
			continue;
		if (use->dev != dev && (!slaves || use->kind == DW_USE_OPEN ||
					!stands_on(w->m, use->dev, dev, 0)))
			continue;
		w->seen[i] = true;
		take_use(w, use, name);
	}
}

static int visit(struct walk *w, const char *dir);

static int visit_entry(void *ctx, const char *dir, const char *name)
{
	char link[PATH_MAX], real[PATH_MAX];

	if (dw_path(link, "%s/%s", dir, name) || !realpath(link, real))
		return 0;
	return visit(ctx, real);
}

static int visit_holders(struct walk *w, const char *dir)
{
	char holders[PATH_MAX];
	int r;

	if (++w->depth > DEPTH_MAX)
		return -ELOOP;
	r = dw_path(holders, "%s/holders", dir);
	if (!r)
		r = dw_sysfs_each(holders, visit_entry, w);
	w->depth--;
	return r == -ENOENT ? 0 : r;
}

/* A part that is stopped with its bcache device needs no other command; a cache does. */
static void take_bcache(struct walk *w, const char *dir)
{
	char command[220] = "", what[160], holders[PATH_MAX], name[64];

	dw_inuse_release_command(dir, command, sizeof(command), what, sizeof(what));
	found(w, DW_REFUSAL_HOLDER, "in use by %s", what);
	if (dw_sysfs_has(dir, "bcache/set") || dw_path(holders, "%s/holders", dir) ||
	    !dw_sysfs_first(holders, "bcache", name, sizeof(name)))
		add_release(w, command);
}

/* A node of the tree above the disk; depth 0 are the disk and its partitions. */
static int visit(struct walk *w, const char *dir)
{
	char command[220] = "", what[160];
	int r = visit_holders(w, dir);

	if (r)
		return r;
	match(w, true, dw_sysfs_dev(dir), dw_path_base(dir), false);
	if (w->depth == 1 && dw_sysfs_dev(dir) == w->info->map_dev)
		return 0; /* the claim takes the map */
	if (w->depth > 0) {
		dw_inuse_release_command(dir, command, sizeof(command), what,
					 sizeof(what));
		found(w, DW_REFUSAL_HOLDER, "in use by %s", what);
		add_release(w, command);
	} else if (dw_sysfs_has(dir, "bcache")) {
		take_bcache(w, dir);
	}
	return 0;
}

/* The name of a partition begins with that of its disk (disk_name() of the kernel): nothing else in
 * the folder, which has some thirty entries, is asked. */
static bool is_partition(const char *dir, const char *name, char ret_path[PATH_MAX])
{
	const char *disk = dw_path_base(dir);

	return !strncmp(name, disk, strlen(disk)) &&
	       !dw_path(ret_path, "%s/%s", dir, name) &&
	       dw_sysfs_has(ret_path, "partition");
}

static int visit_partition(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX];

	return is_partition(dir, name, path) ? visit(ctx, path) : 0;
}

static int visit_partitions_and_holders(struct walk *w, const char *dir)
{
	int r = dw_sysfs_each(dir, visit_partition, w);

	return r ? r : visit_holders(w, dir);
}

static int below_partition(void *ctx, const char *dir, const char *name)
{
	struct walk *w = ctx;
	char path[PATH_MAX];

	if (is_partition(dir, name, path))
		match(w, true, dw_sysfs_dev(path), name, true);
	return 0;
}

static int walk_block(struct walk *w, dev_t dev)
{
	char dir[PATH_MAX];
	int r = dw_sysfs_real(w->m, true, dev, dir);

	if (!r)
		r = dw_sysfs_each(dir, visit_partition, w);
	if (!r)
		r = visit(w, dir);
	if (r)
		return r;
	match(w, true, dev, dw_path_base(dir), true);
	return dw_sysfs_each(dir, below_partition, w);
}

/* Finds every node that reaches the disk, for list, claim and verdict. A node that disappears at
 * this moment has no user. */
static int walk_nodes(struct walk *w)
{
	dw_autofree struct dw_reach *node = NULL;
	size_t n;
	int r = dw_reach_list(w->m, w->info, &node, &n);

	for (size_t i = 0; i < n && !r; i++) {
		if (node[i].block)
			r = walk_block(w, node[i].dev);
		else
			match(w, false, node[i].dev, node[i].name, false);
		if ((r == -ENODEV || r == -ENOENT) && node[i].dev != w->info->block_dev)
			r = 0;
	}
	return r;
}

int dw_inuse_judge(const struct dw_machine *m, const struct dw_uses *uses,
		   const struct dw_disk_info *info, struct dw_verdict *ret)
{
	dw_autofree bool *seen = calloc(uses->n + 1, sizeof(bool));
	struct walk w = { .m = m, .uses = uses, .info = info, .seen = seen };
	int r;

	if (!seen)
		return -ENOMEM;
	r = walk_nodes(&w);
	if (r)
		return r;
	if (w.found.refusal == DW_REFUSAL_NONE)
		return 0;
	ret->refusal = w.found.refusal;
	strcpy(ret->reason, w.found.reason);
	ret->foreign = ret->refusal == DW_REFUSAL_MOUNTED && !w.own;
	ret->release[0] = '\0';
	/* the running system is not released, and no command closes another program's file */
	if (ret->refusal != DW_REFUSAL_SYSTEM && ret->refusal != DW_REFUSAL_OPEN)
		strcpy(ret->release, w.release);
	return 1;
}

int dw_inuse_judge_unseen(const struct dw_uses *uses, struct dw_verdict *ret)
{
	if (!uses->unseen[0])
		return 0;
	dw_verdict_set(ret, DW_REFUSAL_UNSEEN, "whether it is in use cannot be seen: %s",
		       uses->unseen);
	strcpy(ret->release, uses->way);
	return 1;
}
