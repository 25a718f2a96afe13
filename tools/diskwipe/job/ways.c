/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ladder for people: what is chosen for a disk, and what else there is. */
#include "job/ways.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

void cli_ways_fit(const struct cli *c, struct cli_selection *s)
{
	struct dw_ways ways;
	struct dw_verdict v;

	for (size_t i = 0; i < s->n;) {
		if (dw_disk_ways(&s->disk[i].info, &c->spec, &ways, &v) == 1)
			cli_selection_refuse(s, i, &v);
		else
			i++;
	}
}

/* A disk that is in use is planned all the same: what leaves it out is a new refusal. */
int cli_whole_fit(struct cli *c, struct cli_selection *s)
{
	uint32_t *group = cli_allocate(s->n + 1, sizeof(*group));
	uint8_t *before = cli_allocate(s->n + 1, sizeof(*before));
	int r;

	for (size_t i = 0; i < s->n; i++)
		before[i] = (uint8_t)s->disk[i].verdict.refusal;
	r = dw_disks_whole(&c->spec, s->disk, s->n, group);
	for (size_t i = 0, k = 0; r >= 0 && i < s->n; k++) {
		const struct dw_verdict v = s->disk[i].verdict;

		if (v.refusal != before[k])
			cli_selection_refuse(s, i, &v);
		else
			i++;
	}
	free(before);
	free(group);
	return r >= 0 ? 0
		      : cli_fail(c, CLI_EXIT_REFUSED,
				 "which disks are one device cannot be seen: %s",
				 strerror(-r));
}

/* How many disks from number @i on are one device with that; 1: it is alone, or not the first. */
static size_t print_device(const struct cli_selection *s, const uint32_t *group,
			   uint32_t i, FILE *f, const char *before)
{
	size_t n = 1;

	for (size_t k = i + 1; k < s->n && group[i] == i; k++) {
		if (group[k] != i)
			continue;
		if (n++ == 1)
			fprintf(f, "%s%s", before, cli_disk_node(&s->disk[i].info));
		fprintf(f, ", %s", cli_disk_node(&s->disk[k].info));
	}
	return n;
}

void cli_whole_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		   const char *before)
{
	struct dw_disk *disk = cli_allocate(s->n + 1, sizeof(*disk));
	uint32_t *group = cli_allocate(s->n + 1, sizeof(*group));

	memcpy(disk, s->disk, s->n * sizeof(*disk));
	if (dw_disks_whole(&c->spec, disk, s->n, group) >= 0)
		for (uint32_t i = 0; i < s->n; i++) {
			size_t n = print_device(s, group, i, f, before);

			if (n > 1)
				fprintf(f,
					": one device; all %zu are erased as one, and each "
					"is proven by itself\n",
					n);
		}
	free(group);
	free(disk);
}

void cli_ways_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		  const char *before)
{
	struct dw_ways ways;
	struct dw_verdict v;

	for (size_t i = 0; i < s->n; i++)
		if (!dw_disk_ways(&s->disk[i].info, &c->spec, &ways, &v) &&
		    ways.reason[0])
			fprintf(f, "%s%s: %s\n", before, cli_disk_node(&s->disk[i].info),
				ways.reason);
}

void cli_ways_inspect(struct dw_inspected *ret)
{
	struct dw_job_spec spec;
	struct dw_verdict v;

	dw_job_spec_init(&spec);
	snprintf(spec.method, sizeof(spec.method), "auto");
	spec.level = DW_LEVEL_PURGE;
	dw_disk_ways(&ret->disk.info, &spec, &ret->ways, &v);
}

void cli_ways_print(const struct dw_inspected *d)
{
	const struct dw_ways *ways = &d->ways;

	for (uint32_t i = 0; i < ways->n; i++) {
		const struct dw_way *w = &ways->way[i];

		printf("erase: %s%s%s%s%s%s\n", w->text, w->limit[0] ? "; " : "",
		       w->limit, w->allow[0] ? "; only with --allow=" : "", w->allow,
		       w->allow[0] ? ", or by name" : "");
	}
	if (ways->method[0])
		printf("to purge it, --method=auto takes %s\n", ways->method);
	else if (ways->reason[0])
		printf("purge: %s\n", ways->reason);
}
