/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time to write a disk whose rate falls linearly with the byte address x from outer to
 * inner: r(x) = outer (1 - u x/bytes), u = 1 - inner/outer, so that the integral of dx/r up
 * to the share p of the bytes is bytes/outer * -log(1 - u p)/u.
 */
#include <math.h>

#include "base/util.h"
#include "papers/model.h"

/* -log(1 - u p)/u, also where u is nothing. */
static double slowness(double u, double p)
{
	return u == 0 ? p : -log1p(-u * p) / u;
}

static int run_zone(struct dw_model_call *call)
{
	double bytes = dw_call_number(call, "bytes");
	double outer = dw_call_number(call, "outer");
	double u = 1 - dw_call_number(call, "inner") / outer;
	double p = dw_call_number(call, "progress");

	dw_out_number(call, "seconds", bytes / outer * slowness(u, 1));
	dw_out_number(call, "fraction_of_time", slowness(u, p) / slowness(u, 1));
	return 0;
}

static const struct dw_model_key keys[] = {
	{ "bytes", "bytes", .above = true, .needed = 1, .help = "capacity of the disk" },
	{ "outer", "bytes/s", .above = true, .needed = 1,
	  .help = "rate at its first byte" },
	{ "inner", "bytes/s", .above = true, .needed = 1,
	  .help = "rate at its last byte" },
	{ "progress", "", .max = 1, .fallback = "1",
	  .help = "share of the bytes written" },
};

const struct dw_model dw_model_zone = {
	.name = "zone",
	.paper = "linear zone curve",
	.summary = "Time to write a disk whose rate falls from outside to inside.",
	.outputs = "seconds fraction_of_time",
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_zone,
};
