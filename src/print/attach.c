/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What cairo cannot put into a PDF is added to it as an incremental update (ISO 32000-1, 7.5.6):
 * the language, the records with their signatures as embedded files, and a field with a signature.
 */
#include <inttypes.h>
#include <limits.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print/certificate.h"

/* --- the signature: a certificate, its key and its chain sign a PDF --- */

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

/* Detached, of @data; @ret: DER, free(). DW_PAPER_OK, or DW_PAPER_FAILED and @why. */
static enum dw_paper_exit cms_sign(const struct dw_pdf_signing *signing,
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

#define CONTENTS 16384u /* bytes of a signature with its certificates */
#define XREF_ROW 20
#define RANGE    "/ByteRange [0 0000000000 0000000000 0000000000]"

/* An update while it is written. */
struct update {
	struct dw_bytes *pdf;
	unsigned int first; /* number of the first new object */
	unsigned int n;     /* objects begun, each with its place */
	size_t *place;
	unsigned int root;
	unsigned int info;
	size_t root_at; /* place of the old catalogue */
	size_t xref;    /* of the old table */
	bool failed;
};

static void put_pdf(struct update *u, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_pdf(struct update *u, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0 || dw_bytes_add(u->pdf, text, (size_t)n))
		u->failed = true;
	if (n >= 0)
		free(text);
}

static unsigned int begin_object(struct update *u)
{
	u->place[u->n] = u->pdf->len;
	put_pdf(u, "%u 0 obj\n", u->first + u->n);
	return u->first + u->n++;
}

/* The last text @word before the end. */
static const char *find_last(const struct dw_bytes *pdf, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = pdf->len; i-- > 0;)
		if (i + len <= pdf->len && !memcmp(pdf->data + i, word, len))
			return pdf->data + i;
	return NULL;
}

/* Where things are in what cairo wrote; false: it is in another form. */
static bool look_at_end(struct update *u)
{
	const char *start = find_last(u->pdf, "startxref");
	const char *trailer = find_last(u->pdf, "trailer"), *at, *row;

	if (!start || !trailer || sscanf(start, "startxref %zu", &u->xref) != 1 ||
	    u->xref > u->pdf->len || strncmp(u->pdf->data + u->xref, "xref\n0 ", 7) != 0)
		return false;
	at = strstr(trailer, "/Size ");
	if (!at || sscanf(at, "/Size %u", &u->first) != 1)
		return false;
	at = strstr(trailer, "/Root ");
	if (!at || sscanf(at, "/Root %u 0 R", &u->root) != 1)
		return false;
	at = strstr(trailer, "/Info ");
	if (!at || sscanf(at, "/Info %u 0 R", &u->info) != 1)
		return false;
	row = strchr(u->pdf->data + u->xref + 7, '\n');
	if (!row || (size_t)(row + 1 - u->pdf->data) + (size_t)(u->root + 1) * XREF_ROW >
			    u->pdf->len)
		return false;
	return sscanf(row + 1 + (size_t)u->root * XREF_ROW, "%zu", &u->root_at) == 1 &&
	       u->root_at < u->xref;
}

static void put_file(struct update *u, const char *name, const char *data, size_t len)
{
	unsigned int stream = begin_object(u);

	put_pdf(u,
		"<< /Type /EmbeddedFile /Subtype /application#2Foctet-stream /Length %zu "
		"/Params << /Size %zu >> >>\nstream\n",
		len, len);
	if (dw_bytes_add(u->pdf, data, len))
		u->failed = true;
	put_pdf(u, "\nendstream\nendobj\n");
	begin_object(u);
	put_pdf(u,
		"<< /Type /Filespec /F (%s) /UF (%s) /AFRelationship /Data "
		"/EF << /F %u 0 R >> >>\nendobj\n",
		name, name, stream);
}

static const char *attachment_name(size_t i, size_t n, bool sig, char buf[48])
{
	if (n == 1)
		snprintf(buf, 48, "record.json%s", sig ? ".sig" : "");
	else
		snprintf(buf, 48, "record-%06zu.json%s", i + 1, sig ? ".sig" : "");
	return buf;
}

/* The old catalogue with more in it; false: it is in another form. */
static bool put_catalogue(struct update *u, size_t records, const char *language,
			  unsigned int field)
{
	const char *from = strstr(u->pdf->data + u->root_at, "<<");
	const char *to = from ? strstr(from, ">>\nendobj") : NULL;
	char *old = to ? strndup(from, (size_t)(to - from)) : NULL, name[48];

	if (!old)
		return false;
	u->root_at = u->pdf->len;
	put_pdf(u, "%u 0 obj\n%s /Lang (%s)\n/Names << /EmbeddedFiles << /Names [",
		u->root, old, language);
	for (size_t i = 0; i < 2 * records; i++)
		put_pdf(u, " (%s) %u 0 R", attachment_name(i / 2, records, i % 2, name),
			u->first + 2 * (unsigned int)i + 1);
	put_pdf(u, " ] >> >>\n/AF [");
	for (size_t i = 0; i < 2 * records; i++)
		put_pdf(u, " %u 0 R", u->first + 2 * (unsigned int)i + 1);
	put_pdf(u, " ]\n");
	if (!strstr(old, "/MarkInfo"))
		put_pdf(u, "/MarkInfo << /Marked true >>\n");
	if (field)
		put_pdf(u, "/AcroForm << /Fields [ %u 0 R ] /SigFlags 3 >>\n", field);
	put_pdf(u, ">>\nendobj\n");
	free(old);
	return true;
}

