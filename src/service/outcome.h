/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_OUTCOME_H
#define DW_SERVICE_OUTCOME_H

/*
 * The outcome of an attempt: those of the library, and two of a disk that was never begun. Its
 * name is used in the store, on the bus, in documents and in what hooks are given, and nowhere
 * else.
 */
#include <stdbool.h>

#include <diskwipe/job.h>

/** enum svc_outcome - ordered: a greater value is worse. A job has the greatest of its disks' */
enum svc_outcome {
	OUTCOME_NONE, /* none yet, or none at all */
	OUTCOME_AS_EXPECTED,
	OUTCOME_ERASED,
	OUTCOME_EXCEPTIONS,
	OUTCOME_REMOVED,
	OUTCOME_STOPPED,
	OUTCOME_REFUSED,
	OUTCOME_UNPURGED, /* refused, as the purge that was asked for is not available */
	OUTCOME_NOT_AS_EXPECTED,
	OUTCOME_FAILED,
	OUTCOME_UNKNOWN, /* the store has a name that no version writes: it ended, and not well */
	OUTCOMES,
};

/** outcome_word() - its name, as "erased"; empty for OUTCOME_NONE. Static text. */
const char *outcome_word(enum svc_outcome o);

/** outcome_read() - the outcome with that name; OUTCOME_UNKNOWN: no outcome has it, or @word is
 *  NULL. */
enum svc_outcome outcome_read(const char *word);

/** outcome_of() - the outcome that the library reports of a disk that was begun. */
enum svc_outcome outcome_of(enum dw_outcome o, bool verify_only);

/** outcome_never_began() - the disk was refused, or a purge was not available. */
bool outcome_never_began(enum svc_outcome o);

#endif
