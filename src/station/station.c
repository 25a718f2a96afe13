/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The topology file, by inih. One table says which key belongs to which section and what its
 * value looks like; anything else stops with file and line. Lines are counted where they are
 * read, so that mistakes found later (a name that does not exist) can be placed as well.
 */
#include "station/keys.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "diskwipe/units.h"
#include "file/file.h"

#define STATION_BYTES_MAX (64 * DW_MIB)

struct reading {
	struct dw_station *s;
	FILE *f;
	uint32_t line;
	char section[64];
	uint8_t kind;
	uint32_t index;
	uint64_t given;
	char what[160];
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reading *r, const char *fmt,
						       ...)
{
	va_list ap;

	if (r->what[0])
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(r->what, sizeof(r->what), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* "49.8 MB/s": a size without its blanks, "/s" allowed at the end */
static int read_size(const char *text, bool rate, uint64_t *ret)
{
	char s[48];
	size_t n = 0;

	for (; *text && n + 1 < sizeof(s); text++)
		if (*text != ' ' && *text != '\t')
			s[n++] = *text;
	s[n] = '\0';
	if (rate && n > 2 && !strcmp(s + n - 2, "/s"))
		s[n - 2] = '\0';
	return *text ? -EINVAL : dw_size_parse(s, ret);
}

static int take_words(struct reading *r, const struct station_key *k, const char *value,
		      bool *ret)
{
	for (int i = 0; i < 2; i++) {
		if (strcmp(value, k->words[i]))
			continue;
		*ret = i;
		return 0;
	}
	return wrong(r, "%s: '%.40s' is neither %s nor %s", k->name, value, k->words[0],
		     k->words[1]);
}

static int take_text(struct reading *r, const struct station_key *k, const char *value,
		     char *ret)
{
	if (strlen(value) >= k->size)
		return wrong(r, "%s: longer than %zu characters", k->name, k->size - 1);
	if (value[0] == ';') /* it could not be written down again */
		return wrong(r, "%s: begins like a remark", k->name);
	memcpy(ret, value, strlen(value) + 1);
	return 0;
}

/* names of nodes: one, for a disk up to two */
static int take_on(struct reading *r, const struct station_key *k, const char *value,
		   char *to)
{
	uint32_t most = r->kind == IN_DISK ? 2 : 1, n = 0;
	char copy[2 * STATION_NAME + 4], *save, *item;

	if (strlen(value) >= sizeof(copy))
		return wrong(r, "on: too long");
	strcpy(copy, value);
	for (item = strtok_r(copy, ", \t", &save); item;
	     item = strtok_r(NULL, ", \t", &save)) {
		if (n == most || strlen(item) >= STATION_NAME)
			return wrong(r, "on: at most %u name%s", most,
				     most == 1 ? "" : "s");
		strcpy(to + (size_t)STATION_NAME * n++, item);
	}
	if (!n)
		return wrong(r, "on: no name");
	if (r->kind == IN_DISK)
		r->s->disk[r->index].n_on = n;
	return 0;
}

/* two times: to the next track, and from edge to edge */
static int take_seek(struct reading *r, const char *value, struct station_disk *d)
{
	char one[24], two[24];

	if (sscanf(value, " %23[^, ] , %23s", one, two) != 2 ||
	    dw_duration_parse(one, &d->seek_track_ns) < 0 ||
	    dw_duration_parse(two, &d->seek_full_ns) < 0 ||
	    d->seek_full_ns < d->seek_track_ns)
		return wrong(r, "seek: two times like 1ms, 16ms");
	return 0;
}

static int read_share(const char *text, double *ret)
{
	double percent;
	int r = dw_percent_parse(text, &percent);

	if (!r)
		*ret = percent / 100;
	return r;
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
		return read_share(a, &f->share) || dw_duration_parse(b, &f->at_ns);
	case STATION_ABORT:
		return read_share(a, &f->share) || b[0];
	default:
		return dw_duration_parse(a, &f->at_ns) || b[0];
	}
}

static int take_fault(struct reading *r, const char *value, struct station_disk *d)
{
	char kind[16] = "", a[24] = "", b[24] = "", rest[2] = "";
	struct station_fault f, *v;
	int n = sscanf(value, "%15s %23s %23s %1s", kind, a, b, rest);

	if (n < 2 || n > 3 || read_fault(kind, a, b, &f)) {
		for (size_t i = 0; i < DW_ARRAY_SIZE(station_faults); i++)
			if (!strcmp(kind, station_faults[i].name))
				return wrong(r, "fault: expected %s",
					     station_faults[i].usage);
		return wrong(r, "fault: there is no '%s'", kind);
	}
	v = reallocarray(d->fault, d->n_faults + 1, sizeof(*v));
	if (!v)
		return wrong(r, "out of memory");
	d->fault = v;
	v[d->n_faults++] = f;
	return 0;
}

static int take_ws(struct reading *r, const char *value, uint64_t *ret)
{
	if (!strcmp(value, "no"))
		*ret = STATION_WS_NONE;
	else if (!strcmp(value, "yes"))
		*ret = 0;
	else if (read_size(value, true, ret) || !*ret)
		return wrong(r, "write-same: yes, no or a rate like 200MB/s");
	return 0;
}

static int take_value(struct reading *r, const struct station_key *k, const char *value,
		      void *object)
{
	void *to = (char *)object + k->offset;

	switch ((enum station_type)k->type) {
	case KEY_TEXT:
		return take_text(r, k, value, to);
	case KEY_SIZE:
		return read_size(value, false, to)
			       ? wrong(r, "%s: '%.40s' is not a size", k->name, value)
			       : 0;
	case KEY_RATE:
		return read_size(value, true, to)
			       ? wrong(r, "%s: '%.40s' is not a rate", k->name, value)
			       : 0;
	case KEY_TIME:
		return dw_duration_parse(value, to)
			       ? wrong(r, "%s: '%.40s' is not a time", k->name, value)
			       : 0;
	case KEY_NUMBER:
		return dw_number_parse(value, to)
			       ? wrong(r, "%s: '%.40s' is not a number", k->name, value)
			       : 0;
	case KEY_SHARE:
		return read_share(value, to)
			       ? wrong(r, "%s: '%.40s' is not a share like 2%%", k->name,
				       value)
			       : 0;
	case KEY_WORD:
		return take_words(r, k, value, to);
	case KEY_ON:
		return take_on(r, k, value, to);
	case KEY_SEEK:
		return take_seek(r, value, object);
	case KEY_WS:
		return take_ws(r, value, to);
	case KEY_FAULT:
		return take_fault(r, value, object);
	}
	return -EINVAL;
}

static int add_node_section(struct reading *r, uint8_t kind, const char *name)
{
	struct dw_station *s = r->s;
	struct station_node *v = reallocarray(s->node, s->n_nodes + 1, sizeof(*v));

	if (!v)
		return wrong(r, "out of memory");
	s->node = v;
	v[s->n_nodes] = (struct station_node){ .kind = kind,
					       .line = r->line,
					       .on = STATION_NONE };
	strcpy(v[s->n_nodes].name, name);
	r->index = s->n_nodes++;
	return 0;
}

static int add_disk_section(struct reading *r, const char *name)
{
	struct dw_station *s = r->s;
	struct station_disk *v = reallocarray(s->disk, s->n_disks + 1, sizeof(*v));

	if (!v)
		return wrong(r, "out of memory");
	s->disk = v;
	station_disk_init(&v[s->n_disks]);
	v[s->n_disks].line = r->line;
	strcpy(v[s->n_disks].name, name);
	r->index = s->n_disks++;
	return 0;
}

static int add_load(struct reading *r, const char *name)
{
	struct dw_station *s = r->s;
	struct station_load *v = reallocarray(s->load, s->n_loads + 1, sizeof(*v));

	if (!v)
		return wrong(r, "out of memory");
	s->load = v;
	v[s->n_loads] = (struct station_load){ .line = r->line, .users = 1 };
	strcpy(v[s->n_loads].name, name);
	r->index = s->n_loads++;
	return 0;
}

static bool name_taken(const struct dw_station *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (!strcmp(s->node[i].name, name))
			return true;
	for (uint32_t i = 0; i < s->n_disks; i++)
		if (!strcmp(s->disk[i].name, name))
			return true;
	for (uint32_t i = 0; i < s->n_loads; i++)
		if (!strcmp(s->load[i].name, name))
			return true;
	return false;
}

/* the first key of a section: "disk bay" makes a disk called bay */
static int begin_section(struct reading *r, const char *section)
{
	char kind[16] = "", name[STATION_NAME] = "", rest[2] = "";
	int n = sscanf(section, "%15s %31s %1s", kind, name, rest);
	size_t i = 0;

	snprintf(r->section, sizeof(r->section), "%s", section);
	r->given = 0;
	while (i < DW_ARRAY_SIZE(station_sections) &&
	       strcmp(kind, station_sections[i].name))
		i++;
	if (i == DW_ARRAY_SIZE(station_sections))
		return wrong(r, "unknown section [%.60s]", section);
	r->kind = station_sections[i].section;
	if (r->kind == IN_STATION)
		return n == 1 ? 0 : wrong(r, "[station] has no name");
	if (n != 2)
		return wrong(r, "a section is called [%s NAME]", kind);
	if (name_taken(r->s, name))
		return wrong(r, "there is a '%s' already", name);
	if (r->kind == IN_LOAD)
		return add_load(r, name);
	return r->kind == IN_DISK ? add_disk_section(r, name)
				  : add_node_section(r, station_sections[i].kind, name);
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	void *object = r->s;

	if (r->what[0])
		return 0;
	if (strcmp(section, r->section) || !r->kind)
		if (begin_section(r, section) < 0)
			return 0;
	if (r->kind == IN_DISK)
		object = &r->s->disk[r->index];
	else if (r->kind == IN_LOAD)
		object = &r->s->load[r->index];
	else if (r->kind != IN_STATION)
		object = &r->s->node[r->index];
	for (size_t i = 0; i < station_n_keys; i++) {
		if (strcmp(name, station_keys[i].name) ||
		    !(station_keys[i].sections & r->kind))
			continue;
		if (station_keys[i].type != KEY_FAULT && r->given & UINT64_C(1) << i)
			return wrong(r, "%s is given twice", name) == 0;
		r->given |= UINT64_C(1) << i;
		return take_value(r, &station_keys[i], value, object) == 0;
	}
	return wrong(r, "unknown key %.60s", name) == 0;
}

/* as inih reads by itself, but counting; after a mistake nothing more is read */
static char *read_line(char *buf, int size, void *user)
{
	struct reading *r = user;

	if (r->what[0] || !fgets(buf, size, r->f))
		return NULL;
	r->line++;
	if (strlen(buf) + 1 == (size_t)size && buf[size - 2] != '\n')
		wrong(r, "the line is too long");
	return buf;
}

static int parse_station(struct reading *r, const char *path, struct dw_error *err)
{
	int line = ini_parse_stream(read_line, r, handle, r);

	if (!line && !r->what[0] && ferror(r->f))
		return dw_error_file(err, -EIO, path, "cannot be read");
	if (line || r->what[0]) {
		dw_error_content(err, NULL, "%s",
				 r->what[0] ? r->what : "not understood");
		dw_error_in(err, path, r->what[0] ? r->line : (uint32_t)line);
		return -EINVAL;
	}
	line = station_check(r->s, err);
	if (line)
		dw_error_in(err, path, err && err->line ? err->line : r->line);
	return line;
}

int dw_station_load(const char *path, struct dw_station **ret, struct dw_error *err)
{
	struct reading r = { .s = calloc(1, sizeof(*r.s)) };
	dw_autofree char *text = NULL;
	size_t len = 0;
	int result;

	dw_error_clear(err);
	if (!r.s)
		return dw_error_system(err, -ENOMEM, NULL);
	result = dw_file_read(path, STATION_BYTES_MAX, &text, &len);
	if (result < 0) {
		dw_error_file(err, result, path, dw_file_error(result));
	} else {
		/* of an empty file the final 0 comes along, or it would be none */
		r.f = fmemopen(text, len ? len : 1, "r");
		result = r.f ? parse_station(&r, path, err) : -ENOMEM;
		if (r.f)
			fclose(r.f);
	}
	if (result < 0)
		dw_station_free(r.s);
	else
		*ret = r.s;
	return dw_error_system(err, result, NULL);
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
