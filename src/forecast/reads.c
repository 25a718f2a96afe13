/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One point of a measurement: reads are kept at the disks for a while. One more than the depth
 * waits in this program for each disk, so that none at the disk is missing while the loop turns
 * round: the rate times the response is the depth (Little). Only a load on several disks has as
 * many as the depth in all, and those that wait for a disk count. Counting begins with
 * the command that ends when every disk has had one (in a load, as many as the depth), and
 * stops with the last that ends in time: the time to get going and to run dry count for nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "forecast/lane.h"
#include "codec/encode.h"

#define PAGE  4096u
#define LEAST 8  /* commands of each disk that are counted, however slow it is */
#define MOST  10 /* times as long as asked, then it is over all the same */

struct slot {
	struct dw_cmd cmd;
	struct dw_op op;
	size_t lane;
};

struct reads_run {
	const struct dw_reads *m;
	struct slot *slot;
	size_t n_slots;
	uint8_t *memory;
	size_t room; /* of a slot's data */
	uint64_t begin_ns;
	uint64_t first_ns; /* end of the command that counting began with, 0 = none yet */
	uint64_t last_ns;
	uint64_t counted;
	double response_s;
	struct dw_error *err;
};

/* commands of a load that go to any of several disks */
static bool among_disks(const struct dw_reads *m)
{
	return m->spread && m->n > 1;
}

static uint64_t pick_lba(const struct dw_reads *m, struct dw_bench_lane *lane)
{
	const struct dw_caps *c = &lane->device->caps;
	uint64_t grain = UINT64_C(1) << c->physical_exp;
	uint64_t last = c->blocks - m->blocks - m->shift, lba;

	if (m->random)
		return dw_rng_below(m->rng, last / grain + 1) * grain + m->shift;
	if (lane->next_lba > last)
		lane->next_lba = 0;
	lba = lane->next_lba + m->shift;
	lane->next_lba += m->blocks;
	return lba;
}

static int send_read(struct reads_run *r, struct slot *s)
{
	const struct dw_reads *m = r->m;
	struct dw_bench_lane *lane;
	int e;

	if (m->spread)
		s->lane = (size_t)dw_rng_below(m->rng, m->n);
	lane = &m->lane[s->lane];
	s->op = (struct dw_op){ .verb = DW_VERB_READ,
				.nlb = m->blocks,
				.lba = pick_lba(m, lane) };
	s->cmd = (struct dw_cmd){ .cookie = (uint64_t)(s - r->slot) };
	e = dw_encode(&lane->device->caps, &s->op, false, &s->cmd);
	if (e)
		return e;
	s->cmd.data =
		r->memory + (size_t)(s - r->slot) * r->room + m->misalign_bytes % PAGE;
	e = m->transport->ops->submit(m->transport, lane->handle, &s->cmd);
	lane->flying += !e;
	return e;
}

static int judge_read(const struct reads_run *r, const struct slot *s,
		      const struct dw_completion *done)
{
	const struct dw_device *d = r->m->lane[s->lane].device;
	struct dw_result result;

	dw_decode(&d->caps, &s->op, done, &result);
	if (result.class == DW_CLASS_OK)
		return 0;
	if (result.class == DW_CLASS_GIVEN_BACK)
		return -ECANCELED; /* another one is why, before or after it */
	if (result.class == DW_CLASS_TOO_BIG)
		return -EMSGSIZE;
	return dw_error_set(r->err, -EIO, DW_ERROR_DISK,
			    d->info.sg[0] ? d->info.sg : d->info.block,
			    "reading %u blocks from %llu: %s", s->op.nlb,
			    (unsigned long long)s->op.lba, dw_class_name(result.class));
}

static bool got_going(const struct reads_run *r)
{
	uint64_t all = 0;
	bool each = true;

	for (size_t i = 0; i < r->m->n; i++) {
		each &= r->m->lane[i].counted > 0;
		all += r->m->lane[i].counted;
	}
	return r->m->spread ? all >= r->m->depth : each;
}

