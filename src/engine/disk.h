/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_DISK_H
#define DW_ENGINE_DISK_H

/* A disk of a job. */
#include <pthread.h>
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
