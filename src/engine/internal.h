/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_INTERNAL_H
#define DW_ENGINE_INTERNAL_H

/* What the files of the engine share: the job with its disks and slots. */
#include "core/core.h"
#include "data/data.h"
#include "device/device.h"
#include "device/identity.h"
#include "diskwipe/job.h"
#include "engine/virtual.h"
#include "plan/method.h"
#include "plan/plan.h"
#include "report/state.h"
#include "report/trace.h"
#include "transport/transport.h"

/**
 * struct job_disk - a disk of the job
 * @device: opened, and claimed unless the job only verifies; owned; NULL = a virtual disk
 * @info, @caps: what it is and can do
 * @unit: number of a virtual disk in its transport
 * @transport, @handle: where its commands go
 * @source: contents of each pass, NULL = not needed by this run
 * @buffer: free buffers of @buffer_bytes each, a stack
 * @resume: entry of the state file that is continued, or NULL
 */
struct job_disk {
	struct dw_device *device;
	struct dw_disk_info info;
	struct dw_caps caps;
	int unit;
	struct dw_transport *transport;
	uint32_t handle;
	uint32_t id;
	char identity[DW_SERIAL_MAX + DW_WWN_MAX + 2];
	struct dw_disk_plan plan;
	struct dw_source *source[DW_PASSES_MAX];
	void **buffer;
	uint32_t n_buffers;
	uint32_t cap_buffers;
	size_t buffer_bytes;
	const struct dw_state_entry *resume;
	bool write_cache_switched;
	bool ended;
};

/**
 * struct job_slot - one op on its way
 * @found: what the comparison of a READ found
 * @compare_error: negative errno of the comparison
 * @identify: state of an identification
 * @reset_seen: it met a unit attention that tells of a reset
 * @attention: it met another one, or all zero
 * @first_ns: when it began
 */
struct job_slot {
	struct dw_op op;
	struct dw_cmd cmd;
	struct dw_source *source;
	void *buffer;
	struct dw_identify *identify;
	bool reset_seen;
	struct dw_result attention;
	uint64_t first_ns;
	int compare_error;
	struct dw_result found;
};

struct dw_job {
	struct dw_job_spec spec;
	struct dw_method method;
	struct dw_key key;
	bool has_key;
	bool started;
	bool stopping;
	bool over;
	struct dw_core *core;
	struct dw_workers *workers;
	struct dw_transport *scsi;
	struct dw_transport *block;
	struct dw_virtual virtual;
	const char *block_name;
	struct job_disk **disk;
	uint32_t n_disks;
	struct job_slot **slot;
	uint32_t n_slots;
	struct dw_result *local; /* results that need no transport */
	uint32_t n_local, cap_local;
	struct dw_event *event;
	uint32_t event_head, event_n, event_cap;
	struct dw_trace *trace;
	struct dw_state_doc resume;
	bool resuming;
	uint64_t start_ns;
	struct dw_job_result result;
	int error;
	int epoll_fd; /* both transports' descriptors */
};

/** job_take_disk() - plan a disk whose facts are known and hand it to the core; 0, 1 refused
 *  with @ret_verdict, -errno. */
int job_take_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_time_of_day() - the wall clock; a virtual job has one of its own. */
struct timespec job_time_of_day(const struct dw_job *job, uint64_t now_ns);

/** job_plan_method() - the method of the spec; 0, or -EINVAL with @err. */
int job_plan_method(struct dw_job *job, char err[256]);

/** job_plan_disk() - the plan of one disk; 0, 1 refused with @ret_verdict, -errno. */
int job_plan_disk(struct dw_job *job, struct job_disk *d, struct dw_verdict *ret_verdict);

/** job_plan_sources() - contents of the passes that this run needs; 0 or -errno. */
int job_plan_sources(struct dw_job *job, struct job_disk *d);

/** job_plan_expected_ns() - a rough time to finish, for longest-first. */
uint64_t job_plan_expected_ns(const struct job_disk *d);

/** job_submit() - turn an op into a command and hand it to the disk's transport; -errno. */
int job_submit(struct dw_job *job, const struct dw_op *op);

/** job_complete() - turn a completion into a result and give it to the core; -errno. */
int job_complete(struct dw_job *job, const struct dw_completion *done);

/** job_disk_free() - free a disk, its buffers and its device; nothing is in flight. */
void job_disk_free(struct job_disk *d);

/** job_local_result() - a result that needs no transport, for the next round; 0, -ENOMEM. */
int job_local_result(struct dw_job *job, const struct dw_result *result);

/** job_take_events() - core events to public ones, outcomes, state file; -errno. */
int job_take_events(struct dw_job *job);

/** job_exceptions() - the faults of a disk as public exceptions; free(@ret); 0, -ENOMEM. */
int job_exceptions(const struct dw_disk_state *st, struct dw_exception **ret,
		   size_t *ret_n);

/** job_outcome() - what came of a disk that has ended: the one place that says "erased". */
void job_outcome(struct dw_job *job, struct job_disk *d);

/** job_result_deinit() - free what a result owns. */
void job_result_deinit(struct dw_job_result *r);

/** job_final() - the job's outcome from its disks'. */
void job_final(struct dw_job *job);

/** job_resume_load() - read the state file that is to be continued; 0, -errno with @err. */
int job_resume_load(struct dw_job *job, char err[256]);

/** job_resume_find() - the entry of a disk by its identity, or NULL. */
const struct dw_state_entry *job_resume_find(const struct dw_job *job,
					     const struct dw_disk_info *info);

/** job_state_store() - write the state file, if there is to be one; 0 or -errno. */
int job_state_store(struct dw_job *job);

#endif
