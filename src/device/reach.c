/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel makes a device's nodes as children of the device, some of them in a folder of their
 * class: H:C:T:L/scsi_generic/sg0, nvme0/ng0n1. So they are found as what has a number there. An
 * NVMe namespace has more than one parent: the controllers of its subsystem, and with the kernel's
 * multipath the subsystem. There "n1" at the end of a name tells of which namespace a node is; what
 * does not end so is for all of them.
 */
#include "device/reach.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/node.h"

#define CLASS_DEPTH 1 /* folders of classes below a device */

/**
 * struct reach_search - the nodes of a disk
 * @device: folder of the device that they belong to
 * @namespace: "n1", of an NVMe namespace; else empty
 * @depth: folders between that which is read and a device
 */
struct reach_search {
	const struct dw_machine *m;
	char device[PATH_MAX];
	char namespace[16];
	int depth;
	struct dw_reach *v;
	size_t n;
};

static int add_reach(struct reach_search *s, bool block, dev_t dev, const char *name)
{
	struct dw_reach *v;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].block == block && s->v[i].dev == dev)
			return 0;
	v = reallocarray(s->v, s->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	s->v = v;
	v += s->n++;
	*v = (struct dw_reach){ .block = block, .dev = dev };
	snprintf(v->name, sizeof(v->name), "%.63s", name);
	for (char *p = v->name; (p = strchr(p, '!'));)
		*p = '/';
	return 0;
}

static bool is_block_folder(const struct dw_machine *m, const char *dir, dev_t dev)
{
	char real[PATH_MAX];

	return !dw_sysfs_real(m, true, dev, real) && !strcmp(real, dir);
}

/* Of the block nodes below a device only an NVMe namespace's are one medium. */
static int add_folder(struct reach_search *s, const char *dir, dev_t dev)
{
	bool block = dev && is_block_folder(s->m, dir, dev);
	char parent[PATH_MAX], name[64];

	if (!dev || (block && !s->namespace[0]))
		return 0;
	snprintf(parent, sizeof(parent), "%s", dir);
	dw_path_parent(parent);
	snprintf(name, sizeof(name), "%s%.58s",
		 strcmp(dw_path_base(parent), "bsg") ? "" : "bsg/", dw_path_base(dir));
	return add_reach(s, block, dev, name);
}

/* What a name of an NVMe node says of its namespace: "n1" of nvme0n1, nvme0c1n1 and ng0n1; NULL of
 * nvme0 and hwmon0. */
static const char *namespace_of(const char *name)
{
	const char *at = name + strlen(name), *end = at;

	while (at > name && isdigit((unsigned char)at[-1]))
		at--;
	return at < end && at - name > 1 && at[-1] == 'n' &&
			       isdigit((unsigned char)at[-2])
		       ? at - 1
		       : NULL;
}

static int add_child(void *ctx, const char *dir, const char *name)
{
	struct reach_search *s = ctx;
	const char *namespace = namespace_of(name);
	char path[PATH_MAX];
	dev_t dev;
	int r;

	if ((s->namespace[0] && namespace && strcmp(namespace, s->namespace) != 0) ||
	    dw_path(path, "%s/%s", dir, name))
		return 0;
	dev = dw_sysfs_dev(path);
	if (dev || s->depth == CLASS_DEPTH)
		return add_folder(s, path, dev);
	s->depth++;
	r = dw_sysfs_each_folder(path, add_child, s);
	s->depth--;
	return r == -ENOMEM ? r : 0;
}

/* A device that has a node itself, and those of its children. */
static int add_device(struct reach_search *s, const char *dir)
{
	int r = add_folder(s, dir, dw_sysfs_dev(dir));

	if (!r)
		r = dw_sysfs_each_folder(dir, add_child, s);
	return r == -ENOMEM ? r : 0;
}

static bool is_controller(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] &&
	       strspn(name + 4, "0123456789") == strlen(name + 4);
}

static bool is_subsystem(const char *name)
{
	return !strncmp(name, "nvme-subsys", 11);
}

