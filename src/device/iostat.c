/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/iostat.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/device.h"
#include "device/node.h"

#define MOST 1024 /* disks looked at */

struct dw_neighbours {
	uint32_t n;
	char (*dir)[64]; /* of the block device */
	char block[PATH_MAX];
};

struct diskstats_search {
	struct dw_neighbours *found;
	char **own; /* device folders */
	size_t n;
};

/* "0000:3b:00.0" */
static bool is_pci(const char *name, size_t len)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)name[i])
				   : name[i] != form[i])
			return false;
	return true;
}

/* length of the part of a device's path that is its controller; 0 = it has none */
static size_t controller_len(const char *path)
{
	size_t pci = 0, host = 0;

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		size_t len = strcspn(at + 1, "/"), before = (size_t)(at - path);

		if (is_pci(at + 1, len))
			pci = before + 1 + len;
		if (!host && !strncmp(at + 1, "host", 4) && isdigit((unsigned char)at[5]))
			host = before;
	}
	return pci ? pci : host;
}

static bool same_controller(const char *a, const char *b)
{
	size_t len = controller_len(a);

	return len && len == controller_len(b) && !strncmp(a, b, len);
}

static int look(void *ctx, const char *dir, const char *name)
{
	struct diskstats_search *s = ctx;
	char path[PATH_MAX], real[PATH_MAX];
	bool near = false;

	if (s->found->n == MOST || strlen(name) >= sizeof(s->found->dir[0]) ||
	    dw_path(path, "%s/%s/device", dir, name) || !realpath(path, real))
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(real, s->own[i]))
			return 0;
		near |= same_controller(real, s->own[i]);
	}
	if (near)
		strcpy(s->found->dir[s->found->n++], name);
	return 0;
}

static char *own_device(const struct dw_machine *m, const struct dw_disk_info *info)
{
	bool sg = info->sg[0];
	char path[PATH_MAX];

	if (dw_path(path, "%s/class/%s/%s/device", m->sys, sg ? "scsi_generic" : "block",
		    dw_path_base(sg ? info->sg : info->block)))
		return NULL;
	return realpath(path, NULL);
}

int dw_neighbours_new(const struct dw_machine *m, const struct dw_disk_info *const *own,
		      size_t n, struct dw_neighbours **ret)
{
	struct diskstats_search s = { .found = calloc(1, sizeof(*s.found)),
				      .own = calloc(n + 1, sizeof(*s.own)) };
	int r = s.found && s.own ? 0 : -ENOMEM;

	if (!r) {
		s.found->dir = calloc(MOST, sizeof(*s.found->dir));
		r = s.found->dir ? dw_path(s.found->block, "%s/block", m->sys) : -ENOMEM;
	}
	for (size_t i = 0; i < n && !r; i++) {
		s.own[s.n] = own_device(m, own[i]);
		s.n += s.own[s.n] != NULL;
	}
	if (!r)
		r = dw_sysfs_each(s.found->block, look, &s);
	for (size_t i = 0; i < s.n; i++)
		free(s.own[i]);
	free(s.own);
	if (r < 0)
		dw_neighbours_free(s.found);
	else
		*ret = s.found;
	return r;
}

void dw_neighbours_free(struct dw_neighbours *b)
{
	if (!b)
		return;
	free(b->dir);
	free(b);
}

uint32_t dw_neighbours_n(const struct dw_neighbours *b)
{
	return b->n;
}

void dw_neighbours_count(const struct dw_neighbours *b, struct dw_io_count *ret)
{
	*ret = (struct dw_io_count){ 0 };
	for (uint32_t i = 0; i < b->n; i++) {
		char dir[PATH_MAX], text[256];
		uint64_t reads, read_ms, writes, write_ms, waiting;

		if (dw_path(dir, "%s/%s", b->block, b->dir[i]) ||
		    dw_sysfs_text(dir, "stat", text, sizeof(text)) ||
		    sscanf(text,
			   "%" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64
			   " %" SCNu64,
			   &reads, &read_ms, &writes, &write_ms, &waiting) != 5)
			continue;
		ret->answers += reads + writes;
		ret->answer_ns += (read_ms + write_ms) * DW_NS_PER_MS;
		ret->waiting += waiting;
	}
}

static bool count_errors(const struct dw_device *d, uint64_t *ret)
{
	char dir[PATH_MAX], text[32], *end;

	if (!d->info.scsi || dw_node_scsi_dir(&dw_machine_self, &d->info, dir) ||
	    dw_sysfs_text(dir, "ioerr_cnt", text, sizeof(text)) || !text[0])
		return false;
	*ret = strtoull(text, &end, 0); /* "0x1f" */
	return !*end;
}

uint64_t dw_device_errors_elsewhere(struct dw_device *d)
{
	uint64_t ours = atomic_load(&d->error.ours), all, more;

	if (!count_errors(d, &all))
		return 0;
	more = all - d->error.counted;
	if (!d->error.compared || all < d->error.counted || more < ours - d->error.known)
		more = 0; /* another node by now */
	else
		more -= ours - d->error.known;
	d->error.compared = true;
	d->error.counted = all;
	d->error.known = ours;
	return more;
}
