/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLAN_OP_H
#define DW_PLAN_OP_H

/*
 * The neutral words between core and device: what is to be done to a disk (op) and
 * what came of it (result). Neither knows a CDB, a sense code or a descriptor.
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/trace.h>

/**
 * struct dw_op - one thing to do
 * @disk: number of the disk in the job
 * @slot: the core's; comes back in the result
 * @verb: enum dw_verb
 * @pass: index of the pass whose pattern is written or compared
 * @flags: enum dw_op_flags
 * @lba: first logical block
 * @nlb: logical blocks; 0 for verbs without an extent
 * @run: commands that it stands for in the record of a simulation that has leapt; 0: itself
 * @step: column j of the schedule in which it was decided
 * @timeout_ms: patience
 * @operation: enum dw_operation, of DW_VERB_OPERATE
 * @seed: of what is planted, with DW_OP_PLANT
 */
struct dw_op {
	uint32_t disk;
	uint32_t slot;
	uint8_t verb;
	uint8_t pass;
	uint16_t flags;
	uint32_t nlb;
	uint64_t lba;
	uint64_t step;
	uint32_t timeout_ms;
	uint32_t run;
	uint8_t operation;
	uint64_t seed;
};

/** enum dw_operation - what a device can do by itself, as bit numbers of dw_caps.operations */
enum dw_operation {
	DW_OPERATION_NONE,
	DW_OPERATION_OVERWRITE,    /* SANITIZE, OVERWRITE (SBC) */
	DW_OPERATION_BLOCK_ERASE,  /* SANITIZE, BLOCK ERASE */
	DW_OPERATION_CRYPTO_ERASE, /* SANITIZE, CRYPTOGRAPHIC ERASE */
	/* these end with their command */
	DW_OPERATION_ATA_NORMAL,    /* SECURITY ERASE UNIT, normal (ACS) */
	DW_OPERATION_ATA_ENHANCED,  /* SECURITY ERASE UNIT, enhanced */
	DW_OPERATION_FORMAT_USER,   /* Format NVM, user data erase (NVMe) */
	DW_OPERATION_FORMAT_CRYPTO, /* Format NVM, cryptographic erase */
	DW_OPERATION_COUNT,
};

/** dw_operation_name() - "overwrite", "block erase", "enhanced security erase"; static text. */
const char *dw_operation_name(enum dw_operation o);

/** dw_operation_blocks() - its command comes back when the work is over. Nothing else may be sent
 *  to the device meanwhile, and no progress is reported. */
bool dw_operation_blocks(enum dw_operation o);

/** dw_operation_secures() - SECURITY ERASE UNIT, which sets a password before, and so is more than
 *  one command. */
bool dw_operation_secures(enum dw_operation o);

/** dw_operation_foretold() - every block holds the pattern of its pass afterwards. What others
 *  leave is their maker's choice, or what nobody knows. */
bool dw_operation_foretold(enum dw_operation o);

enum dw_op_flags {
	DW_OP_RECOVERY = 1 << 0, /* may run while the disk is fenced */
	DW_OP_FUA = 1 << 1,      /* read from the medium where the disk can */
	DW_OP_FINAL = 1 << 2,    /* settle: nothing that writes comes after it */
	DW_OP_WRITTEN =
		1 << 3, /* settle: the last pass has been written, command by command */
	DW_OP_TOUCH =
		1 << 4, /* poll: one block is read before that, whatever comes of it */
	DW_OP_PLANT = 1 << 5, /* with a planted difference: dw_plants_alter() */
};

enum dw_identified {
	DW_IDENTITY_SAME,
	DW_IDENTITY_CHANGED,  /* another serial or WWN */
	DW_IDENTITY_CAPACITY, /* same disk, another size or block length */
	DW_IDENTITY_NAMELESS, /* it looks the same, has no name, and may have been exchanged */
	DW_IDENTITY_UNKNOWN, /* it did not answer well enough to tell */
};

/** enum dw_write_log - what the disk itself counts of write errors (DW_VERB_IDENTIFY) */
enum dw_write_log {
	DW_WRITE_LOG_NONE, /* nothing that can be compared */
	DW_WRITE_LOG_OPEN, /* it counts them, and of errors reported elsewhere none need be one */
	DW_WRITE_LOG_LOST, /* at least one which was reported to no command of ours */
};

#define DW_RUNS_MAX     8
#define DW_PROGRESS_ALL 65536 /* parts that a device counts its operation in */

/** struct dw_run - adjacent blocks that differ */
struct dw_run {
	uint64_t lba;
	uint32_t nlb;
};

/** enum dw_operation_end - how the operation of a device ended, as it reports */
enum dw_operation_end {
	DW_ENDED_UNSAID, /* it reports nothing of it: maybe there was none */
	DW_ENDED_WELL,
	DW_ENDED_UNREADABLE, /* it has ended; how cannot be read */
	DW_ENDED_FAILED,     /* and it waits for the command to leave that state */
};

