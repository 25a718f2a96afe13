/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard is tested from the other side: over all 65,536 first two bytes, the set of
 * commands that get through is written down here once more, by hand, and must be equal.
 */
#include "unit.h"

#include <errno.h>

#include "base/util.h"
#include "scsi/ata.h"
#include "scsi/ata_security.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

static uint32_t class_of(const char *hex)
{
	uint8_t cdb[DW_CDB_MAX] = { 0 };

	return dw_opcode_class(cdb, unhex(hex, cdb, sizeof(cdb)));
}

static const uint8_t read_plain[] = { 0x00, 0x03, 0x12, 0x1a, 0x25, 0x28, 0x2f, 0x35,
				      0x37, 0x5a, 0x88, 0x8f, 0x91, 0xa0, 0xb7 };
static const uint8_t control_plain[] = { 0x1b };
static const uint8_t write_plain[] = { 0x2a, 0x8a };

static bool among(const uint8_t *set, size_t n, uint8_t byte)
{
	return memchr(set, byte, n) != NULL;
}

static uint32_t service_action_class(uint8_t opcode, uint8_t sa)
{
	static const uint8_t maintenance_in[] = { 0x05, 0x0a, 0x0c, 0x0d, 0x0f };
	static const uint8_t pr_out[] = { 0, 1, 2, 6 };

	switch (opcode) {
	case 0x5e:
		return sa <= 3 ? DW_OPCLASS_READ : DW_OPCLASS_NEVER;
	case 0x5f:
		return among(pr_out, sizeof(pr_out), sa) ? DW_OPCLASS_CONTROL
							 : DW_OPCLASS_NEVER;
	case 0x9e:
		return sa == 0x10 || sa == 0x12 || sa == 0x17 ? DW_OPCLASS_READ
							      : DW_OPCLASS_NEVER;
	case 0x95: /* REPORT ZONES; RESET WRITE POINTER has no count: test_zones.c */
		return sa ? DW_OPCLASS_NEVER : DW_OPCLASS_READ;
	case 0xa3:
		return among(maintenance_in, sizeof(maintenance_in), sa)
			       ? DW_OPCLASS_READ
			       : DW_OPCLASS_NEVER;
	default:
		return 0;
	}
}

/* What should come out, with a count of 1 and all bytes from the third on else clear. */
static uint32_t expected(uint8_t opcode, uint8_t byte1)
{
	uint32_t c = service_action_class(opcode, byte1 & 0x1f);

	if (c)
		return c;
	if (among(read_plain, sizeof(read_plain), opcode))
		return DW_OPCLASS_READ;
	if (among(control_plain, sizeof(control_plain), opcode))
		return DW_OPCLASS_CONTROL;
	if (among(write_plain, sizeof(write_plain), opcode))
		return DW_OPCLASS_WRITE;
	if (opcode == 0x1c)
		return byte1 & 0xfe ? DW_OPCLASS_NEVER : DW_OPCLASS_READ;
	if (opcode == 0x1d)
		return byte1 & 0xef ? DW_OPCLASS_NEVER : DW_OPCLASS_CONTROL;
	if (opcode == 0x4d)
		return byte1 & 3 ? DW_OPCLASS_NEVER : DW_OPCLASS_READ;
	if (opcode == 0x15 || opcode == 0x55)
		return byte1 & 2 ? DW_OPCLASS_NEVER : DW_OPCLASS_CONTROL;
	if (opcode == 0x41)
		return byte1 & 0x1f ? DW_OPCLASS_NEVER : DW_OPCLASS_WRITE;
	if (opcode == 0x93)
		return byte1 & 0x1e ? DW_OPCLASS_NEVER : DW_OPCLASS_WRITE;
	if (opcode == 0x48 && (byte1 & 0x1f) == 0x1f)
		return byte1 & 0xe0 ? DW_OPCLASS_NEVER : DW_OPCLASS_CONTROL;
	/* ZNR is never set; the guard looks at the rest */
	if (opcode == 0x48 && !(byte1 & 0x40) && (byte1 & 0x1f) >= 1 &&
	    (byte1 & 0x1f) <= 3)
		return DW_OPCLASS_OVERWRITE << ((byte1 & 0x1f) - 1);
	/* no list of defects, and none dropped; the guard looks at the rest */
	if (opcode == 0x04)
		return byte1 & 0x2f ? DW_OPCLASS_NEVER : DW_OPCLASS_FORMAT;
	return DW_OPCLASS_NEVER;
}

