/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a self-encrypting disk says of its locks, and the one question that may be asked. */
#include "unit.h"

#include "base/util.h"
#include "scsi/cmd.h"
#include "scsi/opcodes.h"
#include "scsi/tcg.h"

/* TPer, Locking, Opal 2, as an SSD sends them; the flags of the locks are byte 68 */
static const char reply[] =
	"00000060 00000001 0000000000000000"
	"0000000000000000 0000000000000000 0000000000000000 0000000000000000"
	"0001 10 0c 110000000000000000000000"
	"0002 10 0c 090000000000000000000000"
	"0203 10 10 10000001000000000000000000000000";

static int ask(uint8_t flags, size_t cut, enum dw_lock *ret)
{
	uint8_t buf[256], *copy;
	size_t n = unhex(reply, buf, sizeof(buf));
	int r;

	assert_int_equal(n, 100);
	buf[68] = flags;
	n = n > cut ? cut : n;
	copy = malloc(n ? n : 1); /* exactly the bytes: what is read beyond is seen */
	assert_non_null(copy);
	memcpy(copy, buf, n);
	r = dw_tcg_lock(copy, n, ret);
	free(copy);
	return r;
}

static void test_flags(void **state)
{
	static const struct {
		uint8_t flags;
		enum dw_lock lock;
	} rows[] = {
		{ 0x00, DW_LOCK_NONE }, { 0x06, DW_LOCK_NONE }, /* it has none */
		{ 0x01, DW_LOCK_OPEN }, { 0x09, DW_LOCK_OPEN },
		{ 0x0b, DW_LOCK_OPEN }, { 0x0d, DW_LOCK_OPEN }, /* none is in force */
		{ 0x0f, DW_LOCK_SHUT }, { 0x07, DW_LOCK_SHUT },
		{ 0x1b, DW_LOCK_SHUT }, /* a shadow stands before the first blocks */
		{ 0x3b, DW_LOCK_OPEN }, /* it is put away */
		{ 0x3f, DW_LOCK_SHUT }, { 0x19, DW_LOCK_OPEN },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		enum dw_lock lock = DW_LOCK_NONE;

		assert_int_equal(ask(rows[i].flags, SIZE_MAX, &lock), 0);
		assert_int_equal(lock, rows[i].lock);
	}
}

static void test_cut(void **state)
{
	enum dw_lock lock;

	for (size_t cut = 0; cut <= 100; cut++) {
		assert_int_equal(ask(0x0f, cut, &lock), cut < 48 ? -EBADMSG : 0);
		if (cut >= 48)
			assert_int_equal(lock, cut < 80 ? DW_LOCK_NONE : DW_LOCK_SHUT);
	}
}

static void test_nonsense(void **state)
{
	uint8_t buf[DW_TCG_LEN] = { 0 };
	enum dw_lock lock;

	assert_int_equal(dw_tcg_lock(buf, sizeof(buf), &lock), -EBADMSG);
	memset(buf, 0xff, sizeof(buf));
	assert_int_equal(dw_tcg_lock(buf, sizeof(buf), &lock), -EBADMSG);
}

/* Each other byte would be another question, or an answer of another length. */
static void test_question(void **state)
{
	uint8_t cdb[DW_CDB_MAX], want[DW_CDB_MAX];

	unhex("a2 01 0001 00 00 00000200 00 00", want, sizeof(want));
	assert_int_equal(dw_cdb_tcg_discovery(cdb), 12);
	assert_memory_equal(cdb, want, 12);
	assert_int_equal(dw_opcode_class(cdb, 12), DW_OPCLASS_READ);
	assert_int_equal(dw_opcode_class(cdb, 11), DW_OPCLASS_NEVER);
	for (size_t i = 0; i < 12; i++)
		for (unsigned int x = 1; x < 256; x++) {
			memcpy(cdb, want, sizeof(cdb));
			cdb[i] ^= (uint8_t)x;
			if (i)
				assert_int_equal(dw_opcode_class(cdb, 12),
						 DW_OPCLASS_NEVER);
			else
				assert_false(cdb[0] == 0xb5 && dw_opcode_class(cdb, 12) !=
								       DW_OPCLASS_NEVER);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
