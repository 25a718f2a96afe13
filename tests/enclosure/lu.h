/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_LU_H
#define DW_ENCLOSURE_LU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "extent.h"

#define DW_PR_MAX 16
/* a SATA disk behind a translation: what it knows, and whether registers come back */
#define DW_ATA          1u
#define DW_ATA_HPA      2u
#define DW_ATA_AMA      4u
#define DW_ATA_MUTE     8u
#define DW_ATA_SECURITY 16u
#define DW_ATA_DCO      32u
#define DW_ATA_ENHANCED 64u /* SECURITY ERASE UNIT in enhanced mode */

/* whose addresses are cut off */
#define DW_CUT_READ  1u /* and VERIFY */
#define DW_CUT_WRITE 2u
#define DW_CUT_SAME  4u /* WRITE SAME */

/* how a translation tells registers, and what it does not know */
#define DW_SATL_DESCRIPTOR 1u
#define DW_SATL_FIXED      2u
#define DW_SATL_LIBATA     4u /* descriptors for success, fixed for errors unless D_SENSE */
#define DW_SATL_IGNORANT   8u  /* TEST UNIT READY and REQUEST SENSE know of no sanitize */
#define DW_SATL_TWELVE     16u /* ATA PASS-THROUGH(12) alone */
#define DW_SATL_REFUSED    32u /* no pass-through at all */
#define DW_SATL_OLD        64u /* as libata was before Linux 6.11 */

#define DW_PASSWORD 32

/* methods of SANITIZE */
#define DW_SANITIZE_OVERWRITE 1u
#define DW_SANITIZE_BLOCK     2u
#define DW_SANITIZE_CRYPTO    4u

#define DW_BLOCK_MAX  (4096 + 128)
#define DW_SLOTS_MAX  128
#define DW_LED_LOCATE 0x01u
#define DW_LED_FAULT  0x02u

#define DW_PR_FOREIGN 0xffff /* the nexus of a host that is not the guest */

#define DW_ATA_WORDS 16

/* A word of IDENTIFY DEVICE that is not what the disk would say. */
struct dw_ata_word {
	uint16_t n, value;
};

/* A disk that does not compare the blocks that it says it has compared. */
enum dw_compare_lie {
	DW_COMPARES,
	DW_COMPARE_GOOD,  /* everything is equal */
	DW_COMPARE_HALF,  /* what lies in the second half of it */
	DW_COMPARE_LATER, /* after the first commands */
	DW_COMPARE_LONE,  /* more than one block */
	DW_COMPARE_WRONG, /* it says that blocks in the last quarter differ, of more than one */
	DW_COMPARE_REFUSED, /* more than one block: 5/24/00 */
	DW_COMPARE_RANGES,  /* what lies in a share of its ranges */
	DW_COMPARE_CACHE,   /* what was not written or read lately */
	DW_COMPARE_LIES,
};

#define DW_RECENT                                                                        \
	64 /* commands whose blocks are in the cache of one that compares that */
#define DW_COMPARE_RANGE 64 /* blocks */

/* What a disk is, as configured. */
#define DW_MISMATCH_ILLEGAL 4 /* sense key 5, as some have it */
#define DW_MISMATCH_STAYS   5 /* a write renews it but for some blocks */

