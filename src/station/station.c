/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The topology file, by its table of keys. Sections remember their line, so that mistakes found
 * later (a name that does not exist) can be placed as well.
 */
#include "station/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "diskwipe/units.h"

/* names of nodes: one, for a disk up to two */
static int take_on(struct dw_ini *r, const struct dw_ini_key *k, const char *value,
		   char *to)
{
	size_t most = k->size / STATION_NAME;
	uint32_t n = 0;
	char copy[2 * STATION_NAME + 4], *save, *item;

	if (strlen(value) >= sizeof(copy))
		return dw_ini_wrong(r, "on", "too long");
	strcpy(copy, value);
	for (item = strtok_r(copy, ", \t", &save); item;
	     item = strtok_r(NULL, ", \t", &save)) {
		if (n == most || strlen(item) >= STATION_NAME)
			return dw_ini_wrong(r, "on", "at most %zu name%s", most,
					    most == 1 ? "" : "s");
		strcpy(to + (size_t)STATION_NAME * n++, item);
	}
	if (!n)
		return dw_ini_wrong(r, "on", "no name");
	if (!strcmp(k->section, "disk"))
		((struct station_disk *)r->at)->n_on = n;
	return 0;
}

/* two times: to the next track, and from edge to edge */
static int take_seek(struct dw_ini *r, const char *value, struct station_disk *d)
{
	char one[24], two[24];

	if (sscanf(value, " %23[^, ] , %23s", one, two) != 2 ||
	    dw_duration_parse(one, &d->seek_track_ns) < 0 ||
	    dw_duration_parse(two, &d->seek_full_ns) < 0 ||
	    d->seek_full_ns < d->seek_track_ns)
		return dw_ini_wrong(r, "seek", "two times like 1ms, 16ms");
	return 0;
}

static int read_fault(const char *kind, const char *a, const char *b,
		      struct station_fault *f)
{
	size_t i = 0;

	while (i < DW_ARRAY_SIZE(station_faults) && strcmp(kind, station_faults[i].name))
		i++;
	if (i == DW_ARRAY_SIZE(station_faults))
		return -EINVAL;
	*f = (struct station_fault){ .kind = station_faults[i].kind, .nlb = 1 };
	switch (f->kind) {
	case STATION_UNWRITABLE:
	case STATION_UNREADABLE:
		return dw_number_parse(a, &f->lba) ||
		       (b[0] && dw_number_parse(b, &f->nlb)) || !f->nlb;
	case STATION_STALL:
		return dw_duration_parse(a, &f->at_ns) ||
		       dw_duration_parse(b, &f->for_ns);
	case STATION_SLOW:
		return dw_ini_share(a, &f->share) || dw_duration_parse(b, &f->at_ns);
	case STATION_ABORT:
		return dw_ini_share(a, &f->share) || b[0];
	default:
		return dw_duration_parse(a, &f->at_ns) || b[0];
	}
}

static int take_fault(struct dw_ini *r, const char *value, struct station_disk *d)
{
	char kind[16] = "", a[24] = "", b[24] = "", rest[2] = "";
	struct station_fault f, *v;
	int n = sscanf(value, "%15s %23s %23s %1s", kind, a, b, rest);

	if (n < 2 || n > 3 || read_fault(kind, a, b, &f)) {
		for (size_t i = 0; i < DW_ARRAY_SIZE(station_faults); i++)
			if (!strcmp(kind, station_faults[i].name))
				return dw_ini_wrong(r, "fault", "expected %s",
						    station_faults[i].usage);
		return dw_ini_wrong(r, "fault", "there is no '%s'", kind);
	}
	v = reallocarray(d->fault, d->n_faults + 1, sizeof(*v));
	if (!v)
		return dw_ini_wrong(r, NULL, "out of memory");
	d->fault = v;
	v[d->n_faults++] = f;
	return 0;
}

static int take_ws(struct dw_ini *r, const char *value, uint64_t *ret)
{
	if (!strcmp(value, "no"))
		*ret = STATION_WS_NONE;
	else if (!strcmp(value, "yes"))
		*ret = 0;
	else if (dw_ini_size(value, true, ret) || !*ret)
		return dw_ini_wrong(r, "write-same", "yes, no or a rate like 200MB/s");
	return 0;
}

