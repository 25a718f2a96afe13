/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_JOB_H
#define DISKWIPE_JOB_H

/*
 * A job: disks, what is to be done to them, and what came of it. The library owns no
 * loop: poll dw_job_fd() and call dw_job_step(), or let dw_job_step() wait.
 *
 *	dw_job_new() -> dw_job_add() for each disk -> dw_job_start()
 *	-> while (dw_job_step() == 1) dw_job_next_event() ... -> dw_job_result()
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/disk.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dw_command_mode { DW_COMMAND_AUTO, DW_COMMAND_WRITE, DW_COMMAND_WRITE_SAME };
enum dw_verify_kind {
	DW_VERIFY_KIND_DEFAULT,
	DW_VERIFY_KIND_OFF,
	DW_VERIFY_KIND_SAMPLE,
	DW_VERIFY_KIND_FULL
};
enum dw_outcome {
	DW_OUTCOME_NONE, /* not finished */
	DW_OUTCOME_ERASED,
	DW_OUTCOME_EXCEPTIONS,
	DW_OUTCOME_FAILED,
	DW_OUTCOME_STOPPED,
	DW_OUTCOME_REMOVED,
};
enum dw_exception_kind { DW_UNWRITABLE, DW_UNREADABLE, DW_MISMATCH };

/**
 * struct dw_job_spec - what is asked; start from dw_job_spec_init()
 * @strategy: "sequential", "round-robin", "parallel" (default), "longest-first"
 * @active: at most that many disks at once, 0 = no limit
 * @depth: commands at one disk at once, 1..32
 * @controller: "fixed" (default), "cache"
 * @fixed_blocks: transfer length of "fixed" in blocks; 0 = the disk's optimum or 1 MiB
 * @controller_buffer: bytes, for "cache"; default 2 MiB
 * @command: enum dw_command_mode
 * @method: name of a method; default "zero"
 * @pattern: list for a custom method instead of @method; empty = none
 * @verify: enum dw_verify_kind
 * @verify_percent: of DW_VERIFY_KIND_SAMPLE, (0, 100]; default 1
 * @verify_only: write nothing, compare with the last pass of the method
 * @flush_bytes, @flush_seconds: flush at least that often; default 64 GiB, 300 s
 * @write_cache_on: switch the volatile cache on for the job
 * @reserve: hold a persistent reservation for the job
 * @stall_seconds: time one disk may lose to errors and waiting in all; default 600
 * @rules: safety rules
 * @key_file: keep the job's key there (created), or read it (verify_only); empty = none
 * @state_file: write the resume state there at each flush; empty = none
 * @resume_file: continue from that state; empty = start anew
 * @trace_file: write the trace there; empty = none
 * @print_schedule: record H and Q for dw_job_schedule()
 * @seed: of sampling; 0 = from the kernel
 */
struct dw_job_spec {
	char strategy[24];
	uint32_t active;
	uint32_t depth;
	char controller[24];
	uint32_t fixed_blocks;
	uint64_t controller_buffer;
	enum dw_command_mode command;
	char method[32];
	char pattern[512];
	enum dw_verify_kind verify;
	double verify_percent;
	bool verify_only;
	uint64_t flush_bytes;
	uint32_t flush_seconds;
	bool write_cache_on;
	bool reserve;
	uint32_t stall_seconds;
	struct dw_rules rules;
	char key_file[256];
	char state_file[256];
	char resume_file[256];
	char trace_file[256];
	bool print_schedule;
	uint64_t seed;
};

/** struct dw_exception - logical blocks that are not known to be erased */
struct dw_exception {
	uint64_t lba;
	uint64_t blocks;
	enum dw_exception_kind kind;
	char sense[16]; /* "3/0c/00", empty = none */
};

/** struct dw_pass_result - one pass of one disk; pattern as in dw_methods */
struct dw_pass_result {
	char pattern[16];
	char command[24]; /* "write", "write-same", "write-same+write" */
	double seconds;
	uint64_t bytes;
};

/**
 * struct dw_disk_result - what came of one disk
 * @reason: why not simply erased, or a remark; empty = none
 * @path: how the commands travelled: "sg mmap", "sd", "io_uring", ...
 * @notes: honest limits: "logical content only", "spare blocks are not reached", ...
 */
