/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of a disk of a job: opened and claimed, proven after consent to lead to one disk, and
 * supervised while it is erased. Only the transport knows of paths besides; nodes that appear and
 * disappear are handled here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/topology.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/events.h"
#include "engine/job.h"
#include "engine/paths.h"
#include "transport/meter.h"
#include "transport/paths.h"
#include "own/claim.h"
#include "judge/reading.h"
#include "judge/verdict.h"

#define SAMPLE_READS 24

/**
 * struct job_paths - the paths of a disk
 * @device: open and claimed; the first is the disk's own. Changed by @work alone
 * @claimed: their facts at the claim, for everybody else
 * @work: asks the failed path @asked again, if @under_way
 * @retry_ns: when a path may be asked again; UINT64_MAX = none has failed
 * @done_ns: the work on the disk ended meanwhile; 0 = it did not
 * @changes, @state: the state that was last reported to the user
 */
struct job_paths {
	struct dw_work work;
	struct job_disk *disk;
	uint32_t asked;
	bool under_way;
	uint64_t retry_ns;
	uint64_t done_ns;
	struct dw_job *job;
	uint32_t n;
	struct dw_device *device[DW_PATHS_MAX];
	struct dw_disk_info claimed[DW_PATHS_MAX];
	struct dw_path_set set;
	uint32_t changes;
	uint8_t state[DW_PATHS_MAX];
};

static const char *node_of(const struct dw_disk_info *i)
{
	return i->sg[0] ? i->sg : i->block;
}

static int refuse_path(struct dw_verdict *v, const char *node)
{
	return dw_verdict_set(v, DW_REFUSAL_CHANGED,
			      "%.64s does not answer as another path to it any more",
			      node);
}

static int open_other(struct job_paths *p, const struct dw_path_node *other,
		      struct dw_verdict *v)
{
	const char *node = other->sg[0] ? other->sg : other->block;
	struct dw_device **d = &p->device[p->n];

	int r = dw_device_open(node, d);

	if (r == -EMFILE || r == -ENFILE) {
		dw_verdict_of_error(r, v);
		return 1;
	}
	if (r < 0)
		return refuse_path(v, node);
	p->n++;
	if ((*d)->info.sg_dev != other->sg_dev ||
	    (*d)->info.block_dev != other->block_dev ||
	    !dw_disk_same_unit(&(*d)->info, &p->device[0]->info))
		return refuse_path(v, node);
	return 0;
}

/* One command fits every path. */
static void common_caps(const struct job_paths *p, struct dw_caps *caps)
{
	for (uint32_t i = 1; i < p->n; i++)
		dw_caps_join(caps, &p->device[i]->caps);
}

int job_paths_claim(struct dw_job *job, struct job_disk *d, const struct dw_disk *want,
		    struct dw_verdict *v)
{
	struct job_paths *p;
	int r = 0;

	if (!want->n_others)
		return dw_device_claim(d->device, &job->spec.rules, v);
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->job = job;
	p->disk = d;
	p->retry_ns = UINT64_MAX;
	p->device[0] = d->device;
	p->n = 1;
	d->paths = p;
	for (uint32_t i = 0; i < want->n_others && !r; i++)
		r = open_other(p, &want->other[i], v);
	if (!r)
		r = dw_device_claim_paths(p->device, p->n, &job->spec.rules, v);
	if (r)
		return r;
	for (uint32_t i = 0; i < p->n; i++)
		p->claimed[i] = p->device[i]->info;
	common_caps(p, &d->device->caps);
	return 0;
}

void job_paths_renew(struct job_disk *d)
{
	struct job_paths *p = d->paths;

	d->info = d->device->info;
	d->caps = d->device->caps;
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		p->claimed[i] = p->device[i]->info;
	common_caps(p, &d->device->caps);
	d->caps = d->device->caps;
}

