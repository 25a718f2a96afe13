/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the service has beside the engine: questions to disks about their health, lights, motors
 * (care.h), hooks that end after a while (hook_run.h), and the news that something was plugged in
 * (hotplug.h). Each answer has its time; some come later than the service waits.
 */
#include "service/care.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/hook_run.h"
#include "service/hotplug.h"
#include "week.h"

/* --- health, lights, motors -------------------------------------------------- */

struct question {
	struct care_answer answer;
	uint64_t since;
	uint64_t at;
	struct question *next;
};

struct care {
	int fd;
	struct question *asked;
	struct question *answered;
};

static struct care *the_care;

/* by the node, as a thread would ask it: it may be another disk by then */
static struct week_disk *disk_at(const char *node)
{
	for (int p = 0; p < PLACES; p++) {
		int n = week->place[p].disk;

		if (n >= 0 && !strcmp(week->disk[n].info.sg, node))
			return &week->disk[n];
	}
	return NULL;
}

static void tell_health(const struct week_disk *d, struct care_answer *a)
{
	struct dw_health *h = &a->health;
	bool hot = week->now >= d->hot_from && week->now < d->hot_until;

	*h = (struct dw_health){ .state = DW_HEALTH_GOOD,
				 .temperature = hot ? 71 : 38,
				 .temperature_limit = 65,
				 .power_on_hours = 20000,
				 .grown_defects = -1,
				 .read_errors = -1,
				 .write_errors = -1 };
	if (!d->failing)
		return;
	h->state = DW_HEALTH_FAILING;
	h->asc = 0x5d;
	memcpy(h->text, "failure prediction threshold exceeded", 38);
}

static void move_motor(struct week_disk *d, struct care_answer *a)
{
	d->moving = false;
	week->count.motors++;
	if (d->claimed)
		a->r = -EBUSY;
	else
		d->stopped = !a->request.on;
}

static void switch_light(struct care_answer *a)
{
	for (int p = 0; p < BAYS; p++) {
		char slot[64];

		snprintf(slot, sizeof(slot), "enc%d:Slot %02d", p / PER_HOST,
			 p % PER_HOST);
		if (!strcmp(slot, a->request.what))
			week->place[p].light[a->request.light] = a->request.on;
	}
}

static void answer(struct question *q)
{
	struct care_answer *a = &q->answer;
	struct week_disk *d;

	if (a->request.kind == CARE_LIGHT) {
		switch_light(a);
		return;
	}
	d = disk_at(a->request.what);
	if (!d)
		a->r = -ENODEV;
	else if (a->request.kind == CARE_MOTOR)
		move_motor(d, a);
	else
		tell_health(d, a);
}

int care_ask(struct care *c, const struct care_request *request)
{
	struct question *q = calloc(1, sizeof(*q));
	struct week_disk *d = disk_at(request->what);

	if (!q)
		return -ENOMEM;
	q->answer.request = *request;
	q->since = week->now;
	q->at = week->now + 1 + week_draw(OF_ENGINE, SECOND);
	if (request->kind == CARE_MOTOR)
		q->at += request->on ? 15 * SECOND : 2 * SECOND;
	if (request->kind == CARE_MOTOR && d)
		d->moving = true;
	if (week_odds(OF_ENGINE, 1))
		q->at += week_draw(OF_ENGINE, 2 * MINUTE);
	q->next = c->asked;
	c->asked = q;
	return 0;
}

static void answer_due(struct care *c)
{
	struct question **at = &c->asked;

	while (*at) {
		struct question *q = *at;

		if (q->at > week->now) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		answer(q);
		q->next = c->answered;
		c->answered = q;
		week_ring(c->fd);
	}
}

