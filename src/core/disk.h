/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_DISK_H
#define DW_CORE_DISK_H

/* A disk in the core: one struct for each concern. */
#include "core/core.h"
#include "plan/cursor.h"

struct core_link;
struct core_pair;

/**
 * struct core_recovery - recovery of a disk, from a bad completion to the lifted fence
 * @need: what has to be done: bits of enum core_need, done in the order of their values
 * @seen: classes of errors met, a bit for each enum dw_class; one event counts once for all
 *	commands in flight
 * @since_ns: start of the time lost
 * @others_ns: up to then the time was lost by others and not by the disk
 * @resume_ns: the next step does not begin before this time
 * @end, @reason: outcome of the disk when nothing is in flight any more
 * @last: the last error as text
 * @waiting: consecutive polls that found the disk not ready
 * @started: START STOP UNIT was sent
 * @failed: commands with blocks have failed since the disk was fenced
 * @leaving: commands are sent by core_leave()
 * @received: the disk has answered one of them; @mute: it has not
 */
struct core_recovery {
	uint32_t need;
	uint32_t seen;
	uint64_t since_ns;
	uint64_t others_ns;
	uint64_t resume_ns;
	uint8_t end;
	char reason[160];
	char last[80];
	uint32_t waiting;
	bool started;
	bool failed;
	bool leaving;
	bool received;
	bool mute;
};

/**
 * struct core_zone - a place where one command after the other fails
 * @first, @past: positions of the sweep from its first failure to the end of its last
 * @weight: weight of the failures since a command ended well there or beyond
 * @stride: length of the latest jump
 */
struct core_zone {
	uint64_t first;
	uint64_t past;
	uint64_t stride;
	uint32_t weight;
};

/**
 * struct core_zoned - zones that are written in order
 * @all: a reset of all zones is to be sent
 * @empty_from: zones that begin there or behind are empty
 * @failed: position of the last error in the current zone
 */
struct core_zoned {
	bool all;
	uint64_t empty_from;
	uint64_t failed;
};

/**
 * struct core_length - limit of the length of transfers, of a disk that gave no answer to longer
 * ones
 * @most: blocks; 0 = no limit
 * @goods: number of transfers that ended well since it was set
 * @trials: number of longer transfers that got no answer
 * @fixed: the limit stays: it was found twice, or the disk is set aside
 */
struct core_length {
	uint32_t most;
	uint32_t goods;
	uint32_t trials;
	bool fixed;
};

/**
 * struct core_operation - the operation of a device
 * @unsure: it was commanded to begin, and nobody knows whether it has
 * @restarts: number of times that it had not begun
 * @begun_ns: when it was first known to work
 * @moved_ns: when its progress last changed
 * @poll_ns: time of the next poll; @interval_ns: time between the next two
 * @progress: the latest report; @most: the greatest
 * @missed: number of consecutive polls without an answer
 * @touched: a block was read since its progress stopped
 */
struct core_operation {
	bool unsure;
	bool touched;
	uint32_t restarts;
	uint32_t progress;
	uint32_t most;
	uint32_t missed;
	uint64_t begun_ns;
	uint64_t moved_ns;
	uint64_t poll_ns;
	uint64_t interval_ns;
};

/** enum core_ask - requests of a user for a disk at work; a greater value includes the smaller
 *  ones */
enum core_ask {
	ASK_NOTHING,
	ASK_PAUSE,
	ASK_STOP,
	ASK_ABORT, /* a stop without a flush */
};

/**
 * struct core_limits - limits of the length and number of commands of a disk
 * @constant, @data: longest transfers that the path accepts; DW_CLASS_TOO_BIG halves them
 * @ws: longest WRITE SAME; @ws_nlb: the length in use; valid while @use_ws
 * @depth: largest queue depth that the disk accepts; a full queue lowers it
 * @quick: the latest command was so short that waking the loop for each would cost a noticeable
 *	share
 */
struct core_limits {
	uint32_t constant;
	uint32_t data;
	uint32_t ws;
	uint32_t ws_nlb;
	uint32_t depth;
	bool use_ws;
	bool quick;
};

/**
 * struct core_flush - the cache of a disk, and flushes
 * @bytes: written since the last flush; @at_ns: time of that flush
 * @every_ns: longest time between two flushes; shorter while resets lose data between them
 * @begun_ns: start of the phase; 0 = it has ended
 * @after: the phase that a flush and its confirmation belong to
 * @wce: the write cache is on, by the plan or as found since
 * @dirty: something was written, and no flush was confirmed since
 * @settled: the op of DW_CORE_SETTLE ended well
 * @done: the flush ended well; @confirmed: and so did the identification after it
 * @due: a flush is to be sent; @final: it is the one at the end
 * @mode_changed: another program changed mode parameters, perhaps of the cache, since the last
 *	flush
 * @repaired: blocks that could not be written, were written since, and are not yet flushed
 * @elsewhere: consecutive rewinds for errors that were reported to other initiators
 * @lost: consecutive rewinds for such errors that the disk counts as write errors. At their
 *	limits both keep their values for the rest of the pass
 */
