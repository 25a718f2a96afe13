/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who has a disk open: the descriptors, mappings and io_uring tables of all processes that lead
 * to a block node, or to a character node (only those that reach a disk are ever asked for:
 * src/device/reach.c). A thread with a descriptor table of its own counts by itself. A process
 * that cannot be examined makes the snapshot incomplete. A process or thread that ends at this
 * moment gives "Permission denied" as well, but only once: it is missing when it is asked again.
 *
 * Descriptors and mappings come from the kernel. The table of a ring consists of names chosen by
 * whoever made the files, and it is shown only while nobody uses the ring. It counts, or counts
 * as unseen, if the process could have opened a disk. A ring may exist without a descriptor,
 * registered with a thread or just mapped: then its table cannot be read at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "device/reach.h"
#include "judge/inuse.h"
#include "judge/process.h"

#define RING_TRIES 200
#define PF_KTHREAD 0x00200000u /* include/linux/sched.h */

/**
 * struct ring - an io_uring of a process that could have opened a disk
 * @read: somebody has a descriptor of it
 * @pid, @comm: who has it mapped
 */
struct ring {
	uint64_t inode;
	bool read;
	pid_t pid;
	char comm[64];
};

struct rings {
	struct ring *v;
	size_t n;
};

struct process {
	const struct dw_machine *m;
	struct dw_uses *u;
	struct dw_mappings *mappings;
	struct dw_rights *rights;
	struct rings *rings;
	pid_t self;
	const char *pid;
	int hidden; /* negative errno: something of it was not to be seen */
	enum { ABLE_UNKNOWN, ABLE_NO, ABLE_YES } able; /* to open a disk */
};

static bool is_hidden(int r)
{
	return r == -EACCES || r == -EPERM;
}

static void comm_of(const struct process *p, char *ret, size_t len)
{
	char dir[PATH_MAX];

	if (dw_path(dir, "%s/%s", p->m->proc, p->pid) ||
	    dw_sysfs_text(dir, "comm", ret, len))
		strcpy(ret, "?");
}

/* The multipathd of this machine is the file that its package installed, run by root: anybody can
 * choose that name. */
static bool is_multipathd(const struct process *p)
{
	static const char *const places[] = { "/usr/sbin/multipathd", "/sbin/multipathd",
					      "/usr/bin/multipathd" };
	char path[PATH_MAX], dir[PATH_MAX];
	struct stat exe, place, proc;

	if (dw_path(dir, "%s/%s", p->m->proc, p->pid) || stat(dir, &proc) ||
	    proc.st_uid || dw_path(path, "%s/exe", dir) || stat(path, &exe) ||
	    !S_ISREG(exe.st_mode) || exe.st_uid || exe.st_mode & (S_IWGRP | S_IWOTH))
		return false;
	for (size_t i = 0; i < DW_ARRAY_SIZE(places); i++)
		if (!stat(places[i], &place) && place.st_dev == exe.st_dev &&
		    place.st_ino == exe.st_ino)
			return true;
	return false;
}

static int add_seen_node(void *ctx, const struct dw_seen_node *node)
{
	const struct process *p = ctx;
	char comm[64];
	struct dw_use use = { .kind = DW_USE_OPEN,
			      .block = node->block,
			      .dev = node->dev,
			      .pid = atoi(p->pid),
			      .text = comm };

	comm_of(p, comm, sizeof(comm));
	use.keeper = node->block && is_multipathd(p);
	return dw_uses_add(p->u, &use);
}

static bool may_open(struct process *p)
{
	if (p->able == ABLE_UNKNOWN)
		p->able = dw_process_may_open(p->rights, p->pid) ? ABLE_YES : ABLE_NO;
	return p->able == ABLE_YES;
}

