/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens, checks and claims the disks that are formatted. Whether a format of one logical unit
 * affects others is reported by the disk (MLU of REPORT SUPPORTED OPERATION CODES, SPC-5). If it
 * reports that no other is affected, that is proven afterwards. Otherwise all units of the device
 * must be among the disks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/identity.h"
#include "device/abreast.h"
#include "judge/verdict.h"
#include "judge/whole.h"
#include "own/format_unit.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/inquiry.h"
#include "scsi/rsoc.h"

/** struct admission - a disk that is being added */
struct admission {
	struct dw_format *f;
	const struct dw_disk *want;
	struct dw_verdict *verdict;
	struct format_unit *unit;
	int error;
};

static int open_path(const struct dw_path_node *node, struct dw_device **ret)
{
	const char *path = node->sg[0] ? node->sg : node->block;
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r)
		return r;
	r = dw_device_probe(&dw_machine_self, d);
	if (!r || (r == -ENOMEDIUM && dw_device_unformatted(d))) {
		*ret = d;
		return 0;
	}
	dw_device_close(d);
	return r;
}

static int open_unit(struct admission *a)
{
	const struct dw_disk *want = a->want;
	struct format_unit *u = a->unit;
	struct dw_path_node first = { .sg_dev = want->info.sg_dev,
				      .block_dev = want->info.block_dev };

	memcpy(first.sg, want->info.sg, sizeof(first.sg));
	memcpy(first.block, want->info.block, sizeof(first.block));
	for (uint32_t i = 0; i <= want->n_others; i++) {
		int r = open_path(i ? &want->other[i - 1] : &first, &u->device[i]);

		if (r)
			return r;
		u->n++;
		if (!dw_disk_match(&want->info, &u->device[i]->info, DW_SAME_BUT_BLOCKS))
			return dw_verdict_set(a->verdict, DW_REFUSAL_CHANGED,
					      DW_ANOTHER_DISK);
	}
	return 0;
}

static bool knows_protection(struct dw_device *d)
{
	struct dw_inquiry inq;
	uint8_t buf[96];
	size_t got;

	return !dw_ask_page(d, -1, buf, sizeof(buf), &got) &&
	       !dw_inquiry_parse(buf, got, &inq) && inq.protect;
}

/* Refuses disks that can be erased but not formatted. */
static int check_able(struct admission *a, struct dw_device *d)
{
	const struct dw_disk_info *i = &d->info;
	struct dw_rsoc_one one = { .reach = DW_RSOC_UNTOLD };

	if (!i->scsi || d->caps.ata.sat || i->logical_volume)
		return dw_verdict_set(
			a->verdict, DW_REFUSAL_ERROR, "%s; FORMAT UNIT is for SCSI disks",
			!i->scsi          ? "it takes no SCSI commands"
			: d->caps.ata.sat ? "an ATA disk behind a translation"
					  : "a volume of a RAID controller");
	if (dw_identity_nameless(i))
		return dw_verdict_set(
			a->verdict, DW_REFUSAL_NOT_UNIQUE,
			"has %s: after its format nothing would show that it is the same",
			dw_identity_lacks(i));
	if (!dw_ask_opcode(d, DW_OPCODE_FORMAT_UNIT, -1, &one))
		return dw_verdict_set(a->verdict, DW_REFUSAL_ERROR,
				      "it does not know FORMAT UNIT");
	if (a->f->spec.pi_type && !knows_protection(d))
		return dw_verdict_set(a->verdict, DW_REFUSAL_ERROR,
				      "it does not know protection information");
	a->unit->reach = one.reach;
	return 0;
}

