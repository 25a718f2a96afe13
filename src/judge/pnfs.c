/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NFS with pNFS block or SCSI layouts: the client in the kernel opens the server's disks without a
 * claim and writes to them past the server (fs/nfs/blocklayout). No interface of the kernel reports
 * to which, only that a mount does so: the line "nfsv4:" of /proc/PID/mountstats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file.h"
#include "judge/inuse.h"

/**
 * struct pnfs_scan - the mounts of the machine's namespaces
 * @last: the mount namespace that was read last
 */
struct pnfs_scan {
	const struct dw_machine *m;
	struct dw_uses *u;
	char last[64];
};

static bool is_block_layout(const char *line)
{
	return !strncmp(line, "\tnfsv4:", 7) &&
	       (strstr(line, "pnfs=LAYOUT_BLOCK_VOLUME") ||
		strstr(line, "pnfs=LAYOUT_SCSI"));
}

/* "device S mounted on PLACE with fstype nfs4 statvers=1.1" */
static bool parse_place(char *line, char *ret, size_t len)
{
	static const char before[] = " mounted on ";
	char *at, *end;

	if (strncmp(line, "device ", 7) != 0 || !(at = strstr(line, before)) ||
	    !(end = strstr(at, " with fstype ")))
		return false;
	*end = '\0';
	snprintf(ret, len, "%s", at + strlen(before));
	dw_proc_unescape(ret);
	return true;
}

static void report(const struct pnfs_scan *s, const char *process, const char *place)
{
	char command[128] = "";

	if (!strcmp(process, "self"))
		dw_shell_command("umount", place, command, sizeof(command));
	dw_uses_unseen(s->u, command,
		       "the NFS mount at %.60s (process %s) writes to disks by itself "
		       "(pNFS), and the kernel does not say to which",
		       place, process);
}

static int read_mountstats(struct pnfs_scan *s, const char *process)
{
	char path[PATH_MAX], place[PATH_MAX] = "", *line = NULL;
	size_t size = 0;
	FILE *f;
	int r = dw_path(path, "%s/%s/mountstats", s->m->proc, process);

	f = r ? NULL : fopen(path, "re");
	if (!f)
		return r;
	while (getline(&line, &size, f) > 0)
		if (!parse_place(line, place, sizeof(place)) && is_block_layout(line)) {
			report(s, process, place);
			r = 1;
			break;
		}
	free(line);
	fclose(f);
	return r;
}

/* Processes of one namespace mostly follow each other. */
static int look_at_process(void *ctx, const char *dir, const char *name)
{
	struct pnfs_scan *s = ctx;
	char path[PATH_MAX], link[64] = "";

	if ((strcmp(name, "self") && (name[0] < '0' || name[0] > '9')) ||
	    dw_path(path, "%s/%s/ns/mnt", dir, name) ||
	    readlink(path, link, sizeof(link) - 1) < 1 || !strcmp(link, s->last))
		return 0;
	strcpy(s->last, link);
	return read_mountstats(s, name);
}

void dw_uses_pnfs(const struct dw_machine *m, struct dw_uses *ret)
{
	struct pnfs_scan s = { .m = m, .u = ret };
	char path[PATH_MAX];

	if (dw_path(path, "%s/module", m->sys) || !dw_sysfs_has(path, "nfs"))
		return;
	if (!look_at_process(&s, m->proc, "self"))
		dw_sysfs_each(m->proc, look_at_process, &s);
}
