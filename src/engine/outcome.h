/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_OUTCOME_H
#define DW_ENGINE_OUTCOME_H

/* The outcome of a disk. One table decides whether it is called erased. */
#include <stdint.h>

#include "core/core.h"

struct job_disk;

/** enum job_fact - facts that the outcome depends on, beside how the core ended with the disk */
enum job_fact {
	JOB_FACT_COMPARED = 1 << 0,    /* it was only verified */
	JOB_FACT_BLOCKS = 1 << 1,      /* it has exceptions */
	JOB_FACT_MANY = 1 << 2,        /* so many that they count as failure */
	JOB_FACT_ENOUGH = 1 << 3,      /* more than the limit of a verification alone */
	JOB_FACT_MISMATCH = 1 << 4,    /* blocks held data other than written */
	JOB_FACT_UNSTEADY = 1 << 5,    /* blocks read wrong, then right */
	JOB_FACT_STEADY = 1 << 6,      /* some exceptions are not of that kind */
	JOB_FACT_SAMPLED = 1 << 7,     /* not all blocks were read after the last pass */
	JOB_FACT_UNFLUSHED = 1 << 8,   /* no command flushes its cache */
	JOB_FACT_CYCLE = 1 << 9,       /* its power cycle is due, or was seen */
	JOB_FACT_CYCLED = 1 << 10,     /* its power cycle was seen */
	JOB_FACT_NOT_CYCLED = 1 << 11, /* nobody unplugged it in time */
	JOB_FACT_UNSURE = 1 << 12,     /* others got reports of its errors */
	JOB_FACT_HIDDEN = 1 << 13,     /* blocks are hidden */
	JOB_FACT_VOLUME = 1 << 14,     /* it is a volume of a RAID controller */
	JOB_FACT_STRANGER = 1 << 15,   /* another disk answered */
	JOB_FACT_UNREAD = 1 << 16,     /* fewer blocks read at last than planned */
};

#define JOB_FACTS 17

/** enum job_why - the reason that is given with an outcome */
enum job_why {
	JOB_WHY_CORE, /* the reason of the core, if any */
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

/** struct job_judgement - an outcome, and the reason that is given */
struct job_judgement {
	enum dw_outcome outcome;
	enum job_why why;
};

/** job_judge() - the outcome of a disk with which the core ended as @end, by its facts (enum
 *  job_fact). No other place decides that. */
struct job_judgement job_judge(enum dw_core_end end, uint32_t facts);

/** job_note() - add a note to a result, if there is room. */
void job_note(struct dw_disk_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** job_notes() - add notes about the limits of what was done, for this kind of disk. */
void job_notes(const struct dw_job *job, const struct job_disk *d,
	       const struct dw_disk_state *st, struct dw_disk_result *r);

/** job_outcome() - set the outcome of a disk that has ended and is still attached. No other place
 *  says "erased". */
void job_outcome(struct dw_job *job, struct job_disk *d);

/** job_outcome_late() - change the outcome of an erased disk that another program has written to
 *  since. 0, -ENOMEM. */
int job_outcome_late(struct dw_job *job, struct job_disk *d, uint64_t writes);

/** job_healthy() - set the health of a disk that was released, all zero = not asked for, and add
 *  notes about changes since the start. */
void job_healthy(struct dw_job *job, const struct job_disk *d,
		 const struct dw_health *after);

/** job_unrestored() - report that the disk keeps settings of the job; @r: result of its release,
 *  not 0. */
void job_unrestored(struct dw_job *job, const struct job_disk *d, int r);

/** job_result_deinit() - free what a result owns. */
void job_result_deinit(struct dw_job_result *r);

/** job_final() - set the outcome of the job from those of its disks. */
void job_final(struct dw_job *job);

#endif
