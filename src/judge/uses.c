/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The snapshot's container, and what the kernel uses disks for without a trace in
 * holders: swap and loop devices. A device is known by its number: a node may lie
 * anywhere, have any name, or be deleted by now.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "file/file.h"
#include "device/shelves.h"
#include "device/reach.h"
#include "judge/names.h"
#include "judge/wants.h"
#include "transport/open.h"

int dw_uses_add(struct dw_uses *u, const struct dw_use *use)
{
	struct dw_use *v = reallocarray(u->v, u->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	u->v = v;
	v += u->n++;
	*v = *use;
	v->text = strdup(use->text);
	v->release = use->release ? strdup(use->release) : NULL;
	return v->text && (v->release || !use->release) ? 0 : -ENOMEM;
}

void dw_uses_unseen(struct dw_uses *u, const char *way, const char *format, ...)
{
	va_list ap;

	if (u->unseen[0])
		return;
	va_start(ap, format);
	vsnprintf(u->unseen, sizeof(u->unseen), format, ap);
	va_end(ap);
	if (snprintf(u->way, sizeof(u->way), "%s", way) >= (int)sizeof(u->way))
		u->way[0] = '\0';
}

void dw_uses_free(struct dw_uses *u)
{
	for (size_t i = 0; i < u->n; i++) {
		free(u->v[i].text);
		free(u->v[i].release);
	}
	free(u->v);
	free(u->want);
	dw_names_free(u->names);
	dw_shelves_free(u->shelves);
	*u = (struct dw_uses){ 0 };
}

/* Where a path of this machine is in its trees. */
static int locate(const struct dw_machine *m, const char *path, char where[PATH_MAX])
{
	return strncmp(path, "/dev/", 5) ? dw_path(where, "%s", path)
					 : dw_path(where, "%s/%s", m->dev, path + 5);
}

static int take_named(void *ctx, const struct dw_reach *node)
{
	struct dw_seen_node *seen = ctx;

	*seen = (struct dw_seen_node){ .found = true,
				       .block = node->block,
				       .dev = node->dev };
	return 1;
}

/* A node of /dev that is not there has its kernel's name. */
static struct dw_seen_node by_name(const struct dw_machine *m, const char *path)
{
	struct dw_seen_node seen = { 0 };

	if (!strncmp(path, "/dev/", 5))
		dw_reach_named(m, path + 5, take_named, &seen);
	return seen;
}

dev_t dw_use_dev_of_path(const struct dw_machine *m, const char *path)
{
	char where[PATH_MAX];
	struct dw_seen_node seen;
	struct stat st;

	if (path[0] == '/' && !locate(m, path, where) && !stat(where, &st) &&
	    S_ISBLK(st.st_mode))
		return st.st_rdev;
	seen = by_name(m, path);
	return seen.block ? seen.dev : 0;
}

int dw_use_backing(const struct dw_machine *m, const char *path, struct dw_seen_node *ret)
{
	char where[PATH_MAX];
	struct stat st;
	bool node;

	*ret = (struct dw_seen_node){ 0 };
	if (path[0] != '/')
		return -ENOENT;
	if (locate(m, path, where) || stat(where, &st)) {
		*ret = by_name(m, path);
		return ret->found ? 0 : -ENOENT;
	}
	node = S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode);
	ret->block = !S_ISCHR(st.st_mode);
	ret->dev = node ? st.st_rdev : major(st.st_dev) ? st.st_dev : 0;
	ret->found = ret->dev != 0;
	return 0;
}

void dw_proc_unescape(char *s)
{
	char *to = s;

	for (; *s; s++, to++) {
		*to = *s;
		if (*s != '\\' || strspn(s + 1, "01234567") < 3)
			continue;
		*to = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
		s += 3;
	}
	*to = '\0';
}

/* A swap file counts for the file system that it is in, which cannot be unmounted before. */
static int add_swap(const struct dw_machine *m, char *path, struct dw_uses *u)
{
	struct dw_use use = { .kind = DW_USE_SWAP, .block = true, .text = path };
	struct dw_seen_node seen;

	path[strcspn(path, " \t\n")] = '\0';
	dw_proc_unescape(path);
	dw_use_backing(m, path, &seen);
	use.dev = seen.dev;
	return seen.found && seen.block ? dw_uses_add(u, &use) : 0;
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
	while (!r && getline(&line, &size, f) > 0)
		if (line[0] == '/')
			r = add_swap(m, line, u);
	free(line);
	fclose(f);
	return r;
}

