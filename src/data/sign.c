/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests, signatures and base 64 by libcrypto 3, which alone knows what its objects are. */
#include "data/sign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "base/util.h"

static int digest(const EVP_MD *md, const void *data, size_t len, uint8_t *ret)
{
	return EVP_Digest(data, len, ret, NULL, md, NULL) == 1 ? 0 : -EIO;
}

int dw_sha256(const void *data, size_t len, uint8_t ret[DW_SHA256])
{
	return digest(EVP_sha256(), data, len, ret);
}

int dw_sha512(const void *data, size_t len, uint8_t ret[DW_SHA512])
{
	return digest(EVP_sha512(), data, len, ret);
}

static void write_hex(const uint8_t sum[DW_SHA256], char ret[2 * DW_SHA256 + 1])
{
	for (size_t i = 0; i < DW_SHA256; i++)
		snprintf(ret + 2 * i, 3, "%02x", sum[i]);
}

int dw_sha256_hex(const void *data, size_t len, char ret[2 * DW_SHA256 + 1])
{
	uint8_t sum[DW_SHA256];
	int r = dw_sha256(data, len, sum);

	ret[0] = '\0';
	if (!r)
		write_hex(sum, ret);
	return r;
}

static int digest_read(EVP_MD_CTX *md, int fd, uint8_t sum[DW_SHA256])
{
	uint8_t block[16384];
	ssize_t n;

	if (!md || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1)
		return -ENOMEM;
	while ((n = read(fd, block, sizeof(block)))) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && EVP_DigestUpdate(md, block, (size_t)n) != 1)
			return -EIO;
	}
	return EVP_DigestFinal_ex(md, sum, NULL) == 1 ? 0 : -EIO;
}

int dw_sha256_read(int fd, char ret[2 * DW_SHA256 + 1])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	uint8_t sum[DW_SHA256] = { 0 };
	int r = digest_read(md, fd, sum);

	EVP_MD_CTX_free(md);
	ret[0] = '\0';
	if (!r)
		write_hex(sum, ret);
	return r;
}

static EVP_PKEY *private_key(const uint8_t *seed)
{
	return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, DW_ED25519_KEY);
}

static int public_of(const EVP_PKEY *key, uint8_t *ret)
{
	size_t len = DW_ED25519_KEY;

	return EVP_PKEY_get_raw_public_key(key, ret, &len) == 1 ? 0 : -EIO;
}

int dw_ed25519_new(uint8_t ret_seed[DW_ED25519_KEY], uint8_t ret_key[DW_ED25519_KEY])
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	size_t len = DW_ED25519_KEY;
	int r = -EIO;

	if (key && EVP_PKEY_get_raw_private_key(key, ret_seed, &len) == 1)
		r = public_of(key, ret_key);
	EVP_PKEY_free(key);
	return r;
}

int dw_ed25519_public(const uint8_t seed[DW_ED25519_KEY], uint8_t ret[DW_ED25519_KEY])
{
	EVP_PKEY *key = private_key(seed);
	int r = key ? public_of(key, ret) : -EIO;

	EVP_PKEY_free(key);
	return r;
}

int dw_ed25519_sign(const uint8_t seed[DW_ED25519_KEY], const void *data, size_t len,
		    uint8_t ret[DW_ED25519_SIG])
{
	EVP_PKEY *key = private_key(seed);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t size = DW_ED25519_SIG;
	int r = -EIO;

	if (key && ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 &&
	    EVP_DigestSign(ctx, ret, &size, data, len) == 1 && size == DW_ED25519_SIG)
		r = 0;
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(key);
	return r;
}

int dw_ed25519_verify(const uint8_t key[DW_ED25519_KEY], const void *data, size_t len,
		      const uint8_t signature[DW_ED25519_SIG])
{
	EVP_PKEY *pkey =
		EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, DW_ED25519_KEY);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	int r = -EIO;

	if (pkey && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) == 1)
		r = EVP_DigestVerify(ctx, signature, DW_ED25519_SIG, data, len) != 1;
	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pkey);
	return r;
}

char *dw_base64(const void *data, size_t len)
{
	unsigned char *text =
		len < INT32_MAX / 2 ? malloc(4 * ((len + 2) / 3) + 1) : NULL;

	if (text)
		EVP_EncodeBlock(text, data, (int)len);
	return (char *)text;
}

int dw_base64_parse(const char *text, size_t len, uint8_t **ret, size_t *ret_len)
{
	dw_autofree uint8_t *data = NULL;
	dw_autofree char *again = NULL;
	size_t pad = 0;
	int n;

	if (!len || len % 4 || len >= INT32_MAX / 2)
		return -EINVAL;
	while (pad < 2 && text[len - 1 - pad] == '=')
		pad++;
	data = malloc(len / 4 * 3);
	if (!data)
		return -ENOMEM;
	n = EVP_DecodeBlock(data, (const unsigned char *)text, (int)len);
	if (n < 0)
		return -EINVAL;
	*ret_len = (size_t)n - pad;
	/* it passes over blanks and spare bits, which somebody could change unseen */
	again = dw_base64(data, *ret_len);
	if (!again)
		return -ENOMEM;
	if (strlen(again) != len || memcmp(again, text, len) != 0)
		return -EINVAL;
	*ret = data;
	data = NULL;
	return 0;
}
