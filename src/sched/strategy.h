/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_STRATEGY_H
#define DW_SCHED_STRATEGY_H

/*
 * A strategy decides which disk gets a command when; a controller decides how long the
 * command is and how many a disk holds. Both see counts, never addresses, commands,
 * descriptors or clocks. Step j of a job is one column Q_j: the list of disks that get a
 * command in it, in that order; H[i][j] is how often disk i stands in it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct dw_view_disk - one disk as strategies and controllers see it
 * @left: blocks of the current phase not yet cut
 * @expected_ns: expected time to finish everything, 0 = unknown
 * @transfers: reads and writes on their way; not WRITE SAME, flushes and questions
 * @depth: commands at the disk at once, as the controller chose
 * @most: what it may choose in the phase in hand
 * @room: commands it can take now; 0 while it recovers, flushes or is finished
 * @block_size: bytes
 * @optimal, @max: preferred transfer, and the longest in the phase in hand, blocks
 * @told: the disk itself names its optimum
 * @finished: nothing is left to be done on it, ever
 */
struct dw_view_disk {
	uint64_t left;
	uint64_t expected_ns;
	uint32_t transfers;
	uint32_t depth;
	uint32_t most;
	uint32_t room;
	uint32_t block_size;
	uint32_t optimal;
	uint32_t max;
	bool told;
	bool finished;
};

/**
 * struct dw_view - the job as strategies and controllers see it; read-only
 * @n, @disk: all disks in their order
 * @unfinished: disks that are not finished
 * @active: disks that share the controller now, by the strategy's rule; >= 1
 * @inflight: commands on their way over all disks, of any kind
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

/** struct dw_column - Q_j: @entry[0..n-1] are disk numbers, one for each command */
struct dw_column {
	uint32_t *entry;
	uint32_t n;
	uint32_t cap;
};

/** dw_column_add() - append a disk; 0 or -ENOMEM. */
int dw_column_add(struct dw_column *c, uint32_t disk);

/**
 * struct dw_strategy_state - what the strategies remember; zeroed at the start
 * @limit: --active, 0 = no limit
 * @cursor: first unfinished disk, or the disk served last
 * @order, @n_order: disks by falling expected time; owned
 * @rank: of each disk in @order; those below @cursor are admitted; owned
 * @unfinished, @admitted_to: view and limit when disks were admitted last
 */
struct dw_strategy_state {
	uint32_t limit;
	uint32_t cursor;
	bool started;
	uint32_t *order;
	uint32_t n_order;
	uint32_t *rank;
	uint32_t unfinished;
	uint32_t admitted_to;
};

/**
 * struct dw_strategy - one row
 * @name: as on the command line
 * @next: add the disks of the next column; an empty column means: wait. O(ready), amortised.
 *	0 or -ENOMEM
 * @concurrency: how many disks it keeps busy at once, of @unfinished
 */
struct dw_strategy {
	const char *name;
	int (*next)(struct dw_strategy_state *s, const struct dw_view *view,
		    struct dw_column *ret);
	uint32_t (*concurrency)(const struct dw_strategy_state *s, uint32_t unfinished);
};

/** dw_strategy_find() - the row of that name, or NULL. */
const struct dw_strategy *dw_strategy_find(const char *name);

/** dw_strategy_list() - NULL-terminated names, static. */
const char *const *dw_strategy_list(void);

/** dw_strategy_deinit() - free what the state owns. */
void dw_strategy_deinit(struct dw_strategy_state *s);

extern const struct dw_strategy dw_strategy_sequential;
extern const struct dw_strategy dw_strategy_round_robin;
extern const struct dw_strategy dw_strategy_parallel;
extern const struct dw_strategy dw_strategy_longest_first;

#endif
