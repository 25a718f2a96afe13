/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_MACHINE_H
#define DW_TESTS_MACHINE_H

/* A machine made of files below a temporary folder: recorded, or put together by hand. */
#include "device/sysfs.h"

struct machine {
	char root[64];
	char sys[80];
	char proc[80];
	char dev[80];
	char etc[80];
	struct dw_machine m;
};

/** machine_new() - an empty one; the test fails when that is not possible. */
void machine_new(struct machine *t);

/** machine_load() - add what tests/data/machines/record printed into @name. */
void machine_load(struct machine *t, const char *name);

/** machine_file() - write a file; folders are made. @path begins with sys/ or proc/. */
void machine_file(struct machine *t, const char *path, const char *content);

/** machine_link() - make a link; folders are made. */
void machine_link(struct machine *t, const char *path, const char *target);

/**
 * struct machine_disk - a SCSI disk to be made by machine_scsi()
 * @host_path: folder below sys/devices that ends with "/hostN"
 * @middle: folders between it and the target's, "" or "/port-0:0/end_device-0:0"
 * @address: "H:C:T:L"
 * @sd, @sd_dev: name and number of the block node, or NULL
 * @sg, @sg_dev: the same of the sg node
 * @driver, @vendor, @model: what sysfs says
 * @type: peripheral type in decimal
 */
struct machine_disk {
	const char *host_path;
	const char *middle;
	const char *address;
	const char *sd;
	const char *sd_dev;
	const char *sg;
	const char *sg_dev;
	const char *driver;
	const char *vendor;
	const char *model;
	const char *type;
};

/** machine_scsi() - add a SCSI disk; its folder goes to @ret_dir (PATH_MAX), relative. */
void machine_scsi(struct machine *t, const struct machine_disk *d, char *ret_dir);

/** machine_block() - add a block device with that folder below sys/devices, without SCSI. */
void machine_block(struct machine *t, const char *dir, const char *dev);

/** machine_free() - remove everything. */
void machine_free(struct machine *t);

#endif
