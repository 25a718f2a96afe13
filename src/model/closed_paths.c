/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices that write without end over shared paths and lose a revolution whenever they find
 * none free (Brandwajn's misses in the loop of an erasure): the cycle c is the fixed point of
 *
 *	c = base + (1 + m(U)) R,  U = devices hold / (paths c)
 *
 * with the misses m by equations (3)-(5) and (11), dual-ported, T = hold. A longer cycle
 * means less use and fewer misses, so there is one fixed point, found by bisection.
 */
#include <math.h>

#include "base/util.h"
#include "model/paths.h"

#define STEPS 200

/* Misses at a cycle, infinite where the paths cannot carry it. */
static double misses_at(const struct dw_paths *p, double cycle, double *ret_use)
{
	struct dw_misses at;

	*ret_use = p->units * p->transfer / ((double)p->paths * cycle);
	if (!dw_paths_misses(p, *ret_use, &at) || at.first >= 1)
		return INFINITY;
	return dw_paths_count(p, at.first);
}

bool dw_paths_closed(const struct dw_paths *p, double base, struct dw_closed_paths *ret)
{
	double lo = 0, hi = base + p->turn + p->units * p->transfer, use;

	while (base + (1 + misses_at(p, hi, &use)) * p->turn > hi)
		hi *= 2;
	for (int i = 0; i < STEPS; i++) {
		double mid = (lo + hi) / 2;

		if (base + (1 + misses_at(p, mid, &use)) * p->turn > mid)
			lo = mid;
		else
			hi = mid;
	}
	ret->cycle = hi;
	ret->misses = misses_at(p, hi, &ret->use);
	return isfinite(ret->misses);
}

static int run(struct dw_model_call *call)
{
	struct dw_paths p = { .units = dw_call_number(call, "devices"),
			      .paths = (size_t)dw_call_number(call, "paths"),
			      .dynamic = dw_call_number(call, "dynamic") != 0,
			      .turn = dw_call_number(call, "revolution_ms"),
			      .transfer = dw_call_number(call, "hold_ms") };
	struct dw_closed_paths c;

	if (!dw_paths_closed(&p, dw_call_number(call, "base_ms"), &c))
		return dw_call_fail(call, "hold_ms is longer than the whole cycle");
	dw_out_number(call, "utilisation", c.use);
	dw_out_number(call, "misses", c.misses);
	dw_out_number(call, "cycle_ms", c.cycle);
	dw_out_number(call, "commands_per_s", 1e3 * p.units / c.cycle);
	return 0;
}

static const struct dw_model_key keys[] = {
	{ "devices", "", DW_MODEL_WHOLE, .min = 1, .max = 1e6, .needed = 1,
	  .help = "that write at the same time" },
	{ "base_ms", "ms", .needed = 1,
	  .help = "of a command, without revolutions lost" },
	{ "hold_ms", "ms", .above = true, .needed = 1, .help = "a command holds a path" },
	{ "revolution_ms", "ms", .above = true, .needed = 1, .help = "of a device" },
	{ "paths", "", DW_MODEL_WHOLE, .min = 1, .max = DW_PATHS_MOST, .needed = 1,
	  .help = "that the devices share" },
	{ "dynamic", "", DW_MODEL_FLAG, .needed = 1, .help = "any free path will do" },
};

const struct dw_model dw_model_closed_paths = {
	.name = "closed_paths",
	.paper = "Brandwajn",
	.summary = "Commands of devices that always write over shared paths.",
	.outputs = "utilisation misses cycle_ms commands_per_s",
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run,
};
