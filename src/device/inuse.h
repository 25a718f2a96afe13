/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_INUSE_H
#define DW_DEVICE_INUSE_H

/*
 * Who uses a disk: a snapshot of the whole machine (mounts, swap, open descriptors, LIO,
 * loop devices), then one question per disk.
 */
#include <sys/types.h>

#include "device/sysfs.h"
#include "diskwipe/disk.h"

enum dw_use_kind {
	DW_USE_MOUNT,     /* @text: mount point; @other: file system's further devices */
	DW_USE_SWAP,      /* @text: what swapoff is given */
	DW_USE_BACKSTORE, /* an LIO backstore; @text: "block/NAME" */
	DW_USE_LOOP,      /* a loop device; @text: its node */
	DW_USE_OPEN,      /* an open descriptor; @text: command name, @pid */
};

/**
 * struct dw_use - one use of one node
 * @kind: enum dw_use_kind
 * @block: @dev is a block device's number, else a character device's
 * @dev: the node
 * @pid: DW_USE_OPEN: the process
 * @text: see enum dw_use_kind; owned
 */
struct dw_use {
	enum dw_use_kind kind;
	bool block;
	dev_t dev;
	pid_t pid;
	char *text;
};

/** struct dw_uses - a snapshot; zero-initialised, dw_uses_free() */
struct dw_uses {
	struct dw_use *v;
	size_t n;
};

/**
 * dw_uses_add() - append one; @text is copied, NUL-terminated
 * Return: 0 or -ENOMEM.
 */
int dw_uses_add(struct dw_uses *u, const struct dw_use *use);

/** dw_uses_free() - free what the snapshot holds. */
void dw_uses_free(struct dw_uses *u);

/**
 * dw_uses_scan() - take the snapshot; our own process is left out of the descriptors
 * @m: the machine
 * @ret: to dw_uses_free()
 * Return: 0 or negative errno.
 */
int dw_uses_scan(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_mounts() - mounts of every mount namespace; with btrfs all devices of a file
 *  system. 0 or negative errno. */
int dw_uses_mounts(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_kernel() - swap, LIO backstores, loop devices. 0 or negative errno. */
int dw_uses_kernel(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_openers() - block, sg and bsg nodes open in other processes. 0 or -errno. */
int dw_uses_openers(const struct dw_machine *m, struct dw_uses *ret);

/** dw_use_dev_of_path() - number of the block device that a path names; by sysfs where
 *  the path is not there. 0 = none. */
dev_t dw_use_dev_of_path(const struct dw_machine *m, const char *path);

/**
 * dw_inuse_judge() - is the disk in use?
 * @m: the machine
 * @uses: the snapshot
 * @info: the disk
 * @ret: refusal, reason and release command; untouched when it is free
 *
 * Looked at are the disk, its partitions, and whatever stands on these (holders), to any
 * depth. What was named first in this list decides: system, mounted, swap, holder, open.
 * A dm-multipath map is no use by itself, nor is its daemon; what stands on it is one.
 *
 * Return: 1 in use, 0 free, negative errno.
 */
int dw_inuse_judge(const struct dw_machine *m, const struct dw_uses *uses,
		   const struct dw_disk_info *info, struct dw_verdict *ret);

/**
 * dw_inuse_release_command() - what takes a stacked device away
 * @block_dir: its folder in sysfs
 * @ret, @len: "mdadm --stop /dev/md0"; empty when there is no such command
 * @ret_what, @what_len: "LVM volume group vg", "md array md0"
 */
void dw_inuse_release_command(const char *block_dir, char *ret, size_t len,
			      char *ret_what, size_t what_len);

/**
 * dw_shell_command() - a command that can be typed as it stands
 * @verb: command and options
 * @arg: one argument, quoted as a shell needs it: names come from strangers' disks
 * @ret, @len: the command; empty when it does not fit or @arg cannot be shown
 * Return: @ret.
 */
const char *dw_shell_command(const char *verb, const char *arg, char *ret, size_t len);

/**
 * dw_signatures_read() - signatures on the disk and its partitions (libblkid)
 * @fd: descriptor of the block node
 * @ret, @len: "gpt, ext4, LVM2_member", empty = none
 * @ret_pool, @pool_len: name of the ZFS pool that has a label here, or empty
 */
void dw_signatures_read(int fd, char *ret, size_t len, char *ret_pool, size_t pool_len);

#endif