struct dw_disk_result {
	struct dw_disk_info info;
	char paths[4][64];
	uint32_t n_paths;
	enum dw_outcome outcome;
	char reason[256];
	char notes[4][160];
	uint32_t n_notes;
	char method[32];
	char command[24];
	char path[32];
	double seconds;
	uint64_t bytes_written;
	uint64_t bytes_verified;
	uint64_t commands;
	double mean_bytes_per_second;
	uint32_t transfer_blocks;
	uint32_t depth;
	struct dw_pass_result *pass;
	uint32_t n_passes;
	struct dw_exception *exception;
	uint32_t n_exceptions;
	struct {
		char mode[24]; /* "off", "sample:1%", "full" */
		uint64_t samples;
		uint64_t blocks;
		uint64_t mismatches;
		double bound; /* share of blocks that may differ, 99 % confidence; 0 = full */
		bool fua;
	} verify;
	struct {
		uint64_t retried;
		uint64_t split;
		uint64_t timeouts;
		uint64_t resets;
	} errors;
	bool flush_refused; /* SYNCHRONIZE CACHE refused with the write cache off */
	bool write_cache_switched;
	uint64_t stopped_lba; /* of a stopped disk: everything below is flushed */
	uint32_t stopped_pass;
};

/** struct dw_refused - a node that was left out */
struct dw_refused {
	char device[64];
	struct dw_verdict verdict;
};

/** struct dw_job_result - the whole; borrowed from the job
 *  @simulation: "exact" or "coarse" when no disk was touched; empty = real disks */
struct dw_job_result {
	struct dw_job_spec spec;
	char simulation[16];
	char command[24];
	char key_check[17]; /* empty when no keystream was used */
	struct timespec started;
	struct timespec finished;
	double seconds;
	enum dw_outcome outcome; /* the worst of the disks'; NONE while running */
	struct dw_disk_result *disk;
	size_t n_disks;
	struct dw_refused *refused;
	size_t n_refused;
};

enum dw_event_kind {
	DW_EVENT_STARTED,   /* a disk was started */
	DW_EVENT_PASS,      /* a pass or verification begins: pass, phase */
	DW_EVENT_PROGRESS,  /* bounded rate */
	DW_EVENT_NOTICE,    /* text: retry, stall, fall-back, waiting */
	DW_EVENT_EXCEPTION, /* exception */
	DW_EVENT_FLUSHED,   /* everything below lba of this pass is on the medium */
	DW_EVENT_DISK_DONE, /* outcome */
	DW_EVENT_JOB_DONE,
};

enum dw_phase {
	DW_PHASE_WAITING,
	DW_PHASE_WRITE,
	DW_PHASE_FLUSH,
	DW_PHASE_VERIFY,
	DW_PHASE_REPAIR,
	DW_PHASE_RECOVER,
	DW_PHASE_DONE
};

/**
 * struct dw_progress - where one disk stands
 * @bytes_done, @bytes_total: over all passes and verifications
 * @rate: bytes per second over the last seconds
 * @eta_seconds: until this disk is finished; negative = unknown
 */
struct dw_progress {
	enum dw_phase phase;
	uint32_t pass;
	uint32_t n_passes;
	uint64_t lba;
	uint64_t bytes_done;
	uint64_t bytes_total;
	double rate;
	double eta_seconds;
	uint64_t errors;
	uint32_t exceptions;
	uint32_t transfer_blocks;
	uint32_t depth;
	enum dw_outcome outcome;
};

struct dw_event {
	enum dw_event_kind kind;
	uint32_t disk;  /* number in the job, order of dw_job_add() */
	double seconds; /* since the job's start */
	struct dw_progress progress;
	struct dw_exception exception;
	char text[256];
};

struct dw_job;

/** dw_job_spec_init() - the defaults. */
void dw_job_spec_init(struct dw_job_spec *spec);

/**
 * dw_job_new() - check a spec and make an empty job
 * @err: one line what is wrong and what to do, on -EINVAL
 * Return: 0; -EINVAL; -ENOMEM.
 */
int dw_job_new(const struct dw_job_spec *spec, struct dw_job **ret, char err[256]);
void dw_job_free(struct dw_job *job);

/**
 * dw_job_add() - claim a disk for the job (verify_only: open it)
 * @want: the disk as it was shown to the user: node, serial, WWN, capacity. The node is
 *	opened anew and must still be that disk
 * @ret_verdict: why not, when 1 is returned
 * Return: 0; 1 refused, nothing touched; negative errno.
 */
int dw_job_add(struct dw_job *job, const struct dw_disk_info *want,
	       struct dw_verdict *ret_verdict);

/** dw_job_refuse() - remember a node that was left out, for the result. */
int dw_job_refuse(struct dw_job *job, const char *device, const struct dw_verdict *v);

