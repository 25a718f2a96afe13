/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers of an ATA command that ended come back as sense data, 1/00/1D, when the CDB asks
 * for them (CK_COND): in descriptor format whole, in fixed format without the upper halves of
 * 48-bit registers, but with a bit that says whether those were zero. What is not certain here
 * would hide blocks: the address counts only with a plausible status register beside it.
 */
#include "scsi/ata.h"

#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/inquiry.h"
#include "scsi/sense.h"
#include "scsi/vpd.h"

#define IDENTIFY_AT      60
#define IDENTIFY_LEN     512
#define COMMAND_AT       56
#define SERIAL_AT        20 /* in IDENTIFY DEVICE: words 10 to 19 */
#define SERIAL_LEN       20
#define IDENTIFY_DEVICE  0xec
#define READ_LOG_EXT     0x2f
#define LOG_RANGES       0x47
#define ACS_4            (1 << 11)
#define SIGNATURE        0xa5 /* a checksum follows */
#define SECTOR_MAX       65536
#define SECTORS_MAX      (UINT64_C(1) << 48)
#define PROTOCOL_NO_DATA (3 << 1)
#define EXTEND           0x01
#define CK_COND          0x20
#define DEVICE_LBA       0x40
#define STATUS_READY     0x40
#define STATUS_BAD       0xa9 /* BSY, DF, DRQ, ERR */
#define ATA_RETURN       0x09
#define ATA_RETURN_LEN   14
#define LOW_24           0xffffff
#define SMART            0xb0
#define OVERLAY          0xb1     /* DEVICE CONFIGURATION */
#define SMART_GOOD       0xc24f00 /* also the registers that it wants */
#define SMART_FAILING    0x2cf400
#define BYT_BLOK         0x04 /* T_LENGTH counts sectors */
#define T_DIR            0x08 /* to the host */
#define T_LENGTH_COUNT   0x02 /* by COUNT */
#define SANITIZE_DEVICE  0xb4
#define SANITIZE_KNOWN   0x1000 /* word 59, with a bit for each way */
#define CRYPTO_KNOWN     0x2000
#define OVERWRITE_KNOWN  0x4000
#define BLOCK_KNOWN      0x8000
#define COUNT_DONE       0x8000
#define COUNT_RUNNING    0x4000
#define COUNT_FROZEN     0x2000
#define NO_PROGRESS      0xffff /* LBA 15:0 while nothing works */
#define STATUS_ERROR     0x01
#define STATUS_BUSY      0x88 /* BSY, DRQ */
#define ERROR_ABORTED    0x04

/* FEATURE, LBA of 24 bits: zero but for SMART, which is obeyed with its own alone, and for the
 * overlay, of which other FEATUREs change the disk */
static const struct question {
	uint8_t command;
	bool wide;
	bool data;
	uint8_t feature;
	uint32_t lba;
} questions[] = {
	[DW_ATA_READ_NATIVE_MAX] = { 0xf8, false, false, 0, 0 },
	[DW_ATA_READ_NATIVE_MAX_EXT] = { 0x27, true, false, 0, 0 },
	[DW_ATA_GET_NATIVE_MAX_EXT] = { 0x78, true, false, 0, 0 },
	[DW_ATA_SMART_DATA] = { SMART, false, true, 0xd0, SMART_GOOD },
	[DW_ATA_SMART_THRESHOLDS] = { SMART, false, true, 0xd1, SMART_GOOD },
	[DW_ATA_SMART_STATUS] = { SMART, false, false, 0xda, SMART_GOOD },
	[DW_ATA_DCO_IDENTIFY] = { OVERLAY, false, true, 0xc2, 0 },
	[DW_ATA_IDENTIFY] = { IDENTIFY_DEVICE, false, true, 0, 0 },
	[DW_ATA_LOG_DIRECTORY] = { READ_LOG_EXT, true, true, 0, 0 },
	[DW_ATA_LOG_RANGES] = { READ_LOG_EXT, true, true, 0, LOG_RANGES },
};

static uint16_t word(const uint8_t *id, unsigned int n)
{
	const uint8_t *at = id + 2 * (size_t)n;

	return (uint16_t)(at[0] | at[1] << 8);
}

