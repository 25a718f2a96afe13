/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a question to disks with phases. The plans come from the engine itself, by way of a job
 * on simulated disks, so that what is forecast is what would be done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "engine/plan.h"
#include "forecast/predict.h"
#include "sched/strategy.h"
#include "forecast/simulate.h"

static int copy_faults(struct station_disk *d)
{
	struct station_fault *f = d->fault;

	if (!d->n_faults)
		return 0;
	d->fault = calloc(d->n_faults, sizeof(*f));
	if (!d->fault)
		return -ENOMEM;
	memcpy(d->fault, f, d->n_faults * sizeof(*f));
	return 0;
}

int pf_station_single(const struct dw_station *s, struct dw_station **ret)
{
	struct dw_station *c = malloc(sizeof(*c));
	int r = c ? 0 : -ENOMEM;

	if (r)
		return r;
	*c = *s;
	c->node = calloc(s->n_nodes + 1, sizeof(*c->node));
	c->disk = calloc(s->n_units + 1, sizeof(*c->disk));
	c->n_disks = 0;
	if (!c->node || !c->disk)
		r = -ENOMEM;
	if (!r && s->n_nodes)
		memcpy(c->node, s->node, s->n_nodes * sizeof(*c->node));
	for (uint32_t i = 0; i < s->n_units && !r; i++) {
		uint32_t index;
		const struct station_disk *from = sim_world_disk(s, i, &index);
		struct station_disk *d = &c->disk[c->n_disks++];

		*d = *from;
		d->count = 1;
		if (from->count > 1)
			snprintf(d->name, sizeof(d->name), "%.20s-%u", from->name,
				 index + 1);
		r = copy_faults(d);
	}
	if (r < 0)
		dw_station_free(c);
	else
		*ret = c;
	return r;
}

static void neutral_spec(const struct dw_job_spec *spec, uint64_t seed,
			 struct dw_job_spec *ret)
{
	*ret = *spec;
	ret->seed = seed;
	ret->rules = (struct dw_rules){ 0 };
	ret->key_file[0] = ret->state_file[0] = ret->resume_file[0] = '\0';
	ret->trace_file[0] = '\0';
	ret->background = (struct dw_background){ 0 };
	ret->print_schedule = false;
	ret->reserve = false;
	/* nothing is compared with contents that only a key could make again */
	if (ret->verify_only)
		snprintf(ret->pattern, sizeof(ret->pattern), "00");
}

/* the way in which it is erased, and no other */
static void take_way(const struct dw_disk_plan *plan, struct station_disk *s)
{
	uint64_t *ns[DW_OPERATION_COUNT] = {
		[DW_OPERATION_OVERWRITE] = &s->sanitize_ns,
		[DW_OPERATION_BLOCK_ERASE] = &s->block_erase_ns,
		[DW_OPERATION_CRYPTO_ERASE] = &s->crypto_erase_ns,
	};

	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++)
		if (ns[o])
			*ns[o] = o == plan->operation ? plan->operation_ns : 0;
}

/* the disk of the real job, as far as a simulated one can be like it */
static void take_over(const struct dw_job *job, const struct job_disk *d,
		      struct station_disk *s)
{
	s->blocks = d->caps.blocks;
	s->sector = d->caps.block_size;
	s->physical = s->sector << d->caps.physical_exp;
	s->capacity = s->blocks * s->sector;
	s->cache = d->caps.cache.wce != DW_NO ||
		   dw_caps_switch_cache(&d->caps, job->spec.write_cache);
	s->actuators = d->plan.order.turn ? d->plan.order.n : 1;
	take_way(&d->plan, s);
	s->compare = !job_not_comparing(d);
	if (!d->caps.same.cdb10 && !d->caps.same.cdb16)
		s->ws = STATION_WS_NONE;
	else if (s->ws == STATION_WS_NONE)
		s->ws = 0;
}

