/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libudev is for. Its database adds names that sysfs does not have; it may be stale or
 * absent, so it only ever fills what is still empty. And it hears the kernel's events, which
 * come without udevd too.
 */
#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/node.h"

static void fill(struct udev_device *d, const char *key, char *ret, size_t len)
{
	const char *value = udev_device_get_property_value(d, key);

	if (!ret[0] && value && strlen(value) < len)
		strcpy(ret, value);
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
		fill(d, "ID_MODEL", info->model, sizeof(info->model));
		fill(d, "ID_VENDOR", info->vendor, sizeof(info->vendor));
		fill_transport(d, info);
		udev_device_unref(d);
	}
	udev_unref(udev);
}

struct dw_resets {
	struct udev *udev;
	struct udev_monitor *monitor;
};

void dw_resets_free(struct dw_resets *r)
{
	if (!r)
		return;
	udev_monitor_unref(r->monitor);
	udev_unref(r->udev);
	free(r);
}

int dw_resets_new(struct dw_resets **ret)
{
	struct dw_resets *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->udev = udev_new();
	r->monitor = r->udev ? udev_monitor_new_from_netlink(r->udev, "kernel") : NULL;
	if (!r->monitor ||
	    udev_monitor_filter_add_match_subsystem_devtype(r->monitor, "scsi",
							    "scsi_device") < 0 ||
	    udev_monitor_enable_receiving(r->monitor) < 0) {
		dw_resets_free(r);
		return -ENOTSUP;
	}
	*ret = r;
	return 0;
}

bool dw_resets_next(struct dw_resets *r, struct dw_disk_info *ret)
{
	struct udev_device *d;
	bool found = false;

	while (!found && (d = udev_monitor_receive_device(r->monitor))) {
		const char *what = udev_device_get_property_value(d, "SDEV_UA");
		const char *name = udev_device_get_sysname(d);

		found = what && name && !strcmp(what, "POWER_ON_RESET_OCCURRED") &&
			dw_node_address(name, ret);
		udev_device_unref(d);
	}
	return found;
}
