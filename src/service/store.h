/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_STORE_H
#define DW_SERVICE_STORE_H

/*
 * What must outlive the service: jobs, disks, attempts, progress, and who asked for what. One
 * SQLite file, of which this process is the only user. A function that returns 0 has what it was
 * given on the medium (WAL, synchronous=FULL); nobody is informed before that.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#include "outcome.h"

struct store;

/**
 * struct store_caller - who asks, as the kernel and the bus tell it
 * @uid, @pid: of the process; UINT32_MAX, 0 = the service itself
 * @loginuid: who logged in, UINT32_MAX = nobody, or not known
 * @comm: name of the process; @bus: its name on the bus, empty on the socket
 */
struct store_caller {
	uint32_t uid;
	uint32_t pid;
	uint32_t loginuid;
	char comm[32];
	char bus[64];
};

#define JOB_OPTIONS 2048 /* bytes of all options of a job */

/**
 * struct store_job - a row of jobs
 * @id: UUID
 * @submitted, @ended: microseconds since the epoch; @ended 0 = it continues
 * @uid, @loginuid: of struct store_caller
 * @options: "KEY=VALUE\n" for each member of the spec that was asked for
 * @note: a remark, which store_submit() puts into the audit trail; not read again
 * @paused, @cancelled: it was asked to be
 * @number: of the row
 */
struct store_job {
	char id[37];
	uint64_t submitted;
	uint64_t ended;
	uint32_t uid;
	uint32_t loginuid;
	int32_t priority;
	char label[64];
	char options[JOB_OPTIONS];
	char note[256];
	bool paused;
	bool cancelled;
	int64_t number;
};

/**
 * struct store_attempt - a row of attempts: one disk of a job, from its beginning to its end
 * @id: number of the row
 * @job: UUID
 * @disk: number of the disk's row
 * @identity: serial, WWN, capacity, vendor, model and block size of the disk
 * @signatures: it carried when the job was submitted
 * @expected: seconds it was forecast to take by itself, 0 = unknown
 * @started, @ended: microseconds since the epoch, 0 = not yet
 * @code: exit code that it alone would give
 * @start_erased: the beginning of the disk was on the medium, as far as progress is on record
 * @max_temperature: the highest that was seen, degrees Celsius, DW_TEMPERATURE_UNKNOWN
 * @heat_us: it was paused for so long because the disk was too hot
 * @health_before, @health_after: as dw_health_text() has it
 * @do_not_reuse: it has ended, and the disk reported that it fails
 * @left_working: the disk was left at work by itself; of one that continues: an earlier attempt
 *	left
 *	it so
 * @asset: tag that the disk's owner gave it; empty = not said
 */
struct store_attempt {
	int64_t id;
	char job[37];
	int64_t disk;
	struct dw_disk_info identity;
	char bay[64];
	char signatures[128];
	double expected;
	uint64_t started;
	uint64_t ended;
	enum svc_outcome outcome;
	char reason[256];
	int code;
	bool paused;
	bool cancelled;
	int32_t max_temperature;
	uint64_t heat_us;
	char health_before[128];
	char health_after[128];
	bool do_not_reuse;
	bool left_working;
	bool start_erased;
	char asset[DW_ASSET_MAX];
};

/** struct store_mark - how far an attempt has come */
struct store_mark {
	int64_t attempt;
	uint64_t at;
	uint32_t pass;
	uint64_t bytes;
	uint64_t total;
	uint32_t flushed_pass;
	uint64_t flushed_lba;
};

/**
 * struct store_filter - which records; zero = all
 * @since, @until: of the end, or of the start of what continues
 * @disk: number of its row
 * @limit: at most so many, the newest
 */
struct store_filter {
	uint64_t since;
	uint64_t until;
	char serial[DW_SERIAL_MAX];
	char bay[64];
	char outcome[32];
	char job[37];
	int64_t disk;
	uint32_t limit;
};

/** struct store_record - an attempt and its job, for people */
struct store_record {
	struct store_attempt attempt;
	struct store_job job;
};

#define STORE_NOTE 600

/**
 * store_open() - open, make or upgrade the file
 * @path: it; what lies there and is damaged is kept beside it, and a new one begun
 * @ret: store_close()
 * @note: what people have to know, or why it failed; empty = nothing
 *
 * Return: 0; -EBUSY: another service has it; another negative errno.
 */
int store_open(const char *path, struct store **ret, char note[STORE_NOTE]);

/**
 * store_look() - open the file to read it only
 *
 * Return: 0; -EBUSY: a service has it; -EPROTO: it is of another version; another negative errno.
 */
int store_look(const char *path, struct store **ret, char note[STORE_NOTE]);

/**
 * store_claim() - the file is of a simulated station, or of a real one, and stays that
 * @s: just opened; a new one becomes what is wanted
 *
 * Return: 0; -EBUSY: it is of the other kind; another negative errno.
 */
int store_claim(struct store *s, bool simulated);

