/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Documents of what the service says, written member by member from the tables of the client. A
 * time or a number that is not known is null.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/json.h"
#include "client/table.h"

static const char *time_utc(uint64_t usec, char *buf, size_t size)
{
	time_t seconds = (time_t)(usec / 1000000);
	struct tm tm;

	if (!usec || !gmtime_r(&seconds, &tm) ||
	    !strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		buf[0] = '\0';
	return buf;
}

/* The text is UTF-8, as D-Bus demands. */
static void put_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char b = (unsigned char)*text;

		if (b == '"' || b == '\\')
			printf("\\%c", b);
		else if (b < 0x20 || b == 0x7f)
			printf("\\u%04x", b);
		else
			putchar(b);
	}
	putchar('"');
}

static void put_list(char *const *list)
{
	putchar('[');
	for (size_t i = 0; list && list[i]; i++) {
		fputs(i ? ", " : "", stdout);
		put_string(list[i]);
	}
	putchar(']');
}

static void put_time(uint64_t usec)
{
	char text[32];

	if (usec)
		printf("\"%s\"", time_utc(usec, text, sizeof(text)));
	else
		fputs("null", stdout);
}

/* The temperature is the only number that can be unknown. */
static void put_signed(int32_t number)
{
	if (number == CLI_NO_TEMPERATURE)
		fputs("null", stdout);
	else
		printf("%" PRId32, number);
}

/* Also one that is whole reads as a number with a fraction. */
static void put_real(double number)
{
	printf("%.6f", number);
}

static void put_value(const struct cli_property *p, const void *base)
{
	const char *at = (const char *)base + p->offset;

	switch (p->type) {
	case 'o':
		if (!strcmp(*(char *const *)(const void *)at, "/")) {
			fputs("null", stdout);
			break;
		}
		/* fall through */
	case 's':
		put_string(*(char *const *)(const void *)at);
		break;
	case 'a':
		put_list(*(char **const *)(const void *)at);
		break;
	case 'T':
		put_time(*(const uint64_t *)(const void *)at);
		break;
	case 't':
		printf("%" PRIu64, *(const uint64_t *)(const void *)at);
		break;
	case 'u':
		printf("%" PRIu32, *(const uint32_t *)(const void *)at);
		break;
	case 'i':
		put_signed(*(const int32_t *)(const void *)at);
		break;
	case 'd':
		put_real(*(const double *)(const void *)at);
		break;
	default:
		fputs(*(const bool *)(const void *)at ? "true" : "false", stdout);
	}
}

static void put_object(enum cli_table_kind kind, const void *base, const char *indent)
{
	size_t n;
	const struct cli_property *rows = cli_properties(kind, &n);

	putchar('{');
	for (size_t i = 0; i < n; i++) {
		printf("%s\n%s  \"%s\": ", i ? "," : "", indent, rows[i].key);
		put_value(&rows[i], base);
	}
	printf("\n%s}", indent);
}

static void begin_document(const char *name)
{
	printf("{\n  \"document\": \"%s\",\n  \"schema\": 1,\n  \"tool\": {\"name\": "
	       "\"diskwipe\", \"version\": \"%s\"},\n",
	       name, dw_version());
}

static void put_item(enum cli_table_kind kind, const void *base, bool first)
{
	fputs(first ? "\n    " : ",\n    ", stdout);
	put_object(kind, base, "    ");
}

void cli_json_station(const struct cli_station *s,
		      const struct cli_station_job *const *jobs,
		      const struct cli_station_disk *const *disks)
{
	begin_document("status");
	fputs("  \"station\": ", stdout);
	put_object(CLI_TABLE_MANAGER, &s->manager, "  ");
	fputs(",\n  \"jobs\": [", stdout);
	for (size_t i = 0; jobs[i]; i++)
		put_item(CLI_TABLE_JOB, jobs[i], !i);
	fputs("],\n  \"disks\": [", stdout);
	for (size_t i = 0; disks[i]; i++)
		put_item(CLI_TABLE_DISK, disks[i], !i);
	puts("]\n}");
}

void cli_json_records(const struct cli_record *records, size_t n)
{
	begin_document("records");
	fputs("  \"records\": [", stdout);
	for (size_t i = 0; i < n; i++)
		put_item(CLI_TABLE_RECORD, &records[i], !i);
	puts("]\n}");
}

/* A label can be a formula for a spreadsheet, or obeyed by a terminal. */
static void put_csv(const char *text)
{
	const char *before = dw_text_is_formula(text) ? "'" : "";
	char *shown = strdup(text);

	if (!shown)
		return;
	dw_text_printable(shown);
	if (!strpbrk(shown, "\",")) {
		printf("%s%s", before, shown);
	} else {
		printf("\"%s", before);
		for (const char *at = shown; *at; at++)
			printf("%s%c", *at == '"' ? "\"" : "", *at);
		putchar('"');
	}
	free(shown);
}

static void put_csv_value(const struct cli_property *p, const void *base)
{
	const char *at = (const char *)base + p->offset;
	char text[32];

	if (p->type == 's')
		put_csv(*(char *const *)(const void *)at);
	else if (p->type == 'T')
		fputs(time_utc(*(const uint64_t *)(const void *)at, text, sizeof(text)),
		      stdout);
	else if (p->type != 'i' ||
		 *(const int32_t *)(const void *)at != CLI_NO_TEMPERATURE)
		put_value(p, base);
}

void cli_csv_records(const struct cli_record *records, size_t n)
{
	size_t n_rows;
	const struct cli_property *rows = cli_properties(CLI_TABLE_RECORD, &n_rows);

	for (size_t i = 0; i < n_rows; i++)
		printf("%s%s", i ? "," : "", rows[i].key);
	fputs("\r\n", stdout);
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < n_rows; i++) {
			fputs(i ? "," : "", stdout);
			put_csv_value(&rows[i], &records[k]);
		}
		fputs("\r\n", stdout);
	}
}
