/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_BLK_H
#define DW_TRANSPORT_BLK_H

/* What the two ways to a block device without SCSI share. */
#include <stdint.h>
#include <sys/types.h>

#include "transport/transport.h"

enum dw_blk_verb {
	DW_BLK_READ,
	DW_BLK_WRITE,
	DW_BLK_SYNC,
	DW_BLK_REFUSE, /* a block device cannot do it */
};

/**
 * struct dw_blk_op - a command as the block layer knows it
 * @verb: enum dw_blk_verb
 * @asc: with DW_BLK_REFUSE, the additional sense code
 * @lba: first block
 * @offset: the same in bytes
 */
struct dw_blk_op {
	uint8_t verb;
	uint8_t asc;
	uint64_t lba;
	uint64_t offset;
};

/**
 * dw_blk_parse() - read a command
 * @cmd: a command that the guard has passed
 * @block_size: bytes of a block
 * @ret: what to do
 *
 * READ, WRITE and SYNCHRONIZE CACHE are done; with FUA they are refused, as a disk refuses
 * it that has no such bit; everything else is no command of this disk.
 */
void dw_blk_parse(const struct dw_cmd *cmd, uint32_t block_size, struct dw_blk_op *ret);

/**
 * dw_blk_result() - how it ended, in the words of SCSI
 * @cmd: the command
 * @op: what was done
 * @fd: the device, asked whether it is still there
 * @res: bytes moved, or negative errno
 * @done: err, status, sense data and residual are filled
 */
void dw_blk_result(const struct dw_cmd *cmd, const struct dw_blk_op *op, int fd,
		   ssize_t res, struct dw_completion *done);

/**
 * dw_blk_run() - carry one command out, and wait for it
 * @target: the disk; of an NVMe disk also what erases it (transport/nvme.h)
 * @cmd: a command that the guard has passed
 * @ret: err, status, sense data and residual are filled; 0 before
 */
void dw_blk_run(const struct dw_target *target, struct dw_cmd *cmd,
		struct dw_completion *ret);

/**
 * dw_blk_direct() - past the page cache from now on
 * @fd: a block device, or a regular file
 *
 * Return: 0, or the negative errno of fcntl.
 */
int dw_blk_direct(int fd);

/**
 * dw_blk_sync_new() - with pread, pwrite and fdatasync in the threaded transport
 * @executor: as dw_threaded_new()
 * @ret: the transport
 *
 * Return: as dw_threaded_new().
 */
int dw_blk_sync_new(const struct dw_executor *executor, struct dw_transport **ret);

/**
 * dw_blk_uring_new() - with io_uring
 * @executor: as dw_threaded_new()
 * @ret: the transport
 *
 * Return: 0; -ENOSYS when built without it; or the negative errno with which the kernel
 * refuses it.
 */
int dw_blk_uring_new(const struct dw_executor *executor, struct dw_transport **ret);

#endif
