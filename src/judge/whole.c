/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that the disks of a job include all logical units of a device that is erased as a whole.
 */
#include "judge/whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/open.h"
#include "device/units.h"

#define NOBODY    SIZE_MAX
#define OVERWRITE "choose a method that overwrites"

/**
 * struct whole_look - a comparison
 * @what: the command, for reasons; @instead: the alternative for an erase; @or: the same, after
 *	something else that can be done
 * @unit, @n: disks of the machine, by one path each
 * @owner: of each unit the disk of @w that it is a path of, or NOBODY
 */
struct whole_look {
	struct dw_whole *w;
	const char *what;
	const char *instead;
	const char * or ;
	struct dw_unit *unit;
	size_t n;
	size_t *owner;
};

/** struct whole_lack - units of a device that are not among the disks: @nodes, and @unseen if one
 *  of them has none */
struct whole_lack {
	char nodes[160];
	char first[40];
	bool unseen;
};

static bool has_node(const struct dw_disk *d, const char *node)
{
	if (!strcmp(dw_path_base(d->info.sg), node) ||
	    !strcmp(dw_path_base(d->info.block), node))
		return true;
	for (uint32_t i = 0; i < d->n_others; i++)
		if (!strcmp(dw_path_base(d->other[i].sg), node))
			return true;
	return false;
}

static size_t owner_of(const struct dw_whole *w, const struct dw_unit *u)
{
	for (size_t i = 0; i < w->n && u->node[0]; i++)
		if (has_node(&w->disk[i], u->node))
			return i;
	return NOBODY;
}

static bool is_refused(const struct dw_disk *d)
{
	return d->verdict.refusal != DW_REFUSAL_NONE;
}

/* A format concerns one unit, but for those that say otherwise. */
static bool is_reached(const struct dw_whole *w, const struct dw_disk *d)
{
	bool format =
		w->operation == DW_OPERATION_NONE || dw_operation_blocks(w->operation);

	return !format || d->info.whole & 1u << w->operation;
}

const char *dw_whole_command(enum dw_operation operation)
{
	if (operation == DW_OPERATION_NONE)
		return "FORMAT UNIT";
	return dw_operation_blocks(operation) ? "Format NVM" : "SANITIZE";
}

static const char *node_of(const struct dw_disk_info *i)
{
	return i->sg[0] ? i->sg : i->block;
}

/* Each unit that an ATA disk or a bridge shows may be a disk in a bay of its own. */
static bool is_translated(const struct dw_disk_info *i)
{
	return !strcmp(i->vendor, "ATA") || !strcmp(i->transport, "usb") ||
	       !strcmp(i->transport, "sbp") || !strcmp(i->transport, "sata") ||
	       i->logical_volume;
}

static bool are_one_device(const struct whole_look *l, size_t a, size_t b)
{
	const struct dw_disk *x = &l->w->disk[l->owner[a]], *y = &l->w->disk[l->owner[b]];

	if (!x->info.scsi || !y->info.scsi)
		return x->info.scsi == y->info.scsi;
	return !is_translated(&x->info) && !is_translated(&y->info) &&
	       dw_units_share(&l->unit[a], &l->unit[b], true);
}

static void add_lack(struct whole_lack *lack, const struct dw_unit *u)
{
	size_t used = strlen(lack->nodes);

	lack->unseen |= !u->node[0];
	if (!u->node[0])
		return;
	if (!used)
		snprintf(lack->first, sizeof(lack->first), "/dev/%s", u->node);
	snprintf(lack->nodes + used, sizeof(lack->nodes) - used, "%s/dev/%s",
		 used ? " " : "", u->node);
}

static void join_groups(uint32_t *group, size_t n, size_t a, size_t b)
{
	uint32_t from = group[a] > group[b] ? group[a] : group[b];
	uint32_t to = group[a] > group[b] ? group[b] : group[a];

	for (size_t i = 0; i < n; i++)
		if (group[i] == from)
			group[i] = to;
}

/* A disk that is still at work by itself reports its name as well. */
static bool is_known(const struct whole_look *l, const struct dw_unit *u)
{
	struct dw_device *other;
	char node[48];
	bool known;

	if (!l->w->known || !u->node[0])
		return false;
	snprintf(node, sizeof(node), "/dev/%s", u->node);
	if (dw_device_attach(l->w->m, node, &other))
		return false;
	dw_device_probe(l->w->m, other);
	known = l->w->known(l->w->ctx, &other->info);
	dw_device_close(other);
	return known;
}

/* The other units of the target, or subsystem, of unit @k. How many there are, with it. */
static uint32_t look_beside(struct whole_look *l, size_t k, struct whole_lack *lack)
{
	struct dw_disk *d = &l->w->disk[l->owner[k]];
	uint32_t found = 0;

	for (size_t s = 0; s < l->n; s++) {
		if (strcmp(l->unit[s].device, l->unit[k].device) != 0)
			continue;
		found++;
		if (s == k || l->owner[s] == l->owner[k])
			continue;
		if (l->owner[s] == NOBODY) {
			if (!is_known(l, &l->unit[s]))
				add_lack(lack, &l->unit[s]);
		} else if (are_one_device(l, k, s)) {
			join_groups(l->w->group, l->w->n, l->owner[k], l->owner[s]);
		} else if (!is_refused(d)) {
			dw_verdict_set(&d->verdict, DW_REFUSAL_ERROR,
				       "%s is a logical unit of the same target, and "
				       "nothing shows whether both are one device, which "
				       "%s erases as a whole%s",
				       node_of(&l->w->disk[l->owner[s]].info), l->what,
				       l->instead);
		}
	}
	return found;
}