bool care_next(struct care *c, struct care_answer *ret)
{
	struct question *q = c->answered;
	bool in_time;

	if (!q) {
		week_hush(c->fd);
		return false;
	}
	c->answered = q->next;
	*ret = q->answer;
	in_time = week->now - q->since < 25 * SECOND;
	free(q);
	week->count.examined += ret->request.attempt != 0;
	if (ret->request.attempt && in_time && !ret->r && week->refuse_failing &&
	    ret->health.state == DW_HEALTH_FAILING)
		engine_order(ret->request.attempt, true)->refused_in = week->count.lives;
	return true;
}

int care_fd(const struct care *c)
{
	return c->fd;
}

int care_new(struct dw_simulation *simulated, struct care **ret)
{
	the_care = *ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->fd = week_pipe();
	return 0;
}

void care_free(struct care *c)
{
	if (!c)
		return;
	while (c->asked || c->answered) {
		struct question **list = c->asked ? &c->asked : &c->answered;
		struct question *q = *list;

		*list = q->next;
		free(q);
	}
	close(c->fd);
	free(c);
	the_care = NULL;
}

/* --- hooks --------------------------------------------------------------------- */

/** struct hook_model - one that runs */
struct hook_model {
	struct hook *h;
	uint64_t ends;
	bool late;
	int status;
	struct hook_model *next;
};

static struct hook_model *hooks;

static void leave_hook(struct hook *h, bool kill)
{
	struct hook_model **at = &hooks, *m = h->run;

	(void)kill;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	free(m);
}

void child_start(struct hook *h)
{
	struct hook_model *m = calloc(1, sizeof(*m));
	bool pre = !strcmp(h->event, "pre-erase");

	if (!m)
		abort();
	week->count.hooks++;
	m->h = h;
	m->ends = week->now + 1 + week_draw(OF_ENGINE, 5 * SECOND);
	m->status = pre && week_odds(OF_ENGINE, 2) ? 1 : 0;
	m->late = week_odds(OF_ENGINE, 1);
	if (m->late)
		m->ends = week->now + h->seconds * SECOND;
	m->next = hooks;
	hooks = m;
	h->run = m;
	h->leave = leave_hook;
}

/* nobody expects that the disk of the document begins */
static void note_refusal(const struct hook *h)
{
	const char *at = strstr(h->text, "\"S");
	struct week_disk *d;
	char serial[16];

	engine_order(h->attempt, true)->refused_in = week->count.lives;
	snprintf(serial, sizeof(serial), "%.7s", at ? at + 1 : "");
	d = station_by_serial(serial);
	if (!d)
		return;
	d->hooked = true;
	d->expected = NEVER;
}

static void end_hooks(void)
{
	struct hook_model *m = hooks;

	while (m) {
		struct hook *h = m->h;
		bool late = m->late;
		int status = m->status;

		if (m->ends > week->now) {
			m = m->next;
			continue;
		}
		if (h->attempt && (late || status))
			note_refusal(h);
		hook_judge(h, late, late ? CLD_KILLED : CLD_EXITED, status);
		m = hooks;
	}
}

/* --- hot-plug --------------------------------------------------------------------- */

static struct service *heard_by;
static uint64_t look_at = NEVER;

void hotplug_event(void)
{
	if (heard_by && look_at == NEVER)
		look_at = week->now + 400 * (SECOND / 1000) +
			  week_draw(OF_ENGINE, 2 * SECOND);
}

int hotplug_new(struct service *s)
{
	heard_by = s;
	look_at = week->now + SECOND;
	return 0;
}

void hotplug_free(struct service *s)
{
	(void)s;
	heard_by = NULL;
	look_at = NEVER;
}

/* --- time ---------------------------------------------------------------------------- */

uint64_t care_next_time(void)
{
	uint64_t next = look_at;

	for (const struct question *q = the_care ? the_care->asked : NULL; q; q = q->next)
		next = q->at < next ? q->at : next;
	for (const struct hook_model *m = hooks; m; m = m->next)
		next = m->ends < next ? m->ends : next;
	return next;
}

void care_advance(void)
{
	if (the_care)
		answer_due(the_care);
	end_hooks();
	if (week->now < look_at)
		return;
	look_at = NEVER;
	disks_look(heard_by);
}
