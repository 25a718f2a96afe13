/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is mounted, in every mount namespace. A mount is found by its device number, which is the
 * kernel's; its source is whatever text its owner chose. Only where a type that owns devices has a
 * number of its own does the source name one of them, and it counts when the type says so in
 * sysfs. A ZFS pool shows no device here: O_EXCL and its label do.
 */
#include <errno.h>
#include <glob.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "judge/inuse.h"
#include "judge/process.h"

/**
 * struct namespaces - mount namespaces, one after the other
 * @pid: a process of the one that is read, 0 = our own
 * @apart, @foreign: see struct dw_use
 * @seen: numbers of those that have been read, a tree of tsearch()
 */
struct namespaces {
	const struct dw_machine *m;
	struct dw_uses *u;
	pid_t pid;
	bool apart;
	bool foreign;
	void *seen;
};

/**
 * struct mounted - one line of mountinfo: proc_pid_mountinfo(5)
 * @linked: mounts and unmounts there come here as well, or the other way round
 */
struct mounted {
	int id;
	dev_t dev;
	char *target;
	bool linked;
	const char *type;
	char *source;
};

static bool parse_mounted(char *line, struct mounted *ret)
{
	unsigned int major, minor;
	char *word, *save;
	int at = 0;

	*ret = (struct mounted){ 0 };
	if (sscanf(line, "%d %*d %u:%u %*s %n", &ret->id, &major, &minor, &at) != 3 ||
	    !at)
		return false;
	ret->dev = makedev(major, minor);
	ret->target = strtok_r(line + at, " \n", &save);
	while ((word = strtok_r(NULL, " \n", &save)) && strcmp(word, "-") != 0)
		ret->linked |=
			!strncmp(word, "shared:", 7) || !strncmp(word, "master:", 7);
	ret->type = strtok_r(NULL, " \n", &save);
	ret->source = strtok_r(NULL, " \n", &save);
	if (!ret->target || !ret->source)
		return false;
	dw_proc_unescape(ret->target);
	dw_proc_unescape(ret->source);
	return true;
}

/* A mount that another namespace got from ours goes away with ours. If no command is given, one
 * mount of a device is enough: anybody can make a thousand. */
static bool is_reported(const struct namespaces *ns, const struct dw_use *use,
			bool linked)
{
	for (size_t i = 0; i < ns->u->n; i++) {
		const struct dw_use *known = &ns->u->v[i];

		if (known->kind != DW_USE_MOUNT || known->dev != use->dev)
			continue;
		if (use->apart && known->apart && known->foreign <= use->foreign)
			return true;
		if (use->pid && linked && !known->pid && !strcmp(known->text, use->text))
			return true;
	}
	return false;
}

static int add_use(const struct namespaces *ns, const struct mounted *mount, dev_t dev)
{
	struct dw_use use = { .kind = DW_USE_MOUNT,
			      .block = true,
			      .dev = dev,
			      .pid = ns->pid,
			      .id = mount->id,
			      .apart = ns->apart,
			      .foreign = ns->foreign,
			      .text = mount->target };

	return !dev || is_reported(ns, &use, mount->linked) ? 0
							    : dw_uses_add(ns->u, &use);
}

/* All devices of the file system that has @dev among its own: found[first] is of it. */
static int add_members(const struct namespaces *ns, const struct mounted *mount,
		       const glob_t *found, size_t first, size_t length)
{
	int r = 0;

	for (size_t i = 0; i < found->gl_pathc && !r; i++)
		if (!strncmp(found->gl_pathv[i], found->gl_pathv[first], length))
			r = add_use(ns, mount, dw_sysfs_dev(found->gl_pathv[i]));
	return r;
}

/*
 * Types with a device number of their own, and where sysfs has the devices of each file system:
 * the folder of one is the star. bcachefs names all its devices, with a colon between.
 */
