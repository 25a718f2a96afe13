/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IDENTIFY DEVICE data inside VPD page 89h, and registers that come back as sense data in both
 * formats, laid out by hand from SAT and ACS; every prefix in a heap block of the exact length.
 */
#include "unit.h"

#include <errno.h>

#include "base/util.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"

#define BIG UINT64_C(1953525168)

struct page {
	uint8_t b[DW_ATA_PAGE_LEN];
};

static void put(struct page *p, unsigned int word, uint64_t value, unsigned int n)
{
	for (unsigned int i = 0; i < 2 * n; i++)
		p->b[60 + 2 * word + i] = (uint8_t)(value >> 8 * i);
}

static void seal(struct page *p)
{
	uint8_t sum = 0;

	put(p, 255, 0xa5, 1);
	for (size_t i = 60; i < DW_ATA_PAGE_LEN; i++)
		sum = (uint8_t)(sum + p->b[i]);
	p->b[DW_ATA_PAGE_LEN - 1] = (uint8_t)-sum;
}

/* A disk with 48-bit addresses and a host protected area feature set that is enabled. */
static struct page disk(void)
{
	struct page p = { { 0x00, 0x89, 0x02, 0x38 } };

	p.b[56] = 0xec;
	put(&p, 0, 0x0040, 1);
	memcpy(p.b + 80, "  3X2A          1B  ",
	       20); /* two letters of a word change places */
	put(&p, 60, 0x0fffffff, 2);
	put(&p, 82, 0x0400, 1);
	put(&p, 83, 0x4400, 1);
	put(&p, 85, 0x0400, 1);
	put(&p, 87, 0x4000, 1);
	put(&p, 100, BIG, 4);
	seal(&p);
	return p;
}

static int identify(const struct page *p, struct dw_ata_identity *ret)
{
	return dw_ata_identify(p->b, sizeof(p->b), ret);
}

static void test_identify(void **state)
{
	struct page p = disk();
	struct dw_ata_identity a;

	assert_int_equal(identify(&p, &a), 0);
	assert_true(a.hpa && a.wide && !a.ama && !a.dco && !a.hpa_off);
	assert_string_equal("X3A2          B1", a.serial);
	assert_int_equal(a.sector_size, 512);
	assert_int_equal(a.sectors, BIG);
	put(&p, 85, 0, 1);
	put(&p, 83, 0x4c00, 1);
	seal(&p);
	assert_int_equal(identify(&p, &a), 0);
	assert_true(!a.hpa && a.hpa_off && a.dco);
	put(&p, 83, 0xc400, 1); /* not valid: words 82 and 83 mean nothing */
	seal(&p);
	assert_int_equal(identify(&p, &a), 0);
	assert_true(!a.hpa && !a.hpa_off && !a.wide);
	assert_int_equal(a.sectors, 0x0fffffff);
}

/* words 89, 90, 92 and 128, one after the other */
static void test_security(void **state)
{
	static const struct {
		uint16_t state, normal, enhanced, master;
		struct dw_ata_security want;
	} rows[] = {
		{ 0, 60, 60, 0, { 0 } },
		{ 0xffff, 60, 60, 0, { 0 } },
		{ 0x003e, 60, 60, 0, { 0 } }, /* without bit 0 it means nothing */
		{ 0x0001,
		  60,
		  1,
		  0xfffe,
		  { .supported = true,
		    .minutes = 120,
		    .enhanced_minutes = 2,
		    .master_id = 0xfffe } },
		{ 0x0021, 0xff, 0x00ff, 0xffff, { .supported = true, .enhanced = true } },
		{ 0x0003,
		  0x8000 | 900,
		  0xffff,
		  1,
		  { .supported = true,
		    .enabled = true,
		    .minutes = 1800,
		    .master_id = 1 } },
		{ 0x0007,
		  0x40fe,
		  0,
		  0,
		  { .supported = true,
		    .enabled = true,
		    .locked = true,
		    .minutes = 508 } },
		{ 0x0009, 0, 0, 0, { .supported = true, .frozen = true } },
		{ 0x0117,
		  0,
		  0,
		  0,
		  { .supported = true,
		    .enabled = true,
		    .locked = true,
		    .expired = true,
		    .maximum = true } },
	};
	struct page p = disk();
	struct dw_ata_identity a, b;

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		const struct dw_ata_security *w = &rows[i].want, *s = &a.security;

		put(&p, 89, rows[i].normal, 1);
		put(&p, 90, rows[i].enhanced, 1);
		put(&p, 92, rows[i].master, 1);
		put(&p, 128, rows[i].state, 1);
		seal(&p);
		assert_int_equal(identify(&p, &a), 0);
		assert_int_equal(s->supported, w->supported);
		assert_int_equal(s->enabled, w->enabled);
		assert_int_equal(s->locked, w->locked);
		assert_int_equal(s->frozen, w->frozen);
		assert_int_equal(a.frozen, w->frozen);
		assert_int_equal(s->expired, w->expired);
		assert_int_equal(s->enhanced, w->enhanced);
		assert_int_equal(s->maximum, w->maximum);
		assert_int_equal(s->master_id, w->master_id);
		assert_int_equal(s->minutes, w->minutes);
		assert_int_equal(s->enhanced_minutes, w->enhanced_minutes);
		/* as the disk sends it, without the page around it */
		assert_int_equal(dw_ata_identify_data(p.b + 60, &b), 0);
		assert_string_equal(a.serial, b.serial);
		assert_int_equal(a.sectors, b.sectors);
		assert_int_equal(b.security.enabled, w->enabled);
	}
	p.b[100] ^= 1;
	assert_int_equal(dw_ata_identify_data(p.b + 60, &b), 1);
}

