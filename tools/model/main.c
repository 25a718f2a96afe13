/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe-model: the models of the papers. `diskwipe model` becomes this program. */
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

const char cli_name[] = "diskwipe-model";

enum option_value { SWEEP = 256, JSON };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "sweep", required_argument, NULL, SWEEP },
	{ "json", no_argument, NULL, JSON },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void print_help(void)
{
	puts("Usage: diskwipe model [OPTIONS] NAME KEY=VALUE...\n"
	     "Compute times, rates and layouts by an analytic model.\n\n"
	     "Options:\n"
	     "  -o, --output=FILE             draw the sweep there; .svg, .html, .pdf or .png\n"
	     "      --sweep=KEY=FROM:TO:STEP  a table over the values of one key\n"
	     "      --json                    one JSON document on standard output\n"
	     "  -h, --help                    this text, or that of a model: --help NAME\n"
	     "  -V, --version                 the version\n\n"
	     "Models (diskwipe help MODEL):");
	cli_model_list(stdout);
	puts("\nSizes: K, M, G, T or KiB, MiB ... are powers of 1024, KB, MB ... of 1000.\n"
	     "See diskwipe-model(1).");
}

static int parse(struct cli *c, int argc, char **argv, const char **ret_sweep)
{
	int letter;

	opterr = 0;
	while ((letter = getopt_long(argc, argv, "o:hV", options, NULL)) != -1) {
		if (letter == 'o')
			c->show.output = optarg;
		else if (letter == SWEEP)
			*ret_sweep = optarg;
		else if (letter == JSON)
			c->show.json = true;
		else if (letter == 'h')
			c->help = true;
		else if (letter == 'V')
			c->version = true;
		else
			return cli_fail(
				c, CLI_EXIT_USAGE,
				"%s: no such option, or its argument is missing; see "
				"diskwipe model --help",
				argv[optind - 1]);
	}
	c->operand = (const char **)argv + optind;
	c->n_operands = (size_t)(argc - optind);
	return 0;
}

static int run(struct cli *c, const char *sweep)
{
	if (c->version) {
		printf("diskwipe-model %s\n", dw_version());
		return 0;
	}
	if (!c->help)
		return cli_model_run(c, sweep);
	if (!c->n_operands)
		print_help();
	else if (dw_model_find(c->operand[0]))
		cli_model_help(dw_model_find(c->operand[0]), stdout);
	else
		return cli_model_unknown(c, c->operand[0]);
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
	const char *sweep = NULL;
	int code;

	cli_standard_descriptors();
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit fails, no more than that */
	dw_job_spec_init(&c.spec);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		c.show.json |= !strcmp(argv[i], "--json");
	code = parse(&c, argc, argv, &sweep);
	if (!code)
		code = run(&c, sweep);
	if (code && c.show.json && !c.documented)
		print_error(&c);
	return cli_close_output(&c, code);
}
