/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sweep as a picture: each output that is a number as a curve over the swept key. */
#include <stdlib.h>

#include "model_out.h"
#include "plot/plot.h"
#include "options.h"

static void fill(double *v, struct dw_model_call *const *calls, size_t n,
		 const char *name)
{
	for (size_t i = 0; i < n; i++)
		v[i] = cli_model_number(calls[i], name);
}

int cli_model_plot(struct cli *c, const char *key, struct dw_model_call *const *calls,
		   size_t n)
{
	struct dw_curve *curve;
	struct dw_model_output o;
	size_t outputs = 0;
	double *v;
	struct dw_error err = { 0 };
	int r;

	while (dw_model_call_output(calls[0], outputs, &o))
		outputs++;
	curve = cli_allocate(outputs + 1, sizeof(*curve));
	v = cli_allocate((outputs + 1) * n, sizeof(*v));
	fill(v, calls, n, key);
	for (size_t i = 0; dw_model_call_output(calls[0], i, &o); i++) {
		fill(v + (i + 1) * n, calls, n, o.name);
		curve[i] = (struct dw_curve){ key, o.name, v, v + (i + 1) * n, n };
	}
	r = dw_curves_write(curve, outputs, c->output, &err);
	free(v);
	free(curve);
	return r < 0 ? cli_error(c, CLI_EXIT_USAGE, &err) : 0;
}
