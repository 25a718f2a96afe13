/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call of dw_paths_closed(). */
#include "base/util.h"
#include "base/paths.h"
#include "papers/model.h"

static int run_closed_paths(struct dw_model_call *call)
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
	.run = run_closed_paths,
};
