/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks that cannot be erased now, and can in a moment, are waited for before anything is asked. */
#include "job/await.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POLL_MS   250
#define POLLS     720 /* three minutes: a shelf lets its disks spin up by turns */
#define MOMENTS   40  /* ten seconds */
#define NS_PER_MS 1000000L

static bool is_named(const struct cli *c, const struct dw_disk_info *info)
{
	struct stat st;

	for (size_t i = 0; i < c->n_operands; i++)
		if (!stat(c->operand[i], &st) &&
		    (S_ISBLK(st.st_mode) ? st.st_rdev == info->block_dev
					 : st.st_rdev == info->sg_dev))
			return true;
	return !c->n_operands;
}

/* udevd opens a disk when a writer has closed it, as after each erase. A process that only has its
 * name is refused ten seconds later. */
static bool is_looked_at(const struct dw_verdict *v)
{
	return v->refusal == DW_REFUSAL_OPEN && (strstr(v->reason, "(udev-worker)") ||
						 strstr(v->reason, "(systemd-udevd)"));
}

static bool spins_up(const struct dw_verdict *v)
{
	return v->passes;
}

static void await(const struct cli *c, struct dw_disk *d,
		  bool (*still)(const struct dw_verdict *), unsigned int *polls)
{
	const struct timespec moment = { .tv_nsec = POLL_MS * NS_PER_MS };
	struct dw_disk now;
	char node[64];

	snprintf(node, sizeof(node), "%s", cli_disk_node(&d->info));
	for (; *polls && still(&d->verdict); --*polls) {
		nanosleep(&moment, NULL);
		if (dw_disk_examine(node, &c->spec.rules, &now) < 0)
			return;
		*d = now;
	}
}

void cli_await_moment(const struct cli *c, struct dw_disk *d)
{
	unsigned int moments = MOMENTS;

	await(c, d, is_looked_at, &moments);
}

void cli_await(const struct cli *c, struct dw_disk *all, size_t n)
{
	unsigned int polls = POLLS, moments = MOMENTS;

	for (size_t i = 0; i < n; i++) {
		if (!is_named(c, &all[i].info))
			continue;
		await(c, &all[i], is_looked_at, &moments);
		if (polls && spins_up(&all[i].verdict))
			cli_warn("%s: it spins up: %s; waiting for it",
				 cli_disk_node(&all[i].info), all[i].verdict.reason);
		await(c, &all[i], spins_up, &polls);
	}
}
