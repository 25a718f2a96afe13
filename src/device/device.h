/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_DEVICE_H
#define DW_DEVICE_DEVICE_H

/*
 * Disks: which exist, what they are, whether they may be erased, and the claim that keeps
 * everybody else off while they are. dw_device_claim() is the only place in the program
 * that grants the write class of commands.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/caps.h"
#include "diskwipe/disk.h"
#include "plan/op.h"
#include "scsi/sense.h"
#include "transport/transport.h"

/**
 * struct dw_device - an opened disk
 * @info: what it is
 * @caps: what it can do
 * @sg_fd, @blk_fd: descriptors, -1 = none; owned
 * @claimed: dw_device_claim() succeeded and dw_device_release() has not been called
 * @not_ready: what the disk said when it was not ready, for the record
 * @exclusive: by which the claim holds: "O_EXCL on /dev/sda", static or in the device
 * @reserved: --reserve holds a persistent reservation
 * @saved_wce: write cache setting to restore, DW_UNKNOWN = untouched
 * @saved_max_sectors_kb: queue setting to restore, 0 = untouched
 */
struct dw_device {
	struct dw_disk_info info;
	struct dw_caps caps;
	int sg_fd;
	int blk_fd;
	bool claimed;
	bool reserved;
	int8_t saved_wce;
	uint32_t saved_max_sectors_kb;
	struct dw_sense not_ready;
	char exclusive[96];
};

/**
 * dw_device_open() - open a disk without claiming it: for inspect, verify and dry runs
 * @path: any node of the disk: /dev/sgN, /dev/sdX, a link to one, or a block device
 *	without SCSI
 * @ret: the device; dw_device_close()
 *
 * Opens without O_CREAT, checks the node's type afterwards, identifies and probes with
 * read-class commands only.
 *
 * Return: 0 or negative errno (-ENOTBLK: not a device node; -ENODEV; -ENOMEDIUM;
 * -EBADE: somebody else's reservation ...).
 */
int dw_device_open(const char *path, struct dw_device **ret);

/** dw_device_close() - release what is held, restore what was changed, close. */
void dw_device_close(struct dw_device *d);

/**
 * dw_device_claim() - make the disk ours until release, or say why not
 * @d: the opened disk
 * @rules: what the user and the configuration allow
 * @ret_verdict: why not, filled when 1 is returned
 *
 * Takes O_EXCL and the BSD lock on the block sibling (O_EXCL on sg where there is none),
 * runs the usage scan again with the claim held, writes back and drops cached pages (fsync,
 * BLKFLSBUF), and reads the identity afresh: only then may write-class commands go out.
 *
 * Return: 0 claimed; 1 refused, see @ret_verdict; negative errno.
 */
int dw_device_claim(struct dw_device *d, const struct dw_rules *rules,
		    struct dw_verdict *ret_verdict);

/**
 * dw_device_release() - end of the job: restore write cache and queue settings, release the
 * reservation, BLKFLSBUF and BLKRRPART on the claimed descriptor, drop the claim. Safe at
 * any time, also twice.
 */
void dw_device_release(struct dw_device *d);

/** dw_device_target() - how a transport shall see the disk: read class only unless claimed. */
void dw_device_target(const struct dw_device *d, uint32_t depth, uint32_t max_bytes,
		      struct dw_target *ret);

/**
 * dw_device_set_wce() - switch the volatile write cache for the job (MODE SELECT page 08h,
 * not saved); remembers the old setting for release. Needs the claim.
 * Return: 0; 1 not changeable; negative errno.
 */
int dw_device_set_wce(struct dw_device *d, bool on);

/** dw_device_raise_max_sectors() - raise queue/max_sectors_kb to at least @bytes for the job
 *  (never above max_hw_sectors_kb), so that sg's reserve buffer can be that long; restored
 *  by release. Return: bytes now possible. */
uint32_t dw_device_raise_max_sectors(struct dw_device *d, uint32_t bytes);

/** dw_device_reserve() - PERSISTENT RESERVE OUT: register and reserve Write Exclusive.
 *  Return: 0; 1 refused (conflict or not supported; text in @ret_verdict); -errno. */
int dw_device_reserve(struct dw_device *d, struct dw_verdict *ret_verdict);

/**
 * dw_device_command() - one command outside a job, waiting for it: probing and
 * identification. Goes through the same opcode guard as a transport.
 * @permits: classes that the caller may use: DW_OPCLASS_READ, with the claim also
 *	DW_OPCLASS_CONTROL
 * @cmd: cdb, dir, data, timeout
 * @ret: the completion
 *
 * Return: 0 (look at @ret), -EPERM refused by the guard.
 */
int dw_device_command(struct dw_device *d, uint32_t permits, struct dw_cmd *cmd,
		      struct dw_completion *ret);

#endif
