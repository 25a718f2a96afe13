/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VERIFY that compares: its CDBs, and its answers. What the codec takes as a comparison the guard
 * has to take as one, too: else the transport keeps a disk fenced that the core goes on with. And
 * nothing but a report that is complete counts as one.
 */
#include "unit.h"

#include "base/util.h"
#include "codec/encode.h"
#include "transport/guard.h"

static const struct dw_caps caps = {
	.blocks = UINT64_C(0x200000000),
	.block_size = 512,
	.scsi = true,
	.rw16 = true,
	.cache.sync16 = true,
	.limit.max_transfer = 65536,
};

static void encode(struct dw_caps with, const struct dw_op *op, struct dw_cmd *cmd)
{
	memset(cmd, 0xa5, sizeof(*cmd));
	assert_int_equal(0, dw_encode(&with, op, true, cmd));
	assert_int_equal(DW_DIR_OUT, cmd->dir);
	assert_int_equal(512, cmd->data_len);
}

static void cdbs(void **state)
{
	static const uint8_t sixteen[] = { 0x8f, 0x06, 0, 0, 0, 1, 0, 0,
					   0,    7,    2, 0, 0, 0, 0, 0 };
	static const uint8_t ten[] = { 0x2f, 0x06, 0, 0, 0, 7, 0, 0xff, 0xff, 0 };
	struct dw_op op = { .verb = DW_VERB_COMPARE,
			    .lba = UINT64_C(0x100000007),
			    .nlb = 0x2000000 };
	struct dw_caps old = caps;
	struct dw_cmd cmd;

	encode(caps, &op, &cmd);
	assert_int_equal(16, cmd.cdb_len);
	assert_memory_equal(sixteen, cmd.cdb, 16);
	old.rw16 = false;
	op.lba = 7;
	op.nlb = 0xffff;
	encode(old, &op, &cmd);
	assert_int_equal(10, cmd.cdb_len);
	assert_memory_equal(ten, cmd.cdb, 10);
}

/**
 * struct answer - a completion, as far as it varies
 * @verb: of the op
 * @code: of the sense data; 0 = there are none
 */
struct answer {
	uint8_t verb, code, key, asc, status;
	uint16_t host, driver;
	int32_t resid;
	int err;
};

static void fill(const struct answer *a, struct dw_cmd *cmd, struct dw_completion *ret)
{
	bool fixed = a->code < 0x72;

	*ret = (struct dw_completion){ .cmd = cmd,
				       .err = a->err,
				       .status = a->status,
				       .host_status = a->host,
				       .driver_status = a->driver,
				       .resid = a->resid,
				       .sense_len = a->code ? 18 : 0 };
	ret->sense[0] = a->code;
	ret->sense[fixed ? 2 : 1] = a->key;
	ret->sense[fixed ? 12 : 2] = a->asc;
	if (fixed)
		ret->sense[7] = 10;
}

static void compare(const struct answer *a, uint32_t *count)
{
	struct dw_op op = { .verb = a->verb, .lba = 100, .nlb = 1 };
	bool report = a->verb == DW_VERB_COMPARE &&
		      (a->code == 0x70 || a->code == 0x72) && a->key == 0xe &&
		      a->asc == 0x1d && a->status == 2 && !a->host && !a->err;
	struct dw_completion done;
	struct dw_result r;
	struct dw_cmd cmd;

	encode(caps, &(struct dw_op){ .verb = DW_VERB_COMPARE, .lba = 100, .nlb = 1 },
	       &cmd);
	if (a->verb != DW_VERB_COMPARE)
		assert_int_equal(0, dw_encode(&caps, &op, true, &cmd));
	fill(a, &cmd, &done);
	dw_decode(&caps, &op, &done, &r);
	assert_int_equal(report && a->driver != 6, r.miscompare);
	if (r.miscompare) {
		assert_int_equal(DW_CLASS_OK, r.class);
		assert_true(dw_guard_good(&done));
		++*count;
	}
	if (a->driver != 6 && a->verb == DW_VERB_COMPARE && a->key == 0xe)
		assert_int_equal(r.class == DW_CLASS_OK, dw_guard_good(&done));
}

static void answers(void **state)
{
	static const uint8_t verbs[] = { DW_VERB_COMPARE, DW_VERB_READ, DW_VERB_WRITE };
	static const uint8_t codes[] = { 0, 0x70, 0x71, 0x72, 0x73 };
	static const uint8_t ascs[] = { 0, 0x11, 0x1d }, statuses[] = { 2, 8, 0x18 };
	static const uint16_t drivers[] = { 0, 6, 8 };
	uint32_t n = 3 * 5 * 16 * 3 * 3 * 3 * 2 * 2 * 2, count = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;
		struct answer a = { .verb = verbs[k % 3] };

		a.code = codes[(k /= 3) % 5];
		a.key = (k /= 5) % 16;
		a.asc = ascs[(k /= 16) % 3];
		a.status = statuses[(k /= 3) % 3];
		a.driver = drivers[(k /= 3) % 3];
		a.host = (k /= 3) % 2 ? 8 : 0;
		a.resid = (k /= 2) % 2 ? 512 : 0;
		a.err = (k / 2) % 2 ? -EIO : 0;
		compare(&a, &count);
	}
	assert_int_equal(2 * 2 * 2, count); /* formats, drivers, residuals */
}

/* a length that it refuses is no refusal of the command */
static void lengths(void **state)
{
	struct dw_op op = { .verb = DW_VERB_COMPARE, .lba = 0, .nlb = 65537 };
	struct answer a = {
		.verb = DW_VERB_COMPARE, .code = 0x70, .key = 5, .asc = 0x24, .status = 2
	};
	struct dw_completion done;
	struct dw_result r;
	struct dw_cmd cmd;

	for (; op.nlb >= 65536; op.nlb--) {
		encode(caps, &op, &cmd);
		fill(&a, &cmd, &done);
		dw_decode(&caps, &op, &done, &r);
		assert_int_equal(op.nlb > 65536 ? DW_CLASS_TOO_BIG : DW_CLASS_UNSUPPORTED,
				 r.class);
		assert_false(dw_guard_good(&done));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cdbs),
		cmocka_unit_test(answers),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
