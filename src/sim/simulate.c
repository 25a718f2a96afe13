/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A station's disks as a job sees them: facts and abilities, as discovery would have found
 * them, and a world behind them.
 */
#include "diskwipe/simulate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/virtual.h"
#include "sim/simulate.h"
#include "sim/world.h"

#define RUNS      2000
#define RUN_MAX   2048
#define WS_BLOCKS 65535 /* of a WRITE SAME, where the disk tells no limit */

static uint16_t rotation(const struct station_disk *s)
{
	return s->rpm ? (uint16_t)s->rpm : 1;
}

static void describe(const struct dw_station *station, uint32_t unit,
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
		.ws10 = ws,
		.ws16 = ws,
		.sync10 = true,
		.sync16 = true,
		.fua = true,
		.wce = s->cache,
		.ws_max = (uint32_t)s->ws_max,
		.queue_depth = (uint32_t)s->tagged,
		.max_bytes = (uint32_t)s->max_transfer,
	};
}

/*
 * Runs so long that the shortest disk still has RUNS of them: what happens between two is
 * then less than RUNS times finer than the whole.
 */
static uint32_t run_length(const struct dw_station *s, const struct dw_job_spec *spec)
{
	uint64_t run = RUN_MAX;

	for (uint32_t i = 0; i < s->n_disks; i++) {
		const struct station_disk *d = &s->disk[i];
		uint64_t bytes =
			spec->fixed_blocks ? spec->fixed_blocks * d->sector : DW_MIB;

		run = dw_min_u64(run, d->blocks * d->sector / bytes / RUNS);
	}
	return (uint32_t)dw_max_u64(run, 1);
}

static int add_disks(struct dw_job *job, const struct dw_station *station)
{
	struct dw_disk_info info;
	struct dw_verdict verdict;
	struct dw_caps caps;
	uint32_t index;
	int r = 0;

	for (uint32_t i = 0; i < station->n_units && r >= 0; i++) {
		describe(station, i, &info);
		abilities(sim_world_disk(station, i, &index), &caps);
		r = dw_job_add_virtual(job, &info, &caps, i, &verdict);
		if (r > 0)
			r = dw_job_refuse(job, info.sg, &verdict);
	}
	return r < 0 ? r : 0;
}

int sim_job_add(struct dw_job *job, const struct dw_station *station, bool coarse,
		struct sim_world **ret)
{
	struct dw_virtual v = { .path = "simulated",
				.mode = coarse ? "coarse" : "exact" };
	struct sim_world *w;
	int r;

	v.run = coarse ? run_length(station, &dw_job_result(job)->spec) : 1;
	r = sim_world_new(station, dw_job_result(job)->spec.seed, v.run, &w);

	if (r < 0)
		return r;
	v.transport = &w->base;
	r = dw_job_take_virtual(job, &v);
	if (r < 0) {
		w->base.ops->free(&w->base);
		return r;
	}
	*ret = w;
	return add_disks(job, station);
}

int dw_job_simulate(struct dw_job *job, const struct dw_station *station, bool coarse,
		    char err[256])
{
	struct sim_world *w;
	int r = sim_job_add(job, station, coarse, &w);

	err[0] = '\0';
	if (r < 0)
		snprintf(err, 256, "%s", strerror(-r));
	return r;
}
