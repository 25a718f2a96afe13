/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ATA_H
#define DW_SCSI_ATA_H

/*
 * ATA disks behind a SCSI translation (SAT): what IDENTIFY DEVICE says of capacity, and how many
 * sectors the disk has in truth. Of all ATA commands only four that ask for that number, three that
 * read SMART data, two that read a log, SANITIZE DEVICE, and three that show all sectors again are
 * known here. The questions change nothing: READ NATIVE MAX ADDRESS is no more than what SET MAX
 * ADDRESS must follow immediately to be obeyed (ACS-2, SET MAX ADDRESS).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scsi/ata_security.h"
#include "scsi/vpd.h"

/* VPD page 89h is 572 bytes (SAT, ATA Information VPD page). */
#define DW_ATA_PAGE_LEN 572

#define DW_ATA_PIO_IN 4   /* protocol of ATA PASS-THROUGH */
#define DW_ATA_SECTOR 512 /* what a question that is answered with data gets */

/**
 * struct dw_ata_identity - IDENTIFY DEVICE, as far as it is about capacity and health
 * @serial: serial number, without blanks around it
 * @hpa, @hpa_off: host protected area feature set, enabled; known but not enabled
 * @ama: accessible max address configuration feature set
 * @dco: device configuration overlay feature set
 * @wide: 48-bit addresses
 * @smart: SMART feature set, enabled
 * @frozen: security feature set, which takes no command until power is off (ACS, word 128)
 * @security: that feature set
 * @overwrite, @block_erase, @crypto_erase: what its SANITIZE DEVICE can do (word 59)
 * @acs4: it knows ACS-4 or a later standard (word 80)
 * @logs: general purpose logs can be read (word 84)
 * @sector_size: bytes of a logical sector of the disk
 * @sectors: that can be addressed now
 */
struct dw_ata_identity {
	char serial[21];
	bool hpa;
	bool hpa_off;
	bool ama;
	bool dco;
	bool wide;
	bool smart;
	bool frozen;
	struct dw_ata_security security;
	bool overwrite;
	bool block_erase;
	bool crypto_erase;
	bool acs4;
	bool logs;
	uint32_t sector_size;
	uint64_t sectors;
};

/**
 * dw_ata_identify() - read the ATA Information VPD page (89h)
 * @data: the reply
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; 1 see @ret, but the checksum is wrong, as it always is of a few models; -EBADMSG when
 * it is not this page, or has no IDENTIFY DEVICE data of a disk.
 */
int dw_ata_identify(const uint8_t *data, size_t len, struct dw_ata_identity *ret);

/** dw_ata_identify_data() - the same from IDENTIFY DEVICE data as the disk sends them; @data:
 *  DW_ATA_SECTOR bytes. Return: as dw_ata_identify(). */
int dw_ata_identify_data(const uint8_t *data, struct dw_ata_identity *ret);

/* The questions. */
enum dw_ata_question {
	DW_ATA_READ_NATIVE_MAX,     /* READ NATIVE MAX ADDRESS */
	DW_ATA_READ_NATIVE_MAX_EXT, /* READ NATIVE MAX ADDRESS EXT */
	DW_ATA_GET_NATIVE_MAX_EXT,  /* GET NATIVE MAX ADDRESS EXT */
	DW_ATA_SMART_DATA,          /* SMART READ DATA: DW_ATA_SECTOR bytes come back */
	DW_ATA_SMART_THRESHOLDS,    /* SMART READ THRESHOLDS: the same */
	DW_ATA_SMART_STATUS,        /* SMART RETURN STATUS */
	DW_ATA_DCO_IDENTIFY,  /* DEVICE CONFIGURATION IDENTIFY: DW_ATA_SECTOR bytes */
	DW_ATA_IDENTIFY,      /* IDENTIFY DEVICE: the same as of SMART READ DATA */
	DW_ATA_LOG_DIRECTORY, /* READ LOG EXT of log 00h: the same */
	DW_ATA_LOG_RANGES,    /* and of the concurrent positioning ranges log, 47h */
};

