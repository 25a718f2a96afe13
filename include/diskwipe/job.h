/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_JOB_H
#define DISKWIPE_JOB_H

/*
 * A job: disks, what is to be done to them, and what came of it. The library owns no
 * loop: call dw_engine_step() whenever dw_engine_fd() is readable, or let it wait. No other
 * call is needed in time: timers make that descriptor readable, too.
 *
 *	dw_job_new() -> dw_job_add() for each disk -> dw_job_start()
 *	-> while (dw_job_step() == 1) dw_job_next_event() ... -> dw_job_result()
 *
 * Threads: one thread at a time may be in the functions of one engine and its jobs; another
 * engine may be in another thread. dw_engine_wake() and the functions dw_task_...() may be
 * called by any thread at the same time, until dw_job_free() is called: these post what they
 * want, and the next step of the engine does it. What has neither in its arguments may be
 * called by any thread at any time.
 *
 * Ownership: the job belongs to the caller, who frees it with dw_job_free(). Arguments are
 * borrowed for the call. What is returned as "malloc'd" is freed by the caller with free();
 * "static" text is never freed; what is "borrowed" from the job lasts until dw_job_free().
 *
 * States: a job is *new* until dw_job_start() succeeds, then *started*, and *finished* when
 * dw_job_step() has returned 0. A start that fails leaves the job new: correct what it names and
 * call it again, or free the job. If it failed with its disks in use already (by anything but
 * "no disk"), no disk can be added any more. No pointer may be NULL unless this page says so. A
 * function without a remark about states may be called in each of them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/background.h>
#include <diskwipe/disk.h>
#include <diskwipe/engine.h>
#include <diskwipe/error.h>
#include <diskwipe/health.h>
#include <diskwipe/level.h>
#include <diskwipe/public.h>
#include <diskwipe/stripe.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_forecast;

enum dw_command_mode { DW_COMMAND_AUTO, DW_COMMAND_WRITE, DW_COMMAND_WRITE_SAME };
enum dw_outcome {
	DW_OUTCOME_NONE, /* not finished */
	DW_OUTCOME_ERASED,
	DW_OUTCOME_EXCEPTIONS,
	DW_OUTCOME_FAILED,
	DW_OUTCOME_STOPPED,
	DW_OUTCOME_REMOVED,
};
enum dw_paths_mode { DW_PATHS_AUTO, DW_PATHS_FIXED, DW_PATHS_DYNAMIC };
/**
 * enum dw_write_cache - what becomes of a volatile write cache that is off
 * @DW_WRITE_CACHE_AUTO: on for the task, where that can be done for the time being and a long pass
 *	may lose revolutions without
 * @DW_WRITE_CACHE_KEEP: it stays off
 * @DW_WRITE_CACHE_ON: on for the task, where that is possible
 */
enum dw_write_cache { DW_WRITE_CACHE_AUTO, DW_WRITE_CACHE_KEEP, DW_WRITE_CACHE_ON };
/**
 * enum dw_unhide - what becomes of blocks that a disk hides: HPA, AMA, DCO, a capacity that was cut
 * @DW_UNHIDE_REPORT: the result tells of them
 * @DW_UNHIDE_RESTORE: they are shown again before the disk is erased, where that can be done
 */
enum dw_unhide { DW_UNHIDE_REPORT, DW_UNHIDE_RESTORE };
/* unsteady: read wrong, and right when it was read again. What differed comes last. */
enum dw_exception_kind { DW_UNWRITABLE, DW_UNREADABLE, DW_MISMATCH, DW_UNSTEADY };
#define DW_MIRROR_MAX 512

