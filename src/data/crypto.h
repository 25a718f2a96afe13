/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DATA_CRYPTO_H
#define DW_DATA_CRYPTO_H

/* What the rest of the folder needs of libcrypto, and nothing of its types. */
#include <stddef.h>
#include <stdint.h>

#define DW_STREAM_KEY 16 /* bytes of an AES-128 key */

/** dw_crypto_hkdf() - HKDF-SHA-256 (RFC 5869) without salt; 0, -ENOMEM, -EIO (refused). */
int dw_crypto_hkdf(const void *secret, size_t secret_len, const void *info,
		   size_t info_len, void *ret_key, size_t key_len);

/** dw_crypto_hmac() - HMAC-SHA-256 (RFC 2104) into 32 bytes; 0 or -EIO. */
int dw_crypto_hmac(const void *key, size_t key_len, const void *data, size_t len,
		   uint8_t ret_mac[32]);

/** dw_crypto_cleanse() - overwrite a secret so that no compiler leaves it out. */
void dw_crypto_cleanse(void *p, size_t len);

struct dw_stream; /* one AES-128-CTR keystream, usable from many threads at once */

/** dw_stream_new() - keystream of an AES-128 key, which is copied; dw_stream_free(). 0, -ENOMEM,
 *  -ENOTSUP (libcrypto has no AES-128-CTR). */
int dw_stream_new(const uint8_t key[DW_STREAM_KEY], struct dw_stream **ret_stream);

/** dw_stream_free() - wipe every copy of the key and release; accepts NULL. Nobody may read any
 *  more. */
void dw_stream_free(struct dw_stream *s);

/** dw_stream_read() - @len bytes of the keystream from byte @offset on; the counter block is
 *  @offset / 16 as a 128-bit big-endian number (NIST SP 800-38A 6.5), so any offset stands alone.
 *  Thread-safe; 0, -ENOMEM, -EIO (the buffer is undefined then). */
int dw_stream_read(struct dw_stream *s, uint64_t offset, void *buf, size_t len);

#endif
