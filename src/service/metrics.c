/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures of each disk by its device; which disk that is, only one series says, so that the
 * others do not begin again when a disk is exchanged.
 */
#include "metrics.h"
#include "publish.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view.h"
#include "prove.h"

#define PATIENCE_MS 200 /* a client that asks also reads */

/* backslash, quote and newline are escaped; control characters were replaced before */
static void label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', f);
		fputc(*value, f);
	}
	fputc('"', f);
}

static void head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/** struct series - a figure of each disk; @of: NAN = unknown, and left out */
struct series {
	const char *name;
	const char *type;
	const char *help;
	double (*of)(const struct disk_view *v);
};

static double written_of(const struct disk_view *v)
{
	return (double)v->bytes;
}

static double total_of(const struct disk_view *v)
{
	return (double)v->bytes_total;
}

static double rate_figure(const struct disk_view *v)
{
	return (double)v->rate;
}

static double bad_of(const struct disk_view *v)
{
	return v->bad_blocks;
}

static double ends_at(const struct disk_view *v)
{
	return (double)v->expected_end_time / 1e6;
}

static double works(const struct disk_view *v)
{
	static const char *const idle[] = { "free", "refused", "offered",    "queued",
					    "done", "absent",  "quarantined" };

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (!strcmp(v->state, idle[i]))
			return 0;
	return 1;
}

static double temperature(const struct disk_view *v)
{
	if (v->temperature == DW_TEMPERATURE_UNKNOWN)
		return (double)NAN;
	return v->temperature;
}

static double failing(const struct disk_view *v)
{
	if (!v->health[0])
		return (double)NAN;
	return strncmp(v->health, "failing", 7) ? 0 : 1;
}

static double quarantined(const struct disk_view *v)
{
	return strcmp(v->state, "quarantined") ? 0 : 1;
}

static const struct series series[] = {
	{ "diskwipe_disk_active", "gauge", "1 while the disk is worked on.", works },
	{ "diskwipe_disk_done_bytes", "gauge",
	  "Written and verified of the work in hand or the last.", written_of },
	{ "diskwipe_disk_work_bytes", "gauge", "To be written and verified in all.",
	  total_of },
	{ "diskwipe_disk_rate_bytes_per_second", "gauge", "Rate of the last seconds.",
	  rate_figure },
	{ "diskwipe_disk_bad_blocks", "gauge",
	  "Blocks that the work in hand or the last could not erase or verify.", bad_of },
	{ "diskwipe_disk_expected_end_seconds", "gauge",
	  "When the work ends, seconds since the epoch; 0 = unknown.", ends_at },
	{ "diskwipe_disk_temperature_celsius", "gauge", "Temperature of the disk.",
	  temperature },
	{ "diskwipe_disk_failing", "gauge",
	  "1 if the disk says that it is about to fail.", failing },
	{ "diskwipe_disk_quarantined", "gauge",
	  "1 while the disk is left at work by itself, as it reported no progress.",
	  quarantined },
};

static void disk_series(FILE *f, const struct service *s, const struct series *of)
{
	struct disk_view v;

	head(f, of->name, of->type, of->help);
	for (const struct svc_disk *d = s->disks; d; d = d->next) {
		disk_look(s, d, &v);
		if (!v.device[0] || isnan(of->of(&v)))
			continue;
		fprintf(f, "%s{", of->name);
		label(f, "device", v.device);
		fprintf(f, "} %.17g\n", of->of(&v));
	}
}

static void info_line(FILE *f, const struct svc_disk *d, const struct disk_view *v)
{
	(void)d;
	fputs("diskwipe_disk_info{", f);
	label(f, "device", v->device);
	fputc(',', f);
	label(f, "serial", v->serial);
	fputc(',', f);
	label(f, "model", v->model);
	fputc(',', f);
	label(f, "firmware", v->revision);
	fputs("} 1\n", f);
}

static void state_line(FILE *f, const struct svc_disk *d, const struct disk_view *v)
{
	(void)d;
	fputs("diskwipe_disk_state{", f);
	label(f, "device", v->device);
	fputc(',', f);
	label(f, "state", v->state);
	fputs("} 1\n", f);
}

