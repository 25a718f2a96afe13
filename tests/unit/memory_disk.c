/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_disk.h"

#include "scsi/cdb.h"
#include "unit.h"

#define OLD 0x5a

void memory_disk_init(struct memory_disk *s)
{
	*s = (struct memory_disk){ .bad = MEMORY_BLOCKS };
	memset(s->medium, OLD, sizeof(s->medium));
}

static void write_block(struct memory_disk *s, uint64_t lba, const uint8_t *data)
{
	if (s->lost[lba])
		return;
	if (data)
		memcpy(s->medium[lba], data, MEMORY_BLOCK);
	else
		memset(s->medium[lba], 0, MEMORY_BLOCK);
}

bool memory_disk_carry_out(struct memory_disk *s, const struct dw_cmd *cmd,
			   struct dw_completion *done)
{
	uint8_t *data = cmd->data;
	struct dw_cdb_extent x;

	assert_int_equal(0, dw_cdb_parse(cmd->cdb, cmd->cdb_len, &x));
	assert_true(x.lba + x.nlb <= MEMORY_BLOCKS);
	s->no_data += x.verb == DW_EXTENT_WRITE_SAME && !cmd->data_len;
	for (uint64_t i = 0; i < x.nlb; i++) {
		if (x.verb == DW_EXTENT_READ) {
			memcpy(data + i * MEMORY_BLOCK, s->medium[x.lba + i],
			       MEMORY_BLOCK);
		} else if (x.lba + i == s->bad) {
			uint8_t sense[] = { 0x70 | 0x80, 0, 3, 0, 0, 0,   (uint8_t)s->bad,
					    10,          0, 0, 0, 0, 0x0c };

			done->status = 2;
			memcpy(done->sense, sense, sizeof(sense));
			done->sense_len = 18;
			return false;
		} else if (x.verb == DW_EXTENT_WRITE) {
			write_block(s, x.lba + i, data + i * MEMORY_BLOCK);
		} else {
			write_block(s, x.lba + i, x.flags & DW_EXTENT_NDOB ? NULL : data);
		}
	}
	return true;
}
