/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ATA_SECURITY_H
#define DW_SCSI_ATA_SECURITY_H

/*
 * The Security feature set of an ATA disk (ACS-2, 4.19) behind a SCSI translation: a password that
 * locks the disk whenever it gets power, and SECURITY ERASE UNIT, which wants one. There is one
 * password here, which is documented: a disk that is left with it is nobody's secret.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_ATA_PASSWORD "diskwipe" /* the rest of 32 bytes is 0 */
#define DW_ATA_SECURITY_LEN                                                              \
	512 /* bytes of a parameter list, and of IDENTIFY DEVICE data */

/**
 * struct dw_ata_security - what IDENTIFY DEVICE data say of it (words 82, 89, 90, 92, 128)
 * @supported: the disk has the feature set; all else is false without it
 * @enabled: a user password is set, which locks the disk when it next gets power
 * @locked: and it is: blocks are neither read nor written
 * @frozen: no password is taken until power is off
 * @expired: five wrong ones were given: the same
 * @enhanced: it knows the enhanced erase
 * @maximum: with the master password it can be erased, and not unlocked
 * @master_id: which master password it has, 0 = not reported
 * @minutes, @enhanced_minutes: time of each erase, 0 = not reported, or longer than the field holds
 */
struct dw_ata_security {
	bool supported;
	bool enabled;
	bool locked;
	bool frozen;
	bool expired;
	bool enhanced;
	bool maximum;
	uint16_t master_id;
	uint32_t minutes;
	uint32_t enhanced_minutes;
};

/** dw_ata_security_parse() - from 512 bytes of IDENTIFY DEVICE data, whose sum is known to fit. */
void dw_ata_security_parse(const uint8_t *id, struct dw_ata_security *ret);

/**
 * dw_ata_security_bar() - what keeps a disk from SECURITY ERASE UNIT
 * @s: what it reports of passwords; supported
 * @usb: it is behind a USB bridge; these have set the password, and lost the command after it
 * @ours: it is on record as having our password
 *
 * Return: static text; NULL = nothing does.
 */
const char *dw_ata_security_bar(const struct dw_ata_security *s, bool usb, bool ours);

/* The commands. */
enum dw_ata_secure {
	DW_ATA_SECURE_SET,      /* SECURITY SET PASSWORD: user, level high */
	DW_ATA_SECURE_UNLOCK,   /* SECURITY UNLOCK */
	DW_ATA_SECURE_PREPARE,  /* SECURITY ERASE PREPARE, directly before the next */
	DW_ATA_SECURE_ERASE,    /* SECURITY ERASE UNIT, normal */
	DW_ATA_SECURE_ENHANCED, /* the same, enhanced: the CDB is equal, the data differ */
	DW_ATA_SECURE_DISABLE,  /* SECURITY DISABLE PASSWORD */
	DW_ATA_SECURE_COUNT,
};

/** dw_cdb_ata_secure() - fill ATA PASS-THROUGH(16) with it; registers are wanted back. @cdb:
 *  DW_CDB_MAX bytes. Return: 16. */
int dw_cdb_ata_secure(uint8_t *cdb, enum dw_ata_secure what);

/** dw_ata_secure_list() - what goes out with it. @list: DW_ATA_SECURITY_LEN bytes. Return: bytes,
 *  0 = nothing does. */
size_t dw_ata_secure_list(enum dw_ata_secure what, uint8_t *list);

/**
 * dw_ata_secure_find() - which of these commands it is, byte by byte
 * @cdb: 16 bytes
 * @data, @len: what goes out with it; @data may be NULL, then the CDB alone is looked at, and
 *	DW_ATA_SECURE_ERASE stands for both ways
 *
 * Return: enum dw_ata_secure; _COUNT for none.
 */
enum dw_ata_secure dw_ata_secure_find(const uint8_t *cdb, const uint8_t *data,
				      size_t len);

#endif
