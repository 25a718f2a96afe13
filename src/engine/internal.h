/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_INTERNAL_H
#define DW_ENGINE_INTERNAL_H

/* What the files of the engine share: the engine, its jobs, their disks, and slots. */
#include <stdatomic.h>

#include "core/core.h"
#include "cost/course.h"
#include "data/data.h"
#include "device/device.h"
#include "codec/encode.h"
#include "device/identity.h"
#include "diskwipe/job.h"
#include "engine/background.h"
#include "engine/loop.h"
#include "engine/world.h"
#include "own/unhide.h"
#include "plan/method.h"
#include "plan/plan.h"
#include "report/state.h"
#include "report/trace.h"
#include "scsi/cdb.h"
#include "transport/paths.h"
#include "transport/transport.h"

#define DW_ADAPTER_NAME 64
#define EXCEPTION_LIMIT 65536 /* blocks of a disk */
#define DW_REPLY_LEN    192   /* a caching page, sense data, a list of parameters */

_Static_assert(DW_CACHE_LEN <= DW_REPLY_LEN && DW_POLL_LEN <= DW_REPLY_LEN &&
		       DW_SANITIZE_LIST_LEN <= DW_REPLY_LEN,
	       "each fits");

/** struct news_item - an event that has not been taken */
struct news_item {
	struct dw_event e;
	struct news_item *before;
	struct news_item *next;
};

/**
 * struct job_untold - of a disk, or the job: events that have not been taken
 * @progress, @flushed: the newest; NULL = none
 * @remarks: notices and exceptions among them, @dropped: for which there was no room
 */
struct job_untold {
	struct news_item *progress;
	struct news_item *flushed;
	uint32_t remarks;
	uint64_t dropped;
};

/** struct job_news - all of them in order; @untold: those about the job */
struct job_news {
	struct news_item *first;
	struct news_item *last;
	struct job_untold untold;
};

/**
 * struct job_state - the state file while the job runs: at most one write is under way
 * @doc: what is being written
 * @error: of that
 * @under_way, @again: there is news since it began
 * @wanted: it is to be written in this turn
 * @late_ns: when it takes too long; UINT64_MAX = that is told, or none is under way
 */
struct job_state {
	struct dw_work work;
	struct dw_job *job;
	struct dw_state_doc doc;
	int error;
	bool under_way;
	bool again;
	bool wanted;
	uint64_t late_ns;
};

/**
 * struct job_trace - the trace file while the job runs: at most one write is under way
 * @file: NULL = there is none, or it is closed
 * @closing: that write is the last
 * @error: of closing it
 * @looked_ns: when there was last a look at it
 */
struct job_trace {
	struct dw_work work;
	struct dw_trace *file;
	bool under_way;
	bool closing;
	int error;
	uint64_t looked_ns;
};

/**
 * struct job_end - the end of a disk
 * @now_ns: when it was done, @outcome: with what, unless that changes until it is told
 * @transport: it is to be taken out of that; NULL = it was in none
 * @look: the kernel is to write back once more; @late: writes that this found
 * @kept: the disk keeps what the job had set; of its release, 0 = it does not
 * @asks: the disk is asked how it is; @health: what it told, all zero = nothing
 */
struct job_end {
	struct dw_work work;
	struct dw_job *job;
	uint64_t now_ns;
	enum dw_outcome outcome;
	struct dw_transport *transport;
	bool look;
	uint64_t late;
	int kept;
	bool asks;
	struct dw_health health;
};

/**
 * struct job_eta - what the time that is left of a disk is reckoned from
 * @course: of the forecast, if @known; else that of a typical disk; @guessed: its rates are guesses
 * @moves: it has begun; at @at_ns it was @clock by its course, and waited for another turn if @back
 * @is, @should: seconds measured, and seconds of the course, the newest count most
 * @finish: when it ends, seconds since the job's start; negative = unknown
 */
struct job_eta {
	struct dw_course course;
	bool known;
	bool guessed;
	bool moves;
	bool back;
	double clock;
	uint64_t at_ns;
	double is;
	double should;
	double finish;
};

