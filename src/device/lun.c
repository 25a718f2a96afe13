/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logical units that are no disks, though they have the type of one: the one by which the
 * management of an array is reached, and those of which the target knows nothing.
 */
#include "device/lun.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "device/sysfs.h"

#define ADDITIONAL_LENGTH 4

bool dw_lun_management(const char *model)
{
	return !strcmp(model, "Universal Xport");
}

static int find_management(void *ctx, const char *dir, const char *name)
{
	char path[PATH_MAX], model[24];
	bool *found = ctx;

	if (!strchr(name, ':') || dw_path(path, "%s/%s", dir, name) ||
	    dw_sysfs_text(path, "model", model, sizeof(model)))
		return 0;
	return *found = dw_lun_management(model);
}

bool dw_lun_of_array(const char *scsi_dir)
{
	char target[PATH_MAX];
	bool found = false;

	snprintf(target, sizeof(target), "%s", scsi_dir);
	dw_path_parent(target);
	dw_sysfs_each(target, find_management, &found);
	return found;
}

bool dw_lun_phantom(const char *scsi_dir)
{
	char text[24], path[PATH_MAX];
	dw_autoclose int fd = -1;
	uint8_t inquiry[8];

	if (dw_sysfs_text(scsi_dir, "vendor", text, sizeof(text)) || text[0] ||
	    dw_sysfs_text(scsi_dir, "model", text, sizeof(text)) || text[0] ||
	    dw_path(path, "%s/inquiry", scsi_dir))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, inquiry, sizeof(inquiry)) > ADDITIONAL_LENGTH &&
	       !inquiry[ADDITIONAL_LENGTH];
}
