/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FORMAT UNIT and block descriptors: the bytes, and that the guard lets no others out. */
#include "unit.h"

#include "base/util.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

#define PERMITS (DW_OPCLASS_READ | DW_OPCLASS_CONTROL | DW_OPCLASS_WRITE)

static void assert_bytes(const char *hex, const uint8_t *got, size_t len)
{
	uint8_t want[DW_CDB_MAX];

	assert_int_equal(unhex(hex, want, sizeof(want)), len);
	assert_memory_equal(got, want, len);
}

static void test_bytes(void **state)
{
	static const struct {
		const char *cdb;
		const char *list;
	} rows[DW_PROTECTION_TYPES] = {
		{ "04 10 00 00 00 00", "00 02 00 00" },
		{ "04 90 00 00 00 00", "00 02 00 00" },
		{ "04 d0 00 00 00 00", "00 02 00 00" },
		{ "04 d0 00 00 00 00", "01 02 00 00" },
	};
	uint8_t cdb[DW_CDB_MAX], list[DW_FORMAT_LIST_LEN];

	for (uint8_t pi = 0; pi < DW_PROTECTION_TYPES; pi++) {
		assert_int_equal(dw_cdb_format(cdb, pi), 6);
		dw_format_list(list, pi);
		assert_bytes(rows[pi].cdb, cdb, 6);
		assert_bytes(rows[pi].list, list, 4);
	}
	assert_int_equal(dw_cdb_format(cdb, DW_PROTECTION_TYPES), -EINVAL);
}

static void test_descriptors(void **state)
{
	static const struct {
		struct dw_block_descriptor d;
		const char *hex;
	} rows[] = {
		{ { 6, false, 520 }, "00 00 00 08 00000000 00 000208" },
		{ { 10, false, 512 }, "0000 00 00 00 00 0008 00000000 00 000200" },
		{ { 10, true, 4096 },
		  "0000 00 00 01 00 0010 0000000000000000 00000000 00001000" },
	};
	const struct dw_block_descriptor bad[] = { { 6, true, 512 },
						   { 12, false, 512 },
						   { 10, false, 1024 } };
	uint8_t list[DW_LENGTH_LIST_MAX];

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_block_descriptor d;
		int len = dw_block_descriptor_list(&rows[i].d, list);

		assert_true(len > 0);
		assert_bytes(rows[i].hex, list, (size_t)len);
		/* as a reply, which counts its bytes */
		list[rows[i].d.size == 6 ? 0 : 1] =
			(uint8_t)(len - (rows[i].d.size == 6 ? 1 : 2));
		assert_int_equal(
			dw_block_descriptor_parse(list, (size_t)len, rows[i].d.size, &d),
			0);
		assert_int_equal(d.block_size, rows[i].d.block_size);
		assert_int_equal(d.wide, rows[i].d.wide);
		assert_true(dw_block_descriptor_parse(list, (size_t)len - 1,
						      rows[i].d.size, &d) < 0);
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(bad); i++)
		assert_int_equal(dw_block_descriptor_list(&bad[i], list), -EINVAL);
}

/* With the permit these bytes and no others; every bit is changed once. */
static void check_alone(struct dw_cmd *cmd, uint8_t *data)
{
	struct dw_target t = { .permits = PERMITS, .block_size = 512, .blocks = 8 };
	struct dw_block_descriptor d;

	assert_int_equal(dw_guard_check(&t, cmd), -EPERM);
	t.permits |= DW_OPCLASS_FORMAT;
	assert_int_equal(dw_guard_check(&t, cmd), 0);
	for (unsigned int bit = 0; bit < 8u * cmd->data_len; bit++) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* another known length or type is as good; without a descriptor it has pages */
		if (!dw_format_fits(cmd->cdb, data, cmd->data_len) &&
		    (!dw_block_descriptor_fits(cmd->cdb, data, cmd->data_len, &d) ||
		     d.unclips) &&
		    (cmd->cdb[0] == DW_OPCODE_FORMAT_UNIT ||
		     dw_mode_select_blocks(cmd->cdb, data, cmd->data_len)))
			assert_int_equal(dw_guard_check(&t, cmd), -EPERM);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (uint8_t bit = 0; bit < 8; bit++) {
		cmd->cdb[2] ^= (uint8_t)(1u << bit);
		assert_int_equal(dw_guard_check(&t, cmd), -EPERM);
		cmd->cdb[2] ^= (uint8_t)(1u << bit);
	}
	cmd->data_len--;
	assert_int_equal(dw_guard_check(&t, cmd), -EPERM);
	cmd->data_len++;
}