static int admit(struct admission *a)
{
	struct format_unit *u = a->unit;
	int r = open_unit(a);

	if (!r)
		r = check_able(a, u->device[0]);
	if (!r)
		r = dw_device_claim_paths(u->device, u->n, &a->f->spec.rules, a->verdict);
	if (!r) {
		u->shown.info = u->device[0]->info;
		if (!u->shown.info.blocks)
			u->shown.info.block_size = 0;
		u->shown.corrupt = dw_device_unformatted(u->device[0]);
		u->busy = u->shown.corrupt &&
			  u->device[0]->not_ready.key == DW_KEY_NOT_READY;
		u->shown.info.units = (uint8_t)dw_min_u64(
			dw_device_count_units(&dw_machine_self, u->device[0]), UINT8_MAX);
	}
	if (!r && u->reach == DW_RSOC_THIS)
		r = dw_beside_take(&dw_machine_self, u->device[0], &u->beside);
	return r;
}

static void admit_in_worker(void *ctx, size_t i)
{
	struct admission *a = (struct admission *)ctx + i;
	int r = admit(a);

	if (r < 0) {
		dw_verdict_of_error(r, a->verdict);
		a->error = r == -ENOMEM ? r : 0;
	}
	if (r)
		dw_format_close(a->unit);
}

/* Units that one format reaches are formatted together. */
static int check_devices(struct dw_format *f, const struct dw_disk *disks, size_t n,
			 struct dw_verdict *v, uint32_t *group)
{
	dw_autofree struct dw_disk *all = calloc(n + 1, sizeof(*all));
	struct dw_whole w = { .m = &dw_machine_self,
			      .operation = DW_OPERATION_NONE,
			      .rules = &f->spec.rules,
			      .disk = all,
			      .n = n,
			      .group = group };
	int r;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		all[i] = disks[i];
		if (f->unit[i].n)
			all[i].info = f->unit[i].shown.info;
		all[i].info.whole = f->unit[i].reach != DW_RSOC_THIS;
		all[i].verdict = v[i];
	}
	r = dw_whole_check(&w);
	for (size_t i = 0; i < n; i++) {
		if (r < 0 && v[i].refusal == DW_REFUSAL_NONE)
			dw_verdict_of_error(r, &all[i].verdict);
		v[i] = all[i].verdict;
		if (v[i].refusal != DW_REFUSAL_NONE)
			dw_format_close(&f->unit[i]);
	}
	return 0;
}

int dw_format_new(const struct dw_format_spec *spec, struct dw_format **ret)
{
	struct dw_format *f;

	if (!dw_format_length_known(spec->block_size) ||
	    spec->pi_type >= DW_PROTECTION_TYPES)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->spec = *spec;
	f->spec.rules.unformatted = true;
	*ret = f;
	return 0;
}

int dw_format_add(struct dw_format *f, const struct dw_disk *disks, size_t n,
		  struct dw_verdict *ret_verdict)
{
	dw_autofree struct admission *a = calloc(n + 1, sizeof(*a));
	dw_autofree uint32_t *group = calloc(n + 1, sizeof(*group));
	dw_autofree uint32_t *place = calloc(n + 1, sizeof(*place));
	int r = 0;

	if (f->unit)
		return -EALREADY;
	f->unit = calloc(n + 1, sizeof(*f->unit));
	f->disk = calloc(n + 1, sizeof(*f->disk));
	if (!a || !group || !place || !f->unit || !f->disk)
		return -ENOMEM;
	memset(ret_verdict, 0, n * sizeof(*ret_verdict));
	for (size_t i = 0; i < n; i++)
		a[i] = (struct admission){ .f = f,
					   .want = &disks[i],
					   .verdict = &ret_verdict[i],
					   .unit = &f->unit[i] };
	dw_abreast(admit_in_worker, a, n);
	for (size_t i = 0; i < n; i++)
		r = a[i].error ? a[i].error : r;
	if (!r)
		r = check_devices(f, disks, n, ret_verdict, group);
	for (size_t i = 0; i < n; i++) {
		if (ret_verdict[i].refusal != DW_REFUSAL_NONE)
			continue;
		place[i] = (uint32_t)f->n;
		f->unit[f->n] = f->unit[i];
		f->unit[f->n].lead = place[group[i]];
		f->unit[place[group[i]]].leads |= place[group[i]] != f->n;
		f->n++;
	}
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->n; k++)
			dw_beside_spare(f->unit[i].beside, f->unit[k].shown.info.sg);
	dw_format_publish(f);
	return r;
}
