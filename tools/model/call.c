/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call of an analytic model, or a sweep of calls over one of its keys. The table of models says
 * what there is; nothing here knows a model.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "output/draw.h"
#include "out.h"

#define MOST_POINTS 10000
#define MOST_TEXT   (1 << 24)

static double seconds_now(void)
{
	return (double)cli_clock_ns() / 1e9;
}

/* Only simulations last; after two seconds a person wants to know how long. */
static void tell(void *ctx, double done)
{
	double *began = ctx;

	if (seconds_now() - *began > 2)
		fprintf(stderr, "\rsimulating %3.0f %%", 100 * done);
}

static int read_files(struct cli *c, struct dw_model_call *call)
{
	const char *name;
	int r = 0;

	for (size_t i = 0; !r && (name = dw_model_call_file(call, i)); i++) {
		char *text;
		size_t len;

		r = dw_file_read(name, MOST_TEXT, &text, &len);
		if (r < 0)
			return cli_fail(c, CLI_EXIT_USAGE, "%s: %s", name,
					dw_file_error(r));
		r = dw_model_call_text(call, name, text);
		free(text);
		if (r)
			return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	}
	return 0;
}

/* Set all words, and @extra unless NULL; run. 0, or an exit code after cli_fail(). */
static int call_model(struct cli *c, const struct dw_model *model, const char *extra,
		      struct dw_model_call **ret_call)
{
	struct dw_model_call *call = NULL;
	double began = seconds_now();
	int r = dw_model_call_new(model, &call);

	if (r)
		return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	if (extra)
		r = dw_model_call_set(call, extra);
	for (size_t i = 1; !r && i < c->n_operands; i++)
		r = dw_model_call_set(call, c->operand[i]);
	if (!r && read_files(c, call)) {
		dw_model_call_free(call);
		return CLI_EXIT_USAGE;
	}
	if (isatty(STDERR_FILENO))
		dw_model_call_progress(call, tell, &began);
	if (!r)
		r = dw_model_call_run(call);
	if (isatty(STDERR_FILENO) && seconds_now() - began > 2)
		fputs("\r                \r", stderr);
	if (!r) {
		*ret_call = call;
		return 0;
	}
	cli_fail(c, CLI_EXIT_USAGE, "%s",
		 r == -ENOMEM ? "out of memory" : dw_model_call_error(call));
	dw_model_call_free(call);
	return CLI_EXIT_USAGE;
}

static int print_json(struct cli *c, const struct dw_model_call *call)
{
	char *text = dw_model_json(call);

	if (!text)
		return cli_fail(c, CLI_EXIT_USAGE, "out of memory");
	c->documented = true;
	puts(text);
	free(text);
	return 0;
}

static int run_once(struct cli *c, const struct dw_model *model)
{
	struct dw_model_call *call = NULL;
	int r = call_model(c, model, NULL, &call);

	if (r)
		return r;
	if (c->show.json)
		r = print_json(c, call);
	else
		cli_model_print(call);
	dw_model_call_free(call);
	return r;
}

struct sweep {
	char key[40];
	double from;
	double to;
	double step;
};

static int parse_sweep(struct cli *c, const char *text, struct sweep *s)
{
	char end;

	if (sscanf(text, "%39[^=]=%lf:%lf:%lf%c", s->key, &s->from, &s->to, &s->step,
		   &end) != 4 ||
	    !(fabs(s->step) > 0) || !isfinite(s->from) ||
	    !((s->to - s->from) / s->step >= 0))
		return cli_fail(c, CLI_EXIT_USAGE,
				"--sweep: '%s' is not of the form key=from:to:step",
				text);
	if ((s->to - s->from) / s->step >= MOST_POINTS)
		return cli_fail(c, CLI_EXIT_USAGE, "--sweep: more than %d points",
				MOST_POINTS);
	return 0;
}

/* The document of a sweep; NULL = no memory. */
static char *points_json(struct dw_model_call *const *calls, size_t n)
{
	char *all = NULL, *text;
	bool whole = true;
	size_t len;
	FILE *f = open_memstream(&all, &len);

	if (!f)
		return NULL;
	fputs("[\n", f);
	for (size_t i = 0; whole && i < n; i++) {
		text = dw_model_json(calls[i]);
		whole = text != NULL;
		fprintf(f, "%s%s\n", text ? text : "", i + 1 < n ? "," : "");
		free(text);
	}
	fputs("]\n", f);
	if (!fclose(f) && whole)
		return all;
	free(all);
	return NULL;
}

/* As a document, or drawn from that. */
static int print_points(struct cli *c, struct dw_model_call *const *calls, size_t n)
{
	char *json = points_json(calls, n);
	int r = json ? 0 : cli_fail(c, CLI_EXIT_USAGE, "out of memory");

	if (!r && c->show.output) {
		r = cli_draw_or_fail(c, json);
	} else if (!r) {
		c->documented = true;
		fputs(json, stdout);
	}
	free(json);
	return r;
}

static int run_sweep(struct cli *c, const struct dw_model *model, const char *text)
{
	struct dw_model_call **calls;
	struct sweep s = { 0 };
	size_t points, n = 0;
	int r = parse_sweep(c, text, &s);

	if (!r)
		r = cli_draw_check(c, c->show.output);
	if (r)
		return r;
	points = (size_t)floor((s.to - s.from) / s.step * (1 + 1e-12) + 1e-9) + 1;
	calls = cli_allocate(points, sizeof(struct dw_model_call *));
	for (n = 0; !r && n < points; n++) {
		char word[80];

		snprintf(word, sizeof(word), "%s=%.15g", s.key,
			 s.from + (double)n * s.step);
		r = call_model(c, model, word, &calls[n]);
	}
	if (r)
		n--;
	else if (c->show.output || c->show.json)
		r = print_points(c, calls, n);
	else
		cli_model_table(s.key, calls, n);
	for (size_t i = 0; i < n; i++)
		dw_model_call_free(calls[i]);
	free(calls);
	return r;
}

int cli_model_unknown(struct cli *c, const char *name)
{
	const char *names[32] = { 0 }, *near;
	const struct dw_model *m;

	for (size_t i = 0; (m = dw_model_at(i)) && i < 31; i++)
		names[i] = m->name;
	near = cli_nearest(name, names);
	return cli_fail(c, CLI_EXIT_USAGE, "model: there is no '%s'; %s%s%s", name,
			near ? "did you mean '" : "see diskwipe help model",
			near ? near : "", near ? "'?" : "");
}

int cli_model_run(struct cli *c, const char *sweep)
{
	const struct dw_model *model;

	if (!c->n_operands)
		return cli_fail(c, CLI_EXIT_USAGE,
				"model: which? See diskwipe help model");
	model = dw_model_find(c->operand[0]);
	if (!model)
		return cli_model_unknown(c, c->operand[0]);
	if (c->show.output && !sweep)
		return cli_fail(c, CLI_EXIT_USAGE, "--output: goes with --sweep");
	return sweep ? run_sweep(c, model, sweep) : run_once(c, model);
}
