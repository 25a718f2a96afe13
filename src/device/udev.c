/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libudev is for. Its database adds names that sysfs does not have; it may be stale or
 * absent, so it only ever fills what is still empty.
 */
#include <libudev.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "device/node.h"

static void copy_property(struct udev_device *d, const char *key, char *ret, size_t len)
{
	const char *value = udev_device_get_property_value(d, key);

	if (!ret[0] && value && strlen(value) < len)
		dw_text_printable(strcpy(ret, value));
}

static void fill_transport(struct udev_device *d, struct dw_disk_info *info)
{
	const char *bus = udev_device_get_property_value(d, "ID_BUS");

	/* "scsi" says only what is known already */
	if (info->transport[0] || !bus || !strcmp(bus, "scsi"))
		return;
	snprintf(info->transport, sizeof(info->transport), "%.15s",
		 !strcmp(bus, "ata") ? "sata" : bus);
}

void dw_udev_names(struct dw_disk_info *info)
{
	struct udev *udev = info->block_dev ? udev_new() : NULL;
	struct udev_device *d;

	if (!udev)
		return;
	d = udev_device_new_from_devnum(udev, 'b', info->block_dev);
	if (d) {
		copy_property(d, "ID_MODEL", info->model, sizeof(info->model));
		copy_property(d, "ID_VENDOR", info->vendor, sizeof(info->vendor));
		fill_transport(d, info);
		udev_device_unref(d);
	}
	udev_unref(udev);
}
