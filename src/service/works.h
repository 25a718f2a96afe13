/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_WORKS_H
#define DW_SERVICE_WORKS_H

/*
 * The engine in a thread of its own. Values go to it and come from it; no function here waits for
 * a disk. All of them belong to one thread, that of the service.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#include "outcome.h"

struct works;

/**
 * struct works_order - a disk and what is to be done with it
 * @id: number of the attempt, the same in what comes of it
 * @group: orders of one group take turns as one
 * @priority: of those that wait behind one adapter the greatest goes first
 * @spec: copied; what its rules point to lasts until WORKS_ENDED
 */
struct works_order {
	int64_t id;
	uint32_t group;
	int32_t priority;
	struct dw_job_spec spec;
	struct dw_disk disk;
};

enum works_ask { WORKS_PAUSE, WORKS_RESUME, WORKS_CANCEL, WORKS_PRIORITY };

enum works_kind {
	WORKS_FOUND,  /* disks, of works_look() */
	WORKS_BEGUN,  /* the disk is claimed; its work begins when it is its turn */
	WORKS_NOTICE, /* text */
	WORKS_PAUSED, /* text: nothing */
	WORKS_RESUMED,
	WORKS_ENDED,  /* the last of this order */
	WORKS_FAILED, /* the engine is no more: text */
};

/** struct works_progress - where an order stands, and what is on the medium for sure */
struct works_progress {
	int64_t id;
	struct dw_progress now;
	bool flushed;
	uint32_t flushed_pass;
	uint64_t flushed_lba;
};

/**
 * struct works_event - something that happened
 * @id: of the order
 * @text: for people
 * @error: of WORKS_FOUND
 * @disk, @n: of WORKS_FOUND: owned by whoever takes the event, free()
 * @outcome, @code: of WORKS_ENDED, with the exit code that it alone would give; @text says why
 * @left_working: of WORKS_ENDED: the device works on by itself, and nobody waits for it any more
 * @last: of WORKS_ENDED, where it stood
 * @json: result document, owned by whoever takes the event, free(); NULL = none
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

/** works_new() - start the thread. @ret: works_free(). 0 or -errno. */
int works_new(struct works **ret);

/** works_free() - stop what is under way as works_stop(), wait for it, end the thread. What has
 *  not been taken is lost. NULL is accepted. */
void works_free(struct works *w);

/** works_fd() - readable when there are events. */
int works_fd(const struct works *w);

/** works_begin() - begin an order. 0 or -ENOMEM; after that nothing that is asked of it, or told of
 *  its state, needs memory. */
int works_begin(struct works *w, const struct works_order *order);

/** works_post() - ask something of an order; @arg: the priority. */
void works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg);

/** works_look() - look for all disks; @rules are borrowed until WORKS_FOUND, before which it is not
 *  called again. */
void works_look(struct works *w, const struct dw_rules *rules);

/** works_stop() - let everything finish what is in flight, flush, and end as stopped. */
void works_stop(struct works *w);

/** works_next() - the oldest event not yet taken; false = none. */
bool works_next(struct works *w, struct works_event *ret);

/** works_progress() - call @each for the orders that have come further since the last call. */
void works_progress(struct works *w,
		    void (*each)(void *ctx, const struct works_progress *p), void *ctx);

/** works_beat() - what the thread calls every few seconds, NULL = nothing; set before the first
 *  order. */
void works_beat(struct works *w, void (*beat)(void *ctx), void *ctx);

#endif