/**
 * struct dw_job_spec - what is asked; start from dw_job_spec_init()
 * @strategy: "sequential", "round-robin", "parallel" (default), "longest-first"
 * @active: at most that many disks at once, 0 = no limit
 * @depth: commands at one disk at once, 1..32; 0 (default): "adaptive" finds out, but keeps to
 *	1 where a disk could be swapped unseen (removable, USB, parallel SCSI); others use 1
 * @controller: "adaptive" (default), "fixed", "cache"
 * @fixed_blocks: transfer length of "fixed" in blocks; 0 = the disk's optimum or 1 MiB
 * @controller_buffer: bytes; 0 (default) = not known, "cache" takes 2 MiB
 * @command: enum dw_command_mode
 * @method: name of a method; default "zero"; "auto" chooses one for each disk
 * @level: the least that is to be reached; a disk on which the method does not reach it, or of
 *	"auto" no method, is refused as DW_REFUSAL_PURGE
 * @or_clear: such a disk is cleared instead
 * @allow: what "auto" may use beyond what it uses unasked, separated by commas: "crypto", as only
 *	the maker knows whether the disk has encrypted everything; empty = nothing
 * @pattern: list for a custom method instead of @method; empty = none
 * @hidden: enum dw_unhide
 * @verify, @verify_chosen: what is asked, and what DW_VERIFY_AUTO came to (0 = not yet: _FULL)
 * @verify_percent: of DW_VERIFY_SAMPLE and _DEVICE, (0, 100]; default 1
 * @verify_only: write nothing, compare with the last pass of the method
 * @verify_policy: of two copies' samples: "both" (default), "common", "auto"
 * @mirror: which disks are copies: "DEV,DEV;DEV,DEV", by node, serial number or WWN; or empty
 * @flush_bytes, @flush_seconds: flush at least that often; default 64 GiB, 300 s
 * @write_cache: whether a volatile cache that is off is on for the task
 * @order: "near-first": the blocks near @near are swept last; empty = upwards
 * @near: where other load falls on the disks: "start", "end", "LBA", "LBA-LBA"
 * @reserve: hold a persistent reservation for the job
 * @background: how much of the controllers the job may take; default all
 * @paths: enum dw_paths_mode: of disks with several, keep to one or choose for each command
 * @path_rate: bytes per second that a path carries, for the forecast; 0 = by the kernel
 * @stall_seconds: time one disk may lose to errors and waiting in all; default 600
 * @power_cycle_seconds: wait so long for a disk that nothing flushes to be unplugged; default 0
 * @rules: safety rules
 * @key_file: keep the job's key there (created), or read it (verify_only); empty = none
 * @state_file: write the resume state there at each flush; empty = none
 * @resume_file: continue from that state; empty = start from the beginning
 * @trace_file: write the trace there; empty = none; compressed by zstd when it ends in ".zst"
 * @trace_full: a line for every command, however long the trace becomes; else like commands
 *	that end well share a line after the first two minutes
 * @print_schedule: record H and Q for dw_job_schedule(); @seed: of sampling; 0 = from the kernel
 * @customer, @order_number, @operator_name: for records: whose disks, by which of their orders,
 *	who does it (who resumes a job says that again); empty = not said
 *
 * Flat, as each member is an option by itself: one table has a row for each, by which it is
 * checked, parsed, stored and offered.
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
	enum dw_level level;
	bool or_clear;
	char allow[64];
	char pattern[512];
	enum dw_unhide hidden;
	enum dw_verify_kind verify;
	enum dw_verify_kind verify_chosen;
	double verify_percent;
	bool verify_only;
	char verify_policy[16];
	char mirror[DW_MIRROR_MAX];
	uint64_t flush_bytes;
	uint32_t flush_seconds;
	enum dw_write_cache write_cache;
	char order[16];
	char near[48];
	bool reserve;
	enum dw_paths_mode paths;
	uint64_t path_rate;
	uint32_t stall_seconds;
	uint32_t power_cycle_seconds;
	struct dw_background background;
	struct dw_rules rules;
	char key_file[256];
	char state_file[256];
	char resume_file[256];
	char trace_file[256];
	bool trace_full;
	bool print_schedule;
	uint64_t seed;
	char customer[128];
	char order_number[64];
	char operator_name[128];
};

/**
 * struct dw_paths_forecast - fixed against dynamic, before the start; see dw_job_paths()
 * @devices, @paths: disks with several paths, and connections that they share
 * @transfer: bytes of a command
 * @media_rate: of a disk, bytes per second; 0 = unknown
 * @path_rate: of a connection; 0 = unknown
 * @revolution_ms: lost with each command that comes late; 0 = none: SSD, or write cache on
 * @fixed_rate, @dynamic_rate: of all these disks together; 0 = unknown
 * @fixed_misses, @dynamic_misses: revolutions lost to busy paths, per command
 * @gain: dynamic_rate / fixed_rate - 1
 * @dynamic: what will be done
 * @why: in words, one line
 */
