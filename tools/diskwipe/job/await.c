/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks that cannot be erased now, and can in a moment, are waited for before anything is asked. */
#include "job/await.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POLL_MS 250
#define POLLS   720 /* three minutes: a shelf lets its disks spin up by turns */
#define MOMENTS                                                                          \
	40 /* ten seconds for udevd, which looks at a disk when a writer has closed it */
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

/* As after each erase. Whoever calls himself so is refused ten seconds later. */
static bool is_looked_at(const struct dw_verdict *v)
{
	return v->refusal == DW_REFUSAL_OPEN && (strstr(v->reason, "(udev-worker)") ||
						 strstr(v->reason, "(systemd-udevd)"));
}

static void await_udevd(const struct cli *c, struct dw_disk *d, unsigned int *moments)
{
	const struct timespec moment = { .tv_nsec = POLL_MS * NS_PER_MS };
	char node[64];

	snprintf(node, sizeof(node), "%s", cli_disk_node(&d->info));
	for (; *moments && is_looked_at(&d->verdict); --*moments) {
		nanosleep(&moment, NULL);
		if (dw_disk_examine(node, &c->spec.rules, d) < 0)
			return;
	}
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
	unsigned int polls = POLLS, moments = MOMENTS;

	for (size_t i = 0; i < n; i++) {
		if (!is_named(c, &all[i].info))
			continue;
		await_udevd(c, &all[i], &moments);
		if (all[i].verdict.passes)
			await(c, &all[i], &polls);
	}
}
