/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AES-128-CTR, HKDF and HMAC by libcrypto 3; only this file and sign.c include its headers.
 *
 * A stream keeps its contexts in a small stack: a thread takes one (or makes one), sets the
 * counter, and puts it back, so that the key schedule is computed once per thread at work
 * and every copy of the key dies with the stream. The keystream is the encryption of zeros;
 * those come from memory that is never written, which the kernel maps to one physical page,
 * so that reading them costs no cache but the first level's.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "base/be.h"
#include "data/crypto.h"
#include "data/secret.h"

#define ZEROS     65536u
#define IDLE_MAX  32
#define AES_BLOCK 16

static uint8_t zeros[ZEROS] __attribute__((aligned(4096)));

static pthread_once_t cipher_once = PTHREAD_ONCE_INIT;
static EVP_CIPHER *cipher;

struct dw_stream {
	pthread_mutex_t lock;
	unsigned n_idle;
	EVP_CIPHER_CTX *idle[IDLE_MAX];
	uint8_t key[DW_STREAM_KEY];
};

int dw_crypto_hkdf(const void *secret, size_t secret_len, const void *info,
		   size_t info_len, void *ret_key, size_t key_len)
{
	static char digest[] = "SHA256";
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_HKDF, NULL);
	EVP_KDF_CTX *ctx = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, sizeof(digest) - 1),
		OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_len),
		OSSL_PARAM_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_len),
		OSSL_PARAM_END,
	};
	int r = -ENOMEM;

	if (ctx)
		r = EVP_KDF_derive(ctx, ret_key, key_len, params) == 1 ? 0 : -EIO;
	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(kdf);
	return r;
}

int dw_crypto_hmac(const void *key, size_t key_len, const void *data, size_t len,
		   uint8_t ret_mac[32])
{
	unsigned n = 32;

	return HMAC(EVP_sha256(), key, (int)key_len, data, len, ret_mac, &n) ? 0 : -EIO;
}

void dw_crypto_cleanse(void *p, size_t len)
{
	OPENSSL_cleanse(p, len);
}

static void fetch_cipher(void)
{
	cipher = EVP_CIPHER_fetch(NULL, "AES-128-CTR", NULL);
}

int dw_stream_new(const uint8_t key[DW_STREAM_KEY], struct dw_stream **ret_stream)
{
	struct dw_stream *s;

	pthread_once(&cipher_once, fetch_cipher);
	if (!cipher)
		return -ENOTSUP;
	s = dw_secret_new(sizeof(*s));
	if (!s)
		return -ENOMEM;
	pthread_mutex_init(&s->lock, NULL);
	memcpy(s->key, key, sizeof(s->key));
	*ret_stream = s;
	return 0;
}

void dw_stream_free(struct dw_stream *s)
{
	if (!s)
		return;
	while (s->n_idle)
		EVP_CIPHER_CTX_free(s->idle[--s->n_idle]);
	pthread_mutex_destroy(&s->lock);
	dw_secret_free(s, sizeof(*s));
}

static EVP_CIPHER_CTX *take_ctx(struct dw_stream *s)
{
	EVP_CIPHER_CTX *ctx = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->n_idle)
		ctx = s->idle[--s->n_idle];
	pthread_mutex_unlock(&s->lock);
	if (ctx)
		return ctx;
	ctx = EVP_CIPHER_CTX_new();
	if (ctx && EVP_EncryptInit_ex2(ctx, cipher, s->key, NULL, NULL) != 1) {
		EVP_CIPHER_CTX_free(ctx);
		return NULL;
	}
	return ctx;
}

static void put_ctx(struct dw_stream *s, EVP_CIPHER_CTX *ctx)
{
	pthread_mutex_lock(&s->lock);
	if (s->n_idle < IDLE_MAX) {
		s->idle[s->n_idle++] = ctx;
		ctx = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	EVP_CIPHER_CTX_free(ctx);
}

static bool encrypt_zeros(EVP_CIPHER_CTX *ctx, uint8_t *out, size_t len)
{
	while (len) {
		int n = (int)(len < ZEROS ? len : ZEROS), done;

		if (EVP_EncryptUpdate(ctx, out, &done, zeros, n) != 1 || done != n)
			return false;
		out += n;
		len -= (size_t)n;
	}
	return true;
}

int dw_stream_read(struct dw_stream *s, uint64_t offset, void *buf, size_t len)
{
	uint8_t counter[AES_BLOCK] = { 0 }, skipped[AES_BLOCK];
	EVP_CIPHER_CTX *ctx = take_ctx(s);
	bool ok;

	if (!ctx)
		return -ENOMEM;
	dw_put_be64(counter + 8, offset / AES_BLOCK);
	ok = EVP_EncryptInit_ex2(ctx, NULL, NULL, counter, NULL) == 1 &&
	     encrypt_zeros(ctx, skipped, offset % AES_BLOCK) &&
	     encrypt_zeros(ctx, buf, len);
	if (!ok) {
		EVP_CIPHER_CTX_free(ctx);
		return -EIO;
	}
	put_ctx(s, ctx);
	return 0;
}
