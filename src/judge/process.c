/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of processes that cannot be forged. An unprivileged user can choose processes,
 * names, files and namespaces, but not the owner of a namespace, nor a right to open a disk.
 */
#include "judge/process.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/util.h"

/* "user:[4026531837]"; false = the kernel has no user namespaces, or does not show it. */
static bool user_namespace(const struct dw_machine *m, const char *pid, char ret[64])
{
	char path[PATH_MAX];
	ssize_t n = dw_path(path, "%s/%s/ns/user", m->proc, pid)
			    ? -1
			    : readlink(path, ret, 63);

	ret[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

enum owner { OURS, STRANGERS, UNKNOWN };

static enum owner owner_of_process(const struct dw_machine *m, const char *pid)
{
	char own[64], its[64];

	if (!user_namespace(m, "self", own))
		return OURS;
	if (!user_namespace(m, pid, its))
		return UNKNOWN;
	return strcmp(own, its) ? STRANGERS : OURS;
}

/* The namespace has an owner, which need not be that of the process. */
static enum owner owner_of_mounts(const struct dw_machine *m, const char *pid)
{
	dw_autoclose int mounts = -1, owner = -1;
	char path[PATH_MAX], text[64];
	struct stat own, its;

	if (!m->live)
		return owner_of_process(m, pid);
	if (!user_namespace(m, "self", text))
		return OURS;
	if (dw_path(path, "%s/%s/ns/mnt", m->proc, pid))
		return UNKNOWN;
	mounts = open(path, O_RDONLY | O_CLOEXEC);
	owner = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
	if (owner < 0 || fstat(owner, &its) ||
	    dw_path(path, "%s/self/ns/user", m->proc) || stat(path, &own))
		return UNKNOWN;
	return own.st_dev == its.st_dev && own.st_ino == its.st_ino ? OURS : STRANGERS;
}

bool dw_process_foreign(const struct dw_machine *m, const char *pid)
{
	return owner_of_mounts(m, pid) == STRANGERS;
}

bool dw_process_apart(const struct dw_machine *m, const char *pid)
{
	char path[PATH_MAX], root[4] = "";

	/* the kernel reports where it is in the namespace */
	return owner_of_mounts(m, pid) != OURS ||
	       dw_path(path, "%s/%s/root", m->proc, pid) ||
	       readlink(path, root, sizeof(root) - 1) < 0 || strcmp(root, "/") != 0;
}

/**
 * struct dw_rights - users and groups whose disks' nodes are
 * @anybody: at least one node is open to all, or to whom a list of its own names
 * @user, @n_users, @group, @n_groups: each once
 */
struct dw_rights {
	const struct dw_machine *m;
	bool anybody;
	unsigned int *user;
	size_t n_users;
	unsigned int *group;
	size_t n_groups;
};

static bool is_among(unsigned int id, const unsigned int *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return false;
}

static bool add_id(unsigned int id, unsigned int **v, size_t *n)
{
	unsigned int *more;

	if (is_among(id, *v, *n))
		return true;
	more = reallocarray(*v, *n + 1, sizeof(id));
	if (!more)
		return false;
	*v = more;
	more[(*n)++] = id;
	return true;
}

/* Without memory everybody has the right. */
static void add_node(struct dw_rights *r, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !(S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)))
		return;
	r->anybody |= (st.st_mode & (S_IROTH | S_IWOTH)) ||
		      getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
	if (st.st_mode & (S_IRUSR | S_IWUSR))
		r->anybody |= !add_id(st.st_uid, &r->user, &r->n_users);
	if (st.st_mode & (S_IRGRP | S_IWGRP))
		r->anybody |= !add_id(st.st_gid, &r->group, &r->n_groups);
}

struct rights_scan {
	struct dw_rights *r;
	const char *dev; /* the folder of the nodes */
};

/* Optical drives and tapes, which sysfs reports by their type, are open to many. */
static int add_class_node(void *ctx, const char *dir, const char *name)
{
	struct rights_scan *s = ctx;
	char path[PATH_MAX], node[PATH_MAX];
	uint64_t type;

	if (dw_path(path, "%s/%s/device", dir, name) ||
	    dw_path(node, "%s/%s", s->dev, name))
		return 0;
	if (!dw_sysfs_u64(path, "type", &type) || !type || type == 7 || type == 14 ||
	    type == 20)
		add_node(s->r, node);
	return 0;
}

static void read_rights(struct dw_rights *r, const char *dev)
{
	static const struct {
		const char *class, *folder;
	} classes[] = { { "block", "" },
			{ "scsi_generic", "" },
			{ "bsg", "/bsg" },
			{ "nvme", "" },
			{ "nvme-generic", "" } };
	char dir[PATH_MAX], nodes[PATH_MAX];
	struct rights_scan s = { .r = r, .dev = nodes };

	for (size_t i = 0; i < DW_ARRAY_SIZE(classes); i++)
		if (!dw_path(dir, "%s/class/%s", r->m->sys, classes[i].class) &&
		    !dw_path(nodes, "%s%s", dev, classes[i].folder))
			dw_sysfs_each(dir, add_class_node, &s);
}

static void drop_rights(struct dw_rights *r)
{
	free(r->user);
	free(r->group);
}

struct dw_rights *dw_rights_new(const struct dw_machine *m)
{
	struct dw_rights *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->m = m;
	read_rights(r, m->dev);
	return r;
}

void dw_rights_free(struct dw_rights *r)
{
	if (!r)
		return;
	drop_rights(r);
	free(r);
}

/* Numbers after the name of a line of status; true = one of them is in @v. */
static bool has_id(const char *text, const unsigned int *v, size_t n)
{
	unsigned int id;
	int at;

	for (; sscanf(text, " %u%n", &id, &at) == 1; text += at)
		if (is_among(id, v, n))
			return true;
	return false;
}

/* One line of status: does it give the right? */
static bool line_gives(const struct dw_rights *r, const char *line, bool own)
{
	unsigned long long caps;

	if (!strncmp(line, "Uid:", 4))
		return has_id(line + 4, r->user, r->n_users);
	if (!strncmp(line, "Gid:", 4))
		return has_id(line + 4, r->group, r->n_groups);
	if (!strncmp(line, "Groups:", 7))
		return has_id(line + 7, r->group, r->n_groups);
	return own && sscanf(line, "CapPrm: %llx", &caps) == 1 && caps;
}

static bool status_gives(const struct dw_rights *r, const char *pid, bool own)
{
	char path[PATH_MAX], *line = NULL;
	bool gives = r->anybody;
	size_t size = 0;
	FILE *f;

	if (gives || dw_path(path, "%s/%s/status", r->m->proc, pid) ||
	    !(f = fopen(path, "re")))
		return true;
	while (!gives && getline(&line, &size, f) > 0)
		gives = line_gives(r, line, own);
	free(line);
	fclose(f);
	return gives;
}

/* libvirt gives each machine a /dev with nodes of its user. */
static bool own_dev_gives(const struct dw_machine *m, const char *pid)
{
	struct dw_rights its = { .m = m };
	char dev[PATH_MAX];
	bool gives = true;

	if (!dw_path(dev, "%s/%s/root/dev", m->proc, pid)) {
		read_rights(&its, dev);
		gives = status_gives(&its, pid, true);
	}
	drop_rights(&its);
	return gives;
}

bool dw_process_may_open(const struct dw_rights *r, const char *pid)
{
	bool own = owner_of_process(r->m, pid) == OURS;

	return status_gives(r, pid, own) ||
	       (own && owner_of_mounts(r->m, pid) == OURS && own_dev_gives(r->m, pid));
}
