/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_GUARD_H
#define DW_TRANSPORT_GUARD_H

/*
 * The last check of a command before it is sent, and the first of how it ended. Every transport
 * that reaches a disk calls these functions and no others.
 */
#include <stdbool.h>

#include "scsi/cmd.h"
#include "transport/transport.h"

/**
 * dw_guard_check() - may this command be sent to this disk?
 * @target: the disk, with what is permitted on it now
 * @cmd: the command as it would go out, after prepare
 *
 * The class of the CDB must be permitted; blocks that are read, written or written the
 * same lie inside the disk; the data are as long, and go the way, that the CDB says. A
 * WRITE SAME of 0 blocks, which would mean "to the end", is refused.
 *
 * Return: 0 or -EPERM.
 */
int dw_guard_check(const struct dw_target *target, const struct dw_cmd *cmd);

struct nvme_passthru_cmd;

/**
 * dw_guard_admin() - may this NVMe admin command be sent to this disk?
 * @target: the disk, with what is permitted on it now
 * @permits: classes that the sender may use besides
 * @cmd: the command as it would go to the kernel
 *
 * Questions, Sanitize and Format NVM, with every one of their bytes as scsi/admin.h makes them for
 * this namespace (dw_nvme_class()); those that erase need the permit of their way.
 *
 * Return: true if it may.
 */
bool dw_guard_admin(const struct dw_target *target, uint32_t permits,
		    const struct nvme_passthru_cmd *cmd);

/**
 * dw_guard_read() - may this NVMe I/O command be sent to any disk?
 * @cmd: the command as it would go to the kernel
 *
 * Return: true if it is Read (NVM command set 3.2.4), of one block, without metadata.
 */
bool dw_guard_read(const struct nvme_passthru_cmd *cmd);

/**
 * dw_guard_destroys() - does this command change user data?
 * @target: the disk
 * @cmd: the command
 *
 * Return: bytes that it changes at most; the whole disk for one by which it erases itself; 0 for
 * one that changes none.
 */
uint64_t dw_guard_destroys(const struct dw_target *target, const struct dw_cmd *cmd);

/**
 * dw_guard_passes_fence() - may this command be sent while its disk is fenced?
 * @cmd: the command
 *
 * Return: true for commands flagged DW_CMD_PASS_FENCE that cannot change user data.
 */
bool dw_guard_passes_fence(const struct dw_cmd *cmd);

/**
 * dw_guard_good() - did the command do all it should?
 * @done: how it ended
 *
 * Good are: status GOOD or CONDITION MET, or CHECK CONDITION with current sense data of key
 * NO SENSE or RECOVERED ERROR (SPC); and no host error; and no residual, unless the
 * command only asks for parameter data, which may be shorter than the room for them. So is, of a
 * VERIFY that compares, that blocks differ (sense key MISCOMPARE).
 * Everything else fences the disk.
 */
bool dw_guard_good(const struct dw_completion *done);

#endif
