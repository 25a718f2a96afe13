/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which disks a stripe set is made of. md tells all of it in sysfs: its level, its chunk, and
 * for each member a folder with its slot and the sector where its data begin. Device-mapper
 * tells the members only in the map's table.
 */
#include "judge/stripe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "judge/inuse.h"
#include "device/node.h"

/*
 * The table of a device-mapper map, by the ioctl that dmsetup uses. DM_TABLE_STATUS with
 * DM_STATUS_TABLE_FLAG reads and changes nothing.
 */

#define ROOM (256u << 10)

static int ask_table(const struct dw_machine *m, const char *name, struct dm_ioctl *io)
{
	char path[PATH_MAX];
	int r = dw_path(path, "%s/mapper/control", m->dev), fd;

	if (r)
		return r;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	memset(io, 0, sizeof(*io));
	io->version[0] = DM_VERSION_MAJOR;
	io->data_size = ROOM;
	io->data_start = sizeof(*io);
	io->flags = DM_STATUS_TABLE_FLAG;
	memcpy(io->name, name, strnlen(name, sizeof(io->name) - 1));
	if (ioctl(fd, DM_TABLE_STATUS, io) < 0)
		r = -errno;
	close(fd);
	return !r && io->flags & DM_BUFFER_FULL_FLAG ? -E2BIG : r;
}

static int stripe_read_map(const struct dw_machine *m, const char *name,
			   struct dw_stripe *s)
{
	dw_autofree struct dm_ioctl *io = calloc(1, ROOM);
	uint32_t at;
	int r;

	if (!io)
		return -ENOMEM;
	r = ask_table(m, name, io);
	if (r == -ENOENT || r == -ENXIO || r == -EACCES || r == -EPERM)
		return 1; /* nobody to ask */
	at = io->data_start;
	for (uint32_t i = 0; !r && i < io->target_count; i++) {
		const struct dm_target_spec *t;

		if (at > ROOM - sizeof(*t) - 1)
			return -EPROTO;
		t = (const void *)((const char *)io + at);
		if (strcmp(t->target_type, "striped"))
			return 1;
		r = dw_stripe_parse_target(m, (const char *)(t + 1), s);
		at = io->data_start + t->next;
	}
	return r;
}

#define SECTOR     512u
#define MAX_MEMBER 4096

/* Append the member that is block device @dev, its data beginning at @start_bytes of it. A device
 * that is there already is not added again. 0, -ENOMEM, -ENODEV. */