static int note_ring(const struct process *p, uint64_t inode, bool read)
{
	struct rings *rings = p->rings;
	struct ring *v = rings->v;

	for (size_t i = 0; i < rings->n; i++)
		if (v[i].inode == inode) {
			v[i].read |= read;
			return 0;
		}
	v = reallocarray(v, rings->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	rings->v = v;
	v += rings->n++;
	*v = (struct ring){ .inode = inode, .read = read, .pid = atoi(p->pid) };
	comm_of(p, v->comm, sizeof(v->comm));
	return 0;
}

static int add_mapping(void *ctx, const struct dw_seen_node *node)
{
	struct process *p = ctx;

	if (!node->ring)
		return add_seen_node(p, node);
	return may_open(p) ? note_ring(p, node->ring, false) : 0;
}

static int add_named_node(void *ctx, const struct dw_reach *node)
{
	const struct dw_seen_node seen = { .found = true,
					   .block = node->block,
					   .dev = node->dev };

	return add_seen_node(ctx, &seen);
}

/* Newer kernels write a path, as the process sees it; older ones the last name. */
static int add_ring_file(struct process *p, char *text)
{
	struct dw_seen_node node = { 0 };
	char path[PATH_MAX];

	text[strcspn(text, "\n")] = '\0';
	dw_proc_unescape(text);
	if (text[0] == '/' && !dw_path(path, "%s/%s/root%s", p->m->proc, p->pid, text) &&
	    !dw_seen_node(path, &node))
		return node.found ? add_seen_node(p, &node) : 0;
	return dw_reach_named(p->m, dw_path_base(text), add_named_node, p);
}

/* Kernels before 5.14 do not say it here, and have one inode for all rings. */
static uint64_t inode_of(const char *fd_dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return dw_path(path, "%s/%s", fd_dir, name) || stat(path, &st) ? 0 : st.st_ino;
}

/* Reads the table of a ring once; 1 = the ring is in use just now, and the table is not shown.
 * Newer kernels show nothing then. */
static int read_ring(struct process *p, const char *path, uint64_t *ret_inode)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned int files = 0, reported = 0;
	bool counted = false;
	int r = 0, at;

	if (!f)
		return 0;
	while (!r && getline(&line, &size, f) > 0) {
		if (sscanf(line, "UserFiles: %u", &files) == 1) {
			counted = true;
			continue;
		}
		if (!strncmp(line, "UserBufs:", 9))
			break;
		if (sscanf(line, "ino: %" SCNu64, ret_inode) == 1)
			continue;
		at = 0;
		if (!files || sscanf(line, " %*u: %n", &at) < 0 || !at)
			continue;
		reported++;
		r = add_ring_file(p, line + at);
	}
	free(line);
	fclose(f);
	return r ? r : !counted || (files && !reported);
}

static int add_ring(struct process *p, const char *fd_dir, const char *name)
{
	static const struct timespec moment = { .tv_nsec = DW_NS_PER_MS };
	char path[PATH_MAX];
	uint64_t inode = inode_of(fd_dir, name);
	int r = dw_path(path, "%sinfo/%s", fd_dir, name);

	if (!may_open(p))
		return 0;
	for (int i = 0; !r && i < RING_TRIES; i++) {
		r = read_ring(p, path, &inode);
		if (r != 1)
			return r ? r : note_ring(p, inode, true);
		r = nanosleep(&moment, NULL) && errno != EINTR ? -errno : 0;
	}
	p->hidden = -EBUSY;
	return r == -ENAMETOOLONG ? r : note_ring(p, inode, true);
}

/* A descriptor that only names the node, O_PATH, which gives no right and holds nothing. */
static bool only_names(const char *fd_dir, const char *name)
{
	char path[PATH_MAX], *line = NULL;
	unsigned int flags = 0;
	size_t size = 0;
	FILE *f = dw_path(path, "%sinfo/%s", fd_dir, name) ? NULL : fopen(path, "re");

	while (f && getline(&line, &size, f) > 0 &&
	       sscanf(line, "flags: %o", &flags) != 1)
		continue;
	free(line);
	if (f)
		fclose(f);
	return flags & O_PATH;
}

/* Only links that look like a path are followed. */
static int add_descriptor(void *ctx, const char *dir, const char *name)
{
	static const char ring[] = "anon_inode:[io_uring]";
	char path[PATH_MAX], link[32] = "";
	struct process *p = ctx;
	struct dw_seen_node node;

	if (dw_path(path, "%s/%s", dir, name))
		return 0;
	if (readlink(path, link, sizeof(link) - 1) < 1 &&
	    (!is_hidden(-errno) || readlink(path, link, sizeof(link) - 1) < 1)) {
		if (is_hidden(-errno))
			p->hidden = -errno;
		return 0;
	}
	if (!strcmp(link, ring))
		return add_ring(p, dir, name);
	if (link[0] != '/' || dw_seen_node(path, &node) || !node.found ||
	    only_names(dir, name))
		return 0;
	return add_seen_node(p, &node);
}

static bool same_table(const char *pid, const char *tid)
{
	return syscall(SYS_kcmp, atoi(pid), atoi(tid), KCMP_FILES, 0, 0) == 0;
}

static int scan_descriptors(struct process *p, const char *dir)
{
	char path[PATH_MAX];
	int r = dw_path(path, "%s/fd", dir);

	if (!r)
		r = dw_sysfs_each(path, add_descriptor, p);
	if (is_hidden(r))
		r = dw_sysfs_each(path, add_descriptor, p);
	if (is_hidden(r))
		p->hidden = r;
	return r;
}

static int add_thread(void *ctx, const char *dir, const char *name)
{
	struct process *p = ctx;
	char path[PATH_MAX];
	int r;

	if (!strcmp(name, p->pid) || same_table(p->pid, name) ||
	    dw_path(path, "%s/%s", dir, name))
		return 0;
	r = scan_descriptors(p, path);
	return r == -ENOMEM ? r : 0;
}

