/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe: the verb table and what happens around a verb. The first word of the command
 * line is a verb or, because that is what the program is for, the first word of erase.
 */
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guided/guided.h"
#include "job/forecast.h"
#include "options.h"
#include "output/out.h"
#include "job/rule.h"
#include "job/sets.h"
#include "job/words.h"
#include "signals.h"

const char cli_name[] = "diskwipe";

static const struct cli_verb verbs[] = {
	{ "list", CLI_LIST, "[DEV...]", "Show the disks and whether each may be erased.",
	  cli_verb_list },
	{ "inspect", CLI_INSPECT, "DEV...", "Show what a disk is and what it can do.",
	  cli_verb_inspect },
	{ "erase", CLI_ERASE, "DEV... | --plan FILE | --resume FILE",
	  "Erase disks, several at once, and verify them.", cli_verb_erase },
	{ "format", CLI_FORMAT, "DEV...",
	  "Format disks to another block length, several at once.", cli_verb_format },
	{ "simulate", CLI_SIMULATE, "TOPOLOGY | pull|insert|heat DEGREES DISK...",
	  "Simulate the erase of the disks of a topology file.", cli_verb_simulate },
	{ "verify", CLI_VERIFY, "DEV...",
	  "Read disks and compare them with the last pass of a method.",
	  cli_verb_verify },
	{ "plan", CLI_PLAN, "DEV... | --topology FILE",
	  "Write a plan: which disks, how, how long; erase nothing.", cli_verb_plan },
	{ "topology", CLI_STATION, "[DEV...]",
	  "Write a topology file: disks of this machine, their connections.",
	  cli_verb_station, .alias = "station" },
	{ "probe", CLI_PROBE, "DEV...",
	  "Measure disks by reading; write a topology file of them.", cli_verb_probe },
	{ "fit", CLI_FIT, "TRACE...", "Calibrate a topology file from traces of jobs.",
	  cli_verb_fit },
	{ "bench", CLI_BENCH, "--contiguous|--random|--load DEV...",
	  "Measure throughput and latency by reading.", cli_verb_bench },
	{ "report", CLI_REPORT, "TRACE | RESULT | TRACE RESULT",
	  "Draw what a run did and what limited it.", cli_verb_report },
	{ "doctor", CLI_DOCTOR, "", "Name what keeps this machine from working well.",
	  cli_verb_doctor },
	{ "model", CLI_MODEL, "NAME KEY=VALUE...",
	  "Compute times, rates and layouts by an analytic model.", cli_verb_model,
	  .foreign = true },
	{ "submit", CLI_SUBMIT, "DEV...",
	  "Have disks erased by the service, as erase would.", cli_verb_submit },
	{ "status", CLI_STATUS, "[JOB|LABEL|DEV|SERIAL...]",
	  "Show the jobs and disks of the service.", cli_verb_status },
	{ "queue", CLI_QUEUE, "", "Show which disks wait, and until when.",
	  cli_verb_queue },
	{ "watch", CLI_WATCH, "[JOB|LABEL|DEV|SERIAL...]",
	  "Follow jobs of the service until they have ended.", cli_verb_watch },
	{ "pause", CLI_PAUSE, "JOB|LABEL|DEV|SERIAL...",
	  "Pause jobs or disks of the service.", cli_verb_control },
	{ "resume", CLI_RESUME, "JOB|LABEL|DEV|SERIAL...",
	  "Let paused jobs or disks of the service go on.", cli_verb_control },
	{ "cancel", CLI_CANCEL, "JOB|LABEL|DEV|SERIAL...",
	  "Stop jobs or disks of the service for good.", cli_verb_control },
	{ "records", CLI_RECORDS, "[key FILE | list DIR | verify DIR|FILE...|--all]",
	  "List what the service has done; check records.", cli_verb_records },
	{ "qc", CLI_QC, "draw N% | status",
	  "Draw erased disks that a second person is to check.", cli_verb_qc },
	{ "top", CLI_TOP, "", "Watch and steer the station on the whole screen.",
	  cli_verb_top },
	{ "help", CLI_HELP, "[COMMAND | MODEL | methods | columns]",
	  "Explain a command or a table.", cli_verb_help },
};

