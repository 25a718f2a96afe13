/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe top: the station on a whole screen. One loop waits for the service, a key, a signal or
 * a second, and draws. That the service has gone is shown, and it is looked for every two seconds;
 * what was known last stays on the screen.
 */
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "client/job_options.h"
#include "job/forecast.h"
#include "options.h"
#include "job/session.h"
#include "own.h"
#include "signals.h"
#include "top/model.h"
#include "top/screen.h"

/*
 * What is started is named by the digest of the plan whose forecast was shown: the service does
 * that, or nothing.
 */

struct top_start {
	const struct cli *c;
	struct cli_job_options options;
	char *digest;
};

static void append(char *text, size_t size, const char *key, const char *value)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s %s", len ? ", " : "", key, value);
}

/* The method goes to the service also where nobody named it: the question does. */
static struct top_start *top_start_new(const struct cli *c, struct top *t)
{
	struct top_start *s = cli_allocate(1, sizeof(*s));
	struct cli_job_options *o = &s->options;
	bool named = c->spec.pattern[0];

	s->c = c;
	cli_job_options_collect(c, o);
	for (size_t i = 0; i < o->n; i++)
		named |= !strcmp(o->key[i], "method");
	if (!named) {
		o->key[o->n] = "method";
		o->value[o->n++] = c->spec.method;
	}
	t->how[0] = '\0';
	for (size_t i = 0; i < o->n; i++)
		append(t->how, sizeof(t->how), o->key[i], o->value[i]);
	return s;
}

/* NULL is accepted. */
static void top_start_free(struct top_start *s)
{
	if (s)
		free(s->digest);
	free(s);
}

static struct cli_submission submission(const struct top_start *s)
{
	const struct cli_submit_options *own = s->c->own;

	return (struct cli_submission){
		.key = s->options.key,
		.value = s->options.value,
		.n_options = s->options.n,
		.have_priority = cli_option_given(s->c, "priority"),
		.priority = own->priority,
		.label = s->c->label,
		.note = own->note,
	};
}

static void report_forecast(struct top *t, const char *plan)
{
	struct dw_forecast *f = dw_plan_forecast(plan);
	FILE *to = fmemopen(t->forecast, sizeof(t->forecast), "w");

	if (to && f)
		cli_forecast_print(f, to);
	else if (to)
		fputs("forecast: the service has none", to);
	if (to)
		fclose(to);
	dw_forecast_free(f);
}

/* Have the service plan t->target[]: its forecast goes to t->forecast. 0 or an exit code,
 * then cli_client_why() says why. */
static int top_start_plan(struct top_start *s, struct cli_client *k, struct top *t)
{
	struct cli_wanted *disk = cli_allocate(t->n_targets, sizeof(*disk));
	struct cli_submission job = submission(s);
	char *plan = NULL;
	int r;

	for (size_t i = 0; i < t->n_targets; i++)
		disk[i] = (struct cli_wanted){ .serial = t->target[i].serial,
					       .wwn = t->target[i].wwn,
					       .capacity = t->target[i].capacity };
	job.disk = disk;
	job.n_disks = t->n_targets;
	free(s->digest);
	s->digest = NULL;
	r = cli_client_plan(k, &job, &s->digest, &plan);
	if (!r)
		report_forecast(t, plan);
	free(plan);
	free(disk);
	return r;
}

/* Start exactly what was planned last. 0 or an exit code. */
static int top_start_begin(struct top_start *s, struct cli_client *k)
{
	const struct cli_submission job = submission(s);
	char *path = NULL;
	int r = cli_client_submit_plan(k, s->digest, &job, &path);

	free(path);
	return r;
}

#define REFRESH_MS 1000
#define RETRY_MS   2000
#define LATE_MS    500  /* then keys are heard beside a call */
#define LIMIT_MS   5000 /* then it is given up */

struct top_run {
	struct cli *c;
	struct cli_client *client;
	struct cli_station station;
	struct top top;
	struct top_page page;
	struct top_start *start;
	int64_t retry_ms; /* when to look for the service again; only while it is away */
	bool asking;      /* a command is on its way: another one has to wait */
	bool waits;       /* for an answer that is late */
	bool ended;
};

