/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SERVICE_H
#define DW_SERVICE_SERVICE_H

/*
 * The state of the service: its disks, its jobs, and their attempts. An attempt is one disk of
 * one job, from its beginning to its end. All of it belongs to the thread of the bus. The engine
 * has a thread of its own (works.h). The store is written before anybody is informed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include <diskwipe/diskwipe.h>

#include "attempt.h"
#include "settings.h"
#include "store.h"
#include "reconcile.h"
#include "works.h"

struct bus;
struct prove;
struct svc_job;

/**
 * enum attempt_flag - facts about an attempt that do not depend on its state
 *
 * Each is set and cleared by the code that it concerns, and lasts when the state changes.
 */
enum attempt_flag {
	FLAG_PAUSE = 1, /* a user has asked to pause it; cleared when a user resumes it */
	FLAG_WITHHELD =
		2, /* the policy no longer allows it, and the engine has not begun it */
	FLAG_EXAMINED = 4, /* the health of its disk was asked for */
	FLAG_FRESH = 8,    /* @now has changed since it was last stored */
};

/**
 * struct svc_attempt - one disk of a job, from its beginning to its end
 * @row: its row in the store
 * @job: the job that it belongs to, which owns it
 * @disk: the disk that it is about
 * @state: changed by attempt_take() alone
 * @flags: a set of enum attempt_flag
 * @now: the last progress that the engine reported
 * @message: the latest remark about it, for people
 * @starts, @ends: when it is expected to start and end, microseconds since the epoch; 0 = unknown
 * @absent_since: steady_us() when its disk was first found missing; 0 = the disk is present
 * @tries: number of refusals in a row, but for those while its disk executes SANITIZE; cleared
 *	when the disk is claimed or goes away
 * @not_before: after a refusal, steady_us() from which it may be tried again
 * @lost_at: steady_us() when the engine lost or refused its disk; what a discovery that began
 *	before that has found is out of date
 * @settings: the settings that the engine borrows while it has the attempt; one reference, NULL =
 *	none
 * @hot_since: steady_us() from which its pause for the temperature is not yet in @row; 0 = it is
 *	not paused for that
 * @asked_at: when the health of its disk was asked for, steady_us(); 0 = no answer is awaited
 * @end: how it ends, or its last refusal; owns its document
 */
struct svc_attempt {
	struct store_attempt row;
	struct svc_job *job;
	struct svc_disk *disk;
	enum attempt_state state;
	unsigned flags;
	struct works_progress now;
	char message[256];
	uint64_t starts;
	uint64_t ends;
	uint64_t absent_since;
	unsigned tries;
	uint64_t not_before;
	uint64_t lost_at;
	struct settings *settings;
	uint64_t hot_since;
	uint64_t asked_at;
	struct works_event end;
};

/**
 * struct svc_disk - a disk that is present, or that belongs to a job
 * @key: last part of its object path
 * @facts: what the last discovery found; of a disk at work the verdict is that of before
 * @bay: name of its bay in the configuration, empty = none
 * @present: the last discovery found it
 * @row: number of its row in the store; 0 = none, as it has neither serial number nor WWN
 * @used_here: this machine uses the disk, or has used it
 * @offered: it is in a bay whose disks are offered
 * @looked: the current discovery has found it
 * @found_at: when the discovery that found it last began, by steady_us()
 * @came: steady_us() when it was first found at its present place
 * @at_start: the first discovery found it there, ready or not, and it has been present since
 * @unsettled: what prevents its erasure, or its row in the store, may be temporary: it is judged
 *	again at the next discovery
 * @seen_working: since its last attempt began, a discovery has found it at work by itself
 * @doubted: an attempt was resumed since the disk came, without @seen_working
 * @attempt: the latest attempt at it, NULL = none
 * @repeated: commands that were repeated by its attempts that have ended since it was first found
 * @care: what reconcile.c knows of it
 * @announced: it is an object on the bus
 * @view: the properties that the bus last sent, view.h; owned
 * @next: in the order of their coming
 */
struct svc_disk {
	char key[40];
	struct dw_disk facts;
	char bay[64];
	bool present;
	int64_t row;
	bool used_here;
	bool offered;
	bool looked;
	uint64_t found_at;
	uint64_t came;
	bool at_start;
	bool unsettled;
	bool seen_working;
	bool doubted;
	struct svc_attempt *attempt;
	uint64_t repeated;
	struct disk_care care;
	bool announced;
	struct disk_view *view;
	struct svc_disk *next;
};

