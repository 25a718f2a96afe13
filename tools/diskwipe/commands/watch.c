/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskwipe watch: jobs of the service until they have ended. */
#include <stdlib.h>
#include <string.h>

#include "client/follow.h"
#include "signals.h"
#include "client/target.h"

static bool is_listed(char *const *paths, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(paths[i], path))
			return true;
	return false;
}

static size_t add_path(char **paths, size_t n, const char *path)
{
	if (!is_listed(paths, n, path))
		paths[n++] = strdup(path);
	return n;
}

/* The jobs that were named, by themselves or by a disk; else all that have not ended. */
static int choose_jobs(struct cli *c, const struct cli_station *s, char **ret,
		       size_t *ret_n)
{
	struct cli_targets targets = { 0 };
	int r = cli_targets_find(c, s, CLI_TARGET_FOLLOW, &targets);
	size_t n = 0;

	for (size_t i = 0; !r && i < targets.n; i++) {
		const struct cli_target *t = &targets.list[i];
		const char *path = t->job ? t->job->path : t->disk->job;

		if (!strcmp(path, "/"))
			r = cli_fail(c, CLI_EXIT_REFUSED, "%s: no job works on this disk",
				     cli_station_disk_name(t->disk));
		else
			n = add_path(ret, n, path);
	}
	for (size_t i = 0; !c->n_operands && i < s->n_jobs; i++)
		if (strcmp(s->job[i].state, "done") != 0)
			n = add_path(ret, n, s->job[i].path);
	cli_targets_free(&targets);
	*ret_n = n;
	return r;
}

static int watch(struct cli *c, struct cli_client *k, struct cli_station *s)
{
	char **jobs;
	size_t n = 0;
	int r = cli_client_read(k, s);

	if (r)
		return cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
	cli_station_alarm(s);
	jobs = cli_allocate(s->n_jobs + c->n_operands + 1, sizeof(*jobs));
	r = choose_jobs(c, s, jobs, &n);
	if (!r && n)
		r = cli_follow(c, k, s, (const char *const *)jobs, n);
	else if (!r)
		cli_say(c, "no job goes on");
	for (size_t i = 0; i < n; i++)
		free(jobs[i]);
	free(jobs);
	return r;
}

int cli_verb_watch(struct cli *c)
{
	struct cli_station s = { 0 };
	struct cli_client *k = NULL;
	int r;

	cli_signals_begin();
	r = cli_client_open(c, &k);
	if (r)
		return r;
	r = watch(c, k, &s);
	cli_station_deinit(&s);
	cli_client_free(k);
	return r;
}
