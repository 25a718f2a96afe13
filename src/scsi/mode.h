/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_MODE_H
#define DW_SCSI_MODE_H

/*
 * Mode parameters: header and pages of a MODE SENSE reply, and the MODE SELECT list that
 * switches the write cache. @len is what was really transferred (allocation length less
 * residual); @size is that of the CDB, 6 or 10, which decides the header's layout.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_mode_page {
	DW_MODE_RECOVERY = 0x01, /* read-write error recovery */
	DW_MODE_CACHING = 0x08,
	DW_MODE_CONTROL = 0x0a,
	DW_MODE_ALL = 0x3f,
};

/**
 * struct dw_mode_header - mode parameter header of a direct access device
 * @write_protect: WP
 * @dpofua: DPO and FUA are supported
 * @medium_type: MEDIUM TYPE
 * @pages_at: where the first page begins in the reply
 * @end: first byte behind the pages: announced, and there
 */
struct dw_mode_header {
	bool write_protect;
	bool dpofua;
	uint8_t medium_type;
	uint32_t pages_at;
	uint32_t end;
};

/**
 * struct dw_mode_caching - caching page; of a reply with page control 1, what may be
 * changed
 * @wce: the write cache is on
 * @rcd: the read cache is off
 */
struct dw_mode_caching {
	bool wce;
	bool rcd;
};

/**
 * struct dw_mode_recovery - read-write error recovery page
 * @awre: bad blocks are reallocated on writes
 * @arre: bad blocks are reallocated on reads
 * @limit_ms: RECOVERY TIME LIMIT, 0 = the disk's own
 */
struct dw_mode_recovery {
	bool awre;
	bool arre;
	uint16_t limit_ms;
};

/**
 * struct dw_mode_control - control page
 * @descriptor_sense: D_SENSE
 * @software_protect: SWP
 * @ato: the application tag belongs to the host
 * @queue_algorithm: 0 restricted reordering, 1 unrestricted
 */
struct dw_mode_control {
	bool descriptor_sense;
	bool software_protect;
	bool ato;
	uint8_t queue_algorithm;
};

/**
 * dw_mode_header_parse() - read the header of a MODE SENSE reply (SPC, SBC)
 * @data: the reply
 * @len: its length in bytes
 * @size: 6 or 10
 * @ret: filled
 *
 * Return: 0; -EBADMSG when header or block descriptors are cut off; -EINVAL for another
 * @size.
 */
int dw_mode_header_parse(const uint8_t *data, size_t len, unsigned int size,
			 struct dw_mode_header *ret);

/**
 * dw_mode_page_find() - find a page in a MODE SENSE reply
 * @data: the reply
 * @len: its length in bytes
 * @size: 6 or 10
 * @page: page code
 * @subpage: 0 = the page in page_0 format, without a subpage
 * @ret: the page's first byte, inside @data
 * @ret_len: its length in bytes with its own header; all of it is there
 *
 * Return: 0; -ENODATA when the reply has no such page; -EBADMSG, -EINVAL as
 * dw_mode_header_parse(), and when the page is cut off.
 */
int dw_mode_page_find(const uint8_t *data, size_t len, unsigned int size, uint8_t page,
		      uint8_t subpage, const uint8_t **ret, size_t *ret_len);

/**
 * dw_mode_blocks() - NUMBER OF LOGICAL BLOCKS of the first block descriptor (SBC-3, 6.4.2)
 * @data: reply to a MODE SENSE without DBD
 * @len: its length in bytes
 * @size: 6 or 10
 * @block_size: bytes per logical block that the number has to be of
 * @ret: the number; of a short descriptor below 2^32 - 1
 *
 * Return: 0; -ENODATA without a descriptor, with another block length, or with a number that
 * says nothing (zero, all ones); else as dw_mode_header_parse().
 */
int dw_mode_blocks(const uint8_t *data, size_t len, unsigned int size,
		   uint32_t block_size, uint64_t *ret);

/** dw_mode_caching() - read the caching page (08h) of a reply.
 *  Return: 0, or as dw_mode_page_find(). */
int dw_mode_caching(const uint8_t *data, size_t len, unsigned int size,
		    struct dw_mode_caching *ret);

/** dw_mode_recovery() - read the read-write error recovery page (01h) of a reply.
 *  Return: 0, or as dw_mode_page_find(). */
int dw_mode_recovery(const uint8_t *data, size_t len, unsigned int size,
		     struct dw_mode_recovery *ret);

/** dw_mode_control() - read the control page (0Ah) of a reply.
 *  Return: 0, or as dw_mode_page_find(). */
int dw_mode_control(const uint8_t *data, size_t len, unsigned int size,
		    struct dw_mode_control *ret);

/**
 * struct dw_mode_reply - a MODE SENSE reply with current values
 * @data, @len: the reply, bytes of it
 * @size: 6 or 10, of the CDB, for the reply and a list
 */
struct dw_mode_reply {
	const uint8_t *data;
	size_t len;
	unsigned int size;
};

/**
 * dw_mode_fill_wce() - the MODE SELECT parameter list that sets WCE
 * @reply: with page 08h
 * @wce: the write cache is to be on
 * @buf: the list: header with MODE DATA LENGTH 0, no block descriptors, the page with PS
 *	clear and all else as it was
 * @buf_size: of @buf in bytes
 *
 * Return: length of the list in bytes, > 0; -ENOSPC when @buf is too short; else as
 * dw_mode_page_find().
 */
int dw_mode_fill_wce(const struct dw_mode_reply *reply, bool wce, uint8_t *buf,
		     size_t buf_size);

/** dw_mode_fill_dsense() - the same with page 0Ah, and D_SENSE: sense data in descriptor format. */
int dw_mode_fill_dsense(const struct dw_mode_reply *reply, bool descriptor, uint8_t *buf,
			size_t buf_size);

#endif
