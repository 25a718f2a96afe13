/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_CONTROLLER_H
#define DW_SCHED_CONTROLLER_H

/*
 * A controller chooses transfer length and depth for each command. It sees what the
 * strategy sees, and every completion.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sched/strategy.h"

/**
 * struct dw_controller_state - what the controllers remember
 * @fixed_blocks: length of `fixed`, 0 = the disk's optimum
 * @buffer_bytes: of `cache`
 */
struct dw_controller_state {
	uint32_t fixed_blocks;
	uint64_t buffer_bytes;
};

/** struct dw_pick - what a controller chose: transfer length in blocks, >= 1 */
struct dw_pick {
	uint32_t nlb;
};

/** struct dw_observation - one completed command as a controller sees it */
struct dw_observation {
	uint32_t disk;
	uint32_t nlb;
	uint64_t service_ns;
	bool good;
};

/**
 * struct dw_controller - one row
 * @name: as on the command line
 * @pick: the length of the disk's next data transfer; the core clips it to [1, max]
 * @observe: one completion; may be NULL
 */
struct dw_controller {
	const char *name;
	void (*pick)(struct dw_controller_state *s, const struct dw_view *view,
		     uint32_t disk, struct dw_pick *ret);
	void (*observe)(struct dw_controller_state *s, const struct dw_observation *o);
};

/** dw_controller_find() - the row of that name, or NULL. */
const struct dw_controller *dw_controller_find(const char *name);

/** dw_controller_list() - NULL-terminated names, static. */
const char *const *dw_controller_list(void);

/**
 * dw_cache_length() - transfer length for a shared controller buffer (Tikhomirov, eq. 4.3)
 * @buffer_bytes: the controller's buffer
 * @block_size: bytes per block, > 0
 * @active: disks that share the buffer, > 0
 *
 * Return: the largest power of two not above buffer / (block_size x active), at least 1.
 */
uint32_t dw_cache_length(uint64_t buffer_bytes, uint32_t block_size, uint32_t active);

extern const struct dw_controller dw_controller_fixed;
extern const struct dw_controller dw_controller_cache;

#endif
