/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MODE SENSE replies of several makes, cut at every byte, and the list that sets WCE. */
#include "unit.h"

#include "base/util.h"
#include "scsi/mode.h"

#define CACHING "88 12 04 00 ffff 0000 ffff ffff 80 14 00 00 00 00 00 00"

/* MODE SENSE(6), page 08h, without block descriptor */
static const char sense6[] = "17 00 10 00" CACHING;

/* MODE SENSE(10) of a SAS disk with block descriptor: all pages, one with a subpage */
static const char all10[] =
	"004e 00 90 00 00 0008 00000000 00 000200"
	"81 0a c0 0b ff 00 00 00 05 00 ffff" CACHING "8a 0a 06 10 08 80 00 00 ffff 0000"
	"5a 01 0010 00000000 00000000 00000000 00000000";

/* As the caller gets it: a heap block of exactly the bytes. */
static uint8_t *reply(const char *hex, size_t *ret_len)
{
	uint8_t buf[256], *copy;

	*ret_len = unhex(hex, buf, sizeof(buf));
	copy = malloc(*ret_len);
	assert_non_null(copy);
	memcpy(copy, buf, *ret_len);
	return copy;
}

static void test_header(void **state)
{
	struct dw_mode_header h;
	size_t len;
	uint8_t *d = reply(all10, &len);

	assert_int_equal(len, 0x50);
	assert_int_equal(dw_mode_header_parse(d, len, 10, &h), 0);
	assert_true(h.write_protect && h.dpofua);
	assert_int_equal(h.pages_at, 16);
	assert_int_equal(h.end, len);
	assert_int_equal(dw_mode_header_parse(d, len, 12, &h), -EINVAL);
	assert_int_equal(dw_mode_header_parse(d, 15, 10, &h), -EBADMSG);
	assert_int_equal(dw_mode_header_parse(d, 7, 10, &h), -EBADMSG);
	d[1] = 9; /* announces less than header and descriptor */
	assert_int_equal(dw_mode_header_parse(d, len, 10, &h), -EBADMSG);
	free(d);

	d = reply(sense6, &len);
	assert_int_equal(dw_mode_header_parse(d, len, 6, &h), 0);
	assert_false(h.write_protect);
	assert_true(h.dpofua);
	assert_int_equal(h.pages_at, 4);
	assert_int_equal(h.end, 24);
	assert_int_equal(dw_mode_header_parse(d, 3, 6, &h), -EBADMSG);
	free(d);
}

