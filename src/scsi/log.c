/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reply is a header and parameters; as with mode pages, what does not fit does not exist. */
#include "scsi/log.h"

#include <errno.h>
#include <stdbool.h>

#include "base/be.h"
#include "base/util.h"

#define HEADER            4
#define SPF               0x40
#define DU                0x80
#define TOTAL_UNCORRECTED 0x0006

/* The value of the parameter at @p, of @n bytes with its header. */
static int parameter_value(const uint8_t *p, size_t n, uint64_t *ret)
{
	uint64_t sum = 0;
	bool full = true;

	if (n == HEADER || n > HEADER + 8 || (p[2] & DU))
		return -ENODATA;
	for (size_t i = HEADER; i < n; i++) {
		sum = sum << 8 | p[i];
		full = full && p[i] == 0xff;
	}
	if (full)
		return -ENODATA;
	*ret = sum;
	return 0;
}

int dw_log_counter(const uint8_t *data, size_t len, uint8_t page, uint16_t code,
		   uint64_t *ret)
{
	size_t end, n;

	if (len < HEADER || (data[0] & SPF) || (data[0] & 0x3f) != page || data[1])
		return -EBADMSG;
	end = dw_min_u64(len, HEADER + (size_t)dw_get_be16(data + 2));
	for (size_t at = HEADER; end - at >= HEADER; at += n) {
		n = HEADER + (size_t)data[at + 3];
		if (n > end - at)
			break;
		if (dw_get_be16(data + at) == code)
			return parameter_value(data + at, n, ret);
	}
	return -ENODATA;
}

int dw_log_write_errors(const uint8_t *data, size_t len, uint64_t *ret)
{
	return dw_log_counter(data, len, DW_LOG_WRITE_ERRORS, TOTAL_UNCORRECTED, ret);
}