/* Most processes have one thread: a folder with two links and one more. */
static int scan_threads(struct process *p, const char *dir)
{
	char path[PATH_MAX];
	struct stat st;
	int r = dw_path(path, "%s/task", dir);

	if (r || stat(path, &st) || st.st_nlink == 3)
		return r;
	r = dw_sysfs_each(path, add_thread, p);
	return r == -ENOMEM ? r : 0;
}

/* One that continues without its first thread has its memory; each is a folder of its own as well,
 * though none is listed. */
static int add_memory(void *ctx, const char *dir, const char *name)
{
	struct process *p = ctx;
	char path[PATH_MAX];
	int r;

	(void)dir;
	if (!strcmp(name, p->pid) || dw_path(path, "%s/%s", p->m->proc, name))
		return 0;
	r = dw_mappings_scan(p->mappings, path, add_mapping, p);
	return r == -ESRCH ? 0 : r ? r : 1;
}

static int scan_memory(struct process *p, const char *dir)
{
	char path[PATH_MAX];
	int r = dw_mappings_scan(p->mappings, dir, add_mapping, p);

	if (r != -ESRCH || dw_path(path, "%s/task", dir))
		return r == -ESRCH ? 0 : r;
	r = dw_sysfs_each(path, add_memory, p);
	return r == 1 || r == -ENOENT ? 0 : r;
}

/* It exists, although its folder does not show it. */
static bool is_covered(const struct process *p, int r)
{
	return p->m->live && r == -ENOENT && (!kill(atoi(p->pid), 0) || errno == EPERM);
}

/*
 * It has no descriptors and no memory of its own, and there are hundreds. proc_pid_stat(5): the
 * flags are the seventh field after a name that a process chooses. The name may hold parentheses,
 * numbers and newlines; it ends at the last parenthesis of the file, not of a line.
 */
static bool is_kernel_thread(const char *dir)
{
	char path[PATH_MAX], text[512];
	dw_autoclose int fd = -1;
	const char *at;
	unsigned int flags;
	ssize_t n;

	if (dw_path(path, "%s/stat", dir))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	at = strrchr(text, ')');
	return at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
}

static int scan_process(struct process *p)
{
	char dir[PATH_MAX];
	int r = dw_path(dir, "%s/%s", p->m->proc, p->pid);

	if (!r && is_kernel_thread(dir))
		return 0;
	if (!r)
		r = scan_descriptors(p, dir);
	if (is_covered(p, r) && is_covered(p, scan_descriptors(p, dir)))
		p->hidden = r;
	if (r == -ENOMEM)
		return r;
	r = scan_threads(p, dir);
	if (!r)
		r = scan_memory(p, dir);
	if (is_hidden(r))
		p->hidden = r;
	return r == -ENOMEM ? r : 0;
}

static int add_process(void *ctx, const char *dir, const char *name)
{
	struct process *p = ctx;
	char comm[64];
	int r;

	if (name[0] < '0' || name[0] > '9' || atoi(name) == p->self)
		return 0;
	p->pid = name;
	p->hidden = 0;
	p->able = ABLE_UNKNOWN;
	r = scan_process(p);
	if (r || !p->hidden)
		return r;
	comm_of(p, comm, sizeof(comm));
	dw_uses_unseen(p->u, "", "process %s (%.60s) cannot be looked into (%s)", name,
		       comm, strerror(-p->hidden));
	return 0;
}

/* Once all processes have been seen: a ring may be mapped in one, and open in another. */
static void report_rings(const struct rings *rings, struct dw_uses *ret)
{
	for (size_t i = 0; i < rings->n; i++)
		if (!rings->v[i].read)
			dw_uses_unseen(ret, "",
				       "process %d (%.60s) has an io_uring without a "
				       "descriptor, which cannot be looked into",
				       (int)rings->v[i].pid, rings->v[i].comm);
}

int dw_uses_openers(const struct dw_machine *m, struct dw_uses *ret)
{
	struct rings rings = { 0 };
	struct process p = { .m = m,
			     .u = ret,
			     .mappings = dw_mappings_new(),
			     .rights = dw_rights_new(m),
			     .rings = &rings,
			     .self = getpid() };
	int r = p.mappings && p.rights ? dw_sysfs_each(m->proc, add_process, &p)
				       : -ENOMEM;

	if (r && r != -ENOMEM)
		dw_uses_unseen(ret, "", "%s cannot be read (%s)", m->proc, strerror(-r));
	report_rings(&rings, ret);
	free(rings.v);
	dw_rights_free(p.rights);
	dw_mappings_free(p.mappings);
	return r == -ENOMEM ? r : 0;
}