static int add_like(struct dw_job *job, const struct job_disk *like,
		    const struct dw_station *station, uint32_t unit)
{
	struct dw_disk_info info;
	struct job_disk *d = calloc(1, sizeof(*d));
	struct dw_verdict v;
	int r;

	if (!d)
		return -ENOMEM;
	d->job = job;
	sim_describe(station, unit, &info);
	d->info = info;
	d->info.removable = like->info.removable; /* the depth depends on these */
	memcpy(d->info.transport, like->info.transport, sizeof(d->info.transport));
	d->caps = like->caps;
	d->caps.scsi = true;
	d->caps.verify = !job_not_comparing(like);
	d->place.unit = (int)unit;
	d->earlier.resume = like->earlier.resume;
	d->choice.method = like->choice.method;
	snprintf(d->place.adapter, sizeof(d->place.adapter), "%u",
		 sim_adapter(station, unit));
	r = job_take_disk(job, d, &v);
	return r > 0 ? -EINVAL : r;
}

int pf_virtual_job(const struct dw_job_spec *spec, struct dw_job *real,
		   const struct dw_station *station, bool coarse, uint64_t seed,
		   struct dw_job **ret, struct dw_error *err)
{
	struct dw_job_spec neutral;
	struct sim_world *w;
	struct dw_job *job;
	int r;

	neutral_spec(spec, seed, &neutral);
	r = dw_job_new(NULL, &neutral, &job, err);
	if (r < 0)
		return r;
	r = sim_job_begin(job, station, coarse, &w);
	for (uint32_t i = 0; i < station->n_units && r >= 0; i++) {
		if (real)
			r = add_like(job, real->disk[i], station, i);
		else
			r = sim_job_add_unit(job, station, i);
	}
	if (r >= 0 && !job->n_disks)
		r = dw_error_set(err, -EINVAL, DW_ERROR_MODEL, NULL,
				 "no disk of the topology fits what is asked");
	if (r < 0)
		dw_job_free(job);
	else
		*ret = job;
	return r < 0 ? r : 0;
}

/* sections whose disks the job has refused are left out */
static int keep_planned(struct pf_job *j, struct dw_station *s, const struct dw_job *job)
{
	j->disk = calloc(job->n_disks, sizeof(*j->disk));
	j->order = calloc(job->n_disks, sizeof(*j->order));
	if (!j->disk || !j->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < job->n_disks; i++) {
		j->disk[i].plan = job->disk[i]->plan;
		j->disk[i].spec = &s->disk[job->disk[i]->place.unit];
		j->disk[i].unit = (uint32_t)job->disk[i]->place.unit;
		j->n++;
	}
	return 0;
}

struct job_length {
	double seconds;
	uint32_t disk;
};

static int longer(const void *a, const void *b)
{
	const struct job_length *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->disk < y->disk ? -1 : x->disk > y->disk;
}

/* as named, or longest first */
static int set_order(struct pf_job *j)
{
	struct job_length *v = calloc(j->n + 1, sizeof(*v));
	bool sort = dw_strategy_find(j->spec.strategy)->longest_first;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->n; i++)
		v[i] = (struct job_length){ sort ? j->disk[i].cost.alone : 0, i };
	qsort(v, j->n, sizeof(*v), longer);
	for (uint32_t i = 0; i < j->n; i++)
		j->order[i] = v[i].disk;
	free(v);
	return 0;
}

/* number the adapters that the disks hang on */
static int number_links(struct pf_job *j)
{
	uint32_t n = j->station->n_nodes + 1;
	uint32_t *number = calloc(n, sizeof(*number)), *disks = calloc(n, sizeof(*disks));

	for (uint32_t i = 0; i < j->n && number && disks; i++) {
		uint32_t at = station_adapter(j->station, j->disk[i].spec);

		if (!disks[at]++)
			number[at] = j->links++;
		j->disk[i].link = number[at];
		j->most = disks[at] > j->most ? disks[at] : j->most;
	}
	free(number);
	free(disks);
	return number && disks ? 0 : -ENOMEM;
}

bool pf_at_once(const struct pf_job *j)
{
	return j->links > 1 || j->slots > 1;
}

