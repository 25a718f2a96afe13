/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hook gets to know, and what its end means. Where there is a system bus, systemd runs it
 * (hook_unit.c), and the service needs no right to become another user. Elsewhere it is a child
 * (hook_child.c). A hook that cannot be run counts as one that failed.
 */
#include "hooks.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bus.h"
#include "hook_run.h"

static struct hook *running;

/* after dw_text_printable() there is neither a control character nor bad UTF-8 */
static void put_text(FILE *f, const char *key, const char *value)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s", value);
	fprintf(f, ",\"%s\":\"", key);
	for (const char *c = dw_text_printable(text); *c; c++)
		fprintf(f, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fputc('"', f);
}

/* what an attempt is, and what came of it; NULL without memory */
static char *hook_document(const struct service *s, const struct svc_attempt *a,
			   const char *event)
{
	const struct dw_disk_info *i = &a->row.identity;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool bad;

	if (!f)
		return NULL;
	fprintf(f, "{\"event\":\"%s\"", event);
	put_text(f, "station", s->settings->station);
	put_text(f, "job", a->row.job);
	put_text(f, "device", a->disk->facts.info.sg);
	put_text(f, "serial", i->serial);
	put_text(f, "wwn", i->wwn);
	put_text(f, "vendor", i->vendor);
	put_text(f, "model", i->model);
	fprintf(f, ",\"capacity_bytes\":%" PRIu64, i->blocks * i->block_size);
	put_text(f, "bay", a->row.bay);
	put_text(f, "outcome", outcome_word(a->row.outcome));
	put_text(f, "reason", a->row.reason);
	fputs("}\n", f);
	bad = ferror(f);
	if (!fclose(f) && !bad)
		return text;
	free(text);
	return NULL;
}

static void forget_hook(struct hook *h, bool kill)
{
	struct hook **at = &running;

	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	if (h->run)
		h->leave(h, kill);
	free(h->text);
	free(h);
}

static struct svc_attempt *attempt_of(struct service *s, int64_t id)
{
	for (struct svc_job *j = s->jobs; id && j; j = j->next)
		for (size_t i = 0; i < j->n; i++)
			if (j->attempt[i]->row.id == id)
				return j->attempt[i];
	return NULL;
}

/* @why: the hook failed; that is worth a note also where nobody waits */
static void report_attempt(struct service *s, int64_t id, const char *why)
{
	struct svc_attempt *a = attempt_of(s, id);

	if (why)
		service_note(s, "%s", why);
	if (a)
		attempt_hooked(s, a, why);
}

void hook_ended(struct hook *h, const char *why)
{
	struct service *s = h->s;
	int64_t id = h->attempt;
	char text[256];

	snprintf(text, sizeof(text), "hook %.100s: %.140s", h->program, why ? why : "");
	forget_hook(h, true);
	report_attempt(s, id, why ? text : NULL);
}

void hook_judge(struct hook *h, bool late, int code, int status)
{
	char why[64] = "";

	if (late)
		snprintf(why, sizeof(why), "not done within %u s", h->seconds);
	else if (code != CLD_EXITED)
		snprintf(why, sizeof(why), "ended by signal %d", status);
	else if (status)
		snprintf(why, sizeof(why), "exit code %d", status);
	hook_ended(h, why[0] ? why : NULL);
}

/* @waits: the attempt that does not continue without it */
static void report_hook(struct service *s, const char *program,
			const struct svc_attempt *a, const char *event, int64_t waits)
{
	struct hook *h = calloc(1, sizeof(*h));

	if (!h) {
		report_attempt(s, waits, "a hook cannot be run: out of memory");
		return;
	}
	*h = (struct hook){ .s = s,
			    .attempt = waits,
			    .text = hook_document(s, a, event),
			    .seconds = s->settings->hook_seconds,
			    .next = running };
	running = h;
	snprintf(h->program, sizeof(h->program), "%s", program);
	snprintf(h->event, sizeof(h->event), "%s", event);
	snprintf(h->user, sizeof(h->user), "%s", s->settings->hook_user);
	if (!h->text)
		hook_ended(h, strerror(ENOMEM));
	else if (bus_system(s))
		unit_start(h);
	else
		child_start(h);
}

void hooks_before(struct service *s, struct svc_attempt *a)
{
	report_hook(s, s->settings->hook_pre, a, "pre-erase", a->row.id);
}

void hooks_begun(struct service *s, const struct svc_attempt *a)
{
	if (s->settings->hook_event[0])
		report_hook(s, s->settings->hook_event, a, "begin", 0);
}

void hooks_after(struct service *s, const struct svc_attempt *a)
{
	if (s->settings->hook_post[0])
		report_hook(s, s->settings->hook_post, a, "post-erase", 0);
	if (s->settings->hook_event[0])
		report_hook(s, s->settings->hook_event, a, "post-erase", 0);
}

/* The end of one may start others; these are children, as there is no bus any more. */
void hooks_unbound(void)
{
	struct hook *h = running;

	while (h) {
		if (unit_runs(h)) {
			hook_ended(h, "the system bus is lost, and with it how it ended");
			h = running;
		} else {
			h = h->next;
		}
	}
}

void hooks_free(void)
{
	while (running)
		forget_hook(running, running->attempt != 0);
}
