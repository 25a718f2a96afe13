/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NVMe: the bytes of the commands, what the guard lets through, what the answers mean, and how a
 * disk that sanitizes looks in the words of SCSI. The kernel's ioctl is a controller of values.
 */
#include "unit.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "base/util.h"
#include "codec/encode.h"
#include "scsi/admin.h"
#include "scsi/data.h"
#include "scsi/status.h"
#include "scsi/cdb.h"
#include "scsi/format.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "transport/blk.h"
#include "transport/guard.h"
#include "transport/nvme.h"

#define ERASERS (DW_OPCLASS_ERASE | DW_OPCLASS_NVME_FORMAT | DW_OPCLASS_NVME_CRYPTO)
#define ALL     (DW_OPCLASS_READ | ERASERS)
#define NDI     (1u << 29)
#define SHOWS   (2u << 30) /* NODMMAS: what was erased is made readable */

/**
 * struct controller - what answers
 * @serial, @log: its data; @status: of the command that erases; @ask_status: of questions
 * @sent, @n: what it was told besides questions
 */
static struct controller {
	const char *serial;
	uint8_t log[DW_NVME_LOG_LEN];
	int status;
	int ask_status;
	int error;
	struct nvme_passthru_cmd sent;
	uint32_t n;
} box;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's name for it */
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
/* NOLINTEND(bugprone-reserved-identifier) */
{
	struct nvme_passthru_cmd *c;
	uint8_t *data;
	va_list ap;

	va_start(ap, request);
	c = va_arg(ap, struct nvme_passthru_cmd *);
	va_end(ap);
	assert_int_equal(NVME_IOCTL_ADMIN_CMD, request);
	data = (uint8_t *)(uintptr_t)c->addr;
	if (c->opcode == DW_NVME_IDENTIFY || c->opcode == DW_NVME_GET_LOG) {
		if (c->opcode == DW_NVME_GET_LOG)
			memcpy(data, box.log, sizeof(box.log));
		else {
			memset(data + 4, ' ', 20);
			memcpy(data + 4, box.serial, strlen(box.serial));
			data[516] = 1;
		}
		return box.ask_status;
	}
	box.sent = *c;
	box.n++;
	errno = box.error;
	return box.error ? -1 : box.status;
}

static const struct dw_nvme_unit unit = {
	.nsid = 3, .flbas = 0x02, .dps = 0, .sanicap = 7, .serial = "S1"
};

static struct dw_target target_of(uint32_t permits)
{
	memset(&box, 0, sizeof(box));
	box.serial = "S1";
	return (struct dw_target){ .sg_fd = -1,
				   .blk_fd = 9,
				   .permits = permits,
				   .block_size = 512,
				   .blocks = 1000,
				   .nvme = &unit };
}

static struct dw_cmd cmd_of(int operation, uint8_t *list)
{
	struct dw_caps caps = { .self.operations = 0xff,
				.self.nvme = true,
				.block_size = 512,
				.blocks = 1000 };
	struct dw_op op = { .verb = operation ? DW_VERB_OPERATE : DW_VERB_POLL,
			    .operation = (uint8_t)operation };
	struct dw_cmd cmd = { .cdb_len = 0 };

	assert_int_equal(0, dw_encode(&caps, &op, false, &cmd));
	if (operation == DW_OPERATION_OVERWRITE)
		dw_encode_pattern(&caps.self, 0x5a, list, &cmd);
	else if (cmd.data_len)
		cmd.data = list;
	return cmd;
}

static const struct {
	int operation;
	uint32_t class;
	uint8_t opcode;
	uint32_t nsid, cdw10, cdw11;
} ways[] = {
	{ DW_OPERATION_OVERWRITE, DW_OPCLASS_OVERWRITE, 0x84, 0, 0x21b, 0x5a5a5a5a },
	{ DW_OPERATION_BLOCK_ERASE, DW_OPCLASS_BLOCK_ERASE, 0x84, 0, 0x00a, 0 },
	{ DW_OPERATION_CRYPTO_ERASE, DW_OPCLASS_CRYPTO_ERASE, 0x84, 0, 0x00c, 0 },
	{ DW_OPERATION_FORMAT_USER, DW_OPCLASS_NVME_FORMAT, 0x80, 3, 0x202, 0 },
	{ DW_OPERATION_FORMAT_CRYPTO, DW_OPCLASS_NVME_CRYPTO, 0x80, 3, 0x402, 0 },
};

