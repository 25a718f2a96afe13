/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe-model: the models of the papers. `diskwipe model` becomes this program. */
#include <locale.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/program.h"
#include "out.h"

const char cli_name[] = "diskwipe-model";

/** struct model_options - one call of the program, borrowed from argv */
struct model_options {
	const char *output;
	const char *sweep;
	bool json;
};

/* AT() - the member of struct model_options that a row is for */
#define AT(member) .at = offsetof(struct model_options, member)

static const struct program_option options[] = {
	{ "output", 'o', 0, "FILE", "draw the sweep there; .svg, .html, .pdf or .png",
	  AT(output) },
	{ "sweep", PROGRAM_LONG, 0, "KEY=FROM:TO:STEP",
	  "a table over the values of one key", AT(sweep) },
	{ "json", PROGRAM_LONG + 1, 0, NULL, "one JSON document on standard output",
	  AT(json) },
	{ "help", 'h', 0, NULL, "this text, or that of a model: --help NAME" },
	{ "version", 'V', 0, NULL, "the version" },
};

static const struct program program = {
	.called = "diskwipe model",
	.usage = "Usage: diskwipe model [OPTIONS] NAME KEY=VALUE...\n"
		 "Compute times, rates and layouts by an analytic model.\n\n"
		 "Options:\n",
	.closing = "Models (diskwipe help MODEL):\n",
	.width = 29,
	.option = options,
	.n_options = CLI_ARRAY_SIZE(options),
};

static int parse(struct cli *c, int argc, char **argv, struct program_call *call,
		 const char **ret_sweep)
{
	struct model_options o = { .output = NULL };
	int r = program_parse(&program, argc, argv, &o, call);

	snprintf(c->error, sizeof(c->error), "%s", call->error);
	c->show.output = o.output;
	c->show.json |= o.json;
	c->operand = call->operand;
	c->n_operands = call->n_operands;
	*ret_sweep = o.sweep;
	return r;
}

static int run(struct cli *c, const struct program_call *call, const char *sweep)
{
	const struct dw_model *model;

	if (call->help && !call->version && c->n_operands) {
		model = dw_model_find(c->operand[0]);
		if (!model)
			return cli_model_unknown(c, c->operand[0]);
		cli_model_help(model, stdout);
		return 0;
	}
	if (!program_answer(&program, call))
		return cli_model_run(c, sweep);
	if (call->help && !call->version) {
		cli_model_list(stdout);
		puts("\nSizes: K, M, G, T or KiB, MiB ... are powers of 1024, KB, MB ... of 1000.\n"
		     "See diskwipe-model(1).");
	}
	return 0;
}

/* With --json a call that failed has a document, too. */
static void print_error(const struct cli *c)
{
	char *text = dw_job_report_json(&(struct dw_job_result){ .spec = c->spec },
					"invalid", c->error, false);

	if (text)
		puts(text);
	free(text);
}

int main(int argc, char **argv)
{
	struct cli c = { 0 };
	struct program_call call;
	const char *sweep;
	int code;

	cli_standard_descriptors();
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit fails, no more than that */
	dw_job_spec_init(&c.spec);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		c.show.json |= !strcmp(argv[i], "--json");
	code = parse(&c, argc, argv, &call, &sweep);
	if (!code)
		code = run(&c, &call, sweep);
	if (code && c.show.json && !c.documented)
		print_error(&c);
	return cli_close_output(&c, code);
}