/* A word holds two letters, the first in its high byte. */
static void serial(const uint8_t *id, char ret[SERIAL_LEN + 1])
{
	uint8_t text[SERIAL_LEN];

	for (size_t i = 0; i < SERIAL_LEN; i++)
		text[i] = id[SERIAL_AT + (i ^ 1)];
	dw_scsi_text(text, sizeof(text), ret, SERIAL_LEN + 1);
}

static uint64_t words(const uint8_t *id, unsigned int first, unsigned int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 16 | word(id, first + n);
	return v;
}

/* Words that say about themselves that they are valid: bit 15 clear, bit 14 set. */
static bool valid(const uint8_t *id, unsigned int n)
{
	return (word(id, n) & 0xc000) == 0x4000;
}

static bool intact(const uint8_t *id)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < IDENTIFY_LEN; i++)
		sum = (uint8_t)(sum + id[i]);
	return id[510] != SIGNATURE || sum == 0;
}

static uint64_t sectors(const uint8_t *id, bool wide)
{
	if (wide && (word(id, 69) & 0x0008) && words(id, 230, 4))
		return words(id, 230, 4);
	if (wide && words(id, 100, 4))
		return words(id, 100, 4);
	return words(id, 60, 2);
}

int dw_ata_identify_data(const uint8_t *id, struct dw_ata_identity *ret)
{
	struct dw_ata_identity a = { .sector_size = 512 };
	bool more;

	if (word(id, 0) & 0x8000)
		return -EBADMSG;
	if (valid(id, 83)) {
		a.wide = word(id, 83) & 0x0400;
		a.dco = word(id, 83) & 0x0800;
		a.hpa = word(id, 82) & 0x0400;
		a.hpa_off = a.hpa && valid(id, 87) && !(word(id, 85) & 0x0400);
		a.hpa = a.hpa && !a.hpa_off;
		a.smart = (word(id, 82) & 0x0001) && valid(id, 87) &&
			  (word(id, 85) & 0x0001);
	}
	more = valid(id, 87) && (word(id, 86) & 0x8000) && valid(id, 119);
	a.ama = more && (word(id, 119) & 0x0100);
	if (valid(id, 106) && (word(id, 106) & 0x1000)) {
		uint64_t size = 2 * words(id, 117, 2);

		if (size < 512 || size > SECTOR_MAX)
			return -EBADMSG;
		a.sector_size = (uint32_t)size;
	}
	if ((word(id, 59) & SANITIZE_KNOWN) && word(id, 59) != 0xffff) {
		a.crypto_erase = word(id, 59) & CRYPTO_KNOWN;
		a.overwrite = word(id, 59) & OVERWRITE_KNOWN;
		a.block_erase = word(id, 59) & BLOCK_KNOWN;
	}
	a.acs4 = word(id, 80) != 0xffff && word(id, 80) >= ACS_4;
	a.logs = valid(id, 84) && (word(id, 84) & 0x0020) && a.wide;
	dw_ata_security_parse(id, &a.security);
	a.frozen = a.security.frozen;
	a.sectors = sectors(id, a.wide);
	if (a.sectors > SECTORS_MAX)
		return -EBADMSG;
	serial(id, a.serial);
	*ret = a;
	return intact(id) ? 0 : 1;
}

int dw_ata_identify(const uint8_t *data, size_t len, struct dw_ata_identity *ret)
{
	size_t n;

	if (dw_vpd_check(data, len, DW_VPD_ATA, &n) || n + 4 < DW_ATA_PAGE_LEN ||
	    data[COMMAND_AT] != IDENTIFY_DEVICE)
		return -EBADMSG;
	return dw_ata_identify_data(data + IDENTIFY_AT, ret);
}

bool dw_ata_has_ranges(const uint8_t *log)
{
	return word(log, LOG_RANGES) > 0;
}

size_t dw_ata_ranges(const uint8_t *log, struct dw_vpd_range *ret, size_t most)
{
	size_t n = log[0];

	if (n > most || DW_VPD_RANGES_HEAD + n * DW_VPD_RANGE_LEN > DW_ATA_SECTOR)
		return n > most ? n : 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = log + DW_VPD_RANGES_HEAD + i * DW_VPD_RANGE_LEN;

		if (at[0] != i)
			return 0;
		ret[i] = (struct dw_vpd_range){ words(at, 4, 4), words(at, 8, 4) };
	}
	return n;
}

