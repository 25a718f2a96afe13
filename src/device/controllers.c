/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe controllers of which the kernel shows no namespace, and so no disk: two on one card whose
 * namespaces say the same name, of which it refuses the second; a drive whose namespaces are
 * deleted or detached; a controller that has failed. A list without them hides disks full of data.
 */
#include "device/node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI "pcie" /* others are connections, whose disks may be another machine's */

/** struct controller - @subsystem: its name, empty = not told; @shows: it has a namespace; @io: it
 *  can have one */
struct controller {
	struct dw_disk_info info;
	char subsystem[256];
	bool shows;
	bool io;
};

struct controller_list {
	struct controller *v;
	size_t n;
};

/* "nvme0n1", "ng0n1", and "nvme0c0n1" where the kernel's multipath has the disk itself elsewhere */
static int is_namespace(void *ctx, const char *dir, const char *name)
{
	size_t kind = !strncmp(name, "nvme", 4) ? 4 : !strncmp(name, "ng", 2) ? 2 : 0;
	const char *rest = name + kind + strspn(name + kind, "0123456789c");

	return kind && *rest == 'n' && rest[1] >= '0' && rest[1] <= '9';
}

static int add_controller(void *ctx, const char *dir, const char *name)
{
	struct controller_list *l = ctx;
	struct controller *v, c = { .info = { .wce = -1 } };
	char path[PATH_MAX], type[16];

	if (dw_path(path, "%s/%s", dir, name) ||
	    dw_sysfs_text(path, "transport", c.info.transport,
			  sizeof(c.info.transport)) ||
	    strcmp(c.info.transport, PCI) != 0)
		return 0;
	/* kernels before 5.17 do not tell the type, nor do disks before NVMe 1.4 ("reserved") */
	c.io = dw_sysfs_text(path, "cntrltype", type, sizeof(type)) ||
	       (strcmp(type, "admin") != 0 && strcmp(type, "discovery") != 0);
	dw_sysfs_text(path, "subsysnqn", c.subsystem, sizeof(c.subsystem));
	snprintf(c.info.transport, sizeof(c.info.transport), "nvme");
	snprintf(c.info.sg, sizeof(c.info.sg), "/dev/%.26s", name);
	c.info.sg_dev = dw_sysfs_dev(path);
	dw_sysfs_text(path, "model", c.info.model, sizeof(c.info.model));
	dw_sysfs_text(path, "serial", c.info.serial, sizeof(c.info.serial));
	dw_sysfs_text(path, "firmware_rev", c.info.revision, sizeof(c.info.revision));
	c.shows = dw_sysfs_each(path, is_namespace, NULL) == 1;
	v = reallocarray(l->v, l->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	l->v = v;
	l->v[l->n++] = c;
	return 0;
}

/* Another controller of the same drive shows what it has. */
static bool is_shown_elsewhere(const struct controller_list *l,
			       const struct controller *c)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].shows && c->info.serial[0] &&
		    !strcmp(l->v[i].info.serial, c->info.serial) &&
		    !strcmp(l->v[i].info.model, c->info.model) &&
		    !strcmp(l->v[i].subsystem, c->subsystem))
			return true;
	return false;
}

int dw_nodes_silent(const struct dw_machine *m, struct dw_disk_info **ret, size_t *ret_n)
{
	struct controller_list l = { 0 };
	char dir[PATH_MAX];
	int r = dw_path(dir, "%s/class/nvme", m->sys);

	*ret = NULL;
	*ret_n = 0;
	if (!r)
		r = dw_sysfs_each(dir, add_controller, &l);
	if (r == -ENOENT)
		r = 0;
	if (!r && l.n && !(*ret = calloc(l.n, sizeof(**ret))))
		r = -ENOMEM;
	for (size_t i = 0; i < l.n && !r; i++)
		if (l.v[i].io && !l.v[i].shows && !is_shown_elsewhere(&l, &l.v[i]))
			(*ret)[(*ret_n)++] = l.v[i].info;
	free(l.v);
	return r;
}
