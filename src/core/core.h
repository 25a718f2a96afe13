/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_CORE_H
#define DW_CORE_CORE_H

/*
 * The core turns plans into ops, and results into progress. It is a pure state machine: time and
 * results go in, ops and events come out. It reads no clock, starts no thread and touches no
 * disk, so that a simulation runs the same code.
 *
 *	loop: dw_core_result() for each result; dw_core_step(now); submit dw_core_op()s;
 *	      take dw_core_event()s; wait for a result or until dw_core_timer()
 */
#include <stdbool.h>
#include <stdint.h>

#include <diskwipe/job.h>

#include "plan/extents.h"
#include "plan/op.h"
#include "plan/plan.h"
#include "sched/controller.h"
#include "sched/copies.h"
#include "sched/gate.h"
#include "sched/strategy.h"

/**
 * struct dw_core_link - settings of a link: disks that share a host adapter or a bus
 * @strategy, @controller: rows of the registries
 * @active: number of disks at work at once, if the strategy admits disks; 0 = no limit
 * @shared: links with the same number share the limit @active; 0 = the link has a limit of its
 *	own
 * @fixed_blocks: length of the controller `fixed`, 0 = the disk's optimum
 * @buffer_bytes: the link's buffer, for the controllers `cache` and `adaptive`; 0 = not known
 */
struct dw_core_link {
	const struct dw_strategy *strategy;
	const struct dw_controller *controller;
	uint32_t active;
	uint32_t shared;
	uint32_t fixed_blocks;
	uint64_t buffer_bytes;
};

/**
 * struct dw_core_rules - settings of a disk
 * @fixed_for_ws: the controller's length also applies to WRITE SAME (an explicit fixed:N)
 * @ahead: number of commands that may wait beyond the depth, for constant writes to a fast disk,
 *	so that the loop need not wake for each; at most one otherwise
 * @ahead_data: the same for writes with data of their own, if the data are made right before the
 *	command is sent; 0 = each waiting command has a buffer, and one may wait
 * @flush_bytes, @flush_ns: flush at least after so much
 * @longest: the longest transfer, in blocks, that got an answer in an earlier run; 0 = no limit
 *	was found
 * @stall_ns: time without progress because of errors after which the disk is given up
 * @exception_limit: number of wrong or unreadable blocks after which a verification that cannot
 *	erase any more ends
 */
struct dw_core_rules {
	bool fixed_for_ws;
	uint32_t ahead;
	uint32_t ahead_data;
	uint64_t flush_bytes;
	uint64_t flush_ns;
	uint32_t longest;
	uint64_t stall_ns;
	uint64_t exception_limit;
};

/**
 * struct dw_core_disk - a disk that is added
 * @plan: copied
 * @rules: its settings
 * @rotates: its medium does, or may
 * @expected_ns: expected time to finish, for longest-first; 0 = unknown
 * @priority: among the disks that wait on its link, the one with the greatest begins first
 * @owner: small number of the job or group that it belongs to; at equal priority, owners take
 *	turns
 * @faults, @n_faults: faults of an earlier run that is resumed; copied, without those that are
 *	written again
 */
struct dw_core_disk {
	const struct dw_disk_plan *plan;
	struct dw_core_rules rules;
	bool rotates;
	uint64_t expected_ns;
	int32_t priority;
	uint32_t owner;
	const struct dw_fault *faults;
	uint32_t n_faults;
};

enum dw_core_phase {
	DW_CORE_WAITING, /* nothing sent yet */
	DW_CORE_WRITE,   /* a pass is being written */
	DW_CORE_OPERATE, /* the device executes a pass by itself */
	DW_CORE_SETTLE,  /* the kernel writes back: after the last pass, and at the end */
	DW_CORE_FLUSH,   /* SYNCHRONIZE CACHE */
	DW_CORE_CONFIRM, /* identity, after a flush and at the end */
	DW_CORE_CYCLE, /* waiting for its power cycle, as nothing else empties its cache */
	DW_CORE_CONTROL, /* the disk compares a block with what it does not hold, and must say so */
	DW_CORE_PLANT,    /* differences are planted */
	DW_CORE_FLOOD,    /* other blocks are read, so that these are in no cache */
	DW_CORE_COMPARE,  /* the disk compares all its blocks */
	DW_CORE_UNPLANT,  /* what was planted is overwritten */
	DW_CORE_VERIFY,   /* read back and compare */
	DW_CORE_REPAIR,   /* unreadable blocks are written again */
	DW_CORE_REVERIFY, /* and read again */
	DW_CORE_DONE,
};

