/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe pause, resume and cancel. All words are understood before the first call is made. Of
 * a job that is named as a whole no disk is named to the service.
 */
#include <stdlib.h>
#include <string.h>

#include "client/target.h"

static const struct control {
	uint32_t bit;
	enum cli_job_call call;
	const char *done;
} controls[] = {
	{ CLI_PAUSE, CLI_JOB_PAUSE, "pauses" },
	{ CLI_RESUME, CLI_JOB_RESUME, "resumes" },
	{ CLI_CANCEL, CLI_JOB_CANCEL, "is cancelled" },
};

static const struct cli_station_job *job_of_target(const struct cli_station *s,
						   const struct cli_target *t)
{
	const struct cli_station_job *j =
		t->job ? t->job : cli_station_find_job(s, t->disk->job);

	if (!j || !strcmp(j->state, "done") || (t->disk && t->disk->outcome[0]))
		return NULL;
	return j;
}

static int check(struct cli *c, const struct cli_station *s, const struct cli_target *t)
{
	for (size_t i = 0; i < c->n_operands; i++)
		if (!job_of_target(s, &t[i]))
			return cli_fail(c, CLI_EXIT_REFUSED,
					"%s: nothing to %s: %s; see diskwipe status",
					c->operand[i], c->verb->name,
					t[i].job ? "this job has ended"
						 : "no job works on this disk");
	return 0;
}

static int call(struct cli *c, struct cli_client *k, const struct control *how,
		const struct cli_station *s, const struct cli_target *t, const char *word)
{
	const struct cli_station_job *j = job_of_target(s, t);
	char name[40];
	int r = cli_client_job(k, how->call, j->path, t->disk ? t->disk->path : NULL);

	if (r)
		return cli_fail(c, (enum cli_exit)r, "%s: %s", word, cli_client_why(k));
	cli_job_name(s, j, name, sizeof(name));
	if (t->disk)
		cli_say(c, "%s of job %s %s", cli_station_disk_name(t->disk), name,
			how->done);
	else
		cli_say(c, "job %s %s", name, how->done);
	return 0;
}

/* A call that fails does not keep the others from being made. */
static int call_all(struct cli *c, struct cli_client *k, const struct cli_station *s,
		    const struct cli_target *t)
{
	const struct control *how = controls;
	int code = 0;

	while (how->bit != c->verb->bit)
		how++;
	for (size_t i = 0; i < c->n_operands; i++) {
		int r = call(c, k, how, s, &t[i], c->operand[i]);

		code = code ? code : r;
	}
	return code;
}

int cli_verb_control(struct cli *c)
{
	struct cli_targets targets = { 0 };
	struct cli_station s = { 0 };
	struct cli_client *k = NULL;
	int r;

	if (!c->n_operands)
		return cli_fail(c, CLI_EXIT_USAGE,
				"no job or disk named; see diskwipe status");
	r = cli_client_open(c, &k);
	if (r)
		return r;
	r = cli_client_read(k, &s);
	if (r)
		cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
	if (!r)
		r = cli_targets_find(c, &s, CLI_TARGET_CHANGE, &targets);
	if (!r)
		r = check(c, &s, targets.list);
	if (!r)
		r = call_all(c, k, &s, targets.list);
	cli_targets_free(&targets);
	cli_station_deinit(&s);
	cli_client_free(k);
	return r;
}
