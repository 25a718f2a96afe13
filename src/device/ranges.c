/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel reports what it has checked; where it has not asked, the disk is: by SBC's page, or,
 * of
 * an ATA disk whose translation has not got that, by the log from which such a page is made. That
 * log is read of disks which know so recent a standard, and name it among their logs.
 */
#include "device/ranges.h"

#include <errno.h>
#include <limits.h>

#include "device/ask.h"
#include "device/hidden.h"
#include "device/node.h"
#include "scsi/ata.h"

#define SYSFS_SECTOR 512

int dw_ranges_join(const struct dw_vpd_range *reported, size_t n, uint64_t blocks,
		   struct dw_ranges *ret)
{
	struct dw_ranges r = { 0 };
	uint64_t end = 0;

	if (n < 2 || n > DW_RANGES_MAX)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (reported[i].first != end || !reported[i].blocks)
			return -EINVAL;
		r.first[r.n++] = end;
		end += reported[i].blocks;
	}
	if (end < blocks)
		return -EINVAL;
	*ret = r;
	return 0;
}

static size_t by_sysfs(const struct dw_machine *m, const struct dw_device *d,
		       struct dw_vpd_range ret[DW_RANGES_MAX])
{
	char block[PATH_MAX], dir[PATH_MAX];
	size_t n = 0;

	if (dw_node_block_dir(m, &d->info, block))
		return 0;
	for (; n < DW_RANGES_MAX; n++) {
		uint64_t first, sectors;

		if (dw_path(dir, "%s/queue/independent_access_ranges/%zu", block, n) ||
		    !dw_sysfs_u64(dir, "sector", &first) ||
		    !dw_sysfs_u64(dir, "nr_sectors", &sectors))
			break;
		ret[n] = (struct dw_vpd_range){
			.first = first * SYSFS_SECTOR / d->caps.block_size,
			.blocks = sectors * SYSFS_SECTOR / d->caps.block_size,
		};
	}
	return n;
}

static size_t by_page(struct dw_device *d, struct dw_vpd_range ret[DW_RANGES_MAX])
{
	uint8_t buf[DW_VPD_RANGES_LEN];
	size_t got;

	return dw_ask_page(d, DW_VPD_RANGES, buf, sizeof(buf), &got)
		       ? 0
		       : dw_vpd_ranges(buf, got, ret, DW_RANGES_MAX);
}

static bool read_log(struct dw_device *d, enum dw_ata_question log,
		     uint8_t ret[DW_ATA_SECTOR])
{
	struct dw_cmd cmd = { .data = ret, .data_len = DW_ATA_SECTOR };
	struct dw_answer a;

	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, log);
	return !dw_ask(d, &cmd, &a) && a.got == DW_ATA_SECTOR;
}

static size_t by_log(struct dw_device *d, struct dw_vpd_range ret[DW_RANGES_MAX])
{
	uint8_t log[DW_ATA_SECTOR];
	struct dw_ata_identity id;

	if (dw_device_ata_identity(d, &id) || !id.acs4 || !id.logs ||
	    id.sector_size != d->caps.block_size ||
	    !read_log(d, DW_ATA_LOG_DIRECTORY, log) || !dw_ata_has_ranges(log) ||
	    !read_log(d, DW_ATA_LOG_RANGES, log))
		return 0;
	return dw_ata_ranges(log, ret, DW_RANGES_MAX);
}

void dw_device_probe_ranges(const struct dw_machine *m, struct dw_device *d, bool page)
{
	struct dw_caps *c = &d->caps;
	struct dw_vpd_range reported[DW_RANGES_MAX];
	size_t n;

	c->ranges = (struct dw_ranges){ 0 };
	c->ranges_from = NULL;
	/* what does not turn has no actuator */
	if (!c->block_size || c->rotation == 1 || d->info.logical_volume)
		return;
	n = by_sysfs(m, d, reported);
	if (!dw_ranges_join(reported, n, c->blocks, &c->ranges)) {
		c->ranges_from = "sysfs";
		return;
	}
	n = page ? by_page(d, reported) : 0;
	if (!dw_ranges_join(reported, n, c->blocks, &c->ranges)) {
		c->ranges_from = "VPD B9h";
		return;
	}
	n = c->ata.sat && !c->narrow && c->rotation ? by_log(d, reported) : 0;
	if (!dw_ranges_join(reported, n, c->blocks, &c->ranges))
		c->ranges_from = "ATA log 47h";
}
