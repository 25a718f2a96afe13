/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-send: brings records to where they are kept. It runs by itself, so that neither what
 * erases nor what runs as root for the disks speaks to a network.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "common/program.h"
#include "send/send.h"

#define CONFIG      "/etc/diskwipe/send.conf"
#define DELAY_MAX   3600
#define RETRY_MAX   86400
#define EXIT_USAGE  1
#define EXIT_UNSENT 4

const char cli_name[] = "diskwipe-send";

/** struct send_options - one call of the program; @config is borrowed from argv */
struct send_options {
	const char *config;
	bool once;
	bool status;
};

/* AT() - the member of struct send_options that a row is for */
#define AT(member) .at = offsetof(struct send_options, member)

static const struct program_option options[] = {
	{ "config", PROGRAM_LONG, 0, "FILE", "default: " CONFIG, AT(config) },
	{ "once", PROGRAM_LONG + 1, 0, NULL, "send what is there, and end", AT(once) },
	{ "status", PROGRAM_LONG + 2, 0, NULL,
	  "say how far each target has come, and end", AT(status) },
	{ "help", 'h', 0, NULL, "this text" },
	{ "version", 'V', 0, NULL, "version of the program" },
};

static const struct program program = {
	.called = "diskwipe-send",
	.usage =
		"Usage: diskwipe-send [--config=FILE] [--once | --status]\n"
		"\n"
		"Sends signed records to the targets of its configuration: folders, URLs, the\n"
		"system's log.\n"
		"\n",
	.closing =
		"It ends with 0; 1 if options or the configuration are wrong; with --once 4 if a\n"
		"target did not get everything. diskwipe-send(8) has the configuration.\n",
	.width = 18,
	.option = options,
	.n_options = sizeof(options) / sizeof(options[0]),
};

static uint64_t steady_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static void say(const struct send_target *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct send_target *t, const char *format, ...)
{
	char text[512], shown[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "diskwipe-send: target %s: %s\n", t->name,
		send_quote(text, shown, sizeof(shown)));
}

/* Twice as long each time, up to an hour, and never all targets of all machines at once. */
static void wait_longer(const struct send_config *c, struct send_target *t,
			const struct send_failure *f)
{
	uint64_t wait;

	t->delay = t->delay ? 2 * t->delay : c->every;
	if (t->delay > DELAY_MAX)
		t->delay = DELAY_MAX;
	wait = t->delay - t->delay / 4 + (uint64_t)random() % (t->delay / 2 + 1);
	if (f->retry_after > wait)
		wait = f->retry_after < RETRY_MAX ? f->retry_after : RETRY_MAX;
	t->not_before = steady_s() + wait;
}

/* What is reported again and again is not read. */
static void report_failure(const struct send_config *c, struct send_target *t,
			   const struct send_failure *f)
{
	if (!strcmp(t->state.error, f->why))
		return;
	say(t, "%s; it is tried again", f->why);
	snprintf(t->state.error, sizeof(t->state.error), "%s", f->why);
	for (char *at = t->state.error; *at; at++)
		if (*at == '\n')
			*at = ' ';
	send_state_write(c->folder, t);
}

static bool send_target(const struct send_config *c, struct send_target *t)
{
	struct send_failure f;
	uint64_t sent, before = t->state.head;
	bool failed = t->state.error[0];
	int r = send_round(c, t, &sent, &f);

	if (r) {
		report_failure(c, t, &f);
		wait_longer(c, t, &f);
		return false;
	}
	t->delay = 0;
	t->not_before = 0;
	if (!sent && before == t->state.head && !failed)
		return true;
	t->state.error[0] = '\0';
	send_state_write(c->folder, t);
	say(t, "%" PRIu64 " record%s sent, it has all %" PRIu64 "%s", sent,
	    sent == 1 ? "" : "s", t->state.sequence,
	    t->kind == SEND_DIRECTORY ? ", written to the medium: it may be taken out"
				      : "");
	return true;
}

static int send_once(struct send_config *c)
{
	int code = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!send_target(c, &c->target[i]))
			code = EXIT_UNSENT;
	return code;
}

static void send_for_ever(struct send_config *c)
{
	for (;;) {
		for (size_t i = 0; i < c->n; i++)
			if (steady_s() >= c->target[i].not_before)
				send_target(c, &c->target[i]);
		sleep(c->every);
	}
}

static void show_status(const struct send_config *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct send_target *t = &c->target[i];
		const struct timespec at = { .tv_sec = (time_t)t->state.success };
		char when[DW_UNIT_TEXT], where[1024], why[1024], last[DW_PROOF_HEAD];

		snprintf(last, sizeof(last), "%" PRIu64 ":%s", t->state.sequence,
			 t->state.hash);
		printf("%s: %s: %" PRIu64 " records%s%s, last success %s%s%s\n", t->name,
		       send_quote(t->where, where, sizeof(where)), t->state.sequence,
		       t->state.sequence ? ", the last one " : "",
		       t->state.sequence ? last : "",
		       t->state.success ? dw_time_format(&at, 0, when, sizeof(when))
					: "never",
		       t->state.error[0] ? "; " : "",
		       send_quote(t->state.error, why, sizeof(why)));
	}
}

static int load(const char *path, struct send_config *c)
{
	char text[DW_ERROR_TEXT], shown[2 * DW_ERROR_TEXT];
	struct dw_error err = { 0 };

	if (send_config_read(path, c, &err)) {
		fprintf(stderr, "diskwipe-send: %s\n",
			send_quote(dw_error_text(&err, text), shown, sizeof(shown)));
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < c->n; i++) {
		int r = send_state_read(c->folder, &c->target[i]);

		if (r) {
			fprintf(stderr,
				"diskwipe-send: %s/%s.state: %s; take it away, and all "
				"records are sent again\n",
				c->folder, c->target[i].name,
				r == -EINVAL ? "it is not whole" : strerror(-r));
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int parse(struct send_options *o, int argc, char **argv, struct program_call *call)
{
	int r = program_parse(&program, argc, argv, o, call);

	if (r || call->help || call->version)
		return r;
	if (o->once && o->status)
		return cli_refuse(EXIT_USAGE, "--once or --status, not both; see "
					      "diskwipe-send --help");
	if (call->n_operands)
		return cli_refuse(EXIT_USAGE,
				  "it takes no operands; see diskwipe-send --help");
	return 0;
}

int main(int argc, char **argv)
{
	struct send_options o = { .config = CONFIG };
	struct program_call call;
	struct send_config c;
	int code = parse(&o, argc, argv, &call);

	if (code || program_answer(&program, &call))
		return code;
	openlog("diskwipe-send", LOG_PID, LOG_DAEMON);
	srandom((unsigned int)time(NULL) ^ (unsigned int)getpid());
	code = load(o.config, &c);
	if (!code && o.status)
		show_status(&c);
	else if (!code && o.once)
		code = send_once(&c);
	else if (!code)
		send_for_ever(&c);
	send_config_deinit(&c);
	return code;
}