static int take_own(struct dw_ini *r, const struct dw_ini_key *k, const char *name,
		    const char *value, void *at)
{
	switch ((enum station_own)k->own) {
	case KEY_ON:
		return take_on(r, k, value, at);
	case KEY_SEEK:
		return take_seek(r, value, r->at);
	case KEY_WS:
		return take_ws(r, value, at);
	default:
		return take_fault(r, value, r->at);
	}
}

static void *add_node(struct dw_ini *r, size_t kind, const char *name)
{
	struct dw_station *s = r->data;
	struct station_node *n;

	if (dw_grow(&s->node, s->n_nodes, s->n_nodes + 1, sizeof(*n)))
		return NULL;
	n = &s->node[s->n_nodes++];
	n->kind = (uint8_t)kind;
	n->line = (uint32_t)r->line;
	n->on = STATION_NONE;
	strcpy(n->name, name);
	return n;
}

static void *add_disk(struct dw_ini *r, const char *name)
{
	struct dw_station *s = r->data;
	struct station_disk *d;

	if (dw_grow(&s->disk, s->n_disks, s->n_disks + 1, sizeof(*d)))
		return NULL;
	d = &s->disk[s->n_disks++];
	station_disk_init(d);
	d->line = (uint32_t)r->line;
	strcpy(d->name, name);
	return d;
}

static void *add_load(struct dw_ini *r, const char *name)
{
	struct dw_station *s = r->data;
	struct station_load *l;

	if (dw_grow(&s->load, s->n_loads, s->n_loads + 1, sizeof(*l)))
		return NULL;
	l = &s->load[s->n_loads++];
	l->line = (uint32_t)r->line;
	l->users = 1;
	strcpy(l->name, name);
	return l;
}

static bool name_taken(const struct dw_station *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].name, name))
			return true;
	for (uint32_t i = 0; i < s->n_loads; i++)
		if (!strcmp(s->load[i].name, name))
			return true;
	return station_find_node(s, name) != STATION_NONE;
}

/* the first key of a section: "disk bay" makes a disk called bay */
static void *object_of(struct dw_ini *r, const char *section, const char *name)
{
	size_t kind = 0;

	if (!strcmp(section, "station"))
		return r->data;
	if (strlen(name) >= STATION_NAME || strpbrk(name, " \t"))
		return dw_ini_wrong(r, NULL, "a section is called [%s NAME]", section),
		       NULL;
	if (name_taken(r->data, name))
		return dw_ini_wrong(r, NULL, "there is a '%s' already", name), NULL;
	if (!strcmp(section, "load"))
		return add_load(r, name);
	if (!strcmp(section, "disk"))
		return add_disk(r, name);
	while (strcmp(section, station_node_words[kind]) != 0)
		kind++;
	return add_node(r, kind, name);
}

int dw_station_load(const char *path, struct dw_station **ret, struct dw_error *err)
{
	struct dw_error none;
	struct dw_ini ini = { .key = station_keys,
			      .n_keys = station_n_keys,
			      .named = "link|controller|bus|disk|load",
			      .once = true,
			      .object = object_of,
			      .take = take_own,
			      .data = calloc(1, sizeof(struct dw_station)),
			      .err = err ? err : &none };
	int r;

	dw_error_clear(ini.err);
	if (!ini.data)
		return dw_error_system(err, -ENOMEM, NULL);
	r = dw_ini_read(&ini, path, true);
	if (!r) {
		r = station_check(ini.data, ini.err);
		if (r)
			dw_error_in(ini.err, path,
				    ini.err->line ? ini.err->line : ini.line);
	}
	if (r)
		dw_station_free(ini.data);
	else
		*ret = ini.data;
	return dw_error_system(err, r, NULL);
}

void dw_station_free(struct dw_station *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_disks; i++)
		free(s->disk[i].fault);
	free(s->disk);
	free(s->load);
	free(s->node);
	free(s);
}

uint32_t dw_station_disks(const struct dw_station *s)
{
	return s->n_units;
}

int dw_station_sanitize(struct dw_station *s, size_t i, double seconds)
{
	if (i >= s->n_disks || !(seconds >= 0 && seconds <= 1e9))
		return -ERANGE;
	s->disk[i].sanitize_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

const char *dw_station_title(const struct dw_station *s)
{
	return s->title;
}