/** enum dw_cycle - of a disk whose plan has @cycle */
enum dw_cycle {
	DW_CYCLE_NONE,
	DW_CYCLE_DUE, /* all passes are written, but may be in the cache alone */
	DW_CYCLE_SEEN, /* it was without power since then, and was not written to after that */
};

enum dw_core_end {
	DW_END_NONE,
	DW_END_COMPLETE, /* all passes and verifications are done; there may be exceptions */
	DW_END_FAILED,
	DW_END_STOPPED,
	DW_END_REMOVED,
};

/** struct dw_fault - blocks that are not known to be erased; @kind: enum dw_exception_kind */
struct dw_fault {
	uint64_t lba;
	uint64_t nlb;
	uint8_t kind;
	uint8_t sense_key;
	uint8_t asc;
	uint8_t ascq;
	uint8_t pass;
};

/** struct dw_faults - a list of them */
struct dw_faults {
	struct dw_fault *v;
	uint32_t n;
	uint32_t cap;
};

/**
 * struct dw_compare_state - the disk's own comparison
 * @planted: plants may be on the disk: from before the first is written until it is confirmed that
 *	they are overwritten
 * @seed: of the plants
 * @strata, @plants, @found: of dw_plants_draw(); differences that this run has planted, and those
 *	that the disk reported
 * @blocks: that it reports are right
 * @done: it went to the end, and every plant was reported at its block
 * @why: why it does not count; empty = it does, or was not asked for
 */
struct dw_compare_state {
	bool planted;
	uint64_t seed;
	uint32_t strata;
	uint32_t plants;
	uint32_t found;
	uint64_t blocks;
	bool done;
	char why[120];
};

/** struct dw_pass_state - what was done for one pass */
struct dw_pass_state {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t bytes;
	bool used_write;
	bool used_ws;
	bool used_operation;
};

/**
 * struct dw_steer_state - length and number of a disk's commands
 * @transfer, @depth: blocks of the latest data transfer, present limit of commands at once
 * @longest: limit of a transfer, in blocks, as longer ones got no answer; 0 = none
 * @most_transfer, @most_depth: the setting that moved most blocks; @most_left: its lead in the
 *	majority vote
 */
struct dw_steer_state {
	uint32_t transfer;
	uint32_t depth;
	uint32_t longest;
	uint32_t most_transfer;
	uint32_t most_depth;
	uint64_t most_left;
};

/**
 * struct dw_operation_state - the operation by which a device erases itself
 * @running: that of the present pass has begun, and its end is not confirmed
 * @left: it was given up while it runs, as it made no progress
 * @touched: a block was read while it made no progress
 * @end_unknown: its result could not be read
 * @reported_ns: time of the latest report of progress by the device
 * @bytes: erased so far, as far as the device reports that
 */
struct dw_operation_state {
	bool running;
	bool left;
	bool touched;
	bool end_unknown;
	uint64_t reported_ns;
	uint64_t bytes;
};

/**
 * struct dw_verify_state - what was read back
 * @bytes: that were right, of all passes
 * @units: pieces read in the verification of the last pass
 * @blocks, @differ: blocks that were right, and that were not
 * @sampled: blocks of samples, each counted once
 * @total: units of the disk, of which a sample is drawn
 * @mismatches: blocks that were found wrong
 * @sweeps: number of samples that @units belong to, at least 1
 */
struct dw_verify_state {
	uint64_t bytes;
	uint64_t units;
	uint64_t blocks;
	uint64_t differ;
	uint64_t sampled;
	uint64_t total;
	uint64_t mismatches;
	uint32_t sweeps;
};

/** struct dw_trouble_state - commands that were retried, or split; timeouts and resets */
struct dw_trouble_state {
	uint64_t retried;
	uint64_t split;
	uint64_t timeouts;
	uint64_t resets;
};

/**
 * struct dw_elsewhere_state - errors that were repeatedly reported to others
 * @unsure: there were such: written data may be lost unnoticed, but not below @lba of pass @pass
 */