static int add_member(const struct dw_machine *m, struct dw_stripe *s, dev_t dev,
		      uint64_t start_bytes)
{
	struct dw_stripe_member *more, new = { .start_bytes = start_bytes };
	enum dw_node_kind kind;
	char dir[PATH_MAX];
	int r = dw_node_resolve(m, true, dev, &new.disk, &kind);

	if (r)
		return r;
	if (kind == DW_NODE_PARTITION && !dw_sysfs_real(m, true, dev, dir))
		snprintf(new.part, sizeof(new.part), "/dev/%.58s", dw_path_base(dir));
	for (size_t i = 0; i < s->n; i++)
		if (dw_disk_same_node(&s->member[i].disk, &new.disk) &&
		    !strcmp(s->member[i].part, new.part))
			return 0;
	more = reallocarray(s->member, s->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[s->n++] = new;
	s->member = more;
	return 0;
}

/* The members of an md array, to be put in the order of their slots. */
struct slots {
	uint32_t n;
	struct {
		dev_t dev;
		uint64_t start;
	} at[MAX_MEMBER];
};

static int add_slot(void *ctx, const char *dir, const char *name)
{
	struct slots *slots = ctx;
	char path[PATH_MAX], block[PATH_MAX];
	uint64_t slot, start = 0;

	if (strncmp(name, "dev-", 4) || dw_path(path, "%s/%s", dir, name) ||
	    dw_path(block, "%s/block", path) || !dw_sysfs_u64(path, "slot", &slot) ||
	    slot >= slots->n)
		return 0;
	dw_sysfs_u64(path, "offset", &start);
	slots->at[slot].dev = dw_sysfs_dev(block);
	slots->at[slot].start = start * SECTOR;
	return 0;
}

static int read_md(const struct dw_machine *m, const char *dir, struct dw_stripe *s)
{
	dw_autofree struct slots *slots = NULL;
	char md[PATH_MAX], level[32];
	uint64_t chunk = 0, n = 0;
	int r = dw_path(md, "%s/md", dir);

	if (r)
		return r;
	if (dw_sysfs_text(md, "level", level, sizeof(level)) || strcmp(level, "raid0") ||
	    !dw_sysfs_u64(md, "raid_disks", &n) || !n || n > MAX_MEMBER)
		return 1;
	slots = calloc(1, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	slots->n = (uint32_t)n;
	dw_sysfs_u64(md, "chunk_size", &chunk);
	s->chunk_bytes = (uint32_t)chunk;
	r = dw_sysfs_each(md, add_slot, slots);
	for (uint32_t i = 0; !r && i < slots->n; i++)
		if (slots->at[i].dev)
			r = add_member(m, s, slots->at[i].dev, slots->at[i].start);
	return r;
}

static const char *take_number(const char *text, unsigned long long *ret)
{
	char *end;

	while (*text == ' ')
		text++;
	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

int dw_stripe_parse_target(const struct dw_machine *m, const char *params,
			   struct dw_stripe *s)
{
	unsigned long long n, chunk, major, minor, start;
	int r = 0;

	params = take_number(params, &n);
	if (params)
		params = take_number(params, &chunk);
	if (!params || !n || n > MAX_MEMBER || !chunk || chunk > UINT32_MAX / SECTOR)
		return -EINVAL;
	s->chunk_bytes = (uint32_t)chunk * SECTOR;
	for (unsigned long long i = 0; !r && i < n; i++) {
		params = take_number(params, &major);
		if (!params || *params != ':' ||
		    !(params = take_number(params + 1, &minor)) ||
		    !(params = take_number(params, &start)))
			return -EINVAL;
		r = add_member(m, s, makedev((unsigned)major, (unsigned)minor),
			       (uint64_t)start * SECTOR);
	}
	return r;
}

static int read_dm(const struct dw_machine *m, const char *dir, struct dw_stripe *s)
{
	char name[130];
	int r = dw_sysfs_text(dir, "dm/name", name, sizeof(name));

	return r ? r : stripe_read_map(m, name, s);
}

static void read_stripe(const char *dir, struct dw_stripe *s)
{
	uint64_t sectors = 0;

	snprintf(s->node, sizeof(s->node), "/dev/%.58s", dw_path_base(dir));
	dw_inuse_release_command(dir, s->release, sizeof(s->release), s->what,
				 sizeof(s->what));
	dw_sysfs_u64(dir, "size", &sectors);
	s->bytes = sectors * SECTOR;
}

int dw_stripe_read(const struct dw_machine *m, dev_t dev, struct dw_stripe **ret)
{
	struct dw_stripe *s;
	char dir[PATH_MAX];
	int r = dw_sysfs_real(m, true, dev, dir);

	if (r)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (dw_sysfs_has(dir, "md"))
		r = read_md(m, dir, s);
	else
		r = dw_sysfs_has(dir, "dm") ? read_dm(m, dir, s) : 1;
	if (!r && !s->n)
		r = 1;
	if (r) {
		dw_stripe_free(s);
		return r;
	}
	read_stripe(dir, s);
	*ret = s;
	return 0;
}

int dw_stripe_open(const char *path, struct dw_stripe **ret)
{
	bool block;
	dev_t dev;
	int r = dw_node_of_path(path, &block, &dev);

	if (r == -ENOTBLK || (!r && !block))
		return 1;
	return r ? r : dw_stripe_read(&dw_machine_self, dev, ret);
}

void dw_stripe_free(struct dw_stripe *s)
{
	if (!s)
		return;
	free(s->member);
	free(s);
}
