/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_TRANSPORT_H
#define DW_TRANSPORT_TRANSPORT_H

/*
 * A transport carries commands to disks. It owns its clock: each completion is stamped by the
 * world that it comes from, so simulated disks need no hook anywhere else.
 *
 * Rules that every transport keeps:
 * - each submitted command is returned by reap exactly once;
 * - commands for one disk start in the order of submission;
 * - the first completion of a disk that is not good (err != 0, status not GOOD or
 *   CONDITION MET, a sense key other than 0 or 1, deferred sense data, host status not
 *   DID_OK, or a residual of blocks) fences the disk before anything further is started: what
 *   waits and what is submitted later comes back with -ECANCELED, except commands
 *   flagged DW_CMD_PASS_FENCE of the read and control classes, until unfence. What is
 *   at the device by then ends as it ends;
 * - no command is sent that the target's permits do not cover (see opcodes.h), whose
 *   blocks lie outside the disk or whose data are not as long as its CDB says: it comes
 *   back with -EPERM, and the disk is fenced. A prepare callback that cannot fill the
 *   data sets data_len to 0, and so stops the command here.
 */
#include <stddef.h>
#include <stdint.h>

#include "scsi/data.h"
#include "scsi/cmd.h"
#include "transport/lease.h"

/* How many commands may wait for a disk beyond its depth. One keeps the disk busy; more
 * save the reaper's time where commands are much shorter than a millisecond. */
#define DW_AHEAD_MAX 32

struct dw_path_set;
struct dw_spared;
struct dw_zones;

/**
 * struct dw_nvme_unit - an NVMe namespace whose disk can be commanded to erase itself
 * @nsid: its number, 0 = it is none
 * @flbas, @dps, @sanicap: of Identify Namespace and Identify Controller, see nvme/admin.h
 * @serial: of its controller, checked before each such command
 */
struct dw_nvme_unit {
	uint32_t nsid;
	uint8_t flbas;
	uint8_t dps;
	uint32_t sanicap;
	char serial[DW_NVME_SERIAL_MAX];
};

/**
 * struct dw_target - a disk as a transport sees it; descriptors are borrowed
 * @sg_fd: /dev/sgN opened read-write, or -1
 * @blk_fd: the block sibling, or the only node of a disk without SCSI, or -1
 * @permits: bits of enum dw_opclass that may be sent
 * @block_size: bytes of a logical block
 * @blocks: capacity; writes beyond it are refused with -EPERM
 * @depth: commands at the device at once, 1..64
 * @max_bytes: longest data transfer that will be asked for
 * @errors: counts what the kernel counts as ioerr_cnt: commands whose status or host status is
 *	not 0; NULL = nobody asks
 * @paths: several ways to it, for dw_paths_new(); borrowed until detach; NULL = one
 * @raise_last: last sector that a command may set for which it has DW_OPCLASS_SET_MAX or
 *	DW_OPCLASS_ACCESSIBLE_MAX
 * @lease: how much may be written before it reports again who it is, over each path; borrowed
 *	until detach; NULL = no limit
 * @spared: questions that it is spared; borrowed until detach; NULL = none
 * @zones: of a host-managed disk, which may be reset; borrowed until detach; NULL = it has none
 * @nvme: @blk_fd is this namespace; borrowed until detach; NULL = no NVMe disk
 */
struct dw_target {
	int sg_fd;
	int blk_fd;
	uint32_t permits;
	uint32_t block_size;
	uint64_t blocks;
	uint32_t depth;
	uint32_t max_bytes;
	_Atomic uint64_t *errors;
	uint64_t raise_last;
	const struct dw_path_set *paths;
	const struct dw_lease_terms *lease;
	const struct dw_zones *zones;
	const struct dw_nvme_unit *nvme;
	struct dw_spared *spared;
};

/**
 * struct dw_executor - runs prepare and finish callbacks
 * @run: run fn(arg) soon, on some thread; never blocks for long
 * @ctx: its state
 */
struct dw_executor {
	void (*run)(void *ctx, void (*fn)(void *arg), void *arg);
	void *ctx;
};

struct dw_transport;

/**
 * struct dw_transport_count - numbers of commands of a disk
 * @submitted: not yet returned by reap; of these
 * @waiting: in line; @at_device: at the disk
 * @due_ns: by when the kernel should have ended the first of these, by their time limits; 0 = none
 * @fenced: nothing starts but what passes the fence
 */
struct dw_transport_count {
	uint32_t submitted;
	uint32_t waiting;
	uint32_t at_device;
	uint64_t due_ns;
	bool fenced;
};

/**
 * struct dw_transport_ops - the verbs of a transport
 * @attach: take a disk in; descriptors stay the caller's
 * @detach: forget a disk that has nothing submitted
 * @submit: queue one command; takes it only on 0. -EAGAIN: depth + DW_AHEAD_MAX wait
 *	for the disk already, beyond those at the device
 * @flush: start what was submitted since the last flush (one wake-up for many)
 * @reap: collect up to @max completions; waits until @deadline_ns (own clock, 0 =
 *	do not wait, UINT64_MAX = no limit) for the first one; returns their number
 *	or negative errno (-EINTR: a signal or wake). One thread at a time.
 * @wake: make a waiting reap return; async-signal-safe
 * @cancel: give back everything not yet at the device (-ECANCELED)
 * @unfence: let commands of the disk through again
 * @set_permits: replace the permits of a disk
 * @set_depth: commands at the device at once, from now on
 * @fd: readable when reap would return something, or -1 (virtual time). The news of a
 *	command of less than 2 ms may come with those of the disk's next ones, while more
 *	than the depth and half of what waited still wait; reap returns it at any time.
 * @quiet: nothing is at a device and nobody is at work for it, so that, unless somebody calls,
 *	nothing will come of what was submitted and not reaped; while it says no, @fd will be
 *	readable before that changes; NULL = cannot tell
 * @count: where the commands of a disk are; NULL = cannot tell
 * @now: the transport's clock in ns
 * @free: stop threads and release everything; nothing may be submitted
 */
