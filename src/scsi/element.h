/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ELEMENT_H
#define DW_SCSI_ELEMENT_H

/*
 * Physical elements of a disk, its heads for instance (SBC-4). One that was removed by REMOVE
 * ELEMENT AND TRUNCATE keeps what it holds, and no command reaches it before it is restored.
 */
#include <stddef.h>
#include <stdint.h>

#define DW_ELEMENTS_LEN 4096 /* bytes that are asked for: 127 elements */

/**
 * struct dw_elements - those that were removed
 * @removed: their number; also those whose removal or restoration continues, or has failed
 * @blocks: that they hold, as the disk reports; at least one for each
 */
struct dw_elements {
	uint32_t removed;
	uint64_t blocks;
};

/**
 * dw_cdb_elements() - GET PHYSICAL ELEMENT STATUS of all elements, DW_ELEMENTS_LEN bytes
 * @cdb: DW_CDB_MAX bytes
 *
 * Return: 16.
 */
int dw_cdb_elements(uint8_t *cdb);

/**
 * dw_elements_read() - the reply to it
 * @data, @len: as far as it came
 * @ret: what the descriptors in it say
 *
 * Return: 0; -EBADMSG when that is no such reply.
 */
int dw_elements_read(const uint8_t *data, size_t len, struct dw_elements *ret);

#endif