/* SECURITY ERASE UNIT is kept from what could not be unlocked again */
static void test_security_bar(void **state)
{
	static const struct {
		struct dw_ata_security s;
		bool usb, ours;
		const char *want;
	} rows[] = {
		{ { .supported = true }, false, false, NULL },
		{ { .supported = true }, true, false, "USB" },
		{ { .supported = true, .enabled = true }, true, true, "USB" },
		{ { .supported = true, .frozen = true }, false, false, "sanitize" },
		{ { .supported = true, .frozen = true, .enabled = true },
		  false,
		  true,
		  "frozen" },
		{ { .supported = true, .expired = true }, false, false, "five wrong" },
		{ { .supported = true, .enabled = true }, false, false, "none of ours" },
		{ { .supported = true, .enabled = true }, false, true, NULL },
		{ { .supported = true, .enabled = true, .locked = true },
		  false,
		  false,
		  "locked by" },
		{ { .supported = true, .enabled = true, .locked = true },
		  false,
		  true,
		  NULL },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		const char *bar =
			dw_ata_security_bar(&rows[i].s, rows[i].usb, rows[i].ours);

		assert_int_equal(!bar, !rows[i].want);
		if (bar)
			assert_non_null(strstr(bar, rows[i].want));
	}
}

/* a command of 28 bits that asked for its registers */
static void test_ended(void **state)
{
	static const struct {
		const char *sense;
		int want;
	} rows[] = {
		{ "72 01 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  0 },
		{ "72 01 00 1d 00 00 00 0e 09 0c 00 04 00 00 00 00 00 00 00 00 40 51",
		  -EIO },
		{ "72 01 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 d0",
		  -EIO },
		{ "f0 00 01 00 50 40 00 0a 00 00 00 00 00 1d", 0 },
		{ "f0 00 01 04 51 40 00 0a 00 00 00 00 00 1d", -EIO },
		{ "72 0b 00 00 00 00 00 0e 09 0c 00 04 00 00 00 00 00 00 00 00 40 51",
		  -ENODATA },
		{ "72 00 00 00 00 00 00 00", -ENODATA },
		{ "", -ENODATA },
	};
	uint8_t sense[32];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		size_t n = unhex(rows[i].sense, sense, sizeof(sense));

		assert_int_equal(dw_ata_ended(sense, n), rows[i].want);
	}
}