struct dw_paths_forecast {
	uint32_t devices;
	uint32_t paths;
	uint32_t transfer;
	double media_rate;
	double path_rate;
	double revolution_ms;
	double fixed_rate;
	double dynamic_rate;
	double fixed_misses;
	double dynamic_misses;
	double gain;
	bool dynamic;
	char why[256];
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
	char command
		[32]; /* "write", "write-same", "sanitize", or with + several of them */
	double seconds;
	uint64_t bytes;
};

/**
 * struct dw_path_use - what one of several paths did
 * @device: its node
 * @state: "up", "down", "unproven" (there again, not yet used), "foreign" (leads to another
 *	disk)
 * @commands: sent over it
 * @failures: of these, such as it failed to carry
 * @returns: times it failed and came back into use
 */
struct dw_path_use {
	char device[64];
	char state[16];
	uint64_t commands;
	uint64_t failures;
	uint64_t returns;
};

#define DW_RESTORED_MAX 4

/** struct dw_restored - blocks that @by, enum dw_hidden, had hidden, and that are shown */
struct dw_restored {
	uint8_t by;
	uint64_t blocks;
};

/**
 * struct dw_disk_result - what came of one disk
 * @paths, @n_paths: its nodes
 * @path_mode: "fixed" or "dynamic" of a disk with several paths, else empty
 * @path_use, @n_path_use: one for each of several paths
 * @verify_only: it was compared, and not written
 * @reason: why not simply erased, or a remark; empty = none
 * @path: how the commands travelled: "sg mmap", "sd", "io_uring", ...
 * @flush_seconds, @verify_seconds: of @seconds; the rest was writing, or the disk's own work
 * @waited_seconds: of the rest: after its own work, for its turn
 * @mean_bytes_per_second: bytes of writing over the time in which it had commands to write or
 *	flush; of a disk that was not written, of its own work, or of reading
 * @signatures: of file systems and the like that it carried when it was claimed: "gpt, ext4"
 * @started, @finished: when its first command was sent, and it was given back; zero if none was
 * @method: what was done; of "auto" what was chosen
 * @level: "clear" or "purge" of a disk that is erased, else empty
 * @level_reason: of "auto", why it took that method; @level_limit: why not more; both may be empty
 * @medium: what stores its blocks: "magnetic", "flash", "thin", "unknown"
 * @restored, @n_restored: what of it was hidden, and was shown and erased with the rest
 * @hidden_reason: why hidden blocks were not restored; empty = none are, or nobody asked for it
 * @notes: honest limits: "logical content only", "spare blocks are not reached", ...
 * @health_before, @health_after: what it reported before it was claimed and after it was given
 *	back; zero: it was not asked, as it works by itself, is gone, is not SCSI, or was only
 *	verified
 * @left_working: it was given up while its device works on by itself: keep it powered until it ends
 * @purge_requested, @purge_attested: told to purge as IEEE 2883 has it (PREQ); says it did (PRGD)
 * @earlier: a resumed job did not resume it: what came of it before, or REMOVED or STOPPED
 *
 * Flat but for @verify and @errors, as the object of the result document is whose keys it has: the
 * tables of diskwipe-json(5) name a member for each key, and who reads one knows the other.
 */
