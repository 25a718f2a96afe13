/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_TEND_H
#define DW_SERVICE_TEND_H

/*
 * What is asked of disks and bays beside the erasing, and what follows from the answers: how warm
 * and how healthy a disk is, which lights its bay has, whether its motor turns.
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
 * struct disk_care - what is known of a disk that is there
 * @health: the latest, if @known
 * @heat: whether it is too warm
 * @asking: it is being asked
 * @shy: it refuses a question: not asked while it is worked on
 * @mute: it tells no temperature: not asked
 * @due: when it is asked next, microseconds of CLOCK_MONOTONIC, 0 = now
 * @motor: its motor is being started or stopped
 * @started: its motor was, since it is there
 * @parked: the service has stopped its motor; @woken: when it was started last, as @due
 * @done: its work is over, and its motor may be stopped; @stops: so often that was tried
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
};

/** tend_new() - begin. 0 or -errno. */
int tend_new(struct service *s);

/** tend_free() - end; waits for what is under way. */
void tend_free(struct service *s);

/** tend_round() - ask what is due; cheap. */
void tend_round(struct service *s);

/** tend_before() - ask for the health of a disk before its work begins: attempt_examined() follows.
 *  False: nothing is to be asked. */
bool tend_before(struct service *s, struct svc_attempt *a);

/** tend_after() - the same after it, and attempt_settled() follows. False: nothing is asked. */
bool tend_after(struct service *s, struct svc_attempt *a);

/** tend_fails() - the disk said before the work or after it that it fails. */
bool tend_fails(const struct svc_attempt *a);

/** tend_reason() - @reason, and that a disk that fails is not to be used again. */
void tend_reason(const struct svc_attempt *a, const char *reason, char *ret, size_t size);

/** tend_is_hot() - work on the disk is to be paused. */
bool tend_is_hot(const struct svc_disk *d);

/** tend_sleeps() - the disk whose motor the service has stopped, or has started since the look
 *  began, and which was found stopped; NULL = none. */
struct svc_disk *tend_sleeps(struct service *s, const struct dw_disk *found);

/** tend_starts() - the disk is stopped, and its motor is going to be started. */
bool tend_starts(const struct service *s, const struct svc_disk *d);

#endif
