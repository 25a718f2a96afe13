/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_UNITS_H
#define DISKWIPE_UNITS_H

/*
 * Numbers as people write and read them. Pure: no clock, no time zone file, no locale.
 * Parsers take the whole text or nothing; formatters always terminate what they write.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_UNIT_TEXT 40 /* bytes that hold any text of the formatters below */

/** dw_number_parse() - decimal digits only; 0, -EINVAL (no number), -ERANGE (too large). */
DW_PUBLIC int dw_number_parse(const char *text, uint64_t *ret_value);

/** dw_size_parse() - "512", "64K", "1.5GiB", "200MB" to bytes, rounded down, in either case;
 *  suffix rule of util-linux: K and KiB = 2^10, KB = 10^3, up to E; 0, -EINVAL, -ERANGE. */
DW_PUBLIC int dw_size_parse(const char *text, uint64_t *ret_bytes);

/** dw_duration_parse() - "300", "300s", "5min", "1h30m", "250ms", "2days" to ns, rounded down; a
 *  bare number is seconds; 0, -EINVAL, -ERANGE. */
DW_PUBLIC int dw_duration_parse(const char *text, uint64_t *ret_ns);

/** dw_percent_parse() - "10%", "0.5", 0 < value <= 100; 0, -EINVAL (malformed), -ERANGE. */
DW_PUBLIC int dw_percent_parse(const char *text, double *ret_percent);

/** dw_count_format() - "1,234,567"; returns @buf, as all of these, which has DW_UNIT_TEXT bytes at
 *  least. */
DW_PUBLIC const char *dw_count_format(uint64_t n, char *buf, size_t size);

/** dw_size_format() - "18.2 GB" (decimal units, as disks are sold); returns @buf. */
DW_PUBLIC const char *dw_size_format(uint64_t bytes, char *buf, size_t size);

/** dw_size_format_binary() - "16.9 GiB"; returns @buf. */
DW_PUBLIC const char *dw_size_format_binary(uint64_t bytes, char *buf, size_t size);

/** dw_rate_format() - "270 MB/s" of @bytes in @ns, "-" when @ns is 0; returns @buf. */
DW_PUBLIC const char *dw_rate_format(uint64_t bytes, uint64_t ns, char *buf, size_t size);

/** dw_duration_format() - "0:04:31", hours as they come, rounded to the nearest second; returns
 *  @buf. */
DW_PUBLIC const char *dw_duration_format(uint64_t ns, char *buf, size_t size);

/** dw_time_format() - "2026-11-21T01:34:05+01:00" of a time since 1970 in the zone @offset_s
 *  seconds east of UTC; returns @buf. */
DW_PUBLIC const char *dw_time_format(const struct timespec *t, int32_t offset_s,
				     char *buf, size_t size);

/** dw_text_printable() - put '?' for each byte or character that a terminal might obey: control
 *  characters (C0, DEL, C1), overrides of direction, ends of lines, what is no UTF-8. In
 *  place; returns @text. */
DW_PUBLIC char *dw_text_printable(char *text);

/** dw_text_is_printable() - would dw_text_printable() leave it as it is? */
DW_PUBLIC bool dw_text_is_printable(const char *text);

/** dw_text_is_formula() - would a spreadsheet take a cell that says this for a formula? It begins
 *  with one of = + - @, also of full width, or with a tab or an end of line. */
DW_PUBLIC bool dw_text_is_formula(const char *text);

#ifdef __cplusplus
}
#endif

#endif
