/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* INQUIRY and MODE SENSE, with the fallbacks that old disks need. */
#include "device/ask.h"

#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "device/profile.h"
#include "scsi/cdb.h"
#include "scsi/mode.h"
#include "scsi/vpd.h"
#include "transport/path_end.h"

static int inquire(struct dw_device *d, int page, uint8_t *buf, uint16_t len,
		   size_t *ret_got)
{
	struct dw_cmd cmd = { .data = buf, .data_len = len };
	struct dw_answer a;
	int r = dw_cdb_inquiry(cmd.cdb, page, len);

	*ret_got = 0;
	if (r < 0)
		return r;
	cmd.cdb_len = (uint8_t)r;
	r = dw_ask(d, &cmd, &a);
	if (!r)
		*ret_got = a.got;
	return r;
}

int dw_ask_page(struct dw_device *d, int page, uint8_t *buf, uint16_t len,
		size_t *ret_got)
{
	uint8_t first[DW_VPD_FIRST_LEN];
	uint16_t longer;
	size_t got;
	int r = inquire(d, page, buf, (uint16_t)dw_min_u64(len, sizeof(first)), ret_got);

	if (r || page < 0)
		return r;
	longer = dw_vpd_longer(buf, *ret_got, (uint8_t)page, len);
	if (!longer)
		return 0;
	memcpy(first, buf, sizeof(first));
	if (!inquire(d, page, buf, longer, &got) && got > sizeof(first)) {
		*ret_got = got;
		return 0;
	}
	memset(buf, 0, len); /* what came first holds */
	memcpy(buf, first, sizeof(first));
	return 0;
}

static int ask_mode(struct dw_device *d, const struct dw_mode_request *req, uint8_t *buf,
		    size_t *ret_got)
{
	struct dw_cmd cmd = { .data = buf, .data_len = req->alloc };
	struct dw_answer a;
	int r = 0;

	for (unsigned int size = 10; size >= 6; size -= 4) {
		r = dw_cdb_mode_sense(cmd.cdb, size, req);
		if (r < 0)
			return r;
		cmd.cdb_len = (uint8_t)r;
		r = dw_ask(d, &cmd, &a);
		if (!r) {
			*ret_got = a.got;
			return (int)size;
		}
		if (dw_path_gone(&a.done) || (r > 0 && !dw_answer_unsupported(&a)))
			break;
	}
	return r < 0 ? r : 0;
}

static uint16_t mode_len(const struct dw_device *d)
{
	return dw_profile_of(&d->info)->mode_len;
}

int dw_ask_mode(struct dw_device *d, uint8_t page, uint8_t pc, uint8_t *buf,
		size_t *ret_got)
{
	const struct dw_mode_request req = {
		.page = page, .pc = pc, .dbd = true, .alloc = mode_len(d)
	};

	return ask_mode(d, &req, buf, ret_got);
}

int dw_ask_default_blocks(struct dw_device *d, uint8_t *buf, size_t *ret_got)
{
	const struct dw_mode_request req = {
		.page = DW_MODE_ALL, .pc = 2, .llbaa = true, .alloc = mode_len(d)
	};

	return ask_mode(d, &req, buf, ret_got);
}

int dw_ask_current_blocks(struct dw_device *d, uint8_t *buf, size_t *ret_got)
{
	const struct dw_mode_request req = { .page = DW_MODE_ALL,
					     .llbaa = true,
					     .alloc = mode_len(d) };

	return ask_mode(d, &req, buf, ret_got);
}

int dw_ask_opcode(struct dw_device *d, uint8_t opcode, int sa, struct dw_rsoc_one *ret)
{
	uint8_t buf[64];
	struct dw_rsoc_request req = { .option = sa < 0 ? 1 : 2,
				       .opcode = opcode,
				       .sa = sa < 0 ? 0 : (uint16_t)sa,
				       .rctd = true,
				       .alloc = sizeof(buf) };
	struct dw_cmd cmd = { .data = buf, .data_len = sizeof(buf) };
	struct dw_answer a;
	int r = dw_cdb_rsoc(cmd.cdb, &req);

	cmd.cdb_len = (uint8_t)r;
	r = dw_ask(d, &cmd, &a);
	if (r == 1 && dw_answer_unsupported(&a)) {
		/* some know the command but not its timeouts */
		req.rctd = false;
		dw_cdb_rsoc(cmd.cdb, &req);
		r = dw_ask(d, &cmd, &a);
	}
	if (r)
		return r < 0 ? r : -EOPNOTSUPP;
	r = dw_rsoc_one(buf, a.got, opcode, ret);
	return r ? r : ret->supported;
}