/* each way is what it is called, goes out with its own permit alone, and as these bytes */
static void sent(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(ways); i++) {
		uint8_t list[DW_POLL_LEN];
		struct dw_target t = target_of(ways[i].class);
		struct dw_cmd cmd = cmd_of(ways[i].operation, list);
		struct dw_completion done = { .cmd = &cmd };
		struct nvme_passthru_cmd want = { .opcode = ways[i].opcode,
						  .nsid = ways[i].nsid,
						  .cdw10 = ways[i].cdw10,
						  .cdw11 = ways[i].cdw11,
						  .timeout_ms = cmd.timeout_ms };

		assert_int_equal(ways[i].class, dw_opcode_class(cmd.cdb, cmd.cdb_len));
		assert_int_equal(0, dw_guard_check(&t, &cmd));
		assert_int_equal(512000, dw_guard_destroys(&t, &cmd));
		dw_blk_run(&t, &cmd, &done);
		assert_true(dw_guard_good(&done));
		assert_int_equal(1, box.n);
		assert_memory_equal(&want, &box.sent, sizeof(want));

		t = target_of(ALL & ~ways[i].class);
		assert_int_equal(-EPERM, dw_guard_check(&t, &cmd));
		dw_nvme_run(&t, &cmd, &done);
		assert_int_equal(-EPERM, done.err);
		assert_int_equal(0, box.n);
	}
}

/* what makes Format NVM is never sent to a SCSI disk */
static void no_scsi(void **state)
{
	struct dw_target t = target_of(~0u);

	t.nvme = NULL;
	for (uint8_t ses = 0; ses < 4; ses++) {
		struct dw_cmd cmd = { .cdb_len = 6, .timeout_ms = 1 };
		int r = dw_cdb_format_nvme(cmd.cdb, ses);

		if (r < 0)
			cmd.cdb[0] = DW_OPCODE_FORMAT_UNIT;
		assert_int_equal(ses == 1 || ses == 2 ? 6 : -EINVAL, r);
		assert_int_equal(-EPERM, dw_guard_check(&t, &cmd));
	}
}

/* another disk behind the controller, or none that answers, is told nothing */
static void stranger(void **state)
{
	struct dw_target t = target_of(ALL);
	struct dw_cmd cmd = cmd_of(DW_OPERATION_BLOCK_ERASE, NULL);
	struct dw_completion done = { .cmd = &cmd };

	box.serial = "S2";
	dw_nvme_run(&t, &cmd, &done);
	assert_int_equal(-ESTALE, done.err);
	t = target_of(ALL);
	box.ask_status = 0x4002;
	dw_nvme_run(&t, &cmd, &done);
	assert_int_equal(-EAGAIN, done.err);
	assert_int_equal(0, box.n);
}

/* every bit of every field matters */
static void guarded(void **state)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(ways); i++) {
		struct dw_target t = target_of(ALL);
		struct nvme_passthru_cmd c = { .opcode = ways[i].opcode,
					       .nsid = ways[i].nsid,
					       .cdw10 = ways[i].cdw10,
					       .cdw11 = ways[i].cdw11,
					       .timeout_ms = 1000 };
		uint8_t *byte = (uint8_t *)&c;

		assert_true(dw_guard_admin(&t, ALL, &c));
		assert_true(dw_guard_admin(&t, ways[i].class, &c));
		assert_false(dw_guard_admin(&t, ALL & ~ways[i].class, &c));
		t.permits &= ~ways[i].class;
		assert_false(dw_guard_admin(&t, ALL, &c));
		t.permits = ways[i].class;
		for (size_t bit = 0; bit < 8 * sizeof(c); bit++) {
			size_t at = bit / 8;

			if (at >= offsetof(struct nvme_passthru_cmd, timeout_ms) &&
			    at < offsetof(struct nvme_passthru_cmd, result))
				continue;
			byte[at] ^= (uint8_t)(1u << bit % 8);
			assert_false(dw_guard_admin(&t, ALL, &c));
			byte[at] ^= (uint8_t)(1u << bit % 8);
		}
		c.nsid = DW_NVME_NSID_ALL;
		assert_false(dw_guard_admin(&t, ALL, &c));
		c.nsid = ways[i].nsid;
		t.nvme = NULL;
		if (ways[i].opcode == DW_NVME_FORMAT)
			assert_false(dw_guard_admin(&t, ALL, &c));
	}
}

