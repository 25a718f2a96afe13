/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether this process can see all others. A search that finds nobody proves something only if it
 * could have found somebody. That requires the kernel's own /proc, of the initial PID and user
 * namespaces, and the capabilities to examine processes of others, which also overrule hidepid.
 * Anything else that hides a process shows when its folder is opened.
 */
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "judge/inuse.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* Numbers that the kernel gives its first namespaces: include/linux/proc_ns.h. */
#define FIRST_PID_NS  0xeffffffcu
#define FIRST_USER_NS 0xeffffffdu

/* -1 = not known: a kernel without namespaces has no such link. */
static long long namespace_number(const struct dw_machine *m, const char *kind)
{
	char path[PATH_MAX], link[64] = "", *colon;

	if (dw_path(path, "%s/self/ns/%s", m->proc, kind) ||
	    readlink(path, link, sizeof(link) - 1) < 0)
		return -1;
	colon = strchr(link, '[');
	return colon ? strtoll(colon + 1, NULL, 10) : -1;
}

static bool is_procfs_of_ours(const struct dw_machine *m, struct dw_uses *u)
{
	char path[PATH_MAX], link[32] = "";
	struct statfs fs;

	if (statfs(m->proc, &fs) || fs.f_type != PROC_SUPER_MAGIC) {
		dw_uses_unseen(u, "mount -t proc proc /proc",
			       "%s is not the kernel's list of processes", m->proc);
		return false;
	}
	if (dw_path(path, "%s/self", m->proc) ||
	    readlink(path, link, sizeof(link) - 1) < 0 || atoi(link) != getpid()) {
		dw_uses_unseen(u, "", "%s is of another PID namespace than diskwipe",
			       m->proc);
		return false;
	}
	return true;
}

/* A namespace of its own shows its own processes only. */
static bool in_first_namespaces(const struct dw_machine *m, struct dw_uses *u)
{
	long long pid = namespace_number(m, "pid"), user = namespace_number(m, "user");

	if (pid >= 0 && pid != FIRST_PID_NS)
		dw_uses_unseen(u, "",
			       "diskwipe runs in a PID namespace of its own: give the "
			       "container --pid=host, or run it outside");
	else if (user >= 0 && user != FIRST_USER_NS)
		dw_uses_unseen(u, "",
			       "diskwipe runs in a user namespace of its own: run it as "
			       "root outside of any, a container without user mapping");
	return !u->unseen[0];
}

static bool has(uint64_t caps, int cap)
{
	return caps >> cap & 1;
}

static void check_capabilities(const struct dw_machine *m, struct dw_uses *u)
{
	char path[PATH_MAX], *line = NULL;
	unsigned long long caps = 0;
	const char *missing = NULL;
	size_t size = 0;
	FILE *f;

	if (dw_path(path, "%s/self/status", m->proc) || !(f = fopen(path, "re")))
		f = NULL;
	while (f && getline(&line, &size, f) > 0)
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	free(line);
	if (f)
		fclose(f);
	if (!has(caps, CAP_SYS_PTRACE))
		missing = "CAP_SYS_PTRACE";
	else if (!has(caps, CAP_SYS_ADMIN) && !has(caps, CAP_CHECKPOINT_RESTORE))
		missing = "CAP_SYS_ADMIN";
	if (missing)
		dw_uses_unseen(
			u, "",
			"diskwipe lacks %s: run it as root with all capabilities, a "
			"container with --privileged",
			missing);
}

void dw_uses_sight(const struct dw_machine *m, struct dw_uses *ret)
{
	if (m->live && !is_procfs_of_ours(m, ret))
		return;
	if (in_first_namespaces(m, ret) && m->live)
		check_capabilities(m, ret);
}
