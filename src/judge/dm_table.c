/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of a device-mapper map, by the ioctl that dmsetup uses. DM_TABLE_STATUS with
 * DM_STATUS_TABLE_FLAG reads and changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "judge/stripe.h"

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
	strncpy(io->name, name, sizeof(io->name) - 1);
	if (ioctl(fd, DM_TABLE_STATUS, io) < 0)
		r = -errno;
	close(fd);
	return !r && io->flags & DM_BUFFER_FULL_FLAG ? -E2BIG : r;
}

int dw_stripe_read_map(const struct dw_machine *m, const char *name, struct dw_stripe *s)
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
