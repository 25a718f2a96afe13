/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sense data in both formats (SPC-4, clause 4.5): the fixed one has room for a
 * 32-bit INFORMATION field only, and leaves VALID clear for anything larger.
 */
#include "sense.h"

#include "be.h"

#include <stdio.h>
#include <string.h>

static void put_field(const struct dw_sense *s, uint8_t *p)
{
	p[0] = (uint8_t)(0x80 | (s->field_in_list ? 0 : 0x40));
	be_put16(p + 1, s->field);
}

static void put_progress(const struct dw_sense *s, uint8_t *p)
{
	p[0] = 0x80;
	be_put16(p + 1, s->progress);
}

static size_t encode_fixed(const struct dw_sense *s, uint8_t *buf)
{
	memset(buf, 0, 18);
	buf[0] = s->deferred ? 0x71 : 0x70;
	buf[2] = s->key;
	buf[7] = 10;
	be_put16(buf + 12, s->asc);
	if (s->info_valid && s->info <= UINT32_MAX) {
		buf[0] |= 0x80;
		be_put32(buf + 3, (uint32_t)s->info);
	}
	if (s->field_valid)
		put_field(s, buf + 15);
	if (s->progress_valid)
		put_progress(s, buf + 15);
	return 18;
}

static size_t encode_descriptor(const struct dw_sense *s, uint8_t *buf)
{
	size_t n = 8;

	memset(buf, 0, 32);
	buf[0] = s->deferred ? 0x73 : 0x72;
	buf[1] = s->key;
	be_put16(buf + 2, s->asc);
	if (s->info_valid) {
		buf[n + 1] = 10;
		buf[n + 2] = 0x80;
		be_put64(buf + n + 4, s->info);
		n += 12;
	}
	if (s->field_valid) {
		buf[n] = 2;
		buf[n + 1] = 6;
		put_field(s, buf + n + 4);
		n += 8;
	}
	if (s->progress_valid) {
		buf[n] = 2;
		buf[n + 1] = 6;
		put_progress(s, buf + n + 4);
		n += 8;
	}
	buf[7] = (uint8_t)(n - 8);
	return n;
}

/**
 * dw_sense_encode - sense data as it goes over the wire
 * @s: what to say
 * @descriptor: descriptor format (D_SENSE=1) instead of fixed
 * @buf: at least 32 bytes
 *
 * Return: bytes used.
 */
size_t dw_sense_encode(const struct dw_sense *s, bool descriptor, uint8_t *buf)
{
	return descriptor ? encode_descriptor(s, buf) : encode_fixed(s, buf);
}

/**
 * dw_sense_parse - read "K/ASC/ASCQ" or "ASC/ASCQ" (a unit attention), in hex
 * @text: text
 * @ret_s: sense data
 *
 * Return: false when the text is something else.
 */
bool dw_sense_parse(const char *text, struct dw_sense *ret_s)
{
	unsigned int k, asc, ascq;
	int end = 0;

	if (sscanf(text, "%2x/%2x/%2x%n", &k, &asc, &ascq, &end) != 3 || text[end]) {
		k = KEY_UNIT_ATTENTION;
		if (sscanf(text, "%2x/%2x%n", &asc, &ascq, &end) != 2 || text[end])
			return false;
	}
	if (k > 0xf)
		return false;
	*ret_s = (struct dw_sense){ .key = (uint8_t)k,
				    .asc = (uint16_t)(asc << 8 | ascq) };
	return true;
}
