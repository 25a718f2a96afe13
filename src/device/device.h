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
 * struct dw_watch - what a disk tells of itself besides who it is
 * @counts: it counts the write errors that it did not correct: @write_errors so far
 * @wce: its volatile write cache is on (enum dw_tristate)
 */
struct dw_watch {
	bool counts;
	int8_t wce;
	uint64_t write_errors;
};

/**
 * struct dw_device - an opened disk
 * @info: what it is
 * @caps: what it can do
 * @sg_fd, @blk_fd: descriptors, -1 = none; owned
 * @claimed: dw_device_claim() succeeded and dw_device_release() has not been called
 * @stranger: another disk answers at its nodes, or may: nothing is restored
 * @not_ready: what the disk said when it was not ready, for the record
 * @signatures: inactive signatures that the claim found, "gpt, ext4"
 * @exclusive: by which the claim holds: "O_EXCL on /dev/sda", static or in the device
 * @map_fd: the multipath map, held; -1 = none
 * @reserved: --reserve holds a persistent reservation, of type @reservation
 * @registered: our key is registered through this path
 * @saved_wce: write cache setting to restore, DW_UNKNOWN = untouched
 * @saved_max_sectors_kb: queue setting to restore, 0 = untouched
 * @errors: what all our commands met, as struct dw_target has it
 * @known_errors, @counted_errors: @errors and the kernel's count when these were last compared,
 *	if they were (@compared_errors)
 * @watch: as it was when the disk was claimed
 * @saved_iostats: the kernel did not count this disk's I/O before
 * @settled: see dw_device_settle()
 */
