/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encoding against golden CDBs; decoding against a table with a line for each policy
 * decision, and against a statement of "OK" written down here a second time and tried on
 * a million random completions.
 */
#include "unit.h"

#include "base/be.h"
#include "base/rng.h"
#include "base/util.h"
#include "codec/encode.h"
#include "scsi/opcodes.h"
#include "transport/guard.h"

static const struct dw_caps full = {
	.blocks = UINT64_C(0x200000000),
	.block_size = 512,
	.scsi = true,
	.rw16 = true,
	.same.cdb10 = true,
	.same.cdb16 = true,
	.same.ndob = true,
	.cache.sync10 = true,
	.cache.sync16 = true,
	.fua = true,
	.cache.wce = DW_YES,
};

static const struct dw_caps old = {
	.blocks = UINT64_C(0x200000000),
	.block_size = 4096,
	.scsi = true,
	.same.cdb10 = true,
	.cache.sync10 = true,
};

struct encoded {
	const struct dw_caps *caps;
	struct dw_op op;
	bool zeros;
	uint8_t dir;
	uint32_t data_len;
	const char *hex;
};

static const struct encoded golden[] = {
	{ &full,
	  { .verb = DW_VERB_WRITE, .lba = 0x100000000, .nlb = 2048 },
	  true,
	  DW_DIR_OUT,
	  1048576,
	  "8a 00 0000000100000000 00000800 00 00" },
	{ &full,
	  { .verb = DW_VERB_READ, .lba = 7, .nlb = 1, .flags = DW_OP_FUA },
	  false,
	  DW_DIR_IN,
	  512,
	  "88 08 0000000000000007 00000001 00 00" },
	{ &full,
	  { .verb = DW_VERB_WRITE_SAME, .lba = 8, .nlb = 0x20000 },
	  false,
	  DW_DIR_OUT,
	  512,
	  "93 00 0000000000000008 00020000 00 00" },
	{ &full,
	  { .verb = DW_VERB_WRITE_SAME, .lba = 8, .nlb = 0x20000 },
	  true,
	  DW_DIR_NONE,
	  0,
	  "93 01 0000000000000008 00020000 00 00" },
	{ &full,
	  { .verb = DW_VERB_FLUSH },
	  false,
	  DW_DIR_NONE,
	  0,
	  "91 00 0000000000000000 00000000 00 00" },
	{ &full, { .verb = DW_VERB_READY }, false, DW_DIR_NONE, 0, "00 00 00 00 00 00" },
	{ &full, { .verb = DW_VERB_START }, false, DW_DIR_NONE, 0, "1b 00 00 00 01 00" },
	{ &old,
	  { .verb = DW_VERB_WRITE, .lba = 0xffffffff, .nlb = 1 },
	  false,
	  DW_DIR_OUT,
	  4096,
	  "2a 00 ffffffff 00 0001 00" },
	{ &old,
	  { .verb = DW_VERB_READ, .lba = 0, .nlb = 0xffff, .flags = DW_OP_FUA },
	  false,
	  DW_DIR_IN,
	  0xffff * 4096,
	  "28 00 00000000 00 ffff 00" },
	{ &old,
	  { .verb = DW_VERB_WRITE_SAME, .lba = 1, .nlb = 0xffff },
	  true,
	  DW_DIR_OUT,
	  4096,
	  "41 00 00000001 00 ffff 00" },
	{ &old,
	  { .verb = DW_VERB_FLUSH },
	  false,
	  DW_DIR_NONE,
	  0,
	  "35 00 00000000 00 0000 00" },
};

static void test_encode(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(golden); i++) {
		const struct encoded *g = &golden[i];
		uint8_t want[DW_CDB_MAX] = { 0 };
		struct dw_cmd cmd;

		memset(&cmd, 0xa5, sizeof(cmd));
		cmd.flags = DW_CMD_CONST | DW_CMD_PASS_FENCE;
		assert_int_equal(dw_encode(g->caps, &g->op, g->zeros, &cmd), 0);
		assert_int_equal(cmd.cdb_len, unhex(g->hex, want, sizeof(want)));
		assert_memory_equal(cmd.cdb, want, sizeof(want));
		assert_int_equal(cmd.dir, g->dir);
		assert_int_equal(cmd.data_len, g->data_len);
		assert_int_equal(cmd.flags, DW_CMD_CONST);
		assert_true(cmd.timeout_ms >= 20000);
		assert_int_equal(cmd.cookie, UINT64_C(0xa5a5a5a5a5a5a5a5));
		assert_int_not_equal(dw_opcode_class(cmd.cdb, cmd.cdb_len),
				     DW_OPCLASS_NEVER);
	}
}

