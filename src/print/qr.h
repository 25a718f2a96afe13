/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_QR_H
#define DW_PRINT_QR_H

/* QR codes (ISO/IEC 18004), and what those of records say. The only user of libqrencode. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "print/verdict.h"

#define PAPER_QR_MAX   177 /* modules on a side, of version 40 */
#define PAPER_QR_QUIET 4   /* modules that stay white around it (9.1) */
#define PAPER_QR_TEXT  768

/** struct paper_qr - a square of @size modules, without the white around it; @dark: row by row */
struct paper_qr {
	unsigned size;
	bool dark[PAPER_QR_MAX * PAPER_QR_MAX];
};

/** paper_qr() - of a text, error correction M; 0, -ERANGE (too long), -ENOMEM, -ENOTSUP (built
 *  without libqrencode). */
int paper_qr(const char *text, struct paper_qr *ret);

/** paper_qr_dark() - is the module in that column and row dark? Outside of the code none is. */
bool paper_qr_dark(const struct paper_qr *q, unsigned x, unsigned y);

/**
 * paper_qr_text() - what the code of a record says: "diskwipe:1:SERIAL:OUTCOME:SHA256", and in a
 * second line how it is checked
 *
 * In the serial and the outcome, all but letters, digits, "-", "." and "_" is "%" and two digits
 * (RFC 3986), so that the five parts stay five. Returns @buf.
 */
const char *paper_qr_text(const struct dw_paper_record *r, char buf[PAPER_QR_TEXT]);

#endif
