/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A station as text: the table of keys once more, the other way round. What is nothing by itself
 * (no limit, off, empty) is left out where it is as it would be without the key. A number gets
 * the largest unit that leaves it whole, so that nothing is lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "station/keys.h"

struct written_unit {
	const char *name;
	uint64_t factor;
};

static const struct written_unit size_units[] = {
	{ "TiB", DW_GIB * 1024 },
	{ "TB", UINT64_C(1000000000000) },
	{ "GiB", DW_GIB },
	{ "GB", 1000000000 },
	{ "MiB", DW_MIB },
	{ "MB", 1000000 },
	{ "KiB", DW_KIB },
	{ "KB", 1000 },
	{ "", 1 },
};

static const struct written_unit rate_units[] = {
	{ "MB/s", 1000000 },
	{ "KB/s", 1000 },
	{ "B/s", 1 },
};

static const struct written_unit time_units[] = {
	{ "s", DW_NS_PER_S },
	{ "ms", DW_NS_PER_MS },
	{ "us", 1000 },
	{ "ns", 1 },
};

static void put_number(FILE *f, uint64_t value, const struct written_unit *u)
{
	while (u->factor > 1 && (value % u->factor || !value))
		u++;
	fprintf(f, "%" PRIu64 "%s", value / u->factor, u->name);
}

/* "0.125%", by integers: the share was read as a number of billionths of a per cent */
static void put_share(FILE *f, double share)
{
	char text[32];
	size_t n;

	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64,
		 (uint64_t)(share * 1e11 + 0.5) / 1000000000,
		 (uint64_t)(share * 1e11 + 0.5) % 1000000000);
	n = strlen(text);
	while (text[n - 1] == '0')
		n--;
	n -= text[n - 1] == '.';
	fprintf(f, "%.*s%%", (int)n, text);
}

static void put_fault(FILE *f, const struct station_fault *x)
{
	size_t i = 0;

	while (station_faults[i].kind != x->kind)
		i++;
	fprintf(f, "fault = %s ", station_faults[i].name);
	switch (x->kind) {
	case STATION_UNWRITABLE:
	case STATION_UNREADABLE:
		fprintf(f, "%" PRIu64, x->lba);
		if (x->nlb > 1)
			fprintf(f, " %" PRIu64, x->nlb);
		break;
	case STATION_STALL:
		put_number(f, x->at_ns, time_units);
		fputc(' ', f);
		put_number(f, x->for_ns, time_units);
		break;
	case STATION_SLOW:
		put_share(f, x->share);
		fputc(' ', f);
		put_number(f, x->at_ns, time_units);
		break;
	case STATION_ABORT:
		put_share(f, x->share);
		break;
	default:
		put_number(f, x->at_ns, time_units);
	}
	fputc('\n', f);
}

static void put_ws(FILE *f, uint64_t rate)
{
	if (rate == STATION_WS_NONE)
		fputs("no", f);
	else if (rate)
		put_number(f, rate, rate_units);
	else
		fputs("yes", f);
}

static void put_on(FILE *f, const char *names, size_t size)
{
	fputs(names, f);
	for (size_t at = STATION_NAME; at < size && names[at]; at += STATION_NAME)
		fprintf(f, ", %s", names + at);
}

static void put_seek(FILE *f, const uint64_t ns[2])
{
	put_number(f, ns[0], time_units);
	fputs(", ", f);
	put_number(f, ns[1], time_units);
}

/* What a disk reports of itself may look like a remark. */
static void put_text(FILE *f, const char *text)
{
	for (const char *p = text; *p; p++)
		fputc(*p == ';' && (p == text || p[-1] == ' ') ? ',' : *p, f);
}

static void put_own(FILE *f, const struct dw_ini_key *k, const void *at)
{
	if (k->own == KEY_ON)
		put_on(f, at, k->size);
	else if (k->own == KEY_SEEK)
		put_seek(f, at);
	else
		put_ws(f, *(const uint64_t *)at);
}

