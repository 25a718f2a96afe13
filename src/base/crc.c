/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/crc.h"

uint64_t dw_crc64(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t crc = UINT64_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
	}
	return ~crc;
}
