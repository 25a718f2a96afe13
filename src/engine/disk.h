/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_DISK_H
#define DW_ENGINE_DISK_H

/* A disk of a job: everything that the engine keeps of it. The structs of its parts are here, or
 * in the header of the file that they belong to. */
#include <stdatomic.h>

#include "codec/encode.h"
#include "core/core.h"
#include "data/data.h"
#include "device/device.h"
#include "device/identity.h"
#include "engine/busy.h"
#include "engine/end.h"
#include "engine/eta.h"
#include "engine/news.h"
#include "own/unhide.h"
#include "plan/method.h"
#include "plan/plan.h"
#include "report/state.h"
#include "transport/transport.h"

struct dw_transport;
struct job_paths;

#define DW_ADAPTER_NAME 64

#define EXCEPTION_LIMIT 65536 /* blocks; a verification that finds more ends */

/** enum job_begin - storing a command that is the whole erasure, before it is sent */
enum job_begin {
	JOB_BEGIN_NONE,
	JOB_BEGIN_ASKED,   /* to be stored in the next state file */
	JOB_BEGIN_WRITTEN, /* in the state file that is being written */
	JOB_BEGIN_KEPT,
};

/**
 * struct job_marks - what the state file has of a disk, and is to have
 * @flushed: the newest mark, valid if @is_flushed; no state file has it yet
 * @durable: the mark in the state file that is being written, valid if @is_durable
 * @begin: enum job_begin of @begin_op
 * @begin_op: the command that is the whole erasure; sent when it is in the state file
 * @result: its result as text; owned; NULL = it has not ended
 */
struct job_marks {
	struct dw_event flushed;
	struct dw_event durable;
	bool is_flushed;
	bool is_durable;
	uint8_t begin;
	struct dw_op begin_op;
	char *result;
};

/**
 * struct job_place - where a disk is
 * @unit: number of a virtual disk in its transport
 * @pass_ns: of a virtual disk, estimated time of a pass
 * @transport, @handle: where its commands go, valid if @attached
 * @number, @link: in the core, valid if @entered
 * @adapter: its host adapter, as text; disks with equal text share one
 * @overdue: how often in a row a command was found that the kernel does not end
 */
struct job_place {
	int unit;
	uint64_t pass_ns;
	struct dw_transport *transport;
	uint32_t handle;
	uint32_t number;
	uint32_t link;
	char adapter[DW_ADAPTER_NAME];
	bool entered;
	bool attached;
	uint8_t overdue;
};

/**
 * struct job_choice - how a disk is erased, beside its plan
 * @method: the method chosen for it; static, or the job's; NULL = not yet chosen
 * @level: the level that @method reaches
 * @reason: why @method was chosen; empty = the user named it
 * @zones: the zones of its plan, if it is host-managed; owned
 * @expect: estimated seconds for it, by which longest-first sorts; 0 = unknown
 * @raised: a sample was asked for, and all blocks are read, as nothing less proves enough
 * @not_compared: why the disk is not to compare its blocks, though that was asked for; static, NULL
 *	= it is, or was not
 * @same_failed: WRITE SAME failed, or had no effect, when it was tried: WRITE is used
 */
struct job_choice {
	const struct dw_method *method;
	enum dw_level level;
	char reason[256];
	struct dw_zones *zones;
	double expect;
	bool raised;
	const char *not_compared;
	bool same_failed;
};

/**
 * struct job_contents - the data that is written to a disk, and compared with it
 * @source: data of each pass, NULL = not needed by this run
 * @lock: protects what follows; any thread may take it
 * @buffer: a stack of @n_buffers free buffers of @buffer_bytes each, with room for @cap_buffers
 */
struct job_contents {
	struct dw_source *source[DW_PASSES_MAX];
	pthread_mutex_t lock;
	void **buffer;
	uint32_t n_buffers;
	uint32_t cap_buffers;
	size_t buffer_bytes;
};

/**
 * struct job_earlier - what an earlier run did with a disk
 * @entry: its entry in the state file of the job that is resumed; NULL = none
 * @resume: the same, as long as its work is resumed; NULL = it is erased from the beginning
 * @from_the_start: it is erased from the beginning, as the medium does not hold what the state file
 *	says
 */
struct job_earlier {
	const struct dw_state_entry *entry;
	const struct dw_state_entry *resume;
	bool from_the_start;
};

