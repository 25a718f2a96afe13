/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DATA_POOL_H
#define DW_DATA_POOL_H

/* Constant bytes that every disk of the process shares. */
#include <stddef.h>
#include <stdint.h>

struct dw_pool_entry; /* one repeated pattern; lives for ever */

/** dw_pool_id() - name of a repeated pattern: its 1..3 bytes, equal for equal sequences of bytes;
 *  never 0. */
uint32_t dw_pool_id(const uint8_t *byte, uint32_t len);

/** dw_pool_get() - the entry of a pattern of 1..3 bytes, made when it is missing, which lives for
 *  ever; NULL when memory is short. */
struct dw_pool_entry *dw_pool_get(const uint8_t *byte, uint32_t len);

/** dw_pool_bytes() - the first @len bytes of the repeated pattern, read-only, 4096-byte
 *  aligned, and the pattern's name; NULL when @len is over DW_CONST_MAX or memory is
 *  short. Thread-safe. */
const void *dw_pool_bytes(struct dw_pool_entry *e, uint32_t len, uint32_t *ret_id);

#endif
