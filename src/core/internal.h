/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_INTERNAL_H
#define DW_CORE_INTERNAL_H

/* The structures and functions that the files of the core share. */
#include "base/heap.h"
#include "core/core.h"
#include "plan/cursor.h"

enum core_need {
	NEED_START = 1 << 0,    /* START STOP UNIT */
	NEED_READY = 1 << 1,    /* TEST UNIT READY until it is */
	NEED_IDENTIFY = 1 << 2, /* INQUIRY and the proof of identity */
	NEED_REWIND = 1 << 3,   /* volatile data are lost: write them again */
	NEED_POLL = 1 << 4,     /* how far is it with its operation? */
};

/**
 * struct core_recovery - what a disk needs between a bad completion and the lifted fence
 * @need: bits of enum core_need; they are handled in the order of their values
 * @seen: a bit for each enum dw_class that was met; one event stands for all commands in flight
 * @since_ns: start of the time lost; up to @others_ns it was lost to others, not to the disk
 * @resume_ns: the next step does not begin before this time
 * @end, @reason: outcome of the disk when nothing is in flight any more
 * @waiting: consecutive polls that found the disk not ready
 * @started: START STOP UNIT was sent
 * @out_of_range: the disk fails even if its identity is the same
 */
struct core_recovery {
	uint32_t need;
	uint32_t seen;
	uint64_t since_ns;
	uint64_t others_ns;
	uint64_t resume_ns;
	uint8_t end;
	char reason[160];
	uint32_t waiting;
	bool started;
	bool out_of_range;
};

/**
 * struct core_operation - what a device does by itself
 * @unsure: it was told to begin, and nobody knows whether it has; @told: how often it had not
 * @begun_ns, @moved_ns: since when it is known to work, and its progress as it is
 * @poll_ns, @interval_ns: time of the next poll, and the time between the next two
 * @progress: as last told, @most: the greatest told
 * @missed: polls without an answer, in a row
 */
struct core_operation {
	bool unsure;
	uint32_t told;
	uint32_t progress;
	uint32_t most;
	uint32_t missed;
	uint64_t begun_ns;
	uint64_t moved_ns;
	uint64_t poll_ns;
	uint64_t interval_ns;
};

/** struct core_slot - an op in flight */
struct core_slot {
	struct dw_extent extent;
	uint32_t disk;
	uint32_t next_free;
	uint8_t verb;
	bool used;
};

/**
 * struct core_starved - exclusive use of a link by a disk that gets no answer
 * @disk: the disk that has the link to itself, or NULL
 * @last, @last_ns: place of the disk whose transfer ended last, and the time
 * @before_ns: time of the last transfer of any other disk
 */
struct core_starved {
	struct core_disk *disk;
	uint32_t last;
	uint64_t last_ns;
	uint64_t before_ns;
};

/**
 * struct core_link - a link and the disks that share it
 * @id: its number
 * @disk, @view_disk: by place, NULL where no disk is
 * @cap: capacity of the arrays in places; @view.n places have been used
 * @vacant, @n_vacant: used places that have no disk now
 * @ready: places of the disks with room
 * @due_next, @due: list of the links that the next step handles; the link is in it
 * @transfers: reads and writes in flight
 * @starved: exclusive use by one disk
 * @timer_ns: time of the next step for the gate; 0 = none
 */
struct core_link {
	struct dw_core_link cfg;
	struct dw_strategy_state strategy;
	struct dw_controller_state controller;
	uint32_t id;
	struct core_disk **disk;
	struct dw_view_disk *view_disk;
	uint32_t *ready;
	uint32_t *vacant;
	uint32_t n_vacant;
	uint32_t cap;
	struct dw_view view;
	uint32_t transfers;
	struct dw_gate gate;
	struct core_starved starved;
	struct core_link *due_next;
	bool due;
	uint64_t timer_ns;
};

/** struct core_pair - two disks with the same data
 *  @extra: sweeps that either of them may read
 *  @each: the policy auto has decided that each disk reads its own sweeps */
struct core_pair {
	struct core_disk *disk[2];
	struct dw_copies_state state;
	uint32_t extra;
	bool each;
};

