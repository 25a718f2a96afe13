/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_NVME_H
#define DW_TRANSPORT_NVME_H

/*
 * NVMe admin commands, by ioctl on a namespace's block node: queries, and the commands by which
 * the disk erases itself. The latter are passed in, and answered, as SCSI commands.
 */
#include "scsi/admin.h"
#include "transport/transport.h"

/** dw_nvme_takes() - is it SANITIZE, REQUEST SENSE, or the CDB of a Format NVM? */
bool dw_nvme_takes(const struct dw_cmd *cmd);

/**
 * dw_nvme_run() - carry such a command out, and wait for it
 * @target: the namespace, with what is permitted on it
 * @cmd: a command that the guard has passed
 * @ret: err, status, sense data and residual are filled; 0 before
 *
 * Before a command that erases, the controller says its serial number; another one is told
 * nothing (-ESTALE). The sense data that REQUEST SENSE asks for are made of log page 81h: 2/04/1B
 * with its progress, 3/31/03 failed, 0/00/00 done; 5/2C/00 where the log tells of no such
 * operation, or of another one than those that are permitted.
 */
void dw_nvme_run(const struct dw_target *target, struct dw_cmd *cmd,
		 struct dw_completion *ret);

/**
 * dw_nvme_ask() - Identify or Get Log Page
 * @fd: a block node of the disk, or its controller
 * @cmd: the question
 * @data: @cmd->data_len bytes; cleared before
 *
 * Return: 0; the status of the controller, > 0; negative errno.
 */
int dw_nvme_ask(int fd, const struct dw_nvme_admin *cmd, uint8_t *data);

/**
 * dw_nvme_denies() - does the disk deny every access to its blocks? Its first and its last are read
 * @fd: a block node of the disk
 * @nsid: its namespace, which has no metadata
 * @blocks: how many it has
 * @data, @len: bytes of a block
 *
 * A locked disk may end each command that needs the medium with Access Denied, and still answer
 * Identify. Of a read by its node the kernel says less: a medium error.
 *
 * Return: true if both were denied.
 */
bool dw_nvme_denies(int fd, uint32_t nsid, uint64_t blocks, uint8_t *data, uint32_t len);

#endif