void job_paths_free(struct job_disk *d)
{
	if (!d->paths)
		return;
	for (uint32_t i = 1; i < d->paths->n; i++)
		dw_device_close(d->paths->device[i]);
	free(d->paths);
	d->paths = NULL;
}

int job_paths_prove(struct job_disk *d, struct dw_verdict *v)
{
	return d->paths ? dw_device_prove(d->paths->device, d->paths->n, v) : 0;
}

int job_paths_refuse(struct dw_job *job, const struct job_disk *d,
		     const struct dw_verdict *v)
{
	int r = 0;

	if (!d->paths)
		return job_refuse(job, &d->info, v);
	for (uint32_t i = 0; i < d->paths->n && !r; i++)
		r = job_refuse(job, &d->paths->device[i]->info, v);
	return r;
}

const struct dw_disk_info *job_paths_node(const struct job_disk *d, uint32_t path)
{
	return d->paths && path < d->paths->n ? &d->paths->claimed[path] : NULL;
}

void job_paths_nodes(const struct job_disk *d, struct dw_disk_result *ret)
{
	for (uint32_t i = 1; d->paths && i < d->paths->n; i++) {
		const struct dw_disk_info *info = &d->paths->device[i]->info;

		if (info->sg[0])
			snprintf(ret->paths[ret->n_paths++], sizeof(ret->paths[0]), "%s",
				 info->sg);
		if (info->block[0])
			snprintf(ret->paths[ret->n_paths++], sizeof(ret->paths[0]), "%s",
				 info->block);
	}
}

size_t job_paths_devices(const struct job_disk *d, struct dw_device *ret[DW_PATHS_MAX])
{
	size_t n = d->paths ? d->paths->n : 1;

	ret[0] = d->device;
	for (size_t i = 1; i < n; i++)
		ret[i] = d->paths->device[i];
	return n;
}

struct dw_device *job_paths_sound(const struct job_disk *d)
{
	struct dw_lead_news news;

	if (!d->paths)
		return d->device;
	for (uint32_t i = 0; i < d->paths->n; i++) {
		dw_paths_news(d->place.transport, d->place.handle, i, &news);
		if (news.state == DW_LEAD_UP)
			return d->paths->device[i];
	}
	return NULL;
}

int job_paths_reserve(struct job_disk *d, struct dw_verdict *v)
{
	return d->paths ? dw_device_reserve_paths(d->paths->device, d->paths->n, v)
			: dw_device_reserve(d->device, v);
}

/* Host and channel; where several paths of the disk have the same, shelves number the ports
 * of one side first, so that the first paths of all disks run over one connection. */
static void describe_lead(const struct job_paths *p, uint32_t lead,
			  struct dw_lead_fds *ret)
{
	struct dw_device *dev = p->device[lead];
	uint32_t rank = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct dw_disk_info *other = &p->device[i]->info;

		rank += other->host == dev->info.host &&
			other->channel == dev->info.channel &&
			other->target < dev->info.target;
	}
	*ret = (struct dw_lead_fds){
		.sg_fd = dev->sg_fd,
		.blk_fd = dev->blk_fd,
		.errors = &dev->error.ours,
		.spared = dev->spared,
		.link = ((dev->info.host * 4 + dev->info.channel) * 3 + rank) %
			DW_LINKS_MAX,
	};
	snprintf(ret->name, sizeof(ret->name), "%s", node_of(&dev->info));
}

static int identify(void *ctx, uint32_t lead)
{
	struct job_paths *p = ctx;

	return dw_device_identity(p->device[lead]);
}

