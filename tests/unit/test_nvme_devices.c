/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of NVMe devices that people own (tests/devices/nvme): each line of a file is an answer of
 * the device and, after the colon, what must become of it.
 */
#include "unit.h"

#include <dirent.h>
#include <linux/nvme_ioctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/util.h"
#include "codec/encode.h"
#include "judge/verdict.h"
#include "scsi/admin.h"
#include "scsi/data.h"
#include "scsi/status.h"
#include "scsi/opcodes.h"
#include "transport/nvme.h"

static uint8_t page[DW_NVME_LOG_LEN];

#define BLOCKS     0x100000005ull
#define BLOCK_SIZE 4096

/* status with which a disk ends a READ of its first block, and of its last */
static unsigned int end_of_read[2];

/* Nothing but READ of one block may go out to ask for that. */
static int read_block(const struct nvme_passthru_cmd *c)
{
	uint64_t lba = c->cdw10 | (uint64_t)c->cdw11 << 32;
	struct nvme_passthru_cmd want = { .opcode = 0x02,
					  .nsid = 3,
					  .cdw10 = c->cdw10,
					  .cdw11 = c->cdw11,
					  .addr = c->addr,
					  .data_len = BLOCK_SIZE,
					  .timeout_ms = c->timeout_ms };

	assert_memory_equal(&want, c, sizeof(want));
	assert_true(lba == 0 || lba == BLOCKS - 1);
	return (int)end_of_read[lba > 0];
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's name for it */
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
/* NOLINTEND(bugprone-reserved-identifier) */
{
	struct nvme_passthru_cmd *c;
	va_list ap;

	va_start(ap, request);
	c = va_arg(ap, struct nvme_passthru_cmd *);
	va_end(ap);
	if (request == NVME_IOCTL_IO_CMD)
		return read_block(c);
	assert_int_equal(NVME_IOCTL_ADMIN_CMD, request);
	assert_int_equal(sizeof(page), c->data_len);
	memcpy((uint8_t *)(uintptr_t)c->addr, page, sizeof(page));
	return 0;
}

static void parse_hex(const char *text)
{
	memset(page, 0, sizeof(page));
	for (size_t i = 0; text[2 * i] && text[2 * i + 1] && i < sizeof(page); i++) {
		const char byte[] = { text[2 * i], text[2 * i + 1], '\0' };

		page[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

static bool states_no_time(void)
{
	struct dw_nvme_sanitize_log log;
	bool none = true;

	for (int kept = 0; kept < 2; kept++) {
		assert_int_equal(
			0, dw_nvme_sanitize_log_parse(page, sizeof(page), kept, &log));
		for (int a = DW_NVME_BLOCK_ERASE; a <= DW_NVME_CRYPTO_ERASE; a++)
			none &= !dw_nvme_stated_ns(log.seconds[a]);
	}
	return none;
}

/* what a poll of a block erase makes of the sanitize log */
static void poll(const char *bytes, char *ret, size_t size)
{
	const struct dw_nvme_unit unit = { .nsid = 1, .sanicap = 7 };
	const struct dw_target t = { .permits = DW_OPCLASS_READ | DW_OPCLASS_BLOCK_ERASE,
				     .nvme = &unit };
	const struct dw_caps caps = { .self.nvme = true };
	const struct dw_op op = { .verb = DW_VERB_POLL };
	uint8_t reply[DW_POLL_LEN] = { 0 };
	struct dw_cmd cmd = { .data = reply };
	struct dw_completion done = { .cmd = &cmd };
	struct dw_result r;

	parse_hex(bytes);
	assert_int_equal(0, dw_encode(&caps, &op, false, &cmd));
	dw_nvme_run(&t, &cmd, &done);
	dw_decode(&caps, &op, &done, &r);
	if (r.class == DW_CLASS_RUNNING)
		snprintf(ret, size, "works %u, %s", r.progress,
			 states_no_time() ? "no time" : "a time");
	else
		snprintf(ret, size, "%s",
			 r.class != DW_CLASS_OK     ? "no answer"
			 : r.ended == DW_ENDED_WELL ? "ended"
						    : "ended otherwise");
}

/* how a command ends that erases; the way out, if it is told */
static void operate(uint8_t operation, const char *status, char *ret, size_t size)
{
	static const char *const ways_out[] = { "sleep and wake", "PSID" };
	const struct dw_caps caps = { .self.nvme = true };
	const struct dw_op op = { .verb = DW_VERB_OPERATE, .operation = operation };
	struct dw_completion done = { .end_ns = 1 };
	struct dw_result r;
	size_t n;

	dw_nvme_status((unsigned int)strtoul(status, NULL, 16), &done);
	dw_decode(&caps, &op, &done, &r);
	n = (size_t)snprintf(ret, size, "%s",
			     r.class != DW_CLASS_OK     ? "failed"
			     : r.ended == DW_ENDED_WELL ? "ended"
							: "begun");
	for (size_t i = 0; i < DW_ARRAY_SIZE(ways_out) && r.detail; i++)
		if (strstr(r.detail, ways_out[i]))
			snprintf(ret + n, size - n, ", %s", ways_out[i]);
}

/* what is made of two answers to READ: of the first block and of the last */
static void ask_access(const char *answers, char *ret, size_t size)
{
	uint8_t block[BLOCK_SIZE];

	assert_int_equal(2, sscanf(answers, "%x %x", &end_of_read[0], &end_of_read[1]));
	snprintf(ret, size, "%s",
		 dw_nvme_denies(9, 3, BLOCKS, block, sizeof(block)) ? "locked"
								    : "not locked");
}

static void identify(const char *oacs, char *ret, size_t size)
{
	uint8_t data[DW_NVME_IDENTIFY_LEN] = { [516] = 1 };
	unsigned long bits = strtoul(oacs, NULL, 16);
	struct dw_nvme_controller c;

	data[256] = (uint8_t)bits;
	data[257] = (uint8_t)(bits >> 8);
	assert_int_equal(0, dw_nvme_controller_parse(data, sizeof(data), &c));
	snprintf(ret, size, "%s", c.can_format ? "formats" : "does not format");
}

static void pair(const char *text, char *ret, size_t size)
{
	struct dw_disk d[2] = { { .verdict = { 0 } } };

	for (unsigned int i = 0; i < 2; i++) {
		struct dw_disk_info *info = &d[i].info;
		unsigned long long blocks;
		int end = 0;

		assert_int_equal(3, sscanf(text, " %20s %63s %llu%n", info->serial,
					   info->wwn, &blocks, &end));
		text += end;
		info->blocks = blocks;
		info->block_size = 512;
		info->block_dev = 1 + i;
		snprintf(info->transport, sizeof(info->transport), "nvme");
		snprintf(info->block, sizeof(info->block), "/dev/nvme%un1", i);
	}
	dw_disks_refuse_duplicates(d, 2);
	assert_int_equal(d[0].verdict.refusal, d[1].verdict.refusal);
	assert_int_equal(0, d[0].n_others); /* never two paths to one */
	snprintf(ret, size, "%s",
		 d[0].verdict.refusal == DW_REFUSAL_NONE ? "two disks" : "refused");
}

/* "WHAT ANSWER: MUST" */
static void play(const char *name, char *line)
{
	char found[80] = "", *answer = strchr(line, ' '), *must = strstr(line, ": ");

	if (!answer || !must)
		fail_msg("%s: not an answer and what must become of it: %s", name, line);
	*answer++ = *must = '\0';
	must += 2;
	if (!strcmp(line, "poll"))
		poll(answer, found, sizeof(found));
	else if (!strcmp(line, "format"))
		operate(DW_OPERATION_FORMAT_USER, answer, found, sizeof(found));
	else if (!strcmp(line, "sanitize"))
		operate(DW_OPERATION_BLOCK_ERASE, answer, found, sizeof(found));
	else if (!strcmp(line, "read"))
		ask_access(answer, found, sizeof(found));
	else if (!strcmp(line, "oacs"))
		identify(answer, found, sizeof(found));
	else if (!strcmp(line, "pair"))
		pair(answer, found, sizeof(found));
	else
		fail_msg("%s: nobody answers %s", name, line);
	if (strcmp(found, must) != 0)
		fail_msg("%s: %s %s: must be \"%s\", is \"%s\"", name, line, answer, must,
			 found);
}

static void play_file(const char *folder, const char *name)
{
	char path[700], line[256];
	unsigned int head = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "about: ", 7))
			head |= 1;
		else if (!strncmp(line, "source: ", 8))
			head |= 2;
		else if (line[0] && line[0] != '#')
			play(name, line);
	}
	fclose(f);
	if (head != 3)
		fail_msg("%s says not what it is, or by whom", name);
}

static void devices(void **state)
{
	const char *data = getenv("DW_TEST_DATA");
	char folder[400];
	struct dirent *e;
	unsigned int n = 0;
	DIR *d;

	assert_non_null(data);
	snprintf(folder, sizeof(folder), "%s/../devices/nvme", data);
	d = opendir(folder);
	assert_non_null(d);
	while ((e = readdir(d)))
		if (strstr(e->d_name, ".conf")) {
			play_file(folder, e->d_name);
			n++;
		}
	closedir(d);
	assert_true(n >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(devices) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
