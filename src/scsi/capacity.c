/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "base/be.h"
#include "scsi/capacity.h"

static bool block_size_ok(uint32_t bytes)
{
	return bytes >= 256 && bytes <= 65536;
}

int dw_capacity10(const uint8_t *data, size_t len, struct dw_capacity *ret)
{
	uint32_t last;

	if (len < 8 || !block_size_ok(dw_get_be32(data + 4)))
		return -EBADMSG;
	last = dw_get_be32(data);
	if (last == UINT32_MAX)
		return -ERANGE;
	*ret = (struct dw_capacity){
		.blocks = (uint64_t)last + 1,
		.block_size = dw_get_be32(data + 4),
	};
	return 0;
}

int dw_capacity16(const uint8_t *data, size_t len, struct dw_capacity *ret)
{
	uint64_t last;
	uint8_t p_type;

	if (len < 12 || !block_size_ok(dw_get_be32(data + 8)))
		return -EBADMSG;
	last = dw_get_be64(data);
	if (last == UINT64_MAX)
		return -EBADMSG;
	*ret = (struct dw_capacity){
		.blocks = last + 1,
		.block_size = dw_get_be32(data + 8),
	};
	if (len < 16)
		return 0;
	p_type = data[12] >> 1 & 7;
	if ((data[12] & 0x01) && p_type > 2) /* PROT_EN with a reserved P_TYPE */
		return -EBADMSG;
	ret->pi_type = data[12] & 0x01 ? p_type + 1 : 0;
	ret->physical_exp = data[13] & 0x0f;
	ret->lbpme = data[14] & 0x80;
	ret->lbprz = data[14] & 0x40;
	ret->lowest_aligned = dw_get_be16(data + 14) & 0x3fff;
	return 0;
}
