/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_DEVICE_H
#define DW_DEVICE_DEVICE_H

/*
 * A disk that is opened and asked: its nodes, what it is and can do. Whether it may be erased
 * is the question of src/judge; src/own claims it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "codec/caps.h"
#include "diskwipe/disk.h"
#include "plan/op.h"
#include "scsi/sense.h"
#include "transport/transport.h"

/**
 * struct dw_watch - what a disk reports about itself besides its identity
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
 * @looked_at: it is told of, and no more: where the kernel has a copy of an INQUIRY page that does
 *	not tell who it is, that stands for the disk's own answer
 * @steerable: commands of the control class may go out without the claim: the lights of an
 *	enclosure, the motor of a disk that is held
 * @formats: it is to be formatted, now: with the claim, commands of that class may go out
 * @granted: DW_OPCLASS_..., which may go out for the moment: what shows hidden blocks again, and
 *	commands about ATA passwords. With the claim; the latter, unless they erase, also once its
 *	node is held
 * @raise_last: the last sector that may be set by what shows hidden ones
 * @unlocked: it had the password of an erase that was cut off, which was cleared
 * @release: of a claimed disk, for dw_device_close(): dw_device_release()
 * @operating: it was opened while it works on a SANITIZE; capacity and block size are
 *	@known_blocks and @known_block_size until dw_device_operated() has asked it; 0 = such a disk
 *	is not opened
 * @operation_failed: what the disk did by itself failed, and it waits for EXIT FAILURE MODE
 * @stranger: another disk answers at its nodes, or may: nothing is restored
 * @not_ready: what the disk said when it was not ready, for the record
 * @capture: keeps what it answers, borrowed; NULL = nobody does
 * @signatures: inactive signatures that the claim found, "gpt, ext4"
 * @exclusive: by which the claim holds: "O_EXCL on /dev/sda", static or in the device
 * @map_fd: the multipath map, held; -1 = none
 * @reserved: --reserve holds a persistent reservation, of type @reservation
 * @registered: our key is registered through this path
 * @saved_wce: write cache setting to restore, DW_UNKNOWN = untouched
 * @descriptor_set: the format of sense data was fixed, and is switched to descriptors
 * @saved_max_sectors_kb: queue setting to restore, 0 = untouched
 * @errors: what all our commands met, as struct dw_target has it
 * @known_errors, @counted_errors: @errors and the kernel's count when these were last compared,
 *	if they were (@compared_errors)
 * @watch: as it was when the disk was claimed
 * @saved_iostats: the kernel did not count this disk's I/O before
 * @settled: see dw_device_settle()
 * @nvme: the namespace that it is, where that disk can be commanded to erase itself; else nsid is 0
 * @spared: questions that it is spared, of transport/spared.h; NULL = none
 * @zones: those of @caps, if it was ever host-managed; owned
 * @n_units: logical units of the device that it is one of, where it can erase itself; else 1
 * @units: nodes of the others, "/dev/sg2, /dev/sg3"; those without a node are not in it
 */
struct dw_device {
	struct dw_disk_info info;
	struct dw_caps caps;
	int sg_fd;
	int blk_fd;
	int map_fd;
	bool claimed;
	bool looked_at;
	bool steerable;
	bool formats;
	uint32_t granted;
	uint64_t raise_last;
	bool unlocked;
	int (*release)(struct dw_device *d);
	bool stranger;
	bool operating;
	uint64_t known_blocks;
	uint32_t known_block_size;
	bool operation_failed;
	bool reserved;
	bool registered;
	uint8_t reservation;
	int8_t saved_wce;
	bool descriptor_set;
	uint32_t saved_max_sectors_kb;
	_Atomic uint64_t errors;
	uint64_t known_errors;
	uint64_t counted_errors;
	bool compared_errors;
	struct dw_watch watch;
	bool saved_iostats;
	bool settled;
	struct dw_nvme_unit nvme;
	struct dw_spared *spared;
	struct dw_zones *zones;
	uint32_t n_units;
	char units[64];
	struct dw_sense not_ready;
	struct dw_capture *capture;
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

/**
 * dw_device_open_operating() - the same for a disk that may work on a SANITIZE
 * @path: as dw_device_open()
 * @blocks, @block_size: what it has; believed as long as it cannot be asked
 * @ret: the device, with @operating set if it still works; dw_device_close()
 *
 * Return: as dw_device_open().
 */
int dw_device_open_operating(const char *path, uint64_t blocks, uint32_t block_size,
			     struct dw_device **ret);

/** dw_device_close() - release what is held, restore what was changed, close. */
void dw_device_close(struct dw_device *d);

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
 * dw_device_errors_elsewhere() - errors of the disk that went to others since the last call
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
 * dw_device_command() - one command outside a job, waiting for it: probing,
 * identification, and the proof of paths. Goes through the same opcode guard as a transport.
 * @permits: classes that the caller may use: DW_OPCLASS_READ, with the claim, or if
 *	@d is steerable, also DW_OPCLASS_CONTROL and, for what src/own writes, DW_OPCLASS_WRITE
 * @cmd: cdb, dir, data, timeout
 * @ret: the completion
 *
 * Return: 0 (look at @ret), -EPERM refused by the guard.
 */
int dw_device_command(struct dw_device *d, uint32_t permits, struct dw_cmd *cmd,
		      struct dw_completion *ret);

#endif
