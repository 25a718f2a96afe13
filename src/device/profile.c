/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/profile.h"

#include <string.h>

#include "device/node.h"
#include "scsi/cdb.h"
#include "transport/spared.h"

/* SPC-3 as the kernel counts it, one more than INQUIRY does */
#define LEVEL_SPC3 6

static const struct dw_profile disk = {
	.inquiry_len = 96,
	.mode_len = 252,
	.write_same = true,
};

/* INQUIRY of 36 bytes and MODE SENSE(6) of 192 are what Windows and Linux send to each of them. */
static const struct dw_profile bridge = {
	.inquiry_len = 36,
	.mode_len = 192,
	.never = { DW_OPCODE_MODE_SENSE_10, DW_OPCODE_LOG_SENSE, DW_OPCODE_MAINTENANCE_IN,
		   DW_OPCODE_SECURITY_PROTOCOL_IN, DW_OPCODE_READ_DEFECT_DATA_10,
		   DW_OPCODE_READ_DEFECT_DATA_12 },
	.mode_once = true,
	.short_capacity = true,
	.soft_length = true,
};

const struct dw_profile *dw_profile_of(const struct dw_disk_info *info)
{
	return !strcmp(info->transport, "usb") || !strcmp(info->transport, "sbp")
		       ? &bridge
		       : &disk;
}

/* The kernel asks no bridge for pages, so that it has none of those says nothing. */
static bool kernel_spares_pages(const struct dw_machine *m, const struct dw_disk_info *i)
{
	char dir[PATH_MAX], name[32];
	uint64_t level;

	return dw_profile_of(i) != &bridge && !dw_node_scsi_dir(m, i, dir) &&
	       dw_sysfs_u64(dir, "scsi_level", &level) && level >= LEVEL_SPC3 &&
	       !dw_sysfs_first(dir, "vpd_pg", name, sizeof(name));
}

void dw_profile_heed(const struct dw_machine *m, struct dw_device *d)
{
	const struct dw_profile *p = dw_profile_of(&d->info);

	for (size_t i = 0; i < DW_PROFILE_OPCODES && p->never[i]; i++)
		dw_spared_never(d->spared, p->never[i]);
	if (kernel_spares_pages(m, &d->info))
		dw_spared_never(d->spared, DW_OPCODE_INQUIRY);
}