static void test_encode_flags(void **state)
{
	struct dw_op op = { .verb = DW_VERB_READY,
			    .flags = DW_OP_RECOVERY,
			    .timeout_ms = 1234 };
	struct dw_cmd cmd = { .flags = DW_CMD_CONST };

	assert_int_equal(dw_encode(&full, &op, false, &cmd), 0);
	assert_int_equal(cmd.flags, DW_CMD_CONST | DW_CMD_PASS_FENCE);
	assert_int_equal(cmd.timeout_ms, 1234);
}

static void test_encode_refused(void **state)
{
	struct dw_caps capped = full, none = full, bare = full;
	struct {
		const struct dw_caps *caps;
		struct dw_op op;
		int error;
	} const t[] = {
		{ &full, { .verb = DW_VERB_WRITE }, -EINVAL },
		{ &full, { .verb = DW_VERB_WRITE_SAME }, -EINVAL },
		{ &full,
		  { .verb = DW_VERB_WRITE, .lba = full.blocks, .nlb = 1 },
		  -EINVAL },
		{ &full,
		  { .verb = DW_VERB_READ, .lba = full.blocks - 1, .nlb = 2 },
		  -EINVAL },
		{ &full, { .verb = DW_VERB_READ, .lba = UINT64_MAX, .nlb = 2 }, -EINVAL },
		{ &full, { .verb = DW_VERB_IDENTIFY }, -EINVAL },
		{ &full, { .verb = DW_VERB_COUNT }, -EINVAL },
		{ &full, { .verb = DW_VERB_WRITE, .nlb = 0x800000 }, -ERANGE },
		{ &old, { .verb = DW_VERB_WRITE, .lba = 0xffffffff, .nlb = 2 }, -ERANGE },
		{ &old, { .verb = DW_VERB_WRITE, .nlb = 0x10000 }, -ERANGE },
		{ &old, { .verb = DW_VERB_WRITE_SAME, .nlb = 0x10000 }, -ERANGE },
		{ &old,
		  { .verb = DW_VERB_WRITE_SAME, .lba = 0x100000000, .nlb = 1 },
		  -ERANGE },
		{ &capped, { .verb = DW_VERB_WRITE_SAME, .nlb = 4097 }, -ERANGE },
		{ &none, { .verb = DW_VERB_WRITE_SAME, .nlb = 1 }, -ERANGE },
		{ &bare, { .verb = DW_VERB_WRITE, .nlb = 1 }, -EINVAL },
	};

	capped.same.max = 4096;
	none.same.cdb10 = none.same.cdb16 = false;
	bare.block_size = 0;
	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		struct dw_cmd cmd, before;

		memset(&cmd, 0xa5, sizeof(cmd));
		memcpy(&before, &cmd, sizeof(cmd));
		assert_int_equal(dw_encode(t[i].caps, &t[i].op, false, &cmd), t[i].error);
		assert_memory_equal(&cmd, &before, sizeof(cmd));
	}
}

static void test_flush_of_unknown_disk(void **state)
{
	struct dw_caps caps = { .blocks = 1, .block_size = 512 };
	struct dw_op op = { .verb = DW_VERB_FLUSH };
	struct dw_cmd cmd = { 0 };

	assert_int_equal(dw_encode(&caps, &op, false, &cmd), 0);
	assert_int_equal(cmd.cdb[0], 0x35);
	assert_int_equal(cmd.cdb[1], 0);
}

static void test_timeouts(void **state)
{
	struct dw_caps caps = full;

	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE, 1 << 20), 60000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_READ, 100000000), 120000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE_SAME, 100000000), 110000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_FLUSH, 0), 180000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_START, 0), 120000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_READY, 0), 20000);
	caps.zoned = 2;
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE, 512), 120000);
	caps.timeout_s = 300;
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE, 512), 300000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_READY, 0), 20000);
	caps.timeout_s = UINT32_MAX;
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE, 512), 86400000);
	assert_int_equal(dw_op_timeout_ms(&caps, DW_VERB_WRITE_SAME, UINT64_MAX),
			 86400000);
}

static const struct dw_op write_op = {
	.verb = DW_VERB_WRITE, .lba = 1000, .nlb = 100, .disk = 3, .slot = 9
};

