/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk is named by a node, with or without /dev/, a link to one, its serial, WWN, bay or slot; a
 * job by the first digits of its UUID or by its label. A word that means two things is refused, not
 * guessed, where something is to be changed. To look at or wait for them, a label stands for all of
 * its jobs, and means no job where the word means a disk.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/target.h"

#define NAMES_MAX 240 /* of what a word may mean, in a message */

static bool is_prefix(const struct cli_station_job *j, const char *word, size_t len)
{
	return len >= CLI_JOB_DIGITS && !strncasecmp(j->id, word, len);
}

static size_t count_prefix(const struct cli_station *s, const char *word, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_jobs; i++)
		n += is_prefix(&s->job[i], word, len);
	return n;
}

const char *cli_job_name(const struct cli_station *s, const struct cli_station_job *job,
			 char *buf, size_t size)
{
	bool alone = count_prefix(s, job->id, CLI_JOB_DIGITS) < 2;

	snprintf(buf, size, "%.*s", alone ? CLI_JOB_DIGITS : 36, job->id);
	return buf;
}

const char *cli_station_disk_name(const struct cli_station_disk *d)
{
	if (d->device[0])
		return d->device;
	if (d->bay[0])
		return d->bay;
	return d->serial[0] ? d->serial : d->wwn;
}

static bool is_called(const struct cli_station_disk *d, const char *word,
		      const char *real)
{
	const char *const names[] = { d->device, d->block, d->serial,
				      d->wwn,    d->bay,   d->slot };

	for (size_t i = 0; i < 2 && !strchr(word, '/'); i++) {
		const char *slash = strrchr(names[i], '/');

		if (slash && !strcmp(slash + 1, word))
			return true;
	}
	for (size_t i = 0; i < CLI_ARRAY_SIZE(names); i++)
		if (names[i][0] && (!strcmp(names[i], word) || !strcmp(names[i], real)))
			return true;
	return false;
}

/* What a word means, added to a list of targets that has room for all jobs. */
struct meant {
	struct cli_target *list;
	size_t n;
};

static void add_job(struct meant *f, const struct cli_station_job *j)
{
	f->list[f->n++] = (struct cli_target){ .job = j };
}

static bool has_ended(const struct cli_station_job *j)
{
	return !strcmp(j->state, "done");
}

static bool has_job(const struct meant *f, size_t from, const struct cli_station_job *j)
{
	for (size_t i = from; i < f->n; i++)
		if (f->list[i].job == j)
			return true;
	return false;
}

/* The jobs of a label that go on, or have ended; but not those that are meant already. */
static void find_label(const struct cli_station *s, const char *word, bool ended,
		       struct meant *f, size_t from)
{
	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct cli_station_job *j = &s->job[i];

		if (!strcmp(j->label, word) && has_ended(j) == ended &&
		    !has_job(f, from, j))
			add_job(f, j);
	}
}

static int ambiguous(struct cli *c, const struct cli_station *s, const char *word,
		     const struct meant *f, size_t from)
{
	char names[NAMES_MAX] = "", name[40];
	size_t len = 0, n = f->n - from, jobs = 0;

	for (size_t i = from; i < f->n; i++) {
		const struct cli_target *t = &f->list[i];

		jobs += t->job != NULL;
		if (len + sizeof(", ") + sizeof(name) + sizeof(", ...") > sizeof(names)) {
			snprintf(names + len, sizeof(names) - len, ", ...");
			break;
		}
		if (t->job)
			cli_job_name(s, t->job, name, sizeof(name));
		else
			snprintf(name, sizeof(name), "%s",
				 cli_station_disk_name(t->disk));
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
					i > from ? ", " : "", name);
	}
	return cli_fail(c, CLI_EXIT_USAGE, "%s: means %zu %s: %s; name one of them", word,
			n,
			!jobs               ? "disks"
			: f->list[from].job ? "jobs"
					    : "disks and jobs",
			names);
}

/* A disk or a UUID goes before a label, which may be that of last week's job too; but what is to be
 * changed must be one thing: a job of that name that goes on is as likely to be meant. Jobs that
 * have ended are only looked at, where another goes on. */
static int find_labelled(struct cli *c, const struct cli_station *s, const char *word,
			 enum cli_target_use use, struct meant *f, size_t from)
{
	bool other = f->n > from;

	if (!word[0] || (other && use != CLI_TARGET_CHANGE))
		return 0;
	find_label(s, word, false, f, from);
	if (f->n > from && use != CLI_TARGET_SHOW)
		return 0;
	find_label(s, word, true, f, from);
	if (use == CLI_TARGET_CHANGE && f->n > from + 1)
		return cli_fail(c, CLI_EXIT_REFUSED,
				"%s: all %zu jobs of that label have ended", word,
				f->n - from);
	return 0;
}

static int find_word(struct cli *c, const struct cli_station *s, const char *word,
		     enum cli_target_use use, struct meant *f)
{
	char real[PATH_MAX];
	size_t from = f->n;
	bool label;
	int r;

	if (!strchr(word, '/') || !realpath(word, real))
		snprintf(real, sizeof(real), "%s", word);
	for (size_t i = 0; i < s->n_disks; i++)
		if (is_called(&s->disk[i], word, real))
			f->list[f->n++] = (struct cli_target){ .disk = &s->disk[i] };
	for (size_t i = 0; i < s->n_jobs && (f->n == from || f->list[from].job); i++)
		if (is_prefix(&s->job[i], word, strlen(word)))
			add_job(f, &s->job[i]);
	label = f->n == from;
	r = find_labelled(c, s, word, use, f, from);
	if (r)
		return r;
	if (f->n > from + 1 && !(label && use != CLI_TARGET_CHANGE))
		return ambiguous(c, s, word, f, from);
	if (f->n > from)
		return 0;
	return cli_fail(c, CLI_EXIT_REFUSED,
			"%s: no job and no disk of the station; see diskwipe status",
			word);
}

int cli_targets_find(struct cli *c, const struct cli_station *s, enum cli_target_use use,
		     struct cli_targets *ret)
{
	size_t room = c->n_operands * (s->n_jobs + s->n_disks);
	struct meant f = { .list = cli_allocate(room + 1, sizeof(*f.list)) };
	int r = 0;

	for (size_t i = 0; i < c->n_operands && !r; i++)
		r = find_word(c, s, c->operand[i], use, &f);
	*ret = (struct cli_targets){ f.list, f.n };
	return r;
}

void cli_targets_free(struct cli_targets *t)
{
	free(t->list);
	*t = (struct cli_targets){ 0 };
}
