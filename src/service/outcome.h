/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_OUTCOME_H
#define DW_SERVICE_OUTCOME_H

/*
 * What came of an attempt: the outcomes of the library, and the two of a disk that never began. In
 * words it is in the store, on the bus, in documents and in what hooks are given, nowhere else.
 */
#include <stdbool.h>

#include <diskwipe/job.h>

/** enum svc_outcome - the greater, the worse: a job's is the greatest of its disks' */
enum svc_outcome {
	OUTCOME_NONE, /* it goes on, or there is none */
	OUTCOME_AS_EXPECTED,
	OUTCOME_ERASED,
	OUTCOME_EXCEPTIONS,
	OUTCOME_REMOVED,
	OUTCOME_STOPPED,
	OUTCOME_REFUSED,
	OUTCOME_UNPURGED, /* refused, as the level that is asked for cannot be reached */
	OUTCOME_NOT_AS_EXPECTED,
	OUTCOME_FAILED,
	OUTCOME_UNKNOWN, /* the store has a word that no version writes: it ended, not well */
};

/** outcome_word() - "erased", ...; empty: it goes on. Static. */
const char *outcome_word(enum svc_outcome o);

/** outcome_read() - the outcome of that word; OUTCOME_UNKNOWN: none has it, or there is no word. */
enum svc_outcome outcome_read(const char *word);

/** outcome_of() - as the library tells it of a disk that was worked on. */
enum svc_outcome outcome_of(enum dw_outcome o, bool verify_only);

/** outcome_never_began() - the disk was refused, or could not be purged. */
bool outcome_never_began(enum svc_outcome o);

#endif