struct dw_disk_result {
	struct dw_disk_info info;
	char paths[2 * DW_PATHS_MAX][64];
	uint32_t n_paths;
	char path_mode[16];
	struct dw_path_use path_use[DW_PATHS_MAX];
	uint32_t n_path_use;
	bool verify_only;
	enum dw_outcome outcome;
	char reason[256];
	char signatures[128];
	char notes[8][160];
	uint32_t n_notes;
	char method[32];
	char level[16];
	char level_reason[256];
	char level_limit[96];
	char medium[16];
	struct dw_restored restored[DW_RESTORED_MAX];
	uint32_t n_restored;
	char hidden_reason[160];
	char command[32];
	char path[32];
	struct timespec started;
	struct timespec finished;
	double seconds;
	double flush_seconds;
	double verify_seconds;
	double waited_seconds;
	uint64_t bytes_written;
	uint64_t bytes_verified; /* read and found right, of all passes */
	uint64_t bytes_compared; /* read, right or not */
	uint64_t commands;
	double mean_bytes_per_second;
	uint32_t transfer_blocks;
	uint32_t depth;
	struct dw_pass_result *pass;
	uint32_t n_passes;
	struct dw_exception *exception;
	uint32_t n_exceptions;
	struct {
		char mode[24]; /* asked for: "off", "sample:1%", "full" */
		enum dw_verified done;
		uint64_t read; /* blocks of the last pass, read and compared */
		uint64_t samples;
		char seed[17];    /* of the sample, hexadecimal; empty = there was none */
		uint32_t sweeps;  /* samples of their own that these belong to */
		char copies[16];  /* policy in force, when it is a copy; empty = none */
		double simulated; /* of auto: the gain that it saw, share of the time */
		uint64_t blocks;
		uint64_t mismatches;
		double bound; /* share that may differ, at 99 %; 0 = none, 1 = not known */
		bool fua;
		uint32_t places; /* read before and after its own work, and all changed */
		/* the disk's own comparison: differences that were planted, and reported;
		 * blocks that it called right; share of its ranges that it can have
		 * skipped, at 99 %; 0 and empty: it was not asked for */
		uint32_t planted, found;
		uint64_t compared;
		double skipped;
		char not_compared[128]; /* why that counts for nothing: all were read */
	} verify;
	struct {
		uint64_t retried;
		uint64_t split;
		uint64_t timeouts;
		uint64_t resets;
	} errors;
	bool flush_refused; /* SYNCHRONIZE CACHE refused with the write cache off */
	bool write_cache_switched;
	bool left_working, purge_requested, purge_attested;
	bool earlier;
	struct dw_health health_before;
	struct dw_health health_after;
	uint64_t stopped_lba; /* of a stopped disk: everything below is flushed; where the
				 sweep is not upwards, so many blocks of it are */
	uint32_t stopped_pass;
};

/** struct dw_refused - a node that was left out; @serial, @wwn: of its disk, if they are known */
struct dw_refused {
	char device[64];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	struct dw_verdict verdict;
};

/**
 * struct dw_host - the machine on which a job ran; text is empty where it is not known
 * @serial: of the product, by its DMI tables; only root may read it
 * @asset_tag: of the chassis, else of the main board, by its DMI tables
 */
struct dw_host {
	char name[65]; /* of the node */
	char serial[64];
	char asset_tag[64];
	char kernel[65]; /* its release */
};

/** struct dw_job_result - the whole; borrowed from the job
 *  @id: a random UUID of this run, empty before the start; of a simulation it follows from
 *	the seed
 *  @host: empty before the start, and of a simulation
 *  @background: beside other work, if the spec asks for that
 *  @state_error, @trace_error: negative errno: the state file is not of the job's end, as it
 *	could not be written; the trace is not whole. The job goes on without
 *  @simulation: "exact" or "coarse" when no disk was touched; empty = real disks
 *  @forecast: what was expected of it, disks in the same order; borrowed; NULL = nothing */
struct dw_job_result {
	struct dw_paths_forecast paths; /* devices 0: none has several */
	struct dw_job_spec spec;
	char simulation[16];
	char command[32];
	char key_check[17]; /* empty when no keystream was used */
	char id[37];
	struct dw_host host;
	struct timespec started;
	struct timespec finished;
	double seconds;
	enum dw_outcome outcome; /* the worst of the disks'; NONE while running */
	int state_error;
	int trace_error;
	struct dw_background_result background;
	struct dw_disk_result *disk;
	size_t n_disks;
	struct dw_refused *refused;
	size_t n_refused;
	const struct dw_forecast *forecast;
};

enum dw_event_kind {
	DW_EVENT_STARTED,   /* a disk was started */
	DW_EVENT_PASS,      /* a pass or verification begins: pass, phase */
	DW_EVENT_PROGRESS,  /* bounded rate */
	DW_EVENT_NOTICE,    /* text: retry, stall, fall-back, waiting */
	DW_EVENT_EXCEPTION, /* exception */
	DW_EVENT_FLUSHED, /* all below lba is on the medium, as a state file says; it may fall */
	DW_EVENT_DISK_DONE, /* outcome; claim, reservation and settings are given back */
	DW_EVENT_JOB_DONE,
	DW_EVENT_ADDED, /* of dw_task_add(): it is disk number @disk now; text: its node */
	DW_EVENT_REFUSED, /* of dw_task_add(): not taken in; about the job; text: node and why */
	DW_EVENT_PAUSED, /* nothing is on its way, and what was written is on the medium */
	DW_EVENT_RESUMED,
	DW_EVENT_REMAINING, /* of the job, bounded rate; progress.eta_seconds of its last disk */
};

