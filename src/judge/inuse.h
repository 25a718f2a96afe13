/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_INUSE_H
#define DW_JUDGE_INUSE_H

/*
 * Who uses a disk: a snapshot of the whole machine (mounts, swap, open descriptors and mappings,
 * exports, loop devices), and one question per disk. The snapshot also says what could not be
 * seen.
 */
#include <sys/types.h>

#include "device/sysfs.h"
#include "diskwipe/disk.h"

enum dw_use_kind {
	DW_USE_MOUNT, /* @text: mount point; @pid: a process of its namespace, 0 = ours */
	DW_USE_SWAP,  /* @text: what swapoff is given */
	DW_USE_KERNEL, /* loop device, target, zram; @text: "loop device /dev/loop0" */
	DW_USE_OPEN,   /* open or mapped; @text: command name, @pid */
};

/**
 * struct dw_use - one use of one node
 * @kind: enum dw_use_kind
 * @block: @dev is a block device's number, else a character device's
 * @dev: the node
 * @top: DW_USE_KERNEL: the block device that stands on it, 0 = none
 * @pid: see enum dw_use_kind
 * @id: DW_USE_MOUNT: tells mounts of one namespace apart
 * @apart: DW_USE_MOUNT: no command of this machine may name it; dw_process_apart()
 * @foreign: DW_USE_MOUNT: it is not the machine's own; dw_process_foreign()
 * @keeper: DW_USE_OPEN: a multipathd, which has the paths of its maps open
 * @text: see enum dw_use_kind; owned
 * @release: DW_USE_KERNEL: the command that ends it, or NULL; owned
 */
struct dw_use {
	enum dw_use_kind kind;
	bool block;
	dev_t dev;
	dev_t top;
	pid_t pid;
	int id;
	bool apart;
	bool foreign;
	bool keeper;
	char *text;
	char *release;
};

struct dw_want;
struct dw_tags;
struct dw_names;
struct dw_shelves;

/**
 * struct dw_uses - a snapshot; zero-initialised, dw_uses_free()
 * @want, @n_wants: uses by the configuration that are not active now; see device/wants.h
 * @names, @shelves: of the machine, read by the first caller that needs them
 * @unseen: why the snapshot is incomplete, as words that end a sentence; empty = it is complete
 * @way: the command that makes the rest visible, or empty
 */
struct dw_uses {
	struct dw_use *v;
	size_t n;
	struct dw_want *want;
	size_t n_wants;
	struct dw_names *names;
	struct dw_shelves *shelves;
	char unseen[208];
	char way[128];
};

/**
 * dw_uses_add() - append one; its texts are copied
 * Return: 0 or -ENOMEM.
 */
int dw_uses_add(struct dw_uses *u, const struct dw_use *use);

/** dw_uses_unseen() - note that something could not be seen: why, in the manner of printf, and
 *  the command that helps, or "". The first note is kept. */
void dw_uses_unseen(struct dw_uses *u, const char *way, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

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

/** dw_uses_kernel() - swap and loop devices. 0 or negative errno. */
int dw_uses_kernel(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_exports() - users in the kernel that hold no claim: targets, gadgets, a heartbeat; see
 *  the table in exports.c. 0 or negative errno. */
int dw_uses_exports(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_openers() - block and character nodes that other processes have open, mapped, or
 *  registered with io_uring. 0 or negative errno. */
int dw_uses_openers(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_pnfs() - NFS mounts that write to disks which the kernel does not name: they are noted
 *  as unseen. */
void dw_uses_pnfs(const struct dw_machine *m, struct dw_uses *ret);

/** dw_uses_sight() - can this process see all others? If not, that is noted. */
void dw_uses_sight(const struct dw_machine *m, struct dw_uses *ret);

/**
 * struct dw_seen_node - what statx says of a node
 * @found: a block node, or a character node that may be a disk's
 * @ring: of dw_mappings_scan(): it is an io_uring, with this inode; 0 = it is not
 */
struct dw_seen_node {
	bool found;
	bool block;
	dev_t dev;
	uint64_t ring;
};

/** dw_seen_node() - what a path leads to, without asking a remote file server. Return: 0 or
 *  negative errno. */
int dw_seen_node(const char *path, struct dw_seen_node *ret);

struct dw_mappings;

/** dw_mappings_new() - what is known of mapped files; NULL = no memory. */
struct dw_mappings *dw_mappings_new(void);
void dw_mappings_free(struct dw_mappings *k);

/**
 * dw_mappings_scan() - nodes and rings that a process has mapped
 * @k: keeps what each file was, since processes map the same ones
 * @dir: the folder of the process below /proc
 * @fn: called for each; 0 to continue
 * Return: 0, what @fn returned, or negative errno: -EACCES, -EPERM: not to be seen; -ESRCH: it has
 * no memory, being the kernel's, or the first thread of those that continue without it.
 */
int dw_mappings_scan(struct dw_mappings *k, const char *dir,
		     int (*fn)(void *ctx, const struct dw_seen_node *node), void *ctx);

/** dw_use_dev_of_path() - number of the block device that a path names; by sysfs where
 *  the path is not there. 0 = none. */
dev_t dw_use_dev_of_path(const struct dw_machine *m, const char *path);

/**
 * dw_use_backing() - the device of a path that the kernel was given
 * @m: the machine
 * @path: node or file
 * @ret: the node, or the block device of the file's file system; not found = none
 *
 * Return: 0, or negative errno: not known, so it may be any device.
 */
int dw_use_backing(const struct dw_machine *m, const char *path,
		   struct dw_seen_node *ret);

/** dw_proc_unescape() - three octal digits after a backslash become what they stand for, in
 *  place. */
void dw_proc_unescape(char *s);

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

/** dw_inuse_judge_unseen() - no user was found, but is the snapshot complete? Return: 1 no, with
 *  the reason in @ret; 0 yes. */
int dw_inuse_judge_unseen(const struct dw_uses *uses, struct dw_verdict *ret);

/**
 * dw_inuse_release_command() - the command that removes a stacked device
 * @block_dir: its folder in sysfs
 * @ret, @len: "mdadm --stop /dev/md0"; empty if there is no such command
 * @ret_what, @what_len: "LVM volume group vg", "md array md0"
 */
void dw_inuse_release_command(const char *block_dir, char *ret, size_t len,
			      char *ret_what, size_t what_len);

/** dw_lvm_group() - the volume group in the name of a map, "v--g-lv": "v-g". */
void dw_lvm_group(const char *name, char *ret, size_t len);

/**
 * struct dw_signatures - what a used disk still carries
 * @text: "gpt, ext4, LVM2_member", empty = nothing
 * @pool: name of the ZFS pool that has a label here, or empty
 */
struct dw_signatures {
	char text[128];
	char pool[128];
};

/**
 * dw_signatures_read() - signatures on the disk and its partitions (libblkid)
 * @fd: descriptor of the block node
 * @ret: for people
 * @ret_tags: the names in them are appended
 * Return: 0 or -ENOMEM.
 */
int dw_signatures_read(int fd, struct dw_signatures *ret, struct dw_tags *ret_tags);

#endif
