/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_CAPACITY_H
#define DW_SCSI_CAPACITY_H

/* READ CAPACITY(10) and (16). @len is what was really transferred. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct dw_capacity - size and layout of a disk
 * @blocks: number of logical blocks, > 0
 * @block_size: bytes of a logical block, without protection information; 256..65536
 * @pi_type: 0, or protection type 1..3; READ CAPACITY(16) only, like all that follows
 * @physical_exp: log2 of logical blocks per physical block
 * @lowest_aligned: LOWEST ALIGNED LOGICAL BLOCK ADDRESS
 * @lbpme: logical block provisioning management is on
 * @lbprz: unmapped blocks read as zeros
 */
struct dw_capacity {
	uint64_t blocks;
	uint32_t block_size;
	uint8_t pi_type;
	uint8_t physical_exp;
	uint16_t lowest_aligned;
	bool lbpme;
	bool lbprz;
};

/**
 * dw_capacity10() - read the reply to READ CAPACITY(10) (SBC)
 * @data: the reply
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; -ERANGE when the disk is too large for it: ask (16); -EBADMSG when it is no
 * such reply.
 */
int dw_capacity10(const uint8_t *data, size_t len, struct dw_capacity *ret);

/**
 * dw_capacity16() - read the reply to READ CAPACITY(16) (SBC)
 * @data: the reply; disks of SBC-2's time send only 12 bytes
 * @len: its length in bytes
 * @ret: filled
 *
 * Return: 0; -EBADMSG when it is no such reply.
 */
int dw_capacity16(const uint8_t *data, size_t len, struct dw_capacity *ret);

#endif
