/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SERVICE_H
#define DW_SERVICE_SERVICE_H

/*
 * What the service knows: disks, jobs, and attempts, which are one disk of one job from its
 * beginning to its end. All of it belongs to the thread of the bus; the engine has a thread of its
 * own (works.h). Whatever is told to anybody is in the store first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include <diskwipe/diskwipe.h>

#include "attempt.h"
#include "settings.h"
#include "store.h"
#include "tend.h"
#include "works.h"

struct bus;
struct prove;
struct svc_job;

/**
 * enum attempt_flag - what is true of an attempt in any state: somebody else sets and clears it,
 * and it outlasts the state that it was set in
 */
enum attempt_flag {
	FLAG_PAUSE = 1, /* somebody wants it paused */
	FLAG_WITHHELD =
		2, /* it waits in the engine, and the policy has changed its mind */
	FLAG_EXAMINED = 4, /* its disk was asked for its health, or will not answer */
	FLAG_FRESH = 8,    /* where it stands has changed since that was stored */
};

/**
 * struct svc_attempt - one disk of a job
 * @row: what the store has of it
 * @disk: the disk that it is about
 * @state: changed by attempt_take() alone
 * @flags: enum attempt_flag
 * @now: where it stands
 * @starts, @ends: expected, microseconds since the epoch, 0 = unknown
 * @absent_since: steady_us() when its disk was first missed, 0 = it is there
 * @lost_at: when the engine lost or refused its disk, by steady_us(): where a discovery that began
 *	earlier found it, it may not be any more
 * @tries: it was refused so often; @not_before: and is tried again then, by steady_us()
 * @settings: those that the engine borrows
 * @hot_since: it is paused for the heat, and until then, by steady_us(), that is on record; 0 = it
 *	is not
 * @asked_at: when its disk was asked for its health, CLOCK_MONOTONIC, 0 = it is not being asked
 * @end: how it ends, or why it was refused last; owns its document
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
 * struct svc_disk - a disk that is there, or that a job has
 * @key: end of its object path
 * @facts: as it was last found; its verdict is none of a disk that is being worked on
 * @present: it is there
 * @row: in the store, 0 = none: it tells neither serial nor WWN
 * @used_here: this machine uses it, or did
 * @offered: it is in a bay whose disks are offered
 * @looked: it was found by the discovery in hand
 * @found_at: when the discovery began that found it last, by steady_us()
 * @came: steady_us() when it was first found in its place
 * @at_start: the first discovery found it there, perhaps not ready yet, and it has not gone since
 * @unsettled: what keeps it from being erased, or on record, may pass by itself: it is looked at
 *	again
 * @seen_working: it was found at work by itself since its last attempt began; @doubted: it was gone
 *	on with since it came, without that
 * @attempt: the latest, NULL = none
 * @care: tend.h
 * @announced: the bus has it
 * @view: what the bus was told last, view.h
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
	struct disk_care care;
	bool announced;
	struct disk_view *view;
	struct svc_disk *next;
};

/**
 * struct svc_job - a job
 * @row: what the store has of it
 * @attempt, @n: its attempts, those that a disk came back for at the end; owned
 * @room: so many are allocated; from @n on they are blank
 * @group: small number for the engine
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

/**
 * struct service - all of it
 * @settings: in force
 * @looking: with those a discovery is under way; NULL = none; @again: one is wanted after it
 * @looked_at: when the last discovery ended; @look_began: when it, or the one in hand, began
 * @told: the journal has heard that it has started
 * @disks, @jobs: in the order of their coming
 * @note: what the service had to say about itself
 * @stopping: it ends when nothing is under way any more
 * @state_dir: folder of the store and of the state files
 * @progress: timer while something is under way; @tick: of each second
 * @trimmed_at: when what the heap does not use was given back, by steady_us()
 * @late: timer until it is too late for a disk that was pulled
 * @inhibit: the question for it, NULL = not asked
 * @inhibitor: descriptor that keeps the machine from being shut down, -1 = none
 * @trouble: the store could not be written; it is tried again
 * @prove: signed records, prove.h
 */
struct service {
	sd_event *event;
	struct settings *settings;
	char settings_file[256];
	char safety_file[256];
	bool settings_required;
	struct store *store;
	struct works *works;
	struct tend *tend;
	struct bus *bus;
	struct settings *looking;
	bool again;
	bool found_once;
	uint64_t looked_at;
	uint64_t look_began;
	bool told;
	struct svc_disk *disks;
	struct svc_job *jobs;
	uint32_t groups;
	char note[NOTES][256];
	size_t n_notes;
	bool stopping;
	char state_dir[200];
	sd_event_source *tick;
	sd_event_source *late;
	uint64_t stored_at;
	uint64_t metrics_at;
	uint64_t trimmed_at;
	struct sd_bus_slot *inhibit;
	int inhibitor;
	bool trouble;
	void *hotplug;
	struct prove *prove;
};

