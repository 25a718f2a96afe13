/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes that are mapped: a mapping outlives its descriptor, and can write. maps gives the
 * number of the node's inode, not of the device, so each file is looked at once through
 * map_files. Processes map the same files, hence the memory of what each was: a machine of 500
 * processes has some hundred.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "judge/inuse.h"

/* Subvolumes of btrfs share numbers, so the path counts as well. */
struct file {
	unsigned int major;
	unsigned int minor;
	uint64_t inode;
	struct dw_seen_node node;
	char path[];
};

struct dw_mappings {
	void *files; /* a tree of tsearch() */
};

int dw_seen_node(const char *path, struct dw_seen_node *ret)
{
	struct statx st;

	*ret = (struct dw_seen_node){ 0 };
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &st))
		return -errno;
	ret->block = S_ISBLK(st.stx_mode);
	ret->dev = makedev(st.stx_rdev_major, st.stx_rdev_minor);
	/* memory and terminal devices are open everywhere */
	ret->found = ret->block || (S_ISCHR(st.stx_mode) && st.stx_rdev_major > 5 &&
				    st.stx_rdev_major != 136);
	return 0;
}

struct dw_mappings *dw_mappings_new(void)
{
	return calloc(1, sizeof(struct dw_mappings));
}

void dw_mappings_free(struct dw_mappings *k)
{
	if (!k)
		return;
	tdestroy(k->files, free);
	free(k);
}

static bool is_denied(int r)
{
	return r == -EACCES || r == -EPERM;
}

static int compare(const void *x, const void *y)
{
	const struct file *a = x, *b = y;

	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* One line of maps: "START-END PERMS OFFSET MAJOR:MINOR INODE   PATH". */
static struct file *parse_mapping(const char *line, char *ret_range, size_t len)
{
	unsigned int major, minor;
	uint64_t start, end, inode;
	struct file *f;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64 " %n", &start,
		   &end, &major, &minor, &inode, &at) != 5 ||
	    !inode || !at)
		return NULL;
	snprintf(ret_range, len, "%" PRIx64 "-%" PRIx64, start, end);
	f = calloc(1, sizeof(*f) + strlen(line + at) + 1);
	if (!f)
		return NULL;
	f->major = major;
	f->minor = minor;
	f->inode = inode;
	strcpy(f->path, line + at);
	return f;
}

/* What one mapped file is: from the memory, or examined and added to it. */
static int look(struct dw_mappings *k, const char *dir, const char *line,
		struct dw_seen_node *ret)
{
	static const char ring[] = "anon_inode:[io_uring]";
	char range[48], path[PATH_MAX];
	struct file *f = parse_mapping(line, range, sizeof(range)), **known;
	int r;

	*ret = (struct dw_seen_node){ 0 };
	if (!f)
		return 0;
	if (!strncmp(f->path, ring, strlen(ring))) {
		ret->ring = f->inode;
		free(f);
		return 0;
	}
	known = tsearch(f, &k->files, compare);
	if (!known || *known != f) {
		free(f);
		*ret = known ? (*known)->node : *ret;
		return known ? 0 : -ENOMEM;
	}
	r = dw_path(path, "%s/map_files/%s", dir, range);
	if (!r)
		r = dw_seen_node(path, &f->node);
	if (is_denied(r)) /* once for a process that ends, which openers.c reports */
		r = dw_seen_node(path, &f->node);
	*ret = f->node;
	if (!r)
		return 0;
	tdelete(f, &k->files, compare);
	free(f);
	return is_denied(r) ? r : 0; /* else unmapped by now */
}

int dw_mappings_scan(struct dw_mappings *k, const char *dir,
		     int (*fn)(void *ctx, const struct dw_seen_node *node), void *ctx)
{
	char path[PATH_MAX], *line = NULL;
	struct dw_seen_node node;
	bool none = true;
	size_t size = 0;
	int r = dw_path(path, "%s/maps", dir);
	FILE *f = r ? NULL : fopen(path, "re");

	if (!f && !r && is_denied(-errno))
		f = fopen(path, "re");
	if (!f)
		return r ? r : is_denied(-errno) || errno == ESRCH ? -errno : 0;
	while (!r && getline(&line, &size, f) > 0) {
		none = false;
		r = look(k, dir, line, &node);
		if (!r && (node.found || node.ring))
			r = fn(ctx, &node);
	}
	free(line);
	fclose(f);
	return r || !none ? r : -ESRCH;
}
