/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_CLAIM_H
#define DW_OWN_CLAIM_H

/*
 * A disk that belongs to the program: claimed, changed for a job, proven, released.
 * dw_device_claim() is the only place in the program that permits write-class commands.
 */
#include "device/device.h"

/**
 * dw_device_claim() - claim the disk until its release, or report why not
 * @d: the opened disk
 * @rules: what the user and the configuration allow
 * @ret_verdict: why not, set if 1 is returned
 *
 * Takes O_EXCL and the BSD lock on the block sibling (O_EXCL on sg where there is none), repeats
 * the usage scan with the claim held, writes back and drops cached pages (fsync, BLKFLSBUF), and
 * reads the identity again. Only then may write-class commands be sent.
 *
 * Return: 0 claimed; 1 refused, see @ret_verdict; negative errno.
 */
int dw_device_claim(struct dw_device *d, const struct dw_rules *rules,
		    struct dw_verdict *ret_verdict);

/**
 * dw_device_claim_paths() - the same for all paths of a disk: all are claimed, or none is
 * @d, @n: the opened paths, 1..DW_PATHS_MAX; they name the same disk
 * @rules, @ret_verdict: as dw_device_claim()
 *
 * Paths that a dm-multipath map holds are claimed by O_EXCL on the map, which must lead to none
 * but these. That they are one disk is not known before dw_device_prove().
 *
 * Return: as dw_device_claim().
 */
int dw_device_claim_paths(struct dw_device *const *d, size_t n,
			  const struct dw_rules *rules, struct dw_verdict *ret_verdict);

/**
 * dw_device_claim_more() - a further path of a disk whose other paths are claimed
 * @d: the opened path
 * @claimed, @n: the claimed ones, 1..DW_PATHS_MAX - 1
 * @rules, @ret_verdict: as dw_device_claim()
 */
int dw_device_claim_more(struct dw_device *d, struct dw_device *const *claimed, size_t n,
			 const struct dw_rules *rules, struct dw_verdict *ret_verdict);

/**
 * dw_device_operated() - a disk that was claimed while it erased itself has ended that
 * @d: the claimed disk, with one path
 * @ret_verdict: why it cannot be resumed, set if 1 is returned
 *
 * Identifies it, with its capacity; makes the kernel read the capacity again; asks for its
 * abilities, and drops the kernel's pages as dw_device_claim() does for others. Waits.
 *
 * Return: 0; 1 see @ret_verdict (DW_REFUSAL_CHANGED: another disk, or another capacity); negative
 * errno.
 */
int dw_device_operated(struct dw_device *d, struct dw_verdict *ret_verdict);

/**
 * dw_device_look_again() - does anybody use a claimed disk by now?
 * @d, @n: its claimed paths, 1..DW_PATHS_MAX
 * @ret_verdict: who, set if 1 is returned
 *
 * A claim excludes mounts and the like, but nobody who merely opens or maps the node. So the
 * machine is scanned once more before the outcome of a job is reported. A program that has a node
 * open for a moment only (2 s) is waited for. Costs one scan of all processes.
 *
 * Return: 0 nobody; 1 somebody, or it cannot be seen; negative errno.
 */
int dw_device_look_again(struct dw_device *const *d, size_t n,
			 struct dw_verdict *ret_verdict);

/**
 * dw_device_identity() - identify the disk again. Return: 0 it is the disk that @d is, with all
 * its designators; 1 another; -EIO no answer.
 */
int dw_device_identity(struct dw_device *d);

/**
 * dw_device_names() - identify the disk again if its capacity is changing or not reported. Only
 * INQUIRY is sent, so that a unit attention stays pending; a disk without SCSI is identified by
 * what the kernel calls it. Return: 0 it is the disk that @d is; 1 another; -EIO no answer.
 */
int dw_device_names(struct dw_device *d);

/**
 * dw_device_prove() - the claimed paths lead to one medium
 * @d, @n: the paths, 2..DW_PATHS_MAX
 * @ret_verdict: why not, filled when 1 is returned
 *
 * Writes random blocks through each and reads them through the others, and puts back what
 * was there; see transport/marker.h. So do dw_device_stamps() and dw_witness_take(); nothing
 * else writes besides a job.
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
 * reservation, BLKFLSBUF and BLKRRPART on the claimed descriptor, drop the claim. Safe at any
 * time, also twice.
 *
 * Return: 0; write cache or reservation stay as they are: 1 another disk answers, -EIO none does.
 */
int dw_device_release(struct dw_device *d);

/**
 * dw_device_set_wce() - switch the volatile write cache for the job (MODE SELECT page 08h,
 * not saved); remembers the old setting for release. Needs the claim.
 * Return: 0; 1 not changeable; negative errno.
 */
int dw_device_set_wce(struct dw_device *d, bool on);

/**
 * dw_device_report_whole() - make an ATA disk report fully how its operation ends
 * @d: claimed
 *
 * Sense data of the fixed format omit half of it. The format is switched to descriptors (MODE
 * SELECT page 0Ah, not saved), until release, and the disk is asked again: @self.end_unknown of
 * its caps says whether that helped.
 */
void dw_device_report_whole(struct dw_device *d);

/** dw_device_whole_sense() - sense data in descriptor format, which leave nothing out (MODE SELECT
 *  page 0Ah, not saved), until release. Needs the claim. Return: 0; 1 they were, or the disk does
 *  not take it; -EPERM. */
int dw_device_whole_sense(struct dw_device *d);

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

#endif
