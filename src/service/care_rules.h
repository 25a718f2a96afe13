/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_CARE_RULES_H
#define DW_SERVICE_CARE_RULES_H

/* When a disk is too warm, and which lights a bay has: arithmetic and words, nothing else. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outcome.h"

#define DEGREES_OF_DISK INT32_MAX       /* follows from the disk's own limit */
#define DEGREES_NEVER   (INT32_MAX - 1) /* no temperature is too high */
#define DEGREES_BACK    5               /* so much lower all is well again */

/** enum heat - of a disk; work on one that is hot is paused */
enum heat { HEAT_FINE, HEAT_WARM, HEAT_HOT };

/** struct heat_limits - degrees Celsius at which a disk is warm, and hot */
struct heat_limits {
	int32_t warn;
	int32_t pause;
};

/**
 * heat_limits() - limits of a disk
 * @configured: for all disks, DEGREES_OF_DISK or DEGREES_NEVER
 * @own: what the disk reports that it may have, DW_TEMPERATURE_UNKNOWN; one that no disk can mean
 *	is
 *	as good as unknown, which is 65
 */
struct heat_limits heat_limits(const struct heat_limits *configured, int32_t own);

/**
 * heat_next() - how a disk is now
 * @before: how it was
 * @degrees: its temperature, DW_TEMPERATURE_UNKNOWN = as it was
 *
 * It becomes warm or hot at the limit, and is so until it is DEGREES_BACK below.
 */
enum heat heat_next(enum heat before, int32_t degrees, const struct heat_limits *l);

/**
 * lights_of() - what the lights of a bay tell of the work on its disk
 * @o: OUTCOME_NONE = it continues, or there is none
 * @code: exit code that it alone would give
 * @ret: by enum dw_bay_light: locate = it is done, take it out; fault = it is not erased
 */
void lights_of(enum svc_outcome o, int code, bool ret[2]);

/** reuse_reason() - @reason, and that a failing disk is not to be used again: @text says why; empty
 *  = it does not fail. @ret: @size bytes; @reason is cut rather than that. */
void reuse_reason(const char *reason, const char *text, char *ret, size_t size);

#endif
