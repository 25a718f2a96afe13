/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ladder for people: what is chosen for a disk, and what else there is. */
#include "ways.h"

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
	printf("to purge it, --method=auto takes %s\n",
	       ways->method[0] ? ways->method : "nothing: purge-unavailable");
}
