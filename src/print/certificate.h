/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_CERTIFICATE_H
#define DW_PRINT_CERTIFICATE_H

/* Certificates: pages of PDF made of records that were checked, in several languages. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/proof.h>

#include "print/verdict.h"
#include "print/words.h"

#define DW_PAPER_WHY 512 /* bytes of why a paper is not made */

/** struct dw_bytes - a buffer; free(@data) */
struct dw_bytes {
	char *data;
	size_t len;
	size_t size; /* bytes of @data that may be written */
};

/** dw_bytes_add() - append; 0, -ENOMEM. */
int dw_bytes_add(struct dw_bytes *b, const void *data, size_t len);

/**
 * struct dw_firm - what a firm wants on its papers; empty = not said
 * @logo: path of a PNG file
 * @statement: under the title of a certificate
 * @signer: whose line is first and second, in place of our words
 * @colour: of a certificate, 0 to 1 each
 */
struct dw_firm {
	char name[128];
	char address[256];
	char logo[1024];
	char statement[512];
	char signer[2][64];
	double colour[3];
};

/** dw_firm_read() - from an ini file; @path NULL: none. DW_PAPER_OK, or DW_PAPER_FAILED and
 *  @why. */
enum dw_paper_exit dw_firm_read(const char *path, struct dw_firm *ret,
				char why[DW_PAPER_WHY]);

/** struct dw_paper_style - how papers look; @letter: not A4 */
struct dw_paper_style {
	const struct dw_words *words;
	struct dw_firm firm;
	bool letter;
};

/**
 * dw_certificate_pdf() - a page for each record, after a summary if there are several
 * @ret: the PDF, as cairo made it; free(@ret->data)
 * @ret_unknown: characters that are printed as their codes, as no font of this machine has them
 * Return: DW_PAPER_OK; DW_PAPER_FAILED and @why.
 */
enum dw_paper_exit dw_certificate_pdf(const struct dw_paper_records *records,
				      const struct dw_paper_style *style,
				      struct dw_bytes *ret, size_t *ret_unknown,
				      char why[DW_PAPER_WHY]);

/** struct dw_pdf_signing - PEM files; @cert NULL: no signature; @chain: NULL = none */
struct dw_pdf_signing {
	const char *cert;
	const char *key;
	const char *chain;
};

/**
 * dw_pdf_finish() - attach the records to a PDF and sign it
 * @pdf: as dw_certificate_pdf() made it; it grows
 * @when: the time of signing that is entered, seconds since 1970
 *
 * It is an incremental update. The signature (adbe.pkcs7.detached) covers all of the file.
 *
 * Return: DW_PAPER_OK; DW_PAPER_FAILED and @why.
 */
enum dw_paper_exit dw_pdf_finish(struct dw_bytes *pdf,
				 const struct dw_paper_records *records,
				 const char *language,
				 const struct dw_pdf_signing *signing, int64_t when,
				 char why[DW_PAPER_WHY]);

#endif
