/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How an NVMe disk erases itself, in the words of SCSI. SANITIZE becomes Sanitize, the CDB of
 * dw_cdb_format_nvme() Format NVM, and the state of a sanitize is read from log page 81h. The
 * kernel carries them out for a namespace's block node, which the claim holds.
 */
#include "transport/nvme.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/status.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "scsi/sense.h"
#include "transport/guard.h"

#define ASK_TIMEOUT_MS 20000
/* A disk may be at work for others: a short time would make the kernel reset it. */
#define READ_TIMEOUT_MS 60000
#define SENSE_LEN       18
#define CODE_AND_TYPE   0x7ff
#define ACCESS_DENIED   0x286

/* What a question needs no disk's permit for. */
static const struct dw_target asked = { .permits = DW_OPCLASS_READ };

/* 0, the status > 0, or negative errno; -EPERM: the guard does not let it pass. */
static int send_admin(const struct dw_target *target, uint32_t permits, int fd,
		      const struct dw_nvme_admin *cmd, uint8_t *data, uint32_t timeout_ms)
{
	struct nvme_passthru_cmd c = { .opcode = cmd->opcode,
				       .nsid = cmd->nsid,
				       .cdw10 = cmd->cdw10,
				       .cdw11 = cmd->cdw11,
				       .addr = (uintptr_t)data,
				       .data_len = cmd->data_len,
				       .timeout_ms = timeout_ms };
	int r;

	if (!dw_guard_admin(target, permits, &c))
		return -EPERM;
	r = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &c);
	return r < 0 ? -errno : r;
}

int dw_nvme_ask(int fd, const struct dw_nvme_admin *cmd, uint8_t *data)
{
	int r;

	memset(data, 0, cmd->data_len);
	do
		r = send_admin(&asked, DW_OPCLASS_READ, fd, cmd, data, ASK_TIMEOUT_MS);
	while (r == -EINTR);
	return r;
}

