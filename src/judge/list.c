/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public face of discovery: each disk is opened, asked, judged and closed again. A
 * disk that cannot be examined stays in the list with the reason.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/util.h"
#include "device/abreast.h"
#include "device/node.h"
#include "device/open.h"
#include "device/shelves.h"
#include "judge/snapshot.h"
#include "judge/verdict.h"

/* Parts of a disk, and devices that are built on disks, are distinguished from devices that are
 * no disks. */
static void explain_not_a_disk(const char *path, struct dw_disk *ret)
{
	enum dw_node_kind kind;
	bool block;
	dev_t dev;

	if (dw_node_of_path(path, &block, &dev) ||
	    dw_node_resolve(&dw_machine_self, block, dev, &ret->info, &kind))
		return;
	if (kind == DW_NODE_PARTITION)
		dw_verdict_set(&ret->verdict, DW_REFUSAL_NOT_A_DISK,
			       "a partition; name the whole disk, %s",
			       ret->info.block[0] ? ret->info.block : ret->info.sg);
	else if (kind == DW_NODE_STACKED)
		dw_verdict_set(&ret->verdict, DW_REFUSAL_NOT_A_DISK,
			       "built on other disks; name those");
}

/* Facts as far as they are available, for a disk that could not be opened or asked. */
static void keep_facts(const char *path, struct dw_disk *ret)
{
	enum dw_node_kind kind;
	bool block;
	dev_t dev;

	if (!dw_node_of_path(path, &block, &dev))
		dw_node_resolve(&dw_machine_self, block, dev, &ret->info, &kind);
}

/* The node cannot even be opened: say what it is, and who keeps it. */
static void explain_closed(const char *path, int err, const struct dw_uses *uses,
			   struct dw_disk *ret)
{
	dw_verdict_of_error(err, &ret->verdict);
	keep_facts(path, ret);
	if (err == -ENOTBLK)
		explain_not_a_disk(path, ret);
	dw_verdict_offline(&dw_machine_self, &ret->info, &ret->verdict);
	if (err == -EBUSY)
		dw_inuse_judge(&dw_machine_self, uses, &ret->info, &ret->verdict);
}

/* @alone: nobody else will compare it with the machine's other disks. */
static int examine(const char *path, const struct dw_uses *uses,
		   const struct dw_rules *rules, bool alone, struct dw_disk *ret)
{
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r) {
		explain_closed(path, r, uses, ret);
		return r == -ENOMEM ? r : 0;
	}
	d->looked_at = true;
	r = dw_device_probe(&dw_machine_self, d);
	if (r == -ENOMEDIUM && rules && rules->unformatted && dw_device_unformatted(d))
		r = 0;
	dw_shelves_fill_slot(uses->shelves, &d->info);
	ret->info = d->info;
	dw_udev_names(&ret->info);
	if (!r)
		r = dw_verdict_judge(&dw_machine_self, d, uses, rules, true,
				     &ret->verdict);
	if (!r && alone && ret->verdict.refusal == DW_REFUSAL_NONE)
		r = dw_unique_check(&dw_machine_self, d,
				    &(struct dw_known_paths){ .names = uses->names,
							      .uses = uses,
							      .rules = rules },
				    ret);
	if (r < 0)
		dw_verdict_of_error(r, &ret->verdict);
	if (r == -ENOMEDIUM)
		dw_verdict_not_ready(d, &ret->verdict);
	if (r < 0)
		dw_verdict_offline(&dw_machine_self, &d->info, &ret->verdict);
	if (r == -EBADE)
		dw_reservation_check(d,
				     &ret->verdict); /* by whom, if the disk reports it */
	dw_device_close(d);
	return r == -ENOMEM ? r : 0;
}

/* A multipath map stands for the disk below it, which is found by any of its paths. */
static const char *below_map(const char *path, char *buf, size_t size)
{
	bool block = false;
	dev_t dev;

	if (dw_node_of_path(path, &block, &dev) || !block ||
	    dw_node_map_path(&dw_machine_self, dev, buf, size))
		return path;
	return buf;
}

