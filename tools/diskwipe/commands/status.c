/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe status and queue: what the station does, and who waits for what. */
#include <stdlib.h>
#include <string.h>

#include "client/json.h"
#include "output/station.h"
#include "client/target.h"

/* Jobs and disks to be shown, each list ended by NULL. */
struct view {
	const struct cli_station_job **job;
	size_t n_jobs;
	const struct cli_station_disk **disk;
	size_t n_disks;
};

static void add_job(struct view *v, const struct cli_station_job *j)
{
	for (size_t i = 0; i < v->n_jobs; i++)
		if (v->job[i] == j)
			return;
	if (j)
		v->job[v->n_jobs++] = j;
}

static void add_disk(struct view *v, const struct cli_station_disk *d)
{
	for (size_t i = 0; i < v->n_disks; i++)
		if (v->disk[i] == d)
			return;
	if (d)
		v->disk[v->n_disks++] = d;
}

static void add_target(struct view *v, const struct cli_station *s,
		       const struct cli_target *t)
{
	add_job(v, t->job ? t->job : cli_station_find_job(s, t->disk->job));
	add_disk(v, t->disk);
	for (size_t i = 0; t->job && t->job->objects[i]; i++)
		add_disk(v, cli_station_find_disk(s, t->job->objects[i]));
}

static void make_view(const struct cli *c, const struct cli_station *s,
		      const struct cli_targets *targets, struct view *ret)
{
	*ret = (struct view){ 0 };
	ret->job = cli_allocate(s->n_jobs + 1, sizeof(void *));
	ret->disk = cli_allocate(s->n_disks + 1, sizeof(void *));
	for (size_t i = 0; i < targets->n; i++)
		add_target(ret, s, &targets->list[i]);
	for (size_t i = 0; i < s->n_jobs && !c->n_operands; i++)
		add_job(ret, &s->job[i]);
	for (size_t i = 0; i < s->n_disks && !c->n_operands; i++)
		add_disk(ret, &s->disk[i]);
}

static void free_view(struct view *v)
{
	free(v->job);
	free(v->disk);
}

static void print_station(const struct cli *c, const struct cli_manager *m)
{
	cli_say(c, "station%s%s: %u disk%s at work, %u waiting", m->station[0] ? " " : "",
		m->station, m->active, m->active == 1 ? "" : "s", m->waiting);
	for (size_t i = 0; c->show.verbose && m->notes[i]; i++)
		cli_say(c, "note: %s", m->notes[i]);
}

static int show(struct cli *c, const struct cli_station *s, const struct view *v)
{
	if (c->show.json) {
		cli_json_station(s, v->job, v->disk);
		c->documented = true;
		return 0;
	}
	cli_station_alarm(s);
	if (!c->n_operands)
		print_station(c, &s->manager);
	if (!c->show.output)
		cli_table_jobs(c, s, v->job);
	if (!c->show.output && v->n_jobs && v->n_disks)
		putchar('\n');
	return cli_table_station(c, s, v->disk);
}

static int read_station(struct cli *c, struct cli_station *ret)
{
	struct cli_client *k = NULL;
	int r = cli_client_open(c, &k);

	if (r)
		return r;
	r = cli_client_read(k, ret);
	if (r)
		cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
	cli_client_free(k);
	return r;
}

int cli_verb_status(struct cli *c)
{
	struct cli_targets targets = { 0 };
	struct cli_station s = { 0 };
	struct view v;
	int r = read_station(c, &s);

	if (!r)
		r = cli_targets_find(c, &s, CLI_TARGET_SHOW, &targets);
	if (!r) {
		make_view(c, &s, &targets, &v);
		r = show(c, &s, &v);
		free_view(&v);
	}
	cli_targets_free(&targets);
	cli_station_deinit(&s);
	return r;
}

/* Neither at work nor done. */
static bool waits(const struct cli_station_disk *d)
{
	static const char *const states[] = { "queued", "claiming", "waiting" };

	for (size_t i = 0; i < CLI_ARRAY_SIZE(states); i++)
		if (!strcmp(d->state, states[i]))
			return true;
	return false;
}

/* Who is first: by the expected start; those without one are last. */
static int by_start(const void *a, const void *b)
{
	const struct cli_station_disk *x = *(const struct cli_station_disk *const *)a;
	const struct cli_station_disk *y = *(const struct cli_station_disk *const *)b;
	uint64_t p = x->expected_start_time - 1, q = y->expected_start_time - 1;

	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

int cli_verb_queue(struct cli *c)
{
	struct cli_station s = { 0 };
	struct view v = { 0 };
	int r = c->n_operands ? cli_fail(c, CLI_EXIT_USAGE,
					 "%s: queue takes no name; see diskwipe status",
					 c->operand[0])
			      : read_station(c, &s);

	if (r)
		return r;
	v.job = cli_allocate(s.n_jobs + 1, sizeof(void *));
	v.disk = cli_allocate(s.n_disks + 1, sizeof(void *));
	for (size_t i = 0; i < s.n_disks; i++) {
		if (!waits(&s.disk[i]))
			continue;
		add_disk(&v, &s.disk[i]);
		add_job(&v, cli_station_find_job(&s, s.disk[i].job));
	}
	if (v.n_disks)
		qsort(v.disk, v.n_disks, sizeof(const struct cli_station_disk *),
		      by_start);
	if (c->show.json)
		cli_json_station(&s, v.job, v.disk);
	else if (v.n_disks)
		cli_table_queue(c, &s, v.disk);
	else
		cli_say(c, "no disk waits");
	c->documented = true;
	free_view(&v);
	cli_station_deinit(&s);
	return 0;
}