/**
 * enum dw_cache_found - the write cache of a disk when it is asked again
 * @DW_CACHE_UNSAID: it does not say, or it was on before
 * @DW_CACHE_OFF: off, as it was when it was asked last
 * @DW_CACHE_SWITCHED_ON: it was off then, and is on now
 */
enum dw_cache_found { DW_CACHE_UNSAID, DW_CACHE_OFF, DW_CACHE_SWITCHED_ON };

/**
 * struct dw_result - what came of an op
 * @disk, @slot: those of the op
 * @class: enum dw_class
 * @recovered: DW_CLASS_OK by sense key 1: the disk had to try
 * @deferred: the sense is deferred: about an earlier command, data may be lost
 * @identity: enum dw_identified, for DW_VERB_IDENTIFY that ended DW_CLASS_OK
 * @way: DW_CLASS_RETRY: the way to the disk failed, and the disk reported nothing
 * @aborted: of that, the host aborted the command, as it does when it hears nothing
 * @vanished: DW_CLASS_GONE: the system has no such disk any more
 * @bad_valid, @bad_lba: DW_CLASS_MEDIUM: first bad block as the disk reported it
 * @cache: enum dw_cache_found, of DW_VERB_IDENTIFY and of DW_VERB_FLUSH that ended
 *	DW_CLASS_UNSUPPORTED: the disk was asked then
 * @elsewhere: DW_VERB_IDENTIFY: errors that were reported to others since the last one
 * @write_log: DW_VERB_IDENTIFY: enum dw_write_log, of the same time
 * @reset_seen: DW_VERB_IDENTIFY: the disk reported a reset on the way
 * @n_runs, @run: DW_VERB_READ that ended DW_CLASS_OK: runs of blocks that differ
 * @compared: DW_VERB_READ: blocks compared, fewer than asked when @run was full
 * @miscompare: DW_VERB_COMPARE that ended DW_CLASS_OK: the disk reports that a block differs
 * @at_valid, @at: which, as its INFORMATION field has it; disks have other things there as well
 * @progress: DW_CLASS_RUNNING: so many parts of DW_PROGRESS_ALL are done
 * @ended: enum dw_operation_end, of DW_VERB_POLL that ended DW_CLASS_OK, which says that the device
 *	does not work by itself, and of DW_VERB_OPERATE of an operation that ends with its command
 * @write_over: DW_VERB_SETTLE that ended DW_CLASS_OK: what the device did by itself is proven, and
 *	its blocks cannot be read before they are written: dw_plan_write_over()
 * @sense_key, @asc, @ascq: for the record; 0 when there is no sense data
 * @path: which of the disk's several paths it took, from 1; 0 = there is one
 * @detail: static text for the record, or NULL
 * @submit_ns, @start_ns, @end_ns: the transport's clock; start_ns 0 = never sent
 * @host_ns: CPU time that the host needs for such a command, lately; 0 = not known
 */
struct dw_result {
	uint32_t disk;
	uint32_t slot;
	uint8_t class;
	bool recovered;
	bool deferred;
	bool way;
	bool aborted;
	bool vanished;
	uint8_t identity;
	bool bad_valid;
	bool reset_seen;
	uint8_t cache;
	uint32_t elsewhere;
	uint8_t write_log;
	uint8_t n_runs;
	uint8_t sense_key;
	uint8_t asc;
	uint8_t ascq;
	uint64_t bad_lba;
	uint32_t compared;
	bool miscompare;
	bool at_valid;
	uint64_t at;
	uint32_t progress;
	uint8_t ended;
	bool write_over;
	struct dw_run run[DW_RUNS_MAX];
	uint8_t path;
	const char *detail;
	uint64_t submit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t host_ns;
};

/** enum dw_verb_flags - what is true of a verb, wherever it stands in its enum */
enum dw_verb_flags {
	DW_VERB_HAS_EXTENT = 1 << 0, /* names blocks: dw_op.lba and nlb */
	DW_VERB_IS_WORK = 1 << 1,    /* a command of the pass, whose time is the disk's */
	DW_VERB_IS_ASKED =
		1 << 2, /* belongs to recovery: sent alone, may run while fenced */
	DW_VERB_IS_NOTE = 1 << 3,      /* for the engine alone: no slot, no result */
	DW_VERB_IS_OPERATION = 1 << 4, /* about what the device does by itself */
};

/**
 * dw_verb_flags() - what is true of a verb
 * @verb: enum dw_verb
 *
 * Any thread.
 *
 * Return: enum dw_verb_flags, ORed; 0 for a number that is no verb.
 */
unsigned int dw_verb_flags(unsigned int verb);

#endif