struct dw_transport_ops {
	int (*attach)(struct dw_transport *t, const struct dw_target *target,
		      uint32_t *ret_handle);
	void (*detach)(struct dw_transport *t, uint32_t handle);
	int (*submit)(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd);
	void (*flush)(struct dw_transport *t);
	int (*reap)(struct dw_transport *t, struct dw_completion *out, size_t max,
		    uint64_t deadline_ns);
	void (*wake)(struct dw_transport *t);
	void (*cancel)(struct dw_transport *t, uint32_t handle);
	void (*unfence)(struct dw_transport *t, uint32_t handle);
	void (*set_permits)(struct dw_transport *t, uint32_t handle, uint32_t permits);
	void (*set_depth)(struct dw_transport *t, uint32_t handle, uint32_t depth);
	int (*fd)(struct dw_transport *t);
	bool (*quiet)(struct dw_transport *t);
	void (*count)(struct dw_transport *t, uint32_t handle,
		      struct dw_transport_count *ret);
	uint64_t (*now)(struct dw_transport *t);
	void (*free)(struct dw_transport *t);
};

/* Every transport embeds this as its first member. */
struct dw_transport {
	const struct dw_transport_ops *ops;
};

/**
 * struct dw_sender - the blocking half of the threaded transport; any member but @send may be
 * NULL
 * @open: a disk was attached; called before its threads run; 0 or a negative errno, which attach
 *	returns. @target stays valid until @close; its permits and depth may change at any time
 *	and do not concern the sender
 * @send: send one command and wait for it; @worker is which of the disk's threads calls (0..63);
 *	sets err, status, sense, residual, host and driver status in @ret as far as they are
 *	known, where they are 0. Its start_ns is the present moment, or 0. The opcode guard has
 *	passed the command already. Signals are blocked
 * @close: the disk is detached; its threads have ended
 * @free: the transport is gone; frees @ctx. Not called if dw_threaded_new() failed
 * @ctx: given to all four
 */
struct dw_sender {
	int (*open)(void *ctx, uint32_t handle, const struct dw_target *target);
	void (*send)(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		     struct dw_completion *ret);
	void (*close)(void *ctx, uint32_t handle);
	void (*free)(void *ctx);
	void *ctx;
};

/**
 * dw_threaded_new() - a thread per disk (and depth) around a blocking sender
 * @sender: how one command is carried out; copied
 * @executor: who runs prepare and finish; copied; NULL = the disk's thread
 * @ret: the transport; free with ret->ops->free
 *
 * Return: 0, -ENOMEM, or another negative errno of eventfd or thread creation.
 */
int dw_threaded_new(const struct dw_sender *sender, const struct dw_executor *executor,
		    struct dw_transport **ret);

/**
 * dw_sgio_new() - the threaded transport over SG_IO on /dev/sgN and /dev/sdX
 *
 * Constant patterns go out of the descriptor's reserve buffer, filled once, without
 * a copy; other data go through the block sibling without a copy where it exists.
 */
int dw_sgio_new(const struct dw_executor *executor, struct dw_transport **ret);

/** dw_sgio_sender() - the blocking half of it, for a transport that stands before it; 0 or
 *  -ENOMEM. */
int dw_sgio_sender(struct dw_sender *ret);

/**
 * dw_sgio_path() - how the latest data-carrying command of a disk went
 * @t: made by dw_sgio_new()
 * @handle: the disk
 *
 * Return: "sg-mmap" (kernel's reserve buffer, no copy), "sd-direct" (the block sibling, no
 * copy), "sd-copy", "sg-copy" (copied by the kernel), or "none" yet; static.
 */
const char *dw_sgio_path(struct dw_transport *t, uint32_t handle);

/** dw_sgio_way() - the same by the state of a sender made by dw_sgio_sender(). */
const char *dw_sgio_way(void *ctx, uint32_t handle);

/** dw_sgio_doubt() - by the sender's state: dw_lease_doubt() of that disk's lease. */
void dw_sgio_doubt(void *ctx, uint32_t handle);

/** dw_sgio_unproven() - by the sender's state: dw_lease_unproven() of that disk's lease. */
uint64_t dw_sgio_unproven(void *ctx, uint32_t handle);

/** dw_sgio_sender_of() - the sender's state of a transport made by dw_sgio_new(). */
void *dw_sgio_sender_of(struct dw_transport *t);

/**
 * dw_blk_new() - block devices without SCSI: the same commands carried out as reads,
 * writes and flushes with O_DIRECT, by io_uring or, where that is not to be had, pread and
 * pwrite in the threaded transport
 * @executor: as dw_threaded_new()
 * @ret: the transport
 * @ret_name: "io_uring" or "pwrite", static
 */
int dw_blk_new(const struct dw_executor *executor, struct dw_transport **ret,
	       const char **ret_name);

#endif
