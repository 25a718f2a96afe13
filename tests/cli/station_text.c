/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A station made of words, as the structs that the client of the service fills. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/table.h"
#include "station_text.h"

static void *member(void *object, const struct cli_property *p)
{
	return (char *)object + p->offset;
}

static char *unescape(const char *text)
{
	char *out = strdup(text), *x = out;

	if (!out)
		abort();
	while ((x = strstr(x, "\\x"))) {
		char hex[3] = { x[2], x[2] ? x[3] : '\0', '\0' };
		size_t len = strlen("\\x") + strlen(hex);

		*x++ = (char)strtoul(hex, NULL, 16);
		memmove(x, x + len - 1, strlen(x + len - 1) + 1);
	}
	return out;
}

static void set_text(char **to, char *text)
{
	free(*to);
	*to = text;
}

/* An array has one element. */
static void set_list(char ***to, const char *value)
{
	char **list = calloc(2, sizeof(*list));

	if (!list)
		abort();
	list[0] = unescape(value);
	*to = list;
}

static void set_value(void *at, char type, const char *value)
{
	switch (type) {
	case 's':
	case 'o':
		set_text(at, unescape(value));
		break;
	case 'a':
		set_list(at, value);
		break;
	case 't':
	case 'T':
		*(uint64_t *)at = strtoull(value, NULL, 10);
		break;
	case 'u':
		*(uint32_t *)at = (uint32_t)strtoul(value, NULL, 10);
		break;
	case 'i':
		*(int32_t *)at = (int32_t)strtol(value, NULL, 10);
		break;
	default:
		*(double *)at = strtod(value, NULL);
	}
}

static void fill(void *object, enum cli_table_kind kind, char *fields)
{
	char *word, *save = NULL;
	size_t n, i;
	const struct cli_property *p = cli_properties(kind, &n);

	for (i = 0; i < n; i++)
		if (p[i].type == 's' || p[i].type == 'o')
			set_text(member(object, &p[i]), unescape(""));
	for (word = strtok_r(fields, "\t", &save); word;
	     word = strtok_r(NULL, "\t", &save)) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		for (i = 0; i < n && strcmp(p[i].name, word) != 0; i++)
			;
		if (i == n) {
			fprintf(stderr, "station: no property '%s'\n", word);
			exit(99);
		}
		set_value(member(object, &p[i]), p[i].type, value);
	}
}

static void drop(void *object, enum cli_table_kind kind)
{
	size_t n;
	const struct cli_property *p = cli_properties(kind, &n);

	for (size_t i = 0; i < n; i++) {
		if (p[i].type == 's' || p[i].type == 'o')
			set_text(member(object, &p[i]), NULL);
		if (p[i].type == 'a') {
			char **list = *(char ***)member(object, &p[i]);

			free(list ? list[0] : NULL);
			free(list);
		}
	}
}

/* The client has one, too, which frees what sd-bus gave it. */
void cli_station_deinit(struct cli_station *s)
{
	for (size_t i = 0; i < s->n_disks; i++)
		drop(&s->disk[i], CLI_TABLE_DISK);
	for (size_t i = 0; i < s->n_jobs; i++)
		drop(&s->job[i], CLI_TABLE_JOB);
	drop(&s->manager, CLI_TABLE_MANAGER);
	free(s->disk);
	free(s->job);
	*s = (struct cli_station){ 0 };
}

static void *one_more(void *array, size_t *n, size_t size)
{
	char *more = realloc(array, (*n + 1) * size);

	if (!more)
		abort();
	memset(more + *n * size, 0, size);
	++*n;
	return more;
}

static char *path_text(const char *kind, const char *id)
{
	char *path = NULL;

	if (!id[0] || id[0] == '/' ? asprintf(&path, "%s", id) < 0
				   : asprintf(&path, "/%s/%s", kind, id) < 0)
		abort();
	return path;
}

static void take_disk(struct cli_station *s, const char *id, char *fields)
{
	struct cli_station_disk *d;

	s->disk = one_more(s->disk, &s->n_disks, sizeof(*s->disk));
	d = &s->disk[s->n_disks - 1];
	d->temperature = CLI_NO_TEMPERATURE;
	fill(d, CLI_TABLE_DISK, fields);
	set_text(&d->path, path_text("disk", id));
	set_text(&d->job, path_text("job", d->job));
}

static void take_line(struct cli_station *s, char *line)
{
	char *fields = strchr(line, '\t'), *id = strchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (!fields)
		return;
	*fields++ = '\0';
	if (!strcmp(line, "manager")) {
		drop(&s->manager, CLI_TABLE_MANAGER);
		fill(&s->manager, CLI_TABLE_MANAGER, fields);
	} else if (id && !strncmp(line, "disk ", 5)) {
		take_disk(s, id + 1, fields);
	} else if (id && !strncmp(line, "job ", 4)) {
		s->job = one_more(s->job, &s->n_jobs, sizeof(*s->job));
		fill(&s->job[s->n_jobs - 1], CLI_TABLE_JOB, fields);
		set_text(&s->job[s->n_jobs - 1].path, path_text("job", id + 1));
	}
}

int station_text_read(const char *path, struct cli_station *s)
{
	FILE *f = fopen(path, "r");
	size_t size = 0;
	char *line = NULL;

	if (!f)
		return -errno;
	cli_station_deinit(s);
	while (getline(&line, &size, f) > 0)
		take_line(s, line);
	free(line);
	fclose(f);
	return 0;
}
