/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_H
#define DISKWIPE_CLIENT_H

/*
 * The service diskwiped as its client sees it: what it knows as plain structs, what it can be
 * asked for as calls. Everything that belongs to D-Bus stays in client.c and its companions.
 *
 * A call returns 0 or the exit code that the program ends with if it can do nothing else about
 * it; cli_client_why() then says what happened and what to do. Nothing here prints, so that a
 * program may own the screen, except cli_client_open().
 */
#include "bus/properties.h"
#include "cli.h"

#define CLI_NO_TEMPERATURE (-274)

#define CLI_s char *
#define CLI_o char *
#define CLI_t uint64_t
#define CLI_T uint64_t
#define CLI_u uint32_t
#define CLI_i int32_t
#define CLI_b bool
#define CLI_d double

#define CLI_MEMBER(name, type, member, size) CLI_##type member;

/**
 * struct cli_station_disk - a disk of the station; no text is NULL, times in microseconds since
 *	the epoch with 0 = unknown
 * @path: names it in calls
 * @device, @block: its nodes, empty while it is absent
 * @refusal, @reason, @release: why it may not be erased; empty = it may
 * @state: "free", "refused", "queued", "writing", "paused", "absent" ...
 * @job: path of the job that has it, "/" = none
 * @outcome: of that job, empty = it continues
 * @progress: 0 to 1
 * @rate: bytes per second
 * @pass: in hand, the first is 0
 * @temperature: degrees Celsius
 * @health: "", "good", "failing: reason"
 */
struct cli_station_disk {
	char *path;
	BUS_DISK_PROPERTIES(CLI_MEMBER)
};

/**
 * struct cli_station_job - a job; times and texts as of a disk
 * @path: names it in calls
 * @objects: paths of its disks, NULL-terminated
 * @id: a UUID
 * @state: "queued", "running", "paused", "stopping", "done"
 * @outcome: the worst of its disks
 * @exit_code: of `diskwipe erase`, -1 while it continues
 */
struct cli_station_job {
	char *path;
	char **objects;
	BUS_JOB_PROPERTIES(CLI_MEMBER)
};

/**
 * struct cli_manager - the station as a whole
 * @station: its name
 * @simulated: its disks are, and nothing of it is true of a real one
 * @starting: it has not examined the disks yet since it started
 * @records_folder: of signed records, empty = none; @records_trouble: why none can be written now
 * @records_due: something has ended, and its record is still to be signed
 * @active, @waiting: disks that are being worked on, and that wait
 * @notes: what the service says about itself, NULL-terminated, the newest last
 */
struct cli_manager {
	char *version;
	char *station;
	bool simulated;
	bool starting;
	char *records_folder;
	char *records_trouble;
	bool records_due;
	uint32_t active;
	uint32_t waiting;
	char **notes;
};

/** struct cli_station - all of it at one moment: disks by bay, then device; jobs as they were
 *  submitted; owned, cli_station_deinit() */
struct cli_station {
	struct cli_station_disk *disk;
	size_t n_disks;
	struct cli_station_job *job;
	size_t n_jobs;
	struct cli_manager manager;
};

/** struct cli_wanted - a disk as a job names it: one of serial and WWN is not empty; @asset: tag of
 *  its owner, NULL = none */
struct cli_wanted {
	const char *serial;
	const char *wwn;
	uint64_t capacity;
	const char *asset;
};

/**
 * struct cli_submission - a job to be; borrowed
 * @key, @value: members of the job's specification as text
 * @label, @note: NULL = none
 */
struct cli_submission {
	const struct cli_wanted *disk;
	size_t n_disks;
	const char *const *key;
	const char *const *value;
	size_t n_options;
	bool have_priority;
	int32_t priority;
	const char *label;
	const char *note;
};

/** struct cli_record_query - which records; zero, or NULL, = any */
struct cli_record_query {
	uint64_t since;
	uint64_t until;
	const char *serial;
	const char *bay;
	const char *outcome;
	const char *job;
	uint32_t limit;
};

/**
 * struct cli_record - what was done to one disk by one job; texts and times as of a disk
 * @health_before, @health_after: as of a disk, when the work began and when it had ended
 * @max_temperature: the highest while it went on, degrees Celsius
 * @heat_pause_seconds: it was paused for so long because the disk was too hot
 * @do_not_reuse: the disk reported that it fails
 * @simulated: no disk was touched
 */
struct cli_record {
	char *job;
	char *serial;
	char *wwn;
	uint64_t capacity;
	char *vendor;
	char *model;
	char *bay;
	char *method;
	uint64_t started;
	uint64_t ended;
	char *outcome;
	char *reason;
	uint32_t uid;
	char *label;
	char *health_before;
	char *health_after;
	int32_t max_temperature;
	double heat_pause_seconds;
	bool do_not_reuse;
	bool simulated;
};

struct cli_client;

enum cli_job_call { CLI_JOB_CANCEL, CLI_JOB_PAUSE, CLI_JOB_RESUME };

/** cli_client_open() - reach the service: by c->bus, DISKWIPE_BUS_ADDRESS, the system bus or its
 *  private socket; starts it where the bus can. 0, or an exit code after cli_fail(). */
