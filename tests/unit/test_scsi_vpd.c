/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * INQUIRY and VPD pages as scsi_debug, LIO, libata and a SAS disk lay them out, and
 * every prefix of them in a heap block of the exact length.
 */
#include "unit.h"

#include "base/util.h"
#include "scsi/inquiry.h"
#include "device/ranges.h"
#include "scsi/vpd.h"

#define PAGE_MAX 512

/* scsi_debug: T10 vendor ID, NAA 3 of unit, port, target port group, target, name */
static const char debug_83[] =
	"00 83 00 74"
	"02 01 00 1c 4c696e7578202020 736373695f64656275672020 20202020 32303030"
	"01 03 00 08 33333330000007d0"
	"61 94 00 04 00000001"
	"61 93 00 08 22222220000007ce"
	"61 95 00 04 00000000"
	"61 a3 00 08 22222220000007cd"
	"63 a8 00 18 6e61612e 32323232323232303030303030376364 00000000";

/* LIO: NAA 6 with vendor extension, T10 vendor ID, port designators */
static const char lio_83[] = "00 83 00 48"
			     "01 03 00 10 60014051a2b3c4d5e6f708192a3b4c5d"
			     "02 01 00 14 4c494f2d4f524720 6469736b303a31613262336334"
			     "61 94 00 04 00000001"
			     "61 95 00 04 00000000"
			     "61 a3 00 08 6001405100000000";

/* libata without a world wide name: vendor's own, then T10 vendor ID of 68 bytes */
static const char ata_83[] =
	"00 83 00 60"
	"02 00 00 14 202020202020202020202020202051454d553031"
	"02 01 00 44 4154412020202020"
	"51454d5520484152444449534b202020202020202020202020202020202020202020202020202020"
	"202020202020202020202020202051454d553031";

/* SAS disk: NAA 5 of the unit is the third designator, behind those of port and target */
static const char sas_83[] =
	"00 83 00 48"
	"61 93 00 08 5000c500a1b2c3d5"
	"61 94 00 04 00000001"
	"01 03 00 08 5000c500a1b2c3d4"
	"61 a3 00 08 5000c500a1b2c3d6"
	"63 a8 00 18 6e61612e 35303030433530304131423243334436 00000000";

/* A buffer of exactly @len bytes. */
static uint8_t *exact(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	return copy;
}

/* The page as a heap block; its length field is set from what the text holds. */
static uint8_t *page_of(const char *hex, size_t *ret_len)
{
	uint8_t buf[PAGE_MAX];
	size_t n = unhex(hex, buf, sizeof(buf));

	buf[2] = (uint8_t)((n - 4) >> 8);
	buf[3] = (uint8_t)(n - 4);
	*ret_len = n;
	return exact(buf, n);
}

static void expect_wwn(const char *hex, const char *want)
{
	char wwn[DW_VPD_WWN_MAX];
	size_t len;
	uint8_t *page = page_of(hex, &len);

	assert_int_equal(dw_vpd_wwn(page, len, wwn, sizeof(wwn)), 0);
	assert_string_equal(wwn, want);
	free(page);
}

static void test_wwn(void **state)
{
	expect_wwn(debug_83, "0x33333330000007d0");
	expect_wwn(lio_83, "0x60014051a2b3c4d5e6f708192a3b4c5d");
	expect_wwn(sas_83, "0x5000c500a1b2c3d4");
	expect_wwn(ata_83, "t10.ATA     QEMU HARDDISK                           "
			   "              QEMU01");
}

static void test_wwn_preference(void **state)
{
	/* 16 bytes before 8, NAA before EUI-64 before name before T10, in any order */
	expect_wwn("00 83 00 00 01 03 00 08 5000c500a1b2c3d4"
		   "01 03 00 10 6001405000000000 0000000000000001",
		   "0x60014050000000000000000000000001");
	expect_wwn("00 83 00 00 01 02 00 08 0025385b01234567"
		   "01 03 00 08 5000c500a1b2c3d4",
		   "0x5000c500a1b2c3d4");
	/* what nobody has filled in is no name */
	expect_wwn("00 83 00 00 01 02 00 08 0000000000000000"
		   "01 02 00 10 ffffffffffffffffffffffffffffffff"
		   "01 0a 00 12 1000 00000000000000000000000000000000"
		   "03 08 00 08 69716e2e61000000",
		   "iqn.a");
	expect_wwn("00 83 00 00 03 08 00 08 6e61612e61626364"
		   "01 02 00 08 0025385b01234567",
		   "eui.0025385b01234567");
	expect_wwn("00 83 00 00 02 01 00 0c 56454e444f522020 31323334"
		   "03 08 00 08 69716e2e61000000",
		   "iqn.a");
	expect_wwn("00 83 00 00 01 0a 00 12 1000 000102030405060708090a0b0c0d0e0f",
		   "uuid.000102030405060708090a0b0c0d0e0f");
	/* the first among equals */
	expect_wwn("00 83 00 00 01 03 00 08 5000c50000000001"
		   "01 03 00 08 5000c50000000002",
		   "0x5000c50000000001");
}

