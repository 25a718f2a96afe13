/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "device/lun.h"
#include "scsi/inquiry.h"
#include "scsi/vpd.h"

#define PAGE_MAX 512

/** struct unit_list - what has been found */
struct unit_list {
	struct dw_unit *v;
	size_t n;
	uint32_t room;
};

static struct dw_unit *append(struct unit_list *l)
{
	if (dw_room(&l->v, l->n, &l->room, sizeof(*l->v)))
		return NULL;
	l->v[l->n] = (struct dw_unit){ .n_names = 0 };
	return &l->v[l->n++];
}

static bool is_even(const struct dw_designator *d)
{
	for (uint8_t i = 1; i < d->len; i++)
		if (d->id[i] != d->id[0])
			return false;
	return true;
}

/* Numbers of ports and groups are small, and say nothing of the device. */
static bool is_name(const struct dw_designator *d)
{
	bool kind = d->type == DW_DESIGNATOR_T10 || d->type == DW_DESIGNATOR_EUI64 ||
		    d->type == DW_DESIGNATOR_NAA || d->type == DW_DESIGNATOR_NAME ||
		    d->type == DW_DESIGNATOR_UUID;

	return kind && !is_even(d) &&
	       (d->association == DW_ASSOC_PORT || d->association == DW_ASSOC_TARGET);
}

static uint64_t digest_of(const struct dw_designator *d)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ d->type;

	for (uint8_t i = 0; i < d->len; i++)
		h = (h ^ d->id[i]) * UINT64_C(0x100000001b3);
	return h;
}

static void read_names(const char *scsi_dir, struct dw_unit *u)
{
	uint8_t page[PAGE_MAX];
	struct dw_designator d;
	dw_autoclose int fd = -1;
	char path[PATH_MAX];
	size_t pos = 0;
	ssize_t n;

	if (dw_path(path, "%s/vpd_pg83", scsi_dir))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, page, sizeof(page));
	while (n > 0 && u->n_names < DW_UNIT_NAMES &&
	       dw_vpd_designator_next(page, (size_t)n, &pos, &d) == 1)
		if (is_name(&d))
			u->name[u->n_names++] =
				(struct dw_unit_name){ .digest = digest_of(&d),
						       .association = d.association };
}

static int add_scsi(void *ctx, const char *dir, const char *name)
{
	const char *last = strrchr(name, ':');
	char path[PATH_MAX], sub[PATH_MAX];
	struct dw_unit *u;
	uint64_t type;

	if (!last || last == name || dw_path(path, "%s/%s/device", dir, name) ||
	    !dw_sysfs_u64(path, "type", &type) ||
	    (type != DW_TYPE_DISK && type != DW_TYPE_ZONED) || dw_lun_phantom(path))
		return 0;
	u = append(ctx);
	if (!u)
		return -ENOMEM;
	snprintf(u->device, sizeof(u->device), "%.*s", (int)(last - name), name);
	u->number = strtoull(last + 1, NULL, 10);
	if (!dw_path(sub, "%s/scsi_generic", path))
		dw_sysfs_first(sub, "", u->node, sizeof(u->node));
	read_names(path, u);
	return 0;
}

static int add_namespace(void *ctx, const char *dir, const char *name)
{
	const char *last = strrchr(name, 'n');
	struct dw_unit *u;

	(void)dir;
	if (strncmp(name, "nvme", 4) != 0 || last == name || !last[1] ||
	    strspn(last + 1, "0123456789") != strlen(last + 1))
		return 0;
	u = append(ctx);
	if (!u)
		return -ENOMEM;
	snprintf(u->device, sizeof(u->device), "%.*s", (int)(last + 1 - name), name);
	u->number = strtoull(last + 1, NULL, 10);
	snprintf(u->node, sizeof(u->node), "%s", name);
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct dw_unit *a = x, *b = y;
	int r = strcmp(a->device, b->device);

	return r ? r : (a->number > b->number) - (a->number < b->number);
}

int dw_units_read(const struct dw_machine *m, struct dw_unit **ret, size_t *ret_n)
{
	struct unit_list l = { .n = 0 };
	char dir[PATH_MAX];
	int r;

	dw_sysfs_starved();
	r = dw_path(dir, "%s/class/scsi_device", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_scsi, &l);
	if (!r || r == -ENOENT)
		r = dw_path(dir, "%s/class/block", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, add_namespace, &l);
	if (r == -ENOENT)
		r = 0;
	if (!r)
		r = dw_sysfs_starved();
	if (r) {
		free(l.v);
		return r;
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), compare);
	*ret = l.v;
	*ret_n = l.n;
	return 0;
}

bool dw_units_share(const struct dw_unit *a, const struct dw_unit *b, bool ports)
{
	for (uint32_t i = 0; i < a->n_names; i++)
		for (uint32_t k = 0; k < b->n_names; k++)
			if (a->name[i].digest == b->name[k].digest &&
			    a->name[i].association == b->name[k].association &&
			    (ports || a->name[i].association == DW_ASSOC_TARGET))
				return true;
	return false;
}
