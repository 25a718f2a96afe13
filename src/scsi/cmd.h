/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_CMD_H
#define DW_SCSI_CMD_H

/*
 * One SCSI command on its way to a disk, and its completion on the way back.
 * Both are plain values: a transport borrows the command between submit and reap,
 * and hands every command back exactly once.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_CDB_MAX   32
#define DW_SENSE_MAX 96

struct dw_completion;

/* SCSI status codes (SAM). */
enum dw_status {
	DW_STATUS_GOOD = 0x00,
	DW_STATUS_CHECK_CONDITION = 0x02,
	DW_STATUS_CONDITION_MET = 0x04,
	DW_STATUS_BUSY = 0x08,
	DW_STATUS_RESERVATION_CONFLICT = 0x18,
	DW_STATUS_COMMAND_TERMINATED = 0x22,
	DW_STATUS_TASK_SET_FULL = 0x28,
	DW_STATUS_ACA_ACTIVE = 0x30,
	DW_STATUS_TASK_ABORTED = 0x40,
};

enum dw_dir {
	DW_DIR_NONE, /* no data */
	DW_DIR_OUT,  /* host to disk */
	DW_DIR_IN,   /* disk to host */
};

enum dw_cmd_flags {
	/* The data are a constant pattern that lives longer than the job and that
	 * all disks share read-only; @pattern names it (equal ids = equal bytes at
	 * equal offsets). A transport may keep its own copy, e.g. in a kernel
	 * buffer, and send that. */
	DW_CMD_CONST = 1 << 0,
	/* May be sent while the disk is fenced: identification and recovery. Only
	 * commands of the read and control classes are ever let through. */
	DW_CMD_PASS_FENCE = 1 << 1,
};

/**
 * struct dw_cmd - one command
 * @cdb: command descriptor block, big-endian (SPC)
 * @cdb_len: 6, 10, 12, 16 or 32
 * @dir: enum dw_dir
 * @flags: enum dw_cmd_flags
 * @pattern: id of the constant pattern, with DW_CMD_CONST
 * @data: data-out or data-in, borrowed until @release or until the completion is reaped; may
 *	be NULL before @prepare
 * @data_len: bytes of @data that the CDB implies, exactly
 * @timeout_ms: how long the disk may take, in ms; > 0
 * @cookie: the submitter's, returned in the completion
 * @prepare: fills @data before the command is sent (keystream), or NULL; runs in
 *	a worker or the disk's thread, never in the loop
 * @finish: looks at @data after a good data-in command (comparison), or NULL; as
 *	@prepare. It writes what it finds where @ctx points.
 * @release: takes @data back when they are needed no more, or NULL; runs once, before the
 *	command can be reaped, in any thread, also where @prepare has not run
 * @ctx: for @prepare, @finish and @release
 * @next: the transport's while it holds the command
 * @submit_ns: set by the transport, on its clock
 */
struct dw_cmd {
	uint8_t cdb[DW_CDB_MAX];
	uint8_t cdb_len;
	uint8_t dir;
	uint16_t flags;
	uint32_t pattern;
	void *data;
	uint32_t data_len;
	uint32_t timeout_ms;
	uint64_t cookie;
	void (*prepare)(struct dw_cmd *cmd);
	void (*finish)(struct dw_cmd *cmd, const struct dw_completion *done);
	void (*release)(struct dw_cmd *cmd);
	void *ctx;
	struct dw_cmd *next;
	uint64_t submit_ns;
};

/**
 * struct dw_completion - how one command ended
 * @cmd: the command, given back
 * @cookie: its cookie
 * @handle: the disk it was sent to
 * @path: which of the disk's paths it ended on
 * @err: 0, or a negative errno of the host: the command did not reach the disk
 *	(-ECANCELED: given back because the disk is fenced or cancelled; -EPERM:
 *	refused by the opcode guard; -EINVAL, -ENOMEM, -EIO: too long for the path;
 *	-ENODEV, -ENXIO: the disk is gone)
 * @status: enum dw_status, or another one; valid when @err is 0
 * @host_status: DID_* of the kernel
 * @driver_status: as the kernel gives it
 * @sense_len: valid bytes of @sense
 * @sense: sense data, fixed or descriptor format
 * @resid: bytes of @data_len that were not transferred
 * @start_ns: when the command was started at the device; 0 = never
 * @end_ns: when it ended
 * @host_ns: CPU time that the host needs for such a command, lately; 0 = not known
 */
struct dw_completion {
	struct dw_cmd *cmd;
	uint64_t cookie;
	uint32_t handle;
	uint32_t path;
	int err;
	uint8_t status;
	uint8_t sense_len;
	uint16_t host_status;
	uint16_t driver_status;
	int32_t resid;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t host_ns;
	uint8_t sense[DW_SENSE_MAX];
};

#endif