/* Finds the path under a new node and claims it. */
static int find_again(struct job_paths *p, uint32_t lead)
{
	struct dw_device *claimed[DW_PATHS_MAX], *found;
	struct dw_verdict v;
	size_t n = 0;
	int r = dw_device_find_path(p->device, p->n, &found);

	if (r)
		return r;
	for (uint32_t i = 0; i < p->n; i++)
		if (i != lead)
			claimed[n++] = p->device[i];
	r = dw_device_claim_more(found, claimed, n, &p->job->spec.rules, &v);
	if (!r && p->job->spec.reserve)
		r = dw_device_register(found, &v);
	if (r) {
		dw_device_close(found);
		return r < 0 ? r : -EBUSY;
	}
	dw_device_raise_max_sectors(found, found->caps.limit.max_bytes);
	/* with its node the old number is free, and the next disk may get it */
	if (p->device[lead]->info.block_dev != found->info.block_dev)
		dw_reading_unbar(p->device[lead]->info.block_dev);
	dw_device_replace(p->device[lead], found);
	return 0;
}

/* The path whose connection is the home of the fewest disks so far. */
static uint32_t choose_home(uint32_t *homes, const struct dw_path_set *set)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < set->n; i++)
		if (homes[set->lead[i].link] < homes[set->lead[best].link])
			best = i;
	homes[set->lead[best].link]++;
	return best;
}

const struct dw_path_set *job_paths_set(struct dw_job *job, struct job_disk *d)
{
	struct job_paths *p = d->paths;

	if (!p)
		return NULL;
	p->set = (struct dw_path_set){
		.n = p->n,
		.dynamic = job->paths_dynamic,
		.rw16 = d->caps.rw16,
		.sync16 = d->caps.cache.sync16,
		.ns_per_byte = job->result.paths.path_rate > 0
				       ? 1e9 / job->result.paths.path_rate
				       : 0,
		.quiet_ns = dw_disk_quiet_ns(&d->info),
		.identify = identify,
		.ctx = p,
	};
	for (uint32_t i = 0; i < p->n; i++)
		describe_lead(p, i, &p->set.lead[i]);
	p->set.home = choose_home(job->engine->homes, &p->set);
	return &p->set;
}

void job_paths_trace(struct dw_job *job, const struct job_disk *d)
{
	for (uint32_t i = 0; d->paths && i < d->paths->n; i++)
		dw_trace_path(job->trace.file, d->id, i + 1, d->paths->set.lead[i].name);
}

/* Bytes per second of sequential reads; the first, which seeks, does not count. */
static double read_rate(struct dw_device *dev, uint32_t nlb)
{
	uint32_t bytes = nlb * dev->caps.block_size, n = 0;
	dw_autofree void *buffer = malloc(bytes);
	uint64_t from = 0;

	for (; buffer && n <= SAMPLE_READS; n++) {
		if (n == 1)
			from = dw_clock_ns();
		if ((uint64_t)(n + 1) * nlb > dev->caps.blocks ||
		    dw_device_read(dev, (uint64_t)n * nlb, nlb, buffer))
			break;
	}
	return n > 1 ? (n - 1) * (double)bytes * 1e9 / (double)(dw_clock_ns() - from) : 0;
}

/* The slowest of the connections on the way, as far as the kernel reports their rates. */
static double kernels_rate(const struct dw_disk_info *info)
{
	struct dw_topology t;
	uint64_t rate = 0;

	if (dw_topology_read(&dw_machine_self, info, &t))
		return 0;
	for (uint32_t i = 0; i < t.n; i++)
		if (t.node[i].rate && (!rate || t.node[i].rate < rate))
			rate = t.node[i].rate;
	return (double)rate;
}

/* The connections that the disks of the job share, at least as many as one disk has. */
static uint32_t count_links(struct dw_job *job)
{
	bool seen[DW_LINKS_MAX] = { false };
	uint32_t n = 0, most = 0;

	for (uint32_t i = 0; i < job->n_disks; i++) {
		const struct job_paths *p = job->disk[i]->paths;

		for (uint32_t k = 0; p && k < p->n; k++) {
			struct dw_lead_fds fds;

			describe_lead(p, k, &fds);
			n += !seen[fds.link];
			seen[fds.link] = true;
		}
		most = p && p->n > most ? p->n : most;
	}
	return n > most ? n : most;
}

