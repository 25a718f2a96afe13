/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk does by itself: the commands that begin it, and what is told of it. */
#include "unit.h"

#include <errno.h>

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
		caps.self.operations = (uint8_t) ~(1u << rows[i].operation);
		assert_int_equal(dw_encode(&caps, &op, false, &cmd), -EINVAL);
		caps.self.operations = (uint8_t)(1u << rows[i].operation);
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

/* A flush, or who asks who it is, is told of work that a poll did not: no error. Others fail. */
static void test_works(void **state)
{
	static const struct {
		uint8_t verb, class;
	} rows[] = { { DW_VERB_FLUSH, DW_CLASS_RUNNING },
		     { DW_VERB_IDENTIFY, DW_CLASS_RUNNING },
		     { DW_VERB_WRITE, DW_CLASS_FAILED },
		     { DW_VERB_READ, DW_CLASS_FAILED } };

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_op op = { .verb = rows[i].verb, .nlb = 1 };
		struct dw_completion done = { .status = 2,
					      .sense_len = 18,
					      .sense = { 0x70, 0, 2, 0, 0, 0, 0, 10, 0, 0,
							 0, 0, 0x04, 0x1b } };
		struct dw_result r;

		dw_decode(&full, &op, &done, &r);
		assert_int_equal(rows[i].class, r.class);
	}
}

