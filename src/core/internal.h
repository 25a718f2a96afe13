/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CORE_INTERNAL_H
#define DW_CORE_INTERNAL_H

/* The structures and functions that the files of the core share. */
#include "base/heap.h"
#include "core/disk.h"

enum core_need {
	NEED_START = 1 << 0,    /* START STOP UNIT */
	NEED_READY = 1 << 1,    /* TEST UNIT READY until it is */
	NEED_IDENTIFY = 1 << 2, /* INQUIRY and the proof of identity */
	NEED_REWIND = 1 << 3,   /* volatile data may be lost: write them again */
	NEED_POLL = 1 << 4,     /* poll its operation */
	NEED_CACHE = 1 << 5,    /* NEED_REWIND, unless its cache is still off */
};

/** enum core_blame - what an error of a class says about the blocks of its command */
enum core_blame {
	BLAME_NONE,     /* nothing: they are sent again */
	BLAME_AT_ONCE,  /* they are split until the bad ones stand alone */
	BLAME_REPEATED, /* the same, if it comes again while nothing else is in flight */
	BLAME_LAST,     /* the same, but only when all else of the pass is done */
};

/** enum core_pause - how long a disk is left alone before the next command */
enum core_pause {
	PAUSE_NONE,
	PAUSE_LONGER, /* 100 ms, twice as long each time, at most 5 s */
	PAUSE_POLL,   /* the same, at most 10 s */
	PAUSE_SECOND,
};

/** enum core_verdict - when an error of a class ends a disk */
enum core_verdict {
	ENDS_IMPATIENT, /* when its stall budget is used up without progress */
	ENDS_GONE,      /* when it is not back in time: the disk is removed */
	ENDS_UNSEEN,    /* when its users still cannot be seen: stopped */
	ENDS_AT_ONCE,   /* at once: it can never work */
};

/** struct core_rule - the handling of one class of results; docs/errors.md shows all */
struct core_rule {
	uint8_t blame;
	uint8_t need;
	uint8_t pause;
	uint8_t verdict;
};

#define CORE_RULE_WAY DW_CLASS_COUNT /* of DW_CLASS_RETRY, when the way failed */

