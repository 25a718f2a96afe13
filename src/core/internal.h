/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_INTERNAL_H
#define DW_CORE_INTERNAL_H

/* What the files of the core share: the disk with its recovery, slots, queues. */
#include "base/heap.h"
#include "core/core.h"
#include "plan/cursor.h"

enum core_need {
	NEED_START = 1 << 0,    /* START STOP UNIT */
	NEED_READY = 1 << 1,    /* TEST UNIT READY until it is */
	NEED_IDENTIFY = 1 << 2, /* who are you? */
	NEED_REWIND = 1 << 3,   /* volatile data are lost */
};

/**
 * struct core_recovery - between a completion that was not good and the lifted fence
 * @need: bits of enum core_need, worked off in the order of their values
 * @seen: bit for each enum dw_class met: what befalls all commands under way is one event
 * @since_ns: since when time has been lost, but for what others took up to @others_ns
 * @resume_ns: not before that time
 * @end, @reason: the disk ends with that once nothing is in flight
 * @waiting: consecutive polls that found the disk not ready
 * @started: START STOP UNIT was sent
 * @out_of_range: fails even when the identity is the same
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

/** struct core_slot - an op on its way */
struct core_slot {
	struct dw_extent extent;
	uint32_t disk;
	uint32_t next_free;
	uint8_t verb;
	bool used;
};

/**
 * struct core_starved - who had the link, and who has it alone
 * @disk: to which the others leave it now, or NULL
 * @last, @last_ns: place of whose transfer ended last, and when; @before_ns: that of another
 *	than @last
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
 * @cap: places that the arrays have room for; @view.n of them were used so far
 * @vacant, @n_vacant: places below that without a disk
 * @ready: places of the disks with room
 * @due_next, @due: it is among the links that the step has to look at
 * @transfers: reads and writes on their way
 * @starved: who has it alone
 * @timer_ns: when the gate is to be looked at, 0 = not before something happens
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

/** struct core_pair - two copies; @extra: sweeps that either may take, @each: but auto has
 *  decided that each reads its own */
struct core_pair {
	struct core_disk *disk[2];
	struct dw_copies_state state;
	uint32_t extra;
	bool each;
};

/**
 * struct core_disk - one disk
 * @view: of its @place on its @link
 * @todo_next: of the disks that the step has to look at; @queued: it is one of them
 * @stopping, @abort, @pausing: what it was asked for
 * @paused_ns: when it was paused
 * @in_ready: index in the ready list, UINT32_MAX = not in it
 * @transfers: reads and writes on their way
 * @depth: most commands at once, as learnt (less after a full queue)
 * @limit_const, @limit_data: transfer limits as learnt (halved on DW_CLASS_TOO_BIG)
 * @limit_ws, @ws_nlb: longest WRITE SAME, and the length in use
 * @after: the phase that a flush and its confirmation belong to
 * @phase_base: work_done when the phase began
 * @unflushed: bytes written since the last flush, @flushed_ns: when that was
 * @elsewhere, @lost: rewinds in a row for errors that others were told, and for such of which
 *  the disk says that they are of writes; once past their end they stay there for the pass
 * @settled: the op of DW_CORE_SETTLE went well
 * @flush_begun_ns, @verify_begun_ns: when that began, 0 = it is over
 * @touched: extents of this pass that saw errors, to be verified
 * @unreadable: blocks that could not be read, to be repaired
 * @differed: blocks that were wrong when they were read first
 * @quick: the last command took so little that switching to the loop would count
 * @streak: transient failures in a row
 * @starved_ns: since when it should have the bus to itself, 0 = it need not
 * @alone_ns: until when it keeps it, 0 = not known before it answers
 * @crowded, @unanswered: how often no answer came while others were at work, and alone
 * @sample_unit, @sample_blocks: blocks of a unit of the sample, and of the whole sample
 * @sampled: blocks of it that were compared; negative while what else is read is not yet
 * @pair: it is a copy of another; owned by the first of the two
 * @earlier, @earlier_blocks: units and blocks of the sample's sweeps before this one
 * @reads, @read_s, @read_s2: reads, sum of their times and of the squares, in seconds; where
 *  they overlap, only what each took beyond those before
 * @read_blocks, @read_end_ns: what they read, and when the last of them ended
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
 * @disk: by number, NULL where no disk is; @cap: numbers that there is room for, @n of them were
 *	used so far
 * @vacant, @n_vacant: numbers below that without a disk: a heap, the least first
 * @present, @finished, @paused: disks that are in it; of these, that have ended, that are held
 * @todo, @todo_end: disks that something happened to, in that order
 * @due, @due_end: links that have something to do
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
	bool record;
	struct dw_history_run *history;
	size_t n_history, cap_history;
	uint32_t n_columns;
	bool history_single;
	int error;
};

#define CORE_LINK_TIMER (UINT64_C(1) << 32) /* tag of a link's timer, beside its number */

