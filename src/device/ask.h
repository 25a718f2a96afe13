/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_ASK_H
#define DW_DEVICE_ASK_H

/* Questions to a disk that probing, claim and restore have in common. */
#include "device/open.h"
#include "scsi/rsoc.h"

/**
 * dw_ask_page() - one VPD page, or standard INQUIRY data
 * @d: the device
 * @page: page code, -1 = standard data
 * @buf, @len: the reply; what did not arrive is 0
 * @ret_got: bytes that arrived
 *
 * Asks for DW_VPD_FIRST_LEN bytes at most, and for more only where the page reports it has them.
 *
 * Return: as dw_ask().
 */
int dw_ask_page(struct dw_device *d, int page, uint8_t *buf, uint16_t len,
		size_t *ret_got);

/**
 * dw_ask_mode() - MODE SENSE(10), or (6) where the disk does not know that
 * @d: the device
 * @page: page code
 * @pc: page control: 0 current, 1 changeable
 * @buf: 252 bytes
 * @ret_got: bytes that arrived
 *
 * Return: 10 or 6: which CDB it was, for the parsers; 0 the disk refused; negative errno.
 */
int dw_ask_mode(struct dw_device *d, uint8_t page, uint8_t pc, uint8_t *buf,
		size_t *ret_got);

/** dw_ask_default_blocks() - MODE SENSE of default values with a block descriptor, for
 *  dw_mode_blocks(). As dw_ask_mode(). */
int dw_ask_default_blocks(struct dw_device *d, uint8_t *buf, size_t *ret_got);

/** dw_ask_current_blocks() - the same of current values, for dw_block_descriptor_parse(). */
int dw_ask_current_blocks(struct dw_device *d, uint8_t *buf, size_t *ret_got);

#define DW_ASK_MODE_LEN 252

/**
 * dw_ask_opcode() - what REPORT SUPPORTED OPERATION CODES reports about one command
 * @d: the device
 * @opcode, @sa: its service action, -1 = it has none
 * @ret: filled when the answer is believed
 *
 * Return: 1 known, 0 not known; negative: nothing was learnt.
 */
int dw_ask_opcode(struct dw_device *d, uint8_t opcode, int sa, struct dw_rsoc_one *ret);

#endif
