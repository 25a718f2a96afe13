/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_CRC_H
#define DW_BASE_CRC_H

/* A checksum against accidents, not against people. */
#include <stddef.h>
#include <stdint.h>

/** dw_crc64() - CRC-64/XZ of @len bytes: the polynomial of ECMA-182, reflected, all ones before
 *  and after. */
uint64_t dw_crc64(const void *data, size_t len);

#endif