/**
 * struct job_cache - the write cache of a disk
 * @switched: it was switched by the job, and is to be restored
 * @off: no command flushes it, so it is to be off while the disk is written
 * @unflushed: no command flushes it, and no write bypasses it: no write is proven to be on the
 *	medium
 */
struct job_cache {
	bool switched;
	bool off;
	bool unflushed;
};

/**
 * struct job_who - whether a disk is still the one that was claimed
 * @name: its serial number and WWN
 * @reset_reported: since it was last identified, a command of ours reported a reset or was lost
 * @reset_noticed: since then, the kernel or an identification reported a reset
 * @doubted: since then, the kernel reported an event after which the disk may be another; set in
 *	the loop, read in the disk's threads
 * @exchangeable: a unit attention or an event allows that the disk was exchanged; never cleared
 * @stranger: another disk answered, or one that cannot be distinguished from another
 * @watch: its counters and settings when it was last known to be the same
 * @write_errors: since then, errors of writes and flushes reported to commands of ours
 * @lease: the terms of its lease, for its transport
 */
struct job_who {
	char name[DW_SERIAL_MAX + DW_WWN_MAX + 2];
	bool reset_reported;
	bool reset_noticed;
	atomic_bool doubted;
	bool exchangeable;
	bool stranger;
	struct dw_watch watch;
	uint64_t write_errors;
	struct dw_lease_terms lease;
};

/**
 * struct job_steps - what was done with a disk once and is not done again
 * @proven, @prepared: kept when a failed start is repeated
 * @stopping: it is being stopped: no command to erase itself is sent any more
 * @cancelled: it was stopped by itself, which nobody resumes
 * @sealed: it was unplugged, and gets no permit to write any more
 * @released: it has been released, and its outcome reported
 */
struct job_steps {
	bool proven;
	bool prepared;
	bool stopping;
	bool cancelled;
	bool sealed;
	bool released;
};

/**
 * struct job_disk - a disk of a job
 * @job: the job that it belongs to; @id: its number there
 * @device: open, and claimed unless the job only verifies; owned; NULL = a virtual disk
 * @info, @caps: its identity and abilities
 * @out: why it was excluded, untouched, after the user agreed; empty = it is included. Without a
 *	device and a transport it stays in the job, and ends as failed when the job begins
 * @plan: its plan
 * @busy: what its rate is computed from
 * @eta: what its time left is estimated from
 * @end: the end of its work
 * @untold: events that were dropped, engine/news.h
 * @paths: its paths, if it has several; owned, NULL = one
 * @settle: what is settled before its job ends; NULL = nothing
 * @units: the device that it is a unit of, if it erases itself; owned by the job
 * @cycle: its power cycle, once it is due; owned, NULL = not due
 * @witness: the blocks that prove an erasure by the device itself; NULL = there is none
 * @health_before: its health before the work; all zero: not asked for
 * @unhidden: the result of showing its hidden blocks
 */
struct job_disk {
	struct dw_job *job;
	uint32_t id;
	struct dw_device *device;
	struct dw_disk_info info;
	struct dw_caps caps;
	char out[256];
	struct dw_disk_plan plan;
	struct job_choice choice;
	struct job_contents contents;
	struct job_place place;
	struct job_who who;
	struct job_cache cache;
	struct job_steps step;
	struct job_marks kept;
	struct job_earlier earlier;
	struct job_busy busy;
	struct job_eta eta;
	struct job_end end;
	struct job_dropped untold;
	struct job_paths *paths;
	struct job_settle *settle;
	struct job_units *units;
	struct job_cycle *cycle;
	struct job_witness *witness;
	struct dw_health health_before;
	struct dw_unhidden unhidden;
};

/** job_disk_state() - its state in the core; NULL = it has not entered the core. */
const struct dw_disk_state *job_disk_state(const struct job_disk *d);

/** job_disk_plan() - its plan as the core has it. */
const struct dw_disk_plan *job_disk_plan(const struct job_disk *d);

/** job_disk_close() - free what only its work needs, its descriptors first. Nothing is in flight,
 *  and its transport no longer has it. May wait. */
void job_disk_close(struct job_disk *d);

/** job_disk_new() - an empty disk of a job; job_disk_free(), NULL without memory. */
struct job_disk *job_disk_new(struct dw_job *job);

/** job_disk_free() - free a disk, its buffers and its device; nothing is in flight. */
void job_disk_free(struct job_disk *d);

#endif