/** struct core_slot - an op in flight */
struct core_slot {
	struct dw_extent extent;
	uint32_t disk;
	uint32_t next_free;
	uint8_t verb;
	bool fua;
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
 * struct core_turns - the turn of writes on a link, on which they lose each race with reads
 * @held: reads of disks that verify wait; @until_ns: no longer than until then
 * @look_ns: no disk is looked at before that
 * @vain: number of turns in a row that did not help
 */
struct core_turns {
	bool held;
	uint64_t until_ns;
	uint64_t look_ns;
	uint32_t vain;
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
 * @turns: of writes, beside reads
 * @timer_ns: time of the next step for the gate; 0 = none
 * @aside: disks that continue when the others have ended
 * @hung, @hung_ns: the disk that gave no answer last, and when
 * @reset, @reset_ns: place of the disk that was reset last, and when
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
	struct core_turns turns;
	struct core_link *due_next;
	bool due;
	uint64_t timer_ns;
	uint32_t aside;
	struct core_disk *hung;
	uint64_t hung_ns;
	uint32_t reset;
	uint64_t reset_ns;
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

/** struct core_ops - ops that are to be submitted: @v[@head] to @v[@n - 1] */
struct core_ops {
	struct dw_op *v;
	uint32_t head;
	uint32_t n;
	uint32_t cap;
};

/** struct core_events - events that are to be taken, in the same way */
struct core_events {
	struct dw_core_event *v;
	uint32_t head;
	uint32_t n;
	uint32_t cap;
};

/** struct core_slots - ops in flight; @free: the first of the list of free slots */
struct core_slots {
	struct core_slot *v;
	uint32_t n;
	uint32_t free;
	uint32_t inflight;
};

/**
 * struct core_schedule - the schedule as it was issued, while it is recorded
 * @recorders: number of requests to record it
 * @columns: number of columns
 * @single: the last column names a single disk
 */
struct core_schedule {
	int recorders;
	struct dw_history_run *run;
	uint32_t n;
	uint32_t cap;
	uint32_t columns;
	bool single;
};

/**
 * struct core_next - what the next step handles
 * @disk, @disk_end: list of disks
 * @link, @link_end: list of links
 */
struct core_next {
	struct core_disk *disk, *disk_end;
	struct core_link *link, *link_end;
};

/**
 * struct dw_core - the core
 * @disk: by number; NULL where there is no disk. @cap: capacity; @n numbers have been used
 * @vacant: heap of the used numbers that have no disk now; the smallest is first
 * @present, @finished, @paused: number of disks; of those that have ended; of those that are paused
 * @error: the first error of a function that cannot return it
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
	struct core_slots slots;
	struct core_ops ops;
	struct core_events events;
	struct core_next next;
	struct core_schedule schedule;
	struct dw_heap timers;
	struct dw_column column;
	uint64_t changes;
	uint64_t step;
	uint64_t now_ns;
	int error;
};

#define CORE_LINK_TIMER (UINT64_C(1) << 32) /* tag of a link's timer, beside its number */

/** core_link_take() - reserve a place for a disk on its link; 0 or -ENOMEM. */
int core_link_take(struct core_link *l, struct core_disk *d);

/** core_link_leave() - remove a disk that no longer takes part from its place. */
void core_link_leave(struct core_link *l, struct core_disk *d);

/** core_link_needed() - whether the current work of the disk, or the next, needs the link. */
bool core_link_needed(const struct core_disk *d);

/** core_link_in() - let the disk take part from now on, if its work needs the link; 0 or
 *  -ENOMEM. */
int core_link_in(struct dw_core *c, struct core_disk *d);

/** core_link_back() - the same of a disk that may take part already; among disks of equal
 *  priority it is the last to wait. */
int core_link_back(struct dw_core *c, struct core_disk *d);

/** core_link_out() - the disk has ended, is paused or works by itself: another disk may be
 *  admitted. */
void core_link_out(struct dw_core *c, struct core_disk *d);

/** core_link_update() - renew the view of the disk; the next step handles its link. */
void core_link_update(struct dw_core *c, struct core_disk *d);

/** core_link_touch() - the next step handles the link. */
void core_link_touch(struct dw_core *c, struct core_link *l);

/** core_link_send() - ask the strategy for columns until it returns an empty one. */
void core_link_send(struct dw_core *c, struct core_link *l);

/** core_link_observe() - pass a result to the controller. */
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

/** core_starved_result() - an op of the disk has ended, which may end its exclusive use of the
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

/** core_turns_result() - an op of the disk has ended; a write of another may be late. */
void core_turns_result(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r);

/** core_turns_due() - a timer of the link is due: its turn may have ended. */
void core_turns_due(struct dw_core *c, struct core_link *l);

/** core_turns_waits() - whether the disk must not send reads now, as it is the turn of writes. */
bool core_turns_waits(const struct core_disk *d);

/** core_starved_begin() - the disk needs the link to itself; disks that needed it earlier come
 *  first. */
void core_starved_begin(struct dw_core *c, struct core_disk *d);

/** core_starved_over() - the disk no longer needs the link to itself. */
void core_starved_over(struct dw_core *c, struct core_disk *d);

/** core_disk_init() - set up a disk from its plan and known faults, and begin the first phase; 0 or
 *  -ENOMEM. */
int core_disk_init(struct core_disk *d);

/** core_disk_doubts() - put the faults of an earlier run in the resumed pass in doubt: they are
 *  tried once more. */
void core_disk_doubts(struct dw_core *c, struct core_disk *d);

/** core_disk_deinit() - free what the disk owns, not the disk. */
void core_disk_deinit(struct core_disk *d);

/** core_disk_advance() - do all that is possible without a result: end phases, flush, confirm,
 *  recover. */
void core_disk_advance(struct dw_core *c, struct core_disk *d);

/** core_disk_sampled() - number of blocks of the samples of this verification that were
 *  compared. */
uint64_t core_disk_sampled(const struct core_disk *d);

/** core_halts() - whether the disk gets no commands: it is stopping, pausing or paused. */
bool core_halts(const struct core_disk *d);

/** core_halt() - with nothing in flight, stop or pause a disk that is asked to, or begin the
 *  flush that comes before. True when it has ended or is paused. */
bool core_halt(struct dw_core *c, struct core_disk *d);

/** core_disk_end() - the disk is finished; nothing of it may be in flight. */
void core_disk_end(struct dw_core *c, struct core_disk *d, uint8_t end,
		   const char *reason);

/** core_disk_good() - an op with data, or a flush, ended DW_CLASS_OK. */
void core_disk_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r);

/** core_read_good() - blocks were read and compared. */
void core_read_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		    const struct dw_result *r);

