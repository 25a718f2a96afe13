/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_RECONCILE_H
#define DW_SERVICE_RECONCILE_H

/*
 * Temperature and health of disks, the lights of bays, the motors of disks. In rounds, the actual
 * state is compared with the wanted one, and requests are sent that bring the two together. The
 * requests are executed by other threads (care.h).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/diskwipe.h>

#include "care_rules.h"

struct service;
struct svc_attempt;
struct svc_disk;

/**
 * struct disk_users - of a disk that is refused since somebody uses it: whether that has ended
 * @asking: the question is under way
 * @since: when it was first seen that it is refused for that, steady_us(); 0 = it is not
 * @due: when it is asked next
 * @last: the latest answer; at first what it is refused for
 * @looks: discoveries that followed from that answer
 * @look_due: no discovery follows from an answer before that
 */
struct disk_users {
	bool asking;
	uint64_t since;
	uint64_t due;
	enum dw_refusal last;
	unsigned looks;
	uint64_t look_due;
};

/**
 * struct disk_care - temperature, health and motor of a disk that is present
 * @health: the latest health; valid if @known
 * @heat: whether it is too warm
 * @asking: a request for its temperature is under way
 * @shy: it refuses some question: not asked while an attempt is at work on it
 * @mute: it reports no temperature: not asked
 * @due: when it is asked next, or its motor stopped next, steady_us(); 0 = now
 * @motor: its motor is being started or stopped
 * @started: its motor was started by the service since the disk came
 * @parked: its motor was stopped by the service
 * @woken: when its motor was last started, steady_us()
 * @done: work on it has ended, and its motor may be stopped; @stops: failed attempts to do so
 * @users: whether somebody still uses it
 */
struct disk_care {
	struct dw_health health;
	bool known;
	enum heat heat;
	bool asking;
	bool shy;
	bool mute;
	uint64_t due;
	bool motor;
	bool started;
	bool parked;
	uint64_t woken;
	bool done;
	unsigned stops;
	struct disk_users users;
};

/** reconciler_new() - start the rounds. 0 or -errno. */
int reconciler_new(struct service *s);

/** reconciler_free() - stop; waits for the requests that are under way. */
void reconciler_free(struct service *s);

/** reconcile() - one round: send the requests that are due. Cheap. */
void reconcile(struct service *s);

/** examine_before() - ask for the health of a disk before work on it begins; attempt_examined()
 *  follows. False: nothing is asked, and nothing follows. */
bool examine_before(struct service *s, struct svc_attempt *a);

/** examine_after() - the same when work on it has ended; attempt_settled() follows. */
bool examine_after(struct service *s, struct svc_attempt *a);

/** attempt_disk_fails() - the disk reported before the work, or after it, that it is failing. */
bool attempt_disk_fails(const struct svc_attempt *a);

/** attempt_reason() - @reason, with the advice not to use the disk again if it is failing. */
void attempt_reason(const struct svc_attempt *a, const char *reason, char *ret,
		    size_t size);

/** disk_is_hot() - work on the disk is to be paused for its temperature. */
bool disk_is_hot(const struct svc_disk *d);

/** find_spun_down() - the known disk that was found as @found, with its motor stopped: the
 *  service has stopped it, or has started it since the discovery began. NULL = none. */
struct svc_disk *find_spun_down(struct service *s, const struct dw_disk *found);

/** disk_will_spin_up() - its motor is stopped and is going to be started. */
bool disk_will_spin_up(const struct service *s, const struct svc_disk *d);

#endif