static void test_unit_names(void **state)
{
	char names[64];
	size_t len;
	uint8_t *page = page_of("00 83 00 00 61 93 00 08 5000c500a1b2c3d5"
				"01 03 00 08 5000c50000000001"
				"03 08 00 08 69716e2e61000000"
				"01 02 00 08 0025385b01234567",
				&len);

	dw_vpd_unit_names(page, len, names, sizeof(names));
	assert_string_equal("0x5000c50000000001\niqn.a\neui.0025385b01234567\n", names);
	dw_vpd_unit_names(page, len, names, 26);
	assert_string_equal("0x5000c50000000001\niqn.a\n", names);
	dw_vpd_unit_names(page, len, names, 25);
	assert_string_equal("0x5000c50000000001\n", names);
	free(page);
}

static void test_no_wwn(void **state)
{
	static const char *const none[] = {
		"00 83 00 00",
		"00 83 00 00 61 93 00 08 5000c500a1b2c3d5", /* only the port's */
		"00 83 00 00 01 03 00 08 0000000000000000", /* no NAA */
		"00 83 00 00 01 03 00 08 ffffffffffffffff",
		"00 83 00 00 01 03 00 10 5000c500a1b2c3d4 0000000000000000",
		"00 83 00 00 01 03 00 08 6001405000000000", /* NAA 6 has 16 bytes */
		"00 83 00 00 02 03 00 08 5000c500a1b2c3d4", /* NAA in ASCII */
		"00 83 00 00 01 03 00 00",                  /* empty */
		"00 83 00 00 02 01 00 08 56454e444f522020", /* vendor alone */
		"00 83 00 00 03 08 00 04 20202000",
		"00 83 00 00 01 02 00 07 00253800000000",
		"00 83 00 00 02 00 00 04 31323334",
		"00 83 00 00 01 03 00 08 5000c500a1b2", /* cut off */
	};
	char wwn[DW_VPD_WWN_MAX];

	for (size_t i = 0; i < DW_ARRAY_SIZE(none); i++) {
		size_t len;
		uint8_t *page = page_of(none[i], &len);

		assert_int_equal(dw_vpd_wwn(page, len, wwn, sizeof(wwn)), -ENODATA);
		free(page);
	}
}

static void test_wwn_needs_room(void **state)
{
	char wwn[18];
	size_t len;
	uint8_t *page = page_of(sas_83, &len);

	assert_int_equal(dw_vpd_wwn(page, len, wwn, sizeof(wwn)), -ENOSPC);
	free(page);
}

static void test_walk(void **state)
{
	static const uint8_t types[] = { 3, 4, 3, 3, 8 };
	static const uint8_t associations[] = { 1, 1, 0, 2, 2 };
	struct dw_designator d;
	size_t len, pos = 0, n = 0;
	uint8_t *page = page_of(sas_83, &len);

	while (dw_vpd_designator_next(page, len, &pos, &d) == 1) {
		assert_true(n < sizeof(types));
		assert_int_equal(d.type, types[n]);
		assert_int_equal(d.association, associations[n]);
		n++;
	}
	assert_int_equal(n, sizeof(types));
	assert_int_equal(pos, len - 4);
	free(page);
}

/* A reply that is cut off gives whole designators or none, and never another name. */
static void test_wwn_prefixes(void **state)
{
	size_t full;
	uint8_t *page = page_of(sas_83, &full);

	for (size_t len = 0; len < full; len++) {
		uint8_t *cut = exact(page, len);
		char wwn[DW_VPD_WWN_MAX];
		int r = dw_vpd_wwn(cut, len, wwn, sizeof(wwn));

		if (len < 4)
			assert_int_equal(r, -EBADMSG);
		else if (r == 0)
			assert_string_equal(wwn, "0x5000c500a1b2c3d4");
		else
			assert_int_equal(r, -ENODATA);
		free(cut);
	}
	free(page);
}