/* A field that has room for a signature; returns its number. */
static unsigned int put_field(struct update *u, int64_t when, size_t *ret_range)
{
	char date[32] = "", *zeros = malloc(2 * (size_t)CONTENTS + 1);
	time_t t = (time_t)when;
	unsigned int sig, field;
	struct tm tm;

	if (!zeros) {
		u->failed = true;
		return 0;
	}
	memset(zeros, '0', 2 * (size_t)CONTENTS);
	zeros[2 * (size_t)CONTENTS] = '\0';
	if (gmtime_r(&t, &tm))
		strftime(date, sizeof(date), "D:%Y%m%d%H%M%SZ", &tm);
	sig = begin_object(u);
	put_pdf(u,
		"<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /M (%s)\n",
		date);
	*ret_range = u->pdf->len;
	put_pdf(u, RANGE "\n/Contents <%s> >>\nendobj\n", zeros);
	free(zeros);
	field = begin_object(u);
	put_pdf(u,
		"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Signature) /F 132 "
		"/Rect [0 0 0 0] /V %u 0 R >>\nendobj\n",
		sig);
	return field;
}

static void put_table(struct update *u)
{
	size_t xref = u->pdf->len;

	put_pdf(u, "xref\n%u 1\n%010zu 00000 n \n%u %u\n", u->root, u->root_at, u->first,
		u->n);
	for (unsigned int i = 0; i < u->n; i++)
		put_pdf(u, "%010zu 00000 n \n", u->place[i]);
	put_pdf(u,
		"trailer\n<< /Size %u /Root %u 0 R /Info %u 0 R /Prev %zu >>\n"
		"startxref\n%zu\n%%%%EOF\n",
		u->first + u->n, u->root, u->info, u->xref, xref);
}

/* All but the digits of the signature is signed. */
static enum dw_paper_exit sign(struct dw_bytes *pdf, size_t range,
			       const struct dw_pdf_signing *signing, char *why)
{
	size_t from = range + strlen(RANGE "\n/Contents "),
	       to = from + 2 * (size_t)CONTENTS + 2;
	struct dw_bytes rest = { .data = NULL };
	uint8_t *sig = NULL;
	char line[sizeof(RANGE)];
	size_t len = 0;
	enum dw_paper_exit status;

	snprintf(line, sizeof(line), "/ByteRange [0 %010zu %010zu %010zu]", from, to,
		 pdf->len - to);
	memcpy(pdf->data + range, line, strlen(RANGE));
	if (dw_bytes_add(&rest, pdf->data, from) ||
	    dw_bytes_add(&rest, pdf->data + to, pdf->len - to)) {
		free(rest.data);
		snprintf(why, DW_PAPER_WHY, "there is not enough memory");
		return DW_PAPER_FAILED;
	}
	status = cms_sign(signing, &rest, &sig, &len, why);
	free(rest.data);
	if (!status && len > CONTENTS) {
		snprintf(why, DW_PAPER_WHY,
			 "%.256s: the chain is too long: a signature may have %u bytes",
			 signing->chain ? signing->chain : signing->cert, CONTENTS);
		status = DW_PAPER_FAILED;
	}
	for (size_t i = 0; !status && i < len; i++) {
		static const char digit[] = "0123456789abcdef";

		pdf->data[from + 1 + 2 * i] = digit[sig[i] >> 4];
		pdf->data[from + 2 + 2 * i] = digit[sig[i] & 15];
	}
	free(sig);
	return status;
}

enum dw_paper_exit dw_pdf_finish(struct dw_bytes *pdf,
				 const struct dw_paper_records *records,
				 const char *language,
				 const struct dw_pdf_signing *signing, int64_t when,
				 char why[DW_PAPER_WHY])
{
	struct update u = { .pdf = pdf };
	unsigned int field = 0;
	size_t range = 0;
	char name[48];

	u.place = calloc(4 * records->n + 2, sizeof(*u.place));
	u.failed = !u.place || !look_at_end(&u);
	for (size_t i = 0; i < records->n && !u.failed; i++) {
		const struct dw_paper_record *r = &records->record[i];

		put_file(&u, attachment_name(i, records->n, false, name), r->text,
			 r->len);
		put_file(&u, attachment_name(i, records->n, true, name), r->sig,
			 strlen(r->sig));
	}
	if (!u.failed && signing->cert)
		field = put_field(&u, when, &range);
	if (!u.failed && !put_catalogue(&u, records->n, language, field))
		u.failed = true;
	if (!u.failed)
		put_table(&u);
	free(u.place);
	if (u.failed) {
		snprintf(
			why, DW_PAPER_WHY,
			"the records cannot be attached: this cairo writes PDF in another "
			"form, or there is not enough memory");
		return DW_PAPER_FAILED;
	}
	return signing->cert ? sign(pdf, range, signing, why) : DW_PAPER_OK;
}
