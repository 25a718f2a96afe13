/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden bytes of every CDB, and fill against parse over random extents. */
#include "unit.h"

#include "base/rng.h"
#include "base/util.h"
#include "scsi/cdb.h"

/* The first @r bytes are @hex, and what follows is clear. */
static void expect(const uint8_t *cdb, int r, const char *hex)
{
	uint8_t want[DW_CDB_MAX] = { 0 };
	size_t n = unhex(hex, want, sizeof(want));

	assert_int_equal(r, n);
	assert_memory_equal(cdb, want, DW_CDB_MAX);
}

static const struct {
	unsigned int size;
	struct dw_cdb_extent x;
	const char *hex;
} golden[] = {
	{ 10,
	  { .verb = DW_EXTENT_READ, .lba = 0x01020304, .nlb = 0x0506 },
	  "28 00 01020304 00 0506 00" },
	{ 16,
	  { .verb = DW_EXTENT_READ,
	    .flags = DW_EXTENT_FUA,
	    .lba = 0x0102030405060708,
	    .nlb = 0x090a0b0c },
	  "88 08 0102030405060708 090a0b0c 00 00" },
	{ 10,
	  { .verb = DW_EXTENT_WRITE, .lba = 0xfffffffe, .nlb = 2 },
	  "2a 00 fffffffe 00 0002 00" },
	{ 16,
	  { .verb = DW_EXTENT_WRITE,
	    .flags = DW_EXTENT_FUA | DW_EXTENT_DPO,
	    .lba = 0x100000000,
	    .nlb = 1 },
	  "8a 18 0000000100000000 00000001 00 00" },
	{ 10,
	  { .verb = DW_EXTENT_WRITE_SAME, .lba = 8, .nlb = 0xffff },
	  "41 00 00000008 00 ffff 00" },
	{ 16,
	  { .verb = DW_EXTENT_WRITE_SAME, .lba = 8, .nlb = 0x10000 },
	  "93 00 0000000000000008 00010000 00 00" },
	{ 16,
	  { .verb = DW_EXTENT_WRITE_SAME, .flags = DW_EXTENT_NDOB, .lba = 8, .nlb = 1 },
	  "93 01 0000000000000008 00000001 00 00" },
	{ 10, { .verb = DW_EXTENT_SYNC }, "35 00 00000000 00 0000 00" },
	{ 16, { .verb = DW_EXTENT_SYNC }, "91 00 0000000000000000 00000000 00 00" },
	{ 10,
	  { .verb = DW_EXTENT_VERIFY, .bytchk = 1, .lba = 1, .nlb = 2 },
	  "2f 02 00000001 00 0002 00" },
	{ 16,
	  { .verb = DW_EXTENT_VERIFY,
	    .bytchk = 3,
	    .flags = DW_EXTENT_DPO,
	    .lba = 1,
	    .nlb = 2 },
	  "8f 16 0000000000000001 00000002 00 00" },
};

static void expect_same(const struct dw_cdb_extent *x, const struct dw_cdb_extent *want)
{
	assert_int_equal(x->verb, want->verb);
	assert_int_equal(x->flags, want->flags);
	assert_int_equal(x->bytchk, want->bytchk);
	assert_int_equal(x->protect, want->protect);
	assert_int_equal(x->lba, want->lba);
	assert_int_equal(x->nlb, want->nlb);
}

static void test_extent_golden(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(golden); i++) {
		uint8_t cdb[DW_CDB_MAX];
		struct dw_cdb_extent back;
		int r;

		memset(cdb, 0xa5, sizeof(cdb));
		r = dw_cdb_fill_extent(cdb, golden[i].size, &golden[i].x);
		expect(cdb, r, golden[i].hex);
		assert_int_equal(dw_cdb_parse(cdb, (size_t)r, &back), 0);
		expect_same(&back, &golden[i].x);
		assert_int_equal(dw_cdb_parse(cdb, (size_t)r - 1, &back), -EINVAL);
	}
}

