/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_WORKS_H
#define DW_SERVICE_WORKS_H

/*
 * The engine in a thread of its own. Values go to it and come from it; no function here waits for
 * a disk. All functions belong to one thread, the main thread of the service.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#include "outcome.h"

struct works;

/**
 * struct works_task - one disk and its job for the engine
 * @id: number of the attempt; events carry it
 * @group: tasks of one group take turns as one with those of other groups
 * @priority: among tasks that wait behind one adapter the greatest goes first
 * @spec: copied; what its rules point to must last until WORKS_ENDED
 * @disk: what the last discovery found of the disk
 */
struct works_task {
	int64_t id;
	uint32_t group;
	int32_t priority;
	struct dw_job_spec spec;
	struct dw_disk disk;
};

enum works_ask { WORKS_PAUSE, WORKS_RESUME, WORKS_CANCEL, WORKS_PRIORITY };

enum works_kind {
	WORKS_FOUND,  /* a discovery of works_look() has ended: disk, n, error */
	WORKS_BEGUN,  /* the disk is claimed; its work begins when its turn comes */
	WORKS_NOTICE, /* text */
	WORKS_PAUSED, /* no text */
	WORKS_RESUMED,
	WORKS_ENDED,  /* the last event of this task */
	WORKS_FAILED, /* the engine has failed: text */
};

/**
 * struct works_progress - progress of a task
 * @id: of the task
 * @now: the latest progress
 * @flushed: the next two are set
 * @flushed_pass, @flushed_lba: blocks below that LBA, in that pass, are on the medium
 */
struct works_progress {
	int64_t id;
	struct dw_progress now;
	bool flushed;
	uint32_t flushed_pass;
	uint64_t flushed_lba;
};

/**
 * struct works_event - an event of the engine
 * @kind: which; it reports what else is set
 * @id: of the task
 * @text: for people
 * @error: of WORKS_FOUND and WORKS_FAILED: 0 or -errno
 * @disk, @n: of WORKS_FOUND: the disks; owned by whoever takes the event, free()
 * @outcome: of WORKS_ENDED; @text is its reason
 * @left_working: of WORKS_ENDED: the device still works by itself, and nobody waits for it any
 *	more
 * @code: of WORKS_ENDED: the exit code that this disk alone would give
 * @last: of WORKS_ENDED: the last progress
 * @json: of WORKS_ENDED: the result document, owned by whoever takes the event, free(); NULL =
 *	none
 */
struct works_event {
	enum works_kind kind;
	int64_t id;
	char text[256];
	int error;
	struct dw_disk *disk;
	size_t n;
	enum svc_outcome outcome;
	bool left_working;
	int code;
	struct works_progress last;
	char *json;
};

/** works_new() - start the thread. @simulated: its disks, which outlive it; NULL = those of the
 *  machine. @ret: works_free(). 0 or -errno. */
int works_new(struct dw_simulation *simulated, struct works **ret);

/** works_free() - stop all tasks as works_stop(), wait for them, end the thread. Events that were
 *  not taken are lost. NULL is accepted. */
void works_free(struct works *w);

/** works_fd() - descriptor that is readable while there are events. */
int works_fd(const struct works *w);

/** works_begin() - begin a task. 0 or -ENOMEM. After that no request for the task, and no event
 *  about its state, needs memory. */
int works_begin(struct works *w, const struct works_task *order);

/** works_post() - send a request for a task; @arg: the priority. Ignored if the task has
 *  ended. */
void works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg);

/** works_look() - start a discovery of all disks. @rules are borrowed until WORKS_FOUND, and
 *  until then it is not called again. */
void works_look(struct works *w, const struct dw_rules *rules);

/** works_stop() - stop all tasks: commands in flight end, caches are flushed, tasks end as
 *  stopped. */
void works_stop(struct works *w);

/** works_next() - the oldest event not yet taken; false = none. */
bool works_next(struct works *w, struct works_event *ret);

/** works_progress() - call @each for the tasks whose progress has changed since the last call. */
void works_progress(struct works *w,
		    void (*each)(void *ctx, const struct works_progress *p), void *ctx);

/** works_beat() - set a function that the thread calls every few seconds, NULL = none; before the
 *  first task. */
void works_beat(struct works *w, void (*beat)(void *ctx), void *ctx);

#endif