static void test_guard(void **state)
{
	const struct dw_block_descriptor d = { .size = 10, .block_size = 512 };
	struct dw_block_descriptor got;
	uint8_t data[DW_LENGTH_LIST_MAX];
	struct dw_cmd cmd = { .dir = DW_DIR_OUT, .data = data };

	cmd.cdb_len = (uint8_t)dw_cdb_format(cmd.cdb, 0);
	cmd.data_len = DW_FORMAT_LIST_LEN;
	dw_format_list(data, 0);
	check_alone(&cmd, data);
	assert_int_equal(
		dw_guard_destroys(&(struct dw_target){ .block_size = 512, .blocks = 8 },
				  &cmd),
		4096);
	data[1] = 0x82; /* FOV */
	assert_false(dw_format_fits(cmd.cdb, data, 4));
	data[1] = 0; /* not IMMED */
	assert_false(dw_format_fits(cmd.cdb, data, 4));
	dw_format_list(data, 0);
	cmd.cdb[1] = 0; /* without the list */
	assert_false(dw_format_fits(cmd.cdb, data, 4));

	cmd.data_len = (uint32_t)dw_block_descriptor_list(&d, data);
	cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, 10, (uint16_t)cmd.data_len);
	check_alone(&cmd, data);
	cmd.cdb[1] |= DW_MODE_SELECT_SP;
	check_alone(&cmd, data);
	cmd.cdb[1] &= (uint8_t)~DW_MODE_SELECT_SP;
	data[8 + 3] = 1; /* a number of blocks clips the disk */
	assert_false(dw_block_descriptor_fits(cmd.cdb, data, cmd.data_len, &got));
}

/* Pages are never saved, and the number of blocks is not, whatever is permitted. */
static void test_saved(void **state)
{
	const struct dw_target t = { .permits = PERMITS | DW_OPCLASS_FORMAT |
						DW_OPCLASS_UNCLIP,
				     .block_size = 512,
				     .blocks = 8 };
	const struct dw_block_descriptor all = { .size = 10,
						 .block_size = 512,
						 .unclips = true };
	uint8_t data[DW_LENGTH_LIST_MAX] = { [8] = 0x08, [9] = 4 };
	struct dw_cmd cmd = { .dir = DW_DIR_OUT, .data = data, .data_len = 14 };

	cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, 10, 14);
	assert_int_equal(dw_guard_check(&t, &cmd), 0);
	cmd.cdb[1] |= DW_MODE_SELECT_SP;
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	cmd.data_len = (uint32_t)dw_block_descriptor_list(&all, data);
	cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, 10, (uint16_t)cmd.data_len);
	assert_int_equal(dw_guard_check(&t, &cmd), 0);
	cmd.cdb[1] |= DW_MODE_SELECT_SP;
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
}

static void test_unclip(void **state)
{
	static const struct {
		struct dw_block_descriptor d;
		const char *hex;
	} rows[] = {
		{ { 6, false, 520, true }, "00 00 00 08 ffffffff 00 000208" },
		{ { 10, false, 2048, true }, "0000 00 00 00 00 0008 ffffffff 00 000800" },
		{ { 10, true, 4096, true },
		  "0000 00 00 01 00 0010 ffffffffffffffff 00000000 00001000" },
	};
	uint8_t data[DW_LENGTH_LIST_MAX];
	struct dw_cmd cmd = { .dir = DW_DIR_OUT, .data = data };

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		const struct dw_block_descriptor *d = &rows[i].d;
		struct dw_target t = { .block_size = d->block_size, .blocks = 8 };

		cmd.data_len = (uint32_t)dw_block_descriptor_list(d, data);
		assert_bytes(rows[i].hex, data, cmd.data_len);
		cmd.cdb_len = (uint8_t)dw_cdb_mode_select(cmd.cdb, d->size,
							  (uint16_t)cmd.data_len);
		t.permits = PERMITS | DW_OPCLASS_FORMAT | DW_OPCLASS_ATA_RAISE;
		assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
		t.permits = PERMITS | DW_OPCLASS_UNCLIP;
		assert_int_equal(dw_guard_check(&t, &cmd), 0);
		assert_int_equal(dw_guard_destroys(&t, &cmd), 0);
		t.block_size++; /* its blocks keep their length */
		assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
		t.block_size--;
		for (unsigned int bit = 0; bit < 8u * cmd.data_len; bit++) {
			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (dw_mode_select_blocks(cmd.cdb, data, cmd.data_len))
				assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

/* The permit is for one command and one sector. */
static void test_raise(void **state)
{
	static const uint32_t permit[DW_ATA_RAISE_COUNT] = {
		[DW_ATA_SET_MAX_EXT] = DW_OPCLASS_SET_MAX,
		[DW_ATA_SET_ACCESSIBLE_MAX] = DW_OPCLASS_ACCESSIBLE_MAX,
		[DW_ATA_DCO_RESTORE] = DW_OPCLASS_OVERLAY_OFF,
	};
	struct dw_cmd cmd = { .cdb_len = 16 };

	for (unsigned int i = 0; i < DW_ATA_RAISE_COUNT; i++) {
		struct dw_target t = { .block_size = 512,
				       .blocks = 8,
				       .raise_last = UINT64_C(0x123456789a) };

		dw_cdb_ata_raise(cmd.cdb, (enum dw_ata_raise)i, t.raise_last);
		t.permits = ~permit[i];
		assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
		t.permits = permit[i];
		assert_int_equal(dw_guard_check(&t, &cmd), 0);
		assert_int_equal(dw_guard_destroys(&t, &cmd), 0);
		assert_false(dw_guard_passes_fence(&cmd));
		cmd.dir = DW_DIR_OUT;
		assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
		cmd.dir = DW_DIR_NONE;
		t.raise_last--;
		assert_int_equal(dw_guard_check(&t, &cmd),
				 i == DW_ATA_DCO_RESTORE ? 0 : -EPERM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),  cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_guard),  cmocka_unit_test(test_saved),
		cmocka_unit_test(test_unclip), cmocka_unit_test(test_raise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