/**
 * struct core_disk - one disk
 * @view: its entry in the view of @link, at @place
 * @todo_next, @queued: list of the disks that the next step handles; the disk is in it
 * @stopping, @abort, @pausing: the request that is pending
 * @paused_ns: time of the pause
 * @in_ready: index in the ready list, UINT32_MAX = not in it
 * @transfers: reads and writes in flight
 * @depth: largest queue depth that the disk accepts; a full queue lowers it
 * @limit_const, @limit_data: longest transfers that the path accepts; DW_CLASS_TOO_BIG halves them
 * @limit_ws, @ws_nlb: longest WRITE SAME, and the length in use
 * @after: the phase that a flush and its confirmation belong to
 * @phase_base: work_done when the phase began
 * @unflushed: bytes written since the last flush; @flushed_ns: time of that flush
 * @elsewhere: consecutive rewinds for errors that other initiators were told
 * @lost: consecutive rewinds for such errors that the disk counts as write errors; beyond their
 *	limits both keep their values for the rest of the pass
 * @settled: the op of DW_CORE_SETTLE ended well
 * @flush_begun_ns, @verify_begun_ns: start of that phase; 0 = it has ended
 * @touched: extents of this pass that had errors and are verified in full
 * @unreadable: blocks that could not be read, to be repaired
 * @differed: blocks that were wrong when they were read first
 * @quick: the last command was so short that a switch to the loop would cost a noticeable share
 * @streak: transient failures in a row
 * @starved_ns: time from which the disk needs the bus to itself; 0 = it does not
 * @alone_ns: end of that; 0 = not known before it answers
 * @unseen: times in a row that nobody could see who else uses it
 * @crowded: timeouts while other disks used the bus; @unanswered: timeouts without other disks
 * @sample_unit, @sample_blocks: blocks of a unit of the sample, and of the whole sample
 * @sampled: blocks of the sample that were compared; negative while other blocks are still read
 * @pair: the pair that the disk is part of; the first of the two owns it
 * @earlier, @earlier_blocks: units and blocks of the sample's sweeps before this one
 * @reads, @read_s, @read_s2: number of reads, sum of their times, sum of the squares; seconds.
 *	Of reads that overlap only the time beyond the earlier ones counts
 * @read_blocks, @read_end_ns: blocks that were read; end of the last read
 * @trial: progress of DW_PLAN_TRIAL
 */
struct core_disk {
	struct dw_disk_plan plan;
	struct dw_core_rules rules;
	struct dw_disk_state state;
	struct core_link *link;
	struct dw_view_disk *view;
	struct core_disk *todo_next;
	struct dw_cursor cursor;
	struct core_recovery rec;
	struct core_operation operation;
	struct dw_extents touched;
	struct dw_extents unreadable;
	struct dw_extents differed;
	uint32_t id;
	uint32_t place;
	uint32_t in_ready;
	uint32_t transfers;
	uint32_t limit_const;
	uint32_t limit_data;
	uint32_t limit_ws;
	uint32_t ws_nlb;
	uint32_t depth;
	uint8_t after;
	bool confirmed;
	uint64_t phase_base;
	uint64_t unflushed;
	uint64_t flushed_ns;
	uint64_t flush_begun_ns;
	uint64_t verify_begun_ns;
	uint64_t paused_ns;
	uint64_t timer_ns;
	uint64_t progress_ns;
	uint64_t rate_ns;
	uint64_t rate_bytes;
	int8_t wce;
	bool use_ws;
	bool settled;
	bool flushed;
	bool flush_due;
	bool final_confirm;
	bool stopping;
	bool abort;
	bool pausing;
	bool queued;
	bool quick;
	uint32_t streak;
	uint64_t starved_ns;
	uint64_t alone_ns;
	uint32_t crowded;
	uint32_t unanswered;
	uint32_t hardware;
	uint32_t unseen;
	uint32_t rewinds;
	uint32_t elsewhere;
	uint32_t lost;
	uint32_t sample_unit;
	uint64_t sample_blocks;
	int64_t sampled;
	struct core_pair *pair;
	uint64_t earlier;
	uint64_t earlier_blocks;
	uint64_t reads;
	double read_s;
	double read_s2;
	uint64_t read_blocks;
	uint64_t read_end_ns;
	struct {
		uint8_t left_ws;
		uint8_t left_write;
		uint64_t ws_ns, ws_blocks;
		uint64_t write_ns, write_blocks;
	} trial;
	uint32_t cap_faults;
};

