/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_BE_H
#define DW_BASE_BE_H

/* Big-endian fields of CDBs and parameter data, at any alignment. */
#include <stdint.h>

static inline uint16_t dw_get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t dw_get_be32(const uint8_t *p)
{
	return (uint32_t)dw_get_be16(p) << 16 | dw_get_be16(p + 2);
}

static inline uint64_t dw_get_be64(const uint8_t *p)
{
	return (uint64_t)dw_get_be32(p) << 32 | dw_get_be32(p + 4);
}

static inline void dw_put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void dw_put_be32(uint8_t *p, uint32_t v)
{
	dw_put_be16(p, (uint16_t)(v >> 16));
	dw_put_be16(p + 2, (uint16_t)v);
}

static inline void dw_put_be64(uint8_t *p, uint64_t v)
{
	dw_put_be32(p, (uint32_t)(v >> 32));
	dw_put_be32(p + 4, (uint32_t)v);
}

#endif
