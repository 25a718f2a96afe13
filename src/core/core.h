/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_CORE_H
#define DW_CORE_CORE_H

/*
 * The core turns plans into ops and results into progress. It is a pure state machine: time
 * and results go in, ops and events come out; it reads no clock, starts no thread and touches
 * no disk, so that a simulation runs the very same code.
 *
 *	loop: dw_core_result() for each result; dw_core_step(now); submit dw_core_op()s;
 *	      take dw_core_event()s; wait for a result or until dw_core_timer()
 */
#include <stdbool.h>
#include <stdint.h>

#include "plan/extents.h"
#include "plan/op.h"
#include "plan/plan.h"
#include "sched/controller.h"
#include "sched/copies.h"
#include "sched/gate.h"
#include "sched/strategy.h"

/**
 * struct dw_core_link - what holds for a link: disks that share a host adapter or a bus
 * @strategy, @controller: rows of the registries
 * @active: disks at work at once, where the strategy admits disks; 0 = no limit
 * @shared: links with the same number count the disks of all of them towards @active; 0 = none
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
 * struct dw_core_rules - what holds for a disk
 * @fixed_for_ws: the controller's length also holds for WRITE SAME (an explicit fixed:N)
 * @ahead: commands that wait beyond the depth: as many for constant writes to a quick disk,
 *	that the loop need not wake for each; at most one otherwise
 * @ahead_data: the same for writes with data of their own, where these are made when a command
 *	is about to be sent; 0 = each that waits has a buffer, and one does
 * @flush_bytes, @flush_ns: flush at least that often
 * @longest: blocks of a transfer that an earlier run found to be the most that gets an
 *	answer; 0 = it found none
 * @stall_ns: time without progress, for errors, after which it is given up
 * @exception_limit: blocks that may be found wrong or unreadable, where nothing more is to be
 *	erased, before enough was seen
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
 * struct dw_core_disk - a disk that is to be taken in
 * @plan: copied
 * @rules: what holds for it
 * @expected_ns: predicted time to finish, for longest-first; 0 = unknown
 * @priority: of those that wait on its link, the disk with the greatest begins first
 * @owner: small number of whoever wants it done: of equal priority, disks of different owners
 *	begin by turns
 * @faults, @n_faults: faults known from an earlier run that is continued; copied, but for what
 *	could not be written and is written again
 */
struct dw_core_disk {
	const struct dw_disk_plan *plan;
	struct dw_core_rules rules;
	uint64_t expected_ns;
	int32_t priority;
	uint32_t owner;
	const struct dw_fault *faults;
	uint32_t n_faults;
};

enum dw_core_phase {
	DW_CORE_WAITING, /* nothing sent yet */
	DW_CORE_WRITE,   /* a pass is being written */
	DW_CORE_OPERATE, /* the device does a pass by itself */
	DW_CORE_SETTLE, /* what the kernel holds is written back: after the last pass, at the end */
	DW_CORE_FLUSH,    /* SYNCHRONIZE CACHE */
	DW_CORE_CONFIRM,  /* identity, after a flush and at the end */
	DW_CORE_CYCLE,    /* its power is to be cut, as nothing else empties its cache */
	DW_CORE_VERIFY,   /* read back and compare */
	DW_CORE_REPAIR,   /* unreadable blocks are written again */
	DW_CORE_REVERIFY, /* and read again */
	DW_CORE_DONE,
};

/** enum dw_cycle - of a disk whose plan has @cycle */
enum dw_cycle {
	DW_CYCLE_NONE,
	DW_CYCLE_DUE, /* all passes are written, and nobody knows whether to the medium */
	DW_CYCLE_SEEN, /* it was without power since, and nothing was written after that */
};

enum dw_core_end {
	DW_END_NONE,
	DW_END_COMPLETE, /* all passes and verifications done; exceptions tell the rest */
	DW_END_FAILED,
	DW_END_STOPPED,
	DW_END_REMOVED,
};

enum dw_fault_kind {
	DW_FAULT_UNWRITABLE,
	DW_FAULT_UNREADABLE,
	DW_FAULT_MISMATCH,
	DW_FAULT_UNSTEADY, /* read wrong, and right when it was read again */
};