/**
 * struct job_busy - time in which a disk had commands: from the end of the one before, or from its
 *	own start if that is later, to its end, counted as a report counts the lines of a trace
 * @last_ns: end of the last one; @asked_ns: of the last one about the disk's own work, 0 = another
 *	came after it
 * @write_ns, @read_ns: with commands to write or flush, and to read; @own_ns: its own work
 */
struct job_busy {
	uint64_t last_ns;
	uint64_t asked_ns;
	uint64_t write_ns;
	uint64_t read_ns;
	uint64_t own_ns;
};

/** enum job_begin - of a command that is the whole erasure: it is on record before it goes out */
enum job_begin {
	JOB_BEGIN_NONE,
	JOB_BEGIN_ASKED,   /* it waits for the next state file */
	JOB_BEGIN_WRITTEN, /* it is in the file that is being written */
	JOB_BEGIN_KEPT,
};

/**
 * struct job_disk - a disk of a job
 * @job: whose it is
 * @busy: for its rate
 * @end: of its work
 * @flushed: the newest mark that no state file has, if @is_flushed; @durable: the one in the
 *	file that is being written, if @is_durable
 * @begin: enum job_begin: whether the state file has that @begin_op was to go out
 * @device: opened, and claimed unless the job only verifies; owned; NULL = a virtual disk
 * @info, @caps: what it is and can do
 * @unit: number of a virtual disk in its transport, @pass_ns: about what a pass of it takes
 * @transport, @handle: where its commands go
 * @id: its number in the job, @number: in the core, if it has @entered that, on @link
 * @adapter: what it hangs on: disks with the same text share that
 * @method: the job's, or of one that chooses what was chosen; static or the job's; NULL = not yet
 * @level: what that reaches; @level_reason: why it was chosen, empty = it was named
 * @source: contents of each pass, NULL = not needed by this run
 * @buffer: free buffers of @buffer_bytes each, a stack; any thread, under @buffer_lock
 * @out: why it was taken out after consent, untouched; empty = it is in. Without a device
 *	and without a transport it stays in the job, and ends as failed when that begins
 * @entry: its entry in the state file of the job that is resumed, or NULL; @resume: the same while
 *	that is continued
 * @units: of one that erases itself: its device, and the others that are units of it; the job's
 * @told: what came of it, for the state file; owned, NULL = it has not ended
 * @zones: of its plan, if it is host-managed; owned
 * @cycle: its loss of power, once that is due; owned, NULL = it is not
 * @sealed: it was unplugged, and gets no permit to be written to any more
 * @reset_told: a command of ours told of a reset, or got lost, since it was last identified
 * @reset_heard: the kernel told of one since then, or an identification met one
 * @doubted: the kernel told of something since it was last identified; set in the loop, read
 *	in the disk's threads
 * @exchangeable: a unit attention or an event left open whether it is the same; never forgotten
 * @stranger: another disk answered, or one that cannot be told from another
 * @watch: what it told of itself when it was last known to be the same
 * @write_errors: told to commands of ours since then: a write or a flush that failed
 * @lease: what its transport holds to
 * @expect: seconds it is expected to take, for the order of longest-first; 0 = unknown
 * @eta: for the time that is left
 * @paths: of a disk with several; owned, NULL = one
 * @unhidden: what came of showing its hidden blocks
 * @write_cache_switched: for the job, to be restored
 * @same_failed: WRITE SAME failed when it was tried, or did nothing: done by WRITE
 * @cache_off: to be done with the write cache off: no command flushes it
 * @unflushed: nothing flushes its cache, and no write goes past it: what is written is not proven
 * @proven, @prepared, @attached: steps of the start that are done, and not done again when a
 *	start that failed is repeated
 * @released: it has been given back, and its outcome told
 * @stopping: it is being stopped: it is not told to erase itself any more
 */