/* an error by its key, and none by the registers */
static void test_outranked(void **state)
{
	static const struct {
		const char *sense;
		bool want;
	} rows[] = {
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  true },
		{ "72 05 00 00 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  true },
		/* it was aborted, or works still, or is not ready, or failed */
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 04 00 00 00 00 00 00 00 00 40 51",
		  false },
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 04 00 00 00 00 00 00 00 00 40 50",
		  false },
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 d0",
		  false },
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 10",
		  false },
		{ "72 0b 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 70",
		  false },
		/* no registers; another cause; about an earlier command; another key */
		{ "72 0b 00 1d 00 00 00 00", false },
		{ "72 0b 47 00 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  false },
		{ "73 0b 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  false },
		{ "72 06 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  false },
		{ "72 03 00 1d 00 00 00 0e 09 0c 00 00 00 00 00 00 00 00 00 00 40 50",
		  false },
		{ "f0 00 0b 00 50 40 00 0a 00 00 00 00 00 1d", true },
		{ "f0 00 0b 00 50 40 00 0a 00 00 00 00 00 00", false }, /* an address */
		{ "", false },
	};
	uint8_t sense[32];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		size_t n = unhex(rows[i].sense, sense, sizeof(sense));

		if (dw_ata_outranked(sense, n) != rows[i].want)
			fail_msg("%s", rows[i].sense);
	}
}

static void test_identify_more(void **state)
{
	struct page p = disk();
	struct dw_ata_identity a;

	put(&p, 119, 0x4100, 1);
	seal(&p);
	assert_int_equal(identify(&p, &a), 0);
	assert_false(a.ama); /* words 119 and 120 are not valid */
	put(&p, 86, 0x8000, 1);
	put(&p, 106, 0x5000, 1);
	put(&p, 117, 2048, 2);
	put(&p, 69, 0x0008, 1);
	put(&p, 230, BIG + 8, 4);
	seal(&p);
	assert_int_equal(identify(&p, &a), 0);
	assert_true(a.ama);
	assert_int_equal(a.sector_size, 4096);
	assert_int_equal(a.sectors, BIG + 8);
	put(&p, 117, 100, 2);
	seal(&p);
	assert_int_equal(identify(&p, &a), -EBADMSG);
}

/* word 59: the feature set, and a bit for each way */
static void test_identify_sanitize(void **state)
{
	static const struct {
		uint16_t word;
		bool overwrite, block_erase, crypto_erase;
	} rows[] = {
		{ 0x0000, false, false, false }, { 0xf000, true, true, true },
		{ 0x5000, true, false, false },  { 0x9000, false, true, false },
		{ 0x3510, false, false, true },  { 0xe000, false, false, false },
		{ 0x1000, false, false, false }, { 0xffff, false, false, false },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct page p = disk();
		struct dw_ata_identity a;

		put(&p, 59, rows[i].word, 1);
		seal(&p);
		assert_int_equal(identify(&p, &a), 0);
		assert_int_equal(a.overwrite, rows[i].overwrite);
		assert_int_equal(a.block_erase, rows[i].block_erase);
		assert_int_equal(a.crypto_erase, rows[i].crypto_erase);
	}
}

static void test_not_identify(void **state)
{
	struct page p = disk();
	struct dw_ata_identity a;

	for (size_t n = 0; n < sizeof(p.b); n++) {
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, p.b, n);
		assert_int_equal(dw_ata_identify(cut, n, &a), -EBADMSG);
		free(cut);
	}
	p.b[60 + 2 * 100] ^= 1; /* the checksum */
	assert_int_equal(identify(&p, &a), 1);
	p = disk();
	p.b[56] = 0xa1; /* IDENTIFY PACKET DEVICE */
	assert_int_equal(identify(&p, &a), -EBADMSG);
	p = disk();
	p.b[1] = 0x83;
	assert_int_equal(identify(&p, &a), -EBADMSG);
	p = disk();
	put(&p, 100, UINT64_C(1) << 60, 4);
	seal(&p);
	assert_int_equal(identify(&p, &a), -EBADMSG);
}

static void test_cdb(void **state)
{
	static const char *const bytes[] = {
		[DW_ATA_READ_NATIVE_MAX] =
			"85 06 20 00 00 00 00 00 00 00 00 00 00 40 f8 00",
		[DW_ATA_READ_NATIVE_MAX_EXT] =
			"85 07 20 00 00 00 00 00 00 00 00 00 00 40 27 00",
		[DW_ATA_GET_NATIVE_MAX_EXT] =
			"85 07 20 00 00 00 00 00 00 00 00 00 00 40 78 00",
		[DW_ATA_SMART_DATA] = "85 08 0e 00 d0 00 01 00 00 00 4f 00 c2 00 b0 00",
		[DW_ATA_SMART_THRESHOLDS] =
			"85 08 0e 00 d1 00 01 00 00 00 4f 00 c2 00 b0 00",
		[DW_ATA_SMART_STATUS] = "85 06 20 00 da 00 00 00 00 00 4f 00 c2 00 b0 00",
		[DW_ATA_DCO_IDENTIFY] = "85 08 0e 00 c2 00 01 00 00 00 00 00 00 40 b1 00",
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(bytes); i++) {
		uint8_t cdb[DW_CDB_MAX], want[DW_CDB_MAX] = { 0 };

		memset(cdb, 0xff, sizeof(cdb));
		assert_int_equal(dw_cdb_ata(cdb, (enum dw_ata_question)i), 16);
		unhex(bytes[i], want, sizeof(want));
		assert_memory_equal(cdb, want, sizeof(want));
	}
}

