/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callers on the service's socket, as real clients of D-Bus; they never wait. They submit disks,
 * also such as are refused, ask for this and that, and remember what they were told, as the
 * service has to. What nobody lets go is let go in the end.
 */
#include "week.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-bus.h>

#define CALLERS 3
#define NAME    "io.github.diskwipe.Diskwipe1"
#define ROOT    "/io/github/diskwipe/Diskwipe1"
#define JOB_AT  ROOT "/job/j"
#define WAIT_US (60 * SECOND)

enum request { SUBMIT, PAUSE, RESUME, CANCEL, PRIORITY, RESULT, RECORDS, OBJECTS };

struct caller {
	sd_bus *bus;
	uint64_t next;
};

/** struct call - one that is under way */
struct call {
	enum request request;
	char job[37];
};

static struct caller caller[CALLERS];

/* --- jobs --------------------------------------------------------------------- */

struct week_job *callers_job(const char *name)
{
	struct week_job *j;

	for (unsigned i = week->n_jobs; i--;)
		if (!strcmp(week->job[i].name, name))
			return &week->job[i];
	if (week->n_jobs == JOBS)
		abort();
	j = &week->job[week->n_jobs++];
	*j = (struct week_job){ .over = false };
	snprintf(j->name, sizeof(j->name), "%s", name);
	return j;
}

static struct week_job *job_at(const char *path)
{
	char name[37];

	if (!path || strncmp(path, JOB_AT, strlen(JOB_AT)) != 0)
		return NULL;
	snprintf(name, sizeof(name), "%s", path + strlen(JOB_AT));
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return callers_job(name);
}

static void path_of(const struct week_job *j, char ret[96])
{
	snprintf(ret, 96, JOB_AT "%s", j->name);
	for (char *c = ret + strlen(JOB_AT); *c; c++)
		*c = *c == '-' ? '_' : *c;
}

/* --- what comes ------------------------------------------------------------------ */

static void read_objects(sd_bus_message *m)
{
	const char *path;

	if (sd_bus_message_enter_container(m, 'a', "{oa{sa{sv}}}") < 0)
		return;
	while (sd_bus_message_enter_container(m, 'e', "oa{sa{sv}}") > 0) {
		if (sd_bus_message_read(m, "o", &path) < 0)
			return;
		job_at(path);
		sd_bus_message_skip(m, "a{sa{sv}}");
		sd_bus_message_exit_container(m);
	}
}

static void read_result(sd_bus_message *m)
{
	struct dw_result_doc *doc = NULL;
	const char *text;

	if (sd_bus_message_read(m, "s", &text) < 0 ||
	    dw_result_parse(text, strlen(text), &doc, NULL) < 0)
		week_wrong("a result that cannot be read");
	dw_result_free(doc);
}

/* not: that the request cannot be put on record, as when the medium is full */
static bool has_ended(sd_bus_message *m)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);

	return e && e->message && !strcmp(e->message, "it has ended already");
}

/* what was acknowledged is on record from now on, whatever becomes of the service */
static int answered(sd_bus_message *m, void *ctx, sd_bus_error *unused)
{
	const struct call *c = ctx;
	const char *path;

	(void)unused;
	if (c->request == RESUME && has_ended(m))
		callers_job(c->job)->over = true;
	if (sd_bus_message_is_method_error(m, NULL))
		return 0;
	week->count.acknowledged++;
	if (c->request == SUBMIT && sd_bus_message_read(m, "o", &path) >= 0)
		job_at(path)->acknowledged = true;
	else if (c->request == CANCEL)
		callers_job(c->job)->cancelled = true;
	else if (c->request == OBJECTS)
		read_objects(m);
	else if (c->request == RESULT)
		read_result(m);
	return 0;
}

static int heard(sd_bus_message *m, void *ctx, sd_bus_error *unused)
{
	const char *path = sd_bus_message_get_path(m);

	(void)ctx;
	(void)unused;
	if (sd_bus_message_is_signal(m, NULL, "InterfacesAdded") > 0 &&
	    sd_bus_message_read(m, "o", &path) >= 0)
		job_at(path);
	else if (sd_bus_message_is_signal(m, NAME ".Job", "Completed") > 0 &&
		 job_at(path))
		job_at(path)->over = week->quiet;
	return 0;
}

/* --- what is asked ----------------------------------------------------------------- */

static void send_call(struct caller *k, sd_bus_message *m, enum request request,
		      const char *job)
{
	struct call *c = calloc(1, sizeof(*c));
	sd_bus_slot *slot = NULL;

	if (!c)
		abort();
	c->request = request;
	snprintf(c->job, sizeof(c->job), "%.36s", job);
	if (sd_bus_call_async(k->bus, &slot, m, answered, c, WAIT_US) < 0) {
		free(c);
	} else {
		sd_bus_slot_set_destroy_callback(slot, free);
		sd_bus_slot_set_floating(slot, 1);
		sd_bus_slot_unref(slot);
		week->count.asked++;
	}
	sd_bus_message_unref(m);
}

