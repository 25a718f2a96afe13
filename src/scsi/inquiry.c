/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "base/util.h"
#include "scsi/inquiry.h"

#define HEADER_LEN 5 /* bytes 0..4, the last one counts what follows */

size_t dw_scsi_text(const uint8_t *data, size_t len, char *buf, size_t size)
{
	size_t from = 0, n = 0;

	while (len > 0 && (data[len - 1] == ' ' || data[len - 1] == 0))
		len--;
	while (from < len && (data[from] == ' ' || data[from] == 0))
		from++;
	for (; from < len && n + 1 < size; from++) {
		uint8_t c = data[from];

		buf[n++] = c == 0 ? ' ' : c >= 0x20 && c <= 0x7e ? (char)c : '.';
	}
	buf[n] = 0;
	return n;
}

int dw_inquiry_parse(const uint8_t *data, size_t len, struct dw_inquiry *ret)
{
	struct dw_inquiry inq = { 0 };

	if (len < HEADER_LEN || (data[3] & 0x0f) > 2)
		return -EBADMSG;
	len = dw_min_u64(len, HEADER_LEN + (size_t)data[4]);
	inq.qualifier = data[0] >> 5;
	inq.type = data[0] & 0x1f;
	inq.removable = data[1] & 0x80;
	inq.version = data[2];
	if (len >= 8) {
		inq.tpgs = data[5] >> 4 & 3;
		inq.protect = data[5] & 0x01;
		inq.encloses = data[6] & 0x40;
		inq.multi_port = data[6] & 0x10;
		inq.queueing = data[7] & 0x02;
	}
	if (len >= 16)
		dw_scsi_text(data + 8, 8, inq.vendor, sizeof(inq.vendor));
	if (len >= 32)
		dw_scsi_text(data + 16, 16, inq.product, sizeof(inq.product));
	if (len >= 36)
		dw_scsi_text(data + 32, 4, inq.revision, sizeof(inq.revision));
	*ret = inq;
	return 0;
}