static const struct {
	unsigned int size;
	struct dw_cdb_extent x;
	int error;
} refused[] = {
	{ 10, { .verb = DW_EXTENT_WRITE, .lba = 0xffffffff, .nlb = 2 }, -ERANGE },
	{ 10, { .verb = DW_EXTENT_WRITE, .lba = 0x100000000, .nlb = 1 }, -ERANGE },
	{ 10, { .verb = DW_EXTENT_WRITE, .lba = 0x100000000 }, -ERANGE },
	{ 10, { .verb = DW_EXTENT_READ, .nlb = 0x10000 }, -ERANGE },
	{ 16, { .verb = DW_EXTENT_READ, .lba = UINT64_MAX, .nlb = 2 }, -ERANGE },
	{ 16, { .verb = DW_EXTENT_WRITE_SAME }, -EINVAL },
	{ 10, { .verb = DW_EXTENT_WRITE_SAME }, -EINVAL },
	{ 10,
	  { .verb = DW_EXTENT_WRITE_SAME, .flags = DW_EXTENT_NDOB, .nlb = 1 },
	  -EINVAL },
	{ 16,
	  { .verb = DW_EXTENT_WRITE_SAME, .flags = DW_EXTENT_UNMAP, .nlb = 1 },
	  -EINVAL },
	{ 16,
	  { .verb = DW_EXTENT_WRITE_SAME, .flags = DW_EXTENT_ANCHOR, .nlb = 1 },
	  -EINVAL },
	{ 16, { .verb = DW_EXTENT_SYNC, .flags = DW_EXTENT_IMMED }, -EINVAL },
	{ 16, { .verb = DW_EXTENT_WRITE, .flags = DW_EXTENT_NDOB, .nlb = 1 }, -EINVAL },
	{ 16, { .verb = DW_EXTENT_VERIFY, .bytchk = 2, .nlb = 1 }, -EINVAL },
	{ 16, { .verb = DW_EXTENT_VERIFY, .bytchk = 4, .nlb = 1 }, -EINVAL },
	{ 16, { .verb = DW_EXTENT_WRITE, .bytchk = 1, .nlb = 1 }, -EINVAL },
	{ 12, { .verb = DW_EXTENT_WRITE, .nlb = 1 }, -EINVAL },
	{ 16, { .verb = DW_EXTENT_VERB_COUNT, .nlb = 1 }, -EINVAL },
};

static void test_extent_refused(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(refused); i++) {
		uint8_t cdb[DW_CDB_MAX], before[DW_CDB_MAX];

		memset(cdb, 0xa5, sizeof(cdb));
		memcpy(before, cdb, sizeof(cdb));
		assert_int_equal(dw_cdb_fill_extent(cdb, refused[i].size, &refused[i].x),
				 refused[i].error);
		assert_memory_equal(cdb, before, sizeof(cdb));
	}
}

static void test_extent_edges(void **state)
{
	struct dw_cdb_extent last32 = { .verb = DW_EXTENT_WRITE,
					.lba = 0xffffffff,
					.nlb = 1 };
	struct dw_cdb_extent last64 = { .verb = DW_EXTENT_READ,
					.lba = UINT64_MAX,
					.nlb = 1 };
	uint8_t cdb[DW_CDB_MAX];

	expect(cdb, dw_cdb_fill_extent(cdb, 10, &last32), "2a 00 ffffffff 00 0001 00");
	expect(cdb, dw_cdb_fill_extent(cdb, 16, &last64),
	       "88 00 ffffffffffffffff 00000001 00 00");
}

/* Flags that are never filled in are still seen by the parser. */
static void test_parse_foreign(void **state)
{
	struct dw_cdb_extent x;
	uint8_t cdb[DW_CDB_MAX] = { 0 };

	unhex("93 f9 0000000000000010 00000000 00 00", cdb, sizeof(cdb));
	assert_int_equal(dw_cdb_parse(cdb, 16, &x), 0);
	assert_int_equal(x.flags, DW_EXTENT_ANCHOR | DW_EXTENT_UNMAP | DW_EXTENT_NDOB);
	assert_int_equal(x.protect, 7);
	assert_int_equal(x.nlb, 0);

	unhex("41 09 00000010 00 0001 00", cdb, sizeof(cdb));
	assert_int_equal(dw_cdb_parse(cdb, 10, &x), 0);
	assert_int_equal(x.flags, DW_EXTENT_UNMAP);

	unhex("35 02 00000010 00 0001 00", cdb, sizeof(cdb));
	assert_int_equal(dw_cdb_parse(cdb, 10, &x), 0);
	assert_int_equal(x.flags, DW_EXTENT_IMMED);
	assert_int_equal(x.protect, 0);

	cdb[0] = 0x48;
	assert_int_equal(dw_cdb_parse(cdb, 10, &x), -EOPNOTSUPP);
	assert_int_equal(dw_cdb_parse(cdb, 0, &x), -EINVAL);
}

static void test_random_round_trip(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (int i = 0; i < 100000; i++) {
		struct dw_cdb_extent x = {
			.verb = (uint8_t)dw_rng_below(&rng, DW_EXTENT_VERB_COUNT),
			.flags = (uint8_t)dw_rng_below(&rng, 8),
			.lba = dw_rng_next(&rng) >> dw_rng_below(&rng, 64),
			.nlb = (uint32_t)(dw_rng_next(&rng) >>
					  (32 + dw_rng_below(&rng, 32))),
		};
		unsigned int size = dw_rng_below(&rng, 2) ? 10 : 16;
		uint8_t cdb[DW_CDB_MAX];
		struct dw_cdb_extent back;
		int r = dw_cdb_fill_extent(cdb, size, &x);

		if (r < 0)
			continue;
		assert_int_equal(r, size);
		assert_int_equal(dw_cdb_len(cdb[0]), size);
		assert_int_equal(dw_cdb_parse(cdb, (size_t)r, &back), 0);
		expect_same(&back, &x);
	}
}