struct dw_elsewhere_state {
	bool unsure;
	uint8_t pass;
	uint64_t lba;
};

/**
 * struct dw_time_state - when a disk worked, and for how long
 * @started, @finished: points in time
 * @stalled: lost by errors so far
 * @back: since when it waits for its turn after an operation of its own, 0 = it does not;
 *	@waited: total of such time
 * @flush, @verify: time of flushes and their confirmation, and of reading
 */
struct dw_time_state {
	uint64_t started;
	uint64_t finished;
	uint64_t stalled;
	uint64_t back;
	uint64_t waited;
	uint64_t flush;
	uint64_t verify;
};

/** enum dw_same_use - whether WRITE SAME is used, where the plan allows it */
enum dw_same_use {
	DW_SAME_USED,
	DW_SAME_SLOWER, /* not: WRITE was faster where both were tried */
	DW_SAME_FAILED, /* not: it was refused, or had no effect */
};

/**
 * struct dw_disk_state - the state of a disk; read-only outside the core
 * @fenced: between a completion that was not good and the lifted fence
 * @paused: nothing is in flight, what was written is on the medium, and nothing is sent
 * @cycle: enum dw_cycle
 * @same: enum dw_same_use
 * @end: enum dw_core_end
 * @mark: the first @mark blocks of the sweep of pass @pass are on the medium; an LBA, unless the
 *	plan has an order
 * @submitted: ops without a result
 * @work_done: blocks, written and verified, of @work_total
 * @flush_refused: SYNCHRONIZE CACHE was refused with the write cache off
 * @rate: bytes per second, smoothed over some seconds
 * @compare: the disk's own comparison
 */
struct dw_disk_state {
	uint8_t phase;
	uint8_t pass;
	bool fenced;
	bool paused;
	uint8_t cycle;
	uint8_t same;
	uint8_t end;
	bool flush_refused;
	char reason[160];
	uint64_t mark;
	uint64_t position;
	uint32_t submitted;
	uint64_t commands;
	uint64_t bytes_written;
	uint64_t work_done;
	uint64_t work_total;
	double rate;
	struct dw_time_state ns;
	struct dw_steer_state steer;
	struct dw_operation_state operation;
	struct dw_verify_state verify;
	struct dw_trouble_state trouble;
	struct dw_elsewhere_state elsewhere;
	struct dw_compare_state compare;
	struct dw_pass_state passes[DW_PASSES_MAX];
	struct dw_faults faults;
};

enum dw_core_event_kind {
	DW_CORE_EVENT_STARTED,
	DW_CORE_EVENT_PHASE,
	DW_CORE_EVENT_PROGRESS,
	DW_CORE_EVENT_NOTICE,
	DW_CORE_EVENT_FAULT,
	DW_CORE_EVENT_FLUSHED,
	DW_CORE_EVENT_PAUSED,
	DW_CORE_EVENT_RESUMED,
	DW_CORE_EVENT_DONE, /* the disk's last */
};

/** struct dw_core_event - an event; @text of NOTICE, @fault of FAULT */
struct dw_core_event {
	uint8_t kind;
	uint8_t phase;
	uint8_t pass;
	uint32_t disk;
	uint64_t now_ns;
	uint64_t lba;
	struct dw_fault fault;
	char text[160];
};

enum dw_pace {
	DW_PACE_OTHER, /* it flushes, recovers, makes a trial or repeats pieces */
	DW_PACE_EVEN,  /* one command like the other */
	DW_PACE_IDLE,  /* waits for its turn, is paused or finished */
};

/**
 * struct dw_core_pace - the steady progress of a disk, for a simulation that leaps; in blocks
 * @kind: enum dw_pace; what follows is for DW_PACE_EVEN
 * @steered: its length and depth are the controller's; not of WRITE SAME
 * @inside: the disk compares itself, at the rate of its medium
 * @sampled: the phase reads a sample
 * @pos: position of the sweep where the next piece begins; of a sample its LBA, or the end of the
 *	last unit
 * @order: of the sweep, borrowed; NULL = upwards
 * @left: blocks of the phase that no command has been made for, of @size
 * @grain: leaps are multiples of it
 * @flush_ns, @flush_blocks: a flush at least that often; 0 = none in this phase
 */
