/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands outside a job: one at a time, waited for, and of the write class only the proof of
 * paths', which has to ask for it and needs the claim as everybody does. A
 * buffer for data-in is cleared before, because what a driver does not fill comes back
 * with whatever the kernel's buffer held, and a driver may report a residual of 0 anyway.
 */
#include <errno.h>
#include <scsi/sg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/util.h"
#include "device/capture.h"
#include "device/open.h"
#include "scsi/opcodes.h"
#include "transport/blk.h"
#include "transport/guard.h"
#include "transport/meter.h"
#include "transport/sg.h"
#include "transport/spared.h"

/* The kernel's scsi/sg.h has it, the C library's copy may not. */
#ifndef SG_FLAG_Q_AT_TAIL
#define SG_FLAG_Q_AT_TAIL 0x10
#endif

#define ATTENTIONS_MAX 8
#define BLOCK_ALIGN    4096

static int direction(uint8_t dir)
{
	switch (dir) {
	case DW_DIR_IN:
		return SG_DXFER_FROM_DEV;
	case DW_DIR_OUT:
		return SG_DXFER_TO_DEV;
	default:
		return SG_DXFER_NONE;
	}
}

/* What only reads does no harm twice, and SG_IO costs least. */
static int exchange(const struct dw_device *d, int fd, struct sg_io_hdr *hdr)
{
	bool reads = dw_opcode_class(hdr->cmdp, hdr->cmd_len) == DW_OPCLASS_READ;
	int r = fd == d->sg_fd && !reads ? dw_sg_prepare(fd) : 1;

	if (r <= 0)
		return r ? r : dw_sg_exchange(fd, hdr);
	do
		r = ioctl(fd, SG_IO, hdr) < 0 ? -errno : 0;
	while (r == -EINTR);
	return r;
}

static void send_command(struct dw_device *d, struct dw_cmd *cmd,
			 struct dw_completion *ret)
{
	int fd = d->sg_fd >= 0 ? d->sg_fd : d->blk_fd;
	struct sg_io_hdr hdr = {
		.interface_id = 'S',
		.cmd_len = cmd->cdb_len,
		.cmdp = cmd->cdb,
		.dxfer_direction = direction(cmd->dir),
		.dxfer_len = cmd->dir == DW_DIR_NONE ? 0 : cmd->data_len,
		.dxferp = cmd->dir == DW_DIR_NONE ? NULL : cmd->data,
		.sbp = ret->sense,
		.mx_sb_len = DW_SENSE_MAX,
		.timeout = cmd->timeout_ms,
		.flags = SG_FLAG_Q_AT_TAIL,
	};
	bool shares = fd == d->sg_fd && hdr.dxfer_len;

	if (shares)
		dw_sg_share(fd);
	ret->err = exchange(d, fd, &hdr);
	if (shares)
		dw_sg_leave(fd);
	if (ret->err)
		return;
	ret->end_ns = dw_clock_ns();
	ret->start_ns = ret->end_ns - hdr.duration * DW_NS_PER_MS;
	if (hdr.status || hdr.host_status)
		atomic_fetch_add(&d->error.ours, 1);
	ret->status = hdr.status;
	ret->sense_len = hdr.sb_len_wr;
	ret->host_status = hdr.host_status;
	ret->driver_status = hdr.driver_status;
	ret->resid = hdr.resid;
}

/* Past the page cache, which would answer for the disk, and so out of memory that is aligned. */
static int run_plain(const struct dw_target *target, struct dw_cmd *cmd,
		     struct dw_completion *ret)
{
	struct dw_cmd aligned = *cmd;
	int r = dw_blk_direct(target->blk_fd);

	if (!r && cmd->data_len)
		r = -posix_memalign(&aligned.data, BLOCK_ALIGN, cmd->data_len);
	if (r) {
		ret->err = r;
		return 0;
	}
	if (cmd->data_len)
		memcpy(aligned.data, cmd->data, cmd->data_len);
	dw_blk_run(target, &aligned, ret);
	if (cmd->dir == DW_DIR_IN)
		memcpy(cmd->data, aligned.data, cmd->data_len);
	if (cmd->data_len)
		free(aligned.data);
	return 0;
}

int dw_device_command(struct dw_device *d, uint32_t permits, struct dw_cmd *cmd,
		      struct dw_completion *ret)
{
	struct dw_target target;

	dw_device_target(d, 1, cmd->data_len, &target);
	target.permits &= permits;
	if (dw_guard_check(&target, cmd))
		return -EPERM;
	*ret = (struct dw_completion){ .cmd = cmd, .cookie = cmd->cookie };
	if (cmd->dir == DW_DIR_IN)
		memset(cmd->data, 0, cmd->data_len);
	if (!d->info.scsi)
		return run_plain(&target, cmd, ret);
	if (dw_spared_keeps(d->spared, cmd, ret))
		return 0;
	send_command(d, cmd, ret);
	dw_spared_note(d->spared, cmd, ret);
	if (d->capture)
		dw_capture_note(d->capture, cmd, ret);
	return 0;
}

static int judge_answer(const struct dw_cmd *cmd, struct dw_answer *a)
{
	const struct dw_completion *done = &a->done;

	a->sense = (struct dw_sense){ 0 };
	a->got = 0;
	if (done->err)
		return done->err;
	if (done->host_status)
		return -EIO;
	if (done->sense_len)
		dw_sense_parse(done->sense, done->sense_len, &a->sense);
	if (done->status != DW_STATUS_GOOD && done->status != DW_STATUS_CONDITION_MET &&
	    (done->status != DW_STATUS_CHECK_CONDITION || !done->sense_len ||
	     a->sense.key > DW_KEY_RECOVERED_ERROR))
		return 1;
	if (cmd->dir == DW_DIR_IN && done->resid >= 0 &&
	    (uint32_t)done->resid <= cmd->data_len)
		a->got = cmd->data_len - (uint32_t)done->resid;
	return 0;
}

static bool is_passing(const struct dw_answer *a)
{
	return a->done.status == DW_STATUS_BUSY ||
	       (a->done.status == DW_STATUS_CHECK_CONDITION &&
		a->sense.key == DW_KEY_UNIT_ATTENTION);
}

int dw_ask(struct dw_device *d, struct dw_cmd *cmd, struct dw_answer *ret)
{
	int r;

	if (!cmd->timeout_ms)
		cmd->timeout_ms = DW_ASK_TIMEOUT_MS;
	cmd->dir = cmd->data ? DW_DIR_IN : DW_DIR_NONE;
	for (int i = 0;; i++) {
		r = dw_device_command(d, DW_OPCLASS_READ, cmd, &ret->done);
		if (r)
			return r;
		r = judge_answer(cmd, ret);
		if (r != 1 || !is_passing(ret) || i == ATTENTIONS_MAX)
			return r;
	}
}

int dw_answer_needed(int r, const struct dw_answer *a)
{
	if (r <= 0)
		return r;
	return a->done.status == DW_STATUS_RESERVATION_CONFLICT ? -EBADE : -ENOMEDIUM;
}

bool dw_answer_unsupported(const struct dw_answer *a)
{
	const struct dw_sense *s = &a->sense;

	if (s->key == DW_KEY_HARDWARE_ERROR) /* what some bridges say instead */
		return !s->asc && !s->ascq;
	return s->key == DW_KEY_ILLEGAL_REQUEST && (s->asc == 0x20 || s->asc == 0x24);
}
