/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/moves.h"

/** struct row - steps of length and depth, and what may undo them */
struct row {
	struct dw_setting step;
	uint8_t opposite;
};

static const struct row rows[DW_MOVES] = {
	[DW_MOVE_SHORTER] = { { -1, 0 }, DW_MOVE_LONGER },
	[DW_MOVE_LONGER] = { { 1, 0 }, DW_MOVE_SHORTER },
	[DW_MOVE_SHALLOWER] = { { 0, -1 }, DW_MOVE_DEEPER },
	[DW_MOVE_DEEPER] = { { 0, 1 }, DW_MOVE_SHALLOWER },
	[DW_MOVE_SPLIT] = { { -1, 1 }, DW_MOVE_JOIN },
	[DW_MOVE_JOIN] = { { 1, -1 }, DW_MOVE_SPLIT },
	[DW_MOVE_FAR] = { { -2, 0 }, DW_MOVE_BACK },
	[DW_MOVE_FARTHER] = { { -4, 0 }, DW_MOVE_BACK },
	[DW_MOVE_BACK] = { { 2, 0 }, DW_MOVE_FAR },
	[DW_MOVE_REMEMBERED] = { { 0, 0 }, DW_MOVE_REMEMBERED },
};

const uint8_t dw_move_order[DW_MOVES] = {
	DW_MOVE_REMEMBERED, DW_MOVE_SHORTER,   DW_MOVE_FAR,    DW_MOVE_FARTHER,
	DW_MOVE_DEEPER,     DW_MOVE_SHALLOWER, DW_MOVE_LONGER, DW_MOVE_SPLIT,
	DW_MOVE_JOIN,       DW_MOVE_BACK,
};

uint8_t dw_move_opposite(uint8_t move)
{
	return rows[move].opposite;
}

struct dw_setting dw_move_from(struct dw_setting s, uint8_t move)
{
	return (struct dw_setting){ s.l + rows[move].step.l, s.d + rows[move].step.d };
}
