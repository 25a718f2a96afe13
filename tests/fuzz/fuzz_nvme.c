/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NVMe: what controllers answer, of any length, and commands of which none gets through that is not
 * made of the few that are known.
 */
#include <string.h>

#include "fuzz.h"

#include "base/le.h"
#include "scsi/admin.h"
#include "scsi/data.h"
#include "scsi/status.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"

static void answers(const uint8_t *data, size_t size)
{
	struct dw_nvme_controller c;
	struct dw_nvme_namespace n;
	struct dw_nvme_sanitize_log log;
	struct dw_nvme_health health;

	if (!dw_nvme_controller_parse(data, size, &c)) {
		FUZZ_CHECK(strlen(c.serial) < sizeof(c.serial));
		FUZZ_CHECK(strlen(c.model) < sizeof(c.model));
	}
	if (!dw_nvme_namespace_parse(data, size, &n))
		FUZZ_CHECK(n.blocks && n.block_size >= 512 && n.block_size <= 1 << 20);
	FUZZ_CHECK(dw_nvme_list_count(data, size) <= size / 4);
	FUZZ_CHECK(dw_nvme_controllers_count(data, size) <= size / 2);
	if (!dw_nvme_sanitize_log_parse(data, size, size & 1, &log))
		FUZZ_CHECK(log.state < 8 && log.action < 8);
	dw_nvme_health_parse(data, size, &health);
}

static void status(const uint8_t *data)
{
	struct dw_completion done = { 0 };
	struct dw_sense sense;
	unsigned int s = dw_get_le16(data);

	dw_nvme_status(s, &done);
	FUZZ_CHECK(!(s & 0x7ff) == (!done.status && !done.host_status));
	if (done.sense_len) {
		FUZZ_CHECK(!dw_sense_parse(done.sense, done.sense_len, &sense));
		FUZZ_CHECK(sense.key > DW_KEY_RECOVERED_ERROR);
	}
}

static void commands(const uint8_t *data)
{
	const struct dw_nvme_admin cmd = { .opcode = data[0],
					   .nsid = dw_get_le32(data + 1),
					   .cdw10 = dw_get_le32(data + 5),
					   .cdw11 = dw_get_le32(data + 9),
					   .data_len = dw_get_le16(data + 13) };
	uint32_t sanicap = dw_get_le32(data + 15), nsid = dw_get_le32(data + 19);
	uint32_t class = dw_nvme_class(&cmd, nsid, sanicap, data[23], data[24]);

	FUZZ_CHECK(class && !(class & (class - 1)));
	if (class == DW_OPCLASS_READ)
		FUZZ_CHECK((cmd.opcode == 0x02 || cmd.opcode == 0x06) && cmd.data_len);
	else if (class & DW_OPCLASS_ERASE)
		FUZZ_CHECK(cmd.opcode == 0x84 && !cmd.nsid && cmd.cdw10 & 8 &&
			   !cmd.data_len && (cmd.cdw10 & 7) > 1 && (cmd.cdw10 & 7) < 5);
	else if (class != DW_OPCLASS_NEVER)
		FUZZ_CHECK(cmd.opcode == 0x80 && cmd.nsid == nsid && nsid + 1 > 1 &&
			   (cmd.cdw10 >> 9 & 7) ==
				   (class == DW_OPCLASS_NVME_FORMAT ? 1 : 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	answers(data, size);
	if (size >= 2)
		status(data);
	if (size >= 25)
		commands(data);
	return 0;
}
