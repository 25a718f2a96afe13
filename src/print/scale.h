/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_SCALE_H
#define DW_PRINT_SCALE_H

/*
 * From values to places, and where an axis gets its marks. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#define PLOT_TICKS_MAX 24

enum plot_scale_kind {
	PLOT_LINEAR,   /* marks at 1, 2, 5 times a power of ten */
	PLOT_DURATION, /* seconds; marks at what clocks count by */
	PLOT_LOG10,    /* @lo > 0; marks at powers of ten */
	PLOT_LOG2,     /* bytes, @lo > 0; marks at powers of two */
};

/** struct plot_scale - values @lo..@hi, @hi > @lo */
struct plot_scale {
	enum plot_scale_kind kind;
	double lo;
	double hi;
};

struct plot_tick {
	double value;
	char text[48];
};

/** plot_scale_at() - where a value lies, 0 at @lo and 1 at @hi; others beyond. */
double plot_scale_at(const struct plot_scale *s, double value);

/** plot_scale_ticks() - at most @most marks within the scale, ascending, with their text;
 *  @most <= PLOT_TICKS_MAX; returns how many. */
size_t plot_scale_ticks(const struct plot_scale *s, size_t most,
			struct plot_tick ret[PLOT_TICKS_MAX]);

/** plot_scale_top() - the least round number that is not below @value > 0; 1 for 0. */
double plot_scale_top(double value);

/** plot_text_seconds() - "850 ms", "12.3 s", "14:05 min", "3:07:00 h"; returns @buf. */
const char *plot_text_seconds(double seconds, char *buf, size_t size);

/** plot_text_bytes() - "512 B", "64 KiB", "1.5 MiB"; returns @buf. */
const char *plot_text_bytes(double bytes, char *buf, size_t size);

/** plot_text_rate() - "354 MB/s"; returns @buf. */
const char *plot_text_rate(double bytes_per_second, char *buf, size_t size);

/** plot_text_error() - "+3.1 %", "-12.0 %", "0.0 %" of a share; returns @buf. */
const char *plot_text_error(double share, char *buf, size_t size);

/** plot_rate_unit() - the unit a rate is best drawn in ("MB/s"), and what it is worth. */
const char *plot_rate_unit(double most, double *ret_worth);

#endif