static int64_t clock_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint64_t now_us(void)
{
	return (uint64_t)clock_ms(CLOCK_REALTIME) * 1000;
}

static void lose(struct top_run *run)
{
	snprintf(run->top.away, sizeof(run->top.away), "NO SERVICE, trying again: %.400s",
		 cli_client_why(run->client));
	run->retry_ms = clock_ms(CLOCK_MONOTONIC) + RETRY_MS;
}

/* A call has ended. */
static void received(struct top_run *run)
{
	if (run->waits)
		run->top.away[0] = '\0';
	run->waits = false;
}

static void read_station(struct top_run *run)
{
	int r = cli_client_read(run->client, &run->station);

	received(run);
	if (r)
		lose(run);
	else
		run->top.away[0] = '\0';
	top_update(&run->top, &run->station, now_us());
}

static void draw(struct top_run *run)
{
	unsigned width, height;

	run->top.now_us = now_us();
	top_screen_size(&width, &height);
	top_layout(&run->top, width, height, &run->page);
	top_screen_draw(&run->page);
}

/* Pause, resume or cancel what was chosen, each disk for itself. */
static void call_each(struct top_run *run, enum cli_job_call what, const char *done)
{
	struct top *t = &run->top;
	size_t n = 0;

	run->asking = true;
	for (size_t i = 0; i < t->n_targets && !run->ended && !cli_signals_stop(); i++) {
		int r = cli_client_job(run->client, what, t->target[i].job,
				       t->target[i].path);

		n += !r;
		if (r == CLI_EXIT_UNREACHABLE)
			break;
	}
	run->asking = false;
	received(run);
	if (n == t->n_targets)
		top_say(t, "%zu disk%s: asked to %s", n, n == 1 ? "" : "s", done);
	else
		top_say(t, "%zu of %zu asked to %s: %s", n, t->n_targets, done,
			cli_client_why(run->client));
	if (n == t->n_targets)
		t->n_marks = 0;
}

static void start(struct top_run *run)
{
	struct top *t = &run->top;
	int r;

	run->asking = true;
	r = top_start_begin(run->start, run->client);
	run->asking = false;
	received(run);
	if (!r) {
		top_say(t, "%zu disk%s queued", t->n_targets,
			t->n_targets == 1 ? "" : "s");
		t->n_marks = 0;
	} else if (r == CLI_EXIT_UNREACHABLE) {
		top_say(t, "look whether anything was queued: %s",
			cli_client_why(run->client));
	} else {
		top_say(t, "nothing was queued: %s", cli_client_why(run->client));
	}
}

/* What would be started is planned first: the question shows the forecast of just that. */
static bool plan(struct top_run *run)
{
	int r;

	if (run->top.mode != TOP_ASK_START)
		return true;
	run->asking = true;
	r = top_start_plan(run->start, run->client, &run->top);
	run->asking = false;
	received(run);
	if (!r)
		return true;
	run->top.mode = TOP_LIST;
	top_say(&run->top, "nothing can be started: %s", cli_client_why(run->client));
	return false;
}

/*
 * No key that was pressed before somebody could read the question answers it. How it is answered
 * is shown last, so that who waits for that is heard.
 */
static void draw_question(struct top_run *run)
{
	run->top.deaf = true;
	draw(run);
	if (plan(run))
		draw(run);
	top_screen_flush();
	run->top.deaf = false;
	draw(run);
}

/* Beside a call there can be no other one. */
static bool must_wait(struct top_run *run, enum top_action action)
{
	bool asks = action != TOP_ACT_NONE && action != TOP_ACT_QUIT &&
		    action != TOP_ACT_REDRAW;

	if (!run->waits || !asks)
		return false;
	run->top.mode = TOP_LIST;
	top_say(&run->top, "the service does not answer: nothing was asked of it");
	return true;
}