/** dw_job_start() - check the whole, write the key file, begin. 0 or negative errno with
 *  @err. Nothing has been written to a disk when it fails. */
int dw_job_start(struct dw_job *job, char err[256]);

/** dw_job_step() - do what is to be done; waits up to @timeout_ms (-1 = no limit) for
 *  something to happen. Return: 1 going on, 0 finished, negative errno. */
int dw_job_step(struct dw_job *job, int timeout_ms);

/** dw_job_seconds() - since the job's start, on the clock that its disks live by. */
double dw_job_seconds(struct dw_job *job);

/** dw_job_fd() - readable when dw_job_step() has something to do; also call it once every
 *  100 ms. */
int dw_job_fd(struct dw_job *job);

/** dw_job_next_event() - the oldest event not yet taken; false = none. */
bool dw_job_next_event(struct dw_job *job, struct dw_event *ret);

/** dw_job_progress() - where a disk stands now. */
void dw_job_progress(struct dw_job *job, uint32_t disk, struct dw_progress *ret);

/** dw_job_stop() - finish what is in flight, flush, keep the state, end as stopped. */
void dw_job_stop(struct dw_job *job);

/** dw_job_abort() - as stop, but do not flush and do not wait longer than needed. */
void dw_job_abort(struct dw_job *job);

/** dw_job_wake() - make a waiting dw_job_step() return; async-signal-safe. */
void dw_job_wake(struct dw_job *job);

/** dw_job_result() - what came of it; valid until dw_job_free(); complete after the end. */
const struct dw_job_result *dw_job_result(struct dw_job *job);

/** dw_job_schedule() - H and Q as they were issued, as text; malloc'd, NULL = not recorded. */
char *dw_job_schedule(struct dw_job *job);

/** dw_job_result_json() - the result document, schema 1; malloc'd; NULL on -ENOMEM. */
char *dw_job_result_json(const struct dw_job_result *result);

/**
 * dw_job_report_json() - the result document of a job that may never have begun
 * @result: as far as it goes; NULL = there is no job: "disks" and "refused" are empty
 * @outcome: of the job instead of @result's: "refused", "invalid", "planned"; NULL = its own
 * @error: one line for the key "error"; NULL = no such key
 * @line: as one line {"event":"result", ...} that ends a stream of events
 *
 * Return: malloc'd; NULL on -ENOMEM.
 */
char *dw_job_report_json(const struct dw_job_result *result, const char *outcome,
			 const char *error, bool line);

/** dw_event_json() - one event as one line without newline; malloc'd. */
char *dw_event_json(const struct dw_event *event, const struct dw_job_result *result);

/** dw_disks_json() - the list document, schema 1; malloc'd. */
char *dw_disks_json(const struct dw_disk *disks, size_t n);

/** struct dw_inspected - a disk with its verdict and what it can do */
struct dw_inspected {
	struct dw_disk disk;
	struct dw_inspection can;
};

/** dw_inspected_json() - the inspect document, schema 1, with the nodes that were refused;
 *  malloc'd; NULL on -ENOMEM. */
char *dw_inspected_json(const struct dw_inspected *disks, size_t n,
			const struct dw_refused *refused, size_t n_refused);

/** dw_outcome_name() - "erased", "erased-with-exceptions", ...; static. */
const char *dw_outcome_name(enum dw_outcome o);

/** dw_exception_name() - "unwritable", "unreadable", "mismatch"; static. */
const char *dw_exception_name(enum dw_exception_kind k);

/** dw_phase_name() - "writing", "verifying", ...; static. */
const char *dw_phase_name(enum dw_phase p);

/** dw_job_exit_code() - 0 all erased; 3 some of several not; 4 all not; 5 mismatch (over 3
 *  and 4); 6 stopped. */
int dw_job_exit_code(const struct dw_job_result *result);

/** struct dw_method_info - a row of the method table, for help and lists */
struct dw_method_info {
	const char *name;
	const char *title;
	const char *worth;
	uint32_t n_passes;
	char passes[256]; /* "00 ff random" */
};

/** dw_method_info_get() - row @i; false after the last. */
bool dw_method_info_get(size_t i, struct dw_method_info *ret);

/** dw_strategy_names() - NULL-terminated list of strategies; static. */
const char *const *dw_strategy_names(void);

/** dw_controller_names() - NULL-terminated list of controllers; static. */
const char *const *dw_controller_names(void);

#ifdef __cplusplus
}
#endif

#endif
