/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_NEWS_H
#define DW_ENGINE_NEWS_H

/* Events that the caller has not taken yet. */
#include "diskwipe/job.h"

/** struct news_item - an event that has not been taken */
struct news_item {
	struct dw_event e;
	struct news_item *before;
	struct news_item *next;
};

/**
 * struct job_untold - of a disk, or the job: events that have not been taken
 * @progress, @flushed: the newest; NULL = none
 * @remarks: notices and exceptions among them, @dropped: for which there was no room
 */
struct job_untold {
	struct news_item *progress;
	struct news_item *flushed;
	uint32_t remarks;
	uint64_t dropped;
};

/** struct job_news - all of them in order; @untold: those about the job */
struct job_news {
	struct news_item *first;
	struct news_item *last;
	struct job_untold untold;
};

/** job_news_next() - dw_job_next_event(), without the time that is left. */
bool job_news_next(struct dw_job *job, struct dw_event *ret);

/** job_news_add() - let the caller know; 0, -ENOMEM. */
int job_news_add(struct dw_job *job, const struct dw_event *e);

/** job_news_free() - what was not taken. */
void job_news_free(struct job_news *n);

#endif
