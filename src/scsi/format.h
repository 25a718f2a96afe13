/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_FORMAT_H
#define DW_SCSI_FORMAT_H

/*
 * FORMAT UNIT and the MODE SELECT before it that asks for another block length (SBC). Only one
 * form of each is ever made: the guard makes it again and compares all bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_FORMAT_LIST_LEN  4  /* bytes of the parameter list of FORMAT UNIT */
#define DW_LENGTH_LIST_MAX  24 /* bytes of the parameter list of MODE SELECT, at most */
#define DW_PROTECTION_TYPES 4  /* none, and types 1 to 3 */

/** dw_format_length_known() - is it a block length that disks are formatted to? @bytes: 512, 520,
 *  528, 4096, 4160 or 4224. */
bool dw_format_length_known(uint32_t bytes);

/**
 * dw_cdb_format() - FORMAT UNIT with FMTDATA=1, CMPLST=0, FFMT=0 (SBC-4, 5.4)
 * @cdb: DW_CDB_MAX bytes
 * @pi: protection type 0 to 3
 *
 * The list of grown defects is kept, and a fast format, which writes nothing, is never asked for.
 *
 * Return: 6; -EINVAL for another type.
 */
int dw_cdb_format(uint8_t *cdb, uint8_t pi);

#define DW_FORMAT_NVME_USER   1 /* SES of Format NVM */
#define DW_FORMAT_NVME_CRYPTO 2

/**
 * dw_cdb_format_nvme() - Format NVM in the words of SCSI
 * @cdb: DW_CDB_MAX bytes
 * @ses: DW_FORMAT_NVME_...
 *
 * FORMAT UNIT without parameter data and with @ses in the byte that SBC leaves to makers. No SCSI
 * disk is ever sent it: the guard lets it pass to NVMe disks alone, where the transport makes
 * Format NVM of it.
 *
 * Return: bytes of the CDB; -EINVAL.
 */
int dw_cdb_format_nvme(uint8_t *cdb, uint8_t ses);

/** dw_format_list() - its parameter list: IMMED=1, FOV=0, no defects. @list: DW_FORMAT_LIST_LEN
 *  bytes; @pi: as in the CDB. */
void dw_format_list(uint8_t *list, uint8_t pi);

/** dw_format_fits() - are these a CDB and a list of the two functions before? */
bool dw_format_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len);

/**
 * struct dw_block_descriptor - the first block descriptor of mode parameters
 * @size: of the CDB: 6 or 10
 * @wide: it is of 16 bytes, else of 8; only with @size 10
 * @block_size: bytes of a logical block
 * @unclips: a list that asks for all blocks that there are, of the length that they have
 */
struct dw_block_descriptor {
	uint8_t size;
	bool wide;
	uint32_t block_size;
	bool unclips;
};

/** dw_block_descriptor_parse() - of a MODE SENSE reply. @size: of its CDB. Return: 0; -ENODATA when
 *  there is none; -EBADMSG, -EINVAL as dw_mode_header_parse(). */
int dw_block_descriptor_parse(const uint8_t *data, size_t len, unsigned int size,
			      struct dw_block_descriptor *ret);

/**
 * dw_block_descriptor_list() - MODE SELECT parameter list that asks for a block length: header and
 *	block descriptor, no page. A number of blocks of 0 means all that there is room for, once
 *	it is formatted; all ones mean all that there are, at once (SBC-4, 6.5.2)
 * @d: what is asked for
 * @list: DW_LENGTH_LIST_MAX bytes
 *
 * Return: its length in bytes; -EINVAL when dw_format_length_known() does not know the length,
 * unless it unclips, or size and width do not go together.
 */
int dw_block_descriptor_list(const struct dw_block_descriptor *d, uint8_t *list);

/**
 * dw_block_descriptor_fits() - are these a MODE SELECT and a list of that function?
 * @ret: what it asks for, filled when true is returned
 */
bool dw_block_descriptor_fits(const uint8_t *cdb, const uint8_t *data, uint32_t data_len,
			      struct dw_block_descriptor *ret);

/** dw_mode_select_blocks() - has the list of a MODE SELECT a block descriptor? True also for a list
 *  that is too short to tell. */
bool dw_mode_select_blocks(const uint8_t *cdb, const uint8_t *data, uint32_t data_len);

#endif