static void count_read(struct reads_run *r, const struct slot *s,
		       const struct dw_completion *done)
{
	r->m->lane[s->lane].counted++;
	if (!r->first_ns) {
		if (got_going(r))
			r->first_ns = done->end_ns;
		return;
	}
	r->counted++;
	r->last_ns = done->end_ns;
	r->response_s += (double)(done->end_ns - (among_disks(r->m) ? done->cmd->submit_ns
								    : done->start_ns)) /
			 1e9;
}

/* Time is up, and every disk has had enough commands. */
static bool enough(const struct reads_run *r)
{
	const struct dw_reads *m = r->m;
	double past = (double)(m->transport->ops->now(m->transport) - r->begin_ns) / 1e9;

	if (past < m->seconds)
		return false;
	return r->counted >= LEAST * m->n || past > MOST * m->seconds;
}

static size_t flying(const struct reads_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->m->n; i++)
		n += r->m->lane[i].flying;
	return n;
}

static int pump(struct reads_run *r)
{
	const struct dw_transport_ops *ops = r->m->transport->ops;
	struct dw_completion done[DW_BENCH_DEPTH + 1];
	bool over = false;
	int e = 0;

	while (flying(r)) {
		int n = ops->reap(r->m->transport, done, DW_ARRAY_SIZE(done), UINT64_MAX);

		if (n < 0 && n != -EINTR)
			return n;
		over |= enough(r);
		for (int i = 0; i < n; i++) {
			struct slot *s = &r->slot[done[i].cookie];
			int this = judge_read(r, s, &done[i]);

			r->m->lane[s->lane].flying--;
			if (!this && !over)
				count_read(r, s, &done[i]);
			if (!e || e == -ECANCELED)
				e = this ? this : e;
			if (!e && !over)
				e = send_read(r, s);
		}
		ops->flush(r->m->transport);
	}
	return e;
}

static void sum_up_point(const struct reads_run *r, struct dw_bench_point *ret)
{
	const struct dw_reads *m = r->m;
	uint32_t size = m->lane[0].device->caps.block_size;

	*ret = (struct dw_bench_point){ .blocks = m->blocks,
					.bytes = m->blocks * size,
					.depth = m->depth,
					.commands = r->counted };
	if (!r->counted || r->last_ns <= r->first_ns)
		return;
	ret->per_second = (double)r->counted / ((double)(r->last_ns - r->first_ns) / 1e9);
	ret->bytes_per_second = ret->per_second * (double)ret->bytes;
	ret->response_s = r->response_s / (double)r->counted;
}

int dw_reads_measure(const struct dw_reads *m, struct dw_bench_point *ret,
		     struct dw_error *err)
{
	size_t bytes = (size_t)m->blocks * m->lane[0].device->caps.block_size;
	struct reads_run r = { .m = m,
			       .n_slots = among_disks(m) ? m->depth
							 : (m->depth + 1ul) * m->n,
			       .room = (bytes + 2ul * PAGE - 1) / PAGE * PAGE,
			       .err = err };
	int e = 0;

	r.slot = calloc(r.n_slots, sizeof(*r.slot));
	r.memory = aligned_alloc(PAGE, r.n_slots * r.room);
	if (r.slot && r.memory) {
		memset(r.memory, 0, r.n_slots * r.room);
		for (size_t i = 0; i < m->n; i++)
			m->lane[i].counted = 0;
		r.begin_ns = m->transport->ops->now(m->transport);
		for (size_t i = 0; !e && i < r.n_slots; i++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): at least one lane */
			r.slot[i].lane = i % m->n;
			e = send_read(&r, &r.slot[i]);
		}
		m->transport->ops->flush(m->transport);
		/* also what was sent before something failed comes back */
		e = e ? (pump(&r), e) : pump(&r);
		for (size_t i = 0; e == -EMSGSIZE && i < m->n; i++)
			m->transport->ops->unfence(m->transport, m->lane[i].handle);
	} else {
		e = -ENOMEM;
	}
	if (!e)
		sum_up_point(&r, ret);
	free(r.slot);
	free(r.memory);
	return e;
}