int dw_cdb_ata(uint8_t *cdb, enum dw_ata_question question)
{
	const struct question *q = &questions[question];

	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_ATA_16;
	cdb[1] = q->data ? DW_ATA_PIO_IN << 1 : PROTOCOL_NO_DATA;
	cdb[1] |= q->wide ? EXTEND : 0;
	cdb[2] = q->data ? T_DIR | BYT_BLOK | T_LENGTH_COUNT : CK_COND;
	cdb[4] = q->feature;
	cdb[6] = q->data;
	cdb[8] = (uint8_t)q->lba;
	cdb[10] = (uint8_t)(q->lba >> 8);
	cdb[12] = (uint8_t)(q->lba >> 16);
	cdb[13] = q->command == SMART ? 0 : DEVICE_LBA;
	cdb[14] = q->command;
	return 16;
}

/*
 * FEATURE, COUNT, LBA of 48 bits. COUNT 10h is FAILURE MODE, its low nibble the number of passes;
 * the LBA is the signature of the way, with the pattern in the low half of that of an overwrite.
 */
static const struct sanitize {
	uint8_t feature;
	uint8_t count;
	uint64_t lba;
} sanitizes[DW_ATA_SANITIZE_COUNT] = {
	[DW_ATA_SANITIZE_STATUS] = { 0x00, 0x00, 0 },
	[DW_ATA_SANITIZE_EXIT] = { 0x00, 0x01, 0 },
	[DW_ATA_SANITIZE_OVERWRITE] = { 0x14, 0x11, UINT64_C(0x4f5700000000) },
	[DW_ATA_SANITIZE_BLOCK_ERASE] = { 0x12, 0x10, UINT64_C(0x426b4572) },
	[DW_ATA_SANITIZE_CRYPTO_ERASE] = { 0x11, 0x10, UINT64_C(0x43727970) },
};

/* As a command of 48 bits has it: low, middle and high bytes after their upper halves. */
static void put_lba(uint8_t *cdb, uint64_t lba)
{
	cdb[7] = (uint8_t)(lba >> 24);
	cdb[8] = (uint8_t)lba;
	cdb[9] = (uint8_t)(lba >> 32);
	cdb[10] = (uint8_t)(lba >> 8);
	cdb[11] = (uint8_t)(lba >> 40);
	cdb[12] = (uint8_t)(lba >> 16);
}

int dw_cdb_ata_sanitize(uint8_t *cdb, enum dw_ata_sanitize what, uint8_t byte)
{
	const struct sanitize *s = &sanitizes[what];
	uint64_t lba = s->lba;

	if (what == DW_ATA_SANITIZE_OVERWRITE)
		lba |= UINT64_C(0x01010101) * byte;
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_ATA_16;
	cdb[1] = PROTOCOL_NO_DATA | EXTEND;
	cdb[2] = CK_COND;
	cdb[4] = s->feature;
	cdb[6] = s->count;
	put_lba(cdb, lba);
	cdb[13] = DEVICE_LBA;
	cdb[14] = SANITIZE_DEVICE;
	return 16;
}

enum dw_ata_sanitize dw_ata_sanitize_find(const uint8_t *cdb)
{
	uint8_t want[DW_CDB_MAX];

	for (unsigned int i = 0; i < DW_ATA_SANITIZE_COUNT; i++) {
		int len = dw_cdb_ata_sanitize(want, (enum dw_ata_sanitize)i, cdb[8]);

		if (!memcmp(cdb, want, (size_t)len))
			return (enum dw_ata_sanitize)i;
	}
	return DW_ATA_SANITIZE_COUNT;
}

/* FEATURE, COUNT: of SET MAX ADDRESS EXT, 1 keeps it when power is off */
static const struct raise {
	uint8_t command;
	bool wide;
	uint8_t feature;
	uint8_t count;
} raises[DW_ATA_RAISE_COUNT] = {
	[DW_ATA_SET_MAX_EXT] = { 0x37, true, 0x00, 0x01 },
	[DW_ATA_SET_ACCESSIBLE_MAX] = { 0x78, true, 0x01, 0x00 },
	[DW_ATA_DCO_RESTORE] = { OVERLAY, false, 0xc0, 0x00 },
};

static uint64_t get_lba(const uint8_t *cdb)
{
	return (uint64_t)cdb[11] << 40 | (uint64_t)cdb[9] << 32 | (uint64_t)cdb[7] << 24 |
	       (uint64_t)cdb[12] << 16 | (uint64_t)cdb[10] << 8 | cdb[8];
}

