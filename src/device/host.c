/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/host.h"

/* The kernel has these as they are on the machine: without SMBIOS there is no such folder. */
static void read_dmi(const struct dw_machine *m, struct dw_host *ret)
{
	char dir[PATH_MAX];

	if (dw_path(dir, "%s/class/dmi/id", m->sys))
		return;
	dw_sysfs_text(dir, "product_serial", ret->serial, sizeof(ret->serial));
	dw_sysfs_text(dir, "chassis_asset_tag", ret->asset_tag, sizeof(ret->asset_tag));
	if (!ret->asset_tag[0])
		dw_sysfs_text(dir, "board_asset_tag", ret->asset_tag,
			      sizeof(ret->asset_tag));
}

void dw_host_read(const struct dw_machine *m, struct dw_host *ret)
{
	char dir[PATH_MAX];

	*ret = (struct dw_host){ 0 };
	if (!dw_path(dir, "%s/sys/kernel", m->proc)) {
		dw_sysfs_text(dir, "hostname", ret->name, sizeof(ret->name));
		dw_sysfs_text(dir, "osrelease", ret->kernel, sizeof(ret->kernel));
	}
	read_dmi(m, ret);
}
