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

struct dw_device;

/**
 * struct dw_device_claim - the claim of a disk
 * @held: dw_device_claim() succeeded and dw_device_release() has not been called
 * @by: by which it holds: "O_EXCL on /dev/sda", static or in the device
 * @signatures: inactive signatures that it found, "gpt, ext4"
 * @release: for dw_device_close(): dw_device_release()
 * @settled: see dw_device_settle()
 */
struct dw_device_claim {
	bool held;
	bool settled;
	int (*release)(struct dw_device *d);
	char by[96];
	char signatures[128];
};

/**
 * struct dw_device_permits - what may go out beside reads and, with the claim, writes
 * @steerable: commands of the control class without the claim: the lights of an enclosure, the
 *	motor of a disk that is held
 * @formats: it is to be formatted, now: with the claim, commands of that class
 * @granted: DW_OPCLASS_..., for the moment: what shows hidden blocks again, and commands about ATA
 *	passwords. With the claim; the latter, unless they erase, also once its node is held
 * @raise_last: the last sector that may be set by what shows hidden ones
 */
struct dw_device_permits {
	bool steerable;
	bool formats;
	uint32_t granted;
	uint64_t raise_last;
};

/**
 * struct dw_device_sanitize - a disk that was opened while it works on a SANITIZE
 * @running: it works, and has not been asked by dw_device_operated() since
 * @blocks, @block_size: capacity and block size until then; 0 = such a disk is not opened
 * @failed: what it did by itself failed, and it waits for EXIT FAILURE MODE
 */
struct dw_device_sanitize {
	bool running;
	bool failed;
	uint32_t block_size;
	uint64_t blocks;
};

/**
 * struct dw_device_changed - settings that were changed, and are restored
 * @wce: the write cache as it was, DW_UNKNOWN = untouched
 * @descriptor: the format of sense data was fixed, and is switched to descriptors
 * @iostats: the kernel did not count this disk's I/O
 * @max_sectors_kb: the setting of its queue as it was, 0 = untouched
 * @reserved: --reserve holds a persistent reservation, of type @reservation
 * @registered: our key is registered through this path
 */
struct dw_device_changed {
	int8_t wce;
	bool descriptor;
	bool iostats;
	bool reserved;
	bool registered;
	uint8_t reservation;
	uint32_t max_sectors_kb;
};

/**
 * struct dw_device_errors - errors of our commands, and of those of others
 * @ours: what all our commands met, as struct dw_target has it
 * @known, @counted: @ours and the kernel's count when these were last compared, if they were
 *	(@compared)
 */
struct dw_device_errors {
	_Atomic uint64_t ours;
	uint64_t known;
	uint64_t counted;
	bool compared;
};

/**
 * struct dw_device - an opened disk
 * @info: what it is
 * @caps: what it can do
 * @sg_fd, @blk_fd: descriptors, -1 = none; owned
 * @map_fd: the multipath map, held; -1 = none
 * @looked_at: it is only listed: where the kernel has a copy of an INQUIRY page that does not say
 *	who it is, that stands for the disk's own answer
 * @unlocked: it had the password of an erase that was cut off, which was cleared
 * @stranger: another disk answers at its nodes, or may: nothing is restored
 * @not_ready: what the disk reported when it was not ready, for the record
 * @capture: keeps what it answers, borrowed; NULL = nobody does
 * @watch: as it was when the disk was claimed
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
	bool looked_at;
	bool unlocked;
	bool stranger;
	struct dw_device_claim claim;
	struct dw_device_permits permit;
	struct dw_device_sanitize sanitize;
	struct dw_device_changed changed;
	struct dw_device_errors error;
	struct dw_watch watch;
	struct dw_nvme_unit nvme;
	struct dw_spared *spared;
	struct dw_zones *zones;
	uint32_t n_units;
	char units[64];
	struct dw_sense not_ready;
	struct dw_capture *capture;
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
 * @ret: the device, with @sanitize.running if it still works; dw_device_close()
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