int pf_job_disk(struct pf_job *j, uint32_t i)
{
	struct pf_disk *d = &j->disk[i];

	return dw_cost_disk_init(
		&d->cost,
		&(struct dw_cost_case){ .station = j->station,
					.disk = d->spec,
					.plan = &d->plan,
					.spec = &j->spec,
					.adapter = station_adapter(j->station, d->spec),
					.disks = (uint32_t)dw_min_u64(j->slots, j->most),
					.turns = j->turns });
}

static int profiles(struct pf_job *j)
{
	const struct dw_strategy *strategy = dw_strategy_find(j->spec.strategy);
	int r = number_links(j);

	j->slots = dw_strategy_slots(strategy, j->spec.active, j->n);
	j->turns = strategy->turns && j->most > 1;
	j->simple = !strategy->turns;
	/* the length then changes as disks finish */
	if (!strcmp(j->spec.controller, "cache") && j->slots > 1 && j->most > 1)
		j->simple = false;
	for (uint32_t i = 0; i < j->n && !r; i++) {
		r = pf_job_disk(j, i);
		j->simple &= j->disk[i].cost.simple;
	}
	return r;
}

static struct dw_cost_rack rack_of(const struct pf_job *j)
{
	return (struct dw_cost_rack){ .n_resources = dw_cost_resources(j->station),
				      .n_links = j->links,
				      .slots = j->slots };
}

/* each as it would go by itself, in the order of admission */
static struct dw_cost_stream *streams(const struct pf_job *j)
{
	struct dw_cost_stream *s = calloc(j->n + 1, sizeof(*s));

	for (uint32_t i = 0; i < j->n && s; i++)
		s[i] = (struct dw_cost_stream){ .disk = &j->disk[j->order[i]].cost,
						.link = j->disk[j->order[i]].link };
	return s;
}

int pf_shared(const struct pf_job *j, struct pf_times *ret_times, double *ret_seconds)
{
	struct dw_cost_stream *s = streams(j);
	const struct dw_cost_rack rack = rack_of(j);
	int r;

	for (uint32_t i = 0; i < j->n && s; i++)
		s[i].course = &ret_times[j->order[i]].course;
	r = s ? dw_cost_run(s, j->n, &rack, ret_seconds) : -ENOMEM;
	for (uint32_t i = 0; i < j->n && !r; i++) {
		struct pf_times *t = &ret_times[j->order[i]];

		t->start = s[i].start;
		t->finish = s[i].finish;
		t->phase = s[i].seconds;
	}
	free(s);
	return r;
}

int pf_load(const struct pf_job *j, double *ret)
{
	struct dw_cost_stream *s = streams(j);
	const struct dw_cost_rack rack = rack_of(j);
	int r = s ? dw_cost_load(s, j->n, &rack, ret) : -ENOMEM;

	free(s);
	return r;
}

int pf_job_init(struct pf_job *j, const struct dw_job_spec *spec, struct dw_job *real,
		const struct dw_station *station, struct dw_error *err)
{
	struct dw_station *s;
	struct dw_job *job = NULL;
	int r = pf_station_single(station, &s);

	*j = (struct pf_job){ .spec = *spec, .real = real };
	if (r < 0)
		return r;
	if (real && real->n_disks != s->n_units) {
		dw_error_set(err, -EINVAL, DW_ERROR_MODEL, NULL,
			     "the topology has %u disks, the job %u", s->n_units,
			     real->n_disks);
		dw_station_free(s);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < s->n_disks; i++)
		s->disk[i].cache = sim_has_cache(&s->disk[i], spec);
	for (uint32_t i = 0; real && i < real->n_disks; i++)
		take_over(real, real->disk[i], &s->disk[i]);
	j->station = s;
	r = pf_virtual_job(spec, real, s, false, 1, &job, err);
	if (!r)
		r = keep_planned(j, s, job);
	dw_job_free(job);
	if (!r)
		r = profiles(j);
	if (!r)
		r = set_order(j);
	if (r < 0)
		pf_job_deinit(j);
	return r;
}

void pf_job_deinit(struct pf_job *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		dw_cost_disk_deinit(&j->disk[i].cost);
	free(j->disk);
	free(j->order);
	dw_station_free(j->station);
	*j = (struct pf_job){ 0 };
}