static void test_serial(void **state)
{
	char text[64];
	size_t len;
	uint8_t *page = page_of("00 80 00 00 20205a4331304142 43444546 2020", &len);

	assert_int_equal(dw_vpd_serial(page, len, text, sizeof(text)), 0);
	assert_string_equal(text, "ZC10ABCDEF");
	assert_int_equal(dw_vpd_serial(page, len, text, 5), 0);
	assert_string_equal(text, "ZC10");
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = exact(page, cut);

		assert_int_equal(dw_vpd_serial(part, cut, text, sizeof(text)), -EBADMSG);
		free(part);
	}
	free(page);
	page = page_of("00 80 00 00 20202020", &len);
	assert_int_equal(dw_vpd_serial(page, len, text, sizeof(text)), -ENODATA);
	free(page);
	page = page_of("00 80 00 00 41ff0a00420a", &len);
	assert_int_equal(dw_vpd_serial(page, len, text, sizeof(text)), 0);
	assert_string_equal(text, "A.. B.");
	free(page);
}

/* A removable disk without VPD answers EVPD with standard INQUIRY data: byte 1 is 80h. */
static const char usb_inquiry[] = "00 80 05 02 1f 000000 47656e6572696320"
				  "466c617368204469736b202020202020 382e3037";

static void test_not_a_page(void **state)
{
	uint8_t buf[PAGE_MAX];
	size_t len = unhex(usb_inquiry, buf, sizeof(buf)), n;
	uint8_t *page = exact(buf, len);
	struct dw_vpd_limits limits;
	struct dw_vpd_character character;
	struct dw_vpd_provisioning provisioning;
	char text[64];

	assert_int_equal(dw_vpd_serial(page, len, text, sizeof(text)), -EBADMSG);
	assert_int_equal(dw_vpd_has_page(page, len, 0x80), -EBADMSG);
	assert_int_equal(dw_vpd_check(page, len, 0xb0, &n), -EBADMSG);
	assert_int_equal(dw_vpd_limits(page, len, &limits), -EBADMSG);
	assert_int_equal(dw_vpd_character(page, len, &character), -EBADMSG);
	assert_int_equal(dw_vpd_provisioning(page, len, &provisioning), -EBADMSG);
	page[1] = 0x00;
	assert_int_equal(dw_vpd_has_page(page, len, 0x80), -EBADMSG);
	page[2] = 0;
	page[3] = 4; /* 1f 00 00 00 are not it */
	assert_int_equal(dw_vpd_has_page(page, len, 0x80), 0);
	page[3] = 0;
	assert_int_equal(dw_vpd_has_page(page, len, 0x00), -EBADMSG);
	free(page);
}

static void test_supported(void **state)
{
	size_t len;
	uint8_t *page = page_of("00 00 00 00 00 80 83 86 b0 b1 b2", &len);

	assert_int_equal(dw_vpd_has_page(page, len, 0x00), 1);
	assert_int_equal(dw_vpd_has_page(page, len, 0xb1), 1);
	assert_int_equal(dw_vpd_has_page(page, len, 0x89), 0);
	/* of one that is cut what is there */
	assert_int_equal(dw_vpd_has_page(page, len - 1, 0x80), 1);
	assert_int_equal(dw_vpd_has_page(page, len - 1, 0xb2), 0);
	free(page);
	/* tcmu-runner: without 00h, and not sorted */
	page = page_of("00 00 00 00 83 b0 b1 b6 4c 80", &len);
	assert_int_equal(dw_vpd_has_page(page, len, 0x83), 1);
	assert_int_equal(dw_vpd_has_page(page, len, 0x80), 1);
	assert_int_equal(dw_vpd_has_page(page, len, 0x00), 0);
	assert_int_equal(dw_vpd_has_page(page, len, 0x89), 0);
	free(page);
}

/* Only a page that did not fit into the first question is asked for once more. */
static void test_longer(void **state)
{
	uint8_t page[PAGE_MAX] = { 0, 0x83, 0, 0xf8 };

	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN, 0x83, PAGE_MAX), 0);
	page[3] = 0xf9;
	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN, 0x83, PAGE_MAX), 0xfd);
	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN - 1, 0x83, PAGE_MAX), 0);
	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN, 0x80, PAGE_MAX), 0);
	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN, 0x83, DW_VPD_FIRST_LEN),
			 0);
	page[2] = 0xff;
	assert_int_equal(dw_vpd_longer(page, DW_VPD_FIRST_LEN, 0x83, PAGE_MAX), PAGE_MAX);
}

static const char limits_b0[] = "00 b0 00 3c 01 00 0008 00010000 00000400 00000000"
				"ffffffff 00000100 00000001 80000000 0000000000400000"
				"0000000000000000 0000000000000000 00000000";