struct dw_core_pace {
	uint8_t kind;
	bool steered;
	bool inside;
	bool sampled;
	uint64_t pos;
	const struct dw_order *order;
	uint64_t left;
	uint64_t size;
	uint32_t grain;
	uint64_t flush_ns;
	uint64_t flush_blocks;
};

/** struct dw_core_leap - blocks that count as done by so many commands within @ns, without being
 *  sent */
struct dw_core_leap {
	uint64_t blocks;
	uint64_t commands;
	uint64_t ns;
};

struct dw_core;

/** dw_core_new() - a core without links and disks. 0 or -ENOMEM. */
int dw_core_new(struct dw_core **ret);
void dw_core_free(struct dw_core *c);

/** dw_core_link_new() - add a link; @ret_link: its number, the smallest that is free. 0 or
 *  -ENOMEM. */
int dw_core_link_new(struct dw_core *c, const struct dw_core_link *link,
		     uint32_t *ret_link);

/** dw_core_link_drop() - remove a link without disks; its number may be used again. */
void dw_core_link_drop(struct dw_core *c, uint32_t link);

/**
 * dw_core_add() - add a disk, at any time
 * @c: the core
 * @link: number of its link
 * @disk: its plan and settings; borrowed for the call
 * @ret_disk: its number: the smallest that is free
 *
 * Return: 0 or -ENOMEM.
 */
int dw_core_add(struct dw_core *c, uint32_t link, const struct dw_core_disk *disk,
		uint32_t *ret_disk);

/** dw_core_remove() - remove a disk that has ended, or not begun. Its number may be used again,
 *  and its state is gone. 0; -EBUSY: it is at work, or its ops and events have not been taken. */
int dw_core_remove(struct dw_core *c, uint32_t disk);

/**
 * dw_core_copies() - two disks hold copies of the same data; before either has begun
 * @a, @b: their numbers; a disk has at most one copy
 * @policy: enum dw_copies_policy, of a sampled verification after the last pass
 * Return: 0 or -ENOMEM.
 */
int dw_core_copies(struct dw_core *c, uint32_t a, uint32_t b, int policy);

/** struct dw_copies_state - @policy: as configured, or what auto has chosen, if @decided;
 *  @forecast: what that is based on, else zero */
struct dw_copies_state {
	bool decided;
	int policy;
	struct dw_copies_forecast forecast;
};

/** dw_core_copies_state() - the state of the pair that a disk belongs to; NULL = it belongs to
 *  none. */
const struct dw_copies_state *dw_core_copies_state(const struct dw_core *c,
						   uint32_t disk);

/** dw_core_share() - use the disks of a link for that share of the time from now on; 0 = not at
 *  all, 1 = always (the default). @quantum_ns: see struct dw_gate, 0 = as before. */
void dw_core_share(struct dw_core *c, uint32_t link, double share, uint64_t quantum_ns);

/** dw_core_on_ns() - time with a data command in flight on a link, up to the last step or
 *  result. */
uint64_t dw_core_on_ns(struct dw_core *c, uint32_t link);

/** dw_core_priority() - change the priority of a disk; one that has begun is not interrupted. 0
 *  or -ENOMEM. */
int dw_core_priority(struct dw_core *c, uint32_t disk, int32_t priority);

/** dw_core_result() - pass in the result of an op: exactly one for each but DW_VERB_LIFT and
 *  _DEPTH. @now_ns may be the time at which the command ended. */
int dw_core_result(struct dw_core *c, const struct dw_result *result, uint64_t now_ns);

/** dw_core_step() - decide what is sent now. 0 or -ENOMEM. */
int dw_core_step(struct dw_core *c, uint64_t now_ns);

/** dw_core_op() - the next op to submit; false = none. Ops of a disk keep their order. */
bool dw_core_op(struct dw_core *c, struct dw_op *ret);

/** dw_core_event() - the next event; false = none. */
bool dw_core_event(struct dw_core *c, struct dw_core_event *ret);

/** dw_core_timer() - time of the next step that is needed even without a result, UINT64_MAX =
 *  none. */
uint64_t dw_core_timer(const struct dw_core *c);

/** dw_core_done() - every disk has ended and nothing is in flight. */
bool dw_core_done(const struct dw_core *c);

