/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a disk's cache can be flushed is known when it has been, and a job that cannot
 * flush proves nothing at its end: so this is asked before its first write. What a disk
 * claims to know (RSOC, or the version of the standard) is no answer; every disk that QEMU
 * emulates claims SPC-3 and knows SYNCHRONIZE CACHE(10) alone.
 *
 * (10) serves disks of any size: LBA 0 with a count of 0 means up to the last block (SBC,
 * SYNCHRONIZE CACHE (10), NUMBER OF LOGICAL BLOCKS), wherever that is; Linux sends it to all.
 */
#include <stdio.h>
#include <string.h>

#include "device/open.h"
#include "device/host.h"
#include "scsi/cdb.h"
#include "transport/path_end.h"

#define FLUSH_TIMEOUT_MS 180000
#define ATTEMPTS         4

/* Not a refusal of something passing: it will be the same at the end. */
static bool refused_for_good(int r, const struct dw_answer *a)
{
	if (r != 1)
		return dw_path_unsent(&a->done);
	return dw_answer_unsupported(a) || a->sense.key == DW_KEY_HARDWARE_ERROR;
}

/* 1 the disk does it; 0 it does not know it, does not get it, or fails each time (QEMU's
 * megasas fails every command without data); -1 it did not come to that. */
static int flush(struct dw_device *d, unsigned int size)
{
	static const struct dw_cdb_extent all = { .verb = DW_EXTENT_SYNC };
	struct dw_cmd cmd = { .timeout_ms = FLUSH_TIMEOUT_MS };
	struct dw_answer a = { 0 };
	int r = -1, len = dw_cdb_fill_extent(cmd.cdb, size, &all);

	if (len < 0)
		return -1;
	cmd.cdb_len = (uint8_t)len;
	for (int i = 0; i < ATTEMPTS; i++) {
		r = dw_ask(d, &cmd, &a);
		if (!r)
			return 1;
		if (r == 1 && dw_answer_unsupported(&a))
			return 0;
	}
	return refused_for_good(r, &a) ? 0 : -1;
}

/* megaraid_sas answered it for all disks until Linux 4.9 (commit 1e793f6fc0db); since then it does
 * so for logical volumes alone, whose cache is the adapter's. */
bool dw_flush_is_answered(const struct dw_disk_info *info, const char *kernel)
{
	unsigned int major = 0, minor = 0;

	return !strcmp(info->host_driver, "megaraid_sas") && !info->logical_volume &&
	       sscanf(kernel, "%u.%u", &major, &minor) == 2 &&
	       (major < 4 || (major == 4 && minor < 9));
}

void dw_device_try_flush(struct dw_device *d)
{
	struct dw_caps *c = &d->caps;
	struct dw_host host;
	int r;

	if (!c->scsi)
		return;
	dw_host_read(&dw_machine_self, &host);
	if (dw_flush_is_answered(&d->info, host.kernel)) {
		c->cache.sync10 = c->cache.sync16 = false;
		c->cache.sync_tried = true;
		return;
	}
	r = flush(d, 10);
	c->cache.sync_tried = r >= 0;
	if (r >= 0)
		c->cache.sync10 = r;
	r = c->narrow ? 0 : flush(d, 16);
	c->cache.sync_tried &= r >= 0;
	if (r >= 0)
		c->cache.sync16 = r;
}