/** dw_ata_has_ranges() - does the directory of logs name the log 47h (ACS-5, 9.2)? @log:
 *  DW_ATA_SECTOR bytes. */
bool dw_ata_has_ranges(const uint8_t *log);

/** dw_ata_ranges() - the log 47h (ACS-5, 9.20). @log: its first DW_ATA_SECTOR bytes; otherwise as
 *  dw_vpd_ranges(). */
size_t dw_ata_ranges(const uint8_t *log, struct dw_vpd_range *ret, size_t most);

/** dw_cdb_ata() - fill ATA PASS-THROUGH(16) with a question; without data registers are wanted
 *  back; 16. */
int dw_cdb_ata(uint8_t *cdb, enum dw_ata_question question);

/**
 * dw_ata_native() - the highest native address, from the registers in the sense data
 * @question: what was asked
 * @sense: sense data of the command, fixed or descriptor format
 * @len: its length in bytes
 * @ret: the address; with -ERANGE its lowest 24 bits
 *
 * Return: 0; -ENODATA when no registers came back; -EIO when the disk refused the command, or
 * the registers are not those of a command that has ended; -ERANGE when the fixed format had no
 * room for the whole address.
 */
int dw_ata_native(enum dw_ata_question question, const uint8_t *sense, size_t len,
		  uint64_t *ret);

/**
 * dw_ata_overlay() - the answer to DW_ATA_DCO_IDENTIFY (ATA-7, 6.11)
 * @data: what came, of a command that ended well: one that was aborted leaves a buffer of zeros,
 *	whose checksum is right
 * @len: its length in bytes
 * @ret: sectors that the disk has behind its configuration overlay
 *
 * Return: 0; -EBADMSG when it is not this structure, is cut off, or its checksum is wrong.
 */
int dw_ata_overlay(const uint8_t *data, size_t len, uint64_t *ret);

/**
 * dw_ata_ended() - how a command of 28 bits ended that asked for its registers
 *
 * Return: 0 well; -ENODATA when no registers came back, which a command that ended with good status
 * may do; -EIO when they say otherwise.
 */
int dw_ata_ended(const uint8_t *sense, size_t len);

/**
 * dw_ata_outranked() - the sense key is that of an error, and the registers are not
 *
 * Some translations tell so of a command that ended well (smartmontools, lib/scsiata.cpp). Whether
 * it had its effect is for the disk to say.
 */
bool dw_ata_outranked(const uint8_t *sense, size_t len);

/**
 * dw_ata_smart_status() - the answer to DW_ATA_SMART_STATUS, from the registers
 * @ret_failing: a threshold is exceeded
 *
 * Return: 0; -ENODATA when no registers came back; -EIO when they are none of that command.
 */
int dw_ata_smart_status(const uint8_t *sense, size_t len, bool *ret_failing);

/* SANITIZE DEVICE (ACS-4, 7.35): commands without data, of 48 bits. */
enum dw_ata_sanitize {
	DW_ATA_SANITIZE_STATUS, /* SANITIZE STATUS EXT */
	DW_ATA_SANITIZE_EXIT,   /* the same, and the state after a failure is left */
	DW_ATA_SANITIZE_OVERWRITE,
	DW_ATA_SANITIZE_BLOCK_ERASE,
	DW_ATA_SANITIZE_CRYPTO_ERASE,
	DW_ATA_SANITIZE_COUNT,
};

/**
 * dw_cdb_ata_sanitize() - fill ATA PASS-THROUGH(16) with it; registers are wanted back
 * @cdb: DW_CDB_MAX bytes
 * @what: the command. One that begins an operation allows to leave the state after its failure
 *	(FAILURE MODE), and an overwrite is done once
 * @byte: what every byte of the medium becomes by an overwrite; the others ignore it
 *
 * Return: 16.
 */
