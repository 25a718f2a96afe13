/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CODEC_CAPS_H
#define DW_CODEC_CAPS_H

/*
 * Abilities of a disk and of the path to it, as found by probing: plain values that encode, the
 * plan and `inspect` read.
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/job.h>

#include "base/zones.h"
#include "plan/op.h"
#include "plan/order.h"
#include "scsi/ata_security.h"

/* Number of blocks that commands of 10 bytes can address. */
#define DW_BLOCKS_10 UINT64_C(0x100000000)

/* INQUIRY version: SPC-3, with which (16) commands became common. */
#define DW_VERSION_SPC3 5

enum dw_tristate { DW_UNKNOWN = -1, DW_NO = 0, DW_YES = 1 };

#define DW_ZONED_MANAGED 3 /* host-managed: see @zoned of struct dw_caps */

/**
 * struct dw_transfer_limits - how long one transfer may be, and how many there may be at once
 * @max_transfer: VPD B0h MAXIMUM TRANSFER LENGTH in blocks, 0 = not reported
 * @opt_transfer: OPTIMAL TRANSFER LENGTH in blocks, 0 = not reported
 * @opt_granularity: OPTIMAL TRANSFER LENGTH GRANULARITY in blocks, 0 = not reported
 * @max_hw_bytes: the host's max_hw_sectors in bytes, 0 = unknown
 * @soft_bytes: max_sectors_kb in bytes, 0 = unknown
 * @max_segments, @max_segment_bytes: scatter limits of the host, 0 = unknown
 * @dma_align: bytes to which buffers should be aligned
 * @queue_depth: the kernel's for this disk
 * @max_bytes: longest data transfer that is possible here; found by probing upward
 *	with reads, or computed when @max_bytes_probed is false
 */
struct dw_transfer_limits {
	uint32_t max_transfer;
	uint32_t opt_transfer;
	uint32_t opt_granularity;
	uint32_t max_hw_bytes;
	uint32_t soft_bytes;
	uint32_t max_segments;
	uint32_t max_segment_bytes;
	uint32_t dma_align;
	uint32_t queue_depth;
	uint32_t max_bytes;
	bool max_bytes_probed;
};

/**
 * struct dw_same_caps - what a disk knows of WRITE SAME
 * @cdb10, @cdb16: its forms of 10 and of 16 bytes
 * @ndob, @unmap: of the latter the bits NDOB and UNMAP
 * @no_zero: a count of 0 is refused (WSNZ)
 * @max: MAXIMUM WRITE SAME LENGTH in blocks, 0 = not reported
 */
struct dw_same_caps {
	bool cdb10;
	bool cdb16;
	bool ndob;
	bool unmap;
	bool no_zero;
	uint32_t max;
};

/**
 * struct dw_cache_caps - the volatile write cache of a disk
 * @sync10, @sync16: SYNCHRONIZE CACHE
 * @sync_tried: the disk has been asked by sending it
 * @write_through: every write goes to the medium before it ends (FUA), since no command flushes the
 *	cache, and it is not known to be off; set by who plans a job
 * @wce: it is on (mode page 08h); DW_UNKNOWN when it cannot be read
 * @changeable: MODE SELECT may change that
 */
struct dw_cache_caps {
	bool sync10;
	bool sync16;
	bool sync_tried;
	bool write_through;
	int8_t wce;
	bool changeable;
};

/**
 * struct dw_ata_caps - what an ATA disk behind a SCSI translation reports of its sectors
 * @sat: there is one: the disk offers VPD 89h
 * @native: sectors that it has, shown or not, 0 = unknown
 * @at_least: there may be more of them
 * @sum_wrong: the checksum of its IDENTIFY DEVICE data is wrong: they are good for questions
 * @unknown: why it may have more all the same, static text, NULL when it has not
 * @max: its sectors when that cause of enum dw_hidden has hidden none, as it reported; 0 = it does
 *	not know that cause, or did not answer
 * @sectors: sectors that it shows, 0 = unknown
 * @dco: a device configuration overlay is possible
 * @dco_unknown: why what that hides is not known, static text, NULL when it is, or none is possible
 */
struct dw_ata_caps {
	bool sat;
	uint64_t native;
	bool at_least;
	bool sum_wrong;
	const char *unknown;
	uint64_t max[DW_HIDDEN_COUNT];
	uint64_t sectors;
	bool dco;
	const char *dco_unknown;
};

/**
 * struct dw_self_erase - how a disk can erase itself
 * @operations: bits 1 << enum dw_operation that it reports it can do
 * @ata: they are begun by ATA PASS-THROUGH(16), as SANITIZE DEVICE
 * @end_unknown: how such an operation ends cannot be read: no registers come back, or halves
 * @not_offered: why an ATA disk that knows SANITIZE DEVICE is not offered it, static text, or NULL
 * @ns: time that it states for each; 0 = it states none
 * @nvme: they are carried out as Sanitize and Format NVM
 * @formats_all, @erases_all: Format NVM sent to one namespace formats, and erases, all of them
 * @namespaces, @controllers: of its NVM subsystem: allocated namespaces, controllers
 * @sanicap: of Identify Controller, for the record
 * @wabereq, @wacereq: what reads of a block find after a block erase, or a crypto erase (SBC, VPD
 *	B1h): 1 data, 2 an error until it is written, 3 the error 3/11/15; 0 not said
 * @security: ATA passwords, as the disk reported last
 * @not_secure: why an ATA disk that knows SECURITY ERASE UNIT is not offered it, static text, or
 *	NULL
 */