/* The structure of an overlay that leaves @last as the last sector; its checksum is right. */
static void overlay(uint8_t data[DW_ATA_SECTOR], uint64_t last)
{
	uint8_t sum = 0;

	memset(data, 0, DW_ATA_SECTOR);
	data[0] = 2;
	for (unsigned int i = 0; i < 8; i++)
		data[6 + i] = (uint8_t)(last >> 8 * i);
	data[510] = 0xa5;
	for (size_t i = 0; i < DW_ATA_SECTOR; i++)
		sum = (uint8_t)(sum + data[i]);
	data[511] = (uint8_t)-sum;
}

static int sectors_of(const uint8_t *data, size_t len, uint64_t *ret)
{
	uint8_t *exact = malloc(len ? len : 1);
	int r;

	memcpy(exact, data, len);
	r = dw_ata_overlay(exact, len, ret);
	free(exact);
	return r;
}

static void test_overlay(void **state)
{
	uint8_t data[DW_ATA_SECTOR], zeros[DW_ATA_SECTOR] = { 0 };
	uint64_t n = 0;

	overlay(data, BIG - 1);
	assert_int_equal(sectors_of(data, sizeof(data), &n), 0);
	assert_int_equal(n, BIG);
	for (size_t len = 0; len < sizeof(data); len++)
		assert_int_equal(sectors_of(data, len, &n), -EBADMSG);
	for (size_t i = 0; i < sizeof(data); i++) { /* every byte counts */
		data[i] ^= 0x10;
		assert_int_equal(sectors_of(data, sizeof(data), &n), -EBADMSG);
		data[i] ^= 0x10;
	}
	/* what an aborted command leaves; no signature; no revision; no sectors; too many */
	assert_int_equal(sectors_of(zeros, sizeof(zeros), &n), -EBADMSG);
	data[510] = 0;
	data[511] = (uint8_t)(data[511] + 0xa5);
	assert_int_equal(sectors_of(data, sizeof(data), &n), -EBADMSG);
	overlay(data, BIG);
	data[0] = 0;
	data[511] = (uint8_t)(data[511] + 2);
	assert_int_equal(sectors_of(data, sizeof(data), &n), -EBADMSG);
	overlay(data, 0);
	assert_int_equal(sectors_of(data, sizeof(data), &n), -EBADMSG);
	overlay(data, UINT64_C(1) << 48);
	assert_int_equal(sectors_of(data, sizeof(data), &n), -EBADMSG);
}

