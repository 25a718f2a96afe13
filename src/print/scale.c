/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/scale.h"

#include <math.h>
#include <stdio.h>

#include "base/util.h"

#define PLAIN 1e10 /* from there on numbers have exponents */

double plot_scale_at(const struct plot_scale *s, double value)
{
	if (s->kind == PLOT_LOG10 || s->kind == PLOT_LOG2)
		return (log(fmax(value, s->lo / 2)) - log(s->lo)) /
		       (log(s->hi) - log(s->lo));
	return (value - s->lo) / (s->hi - s->lo);
}

/* The least step of 1, 2, 5 x 10^k that is not below @least. */
static double round_step(double least)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(least)));

	for (size_t i = 0; i < DW_ARRAY_SIZE(steps); i++)
		if (steps[i] * power >= least * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
}

static double clock_step(double least)
{
	static const double steps[] = { 1,    2,    5,     10,    15,    30,
					60,   120,  300,   600,   900,   1800,
					3600, 7200, 10800, 21600, 43200, 86400 };

	if (least < 1)
		return round_step(least);
	for (size_t i = 0; i < DW_ARRAY_SIZE(steps); i++)
		if (steps[i] >= least)
			return steps[i];
	return 86400 * round_step(least / 86400);
}

static void clock_text(double seconds, double step, double hi, struct plot_tick *t)
{
	long long s = llround(seconds);

	if (seconds < step / 2)
		snprintf(t->text, sizeof(t->text), "0");
	else if (hi < 1e-3)
		snprintf(t->text, sizeof(t->text), "%g \u00b5s",
			 round(seconds * 1e8) / 100);
	else if (hi < 1)
		snprintf(t->text, sizeof(t->text), "%g ms", round(seconds * 1e5) / 100);
	else if (hi < 120)
		snprintf(t->text, sizeof(t->text), "%g s", round(seconds * 1000) / 1000);
	else if (step >= 86400)
		snprintf(t->text, sizeof(t->text), "%lld d", s / 86400);
	else if (hi < 7200)
		snprintf(t->text, sizeof(t->text), "%lld:%02lld min", s / 60, s % 60);
	else
		snprintf(t->text, sizeof(t->text), "%lld:%02lld h", s / 3600,
			 s / 60 % 60);
}

static size_t even_ticks(const struct plot_scale *s, size_t most, struct plot_tick *ret)
{
	double least = (s->hi - s->lo) / (double)most;
	double step = s->kind == PLOT_DURATION ? clock_step(least) : round_step(least);
	size_t n = 0;

	for (double k = ceil(s->lo / step - 1e-9);
	     k * step <= s->hi + step * 1e-6 && n < most + 1 && n < PLOT_TICKS_MAX; k++) {
		ret[n].value = k * step + 0.0; /* never -0 */
		if (s->kind == PLOT_DURATION)
			clock_text(k * step, step, s->hi, &ret[n]);
		else
			snprintf(ret[n].text, sizeof(ret[n].text),
				 step >= 1 && ret[n].value < PLAIN ? "%.0f" : "%.6g",
				 ret[n].value);
		n++;
	}
	return n;
}

static size_t log_ticks(const struct plot_scale *s, size_t most, struct plot_tick *ret)
{
	double base = s->kind == PLOT_LOG2 ? 2 : 10;
	double from = ceil(log(s->lo) / log(base) - 1e-9);
	double to = floor(log(s->hi) / log(base) + 1e-9);
	double step = fmax(1, ceil((to - from + 1) / (double)most));
	size_t n = 0;

	for (double k = from; k <= to + 1e-9 && n < PLOT_TICKS_MAX; k += step) {
		ret[n].value = pow(base, k);
		if (s->kind == PLOT_LOG2)
			plot_text_bytes(ret[n].value, ret[n].text, sizeof(ret[n].text));
		else if (ret[n].value > 0.9)
			snprintf(ret[n].text, sizeof(ret[n].text), "%g s", ret[n].value);
		else
			plot_text_seconds(ret[n].value, ret[n].text, sizeof(ret[n].text));
		n++;
	}
	return n;
}

size_t plot_scale_ticks(const struct plot_scale *s, size_t most,
			struct plot_tick ret[PLOT_TICKS_MAX])
{
	if (!(s->hi > s->lo) || !isfinite(s->lo) || !isfinite(s->hi) || !most)
		return 0;
	if (s->kind == PLOT_LINEAR || s->kind == PLOT_DURATION)
		return even_ticks(s, most, ret);
	return s->lo > 0 ? log_ticks(s, most, ret) : 0;
}

double plot_scale_top(double value)
{
	double power, step;

	if (!(value > 0) || !isfinite(value))
		return 1;
	power = pow(10, floor(log10(value)));
	step = value / power < 2 ? 0.2 : value / power < 5 ? 0.5 : 1;
	return ceil(value / power / step - 1e-9) * step * power;
}

const char *plot_text_seconds(double s, char *buf, size_t size)
{
	long long whole = llround(s);

	if (s < 1e-6 && s > 0)
		snprintf(buf, size, "%.3g ns", s * 1e9);
	else if (s < 1e-3 && s > 0)
		snprintf(buf, size, "%.3g \u00b5s", s * 1e6);
	else if (s < 1 && s > 0)
		snprintf(buf, size, "%.3g ms", s * 1e3);
	else if (s < 59.95)
		snprintf(buf, size, s < 10 ? "%.2f s" : "%.1f s", s);
	else if (whole < 3600)
		snprintf(buf, size, "%lld:%02lld min", whole / 60, whole % 60);
	else
		snprintf(buf, size, "%lld:%02lld:%02lld h", whole / 3600, whole / 60 % 60,
			 whole % 60);
	return buf;
}

const char *plot_text_bytes(double bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t i = 0;

	while (bytes >= 1024 && i + 1 < DW_ARRAY_SIZE(units)) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, size, "%.4g %s", bytes, units[i]);
	return buf;
}

const char *plot_rate_unit(double most, double *ret_worth)
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	size_t i = 0;

	*ret_worth = 1;
	while (most / *ret_worth >= 1500 && i + 1 < DW_ARRAY_SIZE(units)) {
		*ret_worth *= 1000;
		i++;
	}
	return units[i];
}

const char *plot_text_rate(double rate, char *buf, size_t size)
{
	double worth;
	const char *unit = plot_rate_unit(rate * 1.5, &worth);

	snprintf(buf, size, rate / worth >= 999.5 ? "%.4g %s" : "%.3g %s", rate / worth,
		 unit);
	return buf;
}

const char *plot_text_error(double share, char *buf, size_t size)
{
	double tenths = round(share * 1000);

	if (tenths == 0)
		snprintf(buf, size, "0.0 %%");
	else
		snprintf(buf, size, "%+.1f %%", tenths / 10);
	return buf;
}
