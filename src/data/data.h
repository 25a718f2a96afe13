/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DATA_DATA_H
#define DW_DATA_DATA_H

/*
 * Bytes: what a pass writes at a given offset, and whether what came back is that.
 * The one user of libcrypto.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/pattern.h"
#include "transport/transport.h"

#define DW_KEY_BYTES 32

/**
 * struct dw_key - a job's secret, from which each disk's and pass' key derives
 * @bytes: random, from the kernel
 */
struct dw_key {
	uint8_t bytes[DW_KEY_BYTES];
};

/** dw_key_new() - a fresh secret of the kernel's generator; dw_key_wipe(). 0 or negative errno of
 *  getrandom(2). */
int dw_key_new(struct dw_key *ret_key);

/** dw_key_wipe() - overwrite a secret that is needed no more. */
void dw_key_wipe(struct dw_key *key);

/** dw_key_load() - read a key file (64 hex digits and a newline). 0; -EPERM: its mode lets others
 *  in; -EKEYREJECTED: it is another user's; -EINVAL: no regular file, or malformed; another
 *  negative errno. @ret_key is not written then. */
int dw_key_load(const char *path, struct dw_key *ret_key);

/** dw_key_store() - write a new key file, 0600, never over an existing one (-EEXIST), durable
 *  before it returns; nothing is left behind on error. */
int dw_key_store(const char *path, const struct dw_key *key);

/** dw_key_check() - 16 hex digits that identify the key without giving it away: truncated
 *  HMAC-SHA-256 of "diskwipe key check"; empty when libcrypto fails. Returns @buf. */
const char *dw_key_check(const struct dw_key *key, char buf[17]);

struct dw_source; /* contents of one pass on one disk */

/**
 * dw_source_new() - contents of a pass
 * @pattern: a constant or random pattern (random-byte and complement are resolved by the
 *	plan before)
 * @key: the job's secret; may be NULL for constant patterns
 * @identity: text that names the disk for ever, "WWN/serial", less than 500 bytes
 * @pass: index of the pass
 * @block_size: bytes per logical block, 1..65536
 * @ret_source: the source; dw_source_free()
 *
 * Random: AES-128-CTR (SP 800-38A), key = HKDF-SHA-256(secret, info = identity "/" pass in
 * decimal), counter = byte offset / 16, so that any block can be made in any order.
 * Return: 0, -EINVAL, -ENOMEM, -ENOTSUP or -EIO (libcrypto).
 */
int dw_source_new(const struct dw_pattern *pattern, const struct dw_key *key,
		  const char *identity, uint32_t pass, uint32_t block_size,
		  struct dw_source **ret_source);
void dw_source_free(struct dw_source *s);

/** dw_source_is_const() - true when no keystream is needed. */
bool dw_source_is_const(const struct dw_source *s);

/** dw_source_is_zero() - true when every byte is 0. */
bool dw_source_is_zero(const struct dw_source *s);

/**
 * dw_source_fill() - the bytes of blocks @lba .. @lba + @nlb - 1; thread-safe for one source
 * Return: 0; -ERANGE (beyond 2^64 bytes), -ENOMEM, -EIO: the buffer is undefined then and must not
 * be written.
 */
int dw_source_fill(struct dw_source *s, uint64_t lba, uint32_t nlb, void *buf);

/**
 * dw_source_check() - compare; thread-safe; needs 72 KiB of stack
 * @ret_first: first block that differs, relative to @lba; written only when one does
 * Return: number of blocks that differ, 0 = all equal; negative errno as dw_source_fill(): then
 * nothing is known.
 */
int64_t dw_source_check(struct dw_source *s, uint64_t lba, uint32_t nlb, const void *buf,
			uint32_t *ret_first);

/**
 * dw_source_const() - shared read-only bytes for a constant pass; thread-safe
 * @lba: first block of the transfer (decides the phase of a three-byte pattern)
 * @len: bytes wanted, 1..DW_CONST_MAX
 * @ret_id: pattern id for DW_CMD_CONST: equal ids mean equal bytes
 * Return: pointer into the process-wide pool, 4096-byte aligned, huge pages where
 * possible; NULL when the source is not constant, @len is too long or memory is short. Lives for
 * ever.
 */
const void *dw_source_const(struct dw_source *s, uint64_t lba, uint32_t len,
			    uint32_t *ret_id);

#define DW_CONST_MAX (4u << 20) /* longest constant transfer, bytes */

/** dw_buffer_new() - page-aligned, zeroed, locked where allowed; dw_buffer_free() with its size.
 *  NULL: no memory. */
void *dw_buffer_new(size_t bytes);
void dw_buffer_free(void *p, size_t bytes);

struct dw_workers; /* threads for keystream and comparison */

/** dw_workers_default() - how many threads dw_workers_new() starts for 0: one per CPU that this
 *  process may use, at most 16; 0 on a single CPU, where who hands work over and who does it would
 *  only take turns. */
unsigned dw_workers_default(void);
/** dw_workers_new() - @n threads, at most 16 (0 = dw_workers_default()); dw_workers_free(), NULL
 *  where that is none. 0, -ENOMEM, -EAGAIN (not even one could be started). */
int dw_workers_new(unsigned n, struct dw_workers **ret_workers);
void dw_workers_free(struct dw_workers *w);

/** dw_workers_executor() - as a transport wants it; borrowed from @w. Its run() hands a task over
 *  and returns at once; of NULL it is NULL, and a disk's own threads do the work. */
struct dw_executor dw_workers_executor(struct dw_workers *w);

#endif
