/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe-send: brings records to where they are kept. It runs by itself, so that neither what
 * erases nor what runs as root for the disks speaks to a network.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "send/send.h"

#define CONFIG      "/etc/diskwipe/send.conf"
#define DELAY_MAX   3600
#define RETRY_MAX   86400
#define EXIT_USAGE  1
#define EXIT_UNSENT 4

static const char usage[] =
	"Usage: diskwipe-send [--config=FILE] [--once | --status]\n"
	"\n"
	"Sends signed records to the targets of its configuration: folders, URLs, the\n"
	"system's log.\n"
	"\n"
	"      --config=FILE  default: " CONFIG "\n"
	"      --once         send what is there, and end\n"
	"      --status       say how far each target has come, and end\n"
	"  -h, --help\n"
	"  -V, --version\n"
	"\n"
	"It ends with 0; 1 if options or the configuration are wrong; with --once 4 if a\n"
	"target did not get everything. diskwipe-send(8) has the configuration.\n";

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

/* what is told again and again is not read */
static void told(const struct send_config *c, struct send_target *t,
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
		told(c, t, &f);
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

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' },
		{ "status", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 }
	};
	const char *config = CONFIG;
	struct send_config c;
	int what = 0, code, o;

	while ((o = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		if (o == 'c') {
			config = optarg;
		} else if (o == 'h') {
			fputs(usage, stdout);
			return 0;
		} else if (o == 'V') {
			printf("diskwipe-send %s\n", dw_version());
			return 0;
		} else if (o == '?' || (what && what != o)) {
			fputs("diskwipe-send: see diskwipe-send --help\n", stderr);
			return EXIT_USAGE;
		} else {
			what = o;
		}
	}
	if (optind < argc) {
		fputs("diskwipe-send: it takes no operands; see diskwipe-send --help\n",
		      stderr);
		return EXIT_USAGE;
	}
	openlog("diskwipe-send", LOG_PID, LOG_DAEMON);
	srandom((unsigned int)time(NULL) ^ (unsigned int)getpid());
	code = load(config, &c);
	if (!code && what == 's')
		show_status(&c);
	else if (!code && what == 'o')
		code = send_once(&c);
	else if (!code)
		send_for_ever(&c);
	send_config_deinit(&c);
	return code;
}