struct dw_self_erase {
	uint8_t operations;
	bool ata;
	bool end_unknown;
	const char *not_offered;
	uint64_t ns[DW_OPERATION_COUNT];
	bool nvme;
	bool formats_all;
	bool erases_all;
	uint32_t namespaces;
	uint32_t controllers;
	uint32_t sanicap;
	uint8_t wabereq;
	uint8_t wacereq;
	struct dw_ata_security security;
	const char *not_secure;
};

/**
 * struct dw_caps - capabilities and limits of one disk
 * @version: of the standard that it claims, as INQUIRY has it
 * @blocks, @block_size: capacity and bytes per logical block (READ CAPACITY)
 * @physical_exp: log2 of logical blocks per physical block (LBPPBE)
 * @lowest_aligned: LOWEST ALIGNED LOGICAL BLOCK ADDRESS
 * @pi_type: 0, or protection type 1..3
 * @rotation: 0 = not reported, 1 = no rotation (flash), else RPM (VPD B1h)
 * @zoned: 0 no, 1 host-aware, 2 device-managed (VPD B1h), 3 host-managed (its peripheral type)
 * @zones: of a host-managed disk, as it reported; its device's, NULL = they are not known
 * @not_zoned: why those are not known, or such that it is not written to; text; empty when they are
 * @lbpme: logical block provisioning (thin or deallocating)
 * @scsi: false for a block node driven without SCSI
 * @narrow: the host adapter takes no CDB of 16 bytes, whatever the disk knows
 * @rw16: READ(16)/WRITE(16) accepted
 * @verify: VERIFY
 * @fua: DPOFUA of the mode parameter header
 * @write_protect: WP of the mode parameter header
 * @lock: enum dw_lock: whether a self-encrypting disk lets all its blocks be written
 * @rsoc: REPORT SUPPORTED OPERATION CODES answered which commands it knows, else that is assumed
 * @native_unknown: no source reports its native capacity
 * @ranges: what each of several actuators reaches; @ranges_from: where that is from, static text
 * @timeout_s: RSOC's recommended timeout for WRITE(16), 0 = none
 */
struct dw_caps {
	uint8_t version;
	uint64_t blocks;
	uint32_t block_size;
	uint8_t physical_exp;
	uint16_t lowest_aligned;
	uint8_t pi_type;
	uint16_t rotation;
	uint8_t zoned;
	const struct dw_zones *zones;
	char not_zoned[96];
	bool lbpme;
	bool scsi;
	bool narrow;
	bool rw16;
	bool verify;
	bool fua;
	bool write_protect;
	uint8_t lock;
	bool rsoc;
	bool native_unknown;
	struct dw_ranges ranges;
	const char *ranges_from;
	uint32_t timeout_s;
	struct dw_transfer_limits limit;
	struct dw_same_caps same;
	struct dw_cache_caps cache;
	struct dw_ata_caps ata;
	struct dw_self_erase self;
};

/** dw_self_whole() - an operation of this disk affects all units of its device. */
static inline bool dw_self_whole(const struct dw_self_erase *c, enum dw_operation o)
{
	if (o == DW_OPERATION_NONE || dw_operation_secures(o))
		return false;
	return !dw_operation_blocks(o) || c->formats_all || c->erases_all;
}

/** dw_self_commands_each() - each namespace has to be sent the command, as erasing affects only
 *  that one. */
static inline bool dw_self_commands_each(const struct dw_self_erase *c,
					 enum dw_operation o)
{
	return dw_self_whole(c, o) && dw_operation_blocks(o) && !c->erases_all;
}

/** dw_caps_flush() - a volatile cache can be written out by a command. */
static inline bool dw_caps_flush(const struct dw_caps *c)
{
	return !c->scsi || c->cache.sync16 || c->cache.sync10;
}

/**
 * dw_caps_join() - leave what a path can do that another one can do as well
 * @caps: of the disk over one path; what else it says of the disk stays
 * @other: of the same disk over another path
 */
void dw_caps_join(struct dw_caps *caps, const struct dw_caps *other);

#define DW_CACHE_WORTH_BYTES (UINT64_C(8) << 30) /* a pass of a minute or more */

/**
 * dw_caps_switch_cache() - whether the volatile cache is to be switched on for a task
 * @c: the disk before the task
 * @mode: the user's choice
 *
 * Without the flush command the cache is left alone. DW_WRITE_CACHE_AUTO requires a disk that may
 * rotate, has DW_CACHE_WORTH_BYTES or more, and lets the setting be changed.
 */
static inline bool dw_caps_switch_cache(const struct dw_caps *c, enum dw_write_cache mode)
{
	if (c->cache.wce != DW_NO || !dw_caps_flush(c) || mode == DW_WRITE_CACHE_KEEP)
		return false;
	return mode == DW_WRITE_CACHE_ON ||
	       (c->cache.changeable && c->rotation != 1 &&
		c->blocks >= DW_CACHE_WORTH_BYTES / c->block_size);
}

#endif
