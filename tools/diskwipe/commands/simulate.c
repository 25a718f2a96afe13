/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe simulate: what erase would do, to disks that a topology file describes, in virtual
 * time. The size of the work decides how, unless it is said. Without a seed of its own it
 * takes 1, so that two calls give the same. And what is done to the disks of a simulated station.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "output/draw.h"
#include "job/forecast.h"
#include "options.h"
#include "job/session.h"
#include "signals.h"
#include "own.h"

/* --- a simulated station ------------------------------------------------------- */

/** struct act - @words: operands before the disks; @done: of a disk, in words */
struct act {
	const char *name;
	const char *method;
	const char *done;
	size_t words;
};

static const struct act acts[] = {
	{ "pull", "Pull", "is pulled", 1 },
	{ "insert", "Insert", "is inserted", 1 },
	{ "heat", "Heat", "has another temperature", 2 },
};

/* A word of these alone is the name of a file, if there is one. */
static const struct act *find_act(const struct cli *c)
{
	for (size_t i = 0; i < CLI_ARRAY_SIZE(acts) && c->n_operands; i++)
		if (!strcmp(c->operand[0], acts[i].name) &&
		    (c->n_operands > 1 || access(acts[i].name, F_OK) < 0))
			return &acts[i];
	return NULL;
}

static int check_words(struct cli *c, const struct act *how, int32_t *ret_degrees)
{
	const struct cli_option *o;
	char *end = NULL;
	long n = 0;

	for (size_t i = 0; (o = cli_option_at(i)); i++)
		if (c->given[i] && strcmp(o->name, "bus") && strcmp(o->name, "quiet"))
			return cli_fail(c, CLI_EXIT_USAGE, "simulate %s has no --%s",
					how->name, o->name);
	if (how->words == 2 && c->n_operands > 1)
		n = strtol(c->operand[1], &end, 10);
	if (end && (*end || end == c->operand[1] || n < -100 || n > 100))
		return cli_fail(c, CLI_EXIT_USAGE,
				"'%s' is no number of degrees, -100 to 100",
				c->operand[1]);
	if (c->n_operands <= how->words)
		return cli_fail(c, CLI_EXIT_USAGE, "name a disk; see diskwipe status");
	*ret_degrees = (int32_t)n;
	return 0;
}

static int act_on_all(struct cli *c, struct cli_client *k, const struct act *how,
		      int32_t degrees)
{
	struct cli_station s = { 0 };
	int code = cli_client_read(k, &s);
	bool simulated = s.manager.simulated;

	cli_station_deinit(&s);
	if (code)
		return cli_fail(c, (enum cli_exit)code, "%s", cli_client_why(k));
	if (!simulated)
		return cli_fail(c, CLI_EXIT_REFUSED,
				"the station is real: nothing of it is simulated; name "
				"another by --bus");
	for (size_t i = how->words; i < c->n_operands; i++) {
		int r = cli_client_simulate(k, how->method, c->operand[i], degrees);

		if (r)
			cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
		else
			cli_say(c, "%s %s", c->operand[i], how->done);
		code = code ? code : r;
	}
	return code;
}

static int act_on(struct cli *c, const struct act *how)
{
	struct cli_client *k = NULL;
	int32_t degrees = 0;
	int r = check_words(c, how, &degrees);

	if (!r)
		r = cli_client_open(c, &k);
	if (r)
		return r;
	r = act_on_all(c, k, how, degrees);
	cli_client_free(k);
	return r;
}

/* --- virtual time -------------------------------------------------------------- */

static int check_file(struct cli *c)
{
	const struct cli_simulate_options *own = c->own;

	if (c->n_operands != 1)
		return cli_fail(c, CLI_EXIT_USAGE,
				"name one topology file; see diskwipe simulate --help");
	if (c->bus)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--bus is for simulate pull, insert and heat");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	if (own->coarse && own->exact)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--coarse and --exact cannot be combined");
	return 0;
}

int cli_verb_simulate(struct cli *c)
{
	const struct cli_simulate_options *own = c->own;
	const struct act *how = find_act(c);
	struct dw_station *station = NULL;
	struct dw_error err = { 0 };
	int r;

	if (how)
		return act_on(c, how);
	r = check_file(c);
	if (!r)
		r = cli_draw_check(c, c->report_file);
	if (!r)
		r = cli_forecast_prepare(c);
	if (r)
		return r;
	r = dw_station_load(c->operand[0], &station, &err);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	if (!c->spec.seed)
		c->spec.seed = 1;
	cli_signals_begin();
	r = cli_session_simulate(
		c, station,
		own->coarse || (!own->exact && dw_simulation_coarse(&c->spec, station)));
	dw_station_free(station);
	return r;
}
