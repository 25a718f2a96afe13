/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reply is a header and parameters; as with mode pages, what does not fit does not exist. */
#include "scsi/log.h"

#include <errno.h>

#include "base/be.h"
#include "base/util.h"

#define HEADER            4
#define SPF               0x40
#define DU                0x80
#define GLISTV            0x08
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

/* The parameter of that code and its bytes with its header; -EBADMSG, -ENODATA. */
static int find_parameter(const uint8_t *data, size_t len, uint8_t page, uint16_t code,
			  const uint8_t **ret, size_t *ret_n)
{
	size_t end, n;

	if (len < HEADER || (data[0] & SPF) || (data[0] & 0x3f) != page || data[1])
		return -EBADMSG;
	end = dw_min_u64(len, HEADER + (size_t)dw_get_be16(data + 2));
	for (size_t at = HEADER; end - at >= HEADER; at += n) {
		n = HEADER + (size_t)data[at + 3];
		if (n > end - at)
			break;
		if (dw_get_be16(data + at) != code)
			continue;
		*ret = data + at;
		*ret_n = n;
		return 0;
	}
	return -ENODATA;
}

int dw_log_counter(const uint8_t *data, size_t len, uint8_t page, uint16_t code,
		   uint64_t *ret)
{
	const uint8_t *p;
	size_t n;
	int r = find_parameter(data, len, page, code, &p, &n);

	return r ? r : parameter_value(p, n, ret);
}

int dw_log_write_errors(const uint8_t *data, size_t len, uint64_t *ret)
{
	return dw_log_counter(data, len, DW_LOG_WRITE_ERRORS, TOTAL_UNCORRECTED, ret);
}

bool dw_log_has_page(const uint8_t *data, size_t len, uint8_t page)
{
	size_t end;

	if (len < HEADER || data[0] || data[1])
		return false;
	end = dw_min_u64(len, HEADER + (size_t)dw_get_be16(data + 2));
	for (size_t i = HEADER; i < end; i++)
		if (data[i] == page)
			return true;
	return false;
}

/* FFh stands for a temperature that is not known; below zero there is none (SPC). */
static int degrees(uint8_t byte, int32_t *ret)
{
	if (byte == 0xff)
		return -ENODATA;
	*ret = byte;
	return 0;
}

int dw_log_temperature(const uint8_t *data, size_t len, bool limit, int32_t *ret)
{
	const uint8_t *p;
	size_t n;
	int r = find_parameter(data, len, DW_LOG_TEMPERATURE, limit, &p, &n);

	if (r)
		return r;
	return n < HEADER + 2 ? -ENODATA : degrees(p[5], ret);
}

int dw_log_exception(const uint8_t *data, size_t len, struct dw_log_exception *ret)
{
	const uint8_t *p;
	size_t n;
	int r = find_parameter(data, len, DW_LOG_EXCEPTIONS, 0, &p, &n);

	if (r)
		return r;
	if (n < HEADER + 2)
		return -ENODATA;
	*ret = (struct dw_log_exception){ .asc = p[4],
					  .ascq = p[5],
					  .temperature = -274 };
	if (n > HEADER + 2 && p[6])
		degrees(p[6], &ret->temperature);
	return 0;
}

int dw_log_minutes(const uint8_t *data, size_t len, uint64_t *ret)
{
	const uint8_t *p;
	size_t n;
	int r = find_parameter(data, len, DW_LOG_BACKGROUND_SCAN, 0, &p, &n);

	if (r)
		return r;
	if (n < HEADER + 4)
		return -ENODATA;
	*ret = dw_get_be32(p + 4);
	return 0;
}

int dw_defects_count(const uint8_t *data, size_t len, bool wide, uint64_t *ret)
{
	static const uint8_t bytes[8] = { [0] = 4, [3] = 8, [4] = 8, [5] = 8 };
	uint8_t size;

	if (len < (wide ? 8 : 4) || !(data[1] & GLISTV))
		return -EBADMSG;
	size = bytes[data[1] & 0x07];
	if (!size)
		return -EBADMSG;
	*ret = (wide ? dw_get_be32(data + 4) : dw_get_be16(data + 2)) / size;
	return 0;
}