static void test_sanitize_cdb(void **state)
{
	static const char *const bytes[DW_ATA_SANITIZE_COUNT] = {
		[DW_ATA_SANITIZE_STATUS] =
			"85 07 20 00 00 00 00 00 00 00 00 00 00 40 b4 00",
		[DW_ATA_SANITIZE_EXIT] =
			"85 07 20 00 00 00 01 00 00 00 00 00 00 40 b4 00",
		[DW_ATA_SANITIZE_OVERWRITE] =
			"85 07 20 00 14 00 11 a5 a5 57 a5 4f a5 40 b4 00",
		[DW_ATA_SANITIZE_BLOCK_ERASE] =
			"85 07 20 00 12 00 10 42 72 00 45 00 6b 40 b4 00",
		[DW_ATA_SANITIZE_CRYPTO_ERASE] =
			"85 07 20 00 11 00 10 43 70 00 79 00 72 40 b4 00",
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(bytes); i++) {
		uint8_t cdb[DW_CDB_MAX], want[DW_CDB_MAX] = { 0 };

		memset(cdb, 0xff, sizeof(cdb));
		assert_int_equal(dw_cdb_ata_sanitize(cdb, (enum dw_ata_sanitize)i, 0xa5),
				 16);
		unhex(bytes[i], want, sizeof(want));
		assert_memory_equal(cdb, want, sizeof(want));
		assert_int_equal(dw_ata_sanitize_find(cdb), i);
		for (unsigned int bit = 0; bit < 16 * 8; bit++) {
			unsigned int other = DW_ATA_SANITIZE_COUNT;

			/* one bit of COUNT is between the two that ask for the state */
			if (i <= DW_ATA_SANITIZE_EXIT && bit == 6 * 8)
				other = 1 - (unsigned int)i;
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_ata_sanitize_find(cdb), other);
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

#define DESCRIPTOR "72 01 00 1d 00 00 00 0e 09 0c 01 00"
#define FIXED      "f0 00 01 00 50 40"

/* Both formats of what tells how it stands with a sanitize operation. */
static void test_sanitize_state(void **state)
{
	static const struct {
		const char *sense;
		int r;
		struct dw_ata_sanitize_state want;
	} rows[] = {
		/* COUNT, LBA high/low by turns, device, status */
		{ DESCRIPTOR "80 00 00 ff 00 ff 00 00 40 50",
		  0,
		  { .done = true, .progress = 0xffff } },
		{ DESCRIPTOR "40 00 00 34 00 12 00 00 40 50",
		  0,
		  { .running = true, .progress = 0x1234 } },
		{ DESCRIPTOR "00 00 00 ff 00 ff 00 00 40 50", 0, { .progress = 0xffff } },
		{ DESCRIPTOR "20 00 00 ff 00 ff 00 00 40 50",
		  0,
		  { .frozen = true, .progress = 0xffff } },
		{ DESCRIPTOR "10 00 00 ff 00 ff 00 00 40 50", 0, { .progress = 0xffff } },
		/* what works is not done, whatever else it says; the low half says nothing */
		{ DESCRIPTOR "c0 00 00 01 00 00 00 00 40 50",
		  0,
		  { .running = true, .progress = 1 } },
		{ DESCRIPTOR "00 80 00 ff 00 ff 00 00 40 50", 0, { .progress = 0xffff } },
		/* fixed: without the upper half of COUNT, or with one that is zero */
		{ FIXED "00 0a c0 34 12 00 00 1d 00 00 00 00",
		  -ERANGE,
		  { .running = true, .progress = 0x1234, .fixed = true } },
		{ FIXED "00 0a c0 ff ff 00 00 1d 00 00 00 00",
		  -ERANGE,
		  { .progress = 0xffff, .fixed = true } },
		{ FIXED "00 0a 80 ff ff 00 00 1d 00 00 00 00",
		  0,
		  { .progress = 0xffff, .fixed = true } },
		{ FIXED "80 0a 80 ff ff 00 00 1d 00 00 00 00",
		  0,
		  { .progress = 0xffff, .fixed = true } },
		/* aborted, by the disk itself */
		{ "72 0b 00 00 00 00 00 0e 09 0c 01 04 00 00 00 01 00 00 00 00 40 51",
		  0,
		  { .aborted = true, .reason = DW_ATA_REASON_LAST_FAILED } },
		{ "72 0b 00 00 00 00 00 0e 09 0c 01 04 00 00 00 03 00 00 00 00 40 51",
		  0,
		  { .aborted = true, .reason = DW_ATA_REASON_FROZEN } },
		{ "f0 00 0b 04 51 40 00 0a 80 02 00 00 00 00 00 00 00 00",
		  0,
		  { .aborted = true,
		    .fixed = true,
		    .reason = DW_ATA_REASON_UNSUPPORTED } },
		/* by something else: no registers, a CRC error, a status without error */
		{ "70 00 0b 00 00 00 00 0a 00 00 00 00 00 00 00 00 00 00",
		  -ENODATA,
		  { 0 } },
		{ "72 0b 00 00 00 00 00 00", -ENODATA, { 0 } },
		{ "72 0b 47 00 00 00 00 0e 09 0c 01 84 00 00 00 01 00 00 00 00 40 51",
		  -ENODATA,
		  { 0 } },
		{ "72 0b 00 00 00 00 00 0e 09 0c 01 84 00 00 00 01 00 00 00 00 40 51",
		  -EIO,
		  { 0 } },
		{ "72 0b 00 00 00 00 00 0e 09 0c 01 04 00 00 00 01 00 00 00 00 40 50",
		  -EIO,
		  { 0 } },
		/* of a command that has not ended, of another, deferred, another code */
		{ DESCRIPTOR "80 00 00 ff 00 ff 00 00 40 d0", -EIO, { 0 } },
		{ "72 01 00 1d 00 00 00 0e 09 0c 00 00 80 00 00 ff 00 ff 00 00 40 50",
		  -EIO,
		  { 0 } },
		{ "73 01 00 1d 00 00 00 0e 09 0c 01 00 80 00 00 ff 00 ff 00 00 40 50",
		  -ENODATA,
		  { 0 } },
		{ "72 02 04 1b 00 00 00 0e 09 0c 01 00 80 00 00 ff 00 ff 00 00 40 50",
		  -ENODATA,
		  { 0 } },
		{ "72 01 00 1d 00 00 00 00", -ENODATA, { 0 } },
		{ "", -ENODATA, { 0 } },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t buf[64], *exact;
		size_t n = unhex(rows[i].sense, buf, sizeof(buf));
		struct dw_ata_sanitize_state s;
		int r;

		exact = malloc(n ? n : 1);
		memcpy(exact, buf, n);
		r = dw_ata_sanitize_state(exact, n, &s);
		free(exact);
		assert_int_equal(r, rows[i].r);
		if (r && r != -ERANGE)
			continue;
		assert_int_equal(s.aborted, rows[i].want.aborted);
		assert_int_equal(s.done, rows[i].want.done);
		assert_int_equal(s.running, rows[i].want.running);
		assert_int_equal(s.frozen, rows[i].want.frozen);
		assert_int_equal(s.fixed, rows[i].want.fixed);
		assert_int_equal(s.reason, rows[i].want.reason);
		assert_int_equal(s.progress, rows[i].want.progress);
	}
}

/* The native address of such sense data, or a negative errno. */
static int64_t native(enum dw_ata_question q, const char *hex)
{
	uint8_t buf[64], *exact;
	size_t n = unhex(hex, buf, sizeof(buf));
	uint64_t v = 0;
	int r;

	exact = malloc(n ? n : 1);
	memcpy(exact, buf, n);
	r = dw_ata_native(q, exact, n, &v);
	free(exact);
	return r ? r : (int64_t)v;
}

#define EXT DW_ATA_READ_NATIVE_MAX_EXT
#define OLD DW_ATA_READ_NATIVE_MAX

static void test_descriptor(void **state)
{
	/* header; type, length, EXTEND, error, COUNT, LBA high/low by turns, device, status */
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 0e"
				     "09 0c 01 00 00 00 74 af 66 6d 55 70 40 50"),
			 0x556674706daf);
	assert_int_equal(native(OLD, "72 01 00 1d 00 00 00 0e"
				     "09 0c 00 00 00 00 74 af 00 6d 00 70 4f 50"),
			 0xf706daf);
	/* behind another descriptor */
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 1a"
				     "00 0a 80 00 00 00 00 00 00 00 00 09"
				     "09 0c 01 00 00 00 01 02 00 00 00 00 40 50"),
			 0x01000002);
	/* none, cut off, another length */
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00"), -ENODATA);
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 00"), -ENODATA);
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 0e"
				     "09 0c 01 00 00 00 01 02 00 00 00 00 40"),
			 -ENODATA);
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 0d"
				     "09 0c 01 00 00 00 01 02 00 00 00 00 40 50"),
			 -ENODATA);
	assert_int_equal(native(EXT, "72 01 00 1d 00 00 00 0e"
				     "09 0b 01 00 00 00 01 02 00 00 00 00 40 50"),
			 -ENODATA);
}

