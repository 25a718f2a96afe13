/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a table of keys cannot see: names that lead nowhere, circles, a disk without a size.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "station/station.h"

#define LOAD_USERS 10000
#define DEPTH_MAX  8 /* nodes between a disk and the host */

__attribute__((format(printf, 4, 5))) static int
complain(struct dw_error *err, uint32_t line, const char *name, const char *fmt, ...)
{
	char reason[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	dw_error_content(err, name, "%s", reason);
	if (err)
		err->line = line;
	return -EINVAL;
}

uint32_t station_find_node(const struct dw_station *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (!strcmp(s->node[i].name, name))
			return i;
	return STATION_NONE;
}

static int check_node(struct dw_station *s, struct station_node *n, struct dw_error *err)
{
	if (!n->on_name[0])
		return 0;
	n->on = station_find_node(s, n->on_name);
	if (n->on == STATION_NONE)
		return complain(err, n->line, n->name, "there is no '%s'", n->on_name);
	if (n->kind == STATION_CONTROLLER && s->node[n->on].kind == STATION_BUS)
		return complain(err, n->line, n->name,
				"a controller hangs on a link, not on a bus");
	return 0;
}

static int check_depth(const struct dw_station *s, uint32_t at, struct dw_error *err)
{
	uint32_t n = 0, controllers = 0, from = at;

	for (; at != STATION_NONE; at = s->node[at].on, n++) {
		controllers += s->node[at].kind == STATION_CONTROLLER;
		if (n == DEPTH_MAX || controllers > 1)
			return complain(err, s->node[from].line, s->node[from].name,
					"hangs on itself, or too far from the host");
	}
	return 0;
}

bool station_sector_ok(uint64_t bytes)
{
	return bytes >= 512 && bytes <= 4096 + 128 && bytes % 8 == 0;
}

bool station_physical_ok(uint64_t bytes, uint64_t sector)
{
	uint64_t n = bytes / sector;

	return n && bytes == n * sector && !(n & (n - 1)) && bytes <= 64 * DW_KIB;
}

static int check_size(const struct station_disk *d, struct dw_error *err)
{
	if (!station_sector_ok(d->sector))
		return complain(err, d->line, d->name,
				"a sector of 512 to 4224 bytes, a multiple of 8");
	if (!station_physical_ok(d->physical, d->sector))
		return complain(err, d->line, d->name,
				"physical must be 1, 2, 4, 8... sectors, at most 64KiB");
	if (d->capacity < 64 * d->physical)
		return complain(err, d->line, d->name, "no capacity, or too little");
	if (d->max_transfer < d->physical || d->max_transfer > 64 * DW_MIB)
		return complain(err, d->line, d->name, "max-transfer is not possible");
	return 0;
}

static int check_speed(const struct station_disk *d, struct dw_error *err)
{
	if (!d->outer)
		return complain(err, d->line, d->name, "no outer rate");
	if (d->inner > d->outer)
		return complain(err, d->line, d->name, "inner is faster than outer");
	if (d->rpm && (d->rpm < 1000 || d->rpm > 30000))
		return complain(err, d->line, d->name, "rpm is not in 1000..30000");
	if (d->actuators > STATION_ACTUATORS)
		return complain(err, d->line, d->name, "actuators is not in 1..%d",
				STATION_ACTUATORS);
	if (!d->buffer)
		return complain(err, d->line, d->name, "a disk has a buffer");
	if (!d->tagged || d->tagged > 1024)
		return complain(err, d->line, d->name, "tagged is not in 1..1024");
	if (d->temperature > 100)
		return complain(err, d->line, d->name,
				"temperature is not in 1..100 degrees Celsius");
	if (d->ws_max > UINT32_MAX)
		return complain(err, d->line, d->name, "write-same-max is too long");
	return 0;
}

static int check_disk(struct dw_station *s, struct station_disk *d, struct dw_error *err)
{
	int r;

	d->physical = d->physical ? d->physical : d->sector;
	d->inner = d->inner ? d->inner : d->outer;
	r = check_size(d, err);
	if (!r)
		r = check_speed(d, err);
	if (r < 0)
		return r;
	d->blocks = d->capacity / d->physical * (d->physical / d->sector);
	for (uint32_t i = 0; i < d->n_on; i++) {
		d->on[i] = station_find_node(s, d->on_name[i]);
		if (d->on[i] == STATION_NONE)
			return complain(err, d->line, d->name, "there is no '%s'",
					d->on_name[i]);
	}
	for (uint32_t i = 0; i < d->n_faults; i++)
		if (d->fault[i].kind <= STATION_UNREADABLE &&
		    d->fault[i].lba >= d->blocks)
			return complain(err, d->line, d->name, "fault: no such LBA");
	if (d->count > 1 && (d->serial[0] || d->wwn[0]))
		return complain(err, d->line, d->name, "serial and wwn are of one disk");
	if (!d->count || d->count > STATION_DISKS - s->n_units)
		return complain(err, d->line, d->name, "1 to %d disks in all",
				STATION_DISKS);
	s->n_units += (uint32_t)d->count;
	return 0;
}

static int check_load(struct dw_station *s, struct station_load *l, struct dw_error *err)
{
	l->on = station_find_node(s, l->on_name);
	if (l->on == STATION_NONE)
		return complain(err, l->line, l->name, "there is no '%s'", l->on_name);
	if (!l->users || l->users > LOAD_USERS)
		return complain(err, l->line, l->name, "1 to %d users", LOAD_USERS);
	if (!l->size || l->size > 64 * DW_MIB)
		return complain(err, l->line, l->name, "no size, or more than 64 MiB");
	if (!l->think_ns)
		return complain(err, l->line, l->name, "no think time");
	return 0;
}

uint32_t station_adapter(const struct dw_station *s, const struct station_disk *d)
{
	uint32_t at = d->n_on ? d->on[0] : STATION_NONE, last = s->n_nodes, best = last;

	for (; at != STATION_NONE; at = s->node[at].on) {
		last = at;
		if (s->node[at].kind == STATION_CONTROLLER)
			best = at;
	}
	return best == s->n_nodes ? last : best;
}

int station_check(struct dw_station *s, struct dw_error *err)
{
	int r = 0;

	s->n_units = 0;
	for (uint32_t i = 0; i < s->n_nodes && !r; i++)
		r = check_node(s, &s->node[i], err);
	for (uint32_t i = 0; i < s->n_nodes && !r; i++)
		r = check_depth(s, i, err);
	for (uint32_t i = 0; i < s->n_disks && !r; i++)
		r = check_disk(s, &s->disk[i], err);
	for (uint32_t i = 0; i < s->n_loads && !r; i++)
		r = check_load(s, &s->load[i], err);
	if (!r && !s->n_units)
		r = complain(err, 0, NULL, "there is no disk");
	return r;
}
