/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A station cut to real disks: each disk of the file stands for one of them at most, the
 * sure ones first.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/describe.h"

#define NOBODY UINT32_MAX

/** struct choice - @of: for each real disk the disk of the file, @left: what is left of those */
struct choice {
	uint32_t *of;
	uint64_t *left;
};

static bool has_identity(const struct station_disk *d, const struct dw_disk_info *info)
{
	if (d->wwn[0] && info->wwn[0])
		return !strncmp(d->wwn, info->wwn, sizeof(d->wwn));
	return d->serial[0] && !strncmp(d->serial, info->serial, sizeof(d->serial));
}

static bool is_like(const struct station_disk *d, const struct dw_disk_info *info)
{
	double bytes = (double)(info->blocks * info->block_size);
	double far = ((double)d->capacity - bytes) / bytes;

	return !strncmp(d->vendor, info->vendor, sizeof(d->vendor)) &&
	       !strncmp(d->model, info->model, sizeof(d->model)) && far < 0.01 &&
	       far > -0.01;
}

static void
choose_entries(const struct dw_station *s, const struct dw_disk_info *disks, size_t n,
	       bool (*match)(const struct station_disk *, const struct dw_disk_info *),
	       struct choice *c, uint8_t *ret_match, uint8_t how)
{
	for (size_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < s->n_disks && c->of[k] == NOBODY; i++) {
			if (!c->left[i] || !match(&s->disk[i], &disks[k]))
				continue;
			c->left[i]--;
			c->of[k] = i;
			if (ret_match)
				ret_match[k] = how;
		}
}

/* the real disk in the place of the file's: its name is its own, and so are size and cache */
static void take_place(const struct station_disk *from, const struct dw_disk_info *info,
		       struct station_disk *d)
{
	char name[STATION_NAME], serial[DW_SERIAL_MAX], wwn[DW_WWN_MAX];
	uint64_t capacity = d->capacity, sector = d->sector, physical = d->physical;

	strcpy(name, d->name);
	strcpy(serial, d->serial);
	strcpy(wwn, d->wwn);
	*d = *from;
	strcpy(d->name, name);
	strcpy(d->serial, serial);
	strcpy(d->wwn, wwn);
	d->capacity = capacity;
	d->sector = sector;
	d->physical = physical;
	if (info->wce >= 0)
		d->cache = info->wce;
	d->max_transfer = dw_max_u64(d->max_transfer, physical);
	d->count = 1;
}

/* the nodes of a description that the station does not have yet */
static int add_nodes(struct dw_station *s, const struct dw_station *from)
{
	for (uint32_t i = 0; i < from->n_nodes; i++)
		if (station_find_node(s, from->node[i].name) == STATION_NONE &&
		    station_add_node(s, &from->node[i]) == STATION_NONE)
			return -ENOMEM;
	return 0;
}

static bool name_taken(const struct dw_station *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].name, name))
			return true;
	return station_find_node(s, name) != STATION_NONE;
}

static int add_one(const struct dw_machine *m, const struct dw_station *s,
		   const struct dw_disk_info *info, uint32_t of, struct dw_station *to,
		   struct dw_error *err)
{
	struct dw_station *alone;
	struct station_disk d;
	int r = station_describe(m, info, 1, &alone, err);

	if (r < 0)
		return r;
	d = alone->disk[0];
	if (of != NOBODY)
		take_place(&s->disk[of], info, &d);
	else
		r = add_nodes(to, alone);
	if (name_taken(to, d.name))
		snprintf(d.name, sizeof(d.name), "disk-%u", to->n_disks + 1);
	if (!r)
		r = station_add_disk(to, &d);
	dw_station_free(alone);
	return r;
}

static int fill_station(const struct dw_machine *m, const struct dw_station *s,
			const struct dw_disk_info *disks, size_t n,
			const struct choice *c, struct dw_station *to,
			struct dw_error *err)
{
	int r = 0;

	memcpy(to->title, s->title, sizeof(to->title));
	for (uint32_t i = 0; i < s->n_nodes && !r; i++)
		r = station_add_node(to, &s->node[i]) == STATION_NONE ? -ENOMEM : 0;
	for (size_t k = 0; k < n && !r; k++)
		r = add_one(m, s, &disks[k], c->of[k], to, err);
	return r < 0 ? r : station_check(to, err);
}

int station_select(const struct dw_machine *m, const struct dw_station *s,
		   const struct dw_disk_info *disks, size_t n, struct dw_station **ret,
		   uint8_t *ret_match, struct dw_error *err)
{
	dw_autofree uint32_t *of = calloc(n + 1, sizeof(*of));
	dw_autofree uint64_t *left = calloc(s->n_disks + 1, sizeof(*left));
	struct choice c = { of, left };
	struct dw_station *to = calloc(1, sizeof(*to));
	int r = -ENOMEM;

	if (of && left && to) {
		for (size_t k = 0; k < n; k++)
			of[k] = NOBODY;
		for (uint32_t i = 0; i < s->n_disks; i++)
			left[i] = s->disk[i].count;
		if (ret_match)
			memset(ret_match, DW_STATION_ASSUMED, n);
		choose_entries(s, disks, n, has_identity, &c, ret_match,
			       DW_STATION_BY_IDENTITY);
		choose_entries(s, disks, n, is_like, &c, ret_match, DW_STATION_BY_MODEL);
		r = fill_station(m, s, disks, n, &c, to, err);
	}
	if (r < 0)
		dw_station_free(to);
	else
		*ret = to;
	return dw_error_system(err, r, NULL);
}

int dw_station_select(const struct dw_station *s, const struct dw_disk_info *disks,
		      size_t n, struct dw_station **ret, uint8_t *ret_match,
		      struct dw_error *err)
{
	dw_error_clear(err);
	return station_select(&dw_machine_self, s, disks, n, ret, ret_match, err);
}