static void submit(struct caller *k)
{
	struct week_place *p = &week->place[week_draw(OF_CALLERS, PLACES)];
	static const char *const methods[] = { "zero", "dod-short", "zero" };
	static const char *const verify[] = { "off", "full", "sample" };
	struct week_disk *d = p->disk < 0 ? NULL : &week->disk[p->disk];
	sd_bus_message *m = NULL;

	if (!d || sd_bus_message_new_method_call(k->bus, &m, NULL, ROOT "/Manager",
						 NAME ".Manager", "Submit") < 0)
		return;
	d->asked = true;
	week->count.submits++;
	sd_bus_message_append(m, "aa{sv}a{sv}", 1, 2, "serial", "s", d->info.serial,
			      "capacity", "t", d->info.blocks * d->info.block_size, 3,
			      "method", "s", methods[week_draw(OF_CALLERS, 3)], "verify",
			      "s", verify[week_draw(OF_CALLERS, 3)], "priority", "i",
			      (int32_t)week_draw(OF_CALLERS, 10));
	send_call(k, m, SUBMIT, "");
}

static bool has_begun(const struct week_job *j)
{
	for (unsigned i = week->n_orders; i--;)
		if (!strcmp(week->order[i].job, j->name))
			return true;
	return false;
}

static void ask(struct caller *k, struct week_job *j, enum request request)
{
	static const char *const methods[] = { "",       "Pause",       "Resume",
					       "Cancel", "SetPriority", "Result" };
	sd_bus_message *m = NULL;
	char path[96];

	path_of(j, path);
	if (sd_bus_message_new_method_call(k->bus, &m, NULL, path, NAME ".Job",
					   methods[request]) < 0)
		return;
	j->touched |= request == PAUSE || request == CANCEL;
	if (request == PRIORITY)
		sd_bus_message_append(m, "i", (int32_t)week_draw(OF_CALLERS, 10));
	sd_bus_message_append(m, "a{sv}", 0);
	send_call(k, m, request, j->name);
}

static void ask_records(struct caller *k)
{
	sd_bus_message *m = NULL;

	if (sd_bus_message_new_method_call(k->bus, &m, NULL, ROOT "/Manager",
					   NAME ".Manager", "Records") < 0)
		return;
	sd_bus_message_append(m, "a{sv}", 1, "limit", "u", 20);
	send_call(k, m, RECORDS, "");
}

static void ask_something(struct caller *k)
{
	uint64_t n = week_draw(OF_CALLERS, 100), jobs = week->n_jobs;
	struct week_job *j;

	if (n < 30 || !jobs) {
		submit(k);
		return;
	}
	if (n < 35) {
		ask_records(k);
		return;
	}
	j = &week->job[jobs - 1 - week_draw(OF_CALLERS, jobs < 100 ? jobs : 100)];
	if (n < 45)
		ask(k, j, RESULT);
	else if (n < 55)
		ask(k, j, PRIORITY);
	else if (n < 85 || !has_begun(j))
		ask(k, j, RESUME);
	else
		ask(k, j, n < 96 ? PAUSE : CANCEL);
}

static void let_all_go(struct caller *k)
{
	for (unsigned i = 0; i < week->n_jobs; i++)
		if (!week->job[i].over)
			ask(k, &week->job[i], RESUME);
}

bool callers_satisfied(void)
{
	for (unsigned i = 0; i < week->n_jobs; i++)
		if (!week->job[i].over)
			return false;
	return week->now > week->life_began + HOUR;
}

/* --- connections ---------------------------------------------------------------------- */

static void leave(struct caller *k)
{
	sd_bus_close_unref(k->bus);
	k->bus = NULL;
	k->next = week->now + SECOND + week_draw(OF_CALLERS, MINUTE);
}

static void call_in(struct caller *k)
{
	sd_bus_message *m = NULL;
	char address[192];
	int r = sd_bus_new(&k->bus);

	snprintf(address, sizeof(address), "unix:path=%s/bus", week->folder);
	if (r >= 0)
		r = sd_bus_set_address(k->bus, address);
	if (r >= 0)
		r = sd_bus_set_bus_client(k->bus, k == caller);
	if (r >= 0)
		r = sd_bus_start(k->bus);
	if (r >= 0)
		r = sd_bus_add_filter(k->bus, NULL, heard, k);
	if (r >= 0)
		r = sd_bus_message_new_method_call(k->bus, &m, NULL, ROOT,
						   "org.freedesktop.DBus.ObjectManager",
						   "GetManagedObjects");
	if (r < 0)
		leave(k);
	else
		send_call(k, m, OBJECTS, "");
}

bool callers_talk(void)
{
	bool any = false;

	for (struct caller *k = caller; k < caller + CALLERS; k++) {
		int r = 0;

		while (k->bus && (r = sd_bus_process(k->bus, NULL)) > 0)
			any = true;
		if (r < 0)
			leave(k);
	}
	return any;
}

uint64_t callers_next(void)
{
	uint64_t next = NEVER;

	for (const struct caller *k = caller; k < caller + CALLERS; k++)
		next = k->next < next ? k->next : next;
	return next;
}

void callers_advance(void)
{
	for (struct caller *k = caller; k < caller + CALLERS; k++) {
		if (k->next > week->now)
			continue;
		k->next = week->now + MINUTE + week_draw(OF_CALLERS, 40 * MINUTE);
		if (!k->bus)
			call_in(k);
		else if (week->quiet && k == caller)
			let_all_go(k);
		else if (!week->quiet && week_odds(OF_CALLERS, 2))
			leave(k);
		else if (!week->quiet)
			ask_something(k);
	}
}

void callers_close(void)
{
	for (struct caller *k = caller; k < caller + CALLERS; k++)
		k->bus = sd_bus_close_unref(k->bus);
}