int dw_cdb_ata_raise(uint8_t *cdb, enum dw_ata_raise what, uint64_t last)
{
	const struct raise *r = &raises[what];

	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_ATA_16;
	cdb[1] = PROTOCOL_NO_DATA | (r->wide ? EXTEND : 0);
	cdb[2] = CK_COND;
	cdb[4] = r->feature;
	cdb[6] = r->count;
	if (r->wide)
		put_lba(cdb, last);
	cdb[13] = DEVICE_LBA;
	cdb[14] = r->command;
	return 16;
}

enum dw_ata_raise dw_ata_raise_find(const uint8_t *cdb, uint64_t *ret_last)
{
	uint8_t want[DW_CDB_MAX];

	*ret_last = get_lba(cdb);
	for (unsigned int i = 0; i < DW_ATA_RAISE_COUNT; i++) {
		int len = dw_cdb_ata_raise(want, (enum dw_ata_raise)i, *ret_last);

		if (!memcmp(cdb, want, (size_t)len))
			return (enum dw_ata_raise)i;
	}
	return DW_ATA_RAISE_COUNT;
}

struct registers {
	uint8_t error;
	uint8_t status;
	uint8_t device;
	bool extend;
	bool cut;       /* the upper 24 bits were not zero and did not come */
	bool count_cut; /* the same of the upper half of COUNT */
	uint16_t count;
	uint64_t lba;
};

/* The ATA Status Return descriptor (SAT), low and high halves of a register side by side. */
static bool descriptor_registers(const uint8_t *sense, size_t len, struct registers *ret)
{
	size_t end = len < 8 ? 0 : dw_min_u64(len, 8 + (uint64_t)sense[7]);

	for (size_t pos = 8; pos + ATA_RETURN_LEN <= end;
	     pos += 2 + (size_t)sense[pos + 1]) {
		const uint8_t *d = sense + pos;

		if (d[0] != ATA_RETURN || d[1] != ATA_RETURN_LEN - 2)
			continue;
		*ret = (struct registers){ .error = d[3],
					   .status = d[13],
					   .device = d[12],
					   .extend = d[2] & EXTEND,
					   .count = d[5] };
		if (ret->extend)
			ret->count |= (uint16_t)(d[4] << 8);
		ret->lba = (uint64_t)d[11] << 16 | (uint64_t)d[9] << 8 | d[7];
		if (ret->extend)
			ret->lba |= (uint64_t)d[10] << 40 | (uint64_t)d[8] << 32 |
				    (uint64_t)d[6] << 24;
		return true;
	}
	return false;
}

/* INFORMATION is error, status, device, count; COMMAND-SPECIFIC INFORMATION bits and LBA. */
static bool fixed_registers(const uint8_t *sense, size_t len, struct registers *ret)
{
	if (len < 14)
		return false;
	*ret = (struct registers){ .error = sense[3],
				   .status = sense[4],
				   .device = sense[5],
				   .extend = sense[8] & 0x80,
				   .cut = sense[8] & 0x20,
				   .count_cut = sense[8] & 0x40,
				   .count = sense[6],
				   .lba = (uint64_t)sense[11] << 16 |
					  (uint64_t)sense[10] << 8 | sense[9] };
	return true;
}

/* Those that come with a sense key, be it that of a command that was aborted. */
static bool find_registers(const struct dw_sense *s, const uint8_t *sense, size_t len,
			   struct registers *ret)
{
	return s->descriptor ? descriptor_registers(sense, len, ret)
			     : fixed_registers(sense, len, ret);
}

/* The registers of a command that has ended, whatever they mean. */
static int read_registers(const uint8_t *sense, size_t len, bool wide,
			  struct registers *ret)
{
	struct dw_sense s;

	if (dw_sense_parse(sense, len, &s) || s.deferred ||
	    s.key > DW_KEY_RECOVERED_ERROR || s.asc != 0x00 || s.ascq != 0x1d)
		return -ENODATA;
	if (!find_registers(&s, sense, len, ret))
		return -ENODATA;
	if (!(ret->status & STATUS_READY) || (ret->status & STATUS_BAD) ||
	    ret->extend != wide || (ret->cut && !wide))
		return -EIO;
	return 0;
}