struct job_disk {
	struct dw_job *job;
	struct job_busy busy;
	struct job_end end;
	struct job_untold untold;
	struct dw_event flushed;
	struct dw_event durable;
	bool is_flushed;
	bool is_durable;
	uint8_t begin;
	struct dw_op begin_op;
	struct dw_device *device;
	struct dw_disk_info info;
	struct dw_caps caps;
	int unit;
	uint64_t pass_ns;
	struct dw_transport *transport;
	uint32_t handle;
	uint32_t id;
	uint32_t number;
	uint32_t link;
	char adapter[DW_ADAPTER_NAME];
	bool entered;
	char identity[DW_SERIAL_MAX + DW_WWN_MAX + 2];
	const struct dw_method *method;
	enum dw_level level;
	char level_reason[256];
	struct dw_disk_plan plan;
	struct dw_source *source[DW_PASSES_MAX];
	pthread_mutex_t buffer_lock;
	void **buffer;
	uint32_t n_buffers;
	uint32_t cap_buffers;
	size_t buffer_bytes;
	const struct dw_state_entry *entry;
	const struct dw_state_entry *resume;
	char *told;
	struct dw_zones *zones;
	double expect;
	struct job_eta eta;
	struct job_paths *paths;
	char out[256];
	struct job_settle *settle; /* NULL = nothing to settle */
	struct job_units *units;
	struct job_witness *witness;    /* NULL = its device did nothing by itself */
	struct dw_health health_before; /* all zero: it was not asked */
	bool begun_anew;                /* the medium did not hold what the state says */
	bool proven;
	bool prepared;
	bool attached;
	bool released;
	bool stopping;
	struct dw_unhidden unhidden;
	bool write_cache_switched;
	bool same_failed;
	bool cache_off;
	bool unflushed;
	struct job_cycle *cycle;
	bool sealed;
	bool reset_told;
	bool reset_heard;
	atomic_bool doubted;
	bool exchangeable;
	bool stranger;
	struct dw_watch watch;
	uint64_t write_errors;
	struct dw_lease_terms lease;
};

/**
 * struct job_slot - one op on its way
 * @disk: whose it is; for the disk's threads
 * @buffer: data of its own, or NULL
 * @found: what the comparison of a READ found
 * @compare_error: negative errno of the comparison
 * @identify: state of an identification
 * @refused: a flush was, as this says; while @cache_cdb_len is not 0, the caching page is asked
 *	for with a CDB of that length, into @reply
 * @looks: a block is read: before a poll, or as what it told, @refused, is not enough; or neither
 * @attention: a unit attention it met that tells of no reset, or all zero
 * @first_ns: when it began
 */
struct job_slot {
	struct dw_op op;
	struct dw_cmd cmd;
	struct job_disk *disk;
	struct dw_source *source;
	void *buffer;
	struct dw_identify *identify;
	uint8_t cache_cdb_len;
	enum { LOOKS_NOT, LOOKS_BEFORE, LOOKS_AFTER } looks;
	struct dw_result refused;
	uint8_t reply[DW_REPLY_LEN];
	struct dw_result attention;
	uint64_t first_ns;
	int compare_error;
	struct dw_result found;
};

/**
 * struct job_left - the time that is left of a job
 * @at_ns: when it was calculated, 0 = never; @seconds: then
 */
struct job_left {
	uint64_t at_ns;
	double seconds;
};

enum { JOB_NEW, JOB_OPEN, JOB_OVER };

/**
 * struct dw_job - a job: a policy on a set of disks
 * @engine: where it runs; @own: nobody else has that
 * @owner: least number that no other job of the engine has but those of its @group; 0 = none
 * @next: of the engine's jobs, @next_looked: of those that want to be looked after
 * @looked: it is one of these; @due: it may have ended, @next_due: list of these
 * @stage: for the functions that any thread may call
 * @key_lock: held while the key file is written
 * @held: it does not end for want of disks
 * @ending: its outcome is known
 * @left: disks that have not been given back yet
 * @paths_ns: when a path may be asked again; UINT64_MAX = none is down
 * @cycle_ns: when to look for a disk that is to be unplugged; UINT64_MAX = none is
 * @recorded: the schedule is, in the core's history from @history_from on
 * @adding: disks that are being claimed
 * @units: devices that erase themselves as a whole; a list
 * @eta: for the time that is left
 */
