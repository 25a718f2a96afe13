/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_OPEN_H
#define DW_DEVICE_OPEN_H

/* Opening nodes, and single commands on them: what the files of this folder share. */
#include "device/device.h"
#include "device/sysfs.h"
#include "scsi/sense.h"

/* Patience for a command that moves no user data, ms. */
#define DW_ASK_TIMEOUT_MS 20000

/**
 * struct dw_node_ref - a node by number, however it was found
 * @path: to open it by
 * @block: a block device, else a character device
 * @dev: its number
 */
struct dw_node_ref {
	const char *path;
	bool block;
	dev_t dev;
};

/**
 * dw_node_open() - open a node, never creating anything, and check what was opened
 * @ref: which
 * @flags: O_RDONLY or O_RDWR, O_EXCL; O_CLOEXEC and O_NONBLOCK are added
 *
 * Return: the descriptor; -ENODEV when another device, -ENOTBLK when no device of that
 * kind was opened; negative errno of open.
 */
int dw_node_open(const struct dw_node_ref *ref, int flags);

/** dw_device_holdable() - the block node that O_EXCL on keeps everybody off: the multipath
 *  map over the disk, else its own; dev 0 = none. */
struct dw_node_ref dw_device_holdable(const struct dw_disk_info *i);

/** dw_node_in_use() - does anybody hold a block node with O_EXCL, this program included? */
bool dw_node_in_use(const struct dw_node_ref *ref);

/** dw_device_in_use() - does somebody else hold that node with O_EXCL: a job, a mount, ZFS? */
bool dw_device_in_use(const struct dw_device *d);

/**
 * dw_device_attach() - open a disk's nodes without a question to it
 * @m: the machine, for sysfs
 * @path: any node of the disk
 * @ret: device with info as sysfs has it; dw_device_close()
 *
 * Return: 0; -ENOTBLK for what is no disk; negative errno.
 */
int dw_device_attach(const struct dw_machine *m, const char *path,
		     struct dw_device **ret);

/**
 * dw_device_peek() - open one node of a device that was found in sysfs, for a few questions
 * @info: it, with its nodes
 * @flags: O_RDONLY or O_RDWR for the sg node; a block node in its place is opened to be read
 * @ret: device with that info; dw_device_close()
 *
 * Return: 0; -ENODEV; negative errno of open.
 */
int dw_device_peek(const struct dw_disk_info *info, int flags, struct dw_device **ret);

/** dw_device_probe_operations() - by what the disk erases itself: operations and times in caps, and
 *  how many logical units that may reach: as REPORT LUNS or sysfs tell, whichever are more. */
void dw_device_probe_operations(const struct dw_machine *m, struct dw_device *d);

/** dw_device_ask_sanitize() - SANITIZE STATUS EXT to an ATA disk: sets @self.end_unknown of
 *  its caps, and not_ready while it works by itself. Return: why no command can be sent to it,
 *  static text, or NULL. */
const char *dw_device_ask_sanitize(struct dw_device *d);

/** dw_device_probe() - ask the disk what it is and can do; fills info and caps, but not
 *  max_bytes by trying. Return: 0; -ENOMEDIUM when it is not ready; -EBADE when a
 *  reservation keeps it from answering; negative errno. */
int dw_device_probe(const struct dw_machine *m, struct dw_device *d);

/** dw_device_assume_capacity() - of a disk that works by itself: as @sanitize has
 *  it; sets @sanitize.running. */
void dw_device_assume_capacity(struct dw_device *d);

/** dw_device_unformatted() - did the disk say, when it was probed, that its format is corrupt, or
 *  that a format continues? Only a format, or waiting, helps it. */
bool dw_device_unformatted(const struct dw_device *d);

/** dw_device_count_units() - logical units of its device, as the device reports them or the kernel
 *  sees them, whichever are more; those that have a node are named in d->units. At least 1. */
uint32_t dw_device_count_units(const struct dw_machine *m, struct dw_device *d);

/** dw_device_assume_length() - the longest transfer that the known limits allow, up to
 *  @max_bytes, without trying: a job learns on the way what is too long, and ever longer reads
 *  would cost slow disks seconds. Also finds out whether READ(16) is there. */
void dw_device_assume_length(struct dw_device *d, uint32_t max_bytes);

/** dw_device_probe_length() - find the longest transfer by reading, up to @max_bytes. */
void dw_device_probe_length(struct dw_device *d, uint32_t max_bytes);

/** dw_device_read_queue() - the kernel's limits, from sysfs. */
void dw_device_read_queue(const struct dw_machine *m, struct dw_device *d);

/**
 * struct dw_answer - what came of dw_ask()
 * @done: the completion
 * @sense: parsed sense data; all zero when there is none
 * @got: bytes that arrived
 */
struct dw_answer {
	struct dw_completion done;
	struct dw_sense sense;
	uint32_t got;
};

/**
 * dw_ask() - a read-class command, repeated past unit attentions (at most 8 times)
 * @d: the device
 * @cmd: cdb, cdb_len, data and data_len; the rest is filled in, @data cleared before
 * @ret: how it ended
 *
 * Return: 0 good; 1 the disk refused, see @ret; negative errno: it could not be asked.
 */
int dw_ask(struct dw_device *d, struct dw_cmd *cmd, struct dw_answer *ret);

/** dw_answer_needed() - what dw_ask()'s return means where an answer cannot be done without: 0;
 *  -ENOMEDIUM; -EBADE for a reservation; negative errno. */
int dw_answer_needed(int r, const struct dw_answer *a);

/** dw_answer_unsupported() - the disk does not know the command or a field of it, or says the
 *  hardware error 4/00/00, with which bridges answer what they do not know. For questions only:
 *  of a command that moves blocks that is an error. */
bool dw_answer_unsupported(const struct dw_answer *a);

/** dw_flush_is_answered() - does the adapter's driver answer SYNCHRONIZE CACHE itself, so that a
 *  good end of it reports nothing? @kernel: its release. Such a disk counts as one without that
 *  command. */
bool dw_flush_is_answered(const struct dw_disk_info *info, const char *kernel);

/** dw_device_try_flush() - which SYNCHRONIZE CACHE the disk takes, by sending it: what is in
 *  its cache is written. Sets sync10, sync16 and sync_tried of the caps. */
void dw_device_try_flush(struct dw_device *d);

#endif