/** core_link_take() - a place for a disk on its link; 0 or -ENOMEM. */
int core_link_take(struct core_link *l, struct core_disk *d);

/** core_link_leave() - the disk, which is out, gives its place back. */
void core_link_leave(struct core_link *l, struct core_disk *d);

/** core_link_in() - the disk takes part from now on; 0 or -ENOMEM. */
int core_link_in(struct core_disk *d);

/** core_link_out() - the disk has ended or is paused; another may have its turn. */
void core_link_out(struct core_disk *d);

/** core_link_update() - the disk's view is what the disk is, and its link has something to do. */
void core_link_update(struct dw_core *c, struct core_disk *d);

/** core_link_touch() - let the next step look at the link. */
void core_link_touch(struct dw_core *c, struct core_link *l);

/** core_link_send() - ask the strategy for columns until it wants to wait. */
void core_link_send(struct dw_core *c, struct core_link *l);

/** core_link_observe() - the controller learns of a result. */
void core_link_observe(struct dw_core *c, const struct core_disk *d,
		       const struct core_slot *s, const struct dw_result *r);

/** core_link_free() - NULL is nothing. */
void core_link_free(struct core_link *l);

/**
 * core_emit() - queue an op and count it as on its way
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

/** core_touch() - let the next step look at the disk. */
void core_touch(struct dw_core *c, struct core_disk *d);

/** core_set_timer() - let the step at or after @ns look at the disk. */
void core_set_timer(struct dw_core *c, struct core_disk *d, uint64_t ns);

/** core_set_error() - keep the first negative @error; the next step returns it. */
void core_set_error(struct dw_core *c, int error);

/** core_is_transfer() - data go over the bus: what a disk that is shut out of it waits for. */
bool core_is_transfer(uint8_t verb);

/** core_starved_result() - an op of the disk has ended, which may end that it has the bus to
 *  itself. */
void core_starved_result(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r);

/** core_starved_alone() - no other disk had a transfer under way from @start_ns on. */
bool core_starved_alone(const struct core_disk *d, uint64_t start_ns);

/** core_starved_drains() - the bus is the disk's as soon as what is under way has ended. */
bool core_starved_drains(const struct core_disk *d);

/** core_starved_waits() - the disk sends no transfers: the bus is another's, or not yet its own. */
bool core_starved_waits(const struct core_disk *d);

/** core_starved_begin() - the disk is to have the bus to itself, after those before it. */
void core_starved_begin(struct dw_core *c, struct core_disk *d);

/** core_starved_over() - it need not, or no longer. */
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

/** core_halts() - nothing goes out to the disk, since it is to stop, to pause, or is paused. */
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

/** core_disk_sending() - is it in a phase that sends data, and free to? */
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

/** core_disk_total() - blocks to be written and verified from the pass in hand on. */
uint64_t core_disk_total(const struct core_disk *d);

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

/** core_fault_cut() - forget the faults of a pass from position @mark of the sweep on: they
 *  are written again. */
void core_fault_cut(struct core_disk *d, uint8_t pass, uint64_t mark);

#endif