struct dw_job {
	struct dw_engine *engine;
	bool own;
	uint32_t owner;
	uint32_t group;
	struct dw_job *next;
	struct dw_job *next_looked;
	struct dw_job *next_due;
	bool looked;
	bool due;
	atomic_int stage;
	struct dw_job_spec spec;
	struct dw_method method;
	struct dw_key *key; /* dw_secret_new() */
	pthread_mutex_t key_lock;
	bool has_key;
	bool begun; /* a start has gone so far that no disk can be added */
	bool started;
	bool stopping;
	bool aborting;
	bool key_kept;
	bool over;
	bool recorded;
	size_t history_from;
	bool paths_dynamic;
	struct job_disk **disk;
	uint32_t n_disks;
	struct job_news news;
	struct job_state state;
	struct job_trace trace;
	struct dw_state_doc resume;
	bool resuming;
	uint64_t start_ns;
	uint64_t paths_ns;
	uint64_t cycle_ns;
	struct job_background background;
	struct dw_job_result result;
	bool held;
	bool ending;
	uint32_t left;
	uint32_t adding;
	struct job_units *units;
	struct job_left eta;
};

#define ENGINE_TRANSPORTS 4

/**
 * struct dw_engine - what all jobs of a process share
 * @world: where the disks are
 * @transport: made as they are needed, NULL = not yet
 * @resets_ns: when it last listened to the kernel
 * @homes: of disks with several paths, how many have each connection for their home
 * @disk, @cap_disks: by number in the core
 * @slot, @n_slots: by slot of the core
 * @local: results that need no transport
 * @jobs, @looked, @due: lists of jobs
 * @running: jobs that have begun and not ended
 * @told: jobs that have ended and disks that were found in this turn, which the caller may act on
 * @discoveries: disks are being looked for, for the caller
 * @turn_ns: time of this turn of the loop, 0 between turns
 * @wake_ns: in virtual time: the wait ends then at the latest; UINT64_MAX = never
 * @error: what stopped it for good
 */
struct dw_engine {
	struct dw_core *core;
	struct dw_loop *loop;
	struct dw_world *world;
	struct dw_transport *transport[ENGINE_TRANSPORTS];
	struct dw_workers *workers;
	struct dw_uevents *uevents; /* NULL = deaf */
	uint64_t resets_ns;
	uint32_t homes[DW_LINKS_MAX];
	struct job_disk **disk;
	uint32_t cap_disks;
	struct engine_link *link; /* links.c */
	uint32_t n_links;
	uint32_t n_shared;
	struct job_slot **slot;
	uint32_t n_slots;
	struct dw_result *local;
	uint32_t n_local, cap_local;
	struct dw_job *jobs;
	struct dw_job *looked;
	struct dw_job *due;
	uint32_t running;
	uint32_t told;
	uint32_t discoveries;
	uint64_t turn_ns;
	uint64_t wake_ns;
	int error;
};

/** engine_clock() - on the clock of its world. */
uint64_t engine_clock(const struct dw_engine *e);

/** engine_turn() - one turn of the loop, which waits for at most @timeout_ms, -1 = no limit; 0,
 *  or a negative errno, which stands. */
int engine_turn(struct dw_engine *e, int timeout_ms);

/** engine_keeps_time() - whether the world's time passes in its transport's wait alone. */
bool engine_keeps_time(const struct dw_engine *e);

/** engine_add_transport() - transport @i is that from now on, the engine's; 0 or -errno. */
int engine_add_transport(struct dw_engine *e, uint32_t i, struct dw_transport *t);

/** engine_workers() - threads for keystream and comparison, made when they are first needed;
 *  0 or -errno. */
int engine_workers(struct dw_engine *e, struct dw_executor *ret);

/** engine_take_job() - it is one of the engine's, which frees it if nobody does. */
void engine_take_job(struct dw_engine *e, struct dw_job *job);

/** engine_look_after() - it wants to be looked after from now on. */
void engine_look_after(struct dw_job *job);