/* SANITIZE DEVICE has no data, and every bit of it is held to what it should be. */
static void test_ata_operate(void **state)
{
	static const struct {
		uint8_t operation;
		uint32_t permit;
		const char *cdb;
	} rows[] = {
		{ DW_OPERATION_OVERWRITE, DW_OPCLASS_OVERWRITE,
		  "85 07 20 00 14 00 11 5a 5a 57 5a 4f 5a 40 b4 00" },
		{ DW_OPERATION_BLOCK_ERASE, DW_OPCLASS_BLOCK_ERASE,
		  "85 07 20 00 12 00 10 42 72 00 45 00 6b 40 b4 00" },
		{ DW_OPERATION_CRYPTO_ERASE, DW_OPCLASS_CRYPTO_ERASE,
		  "85 07 20 00 11 00 10 43 70 00 79 00 72 40 b4 00" },
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

		caps.self.ata = true;
		assert_int_equal(dw_encode(&caps, &op, false, &cmd), -EINVAL);
		caps.self.operations = (uint8_t)(1u << rows[i].operation);
		assert_int_equal(dw_encode(&caps, &op, false, &cmd), 0);
		if (rows[i].operation == DW_OPERATION_OVERWRITE)
			dw_encode_pattern(&caps.self, 0x5a, list, &cmd);
		assert_int_equal(cmd.cdb_len, unhex(rows[i].cdb, want, sizeof(want)));
		assert_memory_equal(cmd.cdb, want, cmd.cdb_len);
		assert_null(cmd.data);
		assert_int_equal(cmd.data_len, 0);
		assert_int_equal(dw_guard_check(&target, &cmd), 0);
		cmd.flags |= DW_CMD_PASS_FENCE;
		assert_false(dw_guard_passes_fence(&cmd));
		assert_int_equal(dw_guard_destroys(&target, &cmd),
				 full.blocks * full.block_size);
		target.permits = ~rows[i].permit;
		assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
		target.permits = UINT32_MAX;
		cmd.data = list;
		cmd.data_len = sizeof(list);
		cmd.dir = DW_DIR_OUT;
		assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
		cmd.data_len = 0;
		assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
		cmd.dir = DW_DIR_NONE;
		for (unsigned int bit = 0; bit < 8 * 16u; bit++) {
			cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_int_equal(dw_guard_check(&target, &cmd), -EPERM);
			cmd.cdb[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

#define REGISTERS "72 01 00 1d 00 00 00 0e 09 0c 01 00"
#define ABORTED   "72 0b 00 00 00 00 00 0e 09 0c 01 04 00 00 00"

/* What an ATA disk tells is in registers, which come back with CHECK CONDITION. */
static void test_ata_poll(void **state)
{
	static const struct {
		uint8_t verb;
		const char *sense;
		uint8_t class;
		uint32_t progress;
		bool succeeded, untold, failed;
	} rows[] = {
		{ DW_VERB_POLL, REGISTERS "40 00 00 00 00 80 00 00 40 50",
		  DW_CLASS_RUNNING, 0x8000, false, false, false },
		{ DW_VERB_POLL, REGISTERS "c0 00 00 00 00 80 00 00 40 50",
		  DW_CLASS_RUNNING, 0x8000, false, false, false },
		{ DW_VERB_POLL, REGISTERS "80 00 00 ff 00 ff 00 00 40 50", DW_CLASS_OK, 0,
		  true, false, false },
		/* it does nothing, and no operation ended well */
		{ DW_VERB_POLL, REGISTERS "00 00 00 ff 00 ff 00 00 40 50", DW_CLASS_OK, 0,
		  false, false, false },
		{ DW_VERB_POLL, REGISTERS "20 00 00 ff 00 ff 00 00 40 50", DW_CLASS_OK, 0,
		  false, false, false },
		{ DW_VERB_POLL, "f0 00 01 00 50 40 00 0a c0 00 80 00 00 1d 00 00 00 00",
		  DW_CLASS_RUNNING, 0x8000, false, false, false },
		{ DW_VERB_POLL, "f0 00 01 00 50 40 00 0a c0 ff ff 00 00 1d 00 00 00 00",
		  DW_CLASS_OK, 0, false, true, false },
		{ DW_VERB_POLL, "", DW_CLASS_OK, 0, false, true, false },
		{ DW_VERB_POLL, ABORTED "01 00 00 00 00 40 51", DW_CLASS_OK, 0, false,
		  false, true },
		{ DW_VERB_POLL, "f0 00 0b 04 51 40 00 0a 80 01 00 00 00 00 00 00 00 00",
		  DW_CLASS_OK, 0, false, false, true },
		{ DW_VERB_POLL, ABORTED "00 00 00 00 00 40 51", DW_CLASS_FAILED, 0, false,
		  false, false },
		{ DW_VERB_POLL, "70 00 0b 00 00 00 00 0a 00 00 00 00 00 00 00 00 00 00",
		  DW_CLASS_RETRY, 0, false, false, false },
		{ DW_VERB_POLL, REGISTERS "80 00 00 ff 00 ff 00 00 40 d0", DW_CLASS_RETRY,
		  0, false, false, false },
		{ DW_VERB_POLL, "70 00 06 00 00 00 00 0a 00 00 00 00 29 01 00 00 00 00",
		  DW_CLASS_RESET, 0, false, false, false },
		{ DW_VERB_OPERATE, REGISTERS "40 00 00 00 00 00 00 00 40 50", DW_CLASS_OK,
		  0, false, false, false },
		{ DW_VERB_OPERATE, ABORTED "01 00 00 00 00 40 51", DW_CLASS_FAILED, 0,
		  false, false, true },
		{ DW_VERB_OPERATE, ABORTED "02 00 00 00 00 40 51", DW_CLASS_UNSUPPORTED,
		  0, false, false, false },
		{ DW_VERB_OPERATE, ABORTED "03 00 00 00 00 40 51", DW_CLASS_FAILED, 0,
		  false, false, false },
	};
	struct dw_caps caps = full;

	caps.self.ata = true;
	caps.self.operations = 1u << DW_OPERATION_BLOCK_ERASE;
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_op op = { .verb = rows[i].verb,
				    .operation = DW_OPERATION_BLOCK_ERASE };
		struct dw_cmd cmd = { .data = NULL };
		struct dw_completion done = { .cmd = &cmd };
		struct dw_result r;

		assert_int_equal(dw_encode(&caps, &op, false, &cmd), 0);
		assert_int_equal(cmd.cdb[0], 0x85);
		assert_int_equal(cmd.data_len, 0);
		done.sense_len = (uint8_t)unhex(rows[i].sense, done.sense, DW_SENSE_MAX);
		done.status = done.sense_len ? DW_STATUS_CHECK_CONDITION : DW_STATUS_GOOD;
		dw_decode(&caps, &op, &done, &r);
		assert_int_equal(r.class, rows[i].class);
		assert_int_equal(r.progress, rows[i].progress);
		assert_int_equal(r.ended == DW_ENDED_WELL, rows[i].succeeded);
		assert_int_equal(r.ended == DW_ENDED_UNREADABLE, rows[i].untold);
		assert_int_equal(r.ended == DW_ENDED_FAILED, rows[i].failed);
		assert_false(r.recovered);
		if (rows[i].class == DW_CLASS_OK && !rows[i].failed)
			assert_int_equal(r.sense_key, 0);
		done.host_status = 3; /* DID_TIME_OUT */
		dw_decode(&caps, &op, &done, &r);
		assert_int_equal(r.class, DW_CLASS_TIMEOUT);
		assert_false(r.ended);
		done.host_status = 0x0e; /* DID_TRANSPORT_DISRUPTED */
		dw_decode(&caps, &op, &done, &r);
		assert_false(r.ended);
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
		assert_int_equal(r.ended == DW_ENDED_WELL, rows[i].succeeded);
		done.host_status = 3; /* DID_TIME_OUT */
		dw_decode(&full, &op, &done, &r);
		assert_int_equal(r.class, DW_CLASS_TIMEOUT);
		assert_int_not_equal(r.ended, DW_ENDED_WELL);
	}
}

/* What ends with its command has twice the stated time. The codec has it for NVMe disks alone. */
static void test_blocking(void **state)
{
	struct dw_caps caps = full;
	struct dw_cmd cmd = { .data = NULL };

	caps.blocks = UINT64_C(20000000000);
	caps.block_size = 1000;
	for (unsigned int o = 1; o < DW_OPERATION_COUNT; o++) {
		struct dw_op op = { .verb = DW_VERB_OPERATE, .operation = (uint8_t)o };
		bool blocks = o >= DW_OPERATION_ATA_NORMAL;

		assert_int_equal(dw_operation_blocks(o), blocks);
		caps.self.operations = (uint8_t)(1u << o);
		assert_int_equal(dw_encode(&caps, &op, false, &cmd),
				 blocks ? -EINVAL : 0);
		caps.self.nvme = blocks;
		assert_int_equal(dw_encode(&caps, &op, false, &cmd),
				 dw_operation_secures(o) ? -EINVAL : 0);
		caps.self.nvme = false;
		caps.self.ns[o] = 0;
		assert_int_equal(dw_operation_timeout_ms(&caps, o),
				 blocks ? 800000000 : 60000);
		caps.self.ns[o] = 120 * DW_NS_PER_S;
		assert_int_equal(dw_operation_timeout_ms(&caps, o),
				 blocks ? 1800000 : 60000);
		caps.self.ns[o] = 10 * 3600 * DW_NS_PER_S;
		assert_int_equal(dw_operation_timeout_ms(&caps, o),
				 blocks ? 72000000 : 60000);
		caps.self.ns[o] = 65000 * 60 * DW_NS_PER_S;
		assert_int_equal(dw_operation_timeout_ms(&caps, o),
				 blocks ? 1209600000 : 60000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operate),     cmocka_unit_test(test_works),
		cmocka_unit_test(test_ata_operate), cmocka_unit_test(test_ata_poll),
		cmocka_unit_test(test_poll),        cmocka_unit_test(test_blocking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