/* A completion with fixed sense data. */
static struct dw_completion checked(uint8_t key, uint8_t asc, uint8_t ascq)
{
	struct dw_completion c = { .status = 2, .sense_len = 18, .driver_status = 8 };

	c.sense[0] = 0x70;
	c.sense[2] = key;
	c.sense[7] = 10;
	c.sense[12] = asc;
	c.sense[13] = ascq;
	return c;
}

static struct dw_result decode(const struct dw_completion *c)
{
	struct dw_result r;

	memset(&r, 0xa5, sizeof(r));
	dw_decode(&full, &write_op, c, &r);
	return r;
}

static const struct {
	uint8_t key, asc, ascq, class;
} sense_table[] = {
	{ 0x0, 0x00, 0x00, DW_CLASS_OK },
	{ 0x0, 0x5d, 0x10, DW_CLASS_OK },
	{ 0x1, 0x00, 0x1d, DW_CLASS_OK },
	{ 0x1, 0x0c, 0x01, DW_CLASS_OK },
	{ 0x1, 0x17, 0x01, DW_CLASS_OK },
	{ 0x1, 0x18, 0x00, DW_CLASS_OK },
	{ 0x1, 0x5d, 0x00, DW_CLASS_OK },
	{ 0x2, 0x04, 0x00, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x01, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x02, DW_CLASS_NEEDS_START },
	{ 0x2, 0x04, 0x03, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x04, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x07, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x09, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x0a, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x0b, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x0c, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x11, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x12, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x1a, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x1b, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x1c, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x20, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x21, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x22, DW_CLASS_FAILED },
	{ 0x2, 0x04, 0x23, DW_CLASS_NOT_READY },
	{ 0x2, 0x04, 0x24, DW_CLASS_FAILED },
	{ 0x2, 0x30, 0x00, DW_CLASS_FAILED },
	{ 0x2, 0x31, 0x00, DW_CLASS_FAILED },
	{ 0x2, 0x3a, 0x00, DW_CLASS_FAILED },
	{ 0x2, 0x3a, 0x02, DW_CLASS_FAILED },
	{ 0x2, 0x3e, 0x00, DW_CLASS_NOT_READY },
	{ 0x2, 0x4c, 0x00, DW_CLASS_FAILED },
	{ 0x2, 0x74, 0x71, DW_CLASS_PROTECTED },
	{ 0x3, 0x03, 0x00, DW_CLASS_MEDIUM },
	{ 0x3, 0x0c, 0x00, DW_CLASS_MEDIUM },
	{ 0x3, 0x0c, 0x02, DW_CLASS_MEDIUM },
	{ 0x3, 0x11, 0x00, DW_CLASS_MEDIUM },
	{ 0x3, 0x11, 0x15, DW_CLASS_MEDIUM },
	{ 0x3, 0x14, 0x01, DW_CLASS_MEDIUM },
	{ 0x3, 0x16, 0x00, DW_CLASS_MEDIUM },
	{ 0x3, 0x31, 0x00, DW_CLASS_FAILED },
	{ 0x3, 0x31, 0x01, DW_CLASS_FAILED },
	{ 0x3, 0x31, 0x03, DW_CLASS_FAILED },
	{ 0x3, 0x30, 0x01, DW_CLASS_FAILED },
	{ 0x3, 0x32, 0x00, DW_CLASS_MEDIUM },
	{ 0x4, 0x00, 0x00, DW_CLASS_HARDWARE },
	{ 0x4, 0x09, 0x00, DW_CLASS_HARDWARE },
	{ 0x4, 0x15, 0x01, DW_CLASS_HARDWARE },
	{ 0x4, 0x44, 0x00, DW_CLASS_HARDWARE },
	{ 0x4, 0x47, 0x00, DW_CLASS_HARDWARE },
	{ 0x5, 0x0e, 0x00, DW_CLASS_TOO_BIG },
	{ 0x5, 0x0e, 0x02, DW_CLASS_TOO_BIG },
	{ 0x5, 0x0e, 0x03, DW_CLASS_BUG },
	{ 0x5, 0x10, 0x00, DW_CLASS_BUG },
	{ 0x5, 0x20, 0x00, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x20, 0x01, DW_CLASS_PROTECTED },
	{ 0x5, 0x20, 0x0b, DW_CLASS_PROTECTED },
	{ 0x5, 0x20, 0x0c, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x21, 0x00, DW_CLASS_RANGE },
	{ 0x5, 0x21, 0x04, DW_CLASS_RETRY },
	{ 0x5, 0x21, 0x05, DW_CLASS_FAILED },
	{ 0x5, 0x21, 0x08, DW_CLASS_FAILED },
	{ 0x5, 0x21, 0x09, DW_CLASS_RANGE },
	{ 0x5, 0x24, 0x00, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x25, 0x00, DW_CLASS_GONE },
	{ 0x5, 0x26, 0x00, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x26, 0x02, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x2c, 0x00, DW_CLASS_UNSUPPORTED },
	{ 0x5, 0x55, 0x03, DW_CLASS_TOO_BIG },
	{ 0x5, 0x74, 0x08, DW_CLASS_PROTECTED },
	{ 0x6, 0x28, 0x00, DW_CLASS_ATTENTION },
	{ 0x6, 0x29, 0x00, DW_CLASS_RESET },
	{ 0x6, 0x29, 0x02, DW_CLASS_RESET },
	{ 0x6, 0x29, 0x07, DW_CLASS_RESET },
	{ 0x6, 0x2a, 0x01, DW_CLASS_ATTENTION },
	{ 0x6, 0x2a, 0x03, DW_CLASS_ATTENTION },
	{ 0x6, 0x2a, 0x05, DW_CLASS_ATTENTION },
	{ 0x6, 0x2a, 0x09, DW_CLASS_ATTENTION },
	{ 0x6, 0x2f, 0x00, DW_CLASS_ATTENTION },
	{ 0x6, 0x3f, 0x03, DW_CLASS_ATTENTION },
	{ 0x6, 0x3f, 0x0e, DW_CLASS_ATTENTION },
	{ 0x6, 0x5d, 0x10, DW_CLASS_ATTENTION },
	{ 0x6, 0xee, 0xee, DW_CLASS_ATTENTION },
	{ 0x7, 0x20, 0x02, DW_CLASS_PROTECTED },
	{ 0x7, 0x27, 0x00, DW_CLASS_PROTECTED },
	{ 0x7, 0x27, 0x02, DW_CLASS_PROTECTED },
	{ 0x7, 0x27, 0x07, DW_CLASS_PROTECTED },
	{ 0x7, 0x74, 0x71, DW_CLASS_PROTECTED },
	{ 0x8, 0x00, 0x00, DW_CLASS_MEDIUM },
	{ 0x9, 0x80, 0x00, DW_CLASS_HARDWARE },
	{ 0xa, 0x00, 0x00, DW_CLASS_BUG },
	{ 0xb, 0x00, 0x00, DW_CLASS_RETRY },
	{ 0xb, 0x08, 0x00, DW_CLASS_RETRY },
	{ 0xb, 0x10, 0x01, DW_CLASS_BUG },
	{ 0xb, 0x2f, 0x00, DW_CLASS_RETRY },
	{ 0xb, 0x44, 0x00, DW_CLASS_RETRY },
	{ 0xb, 0x47, 0x03, DW_CLASS_RETRY },
	{ 0xb, 0x4b, 0x03, DW_CLASS_RETRY },
	{ 0xb, 0x55, 0x00, DW_CLASS_TOO_BIG },
	{ 0xb, 0x74, 0x40, DW_CLASS_PROTECTED },
	{ 0xc, 0x00, 0x00, DW_CLASS_BUG },
	{ 0xd, 0x00, 0x00, DW_CLASS_BUG },
	{ 0xe, 0x1d, 0x00, DW_CLASS_BUG },
	{ 0xf, 0x00, 0x00, DW_CLASS_BUG },
	{ 0xf, 0x55, 0x0a, DW_CLASS_BUG },
};