int dw_cdb_ata_sanitize(uint8_t *cdb, enum dw_ata_sanitize what, uint8_t byte);

/** dw_ata_sanitize_find() - which of these commands is @cdb, byte by byte, an overwrite with four
 *  equal bytes as pattern? @cdb: 16 bytes. Return: enum dw_ata_sanitize; _COUNT for none. */
enum dw_ata_sanitize dw_ata_sanitize_find(const uint8_t *cdb);

/* What shows sectors again that were hidden. None loses data; each needs a permit of its own. */
enum dw_ata_raise {
	DW_ATA_SET_MAX_EXT,        /* SET MAX ADDRESS EXT, for good (ACS-2, 7.51) */
	DW_ATA_SET_ACCESSIBLE_MAX, /* SET ACCESSIBLE MAX ADDRESS EXT (ACS-3, 7.2.3) */
	DW_ATA_DCO_RESTORE,        /* DEVICE CONFIGURATION RESTORE (ATA-7, 6.11) */
	DW_ATA_RAISE_COUNT,
};

/**
 * dw_cdb_ata_raise() - fill ATA PASS-THROUGH(16) with it; registers are wanted back
 * @cdb: DW_CDB_MAX bytes
 * @what: the command. SET MAX ADDRESS EXT is obeyed right after READ NATIVE MAX ADDRESS EXT alone,
 *	and both SET commands once between two losses of power
 * @last: the sector that is to be the last, below 2^48; DW_ATA_DCO_RESTORE ignores it
 *
 * Return: 16.
 */
int dw_cdb_ata_raise(uint8_t *cdb, enum dw_ata_raise what, uint64_t last);

/** dw_ata_raise_find() - which of these commands is @cdb, byte by byte? @cdb: 16 bytes; @ret_last:
 *  the sector that it names, 0 where it names none. Return: enum dw_ata_raise; _COUNT for none. */
enum dw_ata_raise dw_ata_raise_find(const uint8_t *cdb, uint64_t *ret_last);

/* Why a disk aborts SANITIZE DEVICE: LBA 7:0 (ACS-4). */
enum dw_ata_reason {
	DW_ATA_REASON_NONE,
	DW_ATA_REASON_LAST_FAILED, /* its last operation failed, and that state stands */
	DW_ATA_REASON_UNSUPPORTED,
	DW_ATA_REASON_FROZEN,
	DW_ATA_REASON_ANTIFREEZE,
};

/**
 * struct dw_ata_sanitize_state - what a disk reports about its sanitize operation
 * @aborted: it aborted the command, for @reason: enum dw_ata_reason, or a number beyond it
 * @done: its last operation ended without error, and none works
 * @running: one works; @progress of 65536 is done
 * @frozen: SANITIZE FREEZE LOCK holds until power is off
 * @fixed: it came as sense data of the fixed format
 */
struct dw_ata_sanitize_state {
	bool aborted;
	bool done;
	bool running;
	bool frozen;
	bool fixed;
	uint8_t reason;
	uint16_t progress;
};

/**
 * dw_ata_sanitize_state() - the answer to one of these commands, from the registers
 * @sense: sense data of the command, fixed or descriptor format
 * @len: its length in bytes
 * @ret: filled when 0 or -ERANGE is returned
 *
 * Return: 0; -ENODATA when no registers came back; -EIO when they are not those of such a command
 * that has ended; -ERANGE when the fixed format left out the half of COUNT that tells it: of
 * @ret only @running with @progress and @fixed mean something, when they are set.
 */
int dw_ata_sanitize_state(const uint8_t *sense, size_t len,
			  struct dw_ata_sanitize_state *ret);

/**
 * dw_ata_at_least() - the smallest number of sectors that ends in such an address
 * @low: lowest 24 bits of the highest native address
 * @sectors: that can be addressed now; there are no fewer
 *
 * Return: number of sectors, >= @sectors.
 */
uint64_t dw_ata_at_least(uint32_t low, uint64_t sectors);

#endif
