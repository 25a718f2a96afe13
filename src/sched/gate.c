/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/gate.h"

#include <math.h>

#include "base/util.h"
#include "sched/share.h"

#define DEBT 10 /* quanta: a disk that hangs does not cost the rest of the day */

void dw_gate_init(struct dw_gate *g, double share, uint64_t quantum_ns)
{
	*g = (struct dw_gate){
		.share = share,
		.quantum_ns = quantum_ns ? quantum_ns : DW_GATE_QUANTUM_NS,
		.clip_bytes = DW_GATE_CLIP_MIN,
		.most = DW_GATE_MOST,
	};
}

bool dw_gate_limits(const struct dw_gate *g)
{
	return g->share < 1;
}

void dw_gate_advance(struct dw_gate *g, uint64_t now_ns)
{
	double quantum = (double)g->quantum_ns, ns;

	if (now_ns <= g->last_ns)
		return;
	ns = g->last_ns ? (double)(now_ns - g->last_ns) : 0;
	g->last_ns = now_ns;
	g->credit_ns += g->share * ns;
	if (g->inside) {
		g->on_ns += (uint64_t)ns;
		g->credit_ns -= ns;
	}
	g->credit_ns = dw_clamp(g->credit_ns, -DEBT * quantum, quantum);
}

bool dw_gate_open(const struct dw_gate *g)
{
	return !dw_gate_limits(g) || (g->share > 0 && !g->inside && g->credit_ns >= 0);
}

uint64_t dw_gate_opens_ns(const struct dw_gate *g)
{
	if (!dw_gate_limits(g) || g->share <= 0 || g->inside || g->credit_ns >= 0)
		return UINT64_MAX;
	return g->last_ns + (uint64_t)ceil(-g->credit_ns / g->share) + 1;
}

uint32_t dw_gate_room(const struct dw_gate *g)
{
	if (!dw_gate_limits(g))
		return UINT32_MAX;
	return g->entered < g->most ? g->most - g->entered : 0;
}

void dw_gate_enter(struct dw_gate *g, uint32_t disk, uint64_t bytes)
{
	if (!g->inside++) {
		g->opened_ns = g->last_ns;
		g->largest = 0;
	}
	g->entered++;
	g->turn = disk;
	g->largest = dw_max_u64(g->largest, bytes);
}

/* longer or more commands while windows are short, shorter or fewer while they are long */
void dw_gate_leave(struct dw_gate *g)
{
	double window, by;

	if (--g->inside)
		return;
	window = (double)dw_max_u64(g->last_ns - g->opened_ns, 1);
	by = dw_clamp((double)g->quantum_ns / window, 0.5, 2);
	if (by < 1 && g->clip_bytes <= DW_GATE_CLIP_MIN)
		g->most = (uint32_t)dw_max_u64(1, (uint64_t)(g->entered * by));
	else if (by > 1 && g->entered == g->most)
		g->most =
			(uint32_t)dw_min_u64((uint64_t)ceil(g->most * by), DW_GATE_MOST);
	else
		g->clip_bytes =
			dw_max_u64((uint64_t)((double)g->largest * by), DW_GATE_CLIP_MIN);
	g->entered = 0;
}
