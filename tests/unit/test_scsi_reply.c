/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capacity, supported operation codes, persistent reservations. */
#include "unit.h"

#include "base/util.h"
#include "scsi/capacity.h"
#include "scsi/pr.h"
#include "scsi/rsoc.h"

#define REPLY_MAX 256

struct reply {
	uint8_t *data;
	size_t len;
};

/* A heap block of exactly the bytes; freed by drop(). */
static struct reply reply(const char *hex)
{
	uint8_t buf[REPLY_MAX];
	struct reply r = { .len = unhex(hex, buf, sizeof(buf)) };

	r.data = malloc(r.len ? r.len : 1);
	assert_non_null(r.data);
	memcpy(r.data, buf, r.len);
	return r;
}

static void drop(struct reply r)
{
	free(r.data);
}

static int capacity16(const char *hex, struct dw_capacity *ret)
{
	struct reply r = reply(hex);
	int error = dw_capacity16(r.data, r.len, ret);

	drop(r);
	return error;
}

static void test_capacity16(void **state)
{
	struct dw_capacity c;

	assert_int_equal(capacity16("00000003a3812aaf 00000200 05 03 8008 "
				    "00000000000000000000000000000000",
				    &c),
			 0);
	assert_int_equal(c.blocks, UINT64_C(0x3a3812ab0));
	assert_int_equal(c.block_size, 512);
	assert_int_equal(c.pi_type, 3);
	assert_int_equal(c.physical_exp, 3);
	assert_int_equal(c.lowest_aligned, 8);
	assert_true(c.lbpme);
	assert_false(c.lbprz);

	assert_int_equal(capacity16("0000000000000000 00000208", &c), 0);
	assert_int_equal(c.blocks, 1);
	assert_int_equal(c.block_size, 520);
	assert_int_equal(c.pi_type, 0);
	/* P_TYPE without PROT_EN says nothing */
	assert_int_equal(capacity16("0000000000000000 00001000 04 00 7fff", &c), 0);
	assert_int_equal(c.pi_type, 0);
	assert_true(c.lbprz);
	assert_int_equal(c.lowest_aligned, 0x3fff);
}

static void test_capacity16_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"0000000000000000 000002",
		"0000000000000000 00000000",
		"0000000000000000 00000001",
		"0000000000000000 00020000",
		"ffffffffffffffff 00000200",
		"00000003a3812aaf 00000200 07 00 0000",
		"1200 0000 0000 0000 1c 00 00 08",
	};
	struct dw_capacity c;

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(capacity16(bad[i], &c), -EBADMSG);
}

static void test_capacity10(void **state)
{
	struct dw_capacity c;
	struct reply r = reply("fffffffe 00000200");

	assert_int_equal(dw_capacity10(r.data, r.len, &c), 0);
	assert_int_equal(c.blocks, 0xffffffff);
	assert_int_equal(c.block_size, 512);
	r.data[3] = 0xff;
	assert_int_equal(dw_capacity10(r.data, r.len, &c), -ERANGE);
	r.data[6] = 0;
	assert_int_equal(dw_capacity10(r.data, r.len, &c), -EBADMSG);
	assert_int_equal(dw_capacity10(r.data, 7, &c), -EBADMSG);
	drop(r);
}

static int rsoc_one(const char *hex, uint8_t opcode, struct dw_rsoc_one *ret)
{
	struct reply r = reply(hex);
	int error = dw_rsoc_one(r.data, r.len, opcode, ret);

	drop(r);
	return error;
}