/** now_us() - microseconds since the epoch; for what is told and kept. */
uint64_t now_us(void);

/** steady_us() - microseconds of a clock that nobody sets; for what is waited for. */
uint64_t steady_us(void);

/** service_note() - something about the service itself: for its properties and the journal. */
void service_note(struct service *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** service_reload() - read the configuration again; @why: what is wrong, and the old one stays.
 *  0 or -errno. */
int service_reload(struct service *s, char why[DW_ERROR_TEXT]);

/** service_kick() - something has changed: look at it within a second. */
void service_kick(struct service *s);

/** service_stored() - tell once that the store cannot be written, and when it can again; returns
 *  @r, the store's answer. */
int service_stored(struct service *s, int r);

/* --- disks.c --------------------------------------------------------------- */

/** disks_look() - find out which disks there are; soon. */
void disks_look(struct service *s);

/** disks_found() - take what was found; owns nothing of it. */
void disks_found(struct service *s, const struct works_event *e);

/** disk_of() - the disk of an identity, made if there is none; NULL without memory. */
struct svc_disk *disk_of(struct service *s, const struct dw_disk_info *info);

/** disk_find() - the disk with that key, NULL = none. */
struct svc_disk *disk_find(struct service *s, const char *key);

/** disk_busy() - an attempt of it is not over. */
bool disk_busy(const struct svc_disk *d);

/** disks_unsettled() - there is one that has just come and may be free in a moment. */
bool disks_unsettled(const struct service *s);

/** disks_tick() - each second: look again at what has not settled, or is in quarantine. */
void disks_tick(struct service *s);

/** disk_withheld() - why the policy does not let it be erased unasked where it stands; NULL = it
 *  does. Static. */
const char *disk_withheld(const struct service *s, const struct svc_disk *d);

/** attempt_operates() - its disk works on a SANITIZE, and there is a state file to go on with:
 *  nothing can be asked of the disk meanwhile, and nothing is to be decided anew. */
bool attempt_operates(const struct service *s, const struct svc_attempt *a);

/** disk_new_signature() - it carries one that it did not when its erasure was agreed to. */
bool disk_new_signature(const struct svc_disk *d, const struct store_attempt *agreed);

/** disks_forget() - drop those that are not there and that no job has; the bus is told. */
void disks_forget(struct service *s);

/* --- jobs.c, jobs_ask.c, attempt_act.c, again.c ----------------------------------------- */

/**
 * struct job_wish - what a caller wants
 * @id: job_new_id()
 * @disk: @n that may be erased, each once
 * @options: "KEY=VALUE\n" each
 * @resolved: these are all; the configuration has no say in what else is to be done
 */
struct job_wish {
	char id[37];
	struct svc_disk *const *disk;
	size_t n;
	char options[JOB_OPTIONS];
	bool resolved;
	int32_t priority;
	char label[64];
	char note[256];
	bool paused;
	struct store_caller who;
};

/** wish_options() - all options of the job that is wanted. 0; -EINVAL: they are too long. */
int wish_options(const struct settings *settings, const struct job_wish *wish,
		 char ret[JOB_OPTIONS], struct dw_error *err);

/** job_new_id() - of a job to be: a UUID. */
void job_new_id(char ret[37]);

/** jobs_submit() - a job is on record, and begins. 0; -EINVAL, -ENOSPC ... with @err, and then
 *  nothing has changed. */
int jobs_submit(struct service *s, const struct job_wish *wish, struct svc_job **ret,
		struct dw_error *err);

/** jobs_load() - those of the store, when the service starts. 0 or -errno. */
int jobs_load(struct service *s);

/** jobs_advance() - begin what can begin; what has been missed for too long ends. */
void jobs_advance(struct service *s);

/** jobs_event() - something came from the engine. */
void jobs_event(struct service *s, const struct works_event *e);

/** jobs_progress() - where an attempt stands; @ctx: the service. */
void jobs_progress(void *ctx, const struct works_progress *p);

/** jobs_tick() - each second: progress, what is stored, forecasts. */
void jobs_tick(struct service *s);

/** job_record_end() - that it has ended goes on record, if all its disks have, and is told. */
void job_record_end(struct service *s, struct svc_job *job);

/** job_over() - all its disks have ended. */
bool job_over(const struct svc_job *job);

/** job_code() - exit code of `diskwipe erase`; -1 while it goes on. */
int job_code(const struct svc_job *job);

/** job_result_json() - the result document of the disks that have ended; malloc'd, NULL = no
 *  memory. */
char *job_result_json(struct service *s, const struct svc_job *job);

/** job_ask() - pause, resume, cancel, or priority @arg; of one attempt, or NULL = of all. 0 or
 *  -errno, and then nothing has changed. */
int job_ask(struct service *s, struct svc_job *job, struct svc_attempt *only,
	    enum works_ask ask, int32_t arg, const struct store_caller *who);

/** job_current() - the latest attempt at a disk of the job; NULL: it is none of its disks. */
struct svc_attempt *job_current(const struct svc_job *job, const struct svc_disk *d);

/** attempt_spec() - what will be done: job options and what the station says. 0, -EINVAL. */
int attempt_spec(const struct settings *settings, const char *options,
		 struct dw_job_spec *ret, struct dw_error *err);

/** jobs_active(), jobs_waiting() - disks that are worked on, and that wait. */
uint32_t jobs_active(const struct service *s);
uint32_t jobs_waiting(const struct service *s);

/** jobs_continue() - a disk is there: an attempt that ended because it went, or as it was left at
 *  work and is not any more, goes on, now or when the next discovery finds it, too. False: there is
 *  none that does, or is waited for. */
bool jobs_continue(struct service *s, struct svc_disk *d);

/** attempt_may_continue() - it has ended because its disk went, or nobody could see who uses that,
 *  and goes on if it is there, and free, now. */
bool attempt_may_continue(const struct service *s, const struct svc_attempt *a);

/** attempt_until() - until when; microseconds since the epoch. */
uint64_t attempt_until(const struct service *s, const struct svc_attempt *a);

/** attempt_found_since() - its disk was found after the engine had lost or refused it: its node may
 *  be another disk's otherwise, and nobody is asked by what was found before. */
bool attempt_found_since(const struct svc_attempt *a);

/** attempt_withheld() - of what the service began unasked: why the switches do not let it, NULL =
 *  they do. Static. */
const char *attempt_withheld(const struct service *s, const struct svc_attempt *a);

/** attempt_left() - its disk is in quarantine: it was left at work by itself, nobody has gone on
 *  with it or given it up since. */
bool attempt_left(const struct svc_attempt *a);

/** disk_left(), job_left() - the same of a disk, and of a disk of the job; disks_left() - one of
 *  those that are there is. */
bool disk_left(const struct svc_disk *d);
bool job_left(const struct svc_job *job);
bool disks_left(const struct service *s);

/** attempt_again() - one more attempt goes on with what ended; @why: for people. 0 or -errno of the
 *  store. */
int attempt_again(struct service *s, struct svc_attempt *a, const char *why);

/** attempts_reserve() - memory for @n more attempts of a job, before they are on record. 0 or
 *  -ENOMEM. */
int attempts_reserve(struct svc_job *job, size_t n);

/** attempt_keep() - the row as the latest attempt of the job, which was reserved, and of its
 *  disk. */
struct svc_attempt *attempt_keep(struct svc_job *job, struct svc_disk *d,
				 const struct store_attempt *row);

/** attempt_is_paused(), attempt_is_cancelled() - it was asked to be, or its job. */
bool attempt_is_paused(const struct svc_attempt *a);
bool attempt_is_cancelled(const struct svc_attempt *a);

/** attempt_advance() - begin it if it can begin; end it if it was missed for too long. */
void attempt_advance(struct service *s, struct svc_attempt *a);

/** attempt_take() - something happened to an attempt: what follows by attempt_step() is done. @how:
 *  of its end, or of a refusal, whose document is taken over; NULL = there is nothing to tell. */
void attempt_take(struct service *s, struct svc_attempt *a, enum attempt_event event,
		  const struct works_event *how);

/** attempt_hooked() - the hook before an attempt has ended; @why it may not begin, NULL = may. */
void attempt_hooked(struct service *s, struct svc_attempt *a, const char *why);

/** attempt_examined() - the disk was asked for its health; @why: the attempt may not begin, NULL =
 *  it may. */
void attempt_examined(struct service *s, struct svc_attempt *a, const char *why);

/** attempt_settled() - what the engine told of the end of an attempt goes on record. */
void attempt_settled(struct service *s, struct svc_attempt *a);

/** attempt_pause() - whether there is a reason to let it stand may have changed. */
void attempt_pause(struct service *s, struct svc_attempt *a);

/** attempt_heat() - it stands for the heat from now on, and still, or @hot is false and it does
 *  not: how long it has stood goes on record. */
void attempt_heat(struct service *s, struct svc_attempt *a, bool hot);

/** jobs_free() - all of them, when the service ends. */
void jobs_free(struct service *s);

/* --- queue.c --------------------------------------------------------------- */

/** queue_forecast() - when what waits starts and ends. */
void queue_forecast(struct service *s);

/** queue_expected() - seconds that a disk takes by itself, 0 = unknown. */
double queue_expected(const struct dw_job_spec *spec, const struct dw_disk_info *info);

#endif
