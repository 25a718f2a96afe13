/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other stations: what would be if a disk were not there, or were another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/predict.h"

/* one section for each disk, in place */
static int expand(struct dw_station *s)
{
	struct dw_station *single, old = *s;
	int r = pf_station_single(s, &single);

	if (r < 0)
		return r;
	*s = *single;
	*single = old;
	dw_station_free(single);
	return 0;
}

/* a disk by the name of its section, or of one of several: the first that fits from @from */
static uint32_t find_disk(const struct dw_station *s, const char *name, uint32_t from)
{
	size_t n = strlen(name);

	for (uint32_t i = from; i < s->n_disks; i++) {
		const char *have = s->disk[i].name;

		if (!strcmp(have, name))
			return i;
		if (!strncmp(have, name, n) && have[n] == '-' &&
		    strspn(have + n + 1, "0123456789") == strlen(have + n + 1))
			return i;
	}
	return STATION_NONE;
}

int dw_station_without(struct dw_station *station, const char *name)
{
	int r = expand(station);
	uint32_t i;

	if (r < 0)
		return r;
	i = find_disk(station, name, 0);
	if (i == STATION_NONE)
		return -ENOENT;
	for (; i != STATION_NONE; i = find_disk(station, name, i)) {
		if (station->n_units == 1)
			return -EINVAL;
		free(station->disk[i].fault);
		station->n_disks--;
		station->n_units--;
		memmove(&station->disk[i], &station->disk[i + 1],
			(station->n_disks - i) * sizeof(*station->disk));
	}
	return 0;
}

static const struct station_disk *find_kind(const struct dw_station *s, const char *model)
{
	uint32_t i = find_disk(s, model, 0);

	if (i != STATION_NONE)
		return &s->disk[i];
	for (i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].model, model))
			return &s->disk[i];
	return NULL;
}

/* its medium and manners; its name, its place in the wiring and its size as a section stay */
static void become(struct station_disk *d, const struct station_disk *kind)
{
	struct station_disk was = *d;

	*d = *kind;
	memcpy(d->name, was.name, sizeof(d->name));
	memcpy(d->on_name, was.on_name, sizeof(d->on_name));
	memcpy(d->on, was.on, sizeof(d->on));
	d->n_on = was.n_on;
	d->line = was.line;
	d->fault = NULL;
	d->n_faults = 0;
	free(was.fault);
}

int dw_station_replace(struct dw_station *station, const char *name, const char *model)
{
	const struct station_disk *found;
	struct station_disk kind;
	int r = expand(station);
	uint32_t i;

	if (r < 0)
		return r;
	i = find_disk(station, name, 0);
	if (i == STATION_NONE)
		return -ENOENT;
	found = find_kind(station, model);
	if (!found)
		return -ENODEV;
	kind = *found;
	for (; i != STATION_NONE; i = find_disk(station, name, i + 1))
		become(&station->disk[i], &kind);
	return 0;
}

uint32_t dw_station_sector(const struct dw_station *station)
{
	return (uint32_t)station->disk[0].sector;
}
