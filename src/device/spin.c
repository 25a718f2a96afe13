/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The motor of a disk that nobody uses. Mounts, swap, md, device-mapper and our own claim hold the
 * block node with O_EXCL, so whoever gets it here, and keeps it until the disk has answered, stops
 * nobody's disk. A disk without a block node is held by its sg node.
 */
#include <errno.h>

#include <diskwipe/health.h>

#include "base/util.h"
#include "device/open.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"

#define TIMEOUT_MS 60000 /* large disks need half of that */

static int hold(struct dw_device *d)
{
	struct dw_node_ref sg = { .path = d->info.sg, .dev = d->info.sg_dev };
	struct dw_node_ref block = dw_device_holdable(&d->info);

	if (block.dev)
		return dw_node_open(&block, O_RDONLY | O_EXCL);
	dw_closep(&d->sg_fd); /* O_EXCL on an sg node wants no other descriptor */
	d->sg_fd = -1;
	d->sg_fd = dw_node_open(&sg, O_RDWR | O_EXCL);
	return d->sg_fd < 0 ? d->sg_fd : fcntl(d->sg_fd, F_DUPFD_CLOEXEC, 0);
}

/* Past a unit attention, which may be there after a hot-plug. */
static int start_stop(struct dw_device *d, bool up)
{
	struct dw_cmd cmd = { .timeout_ms = TIMEOUT_MS };
	struct dw_completion done;
	struct dw_sense s;

	cmd.cdb_len = (uint8_t)(up ? dw_cdb_start(cmd.cdb) : dw_cdb_stop(cmd.cdb));
	for (int i = 0; i < 8; i++) {
		int r = dw_device_command(d, DW_OPCLASS_CONTROL, &cmd, &done);

		if (r || done.err)
			return r ? r : done.err;
		if (!done.host_status && done.status == DW_STATUS_GOOD)
			return 0;
		if (dw_sense_parse(done.sense, done.sense_len, &s) ||
		    s.key != DW_KEY_UNIT_ATTENTION)
			break;
	}
	return -EIO;
}

int dw_disk_spin(const char *path, bool up)
{
	dw_autoclose int held = -1;
	struct dw_device *d;
	int r = dw_device_attach(&dw_machine_self, path, &d);

	if (r)
		return r;
	if (!d->info.scsi)
		r = -EOPNOTSUPP;
	if (!r) {
		held = hold(d);
		r = held < 0 ? held : 0;
	}
	if (!r) {
		d->permit.steerable = true;
		r = start_stop(d, up);
	}
	dw_device_close(d);
	return r;
}