/* The first block descriptor, short and long, and those that say nothing. */
static void test_blocks(void **state)
{
	static const struct {
		const char *hex;
		unsigned int size;
		int r;
		uint64_t blocks;
	} cases[] = {
		{ "0b 00 00 08 00001000 00 000200", 6, 0, 0x1000 },
		{ "000e 00 00 00 00 0008 00001000 00 000200", 10, 0, 0x1000 },
		{ "0016 00 00 01 00 0010 0000000300000000 00000000 00000200", 10, 0,
		  UINT64_C(0x300000000) },
		{ "000e 00 00 00 00 0008 00001000 00 000208", 10, -ENODATA, 0 },
		{ "000e 00 00 00 00 0008 00000000 00 000200", 10, -ENODATA, 0 },
		{ "000e 00 00 00 00 0008 ffffffff 00 000200", 10, -ENODATA, 0 },
		{ "0016 00 00 01 00 0010 ffffffffffffffff 00000000 00000200", 10,
		  -ENODATA, 0 },
		{ "0006 00 00 00 00 0000", 10, -ENODATA, 0 },
		/* announced as long, and too short for that */
		{ "000e 00 00 01 00 0008 00001000 00 000200", 10, -ENODATA, 0 },
		{ "000e 00 00 00 00 0008 00001000", 10, -EBADMSG, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(cases); i++) {
		uint64_t blocks = 0;
		size_t len;
		uint8_t *d = reply(cases[i].hex, &len);

		assert_int_equal(dw_mode_blocks(d, len, cases[i].size, 512, &blocks),
				 cases[i].r);
		assert_int_equal(blocks, cases[i].blocks);
		free(d);
	}
}

static void test_pages(void **state)
{
	struct dw_mode_caching caching;
	struct dw_mode_recovery recovery;
	struct dw_mode_control control;
	const uint8_t *page;
	size_t len, n;
	uint8_t *d = reply(all10, &len);

	assert_int_equal(dw_mode_caching(d, len, 10, &caching), 0);
	assert_true(caching.wce);
	assert_false(caching.rcd);
	assert_int_equal(dw_mode_recovery(d, len, 10, &recovery), 0);
	assert_true(recovery.awre && recovery.arre);
	assert_int_equal(recovery.limit_ms, 0xffff);
	assert_int_equal(dw_mode_control(d, len, 10, &control), 0);
	assert_true(control.descriptor_sense && control.software_protect && control.ato);
	assert_int_equal(control.queue_algorithm, 1);
	assert_int_equal(dw_mode_page_find(d, len, 10, 0x1a, 1, &page, &n), 0);
	assert_int_equal(n, 20);
	assert_int_equal(dw_mode_page_find(d, len, 10, 0x1a, 0, &page, &n), -ENODATA);
	assert_int_equal(dw_mode_page_find(d, len, 10, 0x1c, 0, &page, &n), -ENODATA);
	free(d);
}

/* What a cut leaves is right, or is not there. */
static void test_cut(void **state)
{
	size_t full;
	uint8_t *d = reply(all10, &full);

	for (size_t len = 0; len < full; len++) {
		struct dw_mode_caching caching;
		struct dw_mode_recovery recovery;
		uint8_t *part = malloc(len ? len : 1);
		int r;

		assert_non_null(part);
		memcpy(part, d, len);
		r = dw_mode_caching(part, len, 10, &caching);
		assert_int_equal(r == 0, len >= 48);
		if (r == 0)
			assert_true(caching.wce);
		r = dw_mode_recovery(part, len, 10, &recovery);
		assert_int_equal(r == 0, len >= 28);
		free(part);
	}
	free(d);
}

static void test_stale(void **state)
{
	static const char *const bad[] = {
		"00 00 00 00 00 00 00 00 00 00 00 00",
		"12 34 56 78 9a bc de f0 11 22 33 44",
		"0017 00 10 00 00 0000 8a 0a 06 10 00 00 00 00 ffff 0000", /* another page */
		"000a 00 10 00 00 0000 08 00",       /* an empty page */
		"000a 00 10 00 00 0000 c8 00 00 00", /* subpage format */
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++) {
		struct dw_mode_caching caching;
		uint8_t list[64];
		size_t len;
		uint8_t *d = reply(bad[i], &len);
		const struct dw_mode_reply r = { d, len, 10 };

		assert_true(dw_mode_caching(d, len, 10, &caching) < 0);
		assert_true(dw_mode_fill_wce(&r, true, list, sizeof(list)) < 0);
		free(d);
	}
}

static void expect_list(const char *from, unsigned int size, bool wce, const char *hex)
{
	uint8_t list[64], want[64];
	size_t len, n = unhex(hex, want, sizeof(want));
	uint8_t *d = reply(from, &len);
	const struct dw_mode_reply r = { d, len, size };

	memset(list, 0xa5, sizeof(list));
	assert_int_equal(dw_mode_fill_wce(&r, wce, list, sizeof(list)), n);
	assert_memory_equal(list, want, n);
	assert_int_equal(dw_mode_fill_wce(&r, wce, list, n - 1), -ENOSPC);
	free(d);
}

static void test_fill_wce(void **state)
{
#define TAIL "00 ffff 0000 ffff ffff 80 14 00 00 00 00 00 00"
	expect_list(sense6, 6, false, "00 00 00 00 08 12 00" TAIL);
	expect_list(sense6, 6, true, "00 00 00 00 08 12 04" TAIL);
	expect_list(all10, 10, false, "0000 00 00 00 00 0000 08 12 00" TAIL);
	expect_list("0016 00 00 00 00 0000 88 0a 01 00 ffff 0000 ffff ffff 00 00 00 00",
		    10, true, "0000 00 00 00 00 0000 08 0a 05 00 ffff 0000 ffff ffff");
}

/* D_SENSE: the other bits of that byte, and the page behind, stay. */
static void test_fill_dsense(void **state)
{
	uint8_t list[64], want[64];
	size_t len, n = unhex("0000 00 00 00 00 0000 0a 0a 06 10 00 00 00 00 ffff 0000",
			      want, sizeof(want));
	uint8_t *d =
		reply("0012 00 00 00 00 0000 8a 0a 02 10 00 00 00 00 ffff 0000", &len);
	const struct dw_mode_reply r = { d, len, 10 };

	assert_int_equal(dw_mode_fill_dsense(&r, true, list, sizeof(list)), n);
	assert_memory_equal(list, want, n);
	want[10] = 0x02;
	assert_int_equal(dw_mode_fill_dsense(&r, false, list, sizeof(list)), n);
	assert_memory_equal(list, want, n);
	assert_true(dw_mode_fill_wce(&r, true, list, sizeof(list)) < 0);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),      cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_pages),       cmocka_unit_test(test_cut),
		cmocka_unit_test(test_stale),       cmocka_unit_test(test_fill_wce),
		cmocka_unit_test(test_fill_dsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