/* over all attempts, or one that repeats more than the one before would hide its beginning */
static void errors_line(FILE *f, const struct svc_disk *d, const struct disk_view *v)
{
	bool more = d->attempt && d->attempt->state != ATTEMPT_ENDED;

	fputs("diskwipe_disk_errors_total{", f);
	label(f, "device", v->device);
	fprintf(f, "} %" PRIu64 "\n", d->repeated + (more ? v->errors : 0));
}

static void each_disk(FILE *f, const struct service *s,
		      void (*line)(FILE *f, const struct svc_disk *d,
				   const struct disk_view *v))
{
	struct disk_view v;

	for (const struct svc_disk *d = s->disks; d; d = d->next) {
		disk_look(s, d, &v);
		if (v.device[0])
			line(f, d, &v);
	}
}

static void attempts_ended(FILE *f, const struct service *s)
{
	head(f, "diskwipe_attempts_ended_total", "counter",
	     "Attempts at disks that have ended, by outcome.");
	for (unsigned i = OUTCOME_NONE + 1; i < OUTCOMES; i++) {
		fputs("diskwipe_attempts_ended_total{", f);
		label(f, "outcome", outcome_word((enum svc_outcome)i));
		fprintf(f, "} %" PRIu64 "\n", s->ended[i]);
	}
}

char *metrics_text(const struct service *s)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	if (s->simulation) /* whoever adds up stations would count it */
		return strdup("# a simulated station has no figures\n");
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	head(f, "diskwipe_disk_info", "gauge", "Which disk a device is.");
	each_disk(f, s, info_line);
	head(f, "diskwipe_disk_state", "gauge", "The state of a disk; always 1.");
	each_disk(f, s, state_line);
	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
		disk_series(f, s, &series[i]);
	head(f, "diskwipe_disk_errors_total", "counter",
	     "Commands that were repeated since the disk came.");
	each_disk(f, s, errors_line);
	attempts_ended(f, s);
	head(f, "diskwipe_disks_active", "gauge", "Disks that are worked on.");
	fprintf(f, "diskwipe_disks_active %u\n", jobs_active(s));
	head(f, "diskwipe_disks_waiting", "gauge", "Disks that wait.");
	fprintf(f, "diskwipe_disks_waiting %u\n", jobs_waiting(s));
	head(f, "diskwipe_store_trouble", "gauge",
	     "1 while the record cannot be written.");
	fprintf(f, "diskwipe_store_trouble %d\n", s->trouble);
	head(f, "diskwipe_records_trouble", "gauge",
	     "1 while no signed records can be written.");
	fprintf(f, "diskwipe_records_trouble %d\n", prove_trouble(s->prove)[0] != '\0');
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static void send_all_of(int fd, const char *text, size_t len)
{
	while (len) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN && poll(&p, 1, PATIENCE_MS) == 1)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void answer_http(struct service *s, int fd, const char *request)
{
	bool known = !strncmp(request, "GET /metrics ", 13);
	char *text = known ? metrics_text(s) : strdup("only /metrics\n");
	char head_text[160];
	int n;

	if (!text)
		return;
	n = snprintf(
		head_text, sizeof(head_text),
		"HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n",
		known ? "200 OK" : "404 Not Found", strlen(text));
	send_all_of(fd, head_text, (size_t)n);
	send_all_of(fd, text, strlen(text));
	free(text);
}

/* D-Bus begins with a zero byte */
bool metrics_serve(struct service *s, int fd)
{
	char request[1024];
	ssize_t n;

	if (recv(fd, request, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || request[0] != 'G')
		return false;
	n = recv(fd, request, sizeof(request) - 1, MSG_DONTWAIT);
	request[n > 0 ? n : 0] = '\0';
	answer_http(s, fd, request);
	shutdown(fd, SHUT_WR);
	close(fd);
	return true;
}

void metrics_file(struct service *s)
{
	const char *path = s->settings->textfile;
	char *text = path[0] ? metrics_text(s) : NULL;

	if (text)
		publish_file(path, text, strlen(text));
	free(text);
}
