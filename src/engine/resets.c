/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resets that no command of ours is told of. A unit attention goes to one command only; when
 * it is another program's, a volatile cache may have been lost without a trace in our own
 * completions. The kernel's event is the trace: the identification that follows every flush
 * asks here, and a reset that was missed counts as if it had met it.
 */
#include "base/util.h"
#include "engine/internal.h"

#define LISTEN_NS (100 * DW_NS_PER_MS)
/* An event this near to a completion that told of a reset tells of the same one. */
#define SAME_NS (10 * DW_NS_PER_S)

static bool is_there(const struct dw_disk_info *i, const struct dw_disk_info *at)
{
	return i->scsi && i->host == at->host && i->channel == at->channel &&
	       i->target == at->target && i->lun == at->lun;
}

/* on whichever of its paths: the cache behind them is one */
static bool is_at(const struct job_disk *d, const struct dw_disk_info *at)
{
	const struct dw_disk_info *i;

	if (!d->device)
		return false;
	if (is_there(&d->info, at))
		return true;
	for (uint32_t k = 0; (i = job_paths_node(d, k)); k++)
		if (is_there(i, at))
			return true;
	return false;
}

void job_resets_hear(struct dw_job *job, uint64_t now_ns)
{
	struct dw_disk_info at;

	if (!job->resets || now_ns - job->resets_ns < LISTEN_NS)
		return;
	job->resets_ns = now_ns;
	while (dw_resets_next(job->resets, &at))
		for (uint32_t i = 0; i < job->n_disks; i++)
			if (is_at(job->disk[i], &at))
				job->disk[i]->reset_heard_ns = now_ns;
}

bool job_resets_missed(struct job_disk *d)
{
	uint64_t heard = d->reset_heard_ns, told = d->reset_told_ns;

	d->reset_heard_ns = 0;
	return heard && (!told || heard > told + SAME_NS || told > heard + SAME_NS);
}