/**
 * struct dw_core - the core
 * @disk: by number; NULL where there is no disk. @cap: capacity; @n numbers have been used
 * @vacant, @n_vacant: heap of the used numbers that have no disk now; the smallest is first
 * @present, @finished, @paused: number of disks; of those that have ended; of those that are paused
 * @todo, @todo_end: list of the disks that the next step handles
 * @due, @due_end: list of the links that the next step handles
 */
struct dw_core {
	struct core_disk **disk;
	uint32_t n;
	uint32_t cap;
	struct dw_heap vacant;
	uint32_t present;
	uint32_t finished;
	uint32_t paused;
	struct core_link **link;
	uint32_t n_links;
	struct core_slot *slot;
	uint32_t n_slots;
	uint32_t free_slot;
	uint32_t inflight;
	uint64_t changes;
	struct dw_op *op;
	uint32_t op_head, op_n, op_cap;
	struct dw_core_event *event;
	uint32_t event_head, event_n, event_cap;
	struct core_disk *todo, *todo_end;
	struct core_link *due, *due_end;
	struct dw_heap timers;
	struct dw_column column;
	uint64_t step;
	uint64_t now_ns;
	int recorders;
	struct dw_history_run *history;
	size_t n_history, cap_history;
	uint32_t n_columns;
	bool history_single;
	int error;
};

#define CORE_LINK_TIMER (UINT64_C(1) << 32) /* tag of a link's timer, beside its number */

/** core_link_take() - a place for a disk on its link; 0 or -ENOMEM. */
int core_link_take(struct core_link *l, struct core_disk *d);

/** core_link_leave() - remove a disk that takes no part any more from its place. */
void core_link_leave(struct core_link *l, struct core_disk *d);

/** core_link_needed() - whether the work in hand, or that comes next, needs the link. */
bool core_link_needed(const struct core_disk *d);

/** core_link_in() - the disk takes part from now on, if its work needs the link; 0 or -ENOMEM. */
int core_link_in(struct dw_core *c, struct core_disk *d);

/** core_link_back() - the same of a disk that may be in already, and of the same priority comes
 *  behind those that wait. */
int core_link_back(struct dw_core *c, struct core_disk *d);

/** core_link_out() - the disk has ended, is paused or works by itself; another disk may be
 *  admitted. */
void core_link_out(struct dw_core *c, struct core_disk *d);

/** core_link_update() - renew the view of the disk; the next step handles its link. */
void core_link_update(struct dw_core *c, struct core_disk *d);

/** core_link_touch() - the next step handles the link. */
void core_link_touch(struct dw_core *c, struct core_link *l);

/** core_link_send() - ask the strategy for columns until it returns an empty one. */
void core_link_send(struct dw_core *c, struct core_link *l);

/** core_link_observe() - the controller learns of a result. */
void core_link_observe(struct dw_core *c, const struct core_disk *d,
		       const struct core_slot *s, const struct dw_result *r);

/** core_link_free() - free a link; NULL is allowed. */
void core_link_free(struct core_link *l);

/**
 * core_emit() - queue an op and count it as in flight
 * @c: the core
 * @d: the disk
 * @verb: enum dw_verb; DW_VERB_LIFT and _DEPTH get no slot and no result
 * @extent: its blocks, or NULL
 * @flags: enum dw_op_flags
 *
 * Return: 0 or -ENOMEM, which core_set_error() has then.
 */
int core_emit(struct dw_core *c, struct core_disk *d, uint8_t verb,
	      const struct dw_extent *extent, uint16_t flags);

/** core_event_new() - append an event about @d, to be filled further; never NULL. */
struct dw_core_event *core_event_new(struct dw_core *c, struct core_disk *d,
				     uint8_t kind);