static void test_limits(void **state)
{
	struct dw_vpd_limits l;
	size_t len;
	uint8_t *page = page_of(limits_b0, &len);

	assert_int_equal(len, 64);
	assert_int_equal(dw_vpd_limits(page, len, &l), 0);
	assert_true(l.wsnz);
	assert_int_equal(l.granularity, 8);
	assert_int_equal(l.max_transfer, 0x10000);
	assert_int_equal(l.opt_transfer, 0x400);
	assert_int_equal(l.max_unmap, 0xffffffff);
	assert_int_equal(l.max_write_same, 0x400000);
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = exact(page, cut);
		int r = dw_vpd_limits(part, cut, &l);

		assert_int_equal(r, cut < 16 ? -EBADMSG : 0);
		if (r == 0)
			assert_int_equal(l.max_write_same, cut < 44 ? 0 : 0x400000);
		free(part);
	}
	page[3] = 12; /* SBC-2: what stands behind the page is not part of it */
	assert_int_equal(dw_vpd_limits(page, len, &l), 0);
	assert_int_equal(l.opt_transfer, 0x400);
	assert_int_equal(l.max_unmap, 0);
	assert_int_equal(l.max_write_same, 0);
	free(page);
}

static void test_character(void **state)
{
	struct dw_vpd_character c;
	size_t len;
	uint8_t *page = page_of("00 b1 00 3c 1c20 00 92 10 00 0000000000000000", &len);

	assert_int_equal(dw_vpd_character(page, len, &c), 0);
	assert_int_equal(c.rotation, 7200);
	assert_int_equal(c.form_factor, 2);
	assert_int_equal(c.wabereq, 2);
	assert_int_equal(c.wacereq, 1);
	assert_int_equal(c.zoned, 1);
	assert_int_equal(dw_vpd_character(page, 8, &c), 0);
	assert_int_equal(c.zoned, 0);
	assert_int_equal(dw_vpd_character(page, 6, &c), 0);
	assert_int_equal(c.form_factor, 0);
	assert_int_equal(dw_vpd_character(page, 5, &c), -EBADMSG);
	free(page);
}

static void test_provisioning(void **state)
{
	struct dw_vpd_provisioning p;
	size_t len;
	uint8_t *page = page_of("00 b2 00 04 00 e6 02 00", &len);

	assert_int_equal(dw_vpd_provisioning(page, len, &p), 0);
	assert_true(p.lbpu && p.lbpws && p.lbpws10 && p.anchor);
	assert_int_equal(p.lbprz, 1);
	assert_int_equal(p.type, 2);
	assert_int_equal(dw_vpd_provisioning(page, 6, &p), 0);
	assert_int_equal(p.type, 0);
	assert_int_equal(dw_vpd_provisioning(page, 5, &p), -EBADMSG);
	free(page);
}

/* Two ranges, and every page that is not whole, or does not count them. */
static void test_ranges(void **state)
{
	static const char text[] =
		"00 b9 00 7c"
		"000000000000000000000000000000000000000000000000000000000000"
		"000000000000000000000000000000000000000000000000000000000000"
		"0001000000000000 0000000000000000 0000000000001000"
		"0000000000000000 0101000000000000 0000000000001000"
		"0000000000000ffe 0000000000000000";
	struct dw_vpd_range r[2];
	size_t len;
	uint8_t *page = page_of(text, &len);

	assert_int_equal(dw_vpd_ranges(page, len, r, 2), 2);
	assert_true(r[0].first == 0 && r[0].blocks == 0x1000);
	assert_true(r[1].first == 0x1000 && r[1].blocks == 0xffe);
	assert_int_equal(dw_vpd_ranges(page, len, r, 1),
			 2); /* more than there is room for */
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(dw_vpd_ranges(page, cut, r, 2), 0);
	page[64 + 32] = 2;
	assert_int_equal(dw_vpd_ranges(page, len, r, 2), 0);
	free(page);
}