static void test_fixed(void **state)
{
	/* error, status, device, count; flags and LBA */
	assert_int_equal(
		native(EXT, "f0 00 01 00 50 40 00 0a 80 af 6d 70 00 1d 00 00 00 00"),
		0x706daf);
	assert_int_equal(
		native(EXT, "f0 00 01 00 50 40 00 0a a0 af 6d 70 00 1d 00 00 00 00"),
		-ERANGE);
	assert_int_equal(
		native(OLD, "f0 00 01 00 50 4f 00 0a 00 af 6d 70 00 1d 00 00 00 00"),
		0xf706daf);
	assert_int_equal(native(OLD, "f0 00 01 00 50 4f 00 0a 00 af 6d 70 00"), -ENODATA);
	/* no upper half of 28 bits */
	assert_int_equal(
		native(OLD, "f0 00 01 00 50 4f 00 0a 20 af 6d 70 00 1d 00 00 00 00"),
		-EIO);
}

static void test_not_registers(void **state)
{
	/* aborted: the disk's own sense; another code; deferred; nothing at all */
	assert_int_equal(native(OLD, "70 00 0b 00 00 00 00 0a 00 00 00 00 00 00"),
			 -ENODATA);
	assert_int_equal(native(OLD, "f0 00 01 00 50 40 00 0a 00 af 6d 70 17 01"),
			 -ENODATA);
	assert_int_equal(native(OLD, "f1 00 01 00 50 40 00 0a 00 af 6d 70 00 1d"),
			 -ENODATA);
	assert_int_equal(native(OLD, ""), -ENODATA);
	/* status: error, busy, not ready, none; EXTEND of another command */
	assert_int_equal(native(OLD, "f0 00 01 04 51 40 00 0a 00 af 6d 70 00 1d"), -EIO);
	assert_int_equal(native(OLD, "f0 00 01 00 d0 40 00 0a 00 af 6d 70 00 1d"), -EIO);
	assert_int_equal(native(OLD, "f0 00 01 00 10 40 00 0a 00 af 6d 70 00 1d"), -EIO);
	assert_int_equal(native(OLD, "f0 00 01 00 00 00 00 0a 00 00 00 00 00 1d"), -EIO);
	assert_int_equal(native(EXT, "f0 00 01 00 50 40 00 0a 00 af 6d 70 00 1d"), -EIO);
}

