/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Assigns disks to links of the core. Disks behind one adapter share a link, whatever jobs they
 * belong to, as long as these want the same settings. Links of one adapter share one limit of
 * active disks. A job in the background has a link of its own, as its share of the time is its
 * own. Its disks, which may have to wait, do not count.
 */
#include <string.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/links.h"
#include "sched/controller.h"
#include "sched/strategy.h"

/**
 * struct engine_link - a link
 * @cfg: its settings in the core; @number: its number there
 * @adapter: the adapter of its disks
 * @owner: the only job whose disks it takes; NULL = disks of all jobs that want the same settings
 * @disks: number of disks on it; 0 = the core does not have it
 */
struct engine_link {
	struct dw_core_link cfg;
	uint32_t number;
	char adapter[DW_ADAPTER_NAME];
	const struct dw_job *owner;
	uint32_t disks;
};

static void describe_link(const struct job_disk *d, struct engine_link *ret)
{
	const struct dw_job *job = d->job;
	const struct dw_job_spec *spec = &job->spec;

	*ret = (struct engine_link){
		.cfg = { .strategy = dw_strategy_find(spec->strategy),
			 .controller = dw_controller_find(spec->controller),
			 .active = spec->active,
			 .fixed_blocks = spec->fixed_blocks,
			 .buffer_bytes = spec->controller_buffer },
		.owner = spec->background.kind == DW_BACKGROUND_OFF ? NULL : job,
		.disks = 1,
	};
	memcpy(ret->adapter, d->place.adapter, sizeof(ret->adapter));
}

static bool is_same(const struct engine_link *a, const struct engine_link *b)
{
	return a->disks && a->owner == b->owner && !strcmp(a->adapter, b->adapter) &&
	       a->cfg.strategy == b->cfg.strategy &&
	       a->cfg.controller == b->cfg.controller && a->cfg.active == b->cfg.active &&
	       a->cfg.fixed_blocks == b->cfg.fixed_blocks &&
	       a->cfg.buffer_bytes == b->cfg.buffer_bytes;
}

/* A free entry, or a new one. */
static int vacant(struct dw_engine *e, struct engine_link **ret)
{
	uint32_t i = 0;
	int r;

	while (i < e->n_links && e->link[i].disks)
		i++;
	r = i < e->n_links ? 0 : dw_grow(&e->link, i, i + 1, sizeof(*e->link));
	if (r < 0)
		return r;
	e->n_links += i == e->n_links;
	*ret = &e->link[i];
	return 0;
}

/* The number that the links of one adapter share. */
static uint32_t shared_number(struct dw_engine *e, const struct engine_link *want)
{
	for (uint32_t i = 0; i < e->n_links; i++) {
		const struct engine_link *l = &e->link[i];

		if (l->disks && !l->owner && !strcmp(l->adapter, want->adapter))
			return l->cfg.shared;
	}
	return ++e->n_shared;
}

int job_link_take(struct job_disk *d)
{
	struct dw_engine *e = d->job->engine;
	struct engine_link want, *l;
	int r;

	describe_link(d, &want);
	for (uint32_t i = 0; i < e->n_links; i++)
		if (is_same(&e->link[i], &want)) {
			e->link[i].disks++;
			d->place.link = e->link[i].number;
			return 0;
		}
	if (!want.owner)
		want.cfg.shared = shared_number(e, &want);
	r = vacant(e, &l);
	if (!r)
		r = dw_core_link_new(e->core, &want.cfg, &want.number);
	if (r < 0)
		return r;
	*l = want;
	d->place.link = want.number;
	return 0;
}

void job_link_leave(struct job_disk *d)
{
	struct dw_engine *e = d->job->engine;

	for (uint32_t i = 0; i < e->n_links; i++) {
		struct engine_link *l = &e->link[i];

		if (!l->disks || l->number != d->place.link || --l->disks)
			continue;
		dw_core_link_drop(e->core, l->number);
	}
}

uint32_t job_link_disks(const struct job_disk *d)
{
	const struct dw_engine *e = d->job->engine;

	for (uint32_t i = 0; i < e->n_links; i++)
		if (e->link[i].disks && e->link[i].number == d->place.link)
			return e->link[i].disks;
	return 1;
}

bool job_link_next(const struct dw_job *job, uint32_t *i, uint32_t *ret)
{
	const struct dw_engine *e = job->engine;

	for (; *i < e->n_links; ++*i)
		if (e->link[*i].disks && e->link[*i].owner == job) {
			*ret = e->link[(*i)++].number;
			return true;
		}
	return false;
}
