/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The station that some disks of a machine are: topology says what each hangs on, the disk
 * what it is, and a table what is typical where nobody says anything.
 */
#include <diskwipe/identity.h>

#include "forecast/describe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/typical.h"
#include "device/topology.h"

#define CONTROLLER_NS 5000 /* of a command: what current host adapters take */
#define MAX_TRANSFER  (64 * DW_MIB)

uint32_t station_add_node(struct dw_station *s, const struct station_node *n)
{
	struct station_node *v = reallocarray(s->node, s->n_nodes + 1, sizeof(*v));

	if (!v)
		return STATION_NONE;
	s->node = v;
	v[s->n_nodes] = *n;
	return s->n_nodes++;
}

int station_add_disk(struct dw_station *s, const struct station_disk *d)
{
	struct station_disk *v = reallocarray(s->disk, s->n_disks + 1, sizeof(*v));
	struct station_fault *fault = NULL;

	if (!v)
		return -ENOMEM;
	s->disk = v;
	if (d->n_faults) {
		fault = calloc(d->n_faults, sizeof(*fault));
		if (!fault)
			return -ENOMEM;
		memcpy(fault, d->fault, d->n_faults * sizeof(*fault));
	}
	v[s->n_disks] = *d;
	v[s->n_disks].fault = fault;
	s->n_disks++;
	return 0;
}

/* A parallel bus is as fast as the fastest of its disks; others were known before. */
static void merge_node(struct station_node *n, const struct dw_topology_node *t)
{
	if (n->parallel)
		n->rate = dw_max_u64(n->rate, t->rate);
	else if (!n->rate)
		n->rate = t->rate;
}

static int add_way(struct dw_station *s, const struct dw_topology *t)
{
	static const uint8_t kinds[] = { [DW_TOPOLOGY_LINK] = STATION_LINK,
					 [DW_TOPOLOGY_CONTROLLER] = STATION_CONTROLLER,
					 [DW_TOPOLOGY_BUS] = STATION_BUS };

	for (uint32_t i = t->n; i-- > 0;) { /* from the host on */
		const struct dw_topology_node *from = &t->node[i];
		struct station_node n = { .kind = kinds[from->kind],
					  .on = STATION_NONE,
					  .rate = from->rate,
					  .queue = from->queue,
					  .parallel = from->parallel };
		uint32_t known = station_find_node(s, from->name);

		if (known < s->n_nodes) {
			merge_node(&s->node[known], from);
			continue;
		}
		snprintf(n.name, sizeof(n.name), "%s", from->name);
		if (i + 1 < t->n)
			snprintf(n.on_name, sizeof(n.on_name), "%s", t->node[i + 1].name);
		if (n.kind == STATION_CONTROLLER) {
			n.command_ns = CONTROLLER_NS;
			typical_assume(n.assumed, "command");
		}
		if (station_add_node(s, &n) == STATION_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* a value of the file: without what would end it or begin a comment */
static void copy_value(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%.*s", (int)size - 1, from);
	for (; *to; to++)
		if (*to == ';' || *to == '#' || (unsigned char)*to < ' ')
			*to = '-';
}

/* sg3, else sdc: unique here, and nothing to rely on after the next start of the machine */
static void name_disk(const struct dw_station *s, const struct dw_disk_info *info,
		      struct station_disk *d)
{
	const char *node = dw_path_base(info->sg[0] ? info->sg : info->block);
	uint32_t n = 1;

	snprintf(d->name, sizeof(d->name), "%.24s", node[0] ? node : "disk");
	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].name, d->name)) {
			snprintf(d->name, sizeof(d->name), "%.24s-%u", node, ++n);
			i = UINT32_MAX; /* from the first again */
		}
}

static void fill_identity(const struct dw_disk_info *info, struct station_disk *d)
{
	copy_value(d->vendor, sizeof(d->vendor), info->vendor);
	copy_value(d->model, sizeof(d->model), info->model);
	copy_value(d->serial, sizeof(d->serial), info->serial);
	copy_value(d->wwn, sizeof(d->wwn), info->wwn);
}

