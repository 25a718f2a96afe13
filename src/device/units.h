/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_UNITS_H
#define DW_DEVICE_UNITS_H

/*
 * The disks of the machine by the device that each is a logical unit, or a namespace, of. Only
 * sysfs is read: it has what the kernel sees, which may be less than there is.
 */
#include "device/sysfs.h"

#define DW_UNIT_NAMES 6

/** struct dw_unit_name - a name in VPD 83h of the device, or of its port, as a digest */
struct dw_unit_name {
	uint64_t digest;
	uint8_t association;
};

/**
 * struct dw_unit - a disk, by one of its paths
 * @device: "H:C:T", what its SCSI address has in common with the other units of its target; or
 *	"nvme0n", what the kernel's name has in common with the other namespaces of its subsystem
 * @number: its LUN, or the number in the kernel's name
 * @node: "sg2", "nvme0n1"; empty = it has none
 * @name, @n_names: of SCSI devices; names of zeros are none
 */
struct dw_unit {
	char device[40];
	uint64_t number;
	char node[32];
	struct dw_unit_name name[DW_UNIT_NAMES];
	uint32_t n_names;
};

/**
 * dw_units_read() - all of them, ordered by device and number
 * @ret: free()
 *
 * What answers INQUIRY with nothing is no disk (dw_lun_phantom()), nor is what has another type.
 *
 * Return: 0; negative errno, -EMFILE and the like if something could not be read for want of room.
 */
int dw_units_read(const struct dw_machine *m, struct dw_unit **ret, size_t *ret_n);

/** dw_units_share() - do both say one name of the device (DW_ASSOC_TARGET), or if @ports of the
 *  port that leads to it? */
bool dw_units_share(const struct dw_unit *a, const struct dw_unit *b, bool ports);

#endif