static void test_rsoc_one(void **state)
{
	struct dw_rsoc_one o;

	/* SAS disk: WRITE SAME(16) with NDOB, without ANCHOR, with timeouts */
	assert_int_equal(rsoc_one("00 83 0010 93 e9 ffffffffffffffff ffffffff 3f 00"
				  "000a 00 00 0000001e 00000078",
				  0x93, &o),
			 0);
	assert_true(o.supported);
	assert_false(o.vendor);
	assert_int_equal(o.cdb_len, 16);
	assert_int_equal(dw_rsoc_bit(&o, 1, 0x01), 1);
	assert_int_equal(dw_rsoc_bit(&o, 1, 0x10), 0);
	assert_int_equal(dw_rsoc_bit(&o, 16, 0x01), -1);
	assert_int_equal(o.nominal_s, 30);
	assert_int_equal(o.recommended_s, 120);
	/* not supported */
	assert_int_equal(rsoc_one("00 01 0000", 0x48, &o), 0);
	assert_false(o.supported);
	/* libata: supported, and not a word about the bits */
	assert_int_equal(rsoc_one("00 03 0000", 0x8a, &o), 0);
	assert_true(o.supported);
	assert_int_equal(o.cdb_len, 0);
	assert_int_equal(dw_rsoc_bit(&o, 1, 0x08), -1);
	/* in a vendor's way */
	assert_int_equal(rsoc_one("00 05 0006 12 01 ff ff ff 00", 0x12, &o), 0);
	assert_true(o.supported && o.vendor);
	assert_int_equal(o.reach, DW_RSOC_UNTOLD);
	/* SPC-5: what it affects */
	assert_int_equal(rsoc_one("00 23 0006 04 ff 00 00 03 00", 0x04, &o), 0);
	assert_int_equal(o.reach, DW_RSOC_THIS);
	assert_int_equal(rsoc_one("00 63 0006 04 ff 00 00 03 00", 0x04, &o), 0);
	assert_int_equal(o.reach, DW_RSOC_ALL);
	/* the timeouts descriptor is announced and cut off */
	assert_int_equal(rsoc_one("00 83 0006 12 01 ff ff ff 00 000a 0000", 0x12, &o), 0);
	assert_int_equal(o.recommended_s, 0);
}

static void test_rsoc_one_refused(void **state)
{
	struct dw_rsoc_one o;

	assert_int_equal(rsoc_one("00 00 0000", 0x8a, &o), -ENODATA);
	assert_int_equal(rsoc_one("", 0x8a, &o), -EBADMSG);
	assert_int_equal(rsoc_one("00 03 00", 0x8a, &o), -EBADMSG);
	assert_int_equal(rsoc_one("00 02 0000", 0x8a, &o), -EBADMSG);
	assert_int_equal(rsoc_one("17 03 0000", 0x8a, &o), -EBADMSG);
	/* CDB length that the opcode cannot have; another opcode; cut off */
	assert_int_equal(rsoc_one("00 03 000a 8a 18 00000000 00 0000 00", 0x8a, &o),
			 -EBADMSG);
	assert_int_equal(rsoc_one("00 03 000a 28 18 ffffffff 00 ffff 00", 0x2a, &o),
			 -EBADMSG);
	assert_int_equal(rsoc_one("00 03 000a 2a 18 ffffffff 00 ffff", 0x2a, &o),
			 -EBADMSG);
	/* the mode page of an earlier command */
	assert_int_equal(rsoc_one("17 00 10 00 08 12 04 00 ffff", 0x93, &o), -EBADMSG);
}

static void test_pr_reservation(void **state)
{
	struct reply r = reply("00000007 00000010 123456789abcdef0 00000000 00 05 0000");
	struct dw_pr_reservation pr;

	assert_int_equal(dw_pr_reservation(r.data, r.len, &pr), 0);
	assert_true(pr.held);
	assert_int_equal(pr.generation, 7);
	assert_int_equal(pr.key, UINT64_C(0x123456789abcdef0));
	assert_int_equal(pr.type, DW_PR_WRITE_EXCLUSIVE_REGISTRANTS);
	for (size_t len = 0; len < r.len; len++) {
		uint8_t *part = malloc(len ? len : 1);

		assert_non_null(part);
		memcpy(part, r.data, len);
		assert_int_equal(dw_pr_reservation(part, len, &pr), -EBADMSG);
		free(part);
	}
	r.data[7] = 8;
	assert_int_equal(dw_pr_reservation(r.data, r.len, &pr), -EBADMSG);
	r.data[7] = 0;
	assert_int_equal(dw_pr_reservation(r.data, 8, &pr), 0);
	assert_false(pr.held);
	drop(r);
}

static void test_pr_list(void **state)
{
	uint8_t list[DW_PR_LIST_LEN], want[DW_PR_LIST_LEN];

	memset(list, 0xa5, sizeof(list));
	unhex("0102030405060708 1112131415161718 0000000000000000", want, sizeof(want));
	dw_pr_fill_list(UINT64_C(0x0102030405060708), UINT64_C(0x1112131415161718), list);
	assert_memory_equal(list, want, sizeof(list));
	for (int i = 0; i < 256; i++)
		assert_non_null(dw_pr_type_name((uint8_t)i));
	assert_string_equal(dw_pr_type_name(1), "write exclusive");
	assert_string_equal(dw_pr_type_name(2), "unknown type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capacity16),
		cmocka_unit_test(test_capacity16_refused),
		cmocka_unit_test(test_capacity10),
		cmocka_unit_test(test_rsoc_one),
		cmocka_unit_test(test_rsoc_one_refused),
		cmocka_unit_test(test_pr_reservation),
		cmocka_unit_test(test_pr_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
