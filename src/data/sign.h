/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DATA_SIGN_H
#define DW_DATA_SIGN_H

/* Digests and signatures by libcrypto: SHA-2 (FIPS 180-4), Ed25519 (RFC 8032), base 64. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_SHA256      32
#define DW_SHA512      64
#define DW_ED25519_KEY 32 /* bytes of a public key, and of the seed of a private one */
#define DW_ED25519_SIG 64

/** dw_sha256() - 0; -ENOMEM, -EIO: libcrypto refused. */
int dw_sha256(const void *data, size_t len, uint8_t ret[DW_SHA256]);

/** dw_sha512() - as dw_sha256(). */
int dw_sha512(const void *data, size_t len, uint8_t ret[DW_SHA512]);

/** dw_sha256_hex() - in lower case; as dw_sha256(). */
int dw_sha256_hex(const void *data, size_t len, char ret[2 * DW_SHA256 + 1]);

/** dw_sha256_read() - of all that can be read from @fd from where it stands, in hexadecimal; as
 *  dw_sha256(), or negative errno of read(). */
int dw_sha256_read(int fd, char ret[2 * DW_SHA256 + 1]);

/** dw_ed25519_new() - a new pair of keys; the caller wipes @ret_seed. As dw_sha256(). */
int dw_ed25519_new(uint8_t ret_seed[DW_ED25519_KEY], uint8_t ret_key[DW_ED25519_KEY]);

/** dw_ed25519_public() - the public key that belongs to a seed; as dw_sha256(). */
int dw_ed25519_public(const uint8_t seed[DW_ED25519_KEY], uint8_t ret[DW_ED25519_KEY]);

/** dw_ed25519_sign() - as dw_sha256(). */
int dw_ed25519_sign(const uint8_t seed[DW_ED25519_KEY], const void *data, size_t len,
		    uint8_t ret[DW_ED25519_SIG]);

/** dw_ed25519_verify() - 0 it is that key's signature of @data; 1 it is not; negative errno. */
int dw_ed25519_verify(const uint8_t key[DW_ED25519_KEY], const void *data, size_t len,
		      const uint8_t signature[DW_ED25519_SIG]);

/** dw_base64() - with padding, on one line; malloc'd, NULL without memory. */
char *dw_base64(const void *data, size_t len);

/**
 * dw_base64_parse() - the only text that dw_base64() makes of some bytes
 * @text, @len: characters, without blanks
 * @ret: malloc'd; @ret_len: bytes
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int dw_base64_parse(const char *text, size_t len, uint8_t **ret, size_t *ret_len);

#endif