static void act(struct top_run *run, enum top_action action)
{
	if (must_wait(run, action))
		return;
	switch (action) {
	case TOP_ACT_QUIT:
		run->ended = true;
		break;
	case TOP_ACT_REDRAW:
		top_screen_redraw();
		break;
	case TOP_ACT_ASKED:
		draw_question(run);
		break;
	case TOP_ACT_PAUSE:
		call_each(run, CLI_JOB_PAUSE, "pause");
		break;
	case TOP_ACT_RESUME:
		call_each(run, CLI_JOB_RESUME, "resume");
		break;
	case TOP_ACT_CANCEL:
		call_each(run, CLI_JOB_CANCEL, "stop");
		break;
	case TOP_ACT_START:
		start(run);
		break;
	default:
		break;
	}
}

static void read_keys(struct top_run *run)
{
	int key;

	run->ended |= top_screen_gone(0);
	while (!run->ended && (key = top_screen_key()) != TOP_KEY_NONE) {
		if (!run->asking)
			act(run, top_key(&run->top, key));
		else if (key == 'q')
			run->ended = true;
	}
}

/* The disks of a command that is on its way stay as they are: then only quitting is heard. */
static bool while_waiting(void *ctx, unsigned int waited_ms)
{
	struct top_run *run = ctx;

	if (cli_signals_stop())
		return true;
	if (waited_ms < LATE_MS)
		return false;
	if (!run->waits)
		snprintf(run->top.away, sizeof(run->top.away),
			 "NO ANSWER from the service yet");
	run->waits = true;
	read_keys(run);
	draw(run);
	return run->ended;
}

/* The last remark of the service, where there is no answer to a command. */
static void take_notices(struct top_run *run)
{
	char *path, *text, label[TOP_LABEL];

	while (cli_client_notice(run->client, &path, &text)) {
		const struct cli_station_disk *d =
			cli_station_find_disk(&run->station, path);

		if (d && !run->top.message[0])
			top_say(&run->top, "%s: %s", top_label(d, label), text);
		free(path);
		free(text);
	}
}

static void wait_without_service(struct top_run *run)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t left = run->retry_ms - clock_ms(CLOCK_MONOTONIC);

	if (left > 0) {
		poll(&p, 1, left < REFRESH_MS ? (int)left : REFRESH_MS);
		return;
	}
	int r = cli_client_connect(run->client);

	received(run);
	if (r)
		lose(run);
	else
		read_station(run);
}

static void wait_with_service(struct top_run *run)
{
	int r = cli_client_wait(run->client, STDIN_FILENO, REFRESH_MS);

	if (r < 0)
		lose(run);
	else if (r & CLI_CLIENT_CHANGED)
		read_station(run);
	take_notices(run);
}

static void show(struct top_run *run)
{
	read_station(run);
	while (!run->ended && !cli_signals_stop()) {
		draw(run);
		if (run->top.away[0])
			wait_without_service(run);
		else
			wait_with_service(run);
		read_keys(run);
	}
}

int cli_verb_top(struct cli *c)
{
	struct top_run run = { .c = c };
	int r;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return cli_fail(c, CLI_EXIT_USAGE,
				"top needs a terminal; without one: diskwipe watch");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	r = cli_session_check(c);
	if (!r)
		r = cli_client_open(c, &run.client);
	if (r)
		return r;
	cli_signals_begin();
	top_init(&run.top);
	if (((const struct cli_submit_options *)c->own)->wall)
		run.top.mode = TOP_WALL;
	run.start = top_start_new(c, &run.top);
	cli_client_set_waiting(run.client, LIMIT_MS, while_waiting, &run);
	run.top.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (top_screen_begin(cli_color_wanted(c, stdout))) {
		show(&run);
		top_screen_end();
	} else {
		r = cli_fail(
			c, CLI_EXIT_USAGE,
			"TERM=%s: this terminal has no addressable cursor, or is unknown "
			"here; set TERM, or use diskwipe watch",
			getenv("TERM") ? getenv("TERM") : "");
	}
	c->ending.signal = cli_signals_stop();
	top_start_free(run.start);
	top_deinit(&run.top);
	top_page_deinit(&run.page);
	cli_station_deinit(&run.station);
	cli_client_free(run.client);
	return r;
}
