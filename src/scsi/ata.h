/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ATA_H
#define DW_SCSI_ATA_H

/*
 * ATA disks behind a SCSI translation (SAT): what IDENTIFY DEVICE says of capacity, and how many
 * sectors the disk has in truth. Of all ATA commands only three that ask for that number and three
 * that read SMART data are known here. They change nothing: READ NATIVE MAX ADDRESS is no more
 * than what SET MAX ADDRESS must follow immediately to be obeyed (ACS-2, SET MAX ADDRESS), and
 * that command is never sent.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	uint32_t sector_size;
	uint64_t sectors;
};

/**
 * dw_ata_identify() - read the ATA Information VPD page (89h)
 * @data: the reply
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; -EBADMSG when it is not this page, has no IDENTIFY DEVICE data of a disk, or the
 * checksum is wrong.
 */
int dw_ata_identify(const uint8_t *data, size_t len, struct dw_ata_identity *ret);

/* The questions. */
enum dw_ata_question {
	DW_ATA_READ_NATIVE_MAX,     /* READ NATIVE MAX ADDRESS */
	DW_ATA_READ_NATIVE_MAX_EXT, /* READ NATIVE MAX ADDRESS EXT */
	DW_ATA_GET_NATIVE_MAX_EXT,  /* GET NATIVE MAX ADDRESS EXT */
	DW_ATA_SMART_DATA,          /* SMART READ DATA: DW_ATA_SECTOR bytes come back */
	DW_ATA_SMART_THRESHOLDS,    /* SMART READ THRESHOLDS: the same */
	DW_ATA_SMART_STATUS,        /* SMART RETURN STATUS */
};

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
 * dw_ata_smart_status() - the answer to DW_ATA_SMART_STATUS, from the registers
 * @ret_failing: a threshold is exceeded
 *
 * Return: 0; -ENODATA when no registers came back; -EIO when they are none of that command.
 */
int dw_ata_smart_status(const uint8_t *sense, size_t len, bool *ret_failing);

/**
 * dw_ata_at_least() - the smallest number of sectors that ends in such an address
 * @low: lowest 24 bits of the highest native address
 * @sectors: that can be addressed now; there are no fewer
 *
 * Return: number of sectors, >= @sectors.
 */
uint64_t dw_ata_at_least(uint32_t low, uint64_t sectors);

#endif
