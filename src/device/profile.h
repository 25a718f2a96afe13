/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_PROFILE_H
#define DW_DEVICE_PROFILE_H

/*
 * How much a device is asked, and how. What hangs on USB or FireWire is a bridge, and is asked as
 * every operating system asks bridges: what others do not send nobody has tried them with.
 */
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "device/sysfs.h"

#define DW_PROFILE_OPCODES 8

/**
 * struct dw_profile - of one kind of device
 * @inquiry_len: bytes of standard INQUIRY data
 * @mode_len: bytes of MODE SENSE
 * @never: operation codes of questions that it is spared, 0 ends them
 * @mode_once: all mode pages are asked for by one question, before the job, and no defaults
 * @short_capacity: READ CAPACITY(10) comes before (16)
 * @write_same: WRITE SAME is tried
 * @soft_length: no transfer is longer than the kernel's own (max_sectors_kb)
 */
struct dw_profile {
	uint8_t inquiry_len;
	uint8_t mode_len;
	uint8_t never[DW_PROFILE_OPCODES];
	bool mode_once;
	bool short_capacity;
	bool write_same;
	bool soft_length;
};

/** dw_profile_of() - the profile of a device; by what it hangs on. */
const struct dw_profile *dw_profile_of(const struct dw_disk_info *info);

/**
 * dw_profile_heed() - from now on a device is not asked what it is to be spared
 * @m: the machine
 * @d: the device
 *
 * Besides @never these are the pages of vital product data where the kernel has none of a device
 * whose version of the standard has them, and which hangs on no bridge: it has a list of devices
 * that hang at them.
 */
void dw_profile_heed(const struct dw_machine *m, struct dw_device *d);

#endif