/* Docks may have one name for all their bays; another end of a cable is another disk. */
static bool is_apart(const struct whole_look *l, const struct dw_disk *d, size_t s)
{
	struct dw_device *other;
	char node[48];
	bool apart;

	snprintf(node, sizeof(node), "/dev/%s", l->unit[s].node);
	if (!l->unit[s].node[0] || dw_device_attach(l->w->m, node, &other))
		return false;
	apart = dw_disk_apart(&d->info, &other->info);
	dw_device_close(other);
	return apart;
}

/* A disk that reports the name of the device and is no unit of its targets. */
static void look_elsewhere(const struct whole_look *l, size_t k)
{
	struct dw_disk *d = &l->w->disk[l->owner[k]];

	for (size_t s = 0; s < l->n && !is_refused(d); s++) {
		if (l->owner[s] == l->owner[k] ||
		    !strcmp(l->unit[s].device, l->unit[k].device) ||
		    !dw_units_share(&l->unit[s], &l->unit[k], false))
			continue;
		if (l->owner[s] != NOBODY &&
		    l->w->group[l->owner[s]] == l->w->group[l->owner[k]])
			continue;
		if (l->owner[s] == NOBODY && is_known(l, &l->unit[s]))
			continue;
		if (!is_apart(l, d, s))
			dw_verdict_set(
				&d->verdict, DW_REFUSAL_NOT_UNIQUE,
				"/dev/%s says the same name of its device (VPD 83h) at "
				"another target: whether %s reaches it is not known; unplug "
				"it%s",
				l->unit[s].node, l->what, l->or);
	}
}

/* Why the missing units are missing, if they could not be used anyway. */
static bool is_kept(const struct whole_look *l, const char *node, struct dw_disk *d)
{
	struct dw_disk other;

	if (!l->w->rules || dw_disk_examine(node, l->w->rules, &other) < 0 ||
	    !is_refused(&other))
		return false;
	dw_verdict_set(&d->verdict, other.verdict.refusal,
		       "its logical unit %s, which %s erases as well: %.160s", node,
		       l->what, other.verdict.reason);
	memcpy(d->verdict.release, other.verdict.release, sizeof(d->verdict.release));
	return true;
}

static void refuse_lack(const struct whole_look *l, struct dw_disk *d, uint32_t units,
			const struct whole_lack *lack)
{
	if (lack->unseen || !lack->nodes[0])
		dw_verdict_set(
			&d->verdict, DW_REFUSAL_ERROR,
			"its device tells of %u logical units or namespaces, and not all "
			"have a node here: %s erases all; have the kernel look for them%s",
			units, l->what, l->or);
	else if (!is_kept(l, lack->first, d))
		dw_verdict_set(
			&d->verdict, DW_REFUSAL_ERROR,
			"its device has %u logical units or namespaces, and %s erases all: "
			"name %s as well%s",
			units, l->what, lack->nodes, l->or);
}

static void look_at(struct whole_look *l, size_t i)
{
	struct dw_disk *d = &l->w->disk[i];
	uint32_t units = d->info.units;
	struct whole_lack lack = { .unseen = false };
	bool seen = false;

	for (size_t k = 0; k < l->n; k++) {
		uint32_t found;

		if (l->owner[k] != i)
			continue;
		seen = true;
		found = look_beside(l, k, &lack);
		lack.unseen |= found < d->info.units;
		units = (uint32_t)dw_max_u64(units, found);
	}
	lack.unseen |= !seen && units > 1;
	if (!is_refused(d) && units > DW_WHOLE_MAX)
		dw_verdict_set(&d->verdict, DW_REFUSAL_ERROR,
			       "its device has %u logical units, more than can be erased "
			       "as one%s",
			       units, l->instead);
	if (!is_refused(d) && (lack.unseen || lack.nodes[0]))
		refuse_lack(l, d, units, &lack);
}

/* A refusal of one unit refuses the device. False when nothing has changed. */
static bool spread(struct dw_whole *w, const char *what)
{
	bool more = false;

	for (size_t i = 0; i < w->n; i++)
		for (size_t k = 0; k < w->n && !is_refused(&w->disk[i]); k++) {
			const struct dw_verdict *v = &w->disk[k].verdict;

			if (w->group[k] != w->group[i] || !is_refused(&w->disk[k]))
				continue;
			dw_verdict_set(&w->disk[i].verdict, v->refusal,
				       "its logical unit %s, which %s erases as well: "
				       "%.160s",
				       node_of(&w->disk[k].info), what, v->reason);
			more = true;
		}
	return more;
}

int dw_whole_check(struct dw_whole *w)
{
	struct whole_look l = { .w = w,
				.what = dw_whole_command(w->operation),
				.instead = w->operation ? "; " OVERWRITE : "",
				.or = w->operation ? ", or " OVERWRITE : "" };
	int r = dw_units_read(w->m, &l.unit, &l.n);

	if (r < 0)
		return r;
	l.owner = calloc(l.n + 1, sizeof(*l.owner));
	if (!l.owner) {
		free(l.unit);
		return -ENOMEM;
	}
	for (size_t i = 0; i < w->n; i++)
		w->group[i] = (uint32_t)i;
	for (size_t k = 0; k < l.n; k++)
		l.owner[k] = owner_of(w, &l.unit[k]);
	for (size_t i = 0; i < w->n; i++)
		if (is_reached(w, &w->disk[i]))
			look_at(&l, i);
	for (size_t k = 0; k < l.n; k++)
		if (l.owner[k] != NOBODY && is_reached(w, &w->disk[l.owner[k]]))
			look_elsewhere(&l, k);
	while (spread(w, l.what))
		;
	free(l.owner);
	free(l.unit);
	return 0;
}
