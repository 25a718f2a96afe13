/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job is named by the first digits of its UUID; a disk by a node, with or without /dev/, a link
 * to one, its serial, WWN, bay or slot. A word that means two things is refused, never guessed.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/target.h"

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

static int find_one(struct cli *c, const struct cli_station *s, const char *word,
		    struct cli_target *ret)
{
	char real[PATH_MAX];
	size_t n = 0;

	if (!strchr(word, '/') || !realpath(word, real))
		snprintf(real, sizeof(real), "%s", word);
	for (size_t i = 0; i < s->n_disks; i++) {
		if (!is_called(&s->disk[i], word, real))
			continue;
		ret->disk = &s->disk[i];
		n++;
	}
	for (size_t i = 0; i < s->n_jobs && !n; i++)
		if (is_prefix(&s->job[i], word, strlen(word)))
			ret->job = &s->job[i];
	n += ret->disk ? 0 : count_prefix(s, word, strlen(word));
	if (n == 1)
		return 0;
	if (n)
		return cli_fail(c, CLI_EXIT_USAGE,
				"%s: means %zu of the station's jobs or disks; name it "
				"more fully",
				word, n);
	return cli_fail(c, CLI_EXIT_REFUSED,
			"%s: no job and no disk of the station; see diskwipe status",
			word);
}

int cli_targets_find(struct cli *c, const struct cli_station *s, struct cli_target **ret)
{
	struct cli_target *list = cli_allocate(c->n_operands, sizeof(*list));
	int r = 0;

	for (size_t i = 0; i < c->n_operands && !r; i++)
		r = find_one(c, s, c->operand[i], &list[i]);
	if (r) {
		free(list);
		return r;
	}
	*ret = list;
	return 0;
}
