/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain `diskwipe` on a terminal: the disks, their marks, and a call of the program itself with
 * the words that somebody who knows them would have typed. The screen is left for that call, so
 * that the plan, the consent, the bars and the result are those of erase, or of submit, and come
 * by the same code. Which disks are meant goes along by identity: nodes may have changed since.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "client/listed.h"
#include "guided/guided.h"
#include "guided/view.h"
#include "signals.h"
#include "top/screen.h"

#define REFRESH_MS 1000 /* a signal that comes just before the wait is seen then */

/**
 * struct guided_run - one run of it
 * @code: what it comes to; @signal: that ended it, 0 = none
 */
struct guided_run {
	struct cli *c;
	struct guided g;
	struct top_page page;
	bool ended;
	int code;
	int signal;
};

bool cli_guided_can(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

static void draw(struct guided_run *run)
{
	unsigned width, height;

	top_screen_size(&width, &height);
	guided_layout(&run->g, width, height, &run->page);
	top_screen_draw(&run->page);
}

static bool begin_screen(struct guided_run *run)
{
	if (top_screen_begin(cli_color_wanted(run->c, stdout)))
		return true;
	run->ended = true;
	run->code = cli_fail(
		run->c, CLI_EXIT_USAGE,
		"TERM=%s: this terminal has no addressable cursor, or is unknown here; set "
		"TERM, or name the devices: diskwipe list shows them",
		getenv("TERM") ? getenv("TERM") : "");
	return false;
}

/* What the service knows, if it runs and answers. */
static bool list_service(struct guided_run *run)
{
	struct cli_client *k = cli_client_find(run->c);
	struct cli_station station = { 0 };
	const char *folder;
	bool known;

	run->g.note[0] = run->g.records[0] = '\0';
	if (!k)
		return false;
	known = !cli_client_read_examined(k, &station);
	if (known) {
		cli_station_list(run->c, &station);
		folder = station.manager.records_folder;
		snprintf(run->g.note, sizeof(run->g.note),
			 "%s: what is marked is submitted to it.",
			 station.manager.simulated
				 ? "SIMULATED STATION, no disk of this machine is touched"
				 : "The service diskwiped runs here");
		snprintf(run->g.records, sizeof(run->g.records), "%s",
			 folder ? folder : "");
	} else {
		snprintf(
			run->g.note, sizeof(run->g.note),
			"The service diskwiped cannot be asked (%.300s); this program erases.",
			cli_client_why(k));
	}
	cli_station_deinit(&station);
	cli_client_free(k);
	return known;
}

static void look_for_disks(struct guided_run *run)
{
	struct dw_disk *disks = NULL;
	size_t n = 0;
	int r;

	guided_say(&run->g, "looking for disks ...");
	draw(run);
	run->g.message[0] = '\0';
	run->g.service = list_service(run);
	if (run->g.service) {
		disks = run->c->pick.listed;
		n = run->c->pick.n_listed;
		run->c->pick.listed = NULL;
		run->c->pick.n_listed = 0;
	} else {
		r = dw_disks_list(&run->c->spec.rules, &disks, &n);
		if (r < 0)
			guided_say(&run->g, "the disks cannot be listed: %s",
				   strerror(-r));
	}
	guided_take(&run->g, disks, n);
	free(disks);
}

/* What was typed while the program spoke was no answer to this. */
static bool wait_for_enter(void)
{
	char *line = NULL;
	size_t size = 0;
	bool typed = false;

	clearerr(stdin); /* an end of input that answered the question */
	tcflush(STDIN_FILENO, TCIFLUSH);
	fputs("Enter goes back to the list: ", stderr);
	if (cli_signals_await(STDIN_FILENO))
		typed = getline(&line, &size, stdin) > 0;
	fputs(typed ? "" : "\n", stderr);
	free(line);
	return typed;
}

/* The program with the words that were chosen, on the terminal as it was. */
static int call(struct guided_run *run, bool preview, struct cli_ending *ret)
{
	const char *word[GUIDED_WORDS];
	char *argv[GUIDED_WORDS] = { NULL };
	struct dw_plan_doc marked;
	int n = guided_words(&run->g, preview, word), code;

	for (int i = 0; i < n; i++)
		argv[i] = strdup(word[i]);
	guided_plan(run->c, &run->g, &marked);
	code = cli_call(n, argv, &marked, ret);
	dw_plan_deinit(&marked);
	for (int i = 0; i < n; i++)
		free(argv[i]);
	return code;
}

/* Of a job that has ended. */
static void report_records(const struct guided_run *run, const char *job)
{
	char name[CLI_QUOTED];

	if (run->g.records[0] && job[0])
		cli_say(run->c,
			"its signed records are in %s; a certificate of them: "
			"diskwipe-report certificate --job=%.8s -o certificate.pdf %s",
			run->g.records, job, cli_quote(run->g.records, name));
	else if (run->g.records[0])
		cli_say(run->c, "signed records of the service are in %s",
			run->g.records);
	else if (run->g.service)
		cli_say(run->c, "the service keeps no signed records; what it has done: "
				"diskwipe records");
	else if (!run->g.paper[0])
		cli_say(run->c,
			"no signed record was made; with 'c' in the list, or "
			"diskwipe erase --certificate=FILE, there is a certificate");
}

/* A screen that is not there twice keeps what stood on it: nothing may stand below the question, or
 * under what the shell asks next. */
static void leave_screen(struct guided_run *run)
{
	top_page_clear(&run->page, run->page.width, run->page.height);
	top_screen_draw(&run->page);
	top_screen_end();
}

/* Where nothing has begun, the list is there for another try. */
static void leave_screen_for(struct guided_run *run, bool preview)
{
	struct cli_ending ending;
	int code;

	leave_screen(run);
	code = call(run, preview, &ending);
	if (!ending.begun && !ending.signal && wait_for_enter()) {
		if (begin_screen(run)) {
			top_screen_flush(); /* a second Enter would start again */
			look_for_disks(run);
		}
		return;
	}
	run->ended = true;
	run->code = code;
	run->signal = ending.signal;
	if (!ending.begun && !run->signal)
		run->signal = cli_signals_stop();
	if (ending.begun && !run->signal)
		report_records(run, ending.job);
}

static void act(struct guided_run *run, enum guided_action action)
{
	switch (action) {
	case GUIDED_QUIT:
		leave_screen(run);
		run->ended = true;
		break;
	case GUIDED_REDRAW:
		top_screen_redraw();
		break;
	case GUIDED_RESCAN:
		look_for_disks(run);
		break;
	case GUIDED_PLAN:
	case GUIDED_START:
		leave_screen_for(run, action == GUIDED_PLAN);
		break;
	default:
		break;
	}
}

static void read_keys(struct guided_run *run)
{
	int key;

	if (top_screen_gone(REFRESH_MS)) { /* its signal may come later */
		run->ended = true;
		run->signal = SIGHUP;
	}
	while (!run->ended && !cli_signals_stop() &&
	       (key = top_screen_key()) != TOP_KEY_NONE)
		act(run, guided_key(&run->g, key));
}

static void show(struct guided_run *run)
{
	look_for_disks(run);
	while (!run->ended && !cli_signals_stop()) {
		draw(run);
		read_keys(run);
	}
	if (!run->ended)
		run->signal = cli_signals_stop();
}

int cli_guided(struct cli *c)
{
	struct guided_run run = { .c = c };
	int r = cli_config_load(c);

	if (r)
		return r;
	cli_signals_begin();
	guided_init(&run.g);
	if (begin_screen(&run)) {
		show(&run);
		top_screen_end();
	}
	c->ending.signal = run.signal;
	guided_deinit(&run.g);
	top_page_deinit(&run.page);
	return run.code;
}