/* The status of the controller, 0 = good, or negative errno. */
static int read_block(int fd, uint32_t nsid, uint64_t lba, uint8_t *data, uint32_t len)
{
	struct nvme_passthru_cmd c = { .opcode = DW_NVME_READ,
				       .nsid = nsid,
				       .cdw10 = (uint32_t)lba,
				       .cdw11 = (uint32_t)(lba >> 32),
				       .addr = (uintptr_t)data,
				       .data_len = len,
				       .timeout_ms = READ_TIMEOUT_MS };
	int r;

	if (!dw_guard_read(&c))
		return -EPERM;
	do
		r = ioctl(fd, NVME_IOCTL_IO_CMD, &c);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

bool dw_nvme_denies(int fd, uint32_t nsid, uint64_t blocks, uint8_t *data, uint32_t len)
{
	const uint64_t lba[] = { 0, blocks - 1 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(lba); i++) {
		int r = read_block(fd, nsid, lba[i], data, len);

		if (r < 0 || (r & CODE_AND_TYPE) != ACCESS_DENIED)
			return false;
	}
	return true;
}

bool dw_nvme_takes(const struct dw_cmd *cmd)
{
	return cmd->cdb[0] == DW_OPCODE_SANITIZE ||
	       cmd->cdb[0] == DW_OPCODE_REQUEST_SENSE ||
	       cmd->cdb[0] == DW_OPCODE_FORMAT_UNIT;
}

/* Another disk may be behind a controller that was reset. */
static int check_serial(const struct dw_target *target)
{
	uint8_t page[DW_NVME_IDENTIFY_LEN];
	struct dw_nvme_controller c;
	struct dw_nvme_admin ask;
	int r;

	dw_nvme_identify(&ask, DW_NVME_CNS_CONTROLLER, 0);
	r = dw_nvme_ask(target->blk_fd, &ask, page);
	if (r)
		return r < 0 ? r : -EIO;
	if (dw_nvme_controller_parse(page, sizeof(page), &c))
		return -EIO;
	return strcmp(c.serial, target->nvme->serial) ? -ESTALE : 0;
}

/* Of a good CDB; the guard looks at what becomes of it. */
static void translate(const struct dw_target *target, const struct dw_cmd *cmd,
		      struct dw_nvme_admin *ret)
{
	static const uint8_t action[] = {
		[DW_SA_SANITIZE_OVERWRITE] = DW_NVME_OVERWRITE,
		[DW_SA_SANITIZE_BLOCK_ERASE] = DW_NVME_BLOCK_ERASE,
		[DW_SA_SANITIZE_CRYPTO_ERASE] = DW_NVME_CRYPTO_ERASE,
	};
	const struct dw_nvme_unit *u = target->nvme;
	const uint8_t *list = cmd->data;
	uint8_t sa = cmd->cdb[1] & 0x1f;

	*ret = (struct dw_nvme_admin){ 0 };
	if (cmd->cdb[0] == DW_OPCODE_FORMAT_UNIT)
		dw_nvme_format(ret, cmd->cdb[2], u->nsid, u->flbas, u->dps);
	else if (sa < DW_ARRAY_SIZE(action) && action[sa])
		dw_nvme_sanitize(ret, action[sa], cmd->data_len ? list[4] : 0,
				 u->sanicap);
}

/* EIO of the block layer may be anything; here it is the host that could not send. */
static void fill_result(int r, struct dw_completion *ret)
{
	if (r == -EINTR || r == -EIO)
		r = -EAGAIN;
	if (r < 0)
		ret->err = r;
	else
		dw_nvme_status((unsigned int)r, ret);
}

static void erase_nvme(const struct dw_target *target, const struct dw_cmd *cmd,
		       struct dw_completion *ret)
{
	uint32_t class = dw_opcode_class(cmd->cdb, cmd->cdb_len);
	struct dw_nvme_admin admin;
	int r = check_serial(target);

	translate(target, cmd, &admin);
	if (!r)
		r = send_admin(target, class, target->blk_fd, &admin, NULL,
			       cmd->timeout_ms);
	fill_result(r, ret);
}

/* Is what the log tells of one of the ways that are permitted? */
static bool is_permitted(const struct dw_target *target, uint8_t action)
{
	static const uint32_t class[] = {
		[DW_NVME_BLOCK_ERASE] = DW_OPCLASS_BLOCK_ERASE,
		[DW_NVME_OVERWRITE] = DW_OPCLASS_OVERWRITE,
		[DW_NVME_CRYPTO_ERASE] = DW_OPCLASS_CRYPTO_ERASE,
	};

	return action < DW_ARRAY_SIZE(class) && class[action] & target->permits;
}

static void report_state(const struct dw_target *target,
			 const struct dw_nvme_sanitize_log *log, uint8_t *sense)
{
	bool done = log->state == DW_NVME_DONE || log->state == DW_NVME_DONE_DEALLOCATED;

	/* it was commanded to purge or to fail: a result that is neither has not ended well */
	if (dw_nvme_attests(target->nvme->sanicap) && !log->purged)
		done = false;

	memset(sense, 0, SENSE_LEN);
	sense[0] = 0x70;
	sense[7] = SENSE_LEN - 8;
	if (log->state == DW_NVME_RUNS) {
		sense[2] = DW_KEY_NOT_READY;
		sense[12] = 0x04;
		sense[13] = 0x1b;
		sense[15] = 0x80;
		dw_put_be16(sense + 16, log->progress);
	} else if (log->state == DW_NVME_FAILED) {
		sense[2] = DW_KEY_MEDIUM_ERROR;
		sense[12] = 0x31;
		sense[13] = 0x03;
	} else if (!done || !is_permitted(target, log->action)) {
		sense[2] = DW_KEY_ILLEGAL_REQUEST;
		sense[12] = 0x2c;
	}
}

static void poll_nvme(const struct dw_target *target, struct dw_cmd *cmd,
		      struct dw_completion *ret)
{
	uint8_t page[DW_NVME_LOG_LEN];
	struct dw_nvme_sanitize_log log;
	struct dw_nvme_admin ask;
	int r;

	if (cmd->data_len < SENSE_LEN) {
		dw_nvme_sense(ret, DW_KEY_ILLEGAL_REQUEST, 0x24, 0x00);
		return;
	}
	dw_nvme_get_log(&ask, DW_NVME_PAGE_SANITIZE);
	r = dw_nvme_ask(target->blk_fd, &ask, page);
	if (r) {
		fill_result(r, ret);
		return;
	}
	dw_nvme_sanitize_log_parse(page, sizeof(page), false, &log);
	report_state(target, &log, cmd->data);
	ret->resid = (int32_t)(cmd->data_len - SENSE_LEN);
}

void dw_nvme_run(const struct dw_target *target, struct dw_cmd *cmd,
		 struct dw_completion *ret)
{
	if (cmd->cdb[0] == DW_OPCODE_REQUEST_SENSE)
		poll_nvme(target, cmd, ret);
	else
		erase_nvme(target, cmd, ret);
}
