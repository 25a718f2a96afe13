/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_MOVES_H
#define DW_SCHED_MOVES_H

/* The moves from a setting to its neighbours, which the adaptive controller tries. */
#include <stdbool.h>
#include <stdint.h>

#include "sched/grid.h"

/**
 * enum dw_move - moves from the base to a trial
 * @DW_MOVE_SHORTER, @DW_MOVE_LONGER: half, twice the length
 * @DW_MOVE_FAR, @DW_MOVE_FARTHER, @DW_MOVE_BACK: a quarter, a sixteenth, four times the length
 * @DW_MOVE_SHALLOWER, @DW_MOVE_DEEPER: half, twice the depth
 * @DW_MOVE_SPLIT, @DW_MOVE_JOIN: half the length at twice the depth, and the opposite
 * @DW_MOVE_REMEMBERED: to the best setting that was measured before
 */
enum dw_move {
	DW_MOVE_SHORTER,
	DW_MOVE_LONGER,
	DW_MOVE_SHALLOWER,
	DW_MOVE_DEEPER,
	DW_MOVE_SPLIT,
	DW_MOVE_JOIN,
	DW_MOVE_FAR,
	DW_MOVE_FARTHER,
	DW_MOVE_BACK,
	DW_MOVE_REMEMBERED,
	DW_MOVES,
};

/** dw_move_order - all moves, in the order in which they are tried. */
extern const uint8_t dw_move_order[DW_MOVES];

/** dw_move_opposite() - the move that undoes @move. */
uint8_t dw_move_opposite(uint8_t move);

/** dw_move_from() - the setting that @move leads to; DW_MOVE_REMEMBERED returns @s. */
struct dw_setting dw_move_from(struct dw_setting s, uint8_t move);

#endif
