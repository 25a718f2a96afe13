/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/process.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

/* "user:[4026531837]"; false = a kernel without user namespaces, or none to be told. */
static bool user_namespace(const struct dw_machine *m, const char *pid, char ret[64])
{
	char path[PATH_MAX];
	ssize_t n = dw_path(path, "%s/%s/ns/user", m->proc, pid)
			    ? -1
			    : readlink(path, ret, 63);

	ret[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static bool same_user_namespace(const struct dw_machine *m, const char *pid)
{
	char own[64], its[64];

	return !user_namespace(m, "self", own) ||
	       (user_namespace(m, pid, its) && !strcmp(own, its));
}

/* The namespace has an owner, which need not be that of the process. */
static bool owns_mounts(const struct dw_machine *m, const char *pid)
{
	dw_autoclose int mounts = -1, owner = -1;
	char path[PATH_MAX], text[64];
	struct stat own, its;

	if (!m->live)
		return same_user_namespace(m, pid);
	if (!user_namespace(m, "self", text))
		return true;
	if (dw_path(path, "%s/%s/ns/mnt", m->proc, pid))
		return false;
	mounts = open(path, O_RDONLY | O_CLOEXEC);
	owner = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
	return owner >= 0 && !fstat(owner, &its) &&
	       !dw_path(path, "%s/self/ns/user", m->proc) && !stat(path, &own) &&
	       own.st_dev == its.st_dev && own.st_ino == its.st_ino;
}

bool dw_process_apart(const struct dw_machine *m, const char *pid)
{
	char path[PATH_MAX], root[4] = "";

	/* the kernel says where it is in the namespace */
	return !owns_mounts(m, pid) || dw_path(path, "%s/%s/root", m->proc, pid) ||
	       readlink(path, root, sizeof(root) - 1) < 0 || strcmp(root, "/") != 0;
}