const struct cli_verb *cli_verb_at(size_t i)
{
	return i < CLI_ARRAY_SIZE(verbs) ? &verbs[i] : NULL;
}

const struct cli_verb *cli_verb_find(const char *name)
{
	for (size_t i = 0; i < CLI_ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, name) ||
		    (verbs[i].alias && !strcmp(verbs[i].alias, name)))
			return &verbs[i];
	return NULL;
}

/* Whether --json or --json-lines is asked for must be known before the first error. */
static void look_for_json(struct cli *c, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		c->show.json |= !strcmp(argv[i], "--json");
		c->show.json_lines |= !strcmp(argv[i], "--json-lines");
	}
}

/* A first word that is neither verb nor option nor file is a mistyped verb, or a disk's name. */
static int pick_verb(struct cli *c, const char *word)
{
	const char *names[2 * CLI_ARRAY_SIZE(verbs) + 1] = { 0 };
	const char *near;
	size_t n = 0;

	c->verb = cli_verb_find(word);
	if (c->verb)
		return 0;
	c->verb = cli_verb_find("erase");
	if (word[0] == '-' || strchr(word, '/') || !access(word, F_OK))
		return 0;
	for (size_t i = 0; i < CLI_ARRAY_SIZE(verbs); i++) {
		names[n++] = verbs[i].name;
		if (verbs[i].alias)
			names[n++] = verbs[i].alias;
	}
	near = cli_nearest(word, names);
	return cli_words_without_command(c, word,
					 near ? cli_verb_find(near)->name : NULL);
}

static int dispatch(struct cli *c, int argc, char **argv)
{
	bool named = argc > 1 && cli_verb_find(argv[1]);
	int r;

	c->verb = cli_verb_find("erase");
	if (argc < 2 && cli_guided_can())
		return cli_guided(c);
	if (argc < 2)
		return cli_fail(c, CLI_EXIT_USAGE,
				"no device named; see diskwipe list and diskwipe --help");
	r = pick_verb(c, argv[1]);
	if (!r && c->verb->foreign) {
		c->n_operands = (size_t)argc - 2;
		c->operand = cli_allocate(c->n_operands, sizeof(*c->operand));
		memcpy(c->operand, argv + 2, c->n_operands * sizeof(*c->operand));
		return c->verb->run(c);
	}
	if (!r)
		r = cli_options_parse(c, argc - named, argv + named);
	if (r)
		return r;
	if (c->version) {
		printf("diskwipe %s\n", dw_version());
		return 0;
	}
	if (c->help) {
		if (!named)
			cli_options_overview(stdout);
		if (named || c->help_all)
			cli_options_help(c->verb, c->help_all, stdout);
		return 0;
	}
	if (c->show.json && c->show.json_lines)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--json and --json-lines cannot be combined");
	return c->verb->run(c);
}

int cli_call(int argc, char **argv, const struct dw_plan_doc *marked,
	     struct cli_ending *ret)
{
	struct cli c = { .pick.marked = marked };
	int code;

	dw_job_spec_init(&c.spec);
	look_for_json(&c, argc, argv);
	code = dispatch(&c, argc, argv);
	if (code && !c.documented)
		cli_out_error(&c, code);
	code = cli_close_output(&c, code);
	cli_config_free(&c);
	cli_sets_free(&c);
	cli_words_free(&c);
	cli_forecast_free(&c);
	cli_rule_free(c.pick.rule);
	free(c.operand);
	free(c.own);
	free(c.pick.exclude);
	free(c.pick.listed);
	*ret = c.ending;
	return code;
}

int main(int argc, char **argv)
{
	struct cli_ending ending;
	int code;

	cli_standard_descriptors();
	cli_raise_files();
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond a limit fails, no more than that */
	code = cli_call(argc, argv, NULL, &ending);
	if (ending.signal)
		cli_signals_raise(ending.signal);
	return code;
}