/** struct dw_fault - blocks that are not known to be erased */
struct dw_fault {
	uint64_t lba;
	uint64_t nlb;
	uint8_t kind;
	uint8_t sense_key;
	uint8_t asc;
	uint8_t ascq;
	uint8_t pass;
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
 * struct dw_disk_state - where one disk stands; read-only outside the core
 * @fenced: between a completion that was not good and the lifted fence
 * @paused: nothing is on its way, what was written is on the medium, and nothing is sent
 * @cycle: enum dw_cycle
 * @untold: how the operation of the device ended could not be read
 * @mark: the first so many blocks of the sweep of pass @pass are on the medium; its LBA,
 *	unless the plan has an order
 * @transfer, @depth: blocks of the last data transfer, commands at once now
 * @most_transfer, @most_depth: with which most blocks were moved, @most_left: how sure that is
 * @verify_units: pieces read in the last pass' verification, @verify_blocks: blocks that were
 *	right, @verify_differ: that were not, @verify_sampled: of samples, each block once
 * @sweeps: samples of their own that @verify_units belong to, at least 1
 * @sample_units: units the verified sample had, @sample_total: units the disk has
 * @flush_refused: SYNCHRONIZE CACHE was refused with the write cache off
 * @unsure: errors went to others, time and again: something may be lost unheard, but not below
 *	@sure_lba of pass @sure_pass
 * @stalled_ns: time lost to errors so far
 * @back_ns: since when it waits for its turn after a pass that the device did by itself, 0 =
 *	it does not; @waited_ns: time spent so
 * @flush_ns, @verify_ns: time spent with flushes and their confirmation, and with reading
 * @operating: the operation of pass @pass is known to have begun, and its end is not confirmed
 * @left_working: it was given up while it still works, as its progress stands still
 * @touched: a block was read while its progress stood still
 * @told_ns: time at which the device last told how far it is
 * @bytes_operated: bytes that the device has erased by itself, as far as it tells
 * @longest: blocks of a transfer; longer ones got no answer; 0 = all do
 * @rate: bytes per second, smoothed over some seconds
 */
struct dw_disk_state {
	uint8_t phase;
	uint8_t pass;
	bool fenced;
	bool paused;
	uint8_t cycle;
	uint8_t end;
	char reason[160];
	uint64_t mark;
	uint64_t position;
	uint32_t transfer;
	uint32_t depth;
	uint32_t most_transfer;
	uint32_t longest;
	uint32_t most_depth;
	uint64_t most_left;
	uint32_t submitted;
	uint64_t started_ns;
	uint64_t finished_ns;
	uint64_t commands;
	uint64_t bytes_written;
	uint64_t bytes_verified;
	uint64_t bytes_operated;
	uint64_t told_ns;
	bool operating;
	bool left_working;
	bool touched;
	uint64_t work_done; /* blocks, written and verified, of work_total */
	uint64_t work_total;
	uint64_t verify_units;
	uint64_t verify_blocks;
	uint64_t verify_differ;
	uint64_t verify_sampled;
	uint64_t sample_total;
	uint32_t sweeps;
	uint64_t mismatches;
	uint64_t retried;
	uint64_t split;
	uint64_t timeouts;
	uint64_t resets;
	bool flush_refused;
	bool untold;
	bool unsure;
	uint8_t sure_pass;
	uint64_t sure_lba;
	bool ws_dropped;
	uint64_t stalled_ns;
	uint64_t back_ns;
	uint64_t waited_ns;
	uint64_t flush_ns;
	uint64_t verify_ns;
	double rate;
	struct dw_pass_state passes[DW_PASSES_MAX];
	struct dw_fault *fault;
	uint32_t n_faults;
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

/** struct dw_core_event - what happened; @text for NOTICE, @fault for FAULT */
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
	DW_PACE_OTHER, /* it flushes, recovers, is tried out or has pieces to redo */
	DW_PACE_EVEN,  /* one command like the other */
	DW_PACE_IDLE,  /* waits for its turn, is paused or finished */
};

/**
 * struct dw_core_pace - how a disk goes on, for a simulation that wants to leap; in blocks
 * @kind: enum dw_pace; what follows is for DW_PACE_EVEN
 * @steered: by the controller, which has no say in WRITE SAME
 * @sampled: the phase reads a sample
 * @pos: position of the sweep where the next piece begins; of a sample its LBA, or that where the
 *	last unit ended
 * @order: of the sweep, borrowed; NULL = upwards
 * @left: not yet cut of the phase, of @size; as far as it goes on there
 * @grain: leaps are multiples of it
 * @flush_ns, @flush_blocks: a flush at least that often; 0 = none in this phase
 */
struct dw_core_pace {
	uint8_t kind;
	bool steered;
	bool sampled;
	uint64_t pos;
	const struct dw_order *order;
	uint64_t left;
	uint64_t size;
	uint32_t grain;
	uint64_t flush_ns;
	uint64_t flush_blocks;
};

/** struct dw_core_leap - blocks done by that many commands within @ns, without being sent */
struct dw_core_leap {
	uint64_t blocks;
	uint64_t commands;
	uint64_t ns;
};

struct dw_core;

/** dw_core_new() - a core without links and disks. 0 or -ENOMEM. */
int dw_core_new(struct dw_core **ret);
void dw_core_free(struct dw_core *c);

/** dw_core_link_new() - one more link; @ret_link: its number, the least that no other has. 0 or
 *  -ENOMEM. */
int dw_core_link_new(struct dw_core *c, const struct dw_core_link *link,
		     uint32_t *ret_link);

/** dw_core_link_drop() - a link without disks is gone; its number may become another's. */
void dw_core_link_drop(struct dw_core *c, uint32_t link);

/**
 * dw_core_add() - take a disk in, at any time
 * @c: the core
 * @link: number of its link
 * @disk: what is to be done; borrowed for the call
 * @ret_disk: its number: the least that no other disk has
 *
 * Return: 0 or -ENOMEM.
 */
int dw_core_add(struct dw_core *c, uint32_t link, const struct dw_core_disk *disk,
		uint32_t *ret_disk);

/** dw_core_remove() - a disk that has ended, or not begun, leaves; its number may become another
 *  disk's, and its state is gone. 0, or -EBUSY: it is at work, or ops and events about it are to
 *  be taken first. */
int dw_core_remove(struct dw_core *c, uint32_t disk);

/**
 * dw_core_copies() - two disks hold copies of the same data; before either has begun
 * @a, @b: their numbers; a disk has at most one copy
 * @policy: enum dw_copies_policy, of a sampled verification after the last pass
 * Return: 0 or -ENOMEM.
 */
int dw_core_copies(struct dw_core *c, uint32_t a, uint32_t b, int policy);

/** struct dw_copies_state - @policy: as asked, or what auto has @decided; @forecast: what it
 *  decided by, else zero */
struct dw_copies_state {
	bool decided;
	int policy;
	struct dw_copies_forecast forecast;
};

/** dw_core_copies_state() - of the pair that a disk belongs to; NULL = of none. */
const struct dw_copies_state *dw_core_copies_state(const struct dw_core *c,
						   uint32_t disk);

/** dw_core_share() - be at the disks of a link for that share of the time from now on; 0 = not
 *  at all, 1 = always (the default). @quantum_ns: see struct dw_gate, 0 = as before. */
void dw_core_share(struct dw_core *c, uint32_t link, double share, uint64_t quantum_ns);

/** dw_core_on_ns() - time with a data command on its way on a link, up to the last step or
 *  result. */
uint64_t dw_core_on_ns(struct dw_core *c, uint32_t link);

/** dw_core_priority() - another priority of a disk; one that has begun goes on. 0 or -ENOMEM. */
int dw_core_priority(struct dw_core *c, uint32_t disk, int32_t priority);

/** dw_core_result() - the result of an op, exactly one for each but DW_VERB_LIFT and
 *  _DEPTH; @now_ns may be the time at which the command ended. */
int dw_core_result(struct dw_core *c, const struct dw_result *result, uint64_t now_ns);

/** dw_core_step() - decide what is to be sent now. 0 or -ENOMEM. */
int dw_core_step(struct dw_core *c, uint64_t now_ns);

/** dw_core_op() - the next op to submit; false = none. Ops of a disk keep their order. */
bool dw_core_op(struct dw_core *c, struct dw_op *ret);

/** dw_core_event() - the next event; false = none. */
bool dw_core_event(struct dw_core *c, struct dw_core_event *ret);

/** dw_core_timer() - when step wants to be called without a result, UINT64_MAX = never. */
uint64_t dw_core_timer(const struct dw_core *c);

/** dw_core_done() - every disk has ended and nothing is in flight. */
bool dw_core_done(const struct dw_core *c);

/** dw_core_refuse() - a disk that was to be erased is not touched at all: it ends as failed,
 *  as @reason says; before it has begun. */
void dw_core_refuse(struct dw_core *c, uint32_t disk, const char *reason,
		    uint64_t now_ns);

/** dw_core_stop() - a disk finishes what is in flight, flushes unless @abort, ends as stopped. A
 *  device that works by itself works on: nobody waits for it, and the reason says so. */
void dw_core_stop(struct dw_core *c, uint32_t disk, bool abort);

/** dw_core_stop_all() - all disks that are in the core now are stopped. */
void dw_core_stop_all(struct dw_core *c, bool abort);

/**
 * dw_core_pause() - a disk finishes what is in flight, flushes, and holds
 *
 * It is paused when DW_CORE_EVENT_PAUSED says so; until then it has its place among the active
 * disks. An error is recovered from and a repair of blocks finished first. A device that works by
 * itself cannot be held: the disk is paused after that. A paused disk can be stopped.
 */
void dw_core_pause(struct dw_core *c, uint32_t disk);

/** dw_core_resume() - a paused disk goes on when it is its turn, if it still is the same. */
void dw_core_resume(struct dw_core *c, uint32_t disk);

/** dw_core_state() - where a disk stands; until it is removed. */
const struct dw_disk_state *dw_core_state(const struct dw_core *c, uint32_t disk);

/** dw_core_plan() - the plan of a disk. */
const struct dw_disk_plan *dw_core_plan(const struct dw_core *c, uint32_t disk);

/** dw_core_inflight() - ops submitted and not yet answered. */
uint32_t dw_core_inflight(const struct dw_core *c);

/** dw_core_pace() - whether and how a disk goes on evenly. */
void dw_core_pace(const struct dw_core *c, uint32_t disk, struct dw_core_pace *ret);

/** dw_core_changes() - phases begun and disks ended so far; while it stays the same, the disks
 *  are in the phases in which they were. */
uint64_t dw_core_changes(const struct dw_core *c);

/** dw_core_still() - for how many ns the controllers leave lengths and depths as they are, if
 *  all goes on as it does; UINT64_MAX = for ever. O(links). */
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
 * @disk: goes on evenly (dw_core_pace())
 * @leap: blocks beyond those in flight, a multiple of the pace's grain and fewer than are left
 *	by one grain at least
 * @now_ns: the time after the leap
 * @ret: the leap as ops, for the record, one for each part of the disk that it goes through
 *
 * Return: their number.
 */
size_t dw_core_leap(struct dw_core *c, uint32_t disk, const struct dw_core_leap *leap,
		    uint64_t now_ns, struct dw_op ret[DW_ORDER_REGIONS]);

/** dw_core_stalled() - nothing in flight, no timer, work left that is not paused: a bug, always. */
bool dw_core_stalled(const struct dw_core *c);

/** dw_core_tell() - the state of a disk, in words, for reports of errors. */
void dw_core_tell(const struct dw_core *c, uint32_t disk, char *buf, size_t size);

/**
 * struct dw_history_run - consecutive equal steps of the schedule as it was issued
 * @disk: the disk, when the column (or the run of columns) names a single one
 * @link: of the disks of the column
 * @count: commands
 * @column: number of the merged column, from 0
 */
struct dw_history_run {
	uint32_t disk;
	uint32_t link;
	uint32_t column;
	uint64_t count;
};

/** dw_core_record() - keep H and Q from now on; called with @on = false as often as with true
 *  it is dropped. */
void dw_core_record(struct dw_core *c, bool on);

/** dw_core_history() - H and Q with consecutive columns of the same single disk merged; the
 *  runs of one column stand together in order Q. NULL when not recorded. */
const struct dw_history_run *dw_core_history(const struct dw_core *c, size_t *ret_n);

#endif