/** core_notice() - append a DW_CORE_EVENT_NOTICE with a printf text. */
void core_notice(struct dw_core *c, struct core_disk *d, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** core_touch() - the next step handles the disk. */
void core_touch(struct dw_core *c, struct core_disk *d);

/** core_set_timer() - the first step at or after @ns handles the disk. */
void core_set_timer(struct dw_core *c, struct core_disk *d, uint64_t ns);

/** core_set_error() - keep the first negative @error; the next step returns it. */
void core_set_error(struct dw_core *c, int error);

/** core_is_transfer() - whether the op moves data over the bus. */
bool core_is_transfer(uint8_t verb);

/** core_starved_result() - an op of the disk has ended; that may end its exclusive use of the
 *  link. */
void core_starved_result(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r);

/** core_starved_alone() - no other disk had a transfer under way from @start_ns on. */
bool core_starved_alone(const struct core_disk *d, uint64_t start_ns);

/** core_starved_drains() - the disk gets the link as soon as the commands in flight have
 *  ended. */
bool core_starved_drains(const struct core_disk *d);

/** core_starved_waits() - whether the disk must not send transfers now. */
bool core_starved_waits(const struct core_disk *d);

/** core_starved_begin() - the disk needs the link to itself; it waits for those that came first. */
void core_starved_begin(struct dw_core *c, struct core_disk *d);

/** core_starved_over() - the disk does not need the link to itself any more. */
void core_starved_over(struct dw_core *c, struct core_disk *d);

/** core_disk_init() - from the plan and the known faults to the first phase. */
void core_disk_init(struct core_disk *d);

/** core_disk_deinit() - free what the disk owns, not the disk. */
void core_disk_deinit(struct core_disk *d);

/** core_disk_advance() - go on as far as is possible without a result: end phases, flush,
 *  confirm, recover. */
void core_disk_advance(struct dw_core *c, struct core_disk *d);

/** core_disk_sampled() - blocks that were compared of the samples of this verification. */
uint64_t core_disk_sampled(const struct core_disk *d);

/** core_halts() - whether the disk gets no commands: it stops, pauses or is paused. */
bool core_halts(const struct core_disk *d);

/** core_halt() - with nothing in flight, a disk that is asked to stop or to pause does it, or goes
 *  on with the flush that comes before; true when it has ended or is paused. */
bool core_halt(struct dw_core *c, struct core_disk *d);

/** core_disk_end() - the disk is finished; nothing of it may be in flight. */
void core_disk_end(struct dw_core *c, struct core_disk *d, uint8_t end,
		   const char *reason);

/** core_disk_good() - an op with data, or a flush, ended DW_CLASS_OK. */
void core_disk_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r);

/** core_disk_progress() - what was done shows in the rate and, now and then, as an event. */
void core_disk_progress(struct dw_core *c, struct core_disk *d);

/** core_disk_rewind() - what was written since the last flush may be lost: write it again. */
void core_disk_rewind(struct dw_core *c, struct core_disk *d);

/** core_disk_sending() - whether the disk is in a phase that sends data and may send now. */
bool core_disk_sending(const struct core_disk *d);

/** core_disk_most() - commands it may have at once in the phase in hand. */
uint32_t core_disk_most(const struct core_disk *d);

/** core_disk_limit() - the longest data transfer of the phase in hand, blocks. */
uint32_t core_disk_limit(const struct core_disk *d);

/** core_disk_room() - commands that the disk can take now. */
uint32_t core_disk_room(const struct core_disk *d);

/** core_disk_use() - blocks moved at the length and depth in hand. */
void core_disk_use(struct core_disk *d, uint64_t blocks);

/** core_disk_send() - cut the next piece and queue it; false when there is none or no room. */
bool core_disk_send(struct dw_core *c, struct core_disk *d);

/** core_disk_total() - blocks to be erased and verified from the pass in hand on. */
uint64_t core_disk_total(const struct core_disk *d);

/** core_disk_moved() - bytes erased and verified so far. */
uint64_t core_disk_moved(const struct core_disk *d);

/** core_pass_begin() - the pass in hand begins at position @lba of its sweep. */
void core_pass_begin(struct core_disk *d, uint64_t lba);

/** core_pass_verify() - the verification of the pass in hand begins. */
void core_pass_verify(struct core_disk *d);