/** core_disk_progress() - update the rate, and now and then report progress by an event. */
void core_disk_progress(struct dw_core *c, struct core_disk *d);

/** core_disk_rewind() - write again what was written since the last flush, as it may be lost. */
void core_disk_rewind(struct dw_core *c, struct core_disk *d);

/** core_disk_sending() - whether the disk is in a phase that sends data and may send now. */
bool core_disk_sending(const struct core_disk *d);

/** core_disk_most() - greatest number of commands at the disk in the current phase. */
uint32_t core_disk_most(const struct core_disk *d);

/** core_disk_limit() - the longest data transfer of the current phase, blocks. */
uint32_t core_disk_limit(const struct core_disk *d);

/** core_disk_has_work() - whether it is in a phase of commands with blocks. */
bool core_disk_has_work(const struct core_disk *d);

/** core_disk_room() - number of commands that the disk can take now. */
uint32_t core_disk_room(const struct core_disk *d);

/** core_disk_use() - count blocks that were moved at the present length and depth. */
void core_disk_use(struct core_disk *d, uint64_t blocks);

/** core_disk_send() - cut the next piece and queue it; false when there is none or no room. */
bool core_disk_send(struct dw_core *c, struct core_disk *d);

/** core_disk_total() - number of blocks to be erased and verified from the current pass on. */
uint64_t core_disk_total(const struct core_disk *d);

/** core_disk_moved() - number of bytes erased and verified so far. */
uint64_t core_disk_moved(const struct core_disk *d);

/** core_pass_begin() - begin the current pass at position @lba of its sweep. */
void core_pass_begin(struct core_disk *d, uint64_t lba);

/** core_pass_verify() - begin the verification of the current pass. */
void core_pass_verify(struct core_disk *d);

/** core_pass_sweep() - begin one sample over the whole disk. */
void core_pass_sweep(struct core_disk *d);

/** core_pass_list() - begin a phase over the blocks of @list, which is kept; 0 or -ENOMEM. */
int core_pass_list(struct core_disk *d, uint8_t phase, const struct dw_extents *list);

/** core_compare_wanted() - whether the disk is to compare its blocks before the current pass is
 *  verified. */
bool core_compare_wanted(const struct core_disk *d);

/** core_compare_begin() - begin that, with the proof that it can tell a difference. */
void core_compare_begin(struct dw_core *c, struct core_disk *d);

/** core_compare_resume() - a disk that an earlier run has left with plants begins with their
 *  overwriting. 0 or -ENOMEM. */
int core_compare_resume(struct core_disk *d);

/** core_compare_deinit() - free the lists. */
void core_compare_deinit(struct core_disk *d);

/** core_compare_next() - have the next piece compared. */
void core_compare_next(struct dw_core *c, struct core_disk *d);

/** core_compare_over() - DW_CORE_CONTROL, _FLOOD or _COMPARE has ended; begins what follows. True
 *  when that is the verification by reading. */