/* no other opcode at all, and of the questions only those that are known */
static void questions(void **state)
{
	struct dw_target t = target_of(ALL);
	uint8_t data[DW_NVME_IDENTIFY_LEN];
	uint32_t let = 0;

	for (unsigned int opcode = 0; opcode < 256; opcode++)
		for (unsigned int what = 0; what < 256; what++) {
			struct nvme_passthru_cmd c = {
				.opcode = (uint8_t)opcode,
				.nsid = opcode == DW_NVME_GET_LOG ? DW_NVME_NSID_ALL : 0,
				.addr = (uintptr_t)data,
				.data_len = opcode == DW_NVME_GET_LOG ? 512 : 4096,
				.cdw10 = opcode == DW_NVME_GET_LOG ? 127u << 16 | what
								   : what,
			};

			let += dw_guard_admin(&t, ALL, &c);
		}
	assert_int_equal(8, let);
}

/* with No-Deallocate only where it is heeded, and leaves something to read */
static void keeps(void **state)
{
	static const struct {
		uint32_t sanicap;
		uint32_t kept; /* by action */
	} rows[] = {
		{ 7, 1 << DW_NVME_OVERWRITE },
		{ 7 | NDI, 0 },
		{ 7 | SHOWS | NDI, 0 },
		{ 7 | 1u << 30, 1 << DW_NVME_OVERWRITE },
		{ 7 | SHOWS, 1 << DW_NVME_OVERWRITE | 1 << DW_NVME_BLOCK_ERASE |
				     1 << DW_NVME_CRYPTO_ERASE },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		for (int a = DW_NVME_BLOCK_ERASE; a <= DW_NVME_CRYPTO_ERASE; a++) {
			struct dw_nvme_admin c;

			dw_nvme_sanitize(&c, (uint8_t)a, 0, rows[i].sanicap);
			assert_int_equal(rows[i].kept >> a & 1, c.cdw10 >> 9 & 1);
			assert_int_equal(8, c.cdw10 & 8); /* AUSE */
			assert_int_equal(0, c.nsid);
		}
}

/* a format keeps what the namespace is formatted to */
static void formats(void **state)
{
	struct dw_nvme_admin c;

	dw_nvme_format(&c, DW_NVME_SES_USER, 7, 0x7f, 0x0a);
	assert_int_equal(7, c.nsid);
	assert_int_equal(0x0f | 1 << 4 | 0x0a << 5 | 1 << 9 | 3 << 12, c.cdw10);
}

/* PREQ where SPRRS offers it, and nowhere else: it may be reserved there */
static void purge_is_asked_for(void **state)
{
	for (int a = DW_NVME_BLOCK_ERASE; a <= DW_NVME_CRYPTO_ERASE; a++)
		for (uint32_t bit = 3; bit < 29; bit++) {
			struct dw_nvme_admin c;

			dw_nvme_sanitize(&c, (uint8_t)a, 0, 7 | 1u << bit);
			assert_int_equal(bit == 5, c.cdw10 >> 11);
			assert_true(dw_nvme_class(&c, 3, 7 | 1u << bit, 2, 0) !=
				    DW_OPCLASS_NEVER);
			if (bit == 5)
				assert_int_equal(DW_OPCLASS_NEVER,
						 dw_nvme_class(&c, 3, 7, 2, 0));
		}
}

/* one that was told to purge or to fail, and ended well, says that it purged */
static void purge_is_attested(void **state)
{
	const struct dw_nvme_unit attests = {
		.nsid = 3, .flbas = 0x02, .sanicap = 7 | 1u << 5, .serial = "S1"
	};
	const struct dw_caps caps = { .self.nvme = true };
	const struct dw_op op = { .verb = DW_VERB_POLL };

	for (uint8_t purged = 0; purged < 2; purged++) {
		struct dw_target t = target_of(DW_OPCLASS_READ | DW_OPCLASS_BLOCK_ERASE);
		uint8_t reply[DW_POLL_LEN] = { 0 };
		struct dw_cmd cmd = cmd_of(DW_OPERATION_NONE, reply);
		struct dw_completion done = { .cmd = &cmd };
		struct dw_result r;

		t.nvme = &attests;
		box.log[2] = 1;
		box.log[3] = (uint8_t)(purged << 3 | 1);
		box.log[4] = 2;
		dw_blk_run(&t, &cmd, &done);
		dw_decode(&caps, &op, &done, &r);
		assert_int_equal(DW_CLASS_OK, r.class);
		assert_int_equal(purged, r.ended == DW_ENDED_WELL);
		assert_int_not_equal(r.ended, DW_ENDED_FAILED);
	}
}

static void decode(uint8_t sstat, uint16_t progress, uint8_t action, uint32_t permits,
		   struct dw_result *ret)
{
	struct dw_target t = target_of(permits);
	uint8_t reply[DW_POLL_LEN] = { 0 };
	struct dw_cmd cmd = cmd_of(DW_OPERATION_NONE, reply);
	struct dw_completion done = { .cmd = &cmd };
	const struct dw_caps caps = { .self.nvme = true };
	const struct dw_op op = { .verb = DW_VERB_POLL };

	box.log[0] = (uint8_t)progress;
	box.log[1] = (uint8_t)(progress >> 8);
	box.log[2] = sstat;
	box.log[3] = 0x01; /* global data erased */
	box.log[4] = action | 8;
	assert_int_equal(0, dw_guard_check(&t, &cmd));
	dw_blk_run(&t, &cmd, &done);
	assert_true(dw_guard_good(&done));
	dw_decode(&caps, &op, &done, ret);
}

static void polled(void **state)
{
	const uint32_t block = DW_OPCLASS_READ | DW_OPCLASS_BLOCK_ERASE;
	struct dw_result r;

	decode(2, 0x8000, 2, block, &r);
	assert_int_equal(DW_CLASS_RUNNING, r.class);
	assert_int_equal(0x8000, r.progress);
	for (uint8_t s = 1; s <= 4; s += 3) {
		decode(s, 0xffff, 2, block, &r);
		assert_int_equal(DW_CLASS_OK, r.class);
		assert_true(r.ended == DW_ENDED_WELL);
		/* that was another one */
		decode(s, 0xffff, 3, block, &r);
		assert_int_equal(DW_CLASS_OK, r.class);
		assert_false(r.ended);
	}
	decode(3, 0x1000, 2, block, &r);
	assert_true(r.ended == DW_ENDED_FAILED && r.class == DW_CLASS_OK);
	/* never sanitized, and states that nobody knows */
	for (uint8_t s = 0; s < 8; s = s ? s + 1 : 5) {
		decode(s, 0xffff, 2, block, &r);
		assert_int_equal(DW_CLASS_OK, r.class);
		assert_false(r.ended);
	}
}

/* a log that cannot be read tells nothing */
static void no_log(void **state)
{
	uint8_t reply[DW_POLL_LEN] = { 0 };
	struct dw_target t = target_of(ALL);
	struct dw_cmd cmd = cmd_of(DW_OPERATION_NONE, reply);
	struct dw_completion done = { .cmd = &cmd };
	const struct dw_caps caps = { .self.nvme = true };
	const struct dw_op op = { .verb = DW_VERB_POLL };
	struct dw_result r;

	box.ask_status = 0x4109;
	dw_nvme_run(&t, &cmd, &done);
	dw_decode(&caps, &op, &done, &r);
	assert_int_equal(DW_CLASS_UNSUPPORTED, r.class);
	assert_int_not_equal(r.ended, DW_ENDED_WELL);
}

static void ended(void **state)
{
	static const struct {
		int status, error, operation;
		uint8_t class;
		bool succeeded;
	} rows[] = {
		{ 0, 0, DW_OPERATION_BLOCK_ERASE, DW_CLASS_OK, false },
		{ 0, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_OK, true },
		{ 0x4001, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_UNSUPPORTED, false },
		{ 0x2002, 0, DW_OPERATION_BLOCK_ERASE, DW_CLASS_UNSUPPORTED, false },
		{ 0x401d, 0, DW_OPERATION_BLOCK_ERASE, DW_CLASS_FAILED, false },
		{ 0x401c, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_FAILED, false },
		{ 0x4286, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_PROTECTED, false },
		{ 0x0006, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_RETRY, false },
		{ 0x4006, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_HARDWARE, false },
		{ 0x4083, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_RESERVED, false },
		{ 0x0371, 0, DW_OPERATION_FORMAT_USER, DW_CLASS_RETRY, false },
		{ 0, ENODEV, DW_OPERATION_FORMAT_USER, DW_CLASS_GONE, false },
		{ 0, EINTR, DW_OPERATION_FORMAT_USER, DW_CLASS_RETRY, false },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t list[DW_POLL_LEN];
		struct dw_target t = target_of(ALL);
		struct dw_cmd cmd = cmd_of(rows[i].operation, list);
		struct dw_completion done = { .cmd = &cmd };
		const struct dw_caps caps = { .self.nvme = true };
		const struct dw_op op = { .verb = DW_VERB_OPERATE,
					  .operation = (uint8_t)rows[i].operation };
		struct dw_result r;

		box.status = rows[i].status;
		box.error = rows[i].error;
		dw_nvme_run(&t, &cmd, &done);
		dw_decode(&caps, &op, &done, &r);
		assert_int_equal(rows[i].class, r.class);
		assert_int_equal(rows[i].succeeded, r.ended == DW_ENDED_WELL);
	}
}

static void controllers(void **state)
{
	uint8_t d[DW_NVME_IDENTIFY_LEN] = { 0 };
	struct dw_nvme_controller c;

	assert_int_equal(-EBADMSG, dw_nvme_controller_parse(d, sizeof(d), &c));
	d[516] = 8;
	assert_int_equal(-EBADMSG, dw_nvme_controller_parse(d, sizeof(d) - 1, &c));
	/* NOLINTBEGIN(bugprone-not-null-terminated-result): fields have no terminator */
	memcpy(d + 4, "  AB\x1b 1             ", 20);
	memcpy(d + 24, "Model of a disk                         ", 40);
	/* NOLINTEND(bugprone-not-null-terminated-result) */
	d[76] = 0x02;
	d[256] = 0x0a;
	d[524] = 0x05;
	d[328] = 0x06;
	d[331] = 0xa0;
	d[297] = 0x10;
	assert_int_equal(0, dw_nvme_controller_parse(d, sizeof(d), &c));
	assert_string_equal("AB? 1", c.serial);
	assert_string_equal("Model of a disk", c.model);
	assert_true(c.several_controllers && c.can_format && c.manages && c.format_all &&
		    !c.erase_all && c.format_crypto);
	assert_int_equal(0xa0000006, c.sanicap);
	assert_int_equal(4096, c.unallocated);
	d[304] = 1;
	assert_int_equal(0, dw_nvme_controller_parse(d, sizeof(d), &c));
	assert_true(c.unallocated == UINT64_MAX);
}

static void namespaces(void **state)
{
	uint8_t d[DW_NVME_IDENTIFY_LEN] = { 0 };
	struct dw_nvme_namespace n;

	assert_int_equal(-ENODEV, dw_nvme_namespace_parse(d, sizeof(d), &n));
	d[1] = 0x10;
	d[26] = 0x21; /* format 17 */
	d[29] = 0x0b;
	assert_int_equal(-ERANGE, dw_nvme_namespace_parse(d, sizeof(d), &n));
	d[128 + 17 * 4 + 2] = 12;
	assert_int_equal(0, dw_nvme_namespace_parse(d, sizeof(d), &n));
	assert_int_equal(4096, n.blocks);
	assert_int_equal(4096, n.block_size);
	assert_int_equal(0x21, n.flbas);
	assert_int_equal(0x0b, n.dps);
	assert_int_equal(-EBADMSG, dw_nvme_namespace_parse(d, 4095, &n));
}

static void lists(void **state)
{
	const uint8_t list[12] = { 1, 0, 0, 0, 9, 1, 0, 0 };
	const uint8_t two[6] = { 2, 0, 0, 0, 1 };

	assert_int_equal(2, dw_nvme_list_count(list, sizeof(list)));
	assert_int_equal(265, dw_nvme_list_entry(list, sizeof(list), 1));
	assert_int_equal(2, dw_nvme_list_count(list, 8));
	assert_int_equal(1, dw_nvme_list_count(list, 7));
	assert_int_equal(2, dw_nvme_controllers_count(two, sizeof(two)));
	assert_int_equal(0, dw_nvme_controllers_count(two, 5));
	assert_int_equal(0, dw_nvme_controllers_count(two, 1));
}

static void logs(void **state)
{
	uint8_t d[DW_NVME_LOG_LEN] = { 0 };
	struct dw_nvme_sanitize_log log;
	struct dw_nvme_health h;

	d[0] = 0x34;
	d[1] = 0x12;
	d[2] = 0xfa; /* 2, and passes that were completed */
	d[4] = 0x1b;
	d[8] = 60;
	memset(d + 12, 0xff, 4);
	d[17] = 1;
	d[20] = 90;
	assert_int_equal(-EBADMSG, dw_nvme_sanitize_log_parse(d, 31, false, &log));
	assert_int_equal(0, dw_nvme_sanitize_log_parse(d, sizeof(d), false, &log));
	assert_int_equal(0x1234, log.progress);
	assert_int_equal(DW_NVME_RUNS, log.state);
	assert_int_equal(DW_NVME_OVERWRITE, log.action);
	assert_int_equal(60, log.seconds[DW_NVME_OVERWRITE]);
	assert_true(log.seconds[DW_NVME_BLOCK_ERASE] == DW_NVME_UNTOLD);
	assert_int_equal(256, log.seconds[DW_NVME_CRYPTO_ERASE]);
	assert_int_equal(0, dw_nvme_sanitize_log_parse(d, sizeof(d), true, &log));
	assert_int_equal(90, log.seconds[DW_NVME_OVERWRITE]);

	memset(d, 0, sizeof(d));
	d[0] = 4;
	d[1] = 0x30;
	d[2] = 1;
	d[5] = 101;
	d[128] = 7;
	d[160] = 2;
	assert_int_equal(-EBADMSG, dw_nvme_health_parse(d, 191, &h));
	assert_int_equal(0, dw_nvme_health_parse(d, sizeof(d), &h));
	assert_true(h.warning == 4 && h.kelvin == 304 && h.used == 101 && h.hours == 7 &&
		    h.media_errors == 2);
}

static void test_guard_read(void **state)
{
	uint8_t block[512];
	const struct nvme_passthru_cmd good = { .opcode = DW_NVME_READ,
						.nsid = 1,
						.cdw10 = 7,
						.addr = (uintptr_t)block,
						.data_len = sizeof(block) };
	struct nvme_passthru_cmd c;

	for (unsigned int o = 0; o < 256; o++) {
		c = good;
		c.opcode = (uint8_t)o;
		assert_int_equal(o == DW_NVME_READ, dw_guard_read(&c));
	}
	c = good;
	c.cdw12 = 1; /* two blocks */
	assert_false(dw_guard_read(&c));
	c = good;
	c.metadata = c.addr;
	assert_false(dw_guard_read(&c));
	c = good;
	c.addr = 0;
	assert_false(dw_guard_read(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guard_read),
		cmocka_unit_test(sent),
		cmocka_unit_test(no_scsi),
		cmocka_unit_test(stranger),
		cmocka_unit_test(guarded),
		cmocka_unit_test(questions),
		cmocka_unit_test(keeps),
		cmocka_unit_test(formats),
		cmocka_unit_test(polled),
		cmocka_unit_test(purge_is_asked_for),
		cmocka_unit_test(purge_is_attested),
		cmocka_unit_test(no_log),
		cmocka_unit_test(ended),
		cmocka_unit_test(controllers),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(lists),
		cmocka_unit_test(logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
