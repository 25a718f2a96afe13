/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_DISK_H
#define DW_ENGINE_DISK_H

/* A disk of a job. */
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

#define EXCEPTION_LIMIT 65536 /* blocks of a disk */

/** enum job_begin - of a command that is the whole erasure: it is on record before it goes out */
enum job_begin {
	JOB_BEGIN_NONE,
	JOB_BEGIN_ASKED,   /* it waits for the next state file */
	JOB_BEGIN_WRITTEN, /* it is in the file that is being written */
	JOB_BEGIN_KEPT,
};

/**
 * struct job_marks - of a disk, for the state file
 * @flushed: the newest mark that no state file has, if @is_flushed; @durable: the one in the
 *	file that is being written, if @is_durable
 * @begin: enum job_begin: whether the state file has that @begin_op was to go out
 * @told: what came of it; owned, NULL = it has not ended
 */
struct job_marks {
	struct dw_event flushed;
	struct dw_event durable;
	bool is_flushed;
	bool is_durable;
	uint8_t begin;
	struct dw_op begin_op;
	char *told;
};

/**
 * struct job_place - where a disk is, and hangs
 * @unit: number of a virtual disk in its transport, @pass_ns: about what a pass of it takes
 * @transport, @handle: where its commands go, once it is @attached
 * @number: in the core, if it has @entered that, on @link
 * @adapter: what it hangs on: disks with the same text share that
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
};

/**
 * struct job_choice - how a disk is erased, beside its plan
 * @method: the job's, or of one that chooses what was chosen; static or the job's; NULL = not yet
 * @level: what that reaches; @reason: why it was chosen, empty = it was named
 * @zones: of its plan, if it is host-managed; owned
 * @expect: seconds it is expected to take, for the order of longest-first; 0 = unknown
 * @same_failed: WRITE SAME failed when it was tried, or did nothing: done by WRITE
 */
struct job_choice {
	const struct dw_method *method;
	enum dw_level level;
	char reason[256];
	struct dw_zones *zones;
	double expect;
	bool same_failed;
};

/**
 * struct job_contents - what is written to a disk, and compared with it
 * @source: contents of each pass, NULL = not needed by this run
 * @buffer: free buffers of @buffer_bytes each, a stack; any thread, under @lock
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
 * @entry: its entry in the state file of the job that is resumed, or NULL; @resume: the same while
 *	that is continued
 * @begun_anew: the medium did not hold what the state says
 */
struct job_earlier {
	const struct dw_state_entry *entry;
	const struct dw_state_entry *resume;
	bool begun_anew;
};

/**
 * struct job_cache - the write cache of a disk
 * @switched: for the job, to be restored
 * @off: to be done with the write cache off: no command flushes it
 * @unflushed: nothing flushes it, and no write goes past it: what is written is not proven
 */
struct job_cache {
	bool switched;
	bool off;
	bool unflushed;
};

/**
 * struct job_who - is a disk still the one that was claimed?
 * @name: its serial number and WWN
 * @reset_told: a command of ours told of a reset, or got lost, since it was last identified
 * @reset_heard: the kernel told of one since then, or an identification met one
 * @doubted: the kernel told of something since it was last identified; set in the loop, read
 *	in the disk's threads
 * @exchangeable: a unit attention or an event left open whether it is the same; never forgotten
 * @stranger: another disk answered, or one that cannot be told from another
 * @watch: what it told of itself when it was last known to be the same
 * @write_errors: told to commands of ours since then: a write or a flush that failed
 * @lease: what its transport holds to
 */
struct job_who {
	char name[DW_SERIAL_MAX + DW_WWN_MAX + 2];
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
 * struct job_steps - what is done with a disk, and not done again
 * @proven, @prepared: also when a start that failed is repeated
 * @stopping: it is being stopped: it is not told to erase itself any more
 * @sealed: it was unplugged, and gets no permit to be written to any more
 * @released: it has been given back, and its outcome told
 */
struct job_steps {
	bool proven;
	bool prepared;
	bool stopping;
	bool sealed;
	bool released;
};

/**
 * struct job_disk - a disk of a job
 * @job: whose it is; @id: its number there
 * @device: opened, and claimed unless the job only verifies; owned; NULL = a virtual disk
 * @info, @caps: what it is and can do
 * @out: why it was taken out after consent, untouched; empty = it is in. Without a device
 *	and without a transport it stays in the job, and ends as failed when that begins
 * @busy: for its rate
 * @eta: for the time that is left
 * @end: of its work
 * @paths: of a disk with several; owned, NULL = one
 * @units: of one that erases itself: its device, and the others that are units of it; the job's
 * @cycle: its loss of power, once that is due; owned, NULL = it is not
 * @unhidden: what came of showing its hidden blocks
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
	struct job_untold untold;
	struct job_paths *paths;
	struct job_settle *settle; /* NULL = nothing to settle */
	struct job_units *units;
	struct job_cycle *cycle;
	struct job_witness *witness;    /* NULL = its device did nothing by itself */
	struct dw_health health_before; /* all zero: it was not asked */
	struct dw_unhidden unhidden;
};

/** job_disk_state() - where it stands, once it has entered the core. */
const struct dw_disk_state *job_disk_state(const struct job_disk *d);

/** job_disk_plan() - its plan, as the core has it. */
const struct dw_disk_plan *job_disk_plan(const struct job_disk *d);

/** job_disk_close() - nothing is in flight any more, and its transport has forgotten it: free
 *  what only its work needs, its descriptors first of all. May wait. */
void job_disk_close(struct job_disk *d);

/** job_disk_new() - an empty disk of a job; job_disk_free(), NULL without memory. */
struct job_disk *job_disk_new(struct dw_job *job);

/** job_disk_free() - free a disk, its buffers and its device; nothing is in flight. */
void job_disk_free(struct job_disk *d);

#endif