int dw_job_paths(struct dw_job *job, struct dw_paths_forecast *ret)
{
	const struct job_disk *first = NULL;

	*ret = (struct dw_paths_forecast){ 0 };
	if (job_reached(job, JOB_BEGUN))
		return -EBUSY;
	for (uint32_t i = 0; i < job->n_disks; i++) {
		if (!job->disk[i]->paths)
			continue;
		first = first ? first : job->disk[i];
		ret->devices++;
	}
	if (!first)
		return 0;
	ret->paths = count_links(job);
	ret->transfer =
		(job->spec.fixed_blocks ? job->spec.fixed_blocks : first->plan.optimal) *
		first->caps.block_size;
	if (first->caps.rotation > 1 && first->caps.cache.wce == DW_NO &&
	    !dw_caps_switch_cache(&first->caps, job->spec.write_cache))
		ret->revolution_ms = 60000.0 / first->caps.rotation;
	ret->path_rate = job->spec.path_rate ? (double)job->spec.path_rate
					     : kernels_rate(&first->info);
	ret->media_rate =
		read_rate(first->device, ret->transfer / first->caps.block_size);
	job->result.paths = *ret;
	return 0;
}

int dw_job_set_paths(struct dw_job *job, const struct dw_paths_forecast *f)
{
	if (job_reached(job, JOB_BEGUN))
		return -EBUSY;
	job->result.paths = *f;
	return 0;
}

static const char *state_text(uint8_t state)
{
	switch (state) {
	case DW_LEAD_UP:
		return "in use again, proven by a marker";
	case DW_LEAD_DOWN:
		return "failed; going on over the others";
	case DW_LEAD_BACK:
		return "there again; to be proven before the next write";
	case DW_LEAD_FOREIGN:
		return "leads to another disk; not used any more";
	default:
		return NULL;
	}
}

/* Temporary states are not reported. */
static uint8_t settled(uint8_t state, uint8_t before)
{
	switch (state) {
	case DW_LEAD_DOUBTED:
	case DW_LEAD_ASKED:
		return DW_LEAD_UP;
	case DW_LEAD_REVIVED:
		return DW_LEAD_DOWN;
	case DW_LEAD_PROVEN:
		return before;
	default:
		return state;
	}
}

static int report_changes(struct job_paths *p)
{
	const struct job_disk *d = p->disk;
	int r = 0;

	for (uint32_t i = 0; i < p->n && !r; i++) {
		struct dw_lead_news news;
		uint8_t state;

		dw_paths_news(d->place.transport, d->place.handle, i, &news);
		state = settled(news.state, p->state[i]);
		if (state == p->state[i])
			continue;
		p->state[i] = state;
		r = job_notice(p->job, d->id, "path %s: %s", news.name,
			       state_text(state));
	}
	return r;
}

static struct job_paths *paths_of(struct dw_work *w)
{
	return dw_container_of(w, struct job_paths, work);
}

static void ask_again(struct dw_work *w)
{
	struct job_paths *p = paths_of(w);
	const struct job_disk *d = p->disk;
	struct dw_lead_fds fds;
	int r;

	dw_paths_let_go(d->place.transport, d->place.handle, p->asked);
	r = dw_device_identity(p->device[p->asked]);
	if (r < 0)
		r = find_again(p, p->asked);
	if (!r)
		describe_lead(p, p->asked, &fds);
	dw_paths_revived(d->place.transport, d->place.handle, p->asked, r, &fds);
}

static int asked_again(struct dw_work *w)
{
	struct job_paths *p = paths_of(w);

	p->under_way = false;
	if (p->done_ns)
		return job_end_begin(p->job, p->disk, p->done_ns);
	return job_paths_watch(p->job, p->disk);
}