/* A controller is below what it hangs on; the subsystem has a link to it. */
static int add_controller(void *ctx, const char *dir, const char *name)
{
	char link[PATH_MAX], real[PATH_MAX];

	if (!is_controller(name) || dw_path(link, "%s/%s", dir, name) ||
	    !realpath(link, real))
		return 0;
	return add_device(ctx, real);
}

/* The subsystem of the controller that @device is: 1 found, @device is that now. */
static int find_subsystem(void *ctx, const char *dir, const char *name)
{
	struct reach_search *s = ctx;
	char link[PATH_MAX], real[PATH_MAX];

	if (!is_subsystem(name) || dw_path(link, "%s/%s", dir, name) ||
	    !dw_sysfs_has(link, dw_path_base(s->device)) || !realpath(link, real))
		return 0;
	memcpy(s->device, real, sizeof(real));
	return 1;
}

/* Kernels before 4.15 know no subsystems. */
static int add_nvme(struct reach_search *s, const char *block)
{
	const char *namespace = namespace_of(block);
	char dir[PATH_MAX];
	int r;

	snprintf(s->namespace, sizeof(s->namespace), "%.15s", namespace ? namespace : "");
	if (!is_subsystem(dw_path_base(s->device)) &&
	    !dw_path(dir, "%s/class/nvme-subsystem", s->m->sys))
		dw_sysfs_each(dir, find_subsystem, s);
	r = add_device(s, s->device);
	if (!r && is_subsystem(dw_path_base(s->device)))
		r = dw_sysfs_each(s->device, add_controller, s);
	return r == -ENOMEM ? r : 0;
}

/* The folder of the device that the disk's nodes belong to; false: it has gone, or has none. */
static bool find_device(struct reach_search *s, const struct dw_disk_info *info)
{
	char dir[PATH_MAX], link[PATH_MAX];

	if (!dw_node_scsi_dir(s->m, info, dir))
		return realpath(dir, s->device);
	return !dw_node_block_dir(s->m, info, dir) && !dw_path(link, "%s/device", dir) &&
	       realpath(link, s->device);
}

int dw_reach_list(const struct dw_machine *m, const struct dw_disk_info *info,
		  struct dw_reach **ret, size_t *ret_n)
{
	struct reach_search s = { .m = m };
	int r = 0;

	if (info->block_dev)
		r = add_reach(&s, true, info->block_dev, dw_path_base(info->block));
	if (!r && info->sg_dev)
		r = add_reach(&s, false, info->sg_dev, dw_path_base(info->sg));
	if (!r && find_device(&s, info))
		r = is_controller(dw_path_base(s.device)) ||
				    is_subsystem(dw_path_base(s.device))
			    ? add_nvme(&s, dw_path_base(info->block))
			    : add_device(&s, s.device);
	if (r) {
		free(s.v);
		s = (struct reach_search){ 0 };
	}
	*ret = s.v;
	*ret_n = s.n;
	return r;
}

struct name_search {
	const struct dw_machine *m;
	const char *name;
	int (*fn)(void *ctx, const struct dw_reach *node);
	void *ctx;
};

static int look_in_class(void *ctx, const char *dir, const char *class)
{
	struct name_search *s = ctx;
	struct dw_reach node = { .block = !strcmp(class, "block") };
	char path[PATH_MAX];

	if (dw_path(path, "%s/%s/%s", dir, class, s->name))
		return 0;
	node.dev = dw_sysfs_dev(path);
	snprintf(node.name, sizeof(node.name), "%.63s", s->name);
	return node.dev ? s->fn(s->ctx, &node) : 0;
}

int dw_reach_named(const struct dw_machine *m, const char *name,
		   int (*fn)(void *ctx, const struct dw_reach *node), void *ctx)
{
	struct name_search s = { .m = m, .name = name, .fn = fn, .ctx = ctx };
	char dir[PATH_MAX];
	int r;

	if (!name[0] || strchr(name, '/') || dw_path(dir, "%s/class", m->sys))
		return 0;
	r = dw_sysfs_each(dir, look_in_class, &s);
	return r == -ENOENT ? 0 : r;
}