static void test_others(void **state)
{
	uint8_t c[DW_CDB_MAX];
	struct dw_mode_request caching = { .page = 8, .dbd = true, .alloc = 252 };
	struct dw_mode_request all = {
		.page = 0x3f, .subpage = 0xff, .pc = 1, .alloc = 0x1234
	};
	struct dw_rsoc_request ws = {
		.option = 1, .opcode = 0x93, .sa = 9, .rctd = true, .alloc = 64
	};
	struct dw_rsoc_request rc = {
		.option = 3, .opcode = 0x9e, .sa = 0x10, .alloc = 512
	};
	struct dw_rsoc_request list = { .option = 0, .opcode = 0x12, .alloc = 0x10000 };

	memset(c, 0xa5, sizeof(c));
	expect(c, dw_cdb_inquiry(c, -1, 36), "12 00 00 0024 00");
	expect(c, dw_cdb_inquiry(c, 0x83, 0x1fc), "12 01 83 01fc 00");
	expect(c, dw_cdb_test_unit_ready(c), "00 00 00 00 00 00");
	expect(c, dw_cdb_request_sense(c, true, 252), "03 01 00 00 fc 00");
	expect(c, dw_cdb_read_capacity10(c), "25 00 00000000 0000 00 00");
	expect(c, dw_cdb_read_capacity16(c, 32), "9e 10 0000000000000000 00000020 00 00");
	expect(c, dw_cdb_mode_sense(c, 6, &caching), "1a 08 08 00 fc 00");
	expect(c, dw_cdb_mode_sense(c, 10, &all), "5a 00 7f ff 000000 1234 00");
	expect(c, dw_cdb_mode_select(c, 6, 24), "15 10 00 00 18 00");
	expect(c, dw_cdb_mode_select(c, 10, 28), "55 10 00 00 000000 001c 00");
	expect(c, dw_cdb_log_sense(c, 0x02, 0x200), "4d 00 42 00 0000 00 0200 00");
	expect(c, dw_cdb_start(c), "1b 00 00 00 01 00");
	expect(c, dw_cdb_rsoc(c, &ws), "a3 0c 81 93 0000 00000040 00 00");
	expect(c, dw_cdb_rsoc(c, &rc), "a3 0c 03 9e 0010 00000200 00 00");
	expect(c, dw_cdb_rsoc(c, &list), "a3 0c 00 00 0000 00010000 00 00");
	expect(c, dw_cdb_pr_in(c, DW_SA_PR_READ_RESERVATION, 512),
	       "5e 01 00 00000000 0200 00");
	expect(c, dw_cdb_pr_out(c, DW_SA_PR_RESERVE, 1), "5f 01 01 0000 00000018 00");
	expect(c, dw_cdb_pr_out(c, DW_SA_PR_REGISTER_AND_IGNORE, 0),
	       "5f 06 00 0000 00000018 00");
	expect(c, dw_cdb_report_luns(c, 4096), "a0 00 00 000000 00001000 00 00");
}

static void test_others_refused(void **state)
{
	uint8_t c[DW_CDB_MAX];
	struct dw_mode_request m = { .page = 8, .alloc = 256 };
	struct dw_rsoc_request rsoc = { .option = 4 };

	assert_int_equal(dw_cdb_inquiry(c, 256, 36), -EINVAL);
	assert_int_equal(dw_cdb_inquiry(c, -2, 36), -EINVAL);
	assert_int_equal(dw_cdb_mode_sense(c, 6, &m), -ERANGE);
	assert_int_equal(dw_cdb_mode_sense(c, 12, &m), -EINVAL);
	m.page = 0x40;
	assert_int_equal(dw_cdb_mode_sense(c, 10, &m), -EINVAL);
	m = (struct dw_mode_request){ .pc = 4 };
	assert_int_equal(dw_cdb_mode_sense(c, 10, &m), -EINVAL);
	assert_int_equal(dw_cdb_log_sense(c, 0x40, 4), -EINVAL);
	assert_int_equal(dw_cdb_mode_select(c, 6, 256), -ERANGE);
	assert_int_equal(dw_cdb_mode_select(c, 16, 24), -EINVAL);
	assert_int_equal(dw_cdb_rsoc(c, &rsoc), -EINVAL);
	assert_int_equal(dw_cdb_pr_in(c, 4, 8), -EINVAL);
	assert_int_equal(dw_cdb_pr_out(c, 4, 1), -EINVAL); /* PREEMPT */
	assert_int_equal(dw_cdb_pr_out(c, DW_SA_PR_RESERVE, 0), -EINVAL);
	assert_int_equal(dw_cdb_pr_out(c, DW_SA_PR_RESERVE, 9), -EINVAL);
	assert_int_equal(dw_cdb_pr_out(c, DW_SA_PR_REGISTER, 1), -EINVAL);
	assert_int_equal(dw_cdb_report_luns(c, 15), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extent_golden),
		cmocka_unit_test(test_extent_refused),
		cmocka_unit_test(test_extent_edges),
		cmocka_unit_test(test_parse_foreign),
		cmocka_unit_test(test_random_round_trip),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_others_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
