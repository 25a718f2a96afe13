/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/vpd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "device/node.h"
#include "scsi/vpd.h"

size_t dw_vpd_cached(const struct dw_machine *m, const struct dw_disk_info *info,
		     int page, uint8_t *buf, size_t len)
{
	char dir[PATH_MAX], path[PATH_MAX], name[16] = "inquiry";
	dw_autoclose int fd = -1;
	size_t rest;
	ssize_t n;

	memset(buf, 0, len);
	if (page >= 0)
		snprintf(name, sizeof(name), "vpd_pg%x", (unsigned int)page);
	if (dw_node_scsi_dir(m, info, dir) || dw_path(path, "%s/%s", dir, name))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, len);
	if (n <= 0 || (page >= 0 && dw_vpd_check(buf, (size_t)n, (uint8_t)page, &rest)))
		return 0;
	return (size_t)n;
}