/**
 * struct svc_job - a job
 * @row: its row in the store
 * @attempt, @n: its attempts, owned; one that resumes an earlier attempt is added at the end
 * @room: number of attempts allocated; those from @n on are blank
 * @group: its number for the engine, by which jobs take turns
 * @announced: it is an object on the bus
 * @view: the properties that the bus last sent, view.h; owned
 * @next: in the order of their submission
 */
struct svc_job {
	struct store_job row;
	struct svc_attempt **attempt;
	size_t n;
	size_t room;
	uint32_t group;
	bool announced;
	struct job_view *view;
	struct svc_job *next;
};

#define NOTES 16

/** struct service_files - where the settings come from; @required: without @settings is an error */
struct service_files {
	char settings[256];
	char safety[256];
	bool required;
};

/**
 * struct service_look - the discoveries of the service
 * @settings: of the one that is under way, one reference; NULL = none is
 * @again: another follows the one under way
 * @ended_once: one has ended since the service started
 * @began_at, @ended_at: steady_us() when the latest one began, and when the last one ended
 */
struct service_look {
	struct settings *settings;
	bool again;
	bool ended_once;
	uint64_t began_at;
	uint64_t ended_at;
};

/**
 * struct service - the state of the service
 * @settings: the settings in force; one reference
 * @from: the files they are read from
 * @works: the thread of the engine
 * @reconciler: temperatures, motors and lights; NULL = not started
 * @look: the discoveries
 * @reported: the journal has been sent the message of the start
 * @disks, @jobs: in the order of their coming
 * @groups: the last number given to a job as its group
 * @ended: attempts that have ended since the service started, by outcome
 * @note, @n_notes: remarks of the service about itself
 * @stopping: the service ends as soon as nothing is under way
 * @state_dir: folder of the store and of the state files
 * @socket: where it listens, unless systemd hands a socket over
 * @tick: timer of one second
 * @late: timer for the moment from which a disk that was pulled is no longer waited for
 * @stored_at, @metrics_at: now_us() when the progress was last stored, and the metrics written
 * @trimmed_at: steady_us() when unused heap was last returned to the system
 * @inhibit: pending call for @inhibitor; NULL = none
 * @inhibitor: descriptor that keeps the machine from being shut down, -1 = none
 * @trouble: the store cannot be written; writing is tried again
 * @simulation: the disks of a simulated station, simulated.h; NULL = those of the machine
 * @hotplug: what reports new devices, hotplug.h
 * @prove: signed documents, prove.h
 * @wall: the wall screen, wall.h
 */
struct service {
	sd_event *event;
	struct settings *settings;
	struct service_files from;
	struct store *store;
	struct works *works;
	struct reconciler *reconciler;
	struct bus *bus;
	struct service_look look;
	bool reported;
	struct svc_disk *disks;
	struct svc_job *jobs;
	uint32_t groups;
	uint64_t ended[OUTCOMES];
	char note[NOTES][256];
	size_t n_notes;
	bool stopping;
	char state_dir[200];
	char socket[256];
	sd_event_source *tick;
	sd_event_source *late;
	uint64_t stored_at;
	uint64_t metrics_at;
	uint64_t trimmed_at;
	struct sd_bus_slot *inhibit;
	int inhibitor;
	bool trouble;
	struct dw_simulation *simulation;
	void *hotplug;
	struct prove *prove;
	struct wall *wall;
};

/** now_us() - microseconds since the epoch, for times that are shown or stored. */
uint64_t now_us(void);

/** steady_us() - microseconds of CLOCK_MONOTONIC, for waiting. */
uint64_t steady_us(void);

