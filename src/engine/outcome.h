/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_OUTCOME_H
#define DW_ENGINE_OUTCOME_H

/* What came of a disk that has ended. Whether it is called erased is decided by one table. */
#include <stdint.h>

#include "core/core.h"

struct job_disk;

/** enum job_fact - what that depends on, beside how the core ended with the disk */
enum job_fact {
	JOB_FACT_COMPARED = 1 << 0,    /* it was only to be verified */
	JOB_FACT_BLOCKS = 1 << 1,      /* blocks are exceptions */
	JOB_FACT_MANY = 1 << 2,        /* so many that they are no exceptions */
	JOB_FACT_ENOUGH = 1 << 3,      /* more than a mere verification looks for */
	JOB_FACT_MISMATCH = 1 << 4,    /* blocks held other data than were written */
	JOB_FACT_UNSTEADY = 1 << 5,    /* blocks were read wrong, and then right */
	JOB_FACT_STEADY = 1 << 6,      /* of the exceptions some are others than these */
	JOB_FACT_SAMPLED = 1 << 7,     /* not all of it was read after the last pass */
	JOB_FACT_UNFLUSHED = 1 << 8,   /* nothing flushes its cache */
	JOB_FACT_CYCLE = 1 << 9,       /* its loss of power is due, or seen */
	JOB_FACT_CYCLED = 1 << 10,     /* it is seen */
	JOB_FACT_NOT_CYCLED = 1 << 11, /* nobody unplugged it in time */
	JOB_FACT_UNSURE = 1 << 12,     /* errors of it were told to others */
	JOB_FACT_HIDDEN = 1 << 13,     /* blocks are hidden */
	JOB_FACT_VOLUME = 1 << 14,     /* it is a volume of a RAID controller */
	JOB_FACT_STRANGER = 1 << 15,   /* another disk answered */
	JOB_FACT_UNREAD = 1 << 16, /* less was read after the last pass than was to be */
};

#define JOB_FACTS 17

/** enum job_why - what is said of it */
enum job_why {
	JOB_WHY_CORE, /* what the core says, or nothing */
	JOB_WHY_FOUND,
	JOB_WHY_UNFLUSHED,
	JOB_WHY_LOST_ITS_CACHE,
	JOB_WHY_UNREAD,
	JOB_WHY_CYCLED,
	JOB_WHY_SAMPLE_DIFFERS,
	JOB_WHY_SAMPLE_UNSTEADY,
	JOB_WHY_UNSTEADY,
	JOB_WHY_MANY,
	JOB_WHY_BLOCKS,
	JOB_WHY_UNSURE,
	JOB_WHY_HIDDEN,
	JOB_WHY_VOLUME,
	JOB_WHY_STRANGER,
	JOB_WHY_STOPPED_READING,
	JOB_WHY_STOPPED_CYCLE,
	JOB_WHY_STOPPED,
};

/** struct job_judgement - @outcome, and why */
struct job_judgement {
	enum dw_outcome outcome;
	enum job_why why;
};

/** job_judge() - the outcome of a disk that ended so, with these facts (enum job_fact); the only
 *  place where that is decided. */
struct job_judgement job_judge(enum dw_core_end end, uint32_t facts);

/** job_note() - one more note for a result, if there is room. */
void job_note(struct dw_disk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** job_notes() - the limits of what was done, for this kind of disk. */
void job_notes(const struct dw_job *job, const struct job_disk *d,
	       const struct dw_disk_state *st, struct dw_disk_result *r);

/** job_outcome() - what came of a disk that has ended, and that its transport has still: the one
 *  place that says "erased". */
void job_outcome(struct dw_job *job, struct job_disk *d);

/** job_outcome_late() - a disk that was erased has been written to by another program since;
 *  0, -ENOMEM. */
int job_outcome_late(struct dw_job *job, struct job_disk *d, uint64_t writes);

/** job_healthy() - how a disk is that has been given back, all zero = it was not asked; notes of
 *  what has changed meanwhile. */
void job_healthy(struct dw_job *job, const struct job_disk *d,
		 const struct dw_health *after);

/** job_unrestored() - say that the disk keeps what the job had set; @r: of its release, not 0. */
void job_unrestored(struct dw_job *job, const struct job_disk *d, int r);

/** job_result_deinit() - free what a result owns. */
void job_result_deinit(struct dw_job_result *r);

/** job_final() - the job's outcome from its disks'. */
void job_final(struct dw_job *job);

#endif
