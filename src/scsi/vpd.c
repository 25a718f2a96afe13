/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All pages share a header of four bytes: device type, page code, length of the rest.
 * dw_vpd_check() settles once which bytes of the rest are both announced and there; the
 * parsers then number bytes as the standards do, from the start of the page.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/inquiry.h"
#include "scsi/vpd.h"

#define HEADER_LEN 4
#define PAGE_CODES 256

int dw_vpd_check(const uint8_t *data, size_t len, uint8_t page, size_t *ret_len)
{
	if (len < HEADER_LEN || data[1] != page)
		return -EBADMSG;
	*ret_len = dw_min_u64(len - HEADER_LEN, dw_get_be16(data + 2));
	return 0;
}

uint16_t dw_vpd_longer(const uint8_t *data, size_t len, uint8_t page, uint16_t max)
{
	size_t n, whole;

	if (dw_vpd_check(data, len, page, &n) || len < DW_VPD_FIRST_LEN)
		return 0;
	whole = HEADER_LEN + (size_t)dw_get_be16(data + 2);
	return whole > len && max > len ? (uint16_t)dw_min_u64(whole, max) : 0;
}

/* As dw_vpd_check(), but a page that is cut off is none. */
static int check_whole(const uint8_t *data, size_t len, uint8_t page, size_t *ret_len)
{
	int r = dw_vpd_check(data, len, page, ret_len);

	if (r < 0)
		return r;
	return *ret_len == dw_get_be16(data + 2) ? 0 : -EBADMSG;
}

int dw_vpd_has_page(const uint8_t *data, size_t len, uint8_t page)
{
	size_t n;
	int r = dw_vpd_check(data, len, DW_VPD_SUPPORTED, &n);

	if (r < 0)
		return r;
	if (n == 0 || dw_get_be16(data + 2) > PAGE_CODES)
		return -EBADMSG;
	return memchr(data + HEADER_LEN, page, n) != NULL;
}

int dw_vpd_serial(const uint8_t *data, size_t len, char *buf, size_t size)
{
	char text[256];
	size_t n;
	int r = check_whole(data, len, DW_VPD_SERIAL, &n);

	if (r < 0)
		return r;
	if (n >= sizeof(text))
		return -EBADMSG;
	if (dw_scsi_text(data + HEADER_LEN, n, text, sizeof(text)) == 0)
		return -ENODATA;
	snprintf(buf, size, "%s", text);
	return 0;
}

int dw_vpd_designator_next(const uint8_t *data, size_t len, size_t *pos,
			   struct dw_designator *ret)
{
	const uint8_t *d;
	size_t n;
	int r = dw_vpd_check(data, len, DW_VPD_DESIGNATORS, &n);

	if (r < 0)
		return r;
	if (*pos >= n || n - *pos < 4)
		return 0;
	d = data + HEADER_LEN + *pos;
	if (d[3] > n - *pos - 4)
		return 0;
	*pos += 4 + (size_t)d[3];
	*ret = (struct dw_designator){
		.association = d[1] >> 4 & 3,
		.type = d[1] & 0x0f,
		.code_set = d[0] & 0x0f,
		.len = d[3],
		.id = d + 4,
	};
	return 1;
}

/* @head and then the bytes in lower-case hexadecimal. */
static int put_hex(const char *head, const uint8_t *id, size_t len, char *buf,
		   size_t size)
{
	size_t n = strlen(head);

	if (n + 2 * len + 1 > size)
		return -ENOSPC;
	memcpy(buf, head, n + 1);
	for (size_t i = 0; i < len; i++)
		snprintf(buf + n + 2 * i, size - n - 2 * i, "%02x", id[i]);
	return 0;
}

static int put_name(const char *head, const uint8_t *id, size_t len, char *buf,
		    size_t size)
{
	char text[256];

	if (dw_scsi_text(id, len, text, sizeof(text)) == 0)
		return -EINVAL;
	if (strlen(head) + strlen(text) + 1 > size)
		return -ENOSPC;
	snprintf(buf, size, "%s%s", head, text);
	return 0;
}

/* NAA 2, 3 and 5 have 8 bytes, NAA 6 has 16 (SPC). */
static bool naa_ok(const struct dw_designator *d)
{
	uint8_t naa;

	if (d->code_set != 1 || d->len == 0)
		return false;
	naa = d->id[0] >> 4;
	return naa == 6 ? d->len == 16
			: (naa == 2 || naa == 3 || naa == 5) && d->len == 8;
}

/* Zeros, and the most that there are, are what is there when nobody has put in a name. */
static bool is_filler(const uint8_t *id, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (id[i] != id[0])
			return false;
	return len && (id[0] == 0x00 || id[0] == 0xff);
}

int dw_designator_text(const struct dw_designator *d, char *buf, size_t size)
{
	bool binary = d->code_set == 1;

	switch (d->type) {
	case DW_DESIGNATOR_NAA:
		return naa_ok(d) ? put_hex("0x", d->id, d->len, buf, size) : -EINVAL;
	case DW_DESIGNATOR_EUI64:
		if (!binary || (d->len != 8 && d->len != 12 && d->len != 16) ||
		    is_filler(d->id, d->len))
			return -EINVAL;
		return put_hex("eui.", d->id, d->len, buf, size);
	case DW_DESIGNATOR_UUID:
		if (!binary || d->len != 18 || d->id[0] >> 4 != 1 ||
		    is_filler(d->id + 2, 16))
			return -EINVAL;
		return put_hex("uuid.", d->id + 2, 16, buf, size);
	case DW_DESIGNATOR_NAME:
		return d->code_set == 3 ? put_name("", d->id, d->len, buf, size)
					: -EINVAL;
	case DW_DESIGNATOR_T10:
		if (d->code_set != 2 || d->len <= 8)
			return -EINVAL;
		return put_name("t10.", d->id, d->len, buf, size);
	default:
		return -EINVAL;
	}
}