static int add_owner(const struct namespaces *ns, const struct mounted *mount)
{
	static const struct {
		const char *type, *folder, *devices;
	} owners[] = { { "btrfs", "fs/btrfs/", "*/devices/*" },
		       { "bcachefs", "fs/bcachefs/", "*/dev-*/block" } };
	char pattern[PATH_MAX];
	size_t folder, i = 0;
	glob_t found;
	dev_t dev;
	int r = 0;

	while (i < DW_ARRAY_SIZE(owners) && strcmp(mount->type, owners[i].type) != 0)
		i++;
	if (i == DW_ARRAY_SIZE(owners))
		return 0;
	mount->source[strcspn(mount->source, ":")] = '\0';
	dev = dw_use_dev_of_path(ns->m, mount->source);
	if (!dev ||
	    dw_path(pattern, "%s/%s%s", ns->m->sys, owners[i].folder, owners[i].devices))
		return 0;
	folder = strlen(ns->m->sys) + 1 + strlen(owners[i].folder);
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return 0;
	for (size_t k = 0; k < found.gl_pathc && !r; k++)
		if (dw_sysfs_dev(found.gl_pathv[k]) == dev)
			r = add_members(
				ns, mount, &found, k,
				folder + strcspn(found.gl_pathv[k] + folder, "/") + 1);
	globfree(&found);
	return r;
}

/* From the last to the first: what is mounted below another mount goes before it. */
static void turn_round(struct dw_uses *u, size_t from)
{
	for (size_t i = from, k = u->n; i + 1 < k; i++) {
		struct dw_use last = u->v[--k];

		u->v[k] = u->v[i];
		u->v[i] = last;
	}
}

static int add_table(const struct namespaces *ns, const char *path, bool *ret_read)
{
	size_t size = 0, from = ns->u->n;
	struct mounted mount;
	char *line = NULL;
	FILE *f = fopen(path, "re");
	int r = 0;

	*ret_read = false;
	if (!f)
		return 0;
	while (!r && getline(&line, &size, f) > 0) {
		*ret_read = true;
		if (!parse_mounted(line, &mount))
			continue;
		r = major(mount.dev) ? add_use(ns, &mount, mount.dev)
				     : add_owner(ns, &mount);
	}
	free(line);
	fclose(f);
	turn_round(ns->u, from);
	return r;
}

static int compare_numbers(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x > y) - (x < y);
}

static void keep_number(void *number)
{
	(void)number; /* it is no pointer */
}

/* One table per namespace, of the first process that does not end meanwhile. */
static int add_process(void *ctx, const char *dir, const char *name)
{
	struct namespaces *ns = ctx;
	char path[PATH_MAX], link[64] = "";
	unsigned long long id = 0;
	bool read;
	int r;

	if ((strcmp(name, "self") && (name[0] < '0' || name[0] > '9')) ||
	    dw_path(path, "%s/%s/ns/mnt", dir, name) ||
	    readlink(path, link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "mnt:[%llu]", &id) != 1 || !id ||
	    tfind((void *)(uintptr_t)id, &ns->seen, compare_numbers) ||
	    dw_path(path, "%s/%s/mountinfo", dir, name))
		return 0;
	ns->pid = strcmp(name, "self") ? atoi(name) : 0;
	ns->apart = ns->pid && dw_process_apart(ns->m, name);
	ns->foreign = ns->pid && dw_process_foreign(ns->m, name);
	r = add_table(ns, path, &read);
	if (r || !read)
		return r;
	return tsearch((void *)(uintptr_t)id, &ns->seen, compare_numbers) ? 0 : -ENOMEM;
}

int dw_uses_mounts(const struct dw_machine *m, struct dw_uses *ret)
{
	struct namespaces ns = { .m = m, .u = ret };
	char path[PATH_MAX];
	int r = add_process(&ns, m->proc, "self");
	bool read;

	if (!r && !ns.seen && !dw_path(path, "%s/self/mountinfo", m->proc))
		r = add_table(&ns, path, &read);
	if (!r)
		r = dw_sysfs_each(m->proc, add_process, &ns);
	tdestroy(ns.seen, keep_number);
	return r == -ENOMEM ? r : 0;
}