int dw_ata_native(enum dw_ata_question question, const uint8_t *sense, size_t len,
		  uint64_t *ret)
{
	bool wide = questions[question].wide;
	struct registers reg;
	int r = read_registers(sense, len, wide, &reg);

	if (r)
		return r;
	if (!wide) /* the DEVICE register has the rest of 28 bits */
		reg.lba |= (uint64_t)(reg.device & 0x0f) << 24;
	*ret = reg.lba;
	return reg.cut ? -ERANGE : 0;
}

int dw_ata_overlay(const uint8_t *data, size_t len, uint64_t *ret)
{
	uint64_t last;

	if (len < IDENTIFY_LEN || !word(data, 0) || data[510] != SIGNATURE ||
	    !intact(data))
		return -EBADMSG;
	last = words(data, 3, 4);
	if (!last || last >= SECTORS_MAX)
		return -EBADMSG;
	*ret = last + 1;
	return 0;
}

int dw_ata_ended(const uint8_t *sense, size_t len)
{
	struct registers reg;

	return read_registers(sense, len, false, &reg);
}

bool dw_ata_outranked(const uint8_t *sense, size_t len)
{
	struct registers reg;
	struct dw_sense s;

	if (dw_sense_parse(sense, len, &s) || s.deferred || s.asc ||
	    (s.ascq != 0x1d && s.ascq != 0x00) ||
	    (s.key != DW_KEY_ILLEGAL_REQUEST && s.key != DW_KEY_ABORTED_COMMAND))
		return false;
	/* without a descriptor these bytes are registers only if that is said */
	if ((!s.descriptor && s.ascq != 0x1d) || !find_registers(&s, sense, len, &reg))
		return false;
	return (reg.status & STATUS_READY) && !(reg.status & STATUS_BAD) && !reg.error;
}

int dw_ata_smart_status(const uint8_t *sense, size_t len, bool *ret_failing)
{
	struct registers reg;
	uint32_t sign;
	int r = read_registers(sense, len, false, &reg);

	if (r)
		return r;
	sign = (uint32_t)reg.lba & 0xffff00;
	if (sign != SMART_GOOD && sign != SMART_FAILING)
		return -EIO;
	*ret_failing = sign == SMART_FAILING;
	return 0;
}

/* The registers of a command that the disk aborted, which say why. Any other error is none of
 * its decisions. */
static int read_aborted(const struct dw_sense *s, const uint8_t *sense, size_t len,
			struct dw_ata_sanitize_state *ret)
{
	struct registers reg;

	if (s->asc || s->ascq || (!s->descriptor && !s->info_valid) ||
	    !find_registers(s, sense, len, &reg))
		return -ENODATA;
	if (!(reg.status & STATUS_ERROR) || (reg.status & STATUS_BUSY) ||
	    reg.error != ERROR_ABORTED)
		return -EIO;
	ret->aborted = true;
	ret->reason = (uint8_t)reg.lba;
	return 0;
}

int dw_ata_sanitize_state(const uint8_t *sense, size_t len,
			  struct dw_ata_sanitize_state *ret)
{
	struct registers reg;
	struct dw_sense s;
	int r;

	*ret = (struct dw_ata_sanitize_state){ 0 };
	if (dw_sense_parse(sense, len, &s) || s.deferred)
		return -ENODATA;
	ret->fixed = !s.descriptor;
	if (s.key == DW_KEY_ABORTED_COMMAND)
		return read_aborted(&s, sense, len, ret);
	r = read_registers(sense, len, true, &reg);
	if (r)
		return r;
	ret->progress = (uint16_t)reg.lba;
	if (reg.count_cut) { /* only what works has a progress */
		ret->running = ret->progress != NO_PROGRESS;
		return -ERANGE;
	}
	ret->running = reg.count & COUNT_RUNNING;
	ret->done = (reg.count & COUNT_DONE) && !ret->running;
	ret->frozen = reg.count & COUNT_FROZEN;
	return 0;
}

uint64_t dw_ata_at_least(uint32_t low, uint64_t sectors)
{
	uint64_t last = sectors ? sectors - 1 : 0;
	uint64_t native = (last & ~(uint64_t)LOW_24) | (low & LOW_24);

	if (native < last)
		native += LOW_24 + 1;
	return native + 1;
}
