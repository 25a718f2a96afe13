/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <qrencode.h>

#include "print/qr.h"

#define DARK 1 /* bit of a module in the symbols of libqrencode */

int paper_qr(const char *text, struct paper_qr *ret)
{
	QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);

	if (!code)
		return errno == ERANGE ? -ERANGE : -ENOMEM;
	*ret = (struct paper_qr){ .size = (unsigned)code->width };
	for (size_t i = 0; i < (size_t)ret->size * ret->size; i++)
		ret->dark[i] = code->data[i] & DARK;
	QRcode_free(code);
	return 0;
}

bool paper_qr_dark(const struct paper_qr *q, unsigned x, unsigned y)
{
	return x < q->size && y < q->size && q->dark[y * q->size + x];
}

static size_t escape_part(const char *text, char *buf, size_t size)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._";
	size_t len = 0;

	for (; *text && len + 4 <= size; text++)
		len += (size_t)snprintf(buf + len, size - len,
					strchr(plain, *text) ? "%c" : "%%%02X",
					(unsigned char)*text);
	return len;
}

const char *paper_qr_text(const struct dw_paper_record *r, char buf[PAPER_QR_TEXT])
{
	const struct dw_proof *p = &r->proof;
	char serial[3 * sizeof(p->info.serial) + 1] = "";
	char outcome[3 * sizeof(p->outcome) + 1] = "";

	escape_part(p->info.serial, serial, sizeof(serial));
	escape_part(paper_outcome(r), outcome, sizeof(outcome));
	snprintf(buf, PAPER_QR_TEXT,
		 "diskwipe:1:%s:%s:%s\nto check: diskwipe records verify", serial,
		 outcome, r->hash);
	return buf;
}