static void test_all(void **state)
{
	for (unsigned int i = 0; i < 0x10000; i++) {
		uint8_t cdb[DW_CDB_MAX] = { (uint8_t)(i >> 8), (uint8_t)i };

		cdb[8] = cdb[13] = 1; /* a count for (10) and (16) */
		assert_int_equal(dw_opcode_class(cdb, 16), expected(cdb[0], cdb[1]));
	}
}

static void test_short(void **state)
{
	for (unsigned int i = 0; i < 0x10000; i++) {
		uint8_t cdb[DW_CDB_MAX] = { (uint8_t)(i >> 8), (uint8_t)i };
		unsigned int want = dw_cdb_len(cdb[0]);

		cdb[8] = cdb[13] = 1;
		for (size_t len = 0; len < want; len++)
			assert_int_equal(dw_opcode_class(cdb, len), DW_OPCLASS_NEVER);
		if (want)
			assert_int_equal(dw_opcode_class(cdb, want),
					 expected(cdb[0], cdb[1]));
	}
}

/* Every ATA command by every protocol, and every single bit changed in those that are let. */
static void test_ata(void **state)
{
	static const uint8_t let[][2] = { { 0x07, 0x27 },
					  { 0x06, 0xf8 },
					  { 0x07, 0x78 } };
	uint8_t cdb[DW_CDB_MAX] = { 0x85, 0, 0x20 };
	unsigned int n = 0;

	cdb[13] = 0x40;
	for (unsigned int i = 0; i < 0x10000; i++) {
		cdb[1] = (uint8_t)(i >> 8);
		cdb[14] = (uint8_t)i;
		n += dw_opcode_class(cdb, 16) != DW_OPCLASS_NEVER;
	}
	/* and SANITIZE STATUS EXT, SECURITY ERASE PREPARE */
	assert_int_equal(n, DW_ARRAY_SIZE(let) + 2);
	for (size_t i = 0; i < DW_ARRAY_SIZE(let); i++) {
		cdb[1] = let[i][0];
		cdb[14] = let[i][1];
		assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_READ);
		assert_int_equal(dw_opcode_class(cdb, 15), DW_OPCLASS_NEVER);
		for (unsigned int bit = 8; bit < 16 * 8; bit++) {
			bool sets = let[i][1] == 0x78 && bit == 4 * 8;

			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_opcode_class(cdb, 16),
					 sets ? DW_OPCLASS_ACCESSIBLE_MAX
					      : DW_OPCLASS_NEVER);
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

/* What shows hidden sectors: each in its class, with every sector, and by no other byte. */
static void test_ata_raise(void **state)
{
	static const struct {
		const char *cdb;
		uint32_t class;
	} rows[] = {
		{ "85 07 20 00 00 00 01 ab ef 89 cd 67 8f 40 37 00", DW_OPCLASS_SET_MAX },
		{ "85 07 20 00 01 00 00 ab ef 89 cd 67 8f 40 78 00",
		  DW_OPCLASS_ACCESSIBLE_MAX },
		{ "85 06 20 00 c0 00 00 00 00 00 00 00 00 40 b1 00",
		  DW_OPCLASS_OVERLAY_OFF },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t cdb[DW_CDB_MAX] = { 0 };

		unhex(rows[i].cdb, cdb, sizeof(cdb));
		assert_int_equal(dw_opcode_class(cdb, 16), rows[i].class);
		assert_int_equal(dw_opcode_class(cdb, 15), DW_OPCLASS_NEVER);
		for (unsigned int n = 256; n < 16 * 256; n++) {
			bool lba = i < 2 && n / 256 >= 7 && n / 256 <= 12;
			uint8_t was = cdb[n / 256];

			cdb[n / 256] = (uint8_t)n;
			if (was != (uint8_t)n)
				assert_int_equal(dw_opcode_class(cdb, 16),
						 lba ? rows[i].class : DW_OPCLASS_NEVER);
			cdb[n / 256] = was;
		}
	}
}

/*
 * SANITIZE DEVICE, each command in its class, and with every byte changed in every way. What is
 * let then is one of the others: the state that is asked for, and left.
 */
static void test_ata_sanitize(void **state)
{
	static const struct {
		const char *cdb;
		uint32_t class;
	} rows[] = {
		{ "85 07 20 00 00 00 00 00 00 00 00 00 00 40 b4 00", DW_OPCLASS_READ },
		{ "85 07 20 00 00 00 01 00 00 00 00 00 00 40 b4 00", DW_OPCLASS_CONTROL },
		{ "85 07 20 00 14 00 11 00 00 57 00 4f 00 40 b4 00",
		  DW_OPCLASS_OVERWRITE },
		{ "85 07 20 00 14 00 11 5a 5a 57 5a 4f 5a 40 b4 00",
		  DW_OPCLASS_OVERWRITE },
		{ "85 07 20 00 12 00 10 42 72 00 45 00 6b 40 b4 00",
		  DW_OPCLASS_BLOCK_ERASE },
		{ "85 07 20 00 11 00 10 43 70 00 79 00 72 40 b4 00",
		  DW_OPCLASS_CRYPTO_ERASE },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t cdb[DW_CDB_MAX] = { 0 };
		uint32_t others = 0;

		unhex(rows[i].cdb, cdb, sizeof(cdb));
		assert_int_equal(dw_opcode_class(cdb, 16), rows[i].class);
		assert_int_equal(dw_opcode_class(cdb, 15), DW_OPCLASS_NEVER);
		for (unsigned int n = 1; n < 16 * 256; n++) {
			uint8_t was = cdb[n / 256];

			cdb[n / 256] = (uint8_t)n;
			if (n / 256 && was != (uint8_t)n)
				others |= dw_opcode_class(cdb, 16);
			cdb[n / 256] = was;
		}
		/* the status is one byte from the native addresses, and from the exit; this one
		 * from the end of an HPA */
		assert_int_equal(others & ~(uint32_t)DW_OPCLASS_NEVER,
				 i == 0   ? DW_OPCLASS_READ | DW_OPCLASS_CONTROL
				 : i == 1 ? DW_OPCLASS_READ | DW_OPCLASS_SET_MAX
					  : 0);
	}
}

/* SMART by every FEATURE, and every single bit changed in those that are let. */
static void test_smart(void **state)
{
	static const enum dw_ata_question let[] = { DW_ATA_SMART_DATA,
						    DW_ATA_SMART_THRESHOLDS,
						    DW_ATA_SMART_STATUS };
	uint8_t cdb[DW_CDB_MAX];
	unsigned int n = 0;

	for (size_t i = 0; i < DW_ARRAY_SIZE(let); i++) {
		dw_cdb_ata(cdb, let[i]);
		assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_READ);
		for (unsigned int feature = 0; feature < 256; feature++) {
			cdb[4] = (uint8_t)feature;
			n += dw_opcode_class(cdb, 16) != DW_OPCLASS_NEVER;
		}
		dw_cdb_ata(cdb, let[i]);
		for (unsigned int bit = 8; bit < 16 * 8; bit++) {
			/* one bit of FEATURE makes data thresholds */
			if (bit == 4 * 8 && i < 2)
				continue;
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_NEVER);
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	assert_int_equal(n, 5); /* the two reads have one CDB but for that bit */
}

/* Of all logs two are read, and every single bit changed in these commands makes them another. */
static void test_logs(void **state)
{
	uint8_t cdb[DW_CDB_MAX];
	unsigned int n = 0;

	for (int i = 0; i < 2; i++) {
		enum dw_ata_question q = i ? DW_ATA_LOG_RANGES : DW_ATA_LOG_DIRECTORY;

		dw_cdb_ata(cdb, q);
		assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_READ);
		for (unsigned int bit = 8; bit < 16 * 8; bit++) {
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_NEVER);
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
	for (unsigned int log = 0; log < 256; log++) {
		cdb[8] = (uint8_t)log;
		n += dw_opcode_class(cdb, 16) != DW_OPCLASS_NEVER;
	}
	assert_int_equal(n, 2);
}

/* The overlay by every FEATURE: one reads, the others change the disk; and every bit. */
static void test_overlay(void **state)
{
	uint8_t cdb[DW_CDB_MAX];

	dw_cdb_ata(cdb, DW_ATA_DCO_IDENTIFY);
	for (unsigned int feature = 0; feature < 256; feature++) {
		cdb[4] = (uint8_t)feature;
		assert_int_equal(dw_opcode_class(cdb, 16),
				 feature == 0xc2 ? DW_OPCLASS_READ : DW_OPCLASS_NEVER);
	}
	cdb[4] = 0xc2;
	for (unsigned int bit = 8; bit < 16 * 8; bit++) {
		cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(dw_opcode_class(cdb, 16), DW_OPCLASS_NEVER);
		cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* ATA passwords: every single bit changed in each command. */
static void test_secure(void **state)
{
	static const struct {
		enum dw_ata_secure what;
		const char *cdb;
		uint32_t class;
	} rows[] = {
		{ DW_ATA_SECURE_SET, "85 0a 2600 0000 0100 0000 0000 0040 f100",
		  DW_OPCLASS_SECURITY },
		{ DW_ATA_SECURE_UNLOCK, "85 0a 2600 0000 0100 0000 0000 0040 f200",
		  DW_OPCLASS_SECURITY },
		{ DW_ATA_SECURE_PREPARE, "85 06 2000 0000 0000 0000 0000 0040 f300",
		  DW_OPCLASS_SECURITY },
		{ DW_ATA_SECURE_ERASE, "85 0a 2600 0000 0100 0000 0000 0040 f400",
		  DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED },
		{ DW_ATA_SECURE_ENHANCED, "85 0a 2600 0000 0100 0000 0000 0040 f400",
		  DW_OPCLASS_ATA_NORMAL | DW_OPCLASS_ATA_ENHANCED },
		{ DW_ATA_SECURE_DISABLE, "85 0a 2600 0000 0100 0000 0000 0040 f600",
		  DW_OPCLASS_SECURITY },
	};
	uint8_t cdb[DW_CDB_MAX], want[16];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		assert_int_equal(dw_cdb_ata_secure(cdb, rows[i].what), 16);
		assert_int_equal(unhex(rows[i].cdb, want, sizeof(want)), 16);
		assert_memory_equal(cdb, want, 16);
		assert_int_equal(dw_opcode_class(cdb, 16), rows[i].class);
		for (unsigned int bit = 8; bit < 16 * 8; bit++) {
			uint32_t class;

			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			class = dw_opcode_class(cdb, 16);
			/* one bit of the command register makes one of them another */
			if (bit / 8 == 14)
				assert_false(class &
					     ~(DW_OPCLASS_NEVER | DW_OPCLASS_SECURITY |
					       DW_OPCLASS_ATA_NORMAL |
					       DW_OPCLASS_ATA_ENHANCED));
			else
				assert_int_equal(class, DW_OPCLASS_NEVER);
			cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

static int guarded(uint32_t permits, enum dw_ata_secure what, uint8_t *data, uint32_t len)
{
	struct dw_target t = { .permits = permits, .block_size = 512, .blocks = 1000 };
	struct dw_cmd cmd = { .dir = len ? DW_DIR_OUT : DW_DIR_NONE,
			      .data = data,
			      .data_len = len };

	cmd.cdb_len = (uint8_t)dw_cdb_ata_secure(cmd.cdb, what);
	return dw_guard_check(&t, &cmd);
}

/* Each needs its permit, and all bytes of its data: one bit makes a normal erase enhanced. */
static void test_secure_guard(void **state)
{
	static const uint32_t permit[DW_ATA_SECURE_COUNT] = {
		[DW_ATA_SECURE_SET] = DW_OPCLASS_SECURITY,
		[DW_ATA_SECURE_UNLOCK] = DW_OPCLASS_SECURITY,
		[DW_ATA_SECURE_PREPARE] = DW_OPCLASS_SECURITY,
		[DW_ATA_SECURE_ERASE] = DW_OPCLASS_ATA_NORMAL,
		[DW_ATA_SECURE_ENHANCED] = DW_OPCLASS_ATA_ENHANCED,
		[DW_ATA_SECURE_DISABLE] = DW_OPCLASS_SECURITY,
	};
	uint8_t list[DW_ATA_SECURITY_LEN];

	for (int i = 0; i < DW_ATA_SECURE_COUNT; i++) {
		uint32_t len = (uint32_t)dw_ata_secure_list((enum dw_ata_secure)i, list);
		bool erases = i == DW_ATA_SECURE_ERASE || i == DW_ATA_SECURE_ENHANCED;

		assert_int_equal(guarded(permit[i], i, list, len), 0);
		assert_int_equal(guarded(~permit[i], i, list, len), -EPERM);
		if (!len) {
			assert_int_equal(guarded(permit[i], i, list, 512), -EPERM);
			continue;
		}
		assert_int_equal(guarded(permit[i], i, list, 0), -EPERM);
		assert_int_equal(guarded(permit[i], i, list, 511), -EPERM);
		assert_memory_equal(list + 2, "diskwipe\0\0\0\0\0\0\0\0", 17);
		for (unsigned int bit = 0; bit < 512 * 8; bit++) {
			list[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(guarded(permit[i], i, list, len), -EPERM);
			if (bit != 1 || !erases)
				assert_int_equal(guarded(~0u, i, list, len), -EPERM);
			list[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

static void test_dangerous(void **state)
{
	static const char *const never[] = {
		"48 9f 0000 0000 0000 00 00", /* SANITIZE, exit failure mode */
		"48 c2 0000 0000 0000 00 00", /* with ZNR */
		"42 00 0000 0000 00 0018 00", /* UNMAP */
		"04 10 00 00 01 00",          /* FORMAT UNIT, fast */
		"04 10 00 00 02 00",          /* fast, another way */
		"04 18 00 00 00 00",          /* drops the grown defects */
		"04 30 00 00 00 00",          /* with a long list */
		"3b 00 0000 0000 0000 00 00", /* WRITE BUFFER */
		"85 06 2000 0000 0000 0000 0000 0000 e700", /* ATA PASS-THROUGH(16) */
		"a1 06 20 00 00 00 00 00 00 e7 00 00",      /* (12) */
		"a1 06 20 00 00 00 00 00 40 f8 00 00",
		"85 07 2000 0000 0000 0000 0000 0040 3700", /* SET MAX ADDRESS EXT */
		"85 06 2000 0000 0000 0000 0000 0040 f900", /* SET MAX ADDRESS */
		"85 07 2000 0200 0000 0000 0000 0040 7800", /* its freeze */
		"85 07 2000 1200 0000 4200 7200 6540 b400", /* SANITIZE, BLOCK ERASE */
		"85 07 2000 1200 1142 7200 4500 6b40 b400", /* a COUNT that is another */
		"85 07 2000 1280 1042 7200 4500 6b40 b400", /* with ZNR */
		"85 07 2000 1200 0042 7200 4500 6b40 b400", /* without FAILURE MODE */
		"85 07 2000 1400 1000 0057 004f 0040 b400", /* OVERWRITE, 16 times */
		"85 07 2000 1400 9100 0057 004f 0040 b400", /* inverted */
		"85 07 2000 2000 0046 6b00 4c00 7240 b400", /* SANITIZE FREEZE LOCK */
		"85 07 2000 4000 0041 6900 7400 6e40 b400", /* ANTIFREEZE LOCK */
		"85 06 2000 0000 0000 0000 0000 0040 f500", /* SECURITY FREEZE LOCK */
		"85 0a 0600 0000 0100 0000 0000 0040 f400", /* ERASE UNIT, no registers */
		"85 0a 2600 0000 0200 0000 0000 0040 f400", /* with two sectors of data */
		"85 0c 2600 0000 0100 0000 0000 0040 f400", /* by DMA */
		"85 06 2000 c100 0000 0000 0000 0040 b100", /* DCO FREEZE LOCK */
		"85 0a 2600 c300 0100 0000 0000 0040 b100", /* DCO SET */
		"85 0a 2600 0700 0100 0000 0000 0040 9200", /* DOWNLOAD MICROCODE */
		"85 08 0e00 0000 0100 0000 0000 0040 a100", /* IDENTIFY PACKET DEVICE */
		"93 08 0000000000000000 00000001 00 00",    /* WRITE SAME, UNMAP */
		"93 09 0000000000000000 00000001 00 00",    /* with NDOB */
		"93 10 0000000000000000 00000001 00 00",    /* ANCHOR */
		"93 02 0000000000000000 00000001 00 00",    /* LBDATA */
		"93 04 0000000000000000 00000001 00 00",    /* PBDATA */
		"93 00 0000000000000000 00000000 00 00",    /* to the end */
		"41 08 00000000 00 0001 00",                /* (10), UNMAP */
		"41 00 00000000 00 0000 00",                /* (10), to the end */
		"9e 18 0000000000000000 00000001 00 00",    /* REMOVE ELEMENT */
		"5f 04 01 0000 00000018 00",                /* PREEMPT */
		"5f 03 00 0000 00000018 00",                /* CLEAR */
		"1b 00 00 00 02 00",                        /* eject */
		"1b 00 00 00 04 00",                        /* stop without flush */
		"15 12 00 00 18 00",                        /* revert */
		"7f 00 00 00 00 00 00 18 00 0d 00 00 00 00 00 00", /* WRITE SAME(32) */
		"ff 00 00 00 00 00",
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(never); i++)
		assert_int_equal(class_of(never[i]), DW_OPCLASS_NEVER);
	assert_int_equal(class_of("93 01 0000000000000000 00000001 00 00"),
			 DW_OPCLASS_WRITE);
	assert_int_equal(class_of("1b 00 00 00 01 00"), DW_OPCLASS_CONTROL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),          cmocka_unit_test(test_short),
		cmocka_unit_test(test_ata),          cmocka_unit_test(test_logs),
		cmocka_unit_test(test_smart),        cmocka_unit_test(test_overlay),
		cmocka_unit_test(test_ata_raise),    cmocka_unit_test(test_ata_sanitize),
		cmocka_unit_test(test_dangerous),    cmocka_unit_test(test_secure),
		cmocka_unit_test(test_secure_guard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