/* What an order is made of follows from block 0 to the end, in two parts at least. */
static void test_ranges_join(void **state)
{
	static const struct {
		struct dw_vpd_range told[3];
		size_t n;
		int r;
	} rows[] = {
		{ { { 0, 50 }, { 50, 50 } }, 2, 0 },
		{ { { 0, 50 }, { 50, 60 } }, 2, 0 }, /* some are hidden */
		{ { { 0, 10 }, { 10, 80 }, { 90, 10 } }, 3, 0 },
		{ { { 0, 100 } }, 1, -EINVAL },
		{ { { 0, 50 }, { 50, 49 } }, 2, -EINVAL },
		{ { { 0, 50 }, { 51, 50 } }, 2, -EINVAL },
		{ { { 0, 50 }, { 49, 51 } }, 2, -EINVAL },
		{ { { 1, 49 }, { 50, 50 } }, 2, -EINVAL },
		{ { { 0, 0 }, { 0, 100 } }, 2, -EINVAL },
		{ { { 50, 50 }, { 0, 50 } }, 2, -EINVAL },
		{ { { 0, 50 }, { 50, 50 } }, 9, -EINVAL },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_ranges ret = { .n = 7 };

		assert_int_equal(dw_ranges_join(rows[i].told, rows[i].n, 100, &ret),
				 rows[i].r);
		assert_int_equal(ret.n, rows[i].r ? 7 : rows[i].n);
		for (uint8_t k = 0; !rows[i].r && k < ret.n; k++)
			assert_true(ret.first[k] == rows[i].told[k].first);
	}
}

static const char sas_inquiry[] = "00 00 07 12 8b 01 10 02 5345414741544520"
				  "53543830303030303039202020202020 30303033"
				  "5a43313041424344";

static void test_inquiry(void **state)
{
	uint8_t buf[PAGE_MAX];
	struct dw_inquiry q;
	size_t len = unhex(sas_inquiry, buf, sizeof(buf));

	assert_int_equal(dw_inquiry_parse(buf, len, &q), 0);
	assert_int_equal(q.type, DW_TYPE_DISK);
	assert_string_equal(dw_device_type_name(q.type), "disk");
	assert_int_equal(q.qualifier, 0);
	assert_int_equal(q.version, 7);
	assert_true(q.protect && q.multi_port && q.queueing);
	assert_false(q.removable || q.encloses);
	assert_string_equal(q.vendor, "SEAGATE");
	assert_string_equal(q.product, "ST80000009");
	assert_string_equal(q.revision, "0003");

	len = unhex(usb_inquiry, buf, sizeof(buf));
	assert_int_equal(dw_inquiry_parse(buf, len, &q), 0);
	assert_true(q.removable);
	assert_string_equal(q.vendor, "Generic");
	buf[0] = 0x7f;
	assert_int_equal(dw_inquiry_parse(buf, len, &q), 0);
	assert_int_equal(q.qualifier, 3);
	assert_int_equal(q.type, DW_TYPE_UNKNOWN);
	assert_non_null(dw_device_type_name(q.type));
	assert_string_equal(dw_device_type_name(32), "?");
}

static void test_inquiry_cut(void **state)
{
	uint8_t buf[PAGE_MAX];
	struct dw_inquiry q;
	size_t full = unhex(sas_inquiry, buf, sizeof(buf));

	for (size_t len = 0; len < full; len++) {
		uint8_t *part = exact(buf, len);
		int r = dw_inquiry_parse(part, len, &q);

		assert_int_equal(r, len < 5 ? -EBADMSG : 0);
		if (r == 0) {
			assert_string_equal(q.vendor, len < 16 ? "" : "SEAGATE");
			assert_string_equal(q.revision, len < 36 ? "" : "0003");
		}
		free(part);
	}
	buf[4] = 3; /* ADDITIONAL LENGTH rules */
	assert_int_equal(dw_inquiry_parse(buf, full, &q), 0);
	assert_string_equal(q.vendor, "");
	buf[3] = 0x03; /* no such response data format */
	assert_int_equal(dw_inquiry_parse(buf, full, &q), -EBADMSG);
}

static void test_text(void **state)
{
	char text[8];

	assert_int_equal(dw_scsi_text((const uint8_t *)" ab c \0", 7, text, 8), 4);
	assert_string_equal(text, "ab c");
	assert_int_equal(dw_scsi_text((const uint8_t *)"abcdefghij", 10, text, 8), 7);
	assert_string_equal(text, "abcdefg");
	assert_int_equal(dw_scsi_text((const uint8_t *)"", 0, text, 1), 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wwn),
		cmocka_unit_test(test_wwn_preference),
		cmocka_unit_test(test_unit_names),
		cmocka_unit_test(test_no_wwn),
		cmocka_unit_test(test_wwn_needs_room),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_wwn_prefixes),
		cmocka_unit_test(test_serial),
		cmocka_unit_test(test_not_a_page),
		cmocka_unit_test(test_supported),
		cmocka_unit_test(test_longer),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_character),
		cmocka_unit_test(test_provisioning),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_ranges_join),
		cmocka_unit_test(test_inquiry),
		cmocka_unit_test(test_inquiry_cut),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