struct dw_lu_conf {
	uint64_t size_bytes, blocks; /* blocks wins when both are given */
	uint64_t block_bytes, phys_exp, lowest_aligned;
	char vendor[9], model[17], rev[5], serial[33];
	uint64_t wwn, device_wwn, ptype, rpm;
	uint64_t rate_bps, inner_bps, cache_bytes, seek_us, overhead_us, slow_permille;
	uint64_t max_depth, pi_type;
	uint64_t max_xfer, opt_xfer, gran, ws_max;
	uint64_t ready_ms, foreign_pr, foreign_key, bus, ata, ata_sector;
	uint64_t sanitize, overwrite_ms, block_ms, crypto_ms, fail_at, stuck_at, lie;
	uint64_t selects, formats; /* 0, or the block length that each of them makes */
	uint64_t deaf, format, format_ms, mlu, format_reach, satl, dco, erase_ms,
		enhanced_ms;
	uint64_t lbabits, lbafrom,
		lbacut; /* bits of an address that get there, in commands DW_CUT_... */
	bool frozen, untold, bare, touch;
	char password[DW_PASSWORD + 1];
	uint64_t waber, wacer, mismatch, erased, remapped, early;
	uint64_t tcg, elements, depopulated;
	uint64_t compare, compare_info; /* enum dw_compare_lie; what a miscompare tells */
	uint64_t compare_after, compare_permille;
	uint64_t zone, zone_conv; /* blocks of each; how many are conventional */
	uint64_t zones_read_only, zones_offline; /* a bit for each of the first 64 */
	bool rc_basis, urswrz;
	uint64_t ses, temp, temp_limit, hours, grown;
	bool ses_blind, failing, times;
	bool removable, wce, is_volatile, wp, thin, lbprz, ws10, ws16, ndob, wsnz;
	bool rsoc, dsense, dpofua, bytchk, stopped, keep, present, write_and_verify;
	bool nameless, log, progress, shares;
	char fill[16];
	uint8_t refuse[32]; /* bit map of operation codes */
	bool inq_short; /* one byte of allocation length in INQUIRY, as before SPC-3 */
	unsigned int n_words;
	struct dw_ata_word words[DW_ATA_WORDS];
	int lun_of;  /* target of which this is a further logical unit, or -1 */
	int same_as; /* disk whose logical unit this port leads to, or -1 */
};

struct dw_pr_reg {
	unsigned int nexus;
	uint64_t key;
};

/* Persistent reservations of one logical unit. */
struct dw_pr {
	struct dw_pr_reg reg[DW_PR_MAX];
	size_t n;
	uint32_t generation;
	bool held;
	unsigned int holder;
	uint64_t key;
	uint8_t type;
};

/* The changeable mode parameters. */
struct dw_mode {
	bool wce, dsense, swp, awre, arre;
};

enum dw_firmware_kind {
	DW_FIRMWARE_NONE,
	DW_FIRMWARE_OVERWRITE,
	DW_FIRMWARE_BLOCK,
	DW_FIRMWARE_CRYPTO,
	DW_FIRMWARE_FORMAT,
	DW_FIRMWARE_ERASE, /* SECURITY ERASE UNIT */
};

enum dw_firmware_state {
	DW_FIRMWARE_IDLE,
	DW_FIRMWARE_RUNNING,
	DW_FIRMWARE_DONE,
	DW_FIRMWARE_FAILED,
};

/* What the disk does by itself for a long time, and how the last of that ended. */
struct dw_firmware {
	enum dw_firmware_kind kind;
	enum dw_firmware_state state;
	bool unpowered;
	bool ause;                  /* a failure can be left by command */
	bool deep;                  /* reaches remapped blocks, too */
	uint64_t since_ns, need_ns; /* power cuts shift the former */
	uint64_t gone_ns;           /* when the power was cut */
	uint64_t bytes, passes,
		behind;    /* of one pass, how many; bytes of all that are done */
	bool invert, fast; /* fast: writes nothing */
	uint64_t block_bytes, blocks, grown, pi_type; /* after a format */
	uint64_t rng; /* what crypto erase turns the blocks into */
	size_t pattern_len;
	uint8_t pattern[DW_BLOCK_MAX];
};

/* What an ATA disk remembers between commands. */
struct dw_ata {
	bool native_read, prepared; /* the command just before was the one that must be */
	bool max_set, max_frozen;   /* once in a power cycle */
	uint64_t kept;              /* blocks that it has after the next power cycle */
	uint64_t overlay;           /* blocks that the configuration overlay leaves */
	bool overlay_frozen;
	bool sanitize_frozen, antifreeze;

