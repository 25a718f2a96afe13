/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resets that no command of ours reports. A unit attention goes to one command only. If that is
 * another program's, a volatile cache may have been lost, or the disk exchanged, without a trace
 * in our own completions. The trace is the kernel's event: no write is sent until the disk has
 * been identified, and a missed reset counts as if that identification had met it. If there is no
 * event either, the lease of writing bounds what can go to another disk.
 */
#include <errno.h>

#include "base/util.h"
#include "diskwipe/units.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "engine/resets.h"
#include "device/uevents.h"

#define LISTEN_NS DW_NS_PER_MS
/* Three INQUIRYs for that much cost less than a thousandth of a disk's time. */
#define LEASE_BYTES (64 * DW_MIB)
#define LEASE_NS    (2 * DW_NS_PER_S)

static bool is_there(const struct dw_disk_info *i, const struct dw_disk_info *at)
{
	return i->scsi && i->host == at->host && i->channel == at->channel &&
	       i->target == at->target && i->lun == at->lun;
}

/* on any of its paths: they share one cache */
static bool is_at(const struct job_disk *d, const struct dw_disk_info *at)
{
	const struct dw_disk_info *i;

	if (!d->place.transport || !d->device) /* it is being released */
		return false;
	if (is_there(&d->info, at))
		return true;
	for (uint32_t k = 0; (i = job_paths_node(d, k)); k++)
		if (is_there(i, at))
			return true;
	return false;
}

/* One path of the disk as the sender knows it; false when there are no more. */
static bool find_lease(const struct job_disk *d, uint32_t path, void **ret_sender,
		       uint32_t *ret_handle)
{
	if (!d->place.transport || !d->device || !d->caps.scsi ||
	    path >= (d->paths ? DW_PATHS_MAX : 1))
		return false;
	*ret_sender = d->paths ? dw_paths_inner(d->place.transport)
			       : dw_sgio_sender_of(d->place.transport);
	*ret_handle = d->paths ? dw_paths_handle(d->place.handle, path) : d->place.handle;
	return true;
}

static void doubt(struct job_disk *d)
{
	uint32_t handle;
	void *sender;

	atomic_store(&d->who.doubted, true);
	for (uint32_t i = 0; find_lease(d, i, &sender, &handle); i++)
		dw_sgio_doubt(sender, handle);
}

static void take_news(struct job_disk *d, enum dw_unit_news news)
{
	if (news != DW_UNIT_ALTERED)
		d->who.exchangeable = true;
	if (news == DW_UNIT_RESET || news == DW_UNIT_LOST)
		d->who.reset_noticed = true;
	doubt(d);
}

static void report_lost(const struct dw_engine *e)
{
	for (struct dw_job *job = e->jobs; job; job = job->in.next)
		if (job_runs(job))
			job_notice(job, DW_EVENT_OF_JOB,
				   "events of the kernel were lost: every disk is "
				   "identified again");
}

void engine_take_news(struct dw_engine *e, uint64_t now_ns)
{
	struct dw_disk_info at;
	enum dw_unit_news news;

	if (!e->uevents || now_ns - e->resets_ns < LISTEN_NS)
		return;
	e->resets_ns = now_ns;
	while ((news = dw_uevents_next(e->uevents, &at)) != DW_UNIT_NOTHING) {
		if (news == DW_UNIT_LOST)
			report_lost(e);
		for (uint32_t i = 0; i < e->cap_disks; i++)
			if (e->disk[i] &&
			    (news == DW_UNIT_LOST || is_at(e->disk[i], &at)))
				take_news(e->disk[i], news);
	}
}

/* Events before the end of the identification that follows a reset belong to that reset, as
 * nothing was written meanwhile. Later ones may belong to another. */
bool job_resets_missed(struct job_disk *d)
{
	bool missed = d->who.reset_noticed && !d->who.reset_reported;

	d->who.reset_noticed = d->who.reset_reported = false;
	return missed;
}

/* Runs in the disk's threads. In doubt the core has to identify the disk, which checks more than
 * its names. */
static int renew(void *ctx, dw_lease_send send, void *send_ctx)
{
	struct job_disk *d = ctx;

	return atomic_load(&d->who.doubted) ? 1
					    : dw_identity_renew(&d->info, send, send_ctx);
}

const struct dw_lease_terms *job_lease(struct job_disk *d)
{
	if (!d->device || !d->caps.scsi)
		return NULL;
	d->who.lease = (struct dw_lease_terms){
		.bytes = LEASE_BYTES, .ns = LEASE_NS, .identify = renew, .ctx = d
	};
	return &d->who.lease;
}

uint64_t job_unproven(const struct job_disk *d)
{
	uint64_t bytes = 0;
	uint32_t handle;
	void *sender;

	for (uint32_t i = 0; find_lease(d, i, &sender, &handle); i++)
		bytes += dw_sgio_unproven(sender, handle);
	return bytes;
}

int job_events_open(struct dw_job *job)
{
	char buf[32];
	int r = dw_uevents_new(&job->engine->uevents);

	if (r != -ENOTSUP)
		return r;
	return job_notice(
		job, DW_EVENT_OF_JOB,
		"the kernel's events cannot be heard here: a disk that is exchanged "
		"while another program takes its unit attention is noticed %s later",
		dw_size_format_binary(LEASE_BYTES, buf, sizeof(buf)));
}
