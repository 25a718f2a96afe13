/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is it worth choosing the path again for each command? Where a disk loses a revolution with
 * every command that finds its path busy, it may be; where the write cache takes the command,
 * or nothing turns, only disks that cannot be dealt out evenly gain.
 */
#include <math.h>
#include <stdio.h>

#include <diskwipe/predict.h>
#include <diskwipe/units.h>

#include "base/paths.h"

#define WORTH 0.01 /* a gain below that is none */

/* Of @n disks with their own rate on one connection. */
static double carried(const struct dw_paths_forecast *f, uint32_t n)
{
	return fmin(f->path_rate, n * f->media_rate);
}

/* Nobody waits for a revolution: rates are shared. */
static void share_rates(struct dw_paths_forecast *f)
{
	uint32_t few = f->devices / f->paths, more = f->devices % f->paths;

	f->fixed_rate = more * carried(f, few + 1) + (f->paths - more) * carried(f, few);
	f->dynamic_rate = fmin(f->paths * f->path_rate,
			       f->devices * fmin(f->media_rate, f->path_rate));
}

static bool turn(struct dw_paths_forecast *f, bool dynamic, double *ret_rate,
		 double *ret_misses)
{
	const struct dw_paths p = { .units = f->devices,
				    .paths = f->paths,
				    .dynamic = dynamic,
				    .turn = f->revolution_ms,
				    .transfer = 1e3 * f->transfer / f->path_rate };
	struct dw_closed_paths c;

	if (!dw_paths_closed(&p, 1e3 * f->transfer / f->media_rate, &c))
		return false;
	*ret_rate = 1e3 * f->devices * f->transfer / c.cycle;
	*ret_misses = c.misses;
	return true;
}

static const char *rate(double bytes_per_second, char *buf, size_t size)
{
	return dw_rate_format((uint64_t)bytes_per_second, UINT64_C(1000000000), buf,
			      size);
}

static void report_modes(struct dw_paths_forecast *f)
{
	const char *mode = f->dynamic ? "dynamic" : "fixed";
	char path[DW_UNIT_TEXT], fixed[DW_UNIT_TEXT], dynamic[DW_UNIT_TEXT];
	char gain[40] = "no gain expected";

	if (f->gain >= WORTH)
		snprintf(gain, sizeof(gain), "gain %.1f %%", 100 * f->gain);
	if (f->fixed_rate > 0)
		snprintf(f->why, sizeof(f->why),
			 "%u disk%s over %u paths of %s: fixed %s, dynamic %s, %s: %s",
			 f->devices, f->devices == 1 ? "" : "s", f->paths,
			 rate(f->path_rate, path, sizeof(path)),
			 rate(f->fixed_rate, fixed, sizeof(fixed)),
			 rate(f->dynamic_rate, dynamic, sizeof(dynamic)), gain, mode);
	else if (f->revolution_ms <= 0)
		snprintf(f->why, sizeof(f->why),
			 "%u disk%s over %u paths, no revolution is lost: %s: %s",
			 f->devices, f->devices == 1 ? "" : "s", f->paths, gain, mode);
	else
		snprintf(
			f->why, sizeof(f->why),
			"%u disk%s over %u paths: no forecast without the rate of a path: "
			"%s",
			f->devices, f->devices == 1 ? "" : "s", f->paths, mode);
}

void dw_forecast_paths(enum dw_paths_mode mode, struct dw_paths_forecast *f)
{
	bool known = f->media_rate > 0 && f->path_rate > 0 && f->transfer && f->paths;

	f->fixed_rate = f->dynamic_rate = f->gain = 0;
	f->fixed_misses = f->dynamic_misses = 0;
	if (known && f->revolution_ms <= 0)
		share_rates(f);
	else if (known)
		known = turn(f, false, &f->fixed_rate, &f->fixed_misses) &&
			turn(f, true, &f->dynamic_rate, &f->dynamic_misses);
	if (known)
		f->gain = f->dynamic_rate / f->fixed_rate - 1;
	else
		f->fixed_rate = f->dynamic_rate = 0;
	f->dynamic = mode == DW_PATHS_DYNAMIC;
	if (mode == DW_PATHS_AUTO)
		f->dynamic = known ? f->gain >= WORTH : f->revolution_ms > 0;
	report_modes(f);
}