/** service_note() - add a remark about the service to its properties and to the journal. */
void service_note(struct service *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** service_reload() - read the configuration again. On an error the old one stays in force, and
 *  @why is the reason. 0 or -errno. */
int service_reload(struct service *s, char why[DW_ERROR_TEXT]);

/** service_kick() - do the next regular round within a second, as something has changed. */
void service_kick(struct service *s);

/**
 * service_stored() - report once that the store cannot be written, and once that it can again.
 * Returns @r, the result of the store.
 */
int service_stored(struct service *s, int r);

/* --- disks.c --------------------------------------------------------------- */

/** disks_look() - start a discovery, or one more after that which is under way. */
void disks_look(struct service *s);

/** disks_found() - take over the result of a discovery; the caller keeps @e. */
void disks_found(struct service *s, const struct works_event *e);

/** disk_of() - the disk with this identity; created if there is none. NULL without memory. */
struct svc_disk *disk_of(struct service *s, const struct dw_disk_info *info);

/** disk_find() - the disk with that key, NULL = none. */
struct svc_disk *disk_find(struct service *s, const char *key);

/** disk_busy() - the disk has an attempt that is not over. */
bool disk_busy(const struct svc_disk *d);

/** disks_unsettled() - a disk is present that came a moment ago and may soon be free. */
bool disks_unsettled(const struct service *s);

/** disks_tick() - each second: start a discovery if a disk is unsettled or in quarantine and it
 *  is time. */
void disks_tick(struct service *s);

/** disk_withheld() - why the policy does not allow the service to erase the disk by itself at its
 *  present place; NULL = it does. Static text. */
const char *disk_withheld(const struct service *s, const struct svc_disk *d);

/** attempt_operates() - its disk is executing SANITIZE, and a state file exists from which the
 *  attempt can be resumed. The disk can be asked nothing meanwhile, and no decision is made
 *  again. */
bool attempt_operates(const struct service *s, const struct svc_attempt *a);

/** disk_new_signature() - the disk carries a signature that it did not carry when its erasure was
 *  agreed to. */
bool disk_new_signature(const struct svc_disk *d, const struct store_attempt *agreed);

/** disks_forget() - free the disks that are absent and belong to no job; they leave the bus. */
void disks_forget(struct service *s);

/* --- jobs.c, jobs_ask.c, attempt_act.c, resume.c ----------------------------------------- */

/** struct asset_tag - what the owner of a disk calls it */
struct asset_tag {
	char text[DW_ASSET_MAX];
};

/**
 * struct job_request - the job that a caller asks for
 * @id: job_new_id()
 * @disk, @n: the disks, which may be erased, each once
 * @asset: of each disk the tag of its owner, empty = not given; NULL = none is given
 * @options: lines of "KEY=VALUE\n"
 * @resolved: @options are complete; the options of the configuration are not added
 * @priority: among jobs that wait behind one adapter the greatest goes first
 * @label, @note: for people
 * @paused: the job is submitted paused
 * @who: the caller
 */
struct job_request {
	char id[37];
	struct svc_disk *const *disk;
	const struct asset_tag *asset;
	size_t n;
	char options[JOB_OPTIONS];
	bool resolved;
	int32_t priority;
	char label[64];
	char note[256];
	bool paused;
	struct store_caller who;
};

/** request_options() - all options of the requested job. 0; -EINVAL: they are too long. */
int request_options(const struct settings *settings, const struct job_request *request,
		    char ret[JOB_OPTIONS], struct dw_error *err);

/** job_new_id() - a new UUID for a job. */
void job_new_id(char ret[37]);

/** jobs_submit() - store a job and begin it. 0; -EINVAL, -ENOSPC ... with @err: nothing has
 *  changed. */
int jobs_submit(struct service *s, const struct job_request *request,
		struct svc_job **ret, struct dw_error *err);

/** jobs_load() - read the jobs from the store, when the service starts. 0 or -errno. */
int jobs_load(struct service *s);

/** jobs_advance() - begin the attempts that can begin, and end those whose disk was absent too
 *  long. */
void jobs_advance(struct service *s);

/** jobs_event() - handle an event of the engine. */
void jobs_event(struct service *s, const struct works_event *e);

/** jobs_progress() - keep the progress of an attempt; @ctx: the service. */
void jobs_progress(void *ctx, const struct works_progress *p);

/** jobs_tick() - each second: take the progress, store it, advance, forecast. */
void jobs_tick(struct service *s);

/** job_store_end() - if all disks of the job have ended, store that and report it. */
void job_store_end(struct service *s, struct svc_job *job);

/** job_over() - all disks of the job have ended. */
bool job_over(const struct svc_job *job);

/** job_code() - the exit code that `diskwipe erase` would give; -1 while the job runs. */
int job_code(const struct svc_job *job);

/** job_result_json() - the result document of the disks that have ended. malloc'd; NULL without
 *  memory. */
char *job_result_json(struct service *s, const struct svc_job *job);

/** job_ask() - pause, resume, cancel, or set the priority to @arg; of one attempt, or of all for
 *  NULL. 0; -errno: nothing has changed. */
int job_ask(struct service *s, struct svc_job *job, struct svc_attempt *only,
	    enum works_ask ask, int32_t arg, const struct store_caller *who);

/** job_current() - the latest attempt of the job at the disk; NULL: the disk does not belong to
 *  the job. */
struct svc_attempt *job_current(const struct svc_job *job, const struct svc_disk *d);

/** attempt_spec() - the spec of an attempt, from the options of its job and the configuration. 0,
 *  -EINVAL. */
int attempt_spec(const struct settings *settings, const char *options,
		 struct dw_job_spec *ret, struct dw_error *err);

/** jobs_active(), jobs_waiting() - number of disks at work, and of disks that wait. */
uint32_t jobs_active(const struct service *s);
uint32_t jobs_waiting(const struct service *s);

/** jobs_continue() - resume the latest attempt at a disk that is present, if it ended because the
 *  disk went away, or left the disk at work by itself. True: it was resumed, or a later discovery
 *  decides. False: there is nothing to resume. */
bool jobs_continue(struct service *s, struct svc_disk *d);

/** attempt_may_continue() - it ended because its disk went away, or because it could not be seen
 *  who uses the disk, and its time to be resumed has not passed. */
bool attempt_may_continue(const struct service *s, const struct svc_attempt *a);

/** attempt_until() - time at which it can no longer be resumed; microseconds since the epoch. */
uint64_t attempt_until(const struct service *s, const struct svc_attempt *a);

/** attempt_found_since() - its disk was found after the engine lost or refused it. An earlier
 *  discovery is not used: the node may be another disk's by now. */
bool attempt_found_since(const struct svc_attempt *a);

/** attempt_withheld() - of an attempt that the service began by itself: why the configuration
 *  does not allow it, NULL = it does. Static text. */
const char *attempt_withheld(const struct service *s, const struct svc_attempt *a);

/** attempt_left() - its disk is in quarantine: the attempt left it at work by itself, and has
 *  neither been resumed nor cancelled. */
bool attempt_left(const struct svc_attempt *a);

/** disk_left() - the disk is in quarantine; job_left() - a disk of the job is; disks_left() - a
 *  disk that is present is. */
bool disk_left(const struct svc_disk *d);
bool job_left(const struct svc_job *job);
bool disks_left(const struct service *s);

/** attempt_again() - resume an attempt that has ended by a new one; @why: for people. 0 or -errno
 *  of the store. */
int attempt_again(struct service *s, struct svc_attempt *a, const char *why);

/** attempts_reserve() - allocate @n more attempts of a job, before they are stored. 0 or
 *  -ENOMEM. */
int attempts_reserve(struct svc_job *job, size_t n);

/** attempt_keep() - make the row the latest attempt of its job, where it was reserved, and of its
 *  disk. */
struct svc_attempt *attempt_keep(struct svc_job *job, struct svc_disk *d,
				 const struct store_attempt *row);

/** attempt_is_paused(), attempt_is_cancelled() - a user has asked that of it or of its job. */
bool attempt_is_paused(const struct svc_attempt *a);
bool attempt_is_cancelled(const struct svc_attempt *a);

/** attempt_advance() - begin it if it can begin; end it if its disk was absent too long. */
void attempt_advance(struct service *s, struct svc_attempt *a);

/** attempt_take() - apply an event by attempt_step(), and carry out the action. @how: of an end
 *  or of a refusal, its document is taken over; NULL = none. */
void attempt_take(struct service *s, struct svc_attempt *a, enum attempt_event event,
		  const struct works_event *how);

/** attempt_hooked() - the hook before an attempt has ended. @why: the attempt must not begin;
 *  NULL = it may. */
void attempt_hooked(struct service *s, struct svc_attempt *a, const char *why);

/** attempt_examined() - the health of the disk is known. @why: the attempt must not begin; NULL =
 *  it may. */
void attempt_examined(struct service *s, struct svc_attempt *a, const char *why);

/** attempt_settled() - store the end that the engine has reported. */
void attempt_settled(struct service *s, struct svc_attempt *a);

/** attempt_pause() - pause or resume it in the engine, as the reasons for a pause may have
 *  changed. */
void attempt_pause(struct service *s, struct svc_attempt *a);

/** attempt_heat() - add the time of its pause for the temperature so far to its row, and store
 *  it. @hot: it is paused for that from now on, or still. */
void attempt_heat(struct service *s, struct svc_attempt *a, bool hot);

/** jobs_free() - free all jobs, when the service ends. */
void jobs_free(struct service *s);

/* --- queue.c --------------------------------------------------------------- */

/** queue_forecast() - estimate when each waiting attempt starts and ends. */
void queue_forecast(struct service *s);

/** queue_expected() - estimated seconds for a disk that runs alone; 0 = unknown. */
double queue_expected(const struct dw_job_spec *spec, const struct dw_disk_info *info);

#endif