static void test_sense_table(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(sense_table); i++) {
		uint8_t key = sense_table[i].key;
		struct dw_completion c =
			checked(key, sense_table[i].asc, sense_table[i].ascq);
		struct dw_result r = decode(&c);

		if (r.class != sense_table[i].class)
			fail_msg("%X/%02X/%02X is %s", key, sense_table[i].asc,
				 sense_table[i].ascq, dw_class_name(r.class));
		assert_int_equal(r.disk, 3);
		assert_int_equal(r.slot, 9);
		assert_int_equal(r.sense_key, key);
		assert_int_equal(r.asc, sense_table[i].asc);
		assert_int_equal(r.ascq, sense_table[i].ascq);
		assert_int_equal(r.recovered, key == 1);
		assert_false(r.deferred);
		assert_false(r.bad_valid);
	}
}

/* Deferred: never OK, never a fact about this command, never an LBA. */
static void test_deferred(void **state)
{
	static const uint8_t forbidden[] = { DW_CLASS_OK, DW_CLASS_TOO_BIG,
					     DW_CLASS_UNSUPPORTED, DW_CLASS_RANGE,
					     DW_CLASS_BUG };

	for (size_t i = 0; i < DW_ARRAY_SIZE(sense_table); i++) {
		uint8_t was = sense_table[i].class;
		struct dw_completion c = checked(sense_table[i].key, sense_table[i].asc,
						 sense_table[i].ascq);
		struct dw_result r;

		c.sense[0] = 0xf1;
		dw_put_be32(c.sense + 3, 1050);
		r = decode(&c);
		assert_true(r.deferred);
		assert_false(r.bad_valid);
		assert_false(r.recovered);
		if (memchr(forbidden, was, sizeof(forbidden)))
			assert_int_equal(r.class, DW_CLASS_RETRY);
		else
			assert_int_equal(r.class, was);
	}
}

