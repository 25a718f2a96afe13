/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scsi/format.h"

#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/mode.h"

#define FMTDATA     0x10
#define IMMED       0x02
#define LONGLBA     0x01
#define HEADER_6    4
#define HEADER_10   8
#define SHORT_BLOCK 8
#define WIDE_BLOCK  16

bool dw_format_length_known(uint32_t bytes)
{
	static const uint16_t lengths[] = { 512, 520, 528, 4096, 4160, 4224 };

	for (size_t i = 0; i < DW_ARRAY_SIZE(lengths); i++)
		if (lengths[i] == bytes)
			return true;
	return false;
}

/* FMTPINFO and PROTECTION FIELD USAGE (SBC-4, table 38) */
static const struct {
	uint8_t info;
	uint8_t usage;
} protection[DW_PROTECTION_TYPES] = { { 0, 0 }, { 2, 0 }, { 3, 0 }, { 3, 1 } };

int dw_cdb_format(uint8_t *cdb, uint8_t pi)
{
	if (pi >= DW_PROTECTION_TYPES)
		return -EINVAL;
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_FORMAT_UNIT;
	cdb[1] = (uint8_t)(protection[pi].info << 6 | FMTDATA);
	return 6;
}

int dw_cdb_format_nvme(uint8_t *cdb, uint8_t ses)
{
	if (ses != DW_FORMAT_NVME_USER && ses != DW_FORMAT_NVME_CRYPTO)
		return -EINVAL;
	memset(cdb, 0, DW_CDB_MAX);
	cdb[0] = DW_OPCODE_FORMAT_UNIT;
	cdb[2] = ses;
	return 6;
}

void dw_format_list(uint8_t *list, uint8_t pi)
{
	memset(list, 0, DW_FORMAT_LIST_LEN);
	list[0] = protection[pi].usage;
	list[1] = IMMED;
}

bool dw_format_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len)
{
	uint8_t want[DW_CDB_MAX], list[DW_FORMAT_LIST_LEN];

	if (data_len != DW_FORMAT_LIST_LEN)
		return false;
	for (uint8_t pi = 0; pi < DW_PROTECTION_TYPES; pi++) {
		int len = dw_cdb_format(want, pi);

		dw_format_list(list, pi);
		if (!memcmp(cdb, want, (size_t)len) && !memcmp(data, list, sizeof(list)))
			return true;
	}
	return false;
}

int dw_block_descriptor_parse(const uint8_t *data, size_t len, unsigned int size,
			      struct dw_block_descriptor *ret)
{
	size_t head = size == 6 ? HEADER_6 : HEADER_10;
	bool wide = size == 10 && len > 4 && data[4] & LONGLBA;
	struct dw_mode_header h;
	int r = dw_mode_header_parse(data, len, size, &h);

	if (r < 0)
		return r;
	if (h.pages_at < head + (wide ? WIDE_BLOCK : SHORT_BLOCK))
		return -ENODATA;
	*ret = (struct dw_block_descriptor){
		.size = (uint8_t)size,
		.wide = wide,
		.block_size = wide ? dw_get_be32(data + head + 12)
				   : dw_get_be32(data + head + 4) & 0xffffff,
	};
	return 0;
}

int dw_block_descriptor_list(const struct dw_block_descriptor *d, uint8_t *list)
{
	size_t head = d->size == 6 ? HEADER_6 : HEADER_10;
	uint8_t block = d->wide ? WIDE_BLOCK : SHORT_BLOCK;

	if ((d->size != 6 && d->size != 10) || (d->wide && d->size == 6) ||
	    (!d->unclips && !dw_format_length_known(d->block_size)) || !d->block_size ||
	    (!d->wide && d->block_size >> 24))
		return -EINVAL;
	memset(list, 0, DW_LENGTH_LIST_MAX);
	list[head - 1] = block;
	if (d->wide)
		list[4] = LONGLBA;
	if (d->unclips)
		memset(list + head, 0xff, d->wide ? 8 : 4);
	dw_put_be32(list + head + (d->wide ? 12 : 4), d->block_size);
	return (int)(head + block);
}

bool dw_block_descriptor_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len,
			      struct dw_block_descriptor *ret)
{
	uint8_t want[DW_CDB_MAX], list[DW_LENGTH_LIST_MAX];
	struct dw_block_descriptor d;
	unsigned int size = cdb[0] == DW_OPCODE_MODE_SELECT_6 ? 6 : 10;
	int len;

	/* the list has the form of a reply without the length of the whole, which is 0 */
	d = (struct dw_block_descriptor){
		.size = (uint8_t)size,
		.wide = size == 10 && data_len > 4 && data[4] & LONGLBA,
	};
	if (data_len != (size == 6 ? HEADER_6 : HEADER_10) +
				(uint32_t)(d.wide ? WIDE_BLOCK : SHORT_BLOCK))
		return false;
	d.block_size = dw_get_be32(data + data_len - 4);
	d.unclips = data[size == 6 ? HEADER_6 : HEADER_10] == 0xff;
	*ret = d;
	len = dw_block_descriptor_list(&d, list);
	if (len != (int)data_len || memcmp(data, list, (size_t)len) != 0 ||
	    dw_cdb_mode_select(want, size, (uint16_t)len) != (int)size)
		return false;
	want[1] |= cdb[1] & DW_MODE_SELECT_SP;
	return !memcmp(cdb, want, size);
}

bool dw_mode_select_blocks(const uint8_t *cdb, const uint8_t *data, uint32_t data_len)
{
	size_t head = cdb[0] == DW_OPCODE_MODE_SELECT_6 ? HEADER_6 : HEADER_10;

	if (data_len < head)
		return true;
	return head == HEADER_6 ? data[3] != 0 : dw_get_be16(data + 6) != 0;
}