int dw_disk_examine(const char *path, const struct dw_rules *rules, struct dw_disk *ret)
{
	struct dw_snapshot *now;
	char node[80];
	int r;

	*ret = (struct dw_disk){ .info.wce = -1 };
	path = below_map(path, node, sizeof(node));
	r = dw_snapshot_take(&dw_snapshots_self, &now);
	if (!r)
		r = examine(path, &now->uses, rules, true, ret);
	dw_snapshot_give_back(&dw_snapshots_self, now);
	return r;
}

/* A block node that is opened sends nothing to a disk whose medium stays. */
static void judge_exclusive(const struct dw_disk_info *info, struct dw_verdict *ret)
{
	struct dw_node_ref ref = dw_device_holdable(info);

	if (!info->removable && dw_node_in_use(&ref))
		dw_verdict_of_error(-EBUSY, ret);
}

int dw_disk_users(const char *path, struct dw_verdict *ret)
{
	struct dw_disk_info info = { .wce = -1 };
	struct dw_verdict v = { .refusal = DW_REFUSAL_NONE };
	struct dw_snapshot *now = NULL;
	enum dw_node_kind kind = DW_NODE_OTHER;
	bool block;
	dev_t dev;
	int r = dw_node_of_path(path, &block, &dev);

	if (!r)
		r = dw_node_resolve(&dw_machine_self, block, dev, &info, &kind);
	if (!r && kind != DW_NODE_DISK)
		r = -ENOTBLK;
	if (!r)
		r = dw_snapshot_take(&dw_snapshots_self, &now);
	if (!r)
		r = dw_inuse_judge(&dw_machine_self, &now->uses, &info, &v);
	if (!r)
		dw_inuse_judge_unseen(&now->uses, &v);
	if (!r && v.refusal == DW_REFUSAL_NONE)
		judge_exclusive(&info, &v);
	dw_snapshot_give_back(&dw_snapshots_self, now);
	if (r < 0)
		return r;
	*ret = v;
	return 0;
}

/** struct survey - a list in the making; @error: one that ends it */
struct survey {
	const struct dw_disk_info *infos;
	const struct dw_uses *uses;
	const struct dw_rules *rules;
	struct dw_disk *ret;
	atomic_int error;
};

static void survey(void *ctx, size_t i)
{
	struct survey *s = ctx;
	const struct dw_disk_info *info = &s->infos[i];
	int r;

	if (atomic_load(&s->error))
		return;
	s->ret[i].info = *info;
	r = examine(info->sg[0] ? info->sg : info->block, s->uses, s->rules, false,
		    &s->ret[i]);
	if (r)
		atomic_store(&s->error, r);
}

static int examine_all(struct survey *s, size_t n)
{
	dw_abreast(survey, s, n);
	return atomic_load(&s->error);
}

/* A disk that the kernel does not show is refused by the node of its controller: a list without it
 * would let it leave unerased. */
static void add_silent(const struct dw_disk_info *infos, size_t n, struct dw_disk *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i].info = infos[i];
		dw_verdict_set(
			&ret[i].verdict, DW_REFUSAL_NO_MEDIUM,
			"the kernel shows no namespace of this NVMe controller, so "
			"that nothing of it can be erased; see its log, and 'nvme "
			"list-ns -a %s'",
			infos[i].sg);
	}
}

int dw_disks_list(const struct dw_rules *rules, struct dw_disk **ret, size_t *ret_n)
{
	dw_autofree struct dw_disk_info *infos = NULL;
	dw_autofree struct dw_disk_info *silent = NULL;
	struct dw_uses uses = { 0 };
	struct dw_disk *disks;
	size_t n, n_silent;
	int r = dw_nodes_list(&dw_machine_self, &infos, &n);

	if (!r)
		r = dw_nodes_silent(&dw_machine_self, &silent, &n_silent);
	if (r)
		return r;
	disks = calloc(n + n_silent + 1, sizeof(*disks));
	if (!disks)
		return -ENOMEM;
	r = dw_uses_scan(&dw_machine_self, &uses);
	if (!r)
		r = examine_all(&(struct survey){ .infos = infos,
						  .uses = &uses,
						  .rules = rules,
						  .ret = disks },
				n);
	dw_uses_free(&uses);
	if (r) {
		free(disks);
		return r;
	}
	dw_disks_refuse_duplicates(disks, n);
	add_silent(silent, n_silent, disks + n);
	*ret = disks;
	*ret_n = n + n_silent;
	return 0;
}
