/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks cut sense data short, announce more than they send, and leave bytes of an
 * older reply behind the end. So the usable length is settled first (what came, what
 * the ADDITIONAL SENSE LENGTH covers), and each field is read only when all its bytes
 * lie inside and its own valid bit is set.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/sense.h"

#define HEADER_LEN 8 /* both formats: bytes 0..7, the last one counts what follows */

/* SENSE KEY SPECIFIC, three bytes at @p: a field pointer or a progress (SPC). */
static void parse_specific(const uint8_t *p, struct dw_sense *s)
{
	if (!(p[0] & 0x80)) /* SKSV */
		return;
	if (s->key == DW_KEY_ILLEGAL_REQUEST) {
		s->field_valid = true;
		s->field_in_cdb = p[0] & 0x40; /* C/D */
		s->field = dw_get_be16(p + 1);
	} else if (s->key == DW_KEY_NO_SENSE || s->key == DW_KEY_NOT_READY) {
		s->progress_valid = true;
		s->progress = dw_get_be16(p + 1);
	}
}

static void parse_fixed(const uint8_t *d, size_t len, struct dw_sense *s)
{
	s->key = d[2] & 0x0f;
	if ((d[0] & 0x80) && len >= 7) {
		s->info_valid = true;
		s->information = dw_get_be32(d + 3);
	}
	if (len >= 12) {
		s->specific = dw_get_be32(d + 8);
		s->specific_valid = s->specific != 0;
	}
	if (len >= 13)
		s->asc = d[12];
	if (len >= 14)
		s->ascq = d[13];
	if (len >= 15)
		s->fru = d[14];
	if (len >= 18)
		parse_specific(d + 15, s);
}

/* Type 0Dh unites what the types 00h, 01h, 02h and 03h hold one by one (SBC). */
static void parse_block_device(const uint8_t *d, size_t len, struct dw_sense *s)
{
	if (len < 24)
		return;
	parse_specific(d + 4, s);
	s->fru = d[7];
	if (d[2] & 0x80) {
		s->info_valid = true;
		s->information = dw_get_be64(d + 8);
	}
	s->specific = dw_get_be64(d + 16);
	s->specific_valid = s->specific != 0;
}

/* One descriptor of @len bytes, its two header bytes included. */
static void parse_descriptor(const uint8_t *d, size_t len, struct dw_sense *s)
{
	switch (d[0]) {
	case 0x00: /* information */
		if (len >= 12 && (d[2] & 0x80)) {
			s->info_valid = true;
			s->information = dw_get_be64(d + 4);
		}
		break;
	case 0x01: /* command specific information */
		if (len >= 12) {
			s->specific_valid = true;
			s->specific = dw_get_be64(d + 4);
		}
		break;
	case 0x02: /* sense key specific */
		if (len >= 7)
			parse_specific(d + 4, s);
		break;
	case 0x03: /* field replaceable unit */
		if (len >= 4)
			s->fru = d[3];
		break;
	case 0x0a: /* another progress indication */
		if (len >= 8 && !s->progress_valid) {
			s->progress_valid = true;
			s->progress = dw_get_be16(d + 6);
		}
		break;
	case 0x0d:
		parse_block_device(d, len, s);
		break;
	}
}

static void parse_descriptors(const uint8_t *d, size_t len, struct dw_sense *s)
{
	size_t pos = HEADER_LEN;

	s->key = d[1] & 0x0f;
	s->asc = len >= 3 ? d[2] : 0;
	s->ascq = len >= 4 ? d[3] : 0;
	while (pos + 2 <= len) {
		size_t n = 2 + (size_t)d[pos + 1];

		if (n > len - pos)
			break;
		parse_descriptor(d + pos, n, s);
		pos += n;
	}
}

int dw_sense_parse(const uint8_t *data, size_t len, struct dw_sense *ret)
{
	struct dw_sense s = { 0 };
	uint8_t code;

	if (len < 3)
		return -EINVAL;
	code = data[0] & 0x7f;
	if (code < 0x70 || code > 0x73)
		return -EINVAL;
	if (len >= HEADER_LEN)
		len = dw_min_u64(len, HEADER_LEN + (size_t)data[7]);
	s.descriptor = code >= 0x72;
	s.deferred = code & 1;
	if (s.descriptor)
		parse_descriptors(data, len, &s);
	else
		parse_fixed(data, len, &s);
	*ret = s;
	return 0;
}

/* Append to @buf, cutting what does not fit; returns the new length. */
__attribute__((format(printf, 4, 5))) static size_t append(char *buf, size_t size,
							   size_t n, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
	return r < 0 ? n : dw_min_u64(n + (size_t)r, size - 1);
}

const char *dw_sense_text(const struct dw_sense *s, char *buf, size_t size)
{
	const char *code = dw_sense_code_name(s->asc, s->ascq);
	size_t n = 0;

	n = append(buf, size, n, "%s%s", s->deferred ? "deferred " : "",
		   dw_sense_key_name(s->key));
	if (code)
		n = append(buf, size, n, ": %s", code);
	n = append(buf, size, n, " (%X/%02X/%02X)", s->key, s->asc, s->ascq);
	if (s->info_valid)
		n = append(buf, size, n, ", LBA %" PRIu64, s->information);
	if (s->progress_valid)
		n = append(buf, size, n, ", %u%% done", s->progress * 100u / 65536u);
	if (s->field_valid)
		n = append(buf, size, n, ", byte %u of the %s", s->field,
			   s->field_in_cdb ? "CDB" : "parameter list");
	if (s->fru)
		append(buf, size, n, ", FRU %u", s->fru);
	return buf;
}
