/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk does by itself: the commands that begin it, and what is told of it. */
#include "unit.h"

#include "base/util.h"
#include "codec/encode.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

static const struct dw_caps full = { .scsi = true, .blocks = 1000, .block_size = 512 };

/* SANITIZE goes out as it is here, to a disk that offers it and that is permitted to get it. */
static void test_operate(void **state)
{
	static const struct {
		uint8_t operation;
		uint32_t permit;
		const char *cdb;
		uint32_t data_len;
	} rows[] = {
		{ DW_OPERATION_OVERWRITE, DW_OPCLASS_OVERWRITE,
		  "48 a1 00 00 00 00 00 00 08 00", 8 },
		{ DW_OPERATION_BLOCK_ERASE, DW_OPCLASS_BLOCK_ERASE,
		  "48 a2 00 00 00 00 00 00 00 00", 0 },
		{ DW_OPERATION_CRYPTO_ERASE, DW_OPCLASS_CRYPTO_ERASE,
		  "48 a3 00 00 00 00 00 00 00 00", 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_op op = { .verb = DW_VERB_OPERATE,
				    .operation = rows[i].operation };
		struct dw_target target = { .blocks = full.blocks,
					    .block_size = full.block_size,
					    .permits = rows[i].permit };
		uint8_t list[DW_SANITIZE_LIST_LEN], want[DW_CDB_MAX];
		struct dw_caps caps = full;
		struct dw_cmd cmd = { .data = NULL };

		assert_int_equal(dw_encode(&caps, &op, false, &cmd), -EINVAL);
		caps.operations = (uint8_t) ~(1u << rows[i].operation);
		assert_int_equal(dw_encode(&caps, &op, false, &cmd), -EINVAL);
		caps.operations = (uint8_t)(1u << rows[i].operation);
		assert_int_equal(dw_encode(&caps, &op, false, &cmd), 0);
		assert_int_equal(cmd.cdb_len, unhex(rows[i].cdb, want, sizeof(want)));
		assert_memory_equal(cmd.cdb, want, cmd.cdb_len);
		assert_int_equal(cmd.data_len, rows[i].data_len);
		dw_sanitize_list(list, 0x5a);
		cmd.data = rows[i].data_len ? list : NULL;
		assert_int_equal(dw_guard_check(&target, &cmd), 0);
		cmd.flags |= DW_CMD_PASS_FENCE;
		assert_false(dw_guard_passes_fence(&cmd));
		target.permits = ~rows[i].permit;
		assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
		target.permits = UINT32_MAX;
		assert_int_equal(dw_guard_destroys(&target, &cmd),
				 full.blocks * full.block_size);
		for (unsigned int bit = 0; bit < 8 * rows[i].data_len; bit++) {
			uint8_t *byte = &list[bit / 8];

			*byte ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
			*byte ^= (uint8_t)(1u << bit % 8);
		}
		/* two of the three ways have no data, and differ by one bit */
		for (unsigned int bit = 8; bit < 8 * 10u; bit++) {
			bool other = bit == 8 && !rows[i].data_len;

			cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_guard_check(&target, &cmd),
					 other ? 0 : -EPERM);
			cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

/* What REQUEST SENSE tells is data, with good status. */
static void test_poll(void **state)
{
	static const struct {
		const char *sense;
		uint8_t class;
		uint32_t progress;
		bool succeeded;
	} rows[] = {
		{ "70 00 02 00000000 0a 00000000 04 1b 00 80 8000", DW_CLASS_RUNNING,
		  0x8000, false },
		{ "70 00 02 00000000 0a 00000000 04 1b 00 00 0000", DW_CLASS_RUNNING, 0,
		  false },
		{ "72 02 04 1b 00 00 00 08 02 06 00 00 80 4000 00", DW_CLASS_RUNNING,
		  0x4000, false },
		/* some tell it as progress without an error */
		{ "70 00 00 00000000 0a 00000000 04 1b 00 80 ffff", DW_CLASS_RUNNING,
		  0xffff, false },
		{ "70 00 00 00000000 0a 00000000 00 00 00 00 0000", DW_CLASS_OK, 0,
		  true },
		{ "70 00 03 00000000 0a 00000000 31 03 00 00 0000", DW_CLASS_OK, 0,
		  false },
		{ "72 03 31 03 00 00 00 00", DW_CLASS_OK, 0, false },
		{ "70 00 06 00000000 0a 00000000 29 01 00 00 0000", DW_CLASS_RESET, 0,
		  false },
		{ "70 00 02 00000000 0a 00000000 04 04 00 80 1000", DW_CLASS_FAILED,
		  0x1000, false },
		{ "00 00 00 00 00 00 00 00", DW_CLASS_RETRY, 0, false },
		{ "", DW_CLASS_RETRY, 0, false },
	};
	const struct dw_op op = { .verb = DW_VERB_POLL };

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t data[DW_POLL_LEN] = { 0 };
		struct dw_cmd cmd = { .data = data };
		struct dw_completion done = { .cmd = &cmd };
		struct dw_result r;
		size_t n = unhex(rows[i].sense, data, sizeof(data));

		assert_int_equal(dw_encode(&full, &op, false, &cmd), 0);
		assert_int_equal(cmd.cdb[0], 0x03);
		assert_int_equal(cmd.data_len, DW_POLL_LEN);
		done.resid = (int32_t)(DW_POLL_LEN - n);
		dw_decode(&full, &op, &done, &r);
		assert_int_equal(r.class, rows[i].class);
		assert_int_equal(r.progress, rows[i].progress);
		assert_int_equal(r.succeeded, rows[i].succeeded);
		done.host_status = 3; /* DID_TIME_OUT */
		dw_decode(&full, &op, &done, &r);
		assert_int_equal(r.class, DW_CLASS_TIMEOUT);
		assert_false(r.succeeded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operate),
		cmocka_unit_test(test_poll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
