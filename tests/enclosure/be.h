/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_BE_H
#define DW_ENCLOSURE_BE_H

/*
 * Big-endian fields of CDBs and parameter data, and a small seeded generator.
 * Written for the enclosure alone: the program under test has its own.
 */

#include <stdint.h>

static inline uint16_t be_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be_get24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t be_get32(const uint8_t *p)
{
	return (uint32_t)be_get16(p) << 16 | be_get16(p + 2);
}

static inline uint64_t be_get64(const uint8_t *p)
{
	return (uint64_t)be_get32(p) << 32 | be_get32(p + 4);
}

static inline void be_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void be_put32(uint8_t *p, uint32_t v)
{
	be_put16(p, (uint16_t)(v >> 16));
	be_put16(p + 2, (uint16_t)v);
}

static inline void be_put64(uint8_t *p, uint64_t v)
{
	be_put32(p, (uint32_t)(v >> 32));
	be_put32(p + 4, (uint32_t)v);
}

/* splitmix64: one word of state, good enough for choosing faults */
static inline uint64_t dw_rng_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

#endif