struct dw_device {
	struct dw_disk_info info;
	struct dw_caps caps;
	int sg_fd;
	int blk_fd;
	int map_fd;
	bool claimed;
	bool stranger;
	bool reserved;
	bool registered;
	uint8_t reservation;
	int8_t saved_wce;
	uint32_t saved_max_sectors_kb;
	_Atomic uint64_t errors;
	uint64_t known_errors;
	uint64_t counted_errors;
	bool compared_errors;
	struct dw_watch watch;
	bool saved_iostats;
	bool settled;
	struct dw_sense not_ready;
	char signatures[128];
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
 * dw_device_claim_paths() - the same for all paths of a disk: all are ours, or none is
 * @d, @n: the opened paths, 1..DW_PATHS_MAX; they name the same disk
 * @rules, @ret_verdict: as dw_device_claim()
 *
 * Paths that a dm-multipath map holds are claimed by O_EXCL on the map, which must lead to
 * none but these. That they are one disk is not known before dw_device_prove().
 *
 * Return: as dw_device_claim().
 */
int dw_device_claim_paths(struct dw_device *const *d, size_t n,
			  const struct dw_rules *rules, struct dw_verdict *ret_verdict);

/**
 * dw_device_claim_more() - a further path of a disk whose other paths are claimed
 * @d: the opened path
 * @kin, @n: the claimed ones, 1..DW_PATHS_MAX - 1
 * @rules, @ret_verdict: as dw_device_claim()
 */
int dw_device_claim_more(struct dw_device *d, struct dw_device *const *kin, size_t n,
			 const struct dw_rules *rules, struct dw_verdict *ret_verdict);

/**
 * dw_device_look_again() - does anybody use a claimed disk by now?
 * @d, @n: its claimed paths, 1..DW_PATHS_MAX
 * @ret_verdict: who, filled when 1 is returned
 *
 * A claim keeps off mounts and the like, but nobody who merely opens or maps the node: before
 * the outcome of a job is told, the machine is looked at once more. Who has a node open for a
 * moment only (2 s) is waited for. Costs one look at all processes.
 *
 * Return: 0 nobody; 1 somebody, or it cannot be seen; negative errno.
 */
int dw_device_look_again(struct dw_device *const *d, size_t n,
			 struct dw_verdict *ret_verdict);

/**
 * dw_device_identity() - ask afresh who is there
 * Return: 0 the disk that @d is, with all its designators; 1 another; -EIO no answer.
 */
int dw_device_identity(struct dw_device *d);

/**
 * dw_device_find_path() - a node of the machine that leads to a disk and is not known yet
 * @known, @n: its known paths; the first that sysfs still has tells what to look for
 * @ret: the new path, opened; dw_device_close()
 *
 * Return: 0; -ENODEV there is none; other negative errno.
 */
int dw_device_find_path(struct dw_device *const *known, size_t n, struct dw_device **ret);

/** dw_device_read() - @nlb blocks into @buffer, waited for. 0 or negative errno. */
int dw_device_read(struct dw_device *d, uint64_t lba, uint32_t nlb, void *buffer);

/**
 * dw_device_replace() - the same path, through another node
 * @d: the path; its old descriptors are closed, without a word to the disk
 * @by: taken over and freed
 *
 * What is to be restored about the disk at the end of the job stays to be restored.
 */
void dw_device_replace(struct dw_device *d, struct dw_device *by);

/** dw_device_inherit() - @d restores at the end of the job what @from would have, had it not
 *  lost its disk. */
void dw_device_inherit(struct dw_device *d, struct dw_device *from);

/**
 * dw_device_prove() - the claimed paths lead to one medium
 * @d, @n: the paths, 2..DW_PATHS_MAX
 * @ret_verdict: why not, filled when 1 is returned
 *
 * Writes random blocks through each and reads them through the others, and puts back what
 * was there; see transport/marker.h. The one place besides a job that writes.
 *
 * Return: 0 proven; 1 not, see @ret_verdict; negative errno.
 */
int dw_device_prove(struct dw_device *const *d, size_t n, struct dw_verdict *ret_verdict);

/** dw_disk_quiet_ns() - how long a command that its host has given up may still be on its way
 *  to the disk: 2 s (I_T NEXUS LOSS TIME of SAS, by default), 10 s over Fibre Channel and
 *  iSCSI (R_A_TOV of FC-FS: no frame lives longer). */
uint64_t dw_disk_quiet_ns(const struct dw_disk_info *info);

/**
 * dw_device_release() - end of the job: restore write cache and queue settings, release the
 * reservation, BLKFLSBUF and BLKRRPART on the claimed descriptor, drop the claim. Safe at
 * any time, also twice.
 *
 * Return: 0; write cache or reservation stay as they are: 1 another disk answers, -EIO none
 * does.
 */
int dw_device_release(struct dw_device *d);

/** enum dw_unit_news - what the kernel tells of the unit behind a node */
enum dw_unit_news {
	DW_UNIT_NOTHING,
	DW_UNIT_ALTERED, /* its parameters or its size may be others */
	DW_UNIT_DOUBTED, /* it may be another */
	DW_UNIT_RESET, /* power on or reset: as that, and its volatile data may be gone */
	DW_UNIT_LOST,  /* the kernel told more than could be taken in: any, of any unit */
};

struct dw_uevents;

/**
 * dw_uevents_new() - listen to what the kernel tells of SCSI devices
 * @ret: dw_uevents_free()
 *
 * A unit attention goes to whichever command comes first. If that is another program's, the
 * kernel's event (SDEV_UA, since Linux 4.1) is all that is left of it here.
 *
 * Return: 0; -ENOMEM; -ENOTSUP where no events can be had.
 */
int dw_uevents_new(struct dw_uevents **ret);
void dw_uevents_free(struct dw_uevents *e);

/** dw_uevents_fd() - readable when there is news. */
int dw_uevents_fd(const struct dw_uevents *e);

/** dw_uevents_next() - the next news; only the H:C:T:L of its device is set in @ret.
 *  DW_UNIT_NOTHING = no more now; never waits. */
enum dw_unit_news dw_uevents_next(struct dw_uevents *e, struct dw_disk_info *ret);

/** dw_uevent_parse() - the same of one message, which ends in 0 and is changed. */
enum dw_unit_news dw_uevent_parse(char *msg, size_t len, struct dw_disk_info *ret);

/**
 * dw_device_errors_elsewhere() - errors of the disk that others were told since the last call
 *
 * The kernel counts each command that did not end GOOD (ioerr_cnt), whoever sent it. What is
 * more than our own may have been meant for us: a deferred error is told to whoever comes
 * first. Call with no command of ours under way. 0 where the kernel does not count.
 */
uint64_t dw_device_errors_elsewhere(struct dw_device *d);

/** dw_device_target() - how a transport shall see the disk: read class only unless claimed. */
void dw_device_target(struct dw_device *d, uint32_t depth, uint32_t max_bytes,
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

/** dw_device_count_io() - have the kernel count the disk's reads and writes (queue/iostats),
 *  until release. */
void dw_device_count_io(struct dw_device *d);

/** dw_device_register() - a further path of a disk that dw_device_reserve_paths() holds.
 *  Return: as dw_device_reserve(). */
int dw_device_register(struct dw_device *d, struct dw_verdict *ret_verdict);

/** dw_device_reserve_paths() - the same for a disk with @n paths: all are registered, and the
 *  reservation is Write Exclusive, Registrants Only. Return: as dw_device_reserve(). */
int dw_device_reserve_paths(struct dw_device *const *d, size_t n,
			    struct dw_verdict *ret_verdict);

/** dw_device_reserve() - PERSISTENT RESERVE OUT: register and reserve Write Exclusive.
 *  Return: 0; 1 refused (conflict or not supported; text in @ret_verdict); -errno. */
int dw_device_reserve(struct dw_device *d, struct dw_verdict *ret_verdict);

/**
 * dw_device_command() - one command outside a job, waiting for it: probing,
 * identification, and the proof of paths. Goes through the same opcode guard as a transport.
 * @permits: classes that the caller may use: DW_OPCLASS_READ, with the claim also
 *	DW_OPCLASS_CONTROL and, for dw_device_prove() alone, DW_OPCLASS_WRITE
 * @cmd: cdb, dir, data, timeout
 * @ret: the completion
 *
 * Return: 0 (look at @ret), -EPERM refused by the guard.
 */
int dw_device_command(struct dw_device *d, uint32_t permits, struct dw_cmd *cmd,
		      struct dw_completion *ret);

#endif
