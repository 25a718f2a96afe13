/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that the caller has not yet taken. The caller may wait as long as it likes: of progress
 * only the newest event is kept, and of notices and exceptions a limited number. Dropped events
 * are counted, and their number is reported in their place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "diskwipe/predict.h"
#include "engine/disk.h"
#include "engine/job.h"

#define REMARKS_MAX 64 /* of a disk, or of the job */

static void link_last(struct job_news *n, struct news_item *item)
{
	item->next = NULL;
	item->before = n->last;
	if (n->last)
		n->last->next = item;
	else
		n->first = item;
	n->last = item;
}

static void unlink_item(struct job_news *n, struct news_item *item)
{
	if (item->before)
		item->before->next = item->next;
	else
		n->first = item->next;
	if (item->next)
		item->next->before = item->before;
	else
		n->last = item->before;
}

static struct job_dropped *dropped_of(struct dw_job *job, uint32_t disk)
{
	return disk < job->n_disks ? &job->disk[disk]->untold : &job->news.untold;
}

/* where only the newest counts; NULL = each does */
static struct news_item **place_of(struct job_dropped *u, enum dw_event_kind kind)
{
	if (kind == DW_EVENT_PROGRESS || kind == DW_EVENT_REMAINING)
		return &u->progress;
	return kind == DW_EVENT_FLUSHED ? &u->flushed : NULL;
}

static bool is_remark(enum dw_event_kind kind)
{
	return kind == DW_EVENT_NOTICE || kind == DW_EVENT_EXCEPTION;
}

static int append_event(struct dw_job *job, const struct dw_event *e)
{
	struct news_item *item = malloc(sizeof(*item));

	if (!item)
		return -ENOMEM;
	item->e = *e;
	link_last(&job->news, item);
	return 0;
}

int job_news_add(struct dw_job *job, const struct dw_event *e)
{
	struct job_dropped *u = dropped_of(job, e->disk);
	struct news_item **place = place_of(u, e->kind);
	int r;

	if (place && *place) {
		unlink_item(&job->news, *place);
		(*place)->e = *e;
		link_last(&job->news, *place);
		return 0;
	}
	if (is_remark(e->kind) && u->remarks == REMARKS_MAX) {
		u->dropped++;
		return 0;
	}
	r = append_event(job, e);
	if (r < 0)
		return r;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): part of a disk that is there */
	u->remarks += is_remark(e->kind);
	if (place)
		*place = job->news.last;
	return 0;
}

/* after the last of the remarks that there was room for */
static void report_dropped(struct dw_job *job, struct job_dropped *u,
			   const struct dw_event *after)
{
	struct dw_event e = *after;

	e.kind = DW_EVENT_NOTICE;
	snprintf(e.text, sizeof(e.text),
		 "%llu more remarks and exceptions came while nobody took them; the "
		 "result has all exceptions",
		 (unsigned long long)u->dropped);
	if (append_event(job, &e) < 0)
		return;
	u->remarks++;
	u->dropped = 0;
}

bool job_news_next(struct dw_job *job, struct dw_event *ret)
{
	struct news_item *item = job->news.first, **place;
	struct job_dropped *u;

	if (!item)
		return false;
	*ret = item->e;
	u = dropped_of(job, ret->disk);
	place = place_of(u, ret->kind);
	if (place)
		*place = NULL;
	unlink_item(&job->news, item);
	free(item);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): part of a disk that is there */
	if (is_remark(ret->kind) && !--u->remarks && u->dropped)
		report_dropped(job, u, ret);
	return true;
}

bool dw_job_next_event(struct dw_job *job, struct dw_event *ret)
{
	if (!job_news_next(job, ret))
		return false;
	if (ret->disk < job->n_disks && job_reached(job, JOB_STARTED))
		ret->progress.eta_seconds =
			job_seconds_left(job, job->disk[ret->disk], job_now(job));
	if (ret->kind == DW_EVENT_REMAINING) {
		ret->seconds = dw_job_seconds(job);
		ret->progress.eta_seconds = dw_job_remaining(job);
	}
	return true;
}

void job_news_free(struct job_news *n)
{
	while (n->first) {
		struct news_item *item = n->first;

		n->first = item->next;
		free(item);
	}
}
