/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_SIM_WORLD_H
#define DW_TESTS_SIM_WORLD_H

/*
 * Disks in virtual time for the core alone: what is on the medium, what is only in the
 * volatile cache, what goes wrong and when. The world keeps the rules of a transport (order,
 * fence, exactly one result) and checks those of the core.
 */
#include "base/heap.h"
#include "base/rng.h"
#include "core/core.h"

#define WORLD_DISKS 16
#define NOTHING     0xff /* old data */
#define WORLD_BAD   8

/**
 * struct world_bad - blocks, or a time, that end commands with a class
 * @lba, @nlb: the blocks; @nlb 0 = all commands that it concerns
 * @from_ns, @to_ns: the time; @to_ns 0 = always
 * @class: DW_CLASS_TIMEOUT: no answer; DW_CLASS_RETRY: @way as in the result
 * @data: only commands with blocks
 */
struct world_bad {
	uint64_t lba;
	uint64_t nlb;
	uint64_t from_ns;
	uint64_t to_ns;
	uint8_t class;
	bool way;
	bool data;
};

/**
 * struct world_disk - one emulated disk
 * @medium, @cache: for each block the pass that is there; @cached: it is only in the cache
 * @bad_write, @bad_read: 1 = for ever, n > 1 = n - 1 failures, then healed
 * @rate_ns: service time of a block
 * @fenced: as the transport keeps it
 * @attention: class of a unit attention that the next command gets, or 0
 * @other: another disk answers
 * @gone: removed
 * @shrunk: its capacity now, which nobody has told; 0 = as planned
 * @silent: chance in 1/65536 that a write is dropped without a word
 * @deferred_at, @mode_at, @reset_at: the number of the write that, instead of being carried
 *	out, hears of an earlier one that failed (what is cached is lost), of changed mode
 *	pages (the cache is on from then), of a reset (what is cached is lost); 0 = none
 * @class_at, @class_n, @class: from that write on so many end with this class
 * @together: all that were under way do so, before the first answer is heard
 * @starved: a transfer that begins while another disk has one under way gets no answer
 * @mute_at: nor does anything from that write on; 0 = never
 * @mute: it has come to that; @answers: questions do get an answer
 * @silences: commands without an answer; @silent_ns: the time of the last
 * @bad, @n_bad: what else goes wrong
 * @last_nlb: blocks of its last write
 * @ncq: what is under way beside a command without an answer gets none either
 * @longest: transfers of more blocks get no answer; 0 = all do
 * @host_aborts: the host says that it aborted what got no answer
 * @resets_ns: it is reset at each multiple of that; 0 = never
 * @calm_ns: but from then on it is not; 0 = there is no such time
 * @reset_n: resets so far
 * @flushes: that it was told
 * @transfers: reads and writes on their way
 * @writes: how many there were
 * @odd_lost: writes never reach odd blocks, and say nothing
 * @operation_ns: time of its operation; @operation_fails: which does not end well
 * @operates_until: it works by itself until then, at @operates_pass; 0 = it does not
 * @begun, @begun_ns: how often its operation was begun, and when first
 * @succeeded: what it says of the last one
 * @resumed: whether it works by itself is not known, and it may be told to begin while it does
 */
struct world_disk {
	struct dw_disk_plan plan;
	uint8_t *medium;
	uint8_t *cache;
	bool *cached;
	uint8_t *bad_write;
	uint8_t *bad_read;
	uint8_t *highest;
	uint64_t rate_ns;
	bool volatile_cache;
	bool info;
	bool fenced;
	uint8_t attention;
	bool other;
	bool gone;
	uint64_t shrunk;
	bool needs_start;
	uint32_t not_ready;
	uint32_t silent;
	uint32_t deferred_at, mode_at, reset_at;
	uint32_t class_at, class_n;
	uint8_t class;
	bool together;
	bool starved;
	uint32_t mute_at;
	bool mute;
	bool answers;
	uint32_t silences;
	struct world_bad bad[WORLD_BAD];
	uint32_t n_bad;
	bool ncq;
	uint64_t silent_ns;
	uint32_t last_nlb;
	uint32_t longest;
	bool host_aborts;
	uint64_t resets_ns;
	uint64_t calm_ns;
	uint64_t reset_n;
	uint32_t flushes;
	uint32_t transfers;
	uint32_t writes;
	bool odd_lost;
	uint64_t operation_ns;
	bool operation_fails;
	uint64_t operates_until;
	uint8_t operates_pass;
	uint32_t begun;
	uint64_t begun_ns;
	bool succeeded;
	bool resumed;
	uint32_t dropped;
	uint32_t trouble; /* chance in 1/65536 of a random fault for each command */
	uint32_t at_device;
	uint32_t most;
	uint64_t busy_until;
};

struct world {
	struct dw_rng rng;
	struct dw_core *core;
	struct world_disk disk[WORLD_DISKS];
	uint32_t n;
	uint64_t now_ns;
	struct dw_heap due;
	struct {
		struct dw_op op;
		struct dw_result result;
		bool sent;
		bool silent;
	} * slot;
	uint32_t n_slots;
	uint32_t transfers;
	bool bus_resets; /* a command without an answer resets all other disks */
	uint64_t stall_ns;
	uint64_t commands;
	uint32_t ahead;
	struct dw_core_link link;
	struct dw_core_rules rules;
	bool record;
};

/** world_init() - no disks, a clock at one second, all randomness from @seed. */
void world_init(struct world *w, uint64_t seed);
void world_deinit(struct world *w);

/** world_add() - a disk with a plan; its medium holds NOTHING. */
struct world_disk *world_add(struct world *w, const struct dw_disk_plan *plan);

/** world_core() - a core with these settings and all disks. */
void world_core(struct world *w, const char *strategy, const char *controller,
		uint32_t fixed_blocks, uint32_t active, uint64_t flush_bytes,
		bool record);

/** world_run() - until the core is done, at most @steps results; stops (checkpoint) after
 *  @stop_after results unless 0. Fails the test on a stall or a broken rule. */
void world_run(struct world *w, uint64_t steps, uint64_t stop_after);

/** world_bad_at() - what goes wrong at the blocks @lba to @lba + @nlb - 1 now; NULL = nothing. */
const struct world_bad *world_bad_at(const struct world *w, const struct world_disk *d,
				     uint64_t lba, uint64_t nlb);

/** world_resume() - after a stop: the power goes, then a new core continues the disks that
 *  were stopped; the others leave. False when none was stopped. */
bool world_resume(struct world *w);

#endif
