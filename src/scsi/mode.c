/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reply is header, block descriptors, pages. Replies are cut off, and some disks
 * announce a length they do not send, so the end is the smaller of the two, and a page
 * that does not fit before the end does not exist.
 */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/mode.h"

#define HEADER_6  4
#define HEADER_10 8

int dw_mode_header_parse(const uint8_t *data, size_t len, unsigned int size,
			 struct dw_mode_header *ret)
{
	size_t head = size == 6 ? HEADER_6 : HEADER_10, end, descriptors;
	uint8_t specific;

	if (size != 6 && size != 10)
		return -EINVAL;
	if (len < head)
		return -EBADMSG;
	end = size == 6 ? 1 + (size_t)data[0] : 2 + (size_t)dw_get_be16(data);
	end = dw_min_u64(end, len);
	descriptors = size == 6 ? data[3] : dw_get_be16(data + 6);
	if (end < head + descriptors)
		return -EBADMSG;
	specific = size == 6 ? data[2] : data[3];
	*ret = (struct dw_mode_header){
		.write_protect = specific & 0x80,
		.dpofua = specific & 0x10,
		.medium_type = size == 6 ? data[1] : data[2],
		.pages_at = (uint32_t)(head + descriptors),
		.end = (uint32_t)end,
	};
	return 0;
}

int dw_mode_blocks(const uint8_t *data, size_t len, unsigned int size,
		   uint32_t block_size, uint64_t *ret)
{
	size_t head = size == 6 ? HEADER_6 : HEADER_10;
	bool wide = size == 10 && len > 4 && data[4] & 0x01; /* LONGLBA */
	const uint8_t *at = data + head;
	struct dw_mode_header h;
	uint64_t blocks, none;
	uint32_t each;
	int r = dw_mode_header_parse(data, len, size, &h);

	if (r < 0)
		return r;
	if (h.pages_at < head + (wide ? 16 : 8))
		return -ENODATA;
	blocks = wide ? dw_get_be64(at) : dw_get_be32(at);
	none = wide ? UINT64_MAX : UINT32_MAX;
	each = wide ? dw_get_be32(at + 12) : dw_get_be32(at + 4) & 0xffffff;
	if (!blocks || blocks == none || each != block_size)
		return -ENODATA;
	*ret = blocks;
	return 0;
}

/* Length of the page at @p of @left bytes, its header included; 0 when cut off. */
static size_t page_len(const uint8_t *p, size_t left)
{
	size_t n;

	if (left < 2)
		return 0;
	if (!(p[0] & 0x40)) /* SPF */
		n = 2 + (size_t)p[1];
	else
		n = left < 4 ? SIZE_MAX : 4 + (size_t)dw_get_be16(p + 2);
	return n <= left ? n : 0;
}

static bool is_page(const uint8_t *p, uint8_t page, uint8_t subpage)
{
	bool spf = p[0] & 0x40;

	if ((p[0] & 0x3f) != page || spf != (subpage != 0))
		return false;
	return !spf || p[1] == subpage;
}

int dw_mode_page_find(const uint8_t *data, size_t len, unsigned int size, uint8_t page,
		      uint8_t subpage, const uint8_t **ret, size_t *ret_len)
{
	struct dw_mode_header h;
	size_t n;
	int r = dw_mode_header_parse(data, len, size, &h);

	if (r < 0)
		return r;
	for (size_t pos = h.pages_at; pos < h.end; pos += n) {
		n = page_len(data + pos, h.end - pos);
		if (n == 0)
			return -EBADMSG;
		if (is_page(data + pos, page, subpage)) {
			*ret = data + pos;
			*ret_len = n;
			return 0;
		}
	}
	return -ENODATA;
}

/* As dw_mode_page_find() for page_0 format, and of at least @min bytes. */
static int find_min(const uint8_t *data, size_t len, unsigned int size, uint8_t page,
		    size_t min, const uint8_t **ret)
{
	size_t n;
	int r = dw_mode_page_find(data, len, size, page, 0, ret, &n);

	return r < 0 ? r : n < min ? -EBADMSG : 0;
}

int dw_mode_caching(const uint8_t *data, size_t len, unsigned int size,
		    struct dw_mode_caching *ret)
{
	const uint8_t *p;
	int r = find_min(data, len, size, DW_MODE_CACHING, 3, &p);

	if (r < 0)
		return r;
	*ret = (struct dw_mode_caching){ .wce = p[2] & 0x04, .rcd = p[2] & 0x01 };
	return 0;
}

int dw_mode_recovery(const uint8_t *data, size_t len, unsigned int size,
		     struct dw_mode_recovery *ret)
{
	const uint8_t *p;
	int r = find_min(data, len, size, DW_MODE_RECOVERY, 12, &p);

	if (r < 0)
		return r;
	*ret = (struct dw_mode_recovery){
		.awre = p[2] & 0x80,
		.arre = p[2] & 0x40,
		.limit_ms = dw_get_be16(p + 10),
	};
	return 0;
}

int dw_mode_control(const uint8_t *data, size_t len, unsigned int size,
		    struct dw_mode_control *ret)
{
	const uint8_t *p;
	int r = find_min(data, len, size, DW_MODE_CONTROL, 6, &p);

	if (r < 0)
		return r;
	*ret = (struct dw_mode_control){
		.descriptor_sense = p[2] & 0x04,
		.queue_algorithm = p[3] >> 4,
		.software_protect = p[4] & 0x08,
		.ato = p[5] & 0x80,
	};
	return 0;
}

/* The page as it is, with one bit of its third byte on or off. */
static int fill_bit(const struct dw_mode_reply *reply, uint8_t code, uint8_t bit, bool on,
		    uint8_t *buf, size_t buf_size)
{
	size_t head = reply->size == 6 ? HEADER_6 : HEADER_10, n;
	struct dw_mode_header h;
	const uint8_t *page;
	int r = dw_mode_header_parse(reply->data, reply->len, reply->size, &h);

	if (r < 0)
		return r;
	r = dw_mode_page_find(reply->data, reply->len, reply->size, code, 0, &page, &n);
	if (r < 0)
		return r;
	if (n < 3)
		return -EBADMSG;
	if (buf_size < head + n)
		return -ENOSPC;
	memset(buf, 0, head);
	buf[reply->size == 6 ? 1 : 2] = h.medium_type;
	memcpy(buf + head, page, n);
	buf[head] &= 0x7f; /* PS is reserved in MODE SELECT */
	buf[head + 2] = (uint8_t)(on ? page[2] | bit : page[2] & ~bit);
	return (int)(head + n);
}

int dw_mode_fill_wce(const struct dw_mode_reply *reply, bool wce, uint8_t *buf,
		     size_t buf_size)
{
	return fill_bit(reply, DW_MODE_CACHING, 0x04, wce, buf, buf_size);
}

int dw_mode_fill_dsense(const struct dw_mode_reply *reply, bool descriptor, uint8_t *buf,
			size_t buf_size)
{
	return fill_bit(reply, DW_MODE_CONTROL, 0x04, descriptor, buf, buf_size);
}