	bool enabled, locked, frozen, maximum;
	unsigned int tries;
	uint16_t master_id;
	uint8_t user[DW_PASSWORD], master[DW_PASSWORD];
};

/* A logical unit: identity, medium, volatile cache, reservations. */
struct dw_lu {
	struct dw_lu_conf conf;
	unsigned int id;
	uint64_t blocks;
	uint64_t native; /* what the medium has; @blocks may be fewer */
	struct dw_mode mode, saved;
	struct dw_pr pr;
	bool stopped;
	uint64_t compares; /* commands that compared more than one block */
	struct {
		uint64_t lba, nlb;
	} recent[DW_RECENT]; /* that were written or read last, in turns */
	uint64_t n_recent;
	struct dw_lu *device; /* whose motor, mode pages and counters these are */
	struct dw_ata ata;
	uint64_t ready_ns;

	struct dw_firmware firmware;
	struct dw_extents
		unwritten; /* erased, and not to be read before they are written */
	uint8_t unwritten_key;
	bool unwritten_stays;
	uint16_t unwritten_asc;
	uint64_t medium_bytes, spare_block;     /* whatever the block length is now */
	uint64_t pending_bytes, pending_blocks; /* of the next format; 0 = as they are */
	uint64_t pi_native;                     /* the protection type that it knows */
	uint64_t key_rng;                       /* media keys that crypto erase makes */

	int data_fd, cache_fd;
	int spare_fd; /* blocks that were remapped: nobody can address them */
	uint64_t n_zones, *pointer; /* of each, from its start */
	struct dw_extents dirty;
	uint64_t sweep; /* where destaging goes on */
	uint64_t bytes_written, bytes_read, bytes_lost;
	uint64_t write_errors, read_errors; /* as log pages 02h and 03h tell them */
	uint8_t leds[DW_SLOTS_MAX]; /* of an enclosure processor: DW_LED_* of each slot */
};

struct dw_iov {
	const struct iovec *v;
	size_t n, at; /* next vector, and */
	size_t off;   /* the next byte of it */
};

void dw_lu_conf_init(struct dw_lu_conf *c, unsigned int id, unsigned int enclosure);
int dw_lu_init(struct dw_lu *lu, const struct dw_lu_conf *c, unsigned int id, int dir_fd);
int dw_zoned_init(struct dw_lu *lu);
uint64_t dw_zoned_capacity(const struct dw_lu *lu);
void dw_lu_deinit(struct dw_lu *lu, bool keep_cache);
uint64_t dw_lu_bytes(const struct dw_lu *lu);
int dw_lu_write(struct dw_lu *lu, uint64_t off, struct dw_iov *iov, size_t len,
		bool through);
int dw_lu_read(struct dw_lu *lu, uint64_t off, struct dw_iov *iov, size_t len);
int dw_lu_fill(struct dw_lu *lu, uint64_t off, uint64_t len, const uint8_t *block,
	       size_t block_len, bool through);
int dw_lu_unmap(struct dw_lu *lu, uint64_t off, uint64_t len);
int dw_lu_sync(struct dw_lu *lu, uint64_t off, uint64_t len);
void dw_lu_lose(struct dw_lu *lu);
int dw_lu_resize(struct dw_lu *lu, uint64_t blocks);
void dw_ata_power(struct dw_lu *lu);
void dw_lu_clip(struct dw_lu *lu, uint64_t blocks);
int dw_lu_plant(struct dw_lu *lu, uint64_t lba, uint64_t nlb, const char *what);

void dw_iov_skip(struct dw_iov *iov, size_t len);
size_t dw_iov_copy_in(struct dw_iov *iov, void *to, size_t len);
size_t dw_iov_copy_out(struct dw_iov *iov, const void *from, size_t len);

#endif
