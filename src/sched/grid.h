/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_GRID_H
#define DW_SCHED_GRID_H

/* The settings of the adaptive controller: powers of two of transfer length and depth. */
#include <stdbool.h>
#include <stdint.h>

#include "sched/strategy.h"

#define DW_GRID_BYTES_MIN (UINT64_C(4) << 10)
#define DW_GRID_LENGTHS   13 /* to 16 MiB */
#define DW_GRID_DEPTHS    6  /* to 32 */

/** struct dw_setting - transfers of DW_GRID_BYTES_MIN << @l bytes, 1 << @d at a disk at once */
struct dw_setting {
	int l;
	int d;
};

/** dw_grid_bytes() - length of a transfer, bytes. */
uint64_t dw_grid_bytes(struct dw_setting s);

/** dw_grid_top() - the longest and the deepest that any disk of @view takes, rounded up. */
struct dw_setting dw_grid_top(const struct dw_view *view);

/** dw_grid_start() - the block limits' optimum at depth two, up to @top, or what fits a buffer of
 *  @buffer bytes (eq. 4.3); 0 = not known. */
struct dw_setting dw_grid_start(const struct dw_view *view, struct dw_setting top,
				uint64_t buffer);

/** dw_grid_has() - @s is on the grid up to @top, with at most 8 MiB on their way to a disk. */
bool dw_grid_has(struct dw_setting top, struct dw_setting s);

/** dw_grid_same() - the settings are equal. */
bool dw_grid_same(struct dw_setting x, struct dw_setting y);

/** dw_grid_weight() - what a setting costs the host: first the number of commands, of which those
 *  of more than 1 MiB count as if they were of 1 MiB; then what is in flight. Depth 1 counts
 *  as 2. */
int dw_grid_weight(struct dw_setting s);

/** struct dw_memory - rates of settings as they were measured; zeroed at the beginning */
struct dw_memory {
	struct {
		double rate;
		uint64_t at_ns;
	} of[DW_GRID_LENGTHS][DW_GRID_DEPTHS];
};

/** dw_memory_add() - store that @s had @rate at @now_ns. */
void dw_memory_add(struct dw_memory *m, struct dw_setting s, double rate,
		   uint64_t now_ns);

/** dw_memory_best() - the setting with the greatest rate, which counts 0.3 % less for each second
 *  since then; @base if none was faster by 3 %. */
struct dw_setting dw_memory_best(const struct dw_memory *m, struct dw_setting base,
				 uint64_t now_ns);

#endif