struct core_flush {
	uint64_t bytes;
	uint64_t at_ns;
	uint64_t every_ns;
	uint64_t begun_ns;
	uint8_t after;
	int8_t wce;
	bool dirty;
	bool settled;
	bool done;
	bool confirmed;
	bool due;
	bool final;
	bool mode_changed;
	struct dw_extents repaired;
	uint32_t elsewhere;
	uint32_t lost;
};

/**
 * struct core_verify - the verification of a pass
 * @begun_ns: start of the phase; 0 = it has ended
 * @touched: extents of this pass that had errors and are verified in full
 * @unreadable: blocks that could not be read, to be repaired
 * @differed: blocks that were wrong when they were first read
 * @unit, @blocks: blocks of a unit of the sample, and of the whole sample
 * @sampled: blocks of the sample that were compared; negative while other blocks are still read
 * @earlier, @earlier_blocks: units and blocks of the sample's sweeps before this one
 */
struct core_verify {
	uint64_t begun_ns;
	struct dw_extents touched;
	struct dw_extents unreadable;
	struct dw_extents differed;
	uint32_t unit;
	uint64_t blocks;
	int64_t sampled;
	uint64_t earlier;
	uint64_t earlier_blocks;
};

/**
 * struct core_compare - a disk that compares itself
 * @plants: a run of one block each; @pending: those that are still to be reported
 * @doubt: it reported differences there, and none was planted
 * @nlb: blocks of a command; @most: that it may grow to
 * @fails: commands that ended with an error
 */
struct core_compare {
	struct dw_extents plants;
	struct dw_extents pending;
	struct dw_extents doubt;
	uint32_t nlb;
	uint32_t most;
	uint32_t fails;
};

/**
 * struct core_reads - times of reads, in seconds: their number @n, sum, and sum of the squares.
 * Of overlapping reads only the time beyond the earlier ones counts
 * @blocks: total blocks read; @end_ns: end of the last read
 */
struct core_reads {
	uint64_t n;
	double s;
	double s2;
	uint64_t blocks;
	uint64_t end_ns;
};

/**
 * struct core_rate - the rate of a disk
 * @phase_base: work_done when the phase began
 * @told_ns: time of the last progress event
 * @at_ns: when the rate was last computed; @bytes: bytes moved by then
 */
struct core_rate {
	uint64_t phase_base;
	uint64_t told_ns;
	uint64_t at_ns;
	uint64_t bytes;
};

/**
 * struct core_patience - how long errors have kept a disk from making progress
 * @streak: consecutive failures; the wait after each is longer
 * @row: failures of blocks since a command with blocks ended well
 * @trouble_ns: since when it has made no progress because of its own errors; 0 = it has
 * @idle_ns: since when it could have had a command
 * @best: the greatest @state.work_done so far
 * @gone_ns: since when it cannot be reached
 * @unseen: consecutive times that it could not be seen who else uses it
 * @suspect: the command in flight was sent alone, as its blocks have failed before
 */
struct core_patience {
	uint32_t streak;
	uint32_t row;
	uint64_t trouble_ns;
	uint64_t idle_ns;
	uint64_t best;
	uint64_t gone_ns;
	uint32_t unseen;
	bool suspect;
};

/**
 * struct core_crowd - a disk and the others of its link
 * @starved_ns: since when the disk needs the bus to itself; 0 = it does not
 * @alone_ns: end of that; 0 = not known before it answers
 * @hangs: number of times it gave no answer and delayed others, or gave none while alone; cleared
 *	in calm times
 * @timeouts: number of these while other disks used the bus
 * @aside: it is resumed when the others of its link have ended
 * @moved_ns: when its last transfer was answered, or was sent while it had none
 */
struct core_crowd {
	uint64_t starved_ns;
	uint64_t alone_ns;
	uint32_t hangs;
	uint32_t timeouts;
	bool aside;
	uint64_t moved_ns;
};

/** struct core_trial - progress of DW_PLAN_TRIAL */
struct core_trial {
	uint8_t left_ws;
	uint8_t left_write;
	uint64_t ws_ns, ws_blocks;
	uint64_t write_ns, write_blocks;
};

/**
 * struct core_disk - one disk
 * @view: its entry in the view of @link, at @place
 * @todo_next, @queued: list of the disks that the next step handles; the disk is in it
 * @in_ready: index in the ready list, UINT32_MAX = not in it
 * @transfers: reads and writes in flight
 * @ask: enum core_ask, while a request is pending; @paused_ns: time of the pause
 * @pair: the pair that the disk is part of; the first of the two owns it
 */
struct core_disk {
	struct dw_disk_plan plan;
	struct dw_core_rules rules;
	struct dw_disk_state state;
	struct core_link *link;
	struct dw_view_disk *view;
	struct core_disk *todo_next;
	struct dw_cursor cursor;
	uint32_t id;
	uint32_t place;
	uint32_t in_ready;
	uint32_t transfers;
	struct core_limits limits;
	bool queued;
	uint8_t ask;
	uint64_t timer_ns;
	uint64_t paused_ns;
	struct core_flush flush;
	struct core_rate rate;
	struct core_patience patience;
	struct core_crowd crowd;
	struct core_recovery rec;
	struct core_operation operation;
	struct core_zone zone;
	struct core_zoned zoned;
	struct core_length length;
	struct core_verify verify;
	struct core_compare compare;
	struct core_reads reads;
	struct core_pair *pair;
	struct core_trial trial;
};

#endif