/** core_pass_sweep() - one sample over the whole disk begins. */
void core_pass_sweep(struct core_disk *d);

/** core_pass_list() - a phase over the unreadable blocks begins; 0 or -ENOMEM. */
int core_pass_list(struct core_disk *d, uint8_t phase);

/** core_operation_init() - nothing is known of the device's operation, but what the plan says. */
void core_operation_init(struct core_disk *d);

/** core_operation_next() - begin the operation, poll it, or wait until that is due. */
void core_operation_next(struct dw_core *c, struct core_disk *d);

/** core_operation_result() - the result of DW_VERB_OPERATE or _POLL. */
void core_operation_result(struct dw_core *c, struct core_disk *d,
			   const struct core_slot *s, const struct dw_result *r);

/** core_operation_works() - another command was told that the device works by itself. */
void core_operation_works(struct dw_core *c, struct core_disk *d,
			  const struct core_slot *s, const struct dw_result *r);

/** core_operation_left() - why a disk that is stopped now is not erased: the device works on;
 *  static text, NULL = it does not. */
const char *core_operation_left(const struct core_disk *d);

/** core_fence() - a completion was not good: the disk is fenced; @r tells since when time is
 *  lost. */
void core_fence(struct dw_core *c, struct core_disk *d, const struct dw_result *r);

/** core_give_up() - the disk ends so when nothing is in flight; printf text. The first reason
 *  stays, but for a removal. */
void core_give_up(struct core_disk *d, uint8_t end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** core_describe() - "write at LBA 5: 3/0c/00 write error", in @buf, which is returned. */
const char *core_describe(const struct core_slot *s, const struct dw_result *r, char *buf,
			  size_t size);

/** core_wait() - the next step of recovery comes after @n short waits, each longer than the one
 *  before. */
void core_wait(struct dw_core *c, struct core_disk *d, uint32_t n);

/** core_copies_cut() - whether the sample of a disk is cut into sweeps now. */
bool core_copies_cut(const struct core_disk *d);

/** core_copies_more() - a sweep has ended: is there another for this copy? */
bool core_copies_more(struct dw_core *c, struct core_disk *d);

/** core_disk_verify_again() - a disk that only verifies begins anew, before the first step. */
void core_disk_verify_again(struct core_disk *d);

/** core_policy_bad() - an op with data, or a flush, ended otherwise: deal with its blocks,
 *  and note what the disk needs. */
void core_policy_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r);

/** core_policy_forget() - there was progress: what happens from now on is not in a row with what
 *  happened before. */
void core_policy_forget(struct core_disk *d);

/** core_policy_recover() - the next step of bringing a fenced disk back, or ending it. */
void core_policy_recover(struct dw_core *c, struct core_disk *d);

/** core_policy_answer() - the result of an identification, a test or a start. */
void core_policy_answer(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
			const struct dw_result *r);

/**
 * core_same_failed() - what did not end well may be a WRITE SAME, and the first that was tried
 * @c, @d, @s: the core, the disk, and the op as it was
 * @r: how it ended; if so, as a command that the disk does not know, but for what the disk has to
 *	recover from
 */
void core_same_failed(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      struct dw_result *r);

/**
 * core_fault_add() - blocks that are not known to be erased
 * @c: the core
 * @d: the disk; it is given up when it has too many
 * @kind: enum dw_fault_kind
 * @lba: first block
 * @nlb: count; blocks that are faults already stay what they are
 * @r: for the sense data, or NULL
 *
 * Return: how many blocks were not faults before.
 */
uint64_t core_fault_add(struct dw_core *c, struct core_disk *d, uint8_t kind,
			uint64_t lba, uint64_t nlb, const struct dw_result *r);

/** core_fault_has() - are all these blocks faults? */
bool core_fault_has(const struct core_disk *d, uint64_t lba, uint64_t nlb);

/**
 * core_fault_cut() - forget what could not be written from position @mark of the sweep of
 * @pass on, and in later passes: it is written again. What was read stays on record.
 */
void core_fault_cut(struct dw_core *c, struct core_disk *d, uint8_t pass, uint64_t mark);

#endif
