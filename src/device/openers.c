/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who has a disk open: the descriptors of all processes that lead to a block node, or to
 * a character node (of which only sg and bsg numbers are ever asked for). Only links
 * that look like a path are followed, and without asking a remote file server.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/inuse.h"

struct process {
	const struct dw_machine *m;
	struct dw_uses *u;
	const char *pid;
};

static int add_opener(const struct process *p, bool block, dev_t dev)
{
	char comm[64], dir[PATH_MAX];
	struct dw_use use = { .kind = DW_USE_OPEN,
			      .block = block,
			      .dev = dev,
			      .pid = atoi(p->pid),
			      .text = comm };

	if (dw_path(dir, "%s/%s", p->m->proc, p->pid) ||
	    dw_sysfs_text(dir, "comm", comm, sizeof(comm)))
		strcpy(comm, "?");
	return dw_uses_add(p->u, &use);
}

static int add_descriptor(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX], link[8];
	struct statx st;

	if (dw_path(path, "%s/%s", dir, name) || readlink(path, link, sizeof(link)) < 1 ||
	    link[0] != '/')
		return 0;
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &st))
		return 0;
	if (!S_ISBLK(st.stx_mode) && !S_ISCHR(st.stx_mode))
		return 0;
	/* memory and terminal devices are open everywhere */
	if (S_ISCHR(st.stx_mode) && (st.stx_rdev_major <= 5 || st.stx_rdev_major == 136))
		return 0;
	return add_opener(ctx, S_ISBLK(st.stx_mode),
			  makedev(st.stx_rdev_major, st.stx_rdev_minor));
}

static int add_process(void *ctx, const char *dir, const char *name)
{
	struct process *p = ctx;
	char path[PATH_MAX];
	int r;

	if (name[0] < '0' || name[0] > '9' || atoi(name) == getpid() ||
	    dw_path(path, "%s/%s/fd", dir, name))
		return 0;
	p->pid = name;
	r = dw_sysfs_each(path, add_descriptor, p);
	return r == -ENOMEM ? r : 0;
}

int dw_uses_openers(const struct dw_machine *m, struct dw_uses *ret)
{
	struct process p = { .m = m, .u = ret };
	int r = dw_sysfs_each(m->proc, add_process, &p);

	return r == -ENOMEM ? r : 0;
}
