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
	[DW_MOVE_DIVE] = { { -4, 1 }, DW_MOVE_REMEMBERED },
	[DW_MOVE_REMEMBERED] = { { 0, 0 }, DW_MOVE_REMEMBERED },
	[DW_MOVE_FAVOUR] = { { 0, 0 }, DW_MOVE_LEVEL },
	[DW_MOVE_FAVOUR_LESS] = { { 0, -1 }, DW_MOVE_LEVEL },
	[DW_MOVE_LEVEL] = { { 0, 0 }, DW_MOVE_FAVOUR },
};

const uint8_t dw_move_order[DW_MOVES] = {
	DW_MOVE_REMEMBERED,  DW_MOVE_SHORTER,   DW_MOVE_FAR,    DW_MOVE_FARTHER,
	DW_MOVE_DEEPER,      DW_MOVE_SHALLOWER, DW_MOVE_LONGER, DW_MOVE_FAVOUR,
	DW_MOVE_FAVOUR_LESS, DW_MOVE_SPLIT,     DW_MOVE_JOIN,   DW_MOVE_BACK,
	DW_MOVE_DIVE,        DW_MOVE_LEVEL,
};

uint8_t dw_move_opposite(uint8_t move)
{
	return rows[move].opposite;
}

struct dw_setting dw_move_from(struct dw_setting s, uint8_t move)
{
	return (struct dw_setting){ s.l + rows[move].step.l, s.d + rows[move].step.d };
}

bool dw_move_favours(uint8_t move)
{
	return move == DW_MOVE_FAVOUR || move == DW_MOVE_FAVOUR_LESS;
}

bool dw_move_evens(uint8_t move)
{
	return dw_move_favours(move) || move == DW_MOVE_LEVEL;
}