/* One path of a disk at a time. */
static void retry(struct job_paths *p, uint64_t now_ns)
{
	const struct job_disk *d = p->disk;
	int lead =
		dw_paths_retry(d->place.transport, d->place.handle, now_ns, &p->retry_ns);

	if (lead >= 0) {
		p->asked = (uint32_t)lead;
		p->under_way = true;
		p->work = (struct dw_work){ .run = ask_again, .done = asked_again };
		dw_loop_begin(p->job->engine->loop, &p->work);
	}
	if (p->retry_ns < p->job->paths_ns)
		p->job->paths_ns = p->retry_ns;
}

int job_paths_watch(struct dw_job *job, struct job_disk *d)
{
	struct job_paths *p = d->paths;
	uint32_t changes;

	if (!p || !d->place.transport)
		return 0;
	changes = dw_paths_changes(d->place.transport, d->place.handle);
	if (changes == p->changes)
		return 0;
	p->changes = changes;
	if (!p->under_way)
		retry(p, engine_clock(job->engine));
	return report_changes(p);
}

void job_paths_look(struct dw_job *job, uint64_t now_ns)
{
	if (now_ns < job->paths_ns)
		return;
	job->paths_ns = UINT64_MAX;
	for (uint32_t i = 0; i < job->n_disks; i++) {
		const struct job_disk *d = job->disk[i];

		if (d->paths && d->place.transport && !d->paths->under_way)
			retry(d->paths, now_ns);
	}
}

bool job_paths_busy(struct job_disk *d, uint64_t done_ns)
{
	if (!d->paths || !d->paths->under_way)
		return false;
	d->paths->done_ns = done_ns;
	return true;
}

const char *job_paths_way(const struct job_disk *d)
{
	uint32_t best = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; d->paths && i < d->paths->n; i++) {
		struct dw_lead_news news;

		dw_paths_news(d->place.transport, d->place.handle, i, &news);
		if (news.commands <= most)
			continue;
		most = news.commands;
		best = i;
	}
	return dw_sgio_way(dw_paths_inner(d->place.transport),
			   dw_paths_handle(d->place.handle, best));
}

void job_paths_result(const struct job_disk *d, struct dw_disk_result *ret)
{
	static const char *const words[] = {
		[DW_LEAD_UP] = "up",           [DW_LEAD_DOUBTED] = "up",
		[DW_LEAD_ASKED] = "up",        [DW_LEAD_DOWN] = "down",
		[DW_LEAD_REVIVED] = "down",    [DW_LEAD_BACK] = "unproven",
		[DW_LEAD_PROVEN] = "unproven", [DW_LEAD_FOREIGN] = "foreign",
	};
	struct job_paths *p = d->paths;

	if (!p)
		return;
	ret->n_path_use = p->n;
	snprintf(ret->path_mode, sizeof(ret->path_mode), "%s",
		 p->set.dynamic ? "dynamic" : "fixed");
	for (uint32_t i = 0; i < p->n; i++) {
		struct dw_path_use *use = &ret->path_use[i];
		struct dw_lead_news news;

		dw_paths_news(d->place.transport, d->place.handle, i, &news);
		memcpy(use->device, news.name, sizeof(use->device));
		snprintf(use->state, sizeof(use->state), "%s", words[news.state]);
		use->commands = news.commands;
		use->failures = news.failures;
		use->returns = news.returns;
	}
}

/* The transport no longer has the disk, so that the path needs no owner. */
int job_paths_release(struct job_disk *d)
{
	struct job_paths *p = d->paths;
	uint32_t live = 0;
	int r = 0;

	if (!p)
		return 0;
	while (live < p->n && p->state[live] != DW_LEAD_UP)
		live++;
	if (live && live < p->n)
		dw_device_inherit(p->device[live], p->device[0]);
	for (uint32_t i = 1; i < p->n; i++) {
		int one;

		p->device[i]->stranger = d->who.stranger;
		one = dw_device_release(p->device[i]);
		r = r ? r : one;
	}
	return r;
}