static void test_status(void **state)
{
	static const struct {
		uint8_t status, class;
	} t[] = {
		{ 0x00, DW_CLASS_OK },
		{ 0x04, DW_CLASS_OK },
		{ 0x08, DW_CLASS_QUEUE_FULL },
		{ 0x28, DW_CLASS_QUEUE_FULL },
		{ 0x18, DW_CLASS_RESERVED },
		{ 0x30, DW_CLASS_RETRY },
		{ 0x40, DW_CLASS_RETRY },
		{ 0x22, DW_CLASS_RETRY },
		{ 0x10, DW_CLASS_BUG },
		{ 0x14, DW_CLASS_BUG },
		{ 0x99, DW_CLASS_BUG },
		{ 0x02, DW_CLASS_RETRY }, /* no sense data */
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		struct dw_completion c = { .status = t[i].status };

		assert_int_equal(decode(&c).class, t[i].class);
	}
}

static void test_host_status(void **state)
{
	static const struct {
		uint16_t host;
		uint8_t alone, with_medium, with_full;
	} t[] = {
		{ 0x01, DW_CLASS_GONE, DW_CLASS_GONE, DW_CLASS_GONE },
		{ 0x02, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x03, DW_CLASS_TIMEOUT, DW_CLASS_TIMEOUT, DW_CLASS_TIMEOUT },
		{ 0x04, DW_CLASS_GONE, DW_CLASS_GONE, DW_CLASS_GONE },
		{ 0x05, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x06, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x07, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x08, DW_CLASS_RESET, DW_CLASS_RESET, DW_CLASS_RESET },
		{ 0x09, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x0b, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x0c, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x0d, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x0e, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x0f, DW_CLASS_GONE, DW_CLASS_GONE, DW_CLASS_GONE },
		{ 0x10, DW_CLASS_HARDWARE, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x11, DW_CLASS_RESERVED, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x12, DW_CLASS_PROTECTED, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x13, DW_CLASS_MEDIUM, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
		{ 0x14, DW_CLASS_GONE, DW_CLASS_GONE, DW_CLASS_GONE },
		{ 0x77, DW_CLASS_RETRY, DW_CLASS_MEDIUM, DW_CLASS_QUEUE_FULL },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		struct dw_completion alone = { .host_status = t[i].host };
		struct dw_completion sense = checked(3, 0x0c, 0);
		struct dw_completion full_set = { .status = 0x28,
						  .host_status = t[i].host };
		struct dw_completion recovered = checked(1, 0x0c, 1);

		sense.host_status = recovered.host_status = t[i].host;
		assert_int_equal(decode(&alone).class, t[i].alone);
		assert_int_equal(decode(&sense).class, t[i].with_medium);
		assert_int_equal(decode(&full_set).class, t[i].with_full);
		assert_int_equal(decode(&recovered).class, t[i].alone);
		assert_false(decode(&recovered).recovered);
	}
}

static void test_driver_status(void **state)
{
	struct dw_completion c = { .driver_status = 0x08 };

	assert_int_equal(decode(&c).class, DW_CLASS_OK);
	c.driver_status = 0x06;
	assert_int_equal(decode(&c).class, DW_CLASS_TIMEOUT);
	c.driver_status = 0x05;
	assert_int_equal(decode(&c).class, DW_CLASS_RETRY);
}

static void test_residual(void **state)
{
	struct dw_completion good = { .resid = 512 }, negative = { .resid = -512 };
	struct dw_completion recovered = checked(1, 0x17, 0),
			     medium = checked(3, 0x0c, 0);

	recovered.resid = medium.resid = 1;
	assert_int_equal(decode(&good).class, DW_CLASS_RETRY);
	assert_int_equal(decode(&negative).class, DW_CLASS_RETRY);
	assert_int_equal(decode(&recovered).class, DW_CLASS_RETRY);
	assert_int_equal(decode(&medium).class, DW_CLASS_MEDIUM);
}

static void test_errno(void **state)
{
	static const struct {
		int err;
		uint8_t class;
	} t[] = {
		{ ECANCELED, DW_CLASS_GIVEN_BACK },
		{ EPERM, DW_CLASS_BUG },
		{ EACCES, DW_CLASS_BUG },
		{ EINVAL, DW_CLASS_TOO_BIG },
		{ EIO, DW_CLASS_TOO_BIG },
		{ ENOMEM, DW_CLASS_TOO_BIG },
		{ ENODEV, DW_CLASS_GONE },
		{ ENXIO, DW_CLASS_GONE },
		{ EAGAIN, DW_CLASS_RETRY },
		{ EBUSY, DW_CLASS_RETRY },
		{ EINTR, DW_CLASS_RETRY },
		{ EDOM, DW_CLASS_QUEUE_FULL },
		{ ENODATA, DW_CLASS_MEDIUM },
		{ EILSEQ, DW_CLASS_MEDIUM },
		{ EREMOTEIO, DW_CLASS_HARDWARE },
		{ EROFS, DW_CLASS_PROTECTED },
		{ ENOSPC, DW_CLASS_PROTECTED },
		{ EBADE, DW_CLASS_RESERVED },
		{ ETIMEDOUT, DW_CLASS_TIMEOUT },
		{ ENOLINK, DW_CLASS_RETRY },
		{ EFAULT, DW_CLASS_BUG },
		{ EOPNOTSUPP, DW_CLASS_UNSUPPORTED },
		{ EBADF, DW_CLASS_BUG },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		/* What stands in the other fields was not filled by anyone. */
		struct dw_completion c = checked(1, 0, 0);
		struct dw_result r;

		c.err = -t[i].err;
		r = decode(&c);
		assert_int_equal(r.class, t[i].class);
		assert_int_equal(r.sense_key, 0);
	}
}

/* libata's word for what it cannot name; a zoned disk means it */
static void test_unaligned_write(void **state)
{
	struct dw_completion c = checked(0x5, 0x21, 0x04);
	struct dw_caps zoned = full;
	struct dw_result r;

	for (uint8_t z = 0; z <= 2; z++) {
		zoned.zoned = z;
		dw_decode(&zoned, &write_op, &c, &r);
		assert_int_equal(r.class, z ? DW_CLASS_FAILED : DW_CLASS_RETRY);
		assert_false(r.way);
	}
}

/* Who says that it failed: the disk, or only the host? And is it gone, or only its connection? */
static void test_whose_word(void **state)
{
	struct dw_completion aborted = checked(0xb, 0, 0), bare = { .status = 0x02 };
	struct dw_completion torn = { .resid = 512 }, soft = { .host_status = 0x0b };
	struct dw_completion lost = { .host_status = 0x0e }, link = { .err = -ENOLINK };
	struct dw_completion off = { .host_status = 0x01 }, no = { .err = -ENXIO };
	struct dw_completion paths = { .err = -EHOSTUNREACH }, node = { .err = -ENODEV };
	struct dw_completion hung = { .host_status = 0x05 };

	assert_true(decode(&hung).way && decode(&hung).aborted);
	assert_false(decode(&soft).aborted || decode(&aborted).aborted);
	assert_false(decode(&aborted).way || decode(&bare).way || decode(&torn).way);
	assert_true(decode(&soft).way && decode(&lost).way && decode(&link).way);
	assert_int_equal(decode(&off).class, DW_CLASS_GONE);
	assert_int_equal(decode(&paths).class, DW_CLASS_GONE);
	assert_false(decode(&off).vanished || decode(&paths).vanished);
	assert_true(decode(&no).vanished && decode(&node).vanished);
}

static void test_bad_lba(void **state)
{
	static const struct {
		uint32_t info;
		bool valid, trusted;
	} t[] = {
		{ 1000, true, true },   { 1099, true, true }, { 1100, true, false },
		{ 999, true, false },   { 0, true, false },   { 0x1234, true, false },
		{ 1050, false, false },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(t); i++) {
		struct dw_completion c = checked(3, 0x0c, 0);
		struct dw_result r;

		c.sense[0] |= t[i].valid ? 0x80 : 0;
		dw_put_be32(c.sense + 3, t[i].info);
		r = decode(&c);
		assert_int_equal(r.class, DW_CLASS_MEDIUM);
		assert_int_equal(r.bad_valid, t[i].trusted);
		assert_int_equal(r.bad_lba, t[i].trusted ? t[i].info : 0);
	}
}

static void test_bad_lba_beyond_32_bits(void **state)
{
	static const struct dw_op op = { .verb = DW_VERB_READ,
					 .lba = 0x123456780,
					 .nlb = 16 };
	struct dw_completion c = { .status = 2 };
	struct dw_result r;

	c.sense_len = (uint8_t)unhex("72 03 11 00 00 00 00 0c  00 0a 80 00 "
				     "0000000123456789",
				     c.sense, sizeof(c.sense));
	dw_decode(&full, &op, &c, &r);
	assert_true(r.bad_valid);
	assert_int_equal(r.bad_lba, UINT64_C(0x123456789));
}

static void test_length_refused(void **state)
{
	struct dw_cmd cmd16 = { .cdb_len = 16 }, cmd10 = { .cdb_len = 10 };
	struct dw_completion c = checked(5, 0x24, 0);
	struct dw_caps caps = full;
	struct dw_result r;

	c.cmd = &cmd16;
	c.sense[15] = 0xc0;
	c.sense[17] = 10; /* first byte of the length in a 16-byte CDB */
	assert_int_equal(decode(&c).class, DW_CLASS_TOO_BIG);
	c.cmd = &cmd10;
	assert_int_equal(decode(&c).class, DW_CLASS_UNSUPPORTED);
	c.sense[17] = 7;
	assert_int_equal(decode(&c).class, DW_CLASS_TOO_BIG);
	c.sense[15] = 0x80; /* in the parameter list */
	assert_int_equal(decode(&c).class, DW_CLASS_UNSUPPORTED);

	caps.limit.max_transfer = 64;
	dw_decode(&caps, &write_op, &c, &r);
	assert_int_equal(r.class, DW_CLASS_TOO_BIG);
	caps.limit.max_transfer = 100;
	dw_decode(&caps, &write_op, &c, &r);
	assert_int_equal(r.class, DW_CLASS_UNSUPPORTED);
}

static void test_length_of_write_same_refused(void **state)
{
	struct dw_op op = { .verb = DW_VERB_WRITE_SAME, .nlb = 4097 };
	struct dw_completion c = checked(5, 0x24, 0);
	struct dw_caps caps = full;
	struct dw_result r;

	caps.same.max = 0; /* the disk does not say */
	dw_decode(&caps, &op, &c, &r);
	assert_int_equal(r.class, DW_CLASS_TOO_BIG);
	op.nlb = 4096;
	dw_decode(&caps, &op, &c, &r);
	assert_int_equal(r.class, DW_CLASS_UNSUPPORTED);
	caps.same.max = 8192;
	op.nlb = 8192;
	dw_decode(&caps, &op, &c, &r);
	assert_int_equal(r.class, DW_CLASS_UNSUPPORTED);
}

static void test_times(void **state)
{
	struct dw_cmd cmd = { .submit_ns = 5 };
	struct dw_completion c = { .cmd = &cmd, .start_ns = 7, .end_ns = 11 };
	struct dw_result r = decode(&c);

	assert_int_equal(r.submit_ns, 5);
	assert_int_equal(r.start_ns, 7);
	assert_int_equal(r.end_ns, 11);
	assert_int_equal(r.identity, DW_IDENTITY_UNKNOWN);
}

/* The documented condition for OK, from the raw bytes and without the parser. */
static bool may_be_ok(const struct dw_completion *c)
{
	unsigned int len = c->sense_len, code = c->sense[0] & 0x7f, key;
	bool sensed = len >= 3 && code >= 0x70 && code <= 0x73;

	if (c->err || c->host_status || c->resid)
		return false;
	if (c->status != 0 && c->status != 4 && !(c->status == 2 && sensed))
		return false;
	if (!sensed)
		return true;
	key = (code < 0x72 ? c->sense[2] : c->sense[1]) & 0xf;
	return (key == 0 || key == 1) && code != 0x71 && code != 0x73;
}

static uint64_t pick(struct dw_rng *rng, const int *from, size_t n)
{
	return (uint64_t)from[dw_rng_below(rng, n)];
}

static void random_completion(struct dw_rng *rng, struct dw_completion *c)
{
	static const int errors[] = { 0, 0, 0, 0, 0, -EIO, -ECANCELED, -ENODEV, -71 };
	static const int statuses[] = { 0, 0, 0, 2, 2, 2, 4, 8, 0x18, 0x28, 0x40, 0x77 };
	static const int hosts[] = { 0, 0, 0, 0, 1, 3, 5, 7, 8, 11, 0x0e, 0x99 };
	static const int drivers[] = { 0, 8, 8, 8, 6, 0x10 };
	static const int resids[] = { 0, 0, 0, 0, 512, -1 };
	static const int codes[] = { 0x70, 0x71, 0x72, 0x73, 0xf0, 0xf1, 0, 0x7f };

	*c = (struct dw_completion){
		.err = (int)pick(rng, errors, DW_ARRAY_SIZE(errors)),
		.status = (uint8_t)pick(rng, statuses, DW_ARRAY_SIZE(statuses)),
		.host_status = (uint16_t)pick(rng, hosts, DW_ARRAY_SIZE(hosts)),
		.driver_status = (uint16_t)pick(rng, drivers, DW_ARRAY_SIZE(drivers)),
		.resid = (int32_t)pick(rng, resids, DW_ARRAY_SIZE(resids)),
		.sense_len = (uint8_t)dw_rng_below(rng, 256),
	};
	for (size_t i = 0; i < sizeof(c->sense); i += 8) {
		uint64_t bits = dw_rng_next(rng);

		memcpy(c->sense + i, &bits, 8);
	}
	c->sense[0] = (uint8_t)pick(rng, codes, DW_ARRAY_SIZE(codes));
	if (dw_rng_below(rng, 2)) {
		c->sense[1] &= 0x03;
		c->sense[2] &= 0x03;
		c->sense[3] = c->sense[4] = c->sense[5] = 0;
	}
	if (dw_rng_below(rng, 4) == 0)
		c->sense_len = 0;
}

static void test_never_wrongly_ok(void **state)
{
	struct dw_rng rng;
	unsigned int ok = 0, bad = 0;

	dw_rng_seed(&rng, 3);
	for (int i = 0; i < 1000000; i++) {
		struct dw_op op = {
			.verb = (uint8_t)dw_rng_below(&rng, DW_VERB_COUNT),
			.lba = dw_rng_below(&rng, 256),
			.nlb = (uint32_t)dw_rng_below(&rng, 256),
		};
		struct dw_completion c;
		struct dw_result r;

		random_completion(&rng, &c);
		memset(&r, 0xa5, sizeof(r));
		dw_decode(&full, &op, &c, &r);
		assert_true(r.class < DW_CLASS_COUNT);
		if (r.class == DW_CLASS_OK) {
			assert_true(may_be_ok(&c));
			assert_false(r.deferred);
			ok++;
		}
		if (r.recovered)
			assert_int_equal(r.class, DW_CLASS_OK);
		if (r.bad_valid) {
			assert_int_equal(r.class, DW_CLASS_MEDIUM);
			assert_true(r.bad_lba >= op.lba);
			assert_true(r.bad_lba < op.lba + op.nlb);
			assert_false(r.deferred);
			bad++;
		}
	}
	assert_true(ok > 1000);
	assert_true(bad > 100);
}

static void test_names(void **state)
{
	for (int i = 0; i < DW_CLASS_COUNT; i++)
		assert_non_null(dw_class_name((enum dw_class)i));
	for (int i = 0; i < DW_VERB_COUNT; i++)
		assert_non_null(dw_verb_name((enum dw_verb)i));
	assert_string_equal(dw_class_name(DW_CLASS_QUEUE_FULL), "queue-full");
	assert_string_equal(dw_verb_name(DW_VERB_WRITE_SAME), "write-same");
	assert_string_equal(dw_class_name(DW_CLASS_COUNT), "?");
	assert_string_equal(dw_verb_name(DW_VERB_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_encode_flags),
		cmocka_unit_test(test_encode_refused),
		cmocka_unit_test(test_flush_of_unknown_disk),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_sense_table),
		cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_host_status),
		cmocka_unit_test(test_driver_status),
		cmocka_unit_test(test_residual),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_unaligned_write),
		cmocka_unit_test(test_whose_word),
		cmocka_unit_test(test_bad_lba),
		cmocka_unit_test(test_bad_lba_beyond_32_bits),
		cmocka_unit_test(test_length_refused),
		cmocka_unit_test(test_length_of_write_same_refused),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_never_wrongly_ok),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
