/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_NEWS_H
#define DW_ENGINE_NEWS_H

/* The queue of events that the caller has not yet taken. */
#include "diskwipe/job.h"

/** struct news_item - one event in the queue */
struct news_item {
	struct dw_event e;
	struct news_item *before;
	struct news_item *next;
};

/**
 * struct job_dropped - the events in the queue that belong to one disk, or to the job
 * @progress, @flushed: the newest of these kinds; NULL = none
 * @remarks: number of notices and exceptions; @dropped: number for which there was no room
 */
struct job_dropped {
	struct news_item *progress;
	struct news_item *flushed;
	uint32_t remarks;
	uint64_t dropped;
};

/** struct job_news - the queue; @untold: what belongs to the job itself */
struct job_news {
	struct news_item *first;
	struct news_item *last;
	struct job_dropped untold;
};

/** job_news_next() - dw_job_next_event(), without setting the time left. */
bool job_news_next(struct dw_job *job, struct dw_event *ret);

/** job_news_add() - add an event to the queue. 0, -ENOMEM. */
int job_news_add(struct dw_job *job, const struct dw_event *e);

/** job_news_free() - free the events that were not taken. */
void job_news_free(struct job_news *n);

#endif
