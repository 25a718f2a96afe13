/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the service says of itself, as structs, by the tables of client_table.c. A property that
 * is not known, or of another type, is one of a later version and passed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/bus.h"
#include "signals.h"

#define POLL_NS 250000000L
#define POLLS   120 /* half a minute */

static bool is_text(char type)
{
	return type == 's' || type == 'o';
}

/* The type that the service gives. */
static char bus_type(const struct cli_property *p)
{
	return p->type == 'T' ? 't' : p->type;
}

/* Whether a variant of @contents fits. */
static bool fits(char type, const char *contents)
{
	if (type == 'a')
		return !strcmp(contents, "as") || !strcmp(contents, "ao");
	return contents[0] == type && !contents[1];
}

static int read_list(sd_bus_message *m, const char *contents, char ***at)
{
	const char *text;
	char **list = NULL;
	size_t n = 0;
	int r = sd_bus_message_enter_container(m, 'a', contents + 1);

	while (r >= 0 && (r = sd_bus_message_read_basic(m, contents[1], &text)) > 0) {
		list = realloc(list, (n + 2) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		list[n++] = strdup(text);
		list[n] = NULL;
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	free(*at);
	*at = list;
	return r;
}

static int read_basic(sd_bus_message *m, char type, void *at)
{
	union {
		const char *text;
		double real;
		uint64_t t;
		uint32_t u;
		int32_t i;
		int b;
	} v;
	int r = sd_bus_message_read_basic(m, type, &v);

	if (r < 0)
		return r;
	if (is_text(type)) {
		free(*(char **)at);
		*(char **)at = strdup(v.text);
		return *(char **)at ? 0 : -ENOMEM;
	}
	if (type == 'b')
		*(bool *)at = v.b;
	else
		memcpy(at, &v, type == 'd' || type == 't' ? 8 : 4);
	return 0;
}

static const struct cli_property *find_property(enum cli_table_kind kind,
						const char *name)
{
	size_t n;
	const struct cli_property *table = cli_properties(kind, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

/* The name of the property was read, its variant is next. */
static int read_property(sd_bus_message *m, const struct cli_property *p, void *at)
{
	const char *contents;
	char type;
	int r = sd_bus_message_peek_type(m, &type, &contents);

	if (r < 0)
		return r;
	if (!p || type != 'v' || !fits(bus_type(p), contents))
		return sd_bus_message_skip(m, "v");
	r = sd_bus_message_enter_container(m, 'v', contents);
	if (r < 0)
		return r;
	at = (char *)at + p->offset;
	r = p->type == 'a' ? read_list(m, contents, at) : read_basic(m, bus_type(p), at);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

/* No text is NULL, and every list ends. */
static int fill_up(enum cli_table_kind kind, void *at)
{
	size_t n;
	const struct cli_property *table = cli_properties(kind, &n);

	for (size_t i = 0; i < n; i++) {
		void *member = (char *)at + table[i].offset;

		if (is_text(table[i].type) && !*(char **)member)
			*(char **)member = strdup("");
		else if (table[i].type == 'a' && !*(char ***)member)
			*(char ***)member = calloc(1, sizeof(char *));
		else
			continue;
		if (!*(void **)member)
			return -ENOMEM;
	}
	return 0;
}

int cli_bus_properties(sd_bus_message *m, enum cli_table_kind kind, void *at)
{
	const char *name;
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = sd_bus_message_read_basic(m, 's', &name);
		if (r >= 0)
			r = read_property(m, find_property(kind, name), at);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	return r < 0 ? r : fill_up(kind, at);
}

void cli_bus_properties_free(enum cli_table_kind kind, void *at)
{
	size_t n;
	const struct cli_property *table = cli_properties(kind, &n);

	for (size_t i = 0; i < n; i++) {
		void *member = (char *)at + table[i].offset;

		if (is_text(table[i].type)) {
			free(*(char **)member);
		} else if (table[i].type == 'a') {
			char **list = *(char ***)member;

			for (size_t j = 0; list && list[j]; j++)
				free(list[j]);
			free(list);
		}
	}
}

/* Another element of an array of @size bytes each, zeroed, with its path. */
static void *append_object(void **array, size_t *n, size_t size, const char *path)
{
	char *grown = realloc(*array, (*n + 1) * size), *at;

	if (!grown)
		return NULL;
	*array = grown;
	at = grown + (*n)++ * size;
	memset(at, 0, size);
	*(char **)(void *)at = strdup(path); /* the first member of both */
	return at;
}

static int read_disk(sd_bus_message *m, const char *path, struct cli_station *s)
{
	struct cli_station_disk *d =
		append_object((void **)&s->disk, &s->n_disks, sizeof(*d), path);

	if (!d)
		return -ENOMEM;
	d->temperature = CLI_NO_TEMPERATURE;
	return cli_bus_properties(m, CLI_TABLE_DISK, d);
}

static int read_job(sd_bus_message *m, const char *path, struct cli_station *s)
{
	struct cli_station_job *j =
		append_object((void **)&s->job, &s->n_jobs, sizeof(*j), path);

	if (!j)
		return -ENOMEM;
	return cli_bus_properties(m, CLI_TABLE_JOB, j);
}

static int read_interface(sd_bus_message *m, const char *path, struct cli_station *s)
{
	const char *name;
	int r = sd_bus_message_read_basic(m, 's', &name);

	if (r < 0)
		return r;
	if (!strcmp(name, CLI_BUS_NAME ".Disk"))
		return read_disk(m, path, s);
	if (!strcmp(name, CLI_BUS_NAME ".Job"))
		return read_job(m, path, s);
	if (strcmp(name, CLI_BUS_NAME ".Manager") != 0)
		return sd_bus_message_skip(m, "a{sv}");
	return cli_bus_properties(m, CLI_TABLE_MANAGER, &s->manager);
}

static int read_object(sd_bus_message *m, struct cli_station *s)
{
	const char *path;
	int r = sd_bus_message_read_basic(m, 'o', &path);

	if (r >= 0)
		r = sd_bus_message_enter_container(m, 'a', "{sa{sv}}");
	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sa{sv}")) > 0) {
		r = read_interface(m, path, s);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

static int read_objects(sd_bus_message *m, struct cli_station *s)
{
	int r = sd_bus_message_enter_container(m, 'a', "{oa{sa{sv}}}");

	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "oa{sa{sv}}")) > 0) {
		r = read_object(m, s);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	if (r >= 0)
		r = fill_up(CLI_TABLE_MANAGER, &s->manager);
	return r;
}

/* As they stand in the rack: bay 2 before bay 10, what is in no bay at the end. */
static int by_place(const void *a, const void *b)
{
	const struct cli_station_disk *x = a, *y = b;
	int r = !x->bay[0] - !y->bay[0];

	if (!r)
		r = strverscmp(x->bay, y->bay);
	if (!r)
		r = !x->device[0] - !y->device[0];
	if (!r)
		r = strverscmp(x->device, y->device);
	return r ? r : strcmp(x->path, y->path);
}

static int by_submission(const void *a, const void *b)
{
	const struct cli_station_job *x = a, *y = b;

	if (x->submit_time != y->submit_time)
		return x->submit_time < y->submit_time ? -1 : 1;
	return strcmp(x->id, y->id);
}

int cli_client_read(struct cli_client *k, struct cli_station *station)
{
	struct cli_station s = { 0 };
	sd_bus_message *m = NULL, *answer = NULL;
	int r;

	if (!k->bus)
		return cli_bus_explain(k, -ENOTCONN, NULL);
	k->changed = false;
	r = sd_bus_message_new_method_call(k->bus, &m, CLI_BUS_NAME, CLI_BUS_PATH,
					   "org.freedesktop.DBus.ObjectManager",
					   "GetManagedObjects");
	r = r < 0 ? cli_bus_explain(k, r, NULL) : cli_bus_call(k, m, &answer);
	if (r)
		return r;
	r = read_objects(answer, &s);
	sd_bus_message_unref(answer);
	k->read_ns = cli_clock_ns();
	if (r < 0) {
		cli_station_deinit(&s);
		return cli_bus_fail(k, CLI_EXIT_USAGE,
				    "what the service says cannot be read: %s",
				    strerror(-r));
	}
	if (s.n_disks)
		qsort(s.disk, s.n_disks, sizeof(*s.disk), by_place);
	if (s.n_jobs)
		qsort(s.job, s.n_jobs, sizeof(*s.job), by_submission);
	cli_station_deinit(station);
	*station = s;
	return 0;
}

int cli_client_read_examined(struct cli_client *k, struct cli_station *station)
{
	const struct timespec moment = { .tv_nsec = POLL_NS };
	int r = cli_client_read(k, station);

	for (unsigned int i = 0;
	     !r && station->manager.starting && i < POLLS && !cli_signals_stop(); i++) {
		nanosleep(&moment, NULL);
		r = cli_client_read(k, station);
	}
	return r;
}

void cli_station_alarm(const struct cli_station *s)
{
	const char *why = s->manager.records_trouble;

	if (s->manager.starting)
		cli_warn(
			"the service has just started and still examines the disks: there may "
			"be more than it shows; ask again in a moment");
	if (s->manager.simulated)
		cli_warn("simulated station: no disk is touched, no real one is shown");
	if (why && why[0])
		cli_warn("ALARM: no signed records are written: %s; diskwipe doctor says "
			 "what to do",
			 why);
}

void cli_station_deinit(struct cli_station *s)
{
	for (size_t i = 0; i < s->n_disks; i++)
		cli_bus_properties_free(CLI_TABLE_DISK, &s->disk[i]);
	for (size_t i = 0; i < s->n_jobs; i++)
		cli_bus_properties_free(CLI_TABLE_JOB, &s->job[i]);
	cli_bus_properties_free(CLI_TABLE_MANAGER, &s->manager);
	free(s->disk);
	free(s->job);
	*s = (struct cli_station){ 0 };
}

const struct cli_station_job *cli_station_find_job(const struct cli_station *s,
						   const char *path)
{
	for (size_t i = 0; i < s->n_jobs; i++)
		if (!strcmp(s->job[i].path, path))
			return &s->job[i];
	return NULL;
}

const struct cli_station_disk *cli_station_find_disk(const struct cli_station *s,
						     const char *path)
{
	for (size_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].path, path))
			return &s->disk[i];
	return NULL;
}
