/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/await.h"

#include <sys/stat.h>
#include <time.h>

#define POLL_MS   250
#define POLLS     720 /* three minutes: a shelf lets its disks spin up by turns */
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

static void await(const struct cli *c, struct dw_disk *d, unsigned int *polls)
{
	const struct timespec moment = { .tv_nsec = POLL_MS * NS_PER_MS };
	char node[64];

	snprintf(node, sizeof(node), "%s", cli_disk_node(&d->info));
	if (*polls)
		cli_warn("%s: it spins up: %s; waiting for it", node, d->verdict.reason);
	for (; *polls && d->verdict.passes; --*polls) {
		nanosleep(&moment, NULL);
		if (dw_disk_examine(node, &c->spec.rules, d) < 0)
			return;
	}
}

void cli_await(const struct cli *c, struct dw_disk *all, size_t n)
{
	unsigned int polls = POLLS;

	for (size_t i = 0; i < n; i++)
		if (all[i].verdict.passes && is_named(c, &all[i].info))
			await(c, &all[i], &polls);
}
