/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A station's disks as a job sees them: facts and abilities, as discovery would have found
 * them, and a world behind them.
 */
#include "diskwipe/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/job.h"
#include "engine/virtual.h"
#include "forecast/leap.h"
#include "forecast/load.h"
#include "forecast/simulate.h"
#include "forecast/world.h"

static uint16_t rotation(const struct station_disk *s)
{
	return s->rpm ? (uint16_t)s->rpm : 1;
}

void sim_describe(const struct dw_station *station, uint32_t unit,
		  struct dw_disk_info *ret)
{
	uint32_t index;
	const struct station_disk *s = sim_world_disk(station, unit, &index);
	char serial[24], wwn[24];

	sim_answer_names(s, unit, serial, wwn);
	*ret = (struct dw_disk_info){
		.blocks = s->blocks,
		.block_size = (uint32_t)s->sector,
		.physical_block_size = (uint32_t)s->physical,
		.rotation = rotation(s),
		.wce = s->cache,
		.scsi = true,
	};
	if (s->count > 1)
		snprintf(ret->sg, sizeof(ret->sg), "%.20s-%u", s->name, index + 1);
	else
		snprintf(ret->sg, sizeof(ret->sg), "%s", s->name);
	snprintf(ret->vendor, sizeof(ret->vendor), "%s", s->vendor);
	snprintf(ret->model, sizeof(ret->model), "%s", s->model);
	snprintf(ret->serial, sizeof(ret->serial), "%s", serial);
	snprintf(ret->wwn, sizeof(ret->wwn), "%s", wwn);
	snprintf(ret->transport, sizeof(ret->transport), "simulated");
}

static void abilities(const struct station_disk *s, struct dw_caps *ret)
{
	bool ws = s->ws != STATION_WS_NONE;

	*ret = (struct dw_caps){
		.blocks = s->blocks,
		.block_size = (uint32_t)s->sector,
		.physical_exp = (uint8_t)__builtin_ctzll(s->physical / s->sector),
		.rotation = rotation(s),
		.scsi = true,
		.rw16 = true,
		.same.cdb10 = ws,
		.same.cdb16 = ws,
		.cache.sync10 = true,
		.cache.sync16 = true,
		.fua = true,
		.verify = s->compare,
		.cache.wce = s->cache,
		.cache.changeable = s->cache_changeable,
		.same.max = (uint32_t)s->ws_max,
		.self.ns = { [DW_OPERATION_OVERWRITE] = s->sanitize_ns,
			     [DW_OPERATION_BLOCK_ERASE] = s->block_erase_ns,
			     [DW_OPERATION_CRYPTO_ERASE] = s->crypto_erase_ns },
		.limit.queue_depth = (uint32_t)s->tagged,
		.limit.max_bytes = (uint32_t)s->max_transfer,
	};
	ret->ranges.n = s->actuators > 1 ? (uint8_t)s->actuators : 0;
	for (uint8_t i = 0; i < ret->ranges.n; i++)
		ret->ranges.first[i] =
			i * ((s->blocks + s->actuators - 1) / s->actuators);
	for (unsigned int o = 0; o < DW_OPERATION_COUNT; o++)
		ret->self.operations |= (uint8_t)((ret->self.ns[o] > 0) << o);
}

bool sim_has_cache(const struct station_disk *s, const struct dw_job_spec *spec)
{
	struct dw_caps caps;

	abilities(s, &caps);
	return s->cache || dw_caps_switch_cache(&caps, spec->write_cache);
}

/*
 * A pass over the disk alone: the medium's time, C / (outer - inner) ln(outer / inner), that of
 * its interface if that is longer, and a revolution for each command where one is lost
 * (docs/simulator.md).
 */
static double pass_ns(const struct station_disk *s, const struct dw_job_spec *spec)
{
	bool same = spec->command != DW_COMMAND_WRITE && s->ws != STATION_WS_NONE;
	double bytes = (double)s->capacity, outer = (double)s->outer;
	double length = spec->fixed_blocks
				? (double)spec->fixed_blocks * (double)s->sector
				: (double)DW_MIB;
	double t = bytes / outer;

	if (s->outer > s->inner)
		t = bytes / (outer - (double)s->inner) * log(outer / (double)s->inner);
	if (s->actuators > 1 && !spec->order[0])
		t /= (double)s->actuators;
	if (same)
		return 1e9 * (s->ws ? fmax(t, bytes / (double)s->ws) : t);
	if (s->link)
		t = fmax(t, bytes / (double)s->link);
	if (s->rpm && !sim_has_cache(s, spec) && spec->depth < 2)
		t += bytes / length * 60 / (double)s->rpm;
	return 1e9 * t;
}

void sim_disk_of(const struct dw_station *station, uint32_t unit,
		 const struct dw_job_spec *spec, struct dw_virtual_disk *ret)
{
	uint32_t index;
	const struct station_disk *s = sim_world_disk(station, unit, &index);

	ret->unit = unit;
	ret->pass_ns = (uint64_t)pass_ns(s, spec);
	sim_describe(station, unit, &ret->info);
	abilities(s, &ret->caps);
}

int sim_job_add_unit(struct dw_job *job, const struct dw_station *station, uint32_t unit)
{
	struct dw_virtual_disk disk;
	struct dw_verdict verdict;
	int r;

	sim_disk_of(station, unit, &dw_job_result(job)->spec, &disk);
	r = dw_job_add_virtual(job, &disk, &verdict);
	return r > 0 ? job_refuse(job, &disk.info, &verdict) : r;
}

int sim_job_begin(struct dw_job *job, const struct dw_station *station, bool coarse,
		  struct sim_world **ret)
{
	struct dw_virtual v = { .path = "simulated",
				.mode = coarse ? "coarse" : "exact",
				.wiring = sim_wiring,
				.adapter = sim_adapter,
				.between = coarse ? sim_leap_between : NULL,
				.ctx = station };
	struct sim_world *w;
	int r = sim_world_new(station, dw_job_result(job)->spec.seed, coarse, &w);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->n_disks; i++)
		w->disk[i].cache =
			sim_has_cache(w->disk[i].spec, &dw_job_result(job)->spec);
	v.transport = &w->base;
	v.others = w->loads ? sim_loads_count : NULL;
	r = dw_engine_take_virtual(dw_job_engine(job), &v);
	if (r < 0) {
		w->base.ops->free(&w->base);
		return r;
	}
	*ret = w;
	return dw_job_virtual(job);
}

int sim_job_add(struct dw_job *job, const struct dw_station *station, bool coarse,
		struct sim_world **ret)
{
	int r = sim_job_begin(job, station, coarse, ret);

	for (uint32_t i = 0; i < station->n_units && !r; i++)
		r = sim_job_add_unit(job, station, i);
	return r;
}

int dw_job_simulate(struct dw_job *job, const struct dw_station *station, bool coarse,
		    struct dw_error *err)
{
	struct sim_world *w;
	int r = sim_job_add(job, station, coarse, &w);

	dw_error_clear(err);
	if (r == -EOPNOTSUPP)
		return dw_error_set(err, r, DW_ERROR_MEMBER, "background",
				    "a coarse simulation leaves other work out; simulate "
				    "exactly, or do without");
	return dw_error_system(err, r, NULL);
}
