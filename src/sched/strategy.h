/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_STRATEGY_H
#define DW_SCHED_STRATEGY_H

/*
 * A strategy decides which disk gets a command when. A controller decides how long the command is
 * and how many a disk has at once. Both see counts, never addresses, commands, descriptors or
 * clocks. Step j of a job is one column Q_j: the list of disks that get a command in it, in that
 * order. H[i][j] is how often disk i is in it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/queue.h"

/**
 * struct dw_view_disk - one disk as strategies and controllers see it
 * @left: blocks of the current phase that no command has been made for
 * @total: blocks of the disk
 * @later: how often all of it is written or read after the current phase
 * @rotates: its medium does, or may: the rate falls from the first block to the last
 * @expected_ns: expected time to finish everything, 0 = unknown
 * @priority: among the disks that wait, the one with the greatest begins first
 * @owner: small number of the job or group that it belongs to; owners are admitted by turns
 * @transfers: reads and writes in flight; not WRITE SAME, flushes and questions
 * @depth: commands at the disk at once, as the controller chose
 * @most: the greatest depth that it may choose in the current phase
 * @room: commands it can take now; 0 while it recovers or flushes, or if @out
 * @block_size: bytes
 * @optimal, @max: preferred transfer, and the longest in the current phase, blocks
 * @reported: the disk itself reports @optimal
 * @out: it takes no part: it is finished or paused, its device works by itself and needs no bus,
 *	or no disk has this place
 */
struct dw_view_disk {
	uint64_t left;
	uint64_t total;
	uint32_t later;
	bool rotates;
	uint64_t expected_ns;
	int32_t priority;
	uint32_t owner;
	uint32_t transfers;
	uint32_t depth;
	uint32_t most;
	uint32_t room;
	uint32_t block_size;
	uint32_t optimal;
	uint32_t max;
	bool reported;
	bool out;
};

/**
 * struct dw_view - a link and its disks as strategies and controllers see them; read-only
 * @n, @disk: the link's disks by their places; a place is reused when its disk has left, and @n
 *	does not shrink
 * @unfinished: number of disks that are not out
 * @active: number of disks that share the link now, by the strategy's rule; >= 1
 * @inflight: commands in flight on all disks, of any kind
 * @ready, @n_ready: disks with room, in no particular order
 */
struct dw_view {
	uint32_t n;
	const struct dw_view_disk *disk;
	uint32_t unfinished;
	uint32_t active;
	uint32_t inflight;
	const uint32_t *ready;
	uint32_t n_ready;
};

/** struct dw_column - Q_j: @entry[0..n-1] are places of disks, one for each command */
struct dw_column {
	uint32_t *entry;
	uint32_t n;
	uint32_t cap;
};

/** dw_column_add() - append a disk; 0 or -ENOMEM. */
int dw_column_add(struct dw_column *c, uint32_t disk);

/**
 * struct dw_strategy_state - the state of a strategy for one link; all zero at the start
 * @limit: --active, 0 = no limit
 * @elsewhere: disks of other links that count towards it
 * @cursor: the disk that was served last, valid if @started
 * @queue: of strategies that admit disks
 */
struct dw_strategy_state {
	uint32_t limit;
	uint32_t elsewhere;
	uint32_t cursor;
	bool started;
	struct dw_queue queue;
};

/**
 * struct dw_strategy - one strategy of the registry; functions that it does not need are NULL
 * @name: as on the command line
 * @init, @free: create and free its state; 0 or -ENOMEM
 * @disk_in: a disk takes part from now on: it is new, or was paused. 0 or -ENOMEM
 * @disk_out: a disk no longer takes part; its place may become another disk's
 * @next: add the disks of the next column; an empty column means: wait. O(ready), amortised. 0 or
 *	-ENOMEM
 * @concurrency: how many disks it keeps busy at once, of @unfinished
 * @turns: all disks are admitted and take turns, one command at a time over all of them; else as
 *	many as it keeps busy are admitted, each until it is finished
 * @longest_first: of the disks that wait, the one that will take longest is admitted first; else
 *	the one that came first
 */
struct dw_strategy {
	const char *name;
	int (*init)(struct dw_strategy_state *s);
	void (*free)(struct dw_strategy_state *s);
	int (*disk_in)(struct dw_strategy_state *s, const struct dw_view *view,
		       uint32_t disk);
	void (*disk_out)(struct dw_strategy_state *s, const struct dw_view *view,
			 uint32_t disk);
	int (*next)(struct dw_strategy_state *s, const struct dw_view *view,
		    struct dw_column *ret);
	uint32_t (*concurrency)(const struct dw_strategy_state *s, uint32_t unfinished);
	bool turns;
	bool longest_first;
};

/** dw_strategy_find() - the row of that name, or NULL. */
const struct dw_strategy *dw_strategy_find(const char *name);

/** dw_strategy_list() - NULL-terminated names in the order of the registry, static. */
const char *const *dw_strategy_list(void);

/** dw_strategy_slots() - number of @disks that are admitted at once, each until it is finished;
 *  @active as --active, 0 = no limit. */
uint32_t dw_strategy_slots(const struct dw_strategy *s, uint32_t active, uint32_t disks);

/** dw_strategy_admitted() - number of @unfinished disks that are admitted now. */
uint32_t dw_strategy_admitted(const struct dw_strategy *s,
			      const struct dw_strategy_state *state, uint32_t unfinished);

/* The registry: dw_strategy_NAME of a file of its own, and its name for people. */
/* clang-format off */
#define DW_STRATEGIES(row)              \
	row(sequential, "sequential")   \
	row(round_robin, "round-robin") \
	row(parallel, "parallel")       \
	row(longest_first, "longest-first")
/* clang-format on */

#define DW_STRATEGY_ROW(id, text) extern const struct dw_strategy dw_strategy_##id;
DW_STRATEGIES(DW_STRATEGY_ROW)
#undef DW_STRATEGY_ROW

#endif
