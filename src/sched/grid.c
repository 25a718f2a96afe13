/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Powers of two only: between two of them the rate hardly differs, and there are few to try. */
#include "sched/grid.h"

#include "base/util.h"
#include "sched/controller.h"

#define LONG          8              /* 1 MiB: beyond that fewer commands are no merit */
#define START_BYTES   (256 * DW_KIB) /* where no disk names an optimum */
#define AGEING        0.003          /* a second */
#define BETTER        0.03
#define IN_FLIGHT_MAX (8 * DW_MIB) /* at one disk */

uint64_t dw_grid_bytes(struct dw_setting s)
{
	return DW_GRID_BYTES_MIN << s.l;
}

struct dw_setting dw_grid_top(const struct dw_view *view)
{
	struct dw_setting top = { 0 };

	for (uint32_t i = 0; i < view->n; i++) {
		const struct dw_view_disk *d = &view->disk[i];

		if (d->out)
			continue;
		while (top.l < DW_GRID_LENGTHS - 1 &&
		       dw_grid_bytes(top) < (uint64_t)d->max * d->block_size)
			top.l++;
		while (top.d < DW_GRID_DEPTHS - 1 && UINT32_C(1) << top.d < d->most)
			top.d++;
	}
	return top;
}

struct dw_setting dw_grid_start(const struct dw_view *view, struct dw_setting top,
				uint64_t buffer)
{
	struct dw_setting s = { .d = top.d ? 1 : 0 };
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < view->n; i++) {
		const struct dw_view_disk *d = &view->disk[i];

		if (d->out)
			continue;
		bytes = dw_max_u64(bytes, d->reported
						  ? (uint64_t)d->optimal * d->block_size
						  : START_BYTES);
	}
	if (buffer)
		bytes = dw_min_u64(bytes,
				   dw_cache_length(buffer, 1, view->active) >> s.d);
	while (s.l < top.l && dw_grid_bytes(s) * 2 <= bytes)
		s.l++;
	return s;
}

bool dw_grid_has(struct dw_setting top, struct dw_setting s)
{
	return s.l >= 0 && s.d >= 0 && s.l <= top.l && s.d <= top.d &&
	       dw_grid_bytes(s) << s.d <= IN_FLIGHT_MAX;
}

bool dw_grid_same(struct dw_setting x, struct dw_setting y)
{
	return x.l == y.l && x.d == y.d;
}

int dw_grid_weight(struct dw_setting s)
{
	int halves = s.l < LONG ? LONG - s.l : 0, doubles = s.l > LONG ? s.l - LONG : 0;

	/* at depth one a disk waits for the host */
	return 16 * halves + doubles + (s.d > 1 ? s.d - 1 : 0);
}

void dw_memory_add(struct dw_memory *m, struct dw_setting s, double rate, uint64_t now_ns)
{
	m->of[s.l][s.d].rate = rate;
	m->of[s.l][s.d].at_ns = now_ns;
}

/* a rate of that setting, less what it may have lost since it was measured */
static double remembered(const struct dw_memory *m, struct dw_setting s, uint64_t now_ns)
{
	double age = (double)(now_ns - m->of[s.l][s.d].at_ns) / 1e9;

	return m->of[s.l][s.d].rate * (1 - AGEING * age);
}

struct dw_setting dw_memory_best(const struct dw_memory *m, struct dw_setting base,
				 uint64_t now_ns)
{
	double best = (1 + BETTER) * remembered(m, base, now_ns);
	struct dw_setting s, ret = base;

	for (s.l = 0; s.l < DW_GRID_LENGTHS; s.l++)
		for (s.d = 0; s.d < DW_GRID_DEPTHS; s.d++)
			if (remembered(m, s, now_ns) > best) {
				best = remembered(m, s, now_ns);
				ret = s;
			}
	return ret;
}
