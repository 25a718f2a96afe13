/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a disk is unique. Two nodes with one identity may be two paths to one disk, or two
 * disks with one name. If all facts agree they are presumed paths, and the job will prove that;
 * what refuses one of them refuses all. If only serial number and WWN agree they are refused. A
 * disk is compared with all others of the machine: sysfs gives the few that look alike, and these
 * are asked. Disks without a name that look the same are refused. If their ways to the machine
 * show that they are different, as those of docks with one serial number for all their bays, they
 * are separate disks without a name of their own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "device/identity.h"
#include "device/node.h"
#include "device/open.h"
#include "judge/names.h"
#include "judge/verdict.h"

bool dw_disk_same_node(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return (a->sg_dev || a->block_dev) && a->sg_dev == b->sg_dev &&
	       a->block_dev == b->block_dev;
}

/* The end of a cable, where a disk has one node. A SATA disk behind an expander may be seen by two
 * adapters, and the units of one USB device may be one disk. */
static bool is_end(const struct dw_disk_info *i)
{
	return i->scsi && (!strcmp(i->transport, "usb") ||
			   (!strcmp(i->transport, "sata") && !i->phy[0]));
}

bool dw_disk_apart(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	bool other_target =
		a->host != b->host || a->channel != b->channel || a->target != b->target;

	if (is_end(a) && is_end(b))
		return other_target;
	/* each node of a parallel bus is a disk of its own; another adapter may be on it */
	return !strcmp(a->transport, "spi") && !strcmp(b->transport, "spi") &&
	       a->host == b->host && other_target;
}

static void refuse_twin(struct dw_verdict *v, const struct dw_disk_info *other)
{
	dw_verdict_set(v, DW_REFUSAL_NOT_UNIQUE,
		       "identity not unique: %s answers with the same serial and WWN",
		       other->block[0] ? other->block : other->sg);
}

bool dw_disk_same_unit(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return a->scsi && b->scsi && dw_disk_match(a, b, DW_SAME_UNIT) &&
	       !dw_disk_apart(a, b);
}

bool dw_disk_looks_alike(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return a->scsi && b->scsi && dw_disk_match(a, b, DW_SAME_LOOKS) &&
	       !dw_disk_apart(a, b);
}

/* May one medium be behind both? NVMe disks of some makers have one identifier for a whole model.
 * If the serial numbers are one as well, no capacity makes that a name. */
static bool may_be_one(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	bool nvme = !strcmp(a->transport, "nvme") && !strcmp(b->transport, "nvme");

	return dw_disk_match(a, b, nvme ? DW_SAME_NAMED : DW_SAME_MEDIUM);
}

static void refuse_nameless(struct dw_verdict *v, const struct dw_disk_info *other)
{
	dw_verdict_set(
		v, DW_REFUSAL_NOT_UNIQUE,
		"identity not unique: %s looks the same, and neither has a serial number "
		"or WWN: one disk may be behind both; unplug all but one of them",
		other->block[0] ? other->block : other->sg);
}

/* Enter @b among the other paths of @a; one too many refuses. */
static void join_path(struct dw_disk *a, const struct dw_disk_info *b)
{
	struct dw_path_node *n = &a->other[a->n_others];

	for (uint32_t i = 0; i < a->n_others; i++)
		if (a->other[i].sg_dev == b->sg_dev &&
		    a->other[i].block_dev == b->block_dev)
			return;
	if (a->n_others == DW_ARRAY_SIZE(a->other)) {
		dw_verdict_set(&a->verdict, DW_REFUSAL_NOT_UNIQUE,
			       "identity not unique: over %d nodes answer with it",
			       DW_PATHS_MAX);
		return;
	}
	memcpy(n->sg, b->sg, sizeof(n->sg));
	memcpy(n->block, b->block, sizeof(n->block));
	n->sg_dev = b->sg_dev;
	n->block_dev = b->block_dev;
	a->n_others++;
}

/* A refusal of one path is a refusal of the unit. */
static void spread_verdict(const struct dw_disk_info *from, const struct dw_verdict *v,
			   struct dw_verdict *ret)
{
	if (v->refusal == DW_REFUSAL_NONE || ret->refusal != DW_REFUSAL_NONE)
		return;
	dw_verdict_set(ret, v->refusal, "another path to it, %s: %.180s",
		       from->block[0] ? from->block : from->sg, v->reason);
	memcpy(ret->release, v->release, sizeof(ret->release));
}

static void match_nameless(struct dw_disk *a, struct dw_disk *b)
{
	if (!dw_disk_looks_alike(&a->info, &b->info))
		return;
	if (a->verdict.refusal == DW_REFUSAL_NONE)
		refuse_nameless(&a->verdict, &b->info);
	if (b->verdict.refusal == DW_REFUSAL_NONE)
		refuse_nameless(&b->verdict, &a->info);
}

static void match(struct dw_disk *a, struct dw_disk *b)
{
	if (dw_disk_same_node(&a->info, &b->info))
		return;
	if (!may_be_one(&a->info, &b->info)) {
		match_nameless(a, b);
		return;
	}
	if (dw_disk_apart(&a->info, &b->info)) {
		a->info.name_shared = b->info.name_shared = true;
		return;
	}
	if (dw_disk_same_unit(&a->info, &b->info)) {
		join_path(a, &b->info);
		join_path(b, &a->info);
		return;
	}
	if (a->verdict.refusal == DW_REFUSAL_NONE)
		refuse_twin(&a->verdict, &b->info);
	if (b->verdict.refusal == DW_REFUSAL_NONE)
		refuse_twin(&b->verdict, &a->info);
}

