/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A certificate, its key and its chain are read, and a PDF is signed with them. */
#include <limits.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/cms.h"

/* What was read of the files. */
struct signer {
	X509 *cert;
	EVP_PKEY *key;
	STACK_OF(X509) * chain;
};

static enum dw_paper_exit fail(char *why, const char *file, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_get_error());

	snprintf(why, DW_PAPER_WHY, "%.256s: %s%s%.120s", file, what, reason ? ": " : "",
		 reason ? reason : "");
	ERR_clear_error();
	return DW_PAPER_FAILED;
}

static BIO *open_pem(const char *path)
{
	return BIO_new_file(path, "r");
}

/* A key with a passphrase would ask at the terminal: it has none here. */
static int no_passphrase(char *buf, int size, int rwflag, void *data)
{
	return -1;
}

static enum dw_paper_exit read_chain(const char *path, struct signer *s, char *why)
{
	BIO *in = open_pem(path);
	X509 *next;

	s->chain = in ? sk_X509_new_null() : NULL;
	if (!s->chain) {
		BIO_free(in);
		return fail(why, path, "it cannot be read");
	}
	while ((next = PEM_read_bio_X509(in, NULL, no_passphrase, NULL)))
		if (sk_X509_push(s->chain, next) <= 0)
			X509_free(next);
	BIO_free(in);
	/* the end of the file is an error there */
	if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
		return fail(why, path, "a certificate in it is not whole");
	ERR_clear_error();
	return sk_X509_num(s->chain) ? DW_PAPER_OK
				     : fail(why, path, "there is no certificate in it");
}

static enum dw_paper_exit read_signer(const struct dw_pdf_signing *signing,
				      struct signer *s, char *why)
{
	BIO *in = open_pem(signing->cert);

	s->cert = in ? PEM_read_bio_X509(in, NULL, no_passphrase, NULL) : NULL;
	BIO_free(in);
	if (!s->cert)
		return fail(why, signing->cert, "it is no certificate (PEM)");
	in = open_pem(signing->key);
	s->key = in ? PEM_read_bio_PrivateKey(in, NULL, no_passphrase, NULL) : NULL;
	BIO_free(in);
	if (!s->key)
		return fail(why, signing->key,
			    "it is no private key (PEM) without a passphrase");
	if (!X509_check_private_key(s->cert, s->key))
		return fail(why, signing->key, "it is not the key of the certificate");
	return signing->chain ? read_chain(signing->chain, s, why) : DW_PAPER_OK;
}

static enum dw_paper_exit sign_data(const struct signer *s, const struct dw_bytes *data,
				    uint8_t **ret, size_t *ret_len, char *why)
{
	BIO *in =
		data->len > INT_MAX ? NULL : BIO_new_mem_buf(data->data, (int)data->len);
	CMS_ContentInfo *cms =
		in ? CMS_sign(s->cert, s->key, s->chain, in,
			      CMS_DETACHED | CMS_BINARY | CMS_NOSMIMECAP | CMS_CADES)
		   : NULL;
	unsigned char *der = NULL;
	int len = cms ? i2d_CMS_ContentInfo(cms, &der) : -1;

	CMS_ContentInfo_free(cms);
	BIO_free(in);
	if (len <= 0)
		return fail(why, "the PDF", "it cannot be signed");
	*ret = malloc((size_t)len);
	if (*ret)
		memcpy(*ret, der, (size_t)len);
	OPENSSL_free(der);
	*ret_len = (size_t)len;
	return *ret ? DW_PAPER_OK : fail(why, "the PDF", "there is not enough memory");
}

enum dw_paper_exit dw_cms_sign(const struct dw_pdf_signing *signing,
			       const struct dw_bytes *data, uint8_t **ret,
			       size_t *ret_len, char why[DW_PAPER_WHY])
{
	struct signer s = { .cert = NULL };
	enum dw_paper_exit status = read_signer(signing, &s, why);

	if (!status)
		status = sign_data(&s, data, ret, ret_len, why);
	X509_free(s.cert);
	EVP_PKEY_free(s.key);
	sk_X509_pop_free(s.chain, X509_free);
	return status;
}