/** store_close() - NULL is accepted. */
void store_close(struct store *s);

/** store_error() - why the last call failed, in words; static until the next call. */
const char *store_error(const struct store *s);

/**
 * store_disk() - a disk is known from now on
 * @info: who it is
 * @bay: where it was seen, empty = nowhere in particular
 * @used_here: this machine uses it; remembered for good
 * @ret: number of its row
 * @ret_used: it was used by this machine, now or before
 */
int store_disk(struct store *s, const struct dw_disk_info *info, const char *bay,
	       bool used_here, uint64_t now, int64_t *ret, bool *ret_used);

/** store_submit() - a job, its attempts and the audit row, all or nothing; fills in the ids of
 *  the attempts. 0 or -errno. */
int store_submit(struct store *s, const struct store_job *job,
		 struct store_attempt *attempt, size_t n, const struct store_caller *who);

/** store_again() - one more attempt of a disk of a job that may have ended. 0 or -errno. */
int store_again(struct store *s, struct store_attempt *attempt, uint64_t now);

/** store_begin() - an attempt begins, in that bay. 0 or -errno. */
int store_begin(struct store *s, int64_t attempt, const char *bay, uint64_t now);

/** store_health() - how the disk of an attempt that continues was, and is: its health before, its
 *  maximum temperature, and how long it stood for that. 0 or -errno. */
int store_health(struct store *s, const struct store_attempt *a);

/** store_end() - an attempt has ended; @json: its result document, NULL = none. 0 or -errno. */
int store_end(struct store *s, const struct store_attempt *a, const char *json);

/** store_job_end() - a job has ended, or continues if @now is 0. 0 or -errno. */
int store_job_end(struct store *s, const char *id, uint64_t now);

/** store_job_ask() - what was asked of a job: its priority, and whether it or one attempt (not
 *  0) is paused or cancelled; with the audit row. 0 or -errno. */
int store_job_ask(struct store *s, const struct store_job *job,
		  const struct store_attempt *attempt, const char *what,
		  const struct store_caller *who, uint64_t now);

/** store_marks() - how far @n attempts have come, in one transaction. 0 or -errno. */
int store_marks(struct store *s, const struct store_mark *mark, size_t n);

/** store_audit() - @what happened, to which job (NULL = none), in words. 0 or -errno. */
int store_audit(struct store *s, const struct store_caller *who, const char *what,
		const char *job, const char *text, uint64_t now);

/** struct store_trail - the audit trail: @begun: when its first row was written, microseconds since
 *  the epoch; @last: number of its last row; 0 = it has none */
struct store_trail {
	uint64_t begun;
	uint64_t last;
};

/** store_trail() - how far the audit trail goes. 0 or -errno. */
int store_trail(struct store *s, struct store_trail *ret);

/** store_each_audit() - rows behind number @after, in their order, at most @most; a member that
 *  is too long for the struct ends it with -E2BIG. 0 or -errno. */
int store_each_audit(struct store *s, uint64_t after, uint32_t most,
		     int (*each)(void *ctx, const struct dw_audit_row *row), void *ctx);

/** store_each_job() - jobs in the order of their submission: those that continue, those whose disk
 *  was
 *  left at work and that nobody has cancelled since, and the latest @most of the others. @each
 *  returns 0 to continue. 0 or -errno. */
int store_each_job(struct store *s, uint32_t most,
		   int (*each)(void *ctx, const struct store_job *job), void *ctx);

/** store_each_attempt() - the attempts of a job in the order of their rows. 0 or -errno. */
int store_each_attempt(struct store *s, const char *job,
		       int (*each)(void *ctx, const struct store_attempt *a), void *ctx);

/** store_each_record() - what was done, the newest first. 0 or -errno. */
int store_each_record(struct store *s, const struct store_filter *f,
		      int (*each)(void *ctx, const struct store_record *r), void *ctx);

/** store_each_unproven() - attempts that have ended and have no signed record, in the order of
 *  their end, at most @most. 0 or -errno. */
int store_each_unproven(struct store *s, uint32_t most,
			int (*each)(void *ctx, const struct store_record *r), void *ctx);

/** store_proven() - an attempt has a signed record of that number. 0 or -errno. */
int store_proven(struct store *s, int64_t attempt, uint64_t record);

/** store_last_record() - the highest number of a signed record that it knows, 0 = none. 0 or
 *  -errno. */
int store_last_record(struct store *s, uint64_t *ret);

/** store_record_of() - number of the signed record of an attempt, 0 = none. 0 or -errno. */
int store_record_of(struct store *s, int64_t attempt, uint64_t *ret);

/** store_misses() - does it know of that job, and have signed records of all of its attempts that
 *  ended? Then each record of the job has an attempt that names it. 0 or -errno. */
int store_misses(struct store *s, const char *job, bool *ret);

/** store_result() - the result document of an attempt, malloc'd; NULL = there is none. */
char *store_result(struct store *s, int64_t attempt);

#endif
