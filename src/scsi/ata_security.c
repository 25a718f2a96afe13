/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parameter lists (ACS-2, 7.45 to 7.50): word 0 has a bit for the master password, one for the
 * enhanced erase, and the level of SET PASSWORD; words 1 to 16 are the password. Here it is always
 * the user password and level high, so that the owner's master password can still unlock the disk.
 */
#include "scsi/ata_security.h"

#include <string.h>

#include "scsi/cdb.h"

#define PROTOCOL_NO_DATA (3 << 1)
#define PROTOCOL_PIO_OUT (5 << 1)
#define CK_COND          0x20
#define BYT_BLOK         0x04 /* T_LENGTH counts sectors */
#define T_LENGTH_COUNT   0x02 /* by COUNT */
#define DEVICE_LBA       0x40
#define ENHANCED         0x02 /* byte 0 of the list */
#define PASSWORD_AT      2

#define SUPPORTED 0x0001 /* word 128 */
#define ENABLED   0x0002
#define LOCKED    0x0004
#define FROZEN    0x0008
#define EXPIRED   0x0010
#define KNOWS     0x0020
#define MAXIMUM   0x0100

#define LONG_TIME     0x8000 /* words 89 and 90: 15 bits instead of 8 */
#define TIME_15       0x7fff
#define TIME_8        0x00ff
#define TIME_UNIT_MIN 2

static uint16_t at_word(const uint8_t *id, unsigned int n)
{
	const uint8_t *at = id + 2 * (size_t)n;

	return (uint16_t)(at[0] | at[1] << 8);
}

/* The greatest number means that it takes longer than can be reported. */
static uint32_t minutes_of(uint16_t word)
{
	uint16_t most = word & LONG_TIME ? TIME_15 : TIME_8;
	uint32_t n = word & most;

	return n == most ? 0 : n * TIME_UNIT_MIN;
}

void dw_ata_security_parse(const uint8_t *id, struct dw_ata_security *ret)
{
	uint16_t state = at_word(id, 128), master = at_word(id, 92);

	*ret = (struct dw_ata_security){ 0 };
	if (!(state & SUPPORTED) || state == 0xffff)
		return;
	*ret = (struct dw_ata_security){
		.supported = true,
		.enabled = state & ENABLED,
		.locked = state & LOCKED,
		.frozen = state & FROZEN,
		.expired = state & EXPIRED,
		.enhanced = state & KNOWS,
		.maximum = state & MAXIMUM,
		.master_id = master == 0xffff ? 0 : master,
		.minutes = minutes_of(at_word(id, 89)),
		.enhanced_minutes = minutes_of(at_word(id, 90)),
	};
}

const char *dw_ata_security_bar(const struct dw_ata_security *s, bool usb, bool ours)
{
	if (usb)
		return "never over USB, where the command may be lost after its password";
	if (s->frozen)
		return "frozen until power is off: pull it, and plug it in again, or sanitize "
		       "it";
	if (s->expired)
		return "five wrong passwords: it takes none until power is off";
	if (s->locked && !ours)
		return "locked by a password that is none of ours";
	return s->enabled && !ours ? "it has a password that is none of ours" : NULL;
}

static const uint8_t opcodes[DW_ATA_SECURE_COUNT] = {
	[DW_ATA_SECURE_SET] = 0xf1,      [DW_ATA_SECURE_UNLOCK] = 0xf2,
	[DW_ATA_SECURE_PREPARE] = 0xf3,  [DW_ATA_SECURE_ERASE] = 0xf4,
	[DW_ATA_SECURE_ENHANCED] = 0xf4, [DW_ATA_SECURE_DISABLE] = 0xf6,
};

int dw_cdb_ata_secure(uint8_t *cdb, enum dw_ata_secure what)
{
	bool data = what != DW_ATA_SECURE_PREPARE;

	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_ATA_16;
	cdb[1] = data ? PROTOCOL_PIO_OUT : PROTOCOL_NO_DATA;
	cdb[2] = CK_COND | (data ? BYT_BLOK | T_LENGTH_COUNT : 0);
	cdb[6] = data;
	cdb[13] = DEVICE_LBA;
	cdb[14] = opcodes[what];
	return 16;
}

size_t dw_ata_secure_list(enum dw_ata_secure what, uint8_t *list)
{
	if (what == DW_ATA_SECURE_PREPARE)
		return 0;
	memset(list, 0, DW_ATA_SECURITY_LEN);
	if (what == DW_ATA_SECURE_ENHANCED)
		list[0] = ENHANCED;
	memcpy(list + PASSWORD_AT, DW_ATA_PASSWORD, sizeof(DW_ATA_PASSWORD) - 1);
	return DW_ATA_SECURITY_LEN;
}

enum dw_ata_secure dw_ata_secure_find(const uint8_t *cdb, const uint8_t *data, size_t len)
{
	uint8_t want[DW_CDB_MAX], list[DW_ATA_SECURITY_LEN];

	for (unsigned int i = 0; i < DW_ATA_SECURE_COUNT; i++) {
		size_t n = (size_t)dw_cdb_ata_secure(want, (enum dw_ata_secure)i);

		if (memcmp(cdb, want, n))
			continue;
		n = dw_ata_secure_list((enum dw_ata_secure)i, list);
		if (!data || (len == n && !memcmp(data, list, n)))
			return (enum dw_ata_secure)i;
	}
	return DW_ATA_SECURE_COUNT;
}