bool core_compare_over(struct dw_core *c, struct core_disk *d);

/** core_compare_flushed() - the flush after DW_CORE_PLANT or _UNPLANT is confirmed; as
 *  core_compare_over(). */
bool core_compare_flushed(struct dw_core *c, struct core_disk *d);

/** core_compare_good() - the disk has compared; it may have found that a block differs. */
void core_compare_good(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r);

/** core_compare_bad() - it did not. */
void core_compare_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		      const struct dw_result *r);

/** core_compare_unkept() - a plant could not be written, as nobody would know of it. */
void core_compare_unkept(struct dw_core *c, struct core_disk *d,
			 const struct dw_result *r);

/** core_compare_leapt() - in a simulation these blocks count as compared, and what is planted there
 *  as found. */
void core_compare_leapt(struct dw_core *c, struct core_disk *d, uint64_t lba,
			uint64_t nlb);

/** core_compare_refuted() - what was read since is not what it reported: its comparison does not
 *  count, and all blocks are to be read. */
bool core_compare_refuted(struct dw_core *c, struct core_disk *d);

/** core_plants() - whether the phase writes plants, or overwrites them. */
bool core_plants(uint8_t phase);

/** core_operation_init() - reset what is known of the operation of the device to what the plan
 *  says. */
void core_operation_init(struct core_disk *d);

/** core_operation_next() - begin the operation, poll it, or wait until that is due. */
void core_operation_next(struct dw_core *c, struct core_disk *d);

/** core_operation_result() - the result of DW_VERB_OPERATE or _POLL. */
void core_operation_result(struct dw_core *c, struct core_disk *d,
			   const struct core_slot *s, const struct dw_result *r);

/** core_operation_works() - another command has shown that the device works by itself. */
void core_operation_works(struct dw_core *c, struct core_disk *d,
			  const struct core_slot *s, const struct dw_result *r);

/** core_operation_left() - why a disk that is stopped now is not erased: its operation continues;
 *  static text, NULL = it does not. */
const char *core_operation_left(const struct core_disk *d);

/** core_fence() - a completion was not good, and the disk is fenced; @r shows since when time is
 *  lost. */
void core_fence(struct dw_core *c, struct core_disk *d, const struct dw_result *r);

/** core_give_up() - end the disk in this way when nothing is in flight; printf text. The first
 *  reason is kept, except that a removal replaces it. */