int cli_client_open(struct cli *c, struct cli_client **ret);

/** cli_client_connect() - reach it, again where it was lost. 0 or an exit code. */
int cli_client_connect(struct cli_client *k);

/** cli_client_waiting - called some times a second while an answer is waited for, since
 *  @waited_ms; true = give up. It must call nothing of the client. */
typedef bool cli_client_waiting(void *ctx, unsigned int waited_ms);

/** cli_client_set_waiting() - have @waiting called, and give up any call after @limit_ms; before
 *  cli_client_connect(). */
void cli_client_set_waiting(struct cli_client *k, unsigned int limit_ms,
			    cli_client_waiting *waiting, void *ctx);

/** cli_client_find() - the service if it runs: it is not started, and one that does not answer
 *  within 5 seconds, or before a signal stops the program, is given up; NULL = it does not run. */
struct cli_client *cli_client_find(const struct cli *c);

/** cli_client_free() - leave; NULL is accepted. Jobs continue. */
void cli_client_free(struct cli_client *k);

/** cli_client_why() - why the last call failed and what to do; valid until the next. */
const char *cli_client_why(const struct cli_client *k);

/** cli_client_read() - all that the service knows now; what was in @station is freed.
 *  0 or an exit code, then @station is as it was. */
int cli_client_read(struct cli_client *k, struct cli_station *station);

/** cli_client_read_examined() - the same, again and again while the service has not examined
 *  its disks, for half a minute at most or until a signal asks to stop. */
int cli_client_read_examined(struct cli_client *k, struct cli_station *station);

/** cli_station_alarm() - tell on stderr that what ends now is not signed, that the station is
 *  simulated, or that it does not know its disks yet, if that is so. */
void cli_station_alarm(const struct cli_station *s);

/** cli_station_deinit() - free what is in it. */
void cli_station_deinit(struct cli_station *station);

enum cli_client_event { CLI_CLIENT_CHANGED = 1 << 0, CLI_CLIENT_INPUT = 1 << 1 };

/**
 * cli_client_wait() - wait for a change
 * @input: a descriptor to wait for as well, like that of the keyboard; -1 = none
 * @timeout_ms: at most so long; -1 = no limit
 *
 * Return: a mask of enum cli_client_event; 0 = the time is over, or a signal came; negative
 * errno = the service is out of reach.
 */
int cli_client_wait(struct cli_client *k, int input, int timeout_ms);

/** cli_client_notice() - the oldest remark about a disk that has not been taken: whose, and the
 *  text; free() both. false = none. */
bool cli_client_notice(struct cli_client *k, char **ret_disk, char **ret_text);

/** cli_client_job() - pause, resume or cancel the job @job, or only its disk @disk (NULL = all).
 *  0 or an exit code. */
int cli_client_job(struct cli_client *k, enum cli_job_call what, const char *job,
		   const char *disk);

/** cli_client_submit() - @ret_job: its path; free(). 0 or an exit code. */
int cli_client_submit(struct cli_client *k, const struct cli_submission *s,
		      char **ret_job);

/** cli_client_plan() - what that would do: a plan document, and the digest that names it, which
 *  may be NULL; free(). 0 or an exit code. */
int cli_client_plan(struct cli_client *k, const struct cli_submission *s,
		    char **ret_digest, char **ret_plan);

/** cli_client_submit_plan() - exactly what was planned; of @s only priority, label and note.
 *  @ret_job: its path; free(). 0 or an exit code. */
int cli_client_submit_plan(struct cli_client *k, const char *digest,
			   const struct cli_submission *s, char **ret_job);

/** cli_client_result() - the result document of a job; free(). 0 or an exit code. */
int cli_client_result(struct cli_client *k, const char *job, char **ret_json);

/** cli_client_records() - what was done, the newest first; cli_records_free(). 0 or an exit
 *  code. */
int cli_client_records(struct cli_client *k, const struct cli_record_query *query,
		       struct cli_record **ret, size_t *ret_n);

/** cli_client_simulate() - of a simulated station: @method Pull, Insert or Heat, of disk @what;
 *  @degrees: for Heat. 0 or an exit code. */
int cli_client_simulate(struct cli_client *k, const char *method, const char *what,
			int32_t degrees);

/** cli_records_free() - free them and what is in them. */
void cli_records_free(struct cli_record *records, size_t n);

/** cli_station_disk_pass() - the pass that a disk is in, from 1; 0 = it is at no work. */
unsigned cli_station_disk_pass(const struct cli_station_disk *d);

/** cli_station_used_again() - it was erased, or found as expected, and holds something now: the
 *  outcome is of its last job alone. */
bool cli_station_used_again(const struct cli_station_disk *d);

/** cli_station_find_job() - by its path, NULL = none. */
const struct cli_station_job *cli_station_find_job(const struct cli_station *s,
						   const char *path);

/** cli_station_find_disk() - by its path, NULL = none. */
const struct cli_station_disk *cli_station_find_disk(const struct cli_station *s,
						     const char *path);

#endif