/** engine_begin_job() - it has begun; engine_end_job() - it has ended. */
void engine_begin_job(struct dw_job *job);
void engine_end_job(struct dw_job *job);

/** engine_forget_job() - it is being freed; waits until it has ended. false: the engine has
 *  failed, and keeps the job until it is freed itself. */
bool engine_forget_job(struct dw_job *job);

/** job_may_end() - something has happened that it may have waited for to end. */
void job_may_end(struct dw_job *job);

/** job_is_over() - everything is done, given back and on record. */
bool job_is_over(const struct dw_job *job);

/** job_finish() - the end of it begins. */
void job_finish(struct dw_job *job);

/** job_conclude() - its trace is closed as well. */
void job_conclude(struct dw_job *job);

/** job_free() - with nothing under way. */
void job_free(struct dw_job *job);

/** job_take_disk() - plan a disk whose facts are known and hand it to the core; 0, 1 refused
 *  with @ret_verdict, -errno. */
int job_take_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_disk_open() - the first half of taking a disk in: the node is opened, the disk is the one
 *  that was shown, and it is claimed. May wait. @ret: job_disk_free(), in any case. 0, 1
 *  refused with @v, -errno. */
int job_disk_open(struct dw_job *job, const struct dw_disk *want, struct job_disk **ret,
		  struct dw_verdict *v);