void core_give_up(struct core_disk *d, uint8_t end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** core_describe() - "write at LBA 5: 3/0c/00 write error", in @buf, which is returned. */
const char *core_describe(const struct core_slot *s, const struct dw_result *r, char *buf,
			  size_t size);

/** core_wait() - delay the next step of recovery; the @n-th wait in a row is longer than the one
 *  before. */
void core_wait(struct dw_core *c, struct core_disk *d, uint32_t n);

/** core_copies_cut() - whether the sample of a disk is cut into sweeps now. */
bool core_copies_cut(const struct core_disk *d);

/** core_copies_more() - a sweep has ended: whether there is another one for this copy. */
bool core_copies_more(struct dw_core *c, struct core_disk *d);

/** core_disk_verify_again() - begin a disk that is only verified from the start, before the first
 *  step. */
void core_disk_verify_again(struct core_disk *d);

/** core_rule_of() - the rule for such a result. */
const struct core_rule *core_rule_of(const struct dw_result *r);

/** core_policy_bad() - handle an op with data, or a flush, that did not end well: decide about
 *  its blocks, and note what the disk needs. */
void core_policy_bad(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		     const struct dw_result *r);

/** core_policy_name_rest() - if only failed blocks are left, name them, and continue the pass;
 *  false if more is left. */
bool core_policy_name_rest(struct dw_core *c, struct core_disk *d);

/** core_policy_put_off() - put off the failed blocks that are left until the end of the pass. */
void core_policy_put_off(struct dw_core *c, struct core_disk *d, bool all);

/** core_zone_good() - a command ended well at position @e. */
void core_zone_good(struct core_disk *d, const struct dw_extent *e);

/** core_zone_failed() - a command failed there. */
void core_zone_failed(struct core_disk *d, const struct dw_extent *e,
		      const struct dw_result *r);

/** core_zone_leave() - put off the blocks from @lba to @end - 1 that are not put off yet. */
void core_zone_leave(struct dw_core *c, struct core_disk *d, uint64_t lba, uint64_t end);

/** core_zone_jump() - with nothing in flight: if commands continue to fail, leave that place for
 *  later. */
void core_zone_jump(struct dw_core *c, struct core_disk *d);

/** core_zoned_begin() - prepare the zones for a pass that begins at position @pos. */
void core_zoned_begin(struct core_disk *d, uint64_t pos);

/** core_zoned_writes() - whether @lba is in a zone that is being written in order. */
bool core_zoned_writes(const struct core_disk *d, uint64_t lba);

/** core_zoned_floor() - the start of the zone that holds @lba, if it is written in order; else
 *  @lba. */
uint64_t core_zoned_floor(const struct core_disk *d, uint64_t lba);

/** core_zoned_ceil() - the end of the zone that holds the block before @lba, in the same way. */
uint64_t core_zoned_ceil(const struct core_disk *d, uint64_t lba);

/** core_zoned_reset() - send a reset, if that is next; false if not. */
bool core_zoned_reset(struct dw_core *c, struct core_disk *d);

/** core_zoned_empty() - a reset ended well. */
void core_zoned_empty(struct dw_core *c, struct core_disk *d, const struct core_slot *s);

/** core_zoned_whole() - extend blocks that are written again to their whole zones, of which
 *  nothing else is left then. */
void core_zoned_whole(struct dw_core *c, struct core_disk *d, struct dw_extent *e);

/** core_zoned_rest() - extend blocks that are given up by the rest of their zone. */
void core_zoned_rest(struct dw_core *c, struct core_disk *d, struct dw_extent *e);

/** core_zoned_farther() - whether an error at @lba is beyond the last one in the same zone. */
bool core_zoned_farther(struct core_disk *d, uint64_t lba);

/** core_zoned_report() - report the zones that are no longer written. */
void core_zoned_report(struct dw_core *c, struct core_disk *d);

/** core_zoned_keep() - the same without a report. */
void core_zoned_keep(struct dw_core *c, struct core_disk *d);

/** core_recover_need() - note what the class of a result requires of the recovery. */
void core_recover_need(struct dw_core *c, struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r);

/** core_recover_lost() - the contents of the cache may be lost. */
void core_recover_lost(struct dw_core *c, struct core_disk *d);

/** core_recover_earlier_write() - a write that ended well did not reach the medium. */
void core_recover_earlier_write(struct dw_core *c, struct core_disk *d);

/** core_recover() - the next step of bringing a fenced disk back, or ending it. */
void core_recover(struct dw_core *c, struct core_disk *d);

/** core_recover_answer() - the result of an identification, a test or a start. */
void core_recover_answer(struct dw_core *c, struct core_disk *d,
			 const struct core_slot *s, const struct dw_result *r);

/** core_recover_wait() - the next step comes at @ns or later. */
void core_recover_wait(struct core_disk *d, uint64_t ns);

/** core_leave() - before a disk is left, flush its cache if it answers; true if a command was
 *  sent for that. */
bool core_leave(struct dw_core *c, struct core_disk *d);

/** core_leave_answer() - the result of that command. */
void core_leave_answer(struct core_disk *d, const struct core_slot *s,
		       const struct dw_result *r);

/** core_elsewhere() - handle errors that were reported to others, or a cache that another program
 *  switched on. */
void core_elsewhere(struct dw_core *c, struct core_disk *d, const struct dw_result *r);

/** core_elsewhere_forget() - end a series of consecutive rewinds. */
void core_elsewhere_forget(struct core_disk *d);

/** core_patience_trouble() - an error since @ns: the stall budget runs until there is
 *  progress. */
void core_patience_trouble(struct core_disk *d, uint64_t ns);

/** core_patience_others() - the time up to @ns was used by other disks. */
void core_patience_others(struct core_disk *d, uint64_t ns);

/** core_patience_progress() - there is progress: something was committed, or the disk's operation
 *  advances. */
void core_patience_progress(struct core_disk *d);

/** core_patience_work() - a command with data ended well: whether that is progress. */
void core_patience_work(struct core_disk *d);

/** core_patience_turn() - a command is sent; the time it waited for that was used by other
 *  disks. */
void core_patience_turn(const struct dw_core *c, struct core_disk *d);

/** core_patience_over() - whether the stall budget is used up. */
bool core_patience_over(const struct dw_core *c, const struct core_disk *d);

/** core_flush_sooner() - unflushed data were lost: flush more often. */
void core_flush_sooner(const struct dw_core *c, struct core_disk *d);

/** core_flush_later() - a flush was confirmed: flush less often again. */
void core_flush_later(struct core_disk *d);

/** core_length_hung() - a transfer of so many blocks got no answer. */
void core_length_hung(struct dw_core *c, struct core_disk *d, uint64_t nlb);

/** core_length_good() - a transfer of so many blocks ended well. */
void core_length_good(struct core_disk *d, uint64_t nlb);

/** core_aside_hung() - the disk gave no answer to a command sent at @start_ns; @alone: no other
 *  disk had a transfer meanwhile. */
void core_aside_hung(struct dw_core *c, struct core_disk *d, uint64_t start_ns,
		     bool alone);

/** core_aside_reset() - the disk was reset: check whether another one that hangs caused it. */
void core_aside_reset(struct dw_core *c, struct core_disk *d);

/** core_aside_waits() - with nothing in flight: whether it is resumed only later. */
bool core_aside_waits(struct dw_core *c, struct core_disk *d);

/** core_aside_wake() - a disk has left its link: check whether a disk that was set aside is
 *  resumed. */
void core_aside_wake(struct dw_core *c, struct core_link *l);

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
 * @kind: enum dw_exception_kind
 * @lba: first block
 * @nlb: count; blocks that are faults already stay what they are
 * @r: for the sense data, or NULL
 *
 * Return: how many blocks were not faults before.
 */
uint64_t core_fault_add(struct dw_core *c, struct core_disk *d, uint8_t kind,
			uint64_t lba, uint64_t nlb, const struct dw_result *r);

/** core_fault_doubt() - the same for blocks that may still be written: it is not reported yet. */
void core_fault_doubt(struct dw_core *c, struct core_disk *d, uint64_t lba, uint64_t nlb,
		      const struct dw_result *r);

/** core_fault_reported() - blocks in doubt have become faults for good, and are reported. */
void core_fault_reported(struct dw_core *c, struct core_disk *d, uint64_t lba,
			 uint64_t nlb, const struct dw_result *r);

/** core_fault_repaired() - blocks that were in doubt in this pass are written and flushed. */
void core_fault_repaired(struct dw_core *c, struct core_disk *d, uint64_t lba,
			 uint64_t nlb);

/** core_fault_end() - the block behind the fault that holds @lba; @lba when none does. */
uint64_t core_fault_end(const struct core_disk *d, uint64_t lba);

/** core_fault_has() - whether all these blocks are faults. */
bool core_fault_has(const struct core_disk *d, uint64_t lba, uint64_t nlb);

/**
 * core_fault_cut() - remove the faults of writing from position @mark of the sweep of @pass on,
 * and of later passes, as these blocks are written again. Faults of reading are kept.
 */
void core_fault_cut(struct dw_core *c, struct core_disk *d, uint8_t pass, uint64_t mark);

#endif