enum dw_phase {
	DW_PHASE_WAITING,
	DW_PHASE_WRITE,
	DW_PHASE_FLUSH,
	DW_PHASE_VERIFY,
	DW_PHASE_REPAIR,
	DW_PHASE_RECOVER,
	DW_PHASE_DONE,
	DW_PHASE_PAUSED,
	DW_PHASE_SANITIZE,
	DW_PHASE_POWER_CYCLE, /* somebody is to unplug it, and plug it in again */
	DW_PHASE_COUNT,
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

#define DW_EVENT_OF_JOB UINT32_MAX /* instead of a disk: it is about the whole job */

struct dw_event {
	enum dw_event_kind kind;
	uint32_t disk;  /* number in the job, order of dw_job_add(); or DW_EVENT_OF_JOB */
	double seconds; /* since the job's start; of DISK_DONE: when its work ended */
	struct dw_progress progress;
	struct dw_exception exception;
	char text[256];
};

struct dw_job;

/** dw_job_spec_init() - the defaults; what was in @spec is lost. */
DW_PUBLIC void dw_job_spec_init(struct dw_job_spec *spec);

/**
 * dw_mirror_names() - name copies by what stays theirs, for a document that is read later
 * @mirror: as in the spec; each node becomes a serial number or WWN where one is that disk's alone
 * @info: the disks of the job
 * @n: their number
 * @err: on failure why
 * Return: 0; -EINVAL: not a list of pairs, a node of none of them, a name of several.
 */
DW_PUBLIC int dw_mirror_names(char mirror[DW_MIRROR_MAX],
			      const struct dw_disk_info *const *info, size_t n,
			      struct dw_error *err);

/**
 * dw_job_new() - check a spec and make an empty job
 * @engine: where it runs, which outlives it; NULL = an engine of its own, which goes with it
 * @spec: copied; what its rules point to is borrowed until dw_job_free()
 * @ret: dw_job_free(); untouched on failure
 * @err: on failure why; a member of @spec that is wrong is its subject. No function of the
 *	library names an option of a program
 *
 * Return: 0; -EINVAL; -ENOMEM; another negative errno of reading the key or the state.
 */
DW_PUBLIC int dw_job_new(struct dw_engine *engine, const struct dw_job_spec *spec,
			 struct dw_job **ret, struct dw_error *err);

/**
 * dw_job_free() - release the disks and free the job with its result
 * @job: in any state; NULL is accepted. One that runs is cut off: commands on their way are
 *	waited for, nothing is flushed. dw_job_stop() and dw_job_step() until 0 come before.
 *	Other jobs of its engine go on. One whose engine has failed keeps what it has borrowed
 *	until that is freed
 */
DW_PUBLIC void dw_job_free(struct dw_job *job);

/**
 * dw_job_add() - claim a disk for the job (verify_only: open it)
 * @want: the disk as it was shown to the user: node, serial, WWN, capacity. The node is
 *	opened again and must still be that disk. All its other nodes are opened and claimed as
 *	well (not with verify_only, which reads through the first). That they lead to one
 *	disk is proven by dw_job_prove(), after the user has consented
 * @ret_verdict: why not, when 1 is returned
 *
 * Return: 0; 1 refused, nothing touched; -EBUSY when the job has started, a start has failed
 *	with its disks in use, or it is simulated; another negative errno.
 */
DW_PUBLIC int dw_job_add(struct dw_job *job, const struct dw_disk *want,
			 struct dw_verdict *ret_verdict);

/**
 * dw_job_expect() - before the start: how long a disk is expected to take
 * @disk: its number, in the order of dw_job_add()
 * @seconds: from its first command to its end; of two disks longest-first takes the one with
 *	more. Only the order counts
 *
 * Return: 0; -EINVAL: there is no such disk; -EBUSY: the job has started.
 */
DW_PUBLIC int dw_job_expect(struct dw_job *job, uint32_t disk, double seconds);

/** dw_job_limit() - before the start: at most @active disks at once, 0 = no limit, instead of
 *  what the spec said. 0; -EBUSY: the job has started. */
DW_PUBLIC int dw_job_limit(struct dw_job *job, uint32_t active);

/**
 * dw_job_group() - before the start: take turns together with other jobs of the engine
 * @group: jobs with the same number are one job where those that wait behind an adapter are
 *	admitted by turns; 0 = by itself
 *
 * Call it before a disk is added.
 *
 * Return: 0; -EBUSY: the job has started.
 */
DW_PUBLIC int dw_job_group(struct dw_job *job, uint32_t group);

/**
 * dw_job_add_units() - as dw_job_add(), of several disks, which are claimed side by side
 * @want: @n disks; those that are taken in are numbered in this order
 * @ret_verdict: @n verdicts; DW_REFUSAL_NONE: it was taken in
 *
 * Return: 0; -EBUSY as dw_job_add(), -ENOMEM: none was touched.
 */
DW_PUBLIC int dw_job_add_units(struct dw_job *job, const struct dw_disk *want, size_t n,
			       struct dw_verdict *ret_verdict);

/**
 * dw_job_paths() - what a forecast of paths has to know, as far as the job knows it
 * @job: has its disks; before the start
 * @ret: devices, paths, transfer, revolution_ms; path_rate by the kernel's word (SAS, FC);
 *	media_rate measured by reading some megabytes of one disk; all zero when no disk has
 *	several paths, and on failure
 *
 * Return: 0; -EBUSY: a start has begun.
 */
DW_PUBLIC int dw_job_paths(struct dw_job *job, struct dw_paths_forecast *ret);

/** dw_job_set_paths() - before the start: do as the forecast says; copied. 0; -EBUSY: a start
 *  has begun. */
DW_PUBLIC int dw_job_set_paths(struct dw_job *job, const struct dw_paths_forecast *f);

/**
 * dw_job_prove() - what can be known only by changing something of the disk
 *
 * Markers are written and read back over the paths of disks with several, stamps at addresses that
 * may be one block, and the write cache of a disk without a command to flush it is switched off.
 * Call after consent; dw_job_start() does what was not done. A disk that fails is not erased: it
 * ends as failed, and is among the refused of dw_job_result() as well, under each of its nodes;
 * nothing but the test blocks was written, and these are put back. It is not proven again.
 *
 * Return: number of disks taken out; -EBUSY: the job has started; another negative errno.
 */
DW_PUBLIC int dw_job_prove(struct dw_job *job);

/** dw_job_refuse() - remember a node that was left out, for the result, whose list of refused
 *  nodes may move; copied. A resumed job finds its disk by @serial and @wwn. 0; -ENOMEM. */
DW_PUBLIC int dw_job_refuse(struct dw_job *job, const struct dw_refused *refused);

/**
 * dw_job_start() - prove paths, check the whole, write the key file, begin
 * @err: on failure why
 *
 * No disk has lost anything when it fails, and it may be called again: a key file that it has
 * written and reservations stay, the files of state and trace are written afresh.
 *
 * It waits for disks and files. Where other jobs of the engine are not to wait meanwhile, start
 * one that has none yet and is held (dw_job_hold()), and add them by dw_task_add(): its key file
 * and its state file are then written when a disk comes, off the loop. A disk is refused if
 * the key cannot be kept.
 *
 * Return: 0; -EINVAL: the job has no disk and is not held, or its settings do not fit the
 *	disks; -EBUSY: no disk is left that may be erased, or another host has reserved one;
 *	-EALREADY: the job has started; another negative errno.
 */
DW_PUBLIC int dw_job_start(struct dw_job *job, struct dw_error *err);

/**
 * dw_job_step() - dw_engine_step() of the job's engine, and whether this job goes on
 * @timeout_ms: as there
 *
 * While the state file cannot be written the job goes on; it ends (0) when the last write has.
 *
 * Return: 1 going on; 0 finished, at every further call as well; -EINVAL: not started; another
 *	negative errno ends the job without a result, and is returned from then on.
 */
DW_PUBLIC int dw_job_step(struct dw_job *job, int timeout_ms);

/** dw_job_engine() - where it runs, for dw_engine_fd(), dw_engine_wake() and dw_engine_step(). */
DW_PUBLIC struct dw_engine *dw_job_engine(struct dw_job *job);

/** dw_job_seconds() - since the job's start, on the clock that its disks live by; 0 before. */
DW_PUBLIC double dw_job_seconds(struct dw_job *job);

/**
 * dw_job_next_event() - the oldest event not yet taken; false = none
 * @ret: the event
 *
 * Events wait as long as it takes: of PROGRESS and of FLUSHED the newest of each disk, of NOTICE
 * and EXCEPTION 64 of each disk, and as many about the job. How many more there were is said by
 * a NOTICE after these.
 */
DW_PUBLIC bool dw_job_next_event(struct dw_job *job, struct dw_event *ret);

/**
 * dw_job_progress() - where a disk stands now
 * @disk: its number, in the order of dw_job_add()
 * @ret: of a job that has not started, and on failure: waiting, nothing done, no forecast
 *
 * Return: 0; -EINVAL: there is no such disk.
 */
DW_PUBLIC int dw_job_progress(struct dw_job *job, uint32_t disk, struct dw_progress *ret);

/**
 * dw_task_add() - take in a disk while others run; from any thread
 * @want: as in dw_job_add(); copied. The user has consented
 *
 * It is opened, claimed and proven by a thread of the job, and then its work begins; what came
 * of that is reported by DW_EVENT_ADDED or DW_EVENT_REFUSED. A disk that is refused is among the
 * refused of dw_job_result() as well. A trace names the disk from then on; in the background it
 * keeps to the share or to the response of the others.
 *
 * Return: 0 posted; -EINVAL: the job has not started; -ESHUTDOWN: it is over; -EBUSY: it is
 *	simulated; -ENOMEM.
 */
DW_PUBLIC int dw_task_add(struct dw_job *job, const struct dw_disk *want);

/**
 * dw_task_pause() - hold a disk; from any thread
 * @disk: its number; one that there is not, or that is done, is left alone
 *
 * What is in flight ends, what was written is flushed, and then DW_EVENT_PAUSED comes. The disk
 * stays claimed, and the job goes on until it is resumed or cancelled.
 *
 * Return: 0 posted; -EINVAL: the job has not started; -ESHUTDOWN: it is over; -ENOMEM.
 */
DW_PUBLIC int dw_task_pause(struct dw_job *job, uint32_t disk);

/** dw_task_resume() - a paused disk goes on, if it still is the same: DW_EVENT_RESUMED. As
 *  dw_task_pause(). */
DW_PUBLIC int dw_task_resume(struct dw_job *job, uint32_t disk);

/** dw_task_cancel() - a disk finishes what is in flight, flushes, ends as stopped and is given
 *  back; the others go on. As dw_task_pause(). */
DW_PUBLIC int dw_task_cancel(struct dw_job *job, uint32_t disk);

/** dw_task_priority() - of the disks that wait behind one adapter, those of this job and of
 *  others, the one with the greatest priority begins first, 0 without this call; one that has
 *  begun goes on. As dw_task_pause(). */
DW_PUBLIC int dw_task_priority(struct dw_job *job, uint32_t disk, int32_t priority);

/** dw_job_hold() - with @on the job does not end when all its disks are done: more may come, by
 *  dw_task_add(), until it is let go (@on = false) or stopped. In any state. */
DW_PUBLIC void dw_job_hold(struct dw_job *job, bool on);

/** dw_job_stop() - finish what is in flight, flush, keep the state, end as stopped: continue with
 *  dw_job_step() until it returns 0. Before the start: the job ends so when it has started,
 *  and writes nothing. After the end: nothing. */
DW_PUBLIC void dw_job_stop(struct dw_job *job);

/** dw_job_abort() - as stop, but do not flush and do not wait longer than needed. In each state
 *  as dw_job_stop(). */
DW_PUBLIC void dw_job_abort(struct dw_job *job);

/** dw_job_result() - what came of it so far; never NULL. After the end it is complete, with what is
 *  @earlier. Borrowed; its lists may move while disks or refused nodes are added. */
DW_PUBLIC const struct dw_job_result *dw_job_result(struct dw_job *job);

/** dw_job_schedule() - H and Q as issued so far; malloc'd; NULL = there is none, or no memory. */
DW_PUBLIC char *dw_job_schedule(struct dw_job *job);

/** dw_job_result_json() - the result document, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_job_result_json(const struct dw_job_result *result);

/**
 * dw_job_report_json() - the result document of a job that may never have begun
 * @result: as far as it goes; NULL = there is no job: "disks" and "refused" are empty
 * @outcome: of the job instead of @result's: "refused", "invalid", "planned"; NULL = its own
 * @error: one line for the key "error"; NULL = no such key
 * @line: as one line {"event":"result", ...} that ends a stream of events
 *
 * Return: malloc'd; NULL on -ENOMEM.
 */
DW_PUBLIC char *dw_job_report_json(const struct dw_job_result *result,
				   const char *outcome, const char *error, bool line);

/** dw_job_begin_json() - the line {"event":"job", ...} that begins a stream of events: who its
 *  disks are, and of the result what is known then; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_job_begin_json(const struct dw_job_result *result);

/** dw_event_json() - one event as one line without newline; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_event_json(const struct dw_event *event,
			      const struct dw_job_result *result);

/** dw_disks_json() - the list document; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_disks_json(const struct dw_disk *disks, size_t n);

/** struct dw_inspected - a disk with its verdict and what it can do; @ways: to erase it, and by
 *  which of them the method "auto" would purge it */
struct dw_inspected {
	struct dw_disk disk;
	struct dw_ways ways;
	struct dw_inspection can;
};

/** struct dw_set_report - a stripe set and what the models say of it */
struct dw_set_report {
	const struct dw_stripe *set;
	struct dw_stripe_advice advice;
};

/** struct dw_inspect_report - disks, refused nodes, and stripe sets that were named; borrowed */
struct dw_inspect_report {
	const struct dw_inspected *disk;
	size_t n;
	const struct dw_refused *refused;
	size_t n_refused;
	const struct dw_set_report *set;
	size_t n_sets;
};

/** dw_inspected_json() - the inspect document, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_inspected_json(const struct dw_inspect_report *report);

/** dw_outcome_name() - "erased", "erased-with-exceptions", ...; static. A job that only
 *  compared (@verify_only) erased nothing: "as-expected", "not-as-expected". */
DW_PUBLIC const char *dw_outcome_name(enum dw_outcome o, bool verify_only);

/** dw_verified_name() - "none", "part", "sample", "full"; static. */
DW_PUBLIC const char *dw_verified_name(enum dw_verified v);

/** dw_verified_text() - the same with figures: "sample: 1,234 of 60,000 blocks; at most 0.3 %
 *  of the blocks may differ, 99 % confidence"; returns @buf. */
DW_PUBLIC const char *dw_verified_text(const struct dw_disk_result *disk, char *buf,
				       size_t size);

/** dw_exception_name() - "unwritable", "unreadable", "mismatch", "unsteady"; static. */
DW_PUBLIC const char *dw_exception_name(enum dw_exception_kind k);

/** dw_phase_name() - "writing", ...; static. */
DW_PUBLIC const char *dw_phase_name(enum dw_phase p);

/** dw_job_exit_code() - 0 all erased; 3 some of several not; 4 none; 6 stopped; 5 mismatch. */
DW_PUBLIC int dw_job_exit_code(const struct dw_job_result *result);

/** struct dw_method_info - a row of the method table, for help; @verify: 0 = differs by disk */
struct dw_method_info {
	const char *name, *title, *worth;
	uint32_t n_passes;
	char passes[256]; /* "00 ff random" */
	uint8_t verify,
		verify_percent; /* unless the job asks for more; 0 = that of the job */
};

/** dw_method_info_get() - row @i; false after the last. */
DW_PUBLIC bool dw_method_info_get(size_t i, struct dw_method_info *ret);

/** dw_strategy_names() - NULL-terminated list of strategies; static. */
DW_PUBLIC const char *const *dw_strategy_names(void);

/** dw_controller_names() - NULL-terminated list of controllers; static. */
DW_PUBLIC const char *const *dw_controller_names(void);

#ifdef __cplusplus
}
#endif

#endif