static void put_value(FILE *f, const struct dw_ini_key *k, const void *at)
{
	switch (k->kind) {
	case DW_INI_TEXT:
		put_text(f, at);
		break;
	case DW_INI_SIZE:
		put_number(f, *(const uint64_t *)at, size_units);
		break;
	case DW_INI_RATE:
		put_number(f, *(const uint64_t *)at, rate_units);
		break;
	case DW_INI_TIME:
		put_number(f, *(const uint64_t *)at, time_units);
		break;
	case DW_INI_NUMBER:
		fprintf(f, "%" PRIu64, *(const uint64_t *)at);
		break;
	case DW_INI_SHARE:
		put_share(f, *(const double *)at);
		break;
	case DW_INI_WORD:
		fputs(k->words[*(const bool *)at], f);
		break;
	default:
		put_own(f, k, at);
	}
}

static bool is_own(const struct dw_ini_key *k, enum station_own own)
{
	return k->kind == DW_INI_OWN && k->own == (int)own;
}

/* bytes of the value in the section's struct; a seek has two times */
static size_t value_size(const struct dw_ini_key *k)
{
	return is_own(k, KEY_SEEK) ? 2 * sizeof(uint64_t) : k->size;
}

static bool is_nothing(const struct dw_ini_key *k, const char *value)
{
	static const char zeros[sizeof(struct station_disk)];

	return !memcmp(value, zeros, k->kind == DW_INI_TEXT ? 1 : value_size(k));
}

static bool same(const struct dw_ini_key *k, const char *a, const char *b)
{
	return k->kind == DW_INI_TEXT ? !strcmp(a, b) : !memcmp(a, b, value_size(k));
}

/* @plain: the object that has none of the keys */
static bool goes_without_saying(const struct dw_ini_key *k, const char *object,
				const char *plain)
{
	bool of_disk = !strcmp(k->section, "disk");
	bool one = of_disk && k->offset == offsetof(struct station_disk, count);

	if (of_disk && k->kind == DW_INI_WORD)
		return false;
	return same(k, object + k->offset, plain + k->offset) &&
	       (one || is_nothing(k, plain + k->offset));
}

/* Return: how many keys were written; a section with none is not seen when it is read. */
static size_t put_section(FILE *f, const char *section, const void *object,
			  const void *plain)
{
	size_t n = 0;

	for (size_t i = 0; i < station_n_keys; i++) {
		const struct dw_ini_key *k = &station_keys[i];

		if (!dw_ini_in(k->section, section) || is_own(k, KEY_FAULT) ||
		    goes_without_saying(k, object, plain))
			continue;
		fprintf(f, "%s = ", k->name);
		put_value(f, k, (const char *)object + k->offset);
		fputc('\n', f);
		n++;
	}
	return n;
}

static void put_node(FILE *f, const struct station_node *n)
{
	static const struct station_node plain;
	const char *word = station_node_words[n->kind];

	fprintf(f, "\n[%s %s]\n", word, n->name);
	if (!put_section(f, word, n, &plain))
		fputs("rate = 0B/s\n", f);
}

/* Keys that check fills in are not plain: written out, they fill in the same. */
static void put_disk(FILE *f, const struct station_disk *d)
{
	struct station_disk plain;

	station_disk_init(&plain);
	fprintf(f, "\n[disk %s]\n", d->name);
	put_section(f, "disk", d, &plain);
	for (uint32_t i = 0; i < d->n_faults; i++)
		put_fault(f, &d->fault[i]);
}

static void put_load(FILE *f, const struct station_load *l)
{
	static const struct station_load plain;

	fprintf(f, "\n[load %s]\n", l->name);
	put_section(f, "load", l, &plain);
}

char *dw_station_text(const struct dw_station *s)
{
	static const struct dw_station plain;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool bad;

	if (!f)
		return NULL;
	fputs("[station]\n", f);
	put_section(f, "station", s, &plain);
	for (uint32_t i = 0; i < s->n_nodes; i++)
		put_node(f, &s->node[i]);
	for (uint32_t i = 0; i < s->n_disks; i++)
		put_disk(f, &s->disk[i]);
	for (uint32_t i = 0; i < s->n_loads; i++)
		put_load(f, &s->load[i]);
	bad = ferror(f);
	if (!fclose(f) && !bad)
		return text;
	free(text);
	return NULL;
}