/* The higher, the better known to be unique. */
static int rank(const struct dw_designator *d)
{
	switch (d->type) {
	case DW_DESIGNATOR_NAA:
		return d->len == 16 ? 6 : 5;
	case DW_DESIGNATOR_EUI64:
		return 4;
	case DW_DESIGNATOR_UUID:
		return 3;
	case DW_DESIGNATOR_NAME:
		return 2;
	default:
		return 1;
	}
}

int dw_vpd_wwn(const uint8_t *data, size_t len, char *buf, size_t size)
{
	char text[DW_VPD_WWN_MAX], best[DW_VPD_WWN_MAX] = "";
	struct dw_designator d;
	int best_rank = 0, r;
	size_t pos = 0;

	while ((r = dw_vpd_designator_next(data, len, &pos, &d)) > 0) {
		if (d.association != DW_ASSOC_UNIT || rank(&d) <= best_rank)
			continue;
		if (dw_designator_text(&d, text, sizeof(text)) < 0)
			continue;
		best_rank = rank(&d);
		memcpy(best, text, strlen(text) + 1);
	}
	if (r < 0)
		return r;
	if (best_rank == 0)
		return -ENODATA;
	if (strlen(best) >= size)
		return -ENOSPC;
	memcpy(buf, best, strlen(best) + 1);
	return 0;
}

void dw_vpd_unit_names(const uint8_t *data, size_t len, char *buf, size_t size)
{
	char text[DW_VPD_WWN_MAX];
	struct dw_designator d;
	size_t pos = 0, used = 0;

	buf[0] = '\0';
	while (dw_vpd_designator_next(data, len, &pos, &d) > 0) {
		if (d.association != DW_ASSOC_UNIT ||
		    dw_designator_text(&d, text, sizeof(text)) < 0 ||
		    strlen(text) + 2 > size - used)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s\n", text);
	}
}

static uint64_t digest(uint64_t hash, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t dw_vpd_unit_digest(const uint8_t *data, size_t len)
{
	struct dw_designator d;
	uint64_t sum = 0;
	size_t pos = 0;

	while (dw_vpd_designator_next(data, len, &pos, &d) > 0) {
		const uint8_t head[] = { d.code_set, d.type, d.len };
		uint64_t hash = UINT64_C(0xcbf29ce484222325);

		if (d.association != DW_ASSOC_UNIT)
			continue;
		hash = digest(digest(hash, head, sizeof(head)), d.id, d.len);
		sum += hash | 1; /* none is 0, and few together are */
	}
	return sum;
}

int dw_vpd_limits(const uint8_t *data, size_t len, struct dw_vpd_limits *ret)
{
	size_t n;
	int r = dw_vpd_check(data, len, DW_VPD_LIMITS, &n);

	if (r < 0)
		return r;
	if (n < 12) /* SBC-2 */
		return -EBADMSG;
	*ret = (struct dw_vpd_limits){
		.wsnz = data[4] & 0x01,
		.granularity = dw_get_be16(data + 6),
		.max_transfer = dw_get_be32(data + 8),
		.opt_transfer = dw_get_be32(data + 12),
	};
	if (n >= 20)
		ret->max_unmap = dw_get_be32(data + 20);
	if (n >= 40)
		ret->max_write_same = dw_get_be64(data + 36);
	return 0;
}

int dw_vpd_character(const uint8_t *data, size_t len, struct dw_vpd_character *ret)
{
	size_t n;
	int r = dw_vpd_check(data, len, DW_VPD_CHARACTER, &n);

	if (r < 0)
		return r;
	if (n < 2)
		return -EBADMSG;
	*ret = (struct dw_vpd_character){ .rotation = dw_get_be16(data + 4) };
	if (n >= 4) {
		ret->wabereq = data[7] >> 6;
		ret->wacereq = data[7] >> 4 & 3;
		ret->form_factor = data[7] & 0x0f;
	}
	if (n >= 5)
		ret->zoned = data[8] >> 4 & 3;
	return 0;
}

size_t dw_vpd_ranges(const uint8_t *data, size_t len, struct dw_vpd_range *ret,
		     size_t most)
{
	size_t reported, n;

	if (dw_vpd_check(data, len, DW_VPD_RANGES, &reported) ||
	    reported + 4 < DW_VPD_RANGES_HEAD)
		return 0;
	/* one that was cut off has more than came */
	reported = (size_t)(data[2] << 8 | data[3]) + 4;
	n = (reported - DW_VPD_RANGES_HEAD) / DW_VPD_RANGE_LEN;
	if (n > most || reported > len)
		return n > most ? n : 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = data + DW_VPD_RANGES_HEAD + i * DW_VPD_RANGE_LEN;

		if (at[0] != i)
			return 0;
		ret[i] = (struct dw_vpd_range){ dw_get_be64(at + 8),
						dw_get_be64(at + 16) };
	}
	return n;
}

int dw_vpd_provisioning(const uint8_t *data, size_t len, struct dw_vpd_provisioning *ret)
{
	size_t n;
	int r = dw_vpd_check(data, len, DW_VPD_PROVISIONING, &n);

	if (r < 0)
		return r;
	if (n < 2)
		return -EBADMSG;
	*ret = (struct dw_vpd_provisioning){
		.lbpu = data[5] & 0x80,
		.lbpws = data[5] & 0x40,
		.lbpws10 = data[5] & 0x20,
		.lbprz = data[5] >> 2 & 7,
		.anchor = data[5] & 0x02,
	};
	if (n >= 3)
		ret->type = data[6] & 7;
	return 0;
}