/* A sector that no file can say is told as 512 of the same capacity. */
static void fill_size(const struct dw_disk_info *info, struct station_disk *d)
{
	uint32_t size = info->block_size, physical = info->physical_block_size;

	d->capacity = info->blocks * size;
	d->sector = size;
	if (!station_sector_ok(size)) {
		d->sector = 512;
		typical_assume(d->assumed, "sector");
	}
	d->physical = d->sector;
	if (station_physical_ok(physical, d->sector) && !(d->capacity % physical))
		d->physical = physical;
}

static void fill_cache(const struct dw_disk_info *info, const struct dw_topology *t,
		       struct station_disk *d)
{
	int wce = info->wce >= 0 ? info->wce : t->wce;

	d->cache = wce > 0;
	if (wce >= 0)
		return;
	d->cache = info->rotation == 1 || !strcmp(info->transport, "sata");
	typical_assume(d->assumed, "cache");
}

static void fill_limits(const struct dw_topology *t, struct station_disk *d)
{
	d->link = t->link;
	d->tagged = t->queue_depth ? dw_min_u64(t->queue_depth, 1024) : 1;
	if (!t->queue_depth)
		typical_assume(d->assumed, "tagged");
	if (t->max_bytes)
		d->max_transfer = dw_min_u64(t->max_bytes, MAX_TRANSFER);
	else
		typical_assume(d->assumed, "max-transfer");
	d->max_transfer -= d->max_transfer % d->physical;
	d->max_transfer = dw_max_u64(d->max_transfer, d->physical);
	d->ws = t->ws == DW_NO ? STATION_WS_NONE : 0;
	d->ws_max = dw_min_u64(t->ws_max, UINT32_MAX);
	if (t->ws == DW_UNKNOWN)
		typical_assume(d->assumed, "write-same");
}

static int add_described(const struct dw_machine *m, struct dw_station *s,
			 const struct dw_disk_info *info)
{
	struct station_disk d;
	struct dw_topology t;
	int r = dw_topology_read(m, info, &t);

	if (r < 0) /* gone, or never there: what it is like is known all the same */
		t = (struct dw_topology){ .ws = DW_UNKNOWN, .wce = DW_UNKNOWN };
	station_disk_init(&d);
	name_disk(s, info, &d);
	fill_identity(info, &d);
	fill_size(info, &d);
	typical_fill(info, &d);
	fill_cache(info, &t, &d);
	fill_limits(&t, &d);
	if (t.n) {
		strcpy(d.on_name[0], t.node[0].name);
		d.n_on = 1;
	}
	r = add_way(s, &t);
	return r < 0 ? r : station_add_disk(s, &d);
}

/* The second path of a disk that is there already; more than two are not told. */
static int add_path(const struct dw_machine *m, struct dw_station *s,
		    struct station_disk *d, const struct dw_disk_info *info)
{
	struct dw_topology t;

	if (dw_topology_read(m, info, &t) < 0 || !t.n || d->n_on != 1 ||
	    !strcmp(d->on_name[0], t.node[0].name))
		return 0;
	strcpy(d->on_name[1], t.node[0].name);
	d->n_on = 2;
	return add_way(s, &t);
}

static struct station_disk *other_path(struct dw_station *s,
				       const struct dw_disk_info *disks, size_t n)
{
	bool known = false;

	for (size_t i = 0; i < n; i++)
		known |= disks[n].wwn[0] &&
			 dw_disk_match(&disks[i], &disks[n], DW_SAME_MEDIUM);
	if (!known)
		return NULL;
	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strncmp(s->disk[i].wwn, disks[n].wwn, sizeof(s->disk[i].wwn)))
			return &s->disk[i];
	return NULL;
}

int station_describe(const struct dw_machine *m, const struct dw_disk_info *disks,
		     size_t n, struct dw_station **ret, struct dw_error *err)
{
	struct dw_station *s = calloc(1, sizeof(*s));
	int r = s ? 0 : -ENOMEM;

	dw_error_clear(err);
	for (size_t i = 0; i < n && !r; i++) {
		struct station_disk *d = other_path(s, disks, i);

		r = d ? add_path(m, s, d, &disks[i]) : add_described(m, s, &disks[i]);
	}
	if (!r)
		r = station_check(s, err);
	if (r < 0)
		dw_station_free(s);
	else
		*ret = s;
	return dw_error_system(err, r, NULL);
}

int dw_station_describe(const struct dw_disk_info *disks, size_t n,
			struct dw_station **ret, struct dw_error *err)
{
	return station_describe(&dw_machine_self, disks, n, ret, err);
}
