/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_CONTROLLER_H
#define DW_SCHED_CONTROLLER_H

/*
 * A controller chooses transfer length and depth for each command. It sees what the strategy
 * sees, and every completion. Its only clock is the time of completions.
 */
#include <stdbool.h>
#include <stdint.h>

#include "plan/op.h"
#include "sched/strategy.h"

struct dw_adaptive;

/**
 * struct dw_controller_state - the state of a controller for one link
 * @fixed_blocks: of `fixed`: length in blocks, 0 = the disk's optimum
 * @buffer_bytes: of `cache`, and the start of `adaptive`: buffer of the host adapter; 0 = not
 *	known
 * @adaptive: of `adaptive`; owned
 */
struct dw_controller_state {
	uint32_t fixed_blocks;
	uint64_t buffer_bytes;
	struct dw_adaptive *adaptive;
};

/** struct dw_pick - the choice of a controller: transfer length in blocks, and commands at the
 *  disk at once; both >= 1 */
struct dw_pick {
	uint32_t nlb;
	uint32_t depth;
};

/**
 * struct dw_observation - one completed command as a controller sees it
 * @disk: place of its disk
 * @verb: enum dw_verb; a flush has no blocks
 * @class: enum dw_class: how it ended
 * @blocks: its length
 * @service_ns: time at the device
 * @end_ns: when it ended
 * @host_ns: CPU time of the host for such a command, 0 = not known
 */
struct dw_observation {
	uint32_t disk;
	uint8_t verb;
	uint8_t class;
	uint64_t blocks;
	uint64_t service_ns;
	uint64_t end_ns;
	uint64_t host_ns;
};

/**
 * struct dw_controller - one controller of the registry; functions that it does not need are NULL
 * @name: as on the command line
 * @auto_depth: without --depth it may use any depth up to DW_DEPTH_AUTO, else one
 * @init, @free: create and free its state; 0 or -ENOMEM
 * @disk_in: a disk takes part from now on: it is new, or was paused. 0 or -ENOMEM
 * @disk_out: a disk no longer takes part; its place may become another disk's
 * @pick: length and depth of the disk's next data transfer; the core limits both to what the disk
 *	takes. O(1)
 * @observe: one completion. O(1), amortised
 * @still: for how many ns its choice stays the same if everything continues as it is, 0 = it may
 *	change at any moment; NULL = for ever. A simulation leaps no further
 * @leapt: a simulation has leapt over @ns, with @rate bytes per second of all disks together
 *	without those with WRITE SAME; later completions are that much later. Returns the ns that
 *	are lost in trials which it takes as made; NULL = none
 */
struct dw_controller {
	const char *name;
	bool auto_depth;
	int (*init)(struct dw_controller_state *s);
	void (*free)(struct dw_controller_state *s);
	int (*disk_in)(struct dw_controller_state *s, const struct dw_view *view,
		       uint32_t disk);
	void (*disk_out)(struct dw_controller_state *s, const struct dw_view *view,
			 uint32_t disk);
	void (*pick)(struct dw_controller_state *s, const struct dw_view *view,
		     uint32_t disk, struct dw_pick *ret);
	int (*observe)(struct dw_controller_state *s, const struct dw_view *view,
		       const struct dw_observation *o);
	uint64_t (*still)(const struct dw_controller_state *s);
	uint64_t (*leapt)(struct dw_controller_state *s, const struct dw_view *view,
			  uint64_t ns, double rate);
};

#define DW_DEPTH_AUTO  32
#define DW_CACHE_BYTES (UINT64_C(2) << 20) /* a buffer that is not known */

/** dw_controller_find() - the row of that name, or NULL. */
const struct dw_controller *dw_controller_find(const char *name);

/** dw_controller_list() - NULL-terminated names in the order of the registry, static. */
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

/* The registry: dw_controller_NAME of a file of its own, and its name for people. */
/* clang-format off */
#define DW_CONTROLLERS(row)       \
	row(adaptive, "adaptive") \
	row(fixed, "fixed")       \
	row(cache, "cache")
/* clang-format on */

#define DW_CONTROLLER_ROW(id, text) extern const struct dw_controller dw_controller_##id;
DW_CONTROLLERS(DW_CONTROLLER_ROW)
#undef DW_CONTROLLER_ROW

#endif
