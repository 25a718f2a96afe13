/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "scsi/cdb.h"
#include "scsi/rsoc.h"

#define ONE_HEADER   4
#define TIMEOUTS_LEN 12 /* command timeouts descriptor */

/* SUPPORT field (SPC). */
enum {
	SUPPORT_NOT_KNOWN = 0,
	SUPPORT_NO = 1,
	SUPPORT_STANDARD = 3,
	SUPPORT_VENDOR = 5,
};

/* May a command of this opcode have a CDB of @n bytes? */
static bool plausible_len(uint8_t opcode, unsigned int n)
{
	unsigned int want = dw_cdb_len(opcode);

	if (want)
		return n == want;
	return n >= 6 && n <= 260;
}

static int read_usage(const uint8_t *data, size_t len, uint8_t opcode,
		      struct dw_rsoc_one *one)
{
	unsigned int n = dw_get_be16(data + 2);

	if (n == 0)
		return 0;
	if (!plausible_len(opcode, n) || n > sizeof(one->usage) || ONE_HEADER + n > len)
		return -EBADMSG;
	if (data[ONE_HEADER] != opcode)
		return -EBADMSG;
	one->cdb_len = (uint8_t)n;
	memcpy(one->usage, data + ONE_HEADER, n);
	return 0;
}

static void read_timeouts(const uint8_t *data, size_t len, struct dw_rsoc_one *one)
{
	size_t at = ONE_HEADER + (size_t)one->cdb_len;

	if (!(data[1] & 0x80) || len < at + TIMEOUTS_LEN) /* CTDP */
		return;
	if (dw_get_be16(data + at) != TIMEOUTS_LEN - 2)
		return;
	one->nominal_s = dw_get_be32(data + at + 4);
	one->recommended_s = dw_get_be32(data + at + 8);
}

int dw_rsoc_one(const uint8_t *data, size_t len, uint8_t opcode, struct dw_rsoc_one *ret)
{
	struct dw_rsoc_one one = { 0 };
	int r;

	if (len < ONE_HEADER || data[0] & 0xfe)
		return -EBADMSG;
	switch (data[1] & 7) {
	case SUPPORT_NOT_KNOWN:
		return -ENODATA;
	case SUPPORT_NO:
		break;
	case SUPPORT_STANDARD:
	case SUPPORT_VENDOR:
		one.supported = true;
		one.vendor = (data[1] & 7) == SUPPORT_VENDOR;
		one.reach = data[1] >> 5 & 3;
		r = read_usage(data, len, opcode, &one);
		if (r < 0)
			return r;
		read_timeouts(data, len, &one);
		break;
	default:
		return -EBADMSG;
	}
	*ret = one;
	return 0;
}

int dw_rsoc_bit(const struct dw_rsoc_one *one, unsigned int byte, uint8_t mask)
{
	if (byte >= one->cdb_len)
		return -1;
	return (one->usage[byte] & mask) != 0;
}