void dw_disks_refuse_duplicates(struct dw_disk *disks, size_t n)
{
	for (struct dw_disk *a = disks; a < disks + n; a++)
		for (struct dw_disk *b = a + 1; b < disks + n; b++)
			match(a, b);
	/* a refusal is of one node first, and of its paths after: those of one name are few */
	for (struct dw_disk *a = disks; a < disks + n; a++)
		for (struct dw_disk *b = disks; a->n_others && b < disks + n; b++)
			if (!dw_disk_same_node(&a->info, &b->info) &&
			    dw_disk_same_unit(&a->info, &b->info))
				spread_verdict(&b->info, &b->verdict, &a->verdict);
}

struct twin_search {
	const struct dw_machine *m;
	const struct dw_device *d;
	const struct dw_known_paths *known;
	struct dw_disk *disk;
};

static bool is_known_path(const struct twin_search *s, const struct dw_disk_info *info)
{
	for (size_t i = 0; i < s->known->n; i++)
		if (dw_disk_same_node(&s->known->device[i]->info, info))
			return true;
	return false;
}

/* Another path, if paths are wanted; else another disk with the same name. */
static int take_alike(struct twin_search *s, struct dw_device *other)
{
	struct dw_verdict v;
	int r;

	if (!s->known->uses || !dw_disk_same_unit(&other->info, &s->d->info)) {
		refuse_twin(&s->disk->verdict, &other->info);
		return 0;
	}
	join_path(s->disk, &other->info);
	r = dw_verdict_judge(s->m, other, s->known->uses, s->known->rules, false, &v);
	if (r)
		return r;
	spread_verdict(&other->info, &v, &s->disk->verdict);
	return 0;
}

/* Open a device by its folder. */
static int attach_dir(const struct dw_machine *m, const char *dir, struct dw_device **ret)
{
	static const char *const subs[] = { "scsi_generic", "block" };
	char sub[PATH_MAX], name[64], node[80];
	int r = -ENODEV;

	for (size_t i = 0; i < DW_ARRAY_SIZE(subs) && r; i++) {
		if (dw_path(sub, "%s/%s", dir, subs[i]) ||
		    !dw_sysfs_first(sub, "", name, sizeof(name)))
			continue;
		snprintf(node, sizeof(node), "/dev/%s", name);
		r = dw_device_attach(m, node, ret);
	}
	return r;
}

static int answers_alike(void *ctx, const char *dir)
{
	struct twin_search *s = ctx;
	struct dw_device *other;
	int r = attach_dir(s->m, dir, &other);

	if (r)
		return dw_lacks_room(r) ? r : 0;
	if (is_known_path(s, &other->info)) {
		dw_device_close(other);
		return 0;
	}
	r = dw_device_probe(s->m, other);
	/* one that looks the same and does not answer is not known to be another */
	if (dw_disk_apart(&other->info, &s->d->info))
		s->disk->info.name_shared |= !dw_identity_unnamed(&s->d->info) &&
					     (r || may_be_one(&other->info, &s->d->info));
	else if (r)
		refuse_twin(&s->disk->verdict, &other->info);
	else if (may_be_one(&other->info, &s->d->info))
		r = take_alike(s, other);
	else if (dw_disk_looks_alike(&other->info, &s->d->info))
		refuse_nameless(&s->disk->verdict, &other->info);
	dw_device_close(other);
	return dw_lacks_room(r) ? r : s->disk->verdict.refusal != DW_REFUSAL_NONE;
}

int dw_unique_check(const struct dw_machine *m, struct dw_device *d,
		    const struct dw_known_paths *known, struct dw_disk *ret)
{
	struct twin_search s = { .m = m, .d = d, .known = known, .disk = ret };

	return dw_names_alike(known->names, &d->info, answers_alike, &s);
}

/**
 * struct path_search - a path that is not known yet
 * @found: opened and asked
 */
struct path_search {
	struct twin_search s;
	struct dw_device *found;
};

static int try_path(void *ctx, const char *dir)
{
	struct path_search *p = ctx;
	struct dw_device *d;

	if (attach_dir(p->s.m, dir, &d))
		return 0;
	if (!is_known_path(&p->s, &d->info) && !dw_device_probe(p->s.m, d) &&
	    dw_disk_same_unit(&d->info, &p->s.known->device[0]->info)) {
		dw_device_assume_length(d, DW_MIB);
		p->found = d;
		return 1;
	}
	dw_device_close(d);
	return 0;
}

int dw_device_find_path(struct dw_device *const *known, size_t n, struct dw_device **ret)
{
	struct dw_names *names = dw_names_new(&dw_machine_self);
	const struct dw_known_paths paths = { .device = known, .n = n, .names = names };
	struct path_search p = { .s = { .m = &dw_machine_self, .known = &paths } };
	int r = names ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !r; i++)
		r = dw_names_alike(names, &known[i]->info, try_path, &p);
	dw_names_free(names);
	*ret = p.found;
	return r < 0 ? r : p.found ? 0 : -ENODEV;
}