struct scan {
	const struct dw_machine *m;
	struct dw_uses *u;
};

/* The device that the loop device reports as its base: the number of the node that it was given,
 * else that of the file's file system. */
static int ask_loop(const struct dw_machine *m, const char *name, dev_t self, dev_t *ret)
{
	struct loop_info64 info;
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	struct stat st;
	int r = dw_path(path, "%s/%s", m->dev, name);

	if (r)
		return r;
	fd = dw_disk_open(path, O_RDONLY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != self)
		return -ENODEV;
	if (ioctl(fd, LOOP_GET_STATUS64, &info))
		return -errno;
	*ret = (dev_t)(info.lo_rdevice ? info.lo_rdevice : info.lo_device);
	return 0;
}

static int loop_backing(const struct dw_machine *m, const char *name, const char *file,
			dev_t self, dev_t *ret)
{
	struct dw_seen_node seen;
	int r;

	if (m->live)
		return ask_loop(m, name, self, ret);
	r = dw_use_backing(m, file, &seen);
	*ret = seen.dev;
	return r;
}

static void loop_unseen(struct scan *s, const char *name, dev_t dev, int err)
{
	char node[80], way[128];

	snprintf(node, sizeof(node), "/dev/%.64s b %u %u", name, major(dev), minor(dev));
	snprintf(way, sizeof(way), "mknod %.100s", node);
	node[strcspn(node, " ")] = '\0';
	dw_uses_unseen(s->u, err == -ENOENT ? way : "",
		       "loop device %s does not say what it stands on (%s)", node,
		       strerror(-err));
}

/* One that goes away by itself when nobody has it open needs no command. */
static int add_loop(void *ctx, const char *dir, const char *name)
{
	struct scan *s = ctx;
	char path[PATH_MAX], file[PATH_MAX], text[96], node[80], command[128] = "";
	struct dw_use use = { .kind = DW_USE_KERNEL, .block = true, .text = text };
	uint64_t autoclear = 0;
	int r;

	if (strncmp(name, "loop", 4) || dw_path(path, "%s/%s", dir, name))
		return 0;
	use.top = dw_sysfs_dev(path);
	if (dw_path(path, "%s/%s/loop", dir, name) ||
	    dw_sysfs_text(path, "backing_file", file, sizeof(file)))
		return 0;
	r = loop_backing(s->m, name, file, use.top, &use.dev);
	if (r && r != -ENXIO)
		loop_unseen(s, name, use.top, r);
	snprintf(node, sizeof(node), "/dev/%.64s", name);
	snprintf(text, sizeof(text), "loop device %s", node);
	if (!dw_sysfs_u64(path, "autoclear", &autoclear) || !autoclear)
		use.release = (char *)dw_shell_command("losetup -d", node, command,
						       sizeof(command));
	return use.dev ? dw_uses_add(s->u, &use) : 0;
}

int dw_uses_kernel(const struct dw_machine *m, struct dw_uses *ret)
{
	struct scan s = { .m = m, .u = ret };
	char dir[PATH_MAX];
	int r = scan_swaps(m, ret);

	if (!r)
		r = dw_path(dir, "%s/class/block", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_loop, &s);
	return r == -ENOMEM ? r : 0;
}

/* Files come before the mounts that they keep busy: so do their commands. */
static int scan_all(const struct dw_machine *m, struct dw_uses *ret)
{
	int r;

	dw_uses_sight(m, ret);
	dw_uses_pnfs(m, ret);
	r = dw_uses_kernel(m, ret);
	if (!r)
		r = dw_uses_exports(m, ret);
	if (!r)
		r = dw_uses_mounts(m, ret);
	if (!r)
		r = dw_uses_openers(m, ret);
	if (!r)
		r = dw_wants_stacks(m, ret);
	if (!r)
		r = dw_wants_files(m, ret);
	return r ? r : dw_wants_boot(m, ret);
}

int dw_uses_scan(const struct dw_machine *m, struct dw_uses *ret)
{
	int r, starved;

	ret->names = dw_names_new(m);
	ret->shelves = dw_shelves_new(m);
	if (!ret->names || !ret->shelves)
		return -ENOMEM;
	dw_sysfs_starved();
	r = scan_all(m, ret);
	starved = dw_sysfs_starved(); /* somebody who was not seen may exist */
	return starved ? starved : r;
}
