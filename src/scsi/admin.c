/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scsi/admin.h"

#include <stddef.h>

#include "base/util.h"
#include "scsi/opcodes.h"

#define AUSE          (1u << 3)
#define ONCE          (1u << 4) /* OWPASS */
#define NO_DEALLOCATE (1u << 9)
#define PREQ          (1u << 11)
#define SPRRS         (1u << 5)
#define NDI           (1u << 29)
#define MODIFIED      2u /* NODMMAS: the medium is made readable at the end */

void dw_nvme_identify(struct dw_nvme_admin *ret, uint8_t cns, uint32_t nsid)
{
	*ret = (struct dw_nvme_admin){ .opcode = DW_NVME_IDENTIFY,
				       .nsid = nsid,
				       .cdw10 = cns,
				       .data_len = DW_NVME_IDENTIFY_LEN };
}

void dw_nvme_get_log(struct dw_nvme_admin *ret, uint8_t page)
{
	*ret = (struct dw_nvme_admin){ .opcode = DW_NVME_GET_LOG,
				       .nsid = DW_NVME_NSID_ALL,
				       .cdw10 = (DW_NVME_LOG_LEN / 4 - 1) << 16 | page,
				       .data_len = DW_NVME_LOG_LEN };
}

static bool keeps_blocks(uint8_t action, uint32_t sanicap)
{
	return !(sanicap & NDI) &&
	       (action == DW_NVME_OVERWRITE || sanicap >> 30 == MODIFIED);
}

void dw_nvme_sanitize(struct dw_nvme_admin *ret, uint8_t action, uint8_t byte,
		      uint32_t sanicap)
{
	*ret = (struct dw_nvme_admin){ .opcode = DW_NVME_SANITIZE,
				       .cdw10 = action | AUSE };
	if (action == DW_NVME_OVERWRITE) {
		ret->cdw10 |= ONCE;
		ret->cdw11 = byte * 0x01010101u;
	}
	if (keeps_blocks(action, sanicap))
		ret->cdw10 |= NO_DEALLOCATE;
	if (dw_nvme_attests(sanicap))
		ret->cdw10 |= PREQ;
}

bool dw_nvme_attests(uint32_t sanicap)
{
	return sanicap & SPRRS;
}

/* LBAF has two more bits since NVMe 2.0, at other places in FLBAS and in the command. */
void dw_nvme_format(struct dw_nvme_admin *ret, uint8_t ses, uint32_t nsid, uint8_t flbas,
		    uint8_t dps)
{
	*ret = (struct dw_nvme_admin){
		.opcode = DW_NVME_FORMAT,
		.nsid = nsid,
		.cdw10 = (flbas & 0x1fu) | (dps & 0x0fu) << 5 | (uint32_t)ses << 9 |
			 (flbas >> 5 & 3u) << 12,
	};
}

uint32_t dw_nvme_bit(uint8_t action)
{
	switch (action) {
	case DW_NVME_CRYPTO_ERASE:
		return 1 << 0;
	case DW_NVME_BLOCK_ERASE:
		return 1 << 1;
	case DW_NVME_OVERWRITE:
		return 1 << 2;
	default:
		return 0;
	}
}

static bool is_same_admin(const struct dw_nvme_admin *a, const struct dw_nvme_admin *b)
{
	return a->opcode == b->opcode && a->nsid == b->nsid && a->cdw10 == b->cdw10 &&
	       a->cdw11 == b->cdw11 && a->data_len == b->data_len;
}

static bool is_question(const struct dw_nvme_admin *cmd)
{
	static const uint8_t cns[] = {
		DW_NVME_CNS_NAMESPACE, DW_NVME_CNS_CONTROLLER,     DW_NVME_CNS_ACTIVE,
		DW_NVME_CNS_ALLOCATED, DW_NVME_CNS_ALLOCATED_DATA, DW_NVME_CNS_CONTROLLERS
	};
	static const uint8_t pages[] = { DW_NVME_PAGE_HEALTH, DW_NVME_PAGE_SANITIZE };
	struct dw_nvme_admin want;

	for (size_t i = 0; i < DW_ARRAY_SIZE(cns); i++) {
		dw_nvme_identify(&want, cns[i], cmd->nsid);
		if (is_same_admin(cmd, &want))
			return true;
	}
	for (size_t i = 0; i < DW_ARRAY_SIZE(pages); i++) {
		dw_nvme_get_log(&want, pages[i]);
		if (is_same_admin(cmd, &want))
			return true;
	}
	return false;
}

static uint32_t sanitize_class(const struct dw_nvme_admin *cmd, uint32_t sanicap)
{
	static const struct {
		uint8_t action;
		uint32_t class;
	} ways[] = {
		{ DW_NVME_OVERWRITE, DW_OPCLASS_OVERWRITE },
		{ DW_NVME_BLOCK_ERASE, DW_OPCLASS_BLOCK_ERASE },
		{ DW_NVME_CRYPTO_ERASE, DW_OPCLASS_CRYPTO_ERASE },
	};
	struct dw_nvme_admin want;

	for (size_t i = 0; i < DW_ARRAY_SIZE(ways); i++) {
		dw_nvme_sanitize(&want, ways[i].action, (uint8_t)cmd->cdw11, sanicap);
		if (is_same_admin(cmd, &want))
			return ways[i].class;
	}
	return DW_OPCLASS_NEVER;
}

static uint32_t format_class(const struct dw_nvme_admin *cmd, uint32_t nsid,
			     uint8_t flbas, uint8_t dps)
{
	struct dw_nvme_admin want;

	if (nsid == 0 || nsid == DW_NVME_NSID_ALL)
		return DW_OPCLASS_NEVER;
	dw_nvme_format(&want, DW_NVME_SES_USER, nsid, flbas, dps);
	if (is_same_admin(cmd, &want))
		return DW_OPCLASS_NVME_FORMAT;
	dw_nvme_format(&want, DW_NVME_SES_CRYPTO, nsid, flbas, dps);
	return is_same_admin(cmd, &want) ? DW_OPCLASS_NVME_CRYPTO : DW_OPCLASS_NEVER;
}

uint32_t dw_nvme_class(const struct dw_nvme_admin *cmd, uint32_t nsid, uint32_t sanicap,
		       uint8_t flbas, uint8_t dps)
{
	switch (cmd->opcode) {
	case DW_NVME_IDENTIFY:
	case DW_NVME_GET_LOG:
		return is_question(cmd) ? DW_OPCLASS_READ : DW_OPCLASS_NEVER;
	case DW_NVME_SANITIZE:
		return sanitize_class(cmd, sanicap);
	case DW_NVME_FORMAT:
		return format_class(cmd, nsid, flbas, dps);
	default:
		return DW_OPCLASS_NEVER;
	}
}
