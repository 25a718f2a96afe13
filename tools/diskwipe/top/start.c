/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is started is named by the digest of the plan whose forecast was shown: the service does
 * that, or nothing.
 */
#include "top/start.h"

#include <stdlib.h>
#include <string.h>

#include "job/forecast.h"
#include "client/job_options.h"
#include "options.h"
#include "own.h"

struct top_start {
	const struct cli *c;
	struct cli_job_options options;
	char *digest;
};

static void append(char *text, size_t size, const char *key, const char *value)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s%s %s", len ? ", " : "", key, value);
}

/* The method goes to the service also where nobody named it: the question does. */
struct top_start *top_start_new(const struct cli *c, struct top *t)
{
	struct top_start *s = cli_allocate(1, sizeof(*s));
	struct cli_job_options *o = &s->options;
	bool named = c->spec.pattern[0];

	s->c = c;
	cli_job_options_collect(c, o);
	for (size_t i = 0; i < o->n; i++)
		named |= !strcmp(o->key[i], "method");
	if (!named) {
		o->key[o->n] = "method";
		o->value[o->n++] = c->spec.method;
	}
	t->how[0] = '\0';
	for (size_t i = 0; i < o->n; i++)
		append(t->how, sizeof(t->how), o->key[i], o->value[i]);
	return s;
}

void top_start_free(struct top_start *s)
{
	if (s)
		free(s->digest);
	free(s);
}

static struct cli_submission submission(const struct top_start *s)
{
	const struct cli_submit_options *own = s->c->own;

	return (struct cli_submission){
		.key = s->options.key,
		.value = s->options.value,
		.n_options = s->options.n,
		.have_priority = cli_option_given(s->c, "priority"),
		.priority = own->priority,
		.label = s->c->label,
		.note = own->note,
	};
}

static void report_forecast(struct top *t, const char *plan)
{
	struct dw_forecast *f = dw_plan_forecast(plan);
	FILE *to = fmemopen(t->forecast, sizeof(t->forecast), "w");

	if (to && f)
		cli_forecast_print(f, to);
	else if (to)
		fputs("forecast: the service has none", to);
	if (to)
		fclose(to);
	dw_forecast_free(f);
}

int top_start_plan(struct top_start *s, struct cli_client *k, struct top *t)
{
	struct cli_wanted *disk = cli_allocate(t->n_targets, sizeof(*disk));
	struct cli_submission job = submission(s);
	char *plan = NULL;
	int r;

	for (size_t i = 0; i < t->n_targets; i++)
		disk[i] = (struct cli_wanted){ .serial = t->target[i].serial,
					       .wwn = t->target[i].wwn,
					       .capacity = t->target[i].capacity };
	job.disk = disk;
	job.n_disks = t->n_targets;
	free(s->digest);
	s->digest = NULL;
	r = cli_client_plan(k, &job, &s->digest, &plan);
	if (!r)
		report_forecast(t, plan);
	free(plan);
	free(disk);
	return r;
}

int top_start_begin(struct top_start *s, struct cli_client *k)
{
	const struct cli_submission job = submission(s);
	char *path = NULL;
	int r = cli_client_submit_plan(k, s->digest, &job, &path);

	free(path);
	return r;
}