/** job_disk_fit() - what will be done with it; 0, 1 refused with @v, -errno. */
int job_disk_fit(struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_refuse() - dw_job_refuse() of the node of @who; 0, -ENOMEM. */
int job_refuse(struct dw_job *job, const struct dw_disk_info *who,
	       const struct dw_verdict *v);

/** job_result_nodes() - by which nodes it was reached, for its result. */
void job_result_nodes(const struct job_disk *d, struct dw_disk_result *r);

/** job_disk_prove() - what can be known only by changing something of it. May wait. 0, 1 refused
 *  with @v, -errno. */
int job_disk_prove(struct job_disk *d, struct dw_verdict *v);

/** job_disk_keep() - it becomes part of the job, which frees it; 0, -ENOMEM. */
int job_disk_keep(struct dw_job *job, struct job_disk *d);

/** job_prepare() - what changes the disk's state, if no data. May wait. 0, -errno with @err. */
int job_prepare(struct job_disk *d, struct dw_error *err);

/** job_attach() - it gets its transport; 0, -errno. */
int job_attach(struct job_disk *d);

/** job_enter() - the core learns of it; 0, -ENOMEM. */
int job_enter(struct job_disk *d);

/** job_leave() - the core forgets it, which has not begun or has ended. */
void job_leave(struct job_disk *d);

/** job_link_take() - its link in the core; 0 or -ENOMEM. */
int job_link_take(struct job_disk *d);

/** job_link_leave() - it is on it no more, and the core has forgotten it. */
void job_link_leave(struct job_disk *d);

/** job_link_next() - the links that a job has for itself, from *@i = 0 on; false = no more. */
bool job_link_next(const struct dw_job *job, uint32_t *i, uint32_t *ret);

/** job_disk_state() - where it stands, once it has entered the core. */
const struct dw_disk_state *job_disk_state(const struct job_disk *d);

/** job_disk_plan() - its plan, as the core has it. */
const struct dw_disk_plan *job_disk_plan(const struct job_disk *d);

/** job_paths_claim() - open the disk's other paths and claim all, or claim its only one; 0, 1
 *  refused with @v, -errno. */
int job_paths_claim(struct dw_job *job, struct job_disk *d, const struct dw_disk *want,
		    struct dw_verdict *v);

/** job_paths_renew() - the paths were asked anew: what they are now, and what one command may do
 *  over each of them is in @d->caps. */
void job_paths_renew(struct job_disk *d);

/** job_paths_prove() - by a marker; 0, 1 refused with @v, -errno. */
int job_paths_prove(struct job_disk *d, struct dw_verdict *v);

/** job_paths_refuse() - remember every node of the disk as refused; 0, -ENOMEM. */
int job_paths_refuse(struct dw_job *job, const struct job_disk *d,
		     const struct dw_verdict *v);

/** job_paths_node() - path @path as it was when it was claimed; NULL = not so many, or none. */
const struct dw_disk_info *job_paths_node(const struct job_disk *d, uint32_t path);

/** job_paths_nodes() - its nodes, for the result. */
void job_paths_nodes(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_devices() - all its paths, or the only one; their number. */
size_t job_paths_devices(const struct job_disk *d, struct dw_device *ret[DW_PATHS_MAX]);

/** job_paths_sound() - the first of its paths that is in use and not in doubt, or the only one;
 *  NULL = none is. */
struct dw_device *job_paths_sound(const struct job_disk *d);

/** job_paths_reserve() - register all paths and reserve; as dw_device_reserve(). */
int job_paths_reserve(struct job_disk *d, struct dw_verdict *v);

/** job_paths_set() - what the transport has to know; NULL for a disk with one path. */
const struct dw_path_set *job_paths_set(struct dw_job *job, struct job_disk *d);

/** job_paths_watch() - see what became of its paths: tell the user, and ask those that failed
 *  again; 0, -ENOMEM. */
int job_paths_watch(struct dw_job *job, struct job_disk *d);

/** job_paths_look() - ask paths that have failed again, off the loop, when it is time to. */
void job_paths_look(struct dw_job *job, uint64_t now_ns);

/** job_paths_busy() - the disk was done at @done_ns, but one of its paths is being asked: then
 *  job_end_begin() is called again after that. */
bool job_paths_busy(struct job_disk *d, uint64_t done_ns);

/** job_paths_trace() - name its paths in the trace. */
void job_paths_trace(struct dw_job *job, const struct job_disk *d);

/** job_paths_way() - how most of its commands travelled; static text. */
const char *job_paths_way(const struct job_disk *d);

/** job_paths_result() - what each path did. */
void job_paths_result(const struct job_disk *d, struct dw_disk_result *ret);

/** job_paths_release() - as dw_device_release() for all but the first; before that one. */
int job_paths_release(struct job_disk *d);

/** job_paths_free() - close all but the first. */
void job_paths_free(struct job_disk *d);

/** job_origin() - name this run and its machine in the result; 0 or negative errno. */
int job_origin(struct dw_job *job);

/** job_choose_method() - by which method the disk is erased: @method, @level; 0, or 1 refused with
 *  @v, as DW_REFUSAL_PURGE where the level that is asked for cannot be reached. */
int job_choose_method(const struct dw_job *job, struct job_disk *d, struct dw_verdict *v);

/** job_operation_ns() - time of a way to erase a disk, as it states it, else as is usual;
 *  DW_OPERATION_NONE: of overwriting it. */
uint64_t job_operation_ns(const struct dw_caps *caps, unsigned int operation);

/** job_plan_disk() - the plan of one disk; 0, 1 refused with @ret_verdict, -errno. */
int job_plan_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_plan_permit() - class of the one command by which a disk may be told to erase itself (enum
 *  dw_opclass); 0 = its plan has none. */
uint32_t job_plan_permit(const struct dw_disk_plan *p);

/** job_plan_sources() - contents of the passes that this run needs; 0 or -errno. */
int job_plan_sources(struct dw_job *job, struct job_disk *d);

/** job_plan_expected_ns() - a rough time to finish, for longest-first. */
uint64_t job_plan_expected_ns(const struct job_disk *d);

/** job_submit() - turn an op into a command and hand it to the disk's transport; -errno. */
int job_submit(struct dw_engine *e, const struct dw_op *op);

/** job_complete() - turn a completion into a result and give it to the core; -errno. */
int job_complete(struct dw_engine *e, const struct dw_completion *done);

/** job_fill() - the contents of disk @d are ours: the data of a command; 0 or -ENOMEM. */
int job_fill(struct job_disk *d, struct job_slot *s);

/** job_disk_close() - nothing is in flight any more, and its transport has forgotten it: free
 *  what only its work needs, its descriptors first of all. May wait. */
void job_disk_close(struct job_disk *d);

/** job_disk_new() - an empty disk of a job; job_disk_free(), NULL without memory. */
struct job_disk *job_disk_new(struct dw_job *job);

/** job_disk_free() - free a disk, its buffers and its device; nothing is in flight. */
void job_disk_free(struct job_disk *d);

/** job_local_result() - a result that needs no transport, for the next round; 0, -ENOMEM. */
int job_local_result(struct dw_engine *e, const struct dw_result *result);

/** job_sure() - a position of the sweep below which everything is known to be on the medium.
 *  @ret_pass: of that pass */
uint64_t job_sure(const struct dw_disk_state *st, uint32_t *ret_pass);

/** job_mark() - the same of a disk: its beginning, where nothing flushes its cache, until it is
 *  written and to be unplugged. */
uint64_t job_mark(const struct job_disk *d, const struct dw_disk_state *st,
		  uint32_t *ret_pass);

/** job_trace_op() - @op and its result become a line of the trace, if there is one. */
void job_trace_op(const struct job_disk *d, const struct dw_op *op,
		  const struct dw_result *result);

/** job_settle_begin() - from now on nobody but the job writes to the disk; before the first
 *  write. 0, -ENOMEM. */
int job_settle_begin(struct dw_job *job, struct job_disk *d);

/** job_settle_free() - nothing is under way. */
void job_settle_free(struct job_disk *d);

/** job_settle_submit() - begin DW_VERB_SETTLE, off the loop; then the core gets its result. */
int job_settle_submit(struct dw_job *job, struct job_disk *d, const struct dw_op *op);

/** job_errors_elsewhere() - errors of the disk that other programs were told since the last call;
 *  none of its commands is under way. */
uint64_t job_errors_elsewhere(struct job_disk *d);

/** job_settle_late() - have the kernel write back for the last time; writes that came since the
 *  disk was settled with DW_OP_FINAL. Waits: off the loop. */
uint64_t job_settle_late(struct job_disk *d);

/** job_end_begin() - a disk is done: give it back off the loop, and then tell what came of it.
 *  0, -errno. */
int job_end_begin(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

/** job_events_open() - listen to the kernel, or say that it cannot be heard; 0, -ENOMEM. */
int job_events_open(struct dw_job *job);

/** engine_hear() - note of which disks the kernel tells, and let no write out to these
 *  before they are identified; cheap, call it often. */
void engine_hear(struct dw_engine *e, uint64_t now_ns);

/** job_resets_missed() - whether the disk was reset and no command of ours was told, since
 *  the last call. Sleeps on nothing: listen first. */
bool job_resets_missed(struct job_disk *d);

/** job_lease() - how long the disk may be written before it says again who it is; NULL = for
 *  ever. */
const struct dw_lease_terms *job_lease(struct job_disk *d);

/** job_unproven() - most bytes that went out since the disk last said who it is. */
uint64_t job_unproven(const struct job_disk *d);

/** engine_take_events() - core events to public ones, outcomes, state files; -errno. @ret_n:
 *  raised by their number */
int engine_take_events(struct dw_engine *e, int *ret_n);

/** job_copies_start() - tell the core which disks are copies; 0, or -EINVAL with @err. */
int job_copies_start(struct dw_job *job, struct dw_error *err);

/** job_note() - one more note for a result, if there is room. */
void job_note(struct dw_disk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** job_notes() - the limits of what was done, for this kind of disk. */
void job_notes(const struct dw_job *job, const struct job_disk *d,
	       const struct dw_disk_state *st, struct dw_disk_result *r);

/** job_notice() - a line for the user about disk @disk, or DW_EVENT_OF_JOB; 0, -ENOMEM. */
int job_notice(struct dw_job *job, uint32_t disk, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** job_exceptions() - the faults of a disk as public exceptions; free(@ret); 0, -ENOMEM. */
int job_exceptions(const struct dw_disk_state *st, struct dw_exception **ret,
		   size_t *ret_n);

/** job_outcome() - what came of a disk that has ended, and that its transport has still: the one
 *  place that says "erased". */
void job_outcome(struct dw_job *job, struct job_disk *d);

/** job_outcome_late() - a disk that was erased has been written to by another program since;
 *  0, -ENOMEM. */
int job_outcome_late(struct dw_job *job, struct job_disk *d, uint64_t writes);

/** job_healthy() - how a disk is that has been given back, all zero = it was not asked; notes of
 *  what has changed meanwhile. */
void job_healthy(struct dw_job *job, const struct job_disk *d,
		 const struct dw_health *after);

/** job_disk_done() - it has been given back: tell its outcome, which is final; 0, -ENOMEM. */
int job_disk_done(struct dw_job *job, struct job_disk *d);

/** job_unrestored() - say that the disk keeps what the job had set; @r: of its release, not 0. */
void job_unrestored(struct dw_job *job, const struct job_disk *d, int r);

/** job_result_deinit() - free what a result owns. */
void job_result_deinit(struct dw_job_result *r);

/** job_busy_add() - count a command that ended. */
void job_busy_add(struct job_busy *b, const struct dw_op *op,
		  const struct dw_result *result);

/** job_busy_rate() - bytes per second of what a disk was there for: of writing, else of its own
 *  work, else of reading; 0 = of nothing. */
double job_busy_rate(const struct job_busy *b, uint64_t written, uint64_t operated,
		     uint64_t compared);

/** job_trace_open() - begin the trace, if there is to be one; 0 or -errno. */
int job_trace_open(struct dw_job *job);

/** job_trace_joined() - name a disk in the trace that came after the start, before its first
 *  command. */
void job_trace_joined(struct dw_job *job, const struct job_disk *d);

/** job_final() - the job's outcome from its disks'. */
void job_final(struct dw_job *job);

/** job_eta_begin() - the plan of disk @d is made; 0 or -ENOMEM. */
int job_eta_begin(struct dw_job *job, struct job_disk *d);

/** job_eta_event() - something happened to disk @d that changes what is measured. */
void job_eta_event(struct job_disk *d, uint64_t now_ns, enum dw_core_event_kind kind);

/** job_take_course() - what a forecast expects of disk @d, before the start; @guessed: from rates
 *  that nobody has measured. */
void job_take_course(struct job_disk *d, const struct dw_course *course, bool guessed);

/** job_news_next() - dw_job_next_event(), without the time that is left. */
bool job_news_next(struct dw_job *job, struct dw_event *ret);

/** job_seconds_left() - until disk @d is finished, -1 = unknown. */
double job_seconds_left(struct dw_job *job, struct job_disk *d, uint64_t now_ns);

/** job_now() - on the clock of its world; 0 before the start. */
uint64_t job_now(const struct dw_job *job);

/** job_keep_key() - write the key file, if there is to be one and it is not there yet; from any
 *  thread of the job. 0 or -errno. */
int job_keep_key(struct dw_job *job, struct dw_error *err);

/** job_state_store() - write the state file, if there is to be one, and wait for it; 0 or
 *  -errno: what stood there stands. */
int job_state_store(struct dw_job *job);

/** job_state_keep() - have it written off the loop, after the write that is under way. The job
 *  goes on without: the first failure is told, and so is its end; marks (DW_EVENT_FLUSHED) are
 *  told when they are in the file. 0, -ENOMEM. */
int job_state_keep(struct dw_job *job);

/** job_state_look() - tell if the write that is under way takes long; 0, -ENOMEM. */
int job_state_look(struct dw_job *job, uint64_t now_ns);

/** job_news_add() - let the caller know; 0, -ENOMEM. */
int job_news_add(struct dw_job *job, const struct dw_event *e);

/** job_news_free() - what was not taken. */
void job_news_free(struct job_news *n);

/** job_trace_look() - have it written off the loop from time to time, and tell once that this
 *  fails; 0, -ENOMEM. */
int job_trace_look(struct dw_job *job, uint64_t now_ns);

/** job_trace_close() - its last line, and have it closed off the loop; then job_conclude(). */
void job_trace_close(struct dw_job *job, uint64_t now_ns);

#endif
