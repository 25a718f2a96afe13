/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_LE_H
#define DW_BASE_LE_H

/* Little-endian fields, as NVMe has them, at any alignment. */
#include <stdint.h>

static inline uint16_t dw_get_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t dw_get_le32(const uint8_t *p)
{
	return dw_get_le16(p) | (uint32_t)dw_get_le16(p + 2) << 16;
}

static inline uint64_t dw_get_le64(const uint8_t *p)
{
	return dw_get_le32(p) | (uint64_t)dw_get_le32(p + 4) << 32;
}

#endif