static void test_at_least(void **state)
{
	assert_int_equal(dw_ata_at_least((uint32_t)(BIG - 1) & 0xffffff, BIG), BIG);
	assert_int_equal(dw_ata_at_least((uint32_t)(BIG + 9) & 0xffffff, BIG), BIG + 10);
	assert_int_equal(dw_ata_at_least((uint32_t)(BIG - 2) & 0xffffff, BIG),
			 BIG - 1 + 0x1000000);
	assert_int_equal(dw_ata_at_least(0, 0), 1);
}

/* The log 47h, its place in the directory, and which disks are asked for it. */
static void test_ranges(void **state)
{
	uint8_t log[DW_ATA_SECTOR] = { 2 }, *second = log + 64 + 32, cdb[DW_CDB_MAX];
	static const uint8_t want[] = { 0x85, 9, 0x0e, 0, 0, 0,    1,    0,
					0x47, 0, 0,    0, 0, 0x40, 0x2f, 0 };
	struct dw_vpd_range r[8];

	assert_int_equal(dw_cdb_ata(cdb, DW_ATA_LOG_RANGES), 16);
	assert_memory_equal(cdb, want, sizeof(want));
	log[64 + 17] = 0x10;
	second[0] = 1;
	second[9] = second[17] = 0x10;
	assert_int_equal(dw_ata_ranges(log, r, 8), 2);
	assert_true(r[0].first == 0 && r[0].blocks == 0x1000);
	assert_true(r[1].first == 0x1000 && r[1].blocks == 0x1000);
	second[0] = 0;
	assert_int_equal(dw_ata_ranges(log, r, 8), 0);
	log[0] = 9;
	assert_int_equal(dw_ata_ranges(log, r, 8), 9);
	memset(log, 0, sizeof(log));
	assert_false(dw_ata_has_ranges(log));
	log[2 * 0x47] = 1;
	assert_true(dw_ata_has_ranges(log));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identify),
		cmocka_unit_test(test_security),
		cmocka_unit_test(test_security_bar),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_outranked),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_identify_more),
		cmocka_unit_test(test_identify_sanitize),
		cmocka_unit_test(test_not_identify),
		cmocka_unit_test(test_cdb),
		cmocka_unit_test(test_overlay),
		cmocka_unit_test(test_sanitize_cdb),
		cmocka_unit_test(test_sanitize_state),
		cmocka_unit_test(test_descriptor),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_not_registers),
		cmocka_unit_test(test_at_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