/** dw_core_refuse() - exclude a disk before it has begun: it is not touched, and ends as failed
 *  with @reason. */
void dw_core_refuse(struct dw_core *c, uint32_t disk, const char *reason,
		    uint64_t now_ns);

/** dw_core_stop() - stop a disk: it finishes what is in flight, flushes unless @abort, and ends
 *  as stopped. A device that works by itself continues; nobody waits for it, and the reason says
 *  so. */
void dw_core_stop(struct dw_core *c, uint32_t disk, bool abort);

/**
 * dw_core_pause() - pause a disk: it finishes what is in flight, flushes, and stops sending
 *
 * It is paused from DW_CORE_EVENT_PAUSED on; until then it has its place among the active disks.
 * It first recovers from an error and finishes a repair of blocks. A device that works by itself
 * cannot be paused: the disk is paused after that. A paused disk can be stopped.
 */
void dw_core_pause(struct dw_core *c, uint32_t disk);

/** dw_core_resume() - resume a paused disk when its turn comes, if it still is the same disk. */
void dw_core_resume(struct dw_core *c, uint32_t disk);

/** dw_core_state() - the state of a disk; valid until it is removed. */
const struct dw_disk_state *dw_core_state(const struct dw_core *c, uint32_t disk);

/** dw_core_plan() - the plan of a disk. */
const struct dw_disk_plan *dw_core_plan(const struct dw_core *c, uint32_t disk);

/** dw_core_inflight() - number of ops submitted without a result. */
uint32_t dw_core_inflight(const struct dw_core *c);

/** dw_core_pace() - the pace of a disk, if its progress is steady. */
void dw_core_pace(const struct dw_core *c, uint32_t disk, struct dw_core_pace *ret);

/** dw_core_changes() - number of phases begun and disks ended so far; as long as it is the same,
 *  so are the phases of the disks. */
uint64_t dw_core_changes(const struct dw_core *c);

/** dw_core_still() - for how many ns the controllers keep lengths and depths if everything
 *  continues as it is; UINT64_MAX = for ever. O(links). */
uint64_t dw_core_still(const struct dw_core *c);

/**
 * dw_core_leapt() - tell the controller of a link of a leap, once, before the disks are
 * @c: the core
 * @link: the link's number
 * @ns: at most dw_core_still()
 * @rate: bytes per second of all disks of the link together that it steers
 *
 * Return: the part of @ns that is lost in trials of other lengths and depths.
 */
uint64_t dw_core_leapt(struct dw_core *c, uint32_t link, uint64_t ns, double rate);

/**
 * dw_core_leap() - let a disk's blocks count as done, in a simulation
 * @c: the core
 * @disk: continues evenly (dw_core_pace())
 * @leap: blocks beyond those in flight, a multiple of the pace's grain and fewer than are left
 *	by one grain at least
 * @now_ns: the time after the leap
 * @ret: the leap as ops, for the record, one for each part of the disk that it goes through
 *
 * Return: their number.
 */
size_t dw_core_leap(struct dw_core *c, uint32_t disk, const struct dw_core_leap *leap,
		    uint64_t now_ns, struct dw_op ret[DW_ORDER_REGIONS]);

/** dw_core_stalled() - nothing is in flight, no timer is set, and work is left that is not
 *  paused. Always a bug. */
bool dw_core_stalled(const struct dw_core *c);

/** dw_core_describe() - the state of a disk as text, for reports of errors. */
void dw_core_describe(const struct dw_core *c, uint32_t disk, char *buf, size_t size);

/**
 * struct dw_history_run - consecutive equal steps of the schedule as it was issued
 * @disk: the disk, if the column (or the run of columns) names only one
 * @link: of the disks of the column
 * @count: number of commands
 * @column: number of the merged column, from 0
 */
struct dw_history_run {
	uint32_t disk;
	uint32_t link;
	uint32_t column;
	uint64_t count;
};

/** dw_core_record() - record H and Q from now on; dropped when it was called with @on = false as
 *  often as with true. */
void dw_core_record(struct dw_core *c, bool on);

/** dw_core_history() - H and Q with consecutive columns of the same single disk merged; the
 *  runs of one column stand together in order Q. NULL when not recorded. */
const struct dw_history_run *dw_core_history(const struct dw_core *c, size_t *ret_n);

#endif
