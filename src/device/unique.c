/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two nodes with one identity may be two paths to one disk or two disks with one name;
 * erasing would be wrong in both cases, so both are refused. A disk is compared with all
 * others of the machine: sysfs gives the few that look alike, and these are asked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/node.h"
#include "device/open.h"
#include "device/verdict.h"

bool dw_disk_same_node(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return (a->sg_dev || a->block_dev) && a->sg_dev == b->sg_dev &&
	       a->block_dev == b->block_dev;
}

bool dw_disk_same_identity(const struct dw_disk_info *a, const struct dw_disk_info *b)
{
	return (a->serial[0] || a->wwn[0]) && !strcmp(a->serial, b->serial) &&
	       !strcmp(a->wwn, b->wwn) &&
	       a->blocks * a->block_size == b->blocks * b->block_size;
}

static void refuse(struct dw_verdict *v, const struct dw_disk_info *other)
{
	dw_verdict_set(v, DW_REFUSAL_NOT_UNIQUE,
		       "identity not unique: %s answers with the same serial and WWN",
		       other->block[0] ? other->block : other->sg);
}

void dw_disks_refuse_duplicates(struct dw_disk *disks, size_t n)
{
	for (struct dw_disk *a = disks; a < disks + n; a++) {
		for (struct dw_disk *b = a + 1; b < disks + n; b++) {
			if (dw_disk_same_node(&a->info, &b->info) ||
			    !dw_disk_same_identity(&a->info, &b->info))
				continue;
			if (a->verdict.refusal == DW_REFUSAL_NONE)
				refuse(&a->verdict, &b->info);
			if (b->verdict.refusal == DW_REFUSAL_NONE)
				refuse(&b->verdict, &a->info);
		}
	}
}

struct search {
	const struct dw_machine *m;
	const struct dw_device *d;
	struct dw_verdict *v;
	char own[64]; /* address */
	char wwid[128];
	char serial[128];
};

/* The cached identification in text form, and the raw serial number page. */
static void read_cached(const char *dir, char *wwid, char *serial, size_t len)
{
	char path[PATH_MAX];
	dw_autoclose int fd = -1;
	ssize_t n;

	dw_sysfs_text(dir, "wwid", wwid, len);
	memset(serial, 0, len);
	if (dw_path(path, "%s/vpd_pg80", dir))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, serial, len);
	if (n <= 4)
		memset(serial, 0, len);
}

static int answers_alike(struct search *s, const char *dir)
{
	static const char *const subs[] = { "scsi_generic", "block" };
	char sub[PATH_MAX], name[64], node[80];
	struct dw_device *other;
	int r = -ENODEV;

	for (size_t i = 0; i < DW_ARRAY_SIZE(subs) && r; i++) {
		if (dw_path(sub, "%s/%s", dir, subs[i]) ||
		    !dw_sysfs_first(sub, "", name, sizeof(name)))
			continue;
		snprintf(node, sizeof(node), "/dev/%s", name);
		r = dw_device_attach(s->m, node, &other);
	}
	if (r)
		return r == -ENOMEM ? r : 0;
	r = dw_device_probe(s->m, other);
	/* one that looks the same and does not answer is not known to be another */
	if (r || dw_disk_same_identity(&other->info, &s->d->info))
		refuse(s->v, &other->info);
	dw_device_close(other);
	return s->v->refusal == DW_REFUSAL_NOT_UNIQUE;
}

static int compare_cached(void *ctx, const char *dir, const char *name)
{
	struct search *s = ctx;
	char path[PATH_MAX], wwid[128], serial[128];

	if (!strcmp(name, s->own) || dw_path(path, "%s/%s/device", dir, name))
		return 0;
	read_cached(path, wwid, serial, sizeof(wwid));
	/* byte 1 of the page is its code, 80h */
	if ((wwid[0] && !strcmp(wwid, s->wwid)) ||
	    (serial[1] && !memcmp(serial, s->serial, sizeof(serial))))
		return answers_alike(s, path);
	return 0;
}

int dw_unique_check(const struct dw_machine *m, struct dw_device *d,
		    struct dw_verdict *ret)
{
	struct search s = { .m = m, .d = d, .v = ret };
	char dir[PATH_MAX];
	int r;

	if (dw_node_scsi_dir(m, &d->info, dir))
		return 0;
	snprintf(s.own, sizeof(s.own), "%u:%u:%u:%llu", d->info.host, d->info.channel,
		 d->info.target, (unsigned long long)d->info.lun);
	read_cached(dir, s.wwid, s.serial, sizeof(s.wwid));
	r = dw_path(dir, "%s/class/scsi_device", m->sys);
	if (!r)
		r = dw_sysfs_each(dir, compare_cached, &s);
	return r == -ENOENT ? 0 : r;
}
