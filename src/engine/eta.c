/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time that is left. A disk slows down from its outer to its inner edge, so that bytes
 * left over bytes per second is up to 29 % short; what is left is the rest of the zone curve,
 * as many times slower as the part behind it was. Without a forecast the curve is that of a
 * typical disk: twice as quick outside as inside when it turns, even when it does not.
 */
#include <errno.h>

#include "engine/internal.h"
#include "cost/curve.h"

#define TYPICAL_RATE  150e6
#define TYPICAL_RATIO 2.0
#define TYPICAL_SEEK  10e-3 /* of a piece of a sample */
#define TYPICAL_PIECE 1e6
#define TRUST         0.03 /* the forecast counts as much as that share of a phase */

static void curve_of(const struct job_disk *d, struct dw_curve *ret)
{
	const struct dw_expectation *e = &d->expect;
	bool turns = d->caps.rotation > 1;

	*ret = (struct dw_curve){
		.bytes = (double)d->plan.blocks * d->plan.block_size,
		.outer = e->outer > 0 ? e->outer : TYPICAL_RATE,
		.inner = e->inner > 0 ? e->inner : e->outer,
	};
	if (e->outer <= 0)
		ret->inner = turns ? TYPICAL_RATE / TYPICAL_RATIO : TYPICAL_RATE;
	/* near and far come in turns */
	if (d->plan.order.n)
		ret->outer = ret->inner =
			ret->bytes / dw_curve_seconds(ret, 0, ret->bytes);
}

/* of the shares from @from to @to of a medium, as expected */
static double writing(const struct job_disk *d, double from, double to)
{
	struct dw_curve c;

	curve_of(d, &c);
	c.extra = d->expect.write_extra;
	c.least = d->expect.write_least;
	return dw_curve_seconds(&c, from * c.bytes, to * c.bytes);
}

static double reading(const struct job_disk *d, uint32_t pass, double from, double to)
{
	uint8_t verify = d->plan.pass[pass].verify;
	struct dw_curve c;

	if (verify == DW_VERIFY_OFF)
		return 0;
	curve_of(d, &c);
	c.extra = d->expect.read_extra;
	c.least = d->expect.read_least;
	if (verify == DW_VERIFY_FULL)
		return dw_curve_seconds(&c, from * c.bytes, to * c.bytes);
	c.extra = d->expect.sample_extra;
	if (d->expect.outer <= 0 && d->caps.rotation > 1)
		c.extra = TYPICAL_SEEK / TYPICAL_PIECE;
	return d->plan.percent / 100 * dw_curve_seconds(&c, from * c.bytes, to * c.bytes);
}

static bool reads(const struct dw_disk_state *st)
{
	return st->phase >= DW_CORE_VERIFY;
}

/* the share of the phase's sweep that is done */
static double place(const struct job_disk *d, const struct dw_disk_state *st)
{
	double blocks = (double)d->plan.blocks, x;

	if (reads(st) && d->plan.pass[st->pass].verify == DW_VERIFY_SAMPLE)
		blocks *= d->plan.percent / 100;
	x = d->phase_x + ((double)st->work_done - (double)d->phase_work) / blocks;
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* what comes after the phase in hand; @scale: how much slower than expected writing is */
static double later(const struct job_disk *d, const struct dw_disk_state *st,
		    double scale, double scale_read)
{
	double s = reads(st) ? 0 : scale_read * reading(d, st->pass, 0, 1);

	for (uint32_t p = st->pass + 1u; p < d->plan.n_passes; p++)
		s += scale * writing(d, 0, 1) + scale_read * reading(d, p, 0, 1);
	return s;
}

/* its turn comes when it was expected, or is overdue */
static double waiting(const struct dw_job *job, const struct job_disk *d, uint64_t now_ns)
{
	const struct dw_expectation *e = &d->expect;
	double past = (double)(now_ns - job->start_ns) / 1e9;

	if (e->finish <= 0 || now_ns < job->start_ns)
		return -1;
	return e->finish - (past > e->start ? e->start : past);
}

void job_phase_begins(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	const struct dw_disk_state *st = dw_core_state(job->core, d->id);

	d->phase_ns = now_ns;
	d->phase_work = st->work_done;
	d->phase_x = reads(st) ? 0 : (double)st->mark / (double)d->plan.blocks;
}

double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns)
{
	const struct dw_disk_state *st = dw_core_state(job->core, d->id);
	bool known = d->expect.outer > 0;
	double x = place(d, st), took, behind, ahead, scale, trust;

	if (st->phase == DW_CORE_DONE)
		return 0;
	if (st->phase == DW_CORE_WAITING)
		return waiting(job, d, now_ns);
	if (!d->phase_ns || now_ns < d->phase_ns)
		return -1;
	took = (double)(now_ns - d->phase_ns) / 1e9;
	behind = reads(st) ? reading(d, st->pass, d->phase_x, x)
			   : writing(d, d->phase_x, x);
	ahead = reads(st) ? reading(d, st->pass, x, 1) : writing(d, x, 1);
	if (behind <= 0)
		return known ? ahead + later(d, st, 1, 1) : -1;
	scale = took / behind;
	trust = known ? TRUST * (behind + ahead) : 0;
	scale = (scale * behind + trust) / (behind + trust);
	return scale * ahead + later(d, st, scale, known ? 1 : scale);
}

int dw_job_expect(struct dw_job *job, uint32_t disk, const struct dw_expectation *e)
{
	if (job->started)
		return -EBUSY;
	if (disk >= job->n_disks)
		return -EINVAL;
	job->disk[disk]->expect = *e;
	return 0;
}

int dw_job_limit(struct dw_job *job, uint32_t active)
{
	if (job->started)
		return -EBUSY;
	job->spec.active = job->result.spec.active = active;
	dw_core_limit(job->core, job->link, active);
	return 0;
}
