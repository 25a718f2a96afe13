/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each task is a job of its own for the engine, with its own state and key file. So a disk that
 * comes back is resumed where it stopped, whatever became of the disks that were submitted with
 * it. The engine puts disks behind one adapter on one link, whatever job they belong to.
 */
#include "works.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define BEAT_MS    5000
#define NOTICES    64 /* of one task that wait to be taken */
#define TEXT_WAITS 256

/**
 * struct works_item - an event that waits to be taken
 * @event: the event
 * @of: the task that it is about, NULL = none
 * @queued: it is in the list of events; under the lock
 */
struct works_item {
	struct works_event event;
	struct work *of;
	bool queued;
	struct works_item *next;
};

/**
 * struct work_asked - requests for a task that the thread has not yet taken
 * @value: the new priority, if @priority
 */
struct work_asked {
	bool cancel;
	bool pause;
	bool resume;
	bool priority;
	int32_t value;
};

/**
 * struct work - a task in the engine; freed when its end is taken
 * @task: what was ordered
 * @job: the job of the engine; NULL = not begun, or never will be: @over
 * @added: the disk is in @job
 * @refused: the disk was refused; @reason says why
 * @cancel, @pause: requests that came before @added
 * @over: it has ended
 * @asked: under the lock
 * @seen: its progress, under the lock; @fresh: it has changed since it was taken
 * @notices: number of remarks not yet taken; @dropped: number for which there was no room
 * @begun, @paused, @ended: memory for the events that must not be lost: without its end a job
 *	would never end
 */
struct work {
	struct works_task task;
	struct dw_job *job;
	bool added;
	bool refused;
	bool cancel;
	bool pause;
	bool over;
	char reason[256];
	struct work_asked asked;
	struct works_progress seen;
	bool fresh;
	unsigned notices;
	unsigned dropped;
	struct works_item begun;
	struct works_item paused;
	struct works_item ended;
	struct work *next;
};

/**
 * struct works - the engine's thread, and what is exchanged with it
 * @fd: eventfd, readable while there are events
 * @broken: the engine has failed
 * @quitting: the thread has seen @quit
 * @lock: protects what follows
 * @first, @last: events not yet taken
 * @work: tasks in the order of their coming; only the thread removes from it, and only it reads
 *	it without the lock
 * @come: tasks that are not in @work yet
 * @asked: there are requests for a task
 * @look: a discovery is requested; @rules: by these rules
 * @stop, @quit: requests to stop all tasks, and to end the thread
 * @found, @failed: memory for these events
 * @beat, @beat_ctx: works_beat()
 */
struct works {
	struct dw_engine *engine;
	pthread_t thread;
	int fd;
	bool broken;
	bool quitting;
	pthread_mutex_t lock;
	struct works_item *first;
	struct works_item *last;
	struct work *work;
	struct work *come;
	bool asked;
	bool look;
	const struct dw_rules *rules;
	bool stop;
	bool quit;
	struct works_item found;
	struct works_item failed;
	void (*beat)(void *ctx);
	void *beat_ctx;
};

static int64_t seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* --- events, to the service ------------------------------------------------ */

/* The memory of the item exists before. A newer event about a pause replaces one that was not
 * taken. */
static void report_event(struct works *w, struct works_item *item,
			 const struct works_event *e)
{
	uint64_t one = 1;

	pthread_mutex_lock(&w->lock);
	item->event = *e;
	if (!item->queued) {
		item->queued = true;
		item->next = NULL;
		if (w->last)
			w->last->next = item;
		else
			w->first = item;
		w->last = item;
	}
	pthread_mutex_unlock(&w->lock);
	if (write(w->fd, &one, sizeof(one)) < 0)
		return; /* the counter is full: the descriptor is readable already */
}

bool works_next(struct works *w, struct works_event *ret)
{
	struct works_item *item;
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	item = w->first;
	if (item) {
		w->first = item->next;
		if (!w->first)
			w->last = NULL;
		item->queued = false;
		*ret = item->event;
		if (ret->kind == WORKS_NOTICE)
			item->of->notices--;
	} else if (read(w->fd, &n, sizeof(n)) < 0) {
		n = 0; /* the descriptor was not readable */
	}
	pthread_mutex_unlock(&w->lock);
	if (!item)
		return false;
	if (ret->kind == WORKS_NOTICE)
		free(item);
	else if (ret->kind == WORKS_ENDED)
		free(item->of); /* the item is part of it */
	return true;
}

void works_progress(struct works *w,
		    void (*each)(void *ctx, const struct works_progress *p), void *ctx)
{
	pthread_mutex_lock(&w->lock);
	for (struct work *k = w->work; k; k = k->next) {
		if (k->fresh)
			each(ctx, &k->seen);
		k->fresh = false;
	}
	pthread_mutex_unlock(&w->lock);
}

int works_fd(const struct works *w)
{
	return w->fd;
}

/* --- the thread ------------------------------------------------------------- */

/* Sends the end of @k, which is in no list any more. @v: verdict of its disk, NULL = not
 * judged. */
static void end_refused(struct works *w, struct work *k, const char *why,
			const struct dw_verdict *v)
{
	struct works_event e = { .kind = WORKS_ENDED,
				 .id = k->task.id,
				 .outcome = OUTCOME_REFUSED,
				 .code = 2 };

	if (v && v->refusal == DW_REFUSAL_PURGE) {
		e.outcome = OUTCOME_UNPURGED;
		e.code = 3;
		why = v->reason;
	}

	snprintf(e.text, sizeof(e.text), "%s", why);
	report_event(w, &k->ended, &e);
}

static int open_job(struct works *w, const struct works_task *t, struct dw_job **ret,
		    struct dw_error *err)
{
	struct dw_job *job = NULL;
	int r = dw_job_new(w->engine, &t->spec, &job, err);

	if (!r)
		r = dw_job_group(job, t->group);
	if (!r) {
		dw_job_hold(job, true);
		r = dw_job_start(job, err);
	}
	if (!r)
		r = dw_task_add(job, &t->disk);
	if (r < 0) {
		dw_job_free(job);
		return r;
	}
	*ret = job;
	return 0;
}

static void begin_work(struct work *k, struct works *w)
{
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int r = open_job(w, &k->task, &k->job, &err);

	if (r == 0)
		return;
	k->over = k->refused = true;
	snprintf(k->reason, sizeof(k->reason), "%s",
		 err.reason[0] ? dw_error_text(&err, text) : strerror(-r));
}

/* a request for a disk that is being claimed is kept until the disk is in the job */
static void ask_of(struct work *k, enum works_ask ask, int32_t arg)
{
	if (ask == WORKS_PRIORITY)
		k->task.priority = arg;
	k->cancel |= ask == WORKS_CANCEL;
	k->pause = ask == WORKS_PAUSE || (k->pause && ask != WORKS_RESUME);
	if (!k->added)
		return;
	switch (ask) {
	case WORKS_PAUSE:
		dw_task_pause(k->job, 0);
		break;
	case WORKS_RESUME:
		dw_task_resume(k->job, 0);
		break;
	case WORKS_CANCEL:
		dw_task_cancel(k->job, 0);
		break;
	case WORKS_PRIORITY:
		dw_task_priority(k->job, 0, arg);
		break;
	}
}

static void joined(struct works *w, struct work *k)
{
	k->added = true;
	dw_job_hold(k->job, false);
	if (k->task.priority)
		dw_task_priority(k->job, 0, k->task.priority);
	if (k->cancel)
		dw_task_cancel(k->job, 0);
	else if (k->pause)
		dw_task_pause(k->job, 0);
	report_event(w, &k->begun,
		     &(struct works_event){ .kind = WORKS_BEGUN, .id = k->task.id });
}

static void disks_arrived(void *ctx, const char *path, int r, struct dw_disk *disk,
			  size_t n)
{
	struct works *w = ctx;

	report_event(w, &w->found,
		     &(struct works_event){
			     .kind = WORKS_FOUND, .error = r, .disk = disk, .n = n });
}

static void look_for_disks(struct works *w, const struct dw_rules *rules)
{
	int r = dw_engine_discover(w->engine, NULL, rules, disks_arrived, w);

	if (r < 0)
		disks_arrived(w, NULL, r, NULL, 0);
}

/* Appends the new tasks to the list. */
static void take_new(struct works *w)
{
	struct work **end = &w->work;

	while (*end)
		end = &(*end)->next;
	*end = w->come;
	w->come = NULL;
}

static void take_requests_of_tasks(struct works *w)
{
	for (struct work *k = w->work; k; k = k->next) {
		struct work_asked a;

		pthread_mutex_lock(&w->lock);
		a = k->asked;
		k->asked = (struct work_asked){ .cancel = false };
		pthread_mutex_unlock(&w->lock);
		if (a.pause || a.resume)
			ask_of(k, a.pause ? WORKS_PAUSE : WORKS_RESUME, 0);
		if (a.priority)
			ask_of(k, WORKS_PRIORITY, a.value);
		if (a.cancel)
			ask_of(k, WORKS_CANCEL, 0);
	}
}

static void take_requests(struct works *w)
{
	const struct dw_rules *rules;
	bool look, asked, stop;

	pthread_mutex_lock(&w->lock);
	take_new(w);
	asked = w->asked;
	look = w->look;
	rules = w->rules;
	stop = w->stop || (w->quit && !w->quitting);
	w->quitting = w->quit;
	w->asked = w->look = w->stop = false;
	pthread_mutex_unlock(&w->lock);
	for (struct work *k = w->work; k; k = k->next)
		if (!k->job && !k->over)
			begin_work(k, w);
	if (asked)
		take_requests_of_tasks(w);
	if (look)
		look_for_disks(w, rules);
	for (struct work *k = w->work; k && stop; k = k->next)
		if (k->job)
			dw_job_stop(k->job);
}

static void add_notice(struct works *w, struct work *k, const char *text)
{
	struct works_event e = { .kind = WORKS_NOTICE, .id = k->task.id };
	struct works_item *item = NULL;

	pthread_mutex_lock(&w->lock);
	if (k->notices < NOTICES)
		item = calloc(1, sizeof(*item));
	k->notices += item != NULL;
	k->dropped += !item;
	pthread_mutex_unlock(&w->lock);
	if (!item)
		return;
	item->of = k;
	snprintf(e.text, sizeof(e.text), "%s", text);
	report_event(w, item, &e);
}

static void exception(struct works *w, struct work *k, const struct dw_exception *x)
{
	char text[TEXT_WAITS];

	snprintf(text, sizeof(text), "%s: LBA %llu, %llu block%s%s%s",
		 dw_exception_name(x->kind), (unsigned long long)x->lba,
		 (unsigned long long)x->blocks, x->blocks == 1 ? "" : "s",
		 x->sense[0] ? ", sense " : "", x->sense);
	add_notice(w, k, text);
}

static void see(struct works *w, struct work *k, const struct dw_event *e)
{
	pthread_mutex_lock(&w->lock);
	if (e->kind == DW_EVENT_FLUSHED) {
		k->seen.flushed = true;
		k->seen.flushed_pass = e->progress.pass;
		k->seen.flushed_lba = e->progress.lba;
	} else {
		k->seen.now = e->progress;
	}
	k->fresh = true;
	pthread_mutex_unlock(&w->lock);
}

static void take(struct works *w, struct work *k, const struct dw_event *e)
{
	switch (e->kind) {
	case DW_EVENT_ADDED:
		joined(w, k);
		break;
	case DW_EVENT_REFUSED:
		k->refused = true;
		snprintf(k->reason, sizeof(k->reason), "%s", e->text);
		dw_job_hold(k->job, false);
		break;
	case DW_EVENT_NOTICE:
		add_notice(w, k, e->text);
		break;
	case DW_EVENT_EXCEPTION:
		exception(w, k, &e->exception);
		break;
	case DW_EVENT_PAUSED:
		see(w, k, e);
		report_event(
			w, &k->paused,
			&(struct works_event){ .kind = WORKS_PAUSED, .id = k->task.id });
		break;
	case DW_EVENT_RESUMED:
		report_event(
			w, &k->paused,
			&(struct works_event){ .kind = WORKS_RESUMED, .id = k->task.id });
		break;
	case DW_EVENT_JOB_DONE:
		k->over = true;
		break;
	case DW_EVENT_REMAINING: /* of the job, which is one disk: that says it as well */
		break;
	default:
		see(w, k, e);
	}
}

/* The job is freed before its end is reported: then nothing is borrowed any more. */
static void end_work(struct works *w, struct work *k)
{
	const struct dw_job_result *r = k->job ? dw_job_result(k->job) : NULL;
	struct works_event e = { .kind = WORKS_ENDED, .id = k->task.id, .last = k->seen };
	struct dw_verdict v = { 0 };

	if (r && r->n_disks) {
		e.outcome = outcome_of(r->disk[0].outcome, r->disk[0].verify_only);
		e.left_working = r->disk[0].left_working;
		e.code = dw_job_exit_code(r);
		e.json = dw_job_result_json(r);
		snprintf(e.text, sizeof(e.text), "%s", r->disk[0].reason);
	}
	if (r && r->n_refused)
		v = r->refused[0].verdict;
	dw_job_free(k->job);
	if (e.outcome != OUTCOME_NONE)
		report_event(w, &k->ended, &e);
	else
		end_refused(w, k, k->refused ? k->reason : "stopped before it began", &v);
}

static void end_all_done(struct works *w)
{
	struct work **at = &w->work;

	while (*at) {
		struct work *k = *at;

		if (!k->over) {
			at = &k->next;
			continue;
		}
		if (k->dropped) {
			char text[TEXT_WAITS];

			snprintf(text, sizeof(text), "%u more remarks", k->dropped);
			k->notices = 0;
			add_notice(w, k, text);
		}
		pthread_mutex_lock(&w->lock);
		*at = k->next;
		pthread_mutex_unlock(&w->lock);
		end_work(w, k);
	}
}

static void break_down(struct works *w, int r)
{
	struct works_event e = { .kind = WORKS_FAILED, .error = r };

	snprintf(e.text, sizeof(e.text), "%s",
		 r == -EDEADLK ? "internal error, nothing went on" : strerror(-r));
	w->broken = true;
	report_event(w, &w->failed, &e);
}

static void go_round(struct works *w)
{
	struct pollfd p = { .fd = dw_engine_fd(w->engine), .events = POLLIN };
	struct dw_event e;
	int r;

	if (poll(&p, 1, BEAT_MS) < 0)
		return;
	take_requests(w);
	r = dw_engine_step(w->engine, 0);
	for (struct work *k = w->work; k; k = k->next)
		while (k->job && dw_job_next_event(k->job, &e))
			take(w, k, &e);
	end_all_done(w);
	if (r < 0)
		break_down(w, r);
}

static void *run(void *ctx)
{
	struct works *w = ctx;
	int64_t beaten = 0;

	while (!w->broken && !(w->quitting && !w->work)) {
		go_round(w);
		if (w->beat && seconds_now() - beaten >= BEAT_MS / 1000) {
			beaten = seconds_now();
			w->beat(w->beat_ctx);
		}
	}
	return NULL;
}

/* --- what is asked, by the service ------------------------------------------- */

static void wake(struct works *w)
{
	pthread_mutex_unlock(&w->lock);
	dw_engine_wake(w->engine);
}

int works_begin(struct works *w, const struct works_task *task)
{
	struct work *k = calloc(1, sizeof(*k)), **end = &w->come;

	if (!k)
		return -ENOMEM;
	k->task = *task;
	k->seen.id = task->id;
	k->begun.of = k->paused.of = k->ended.of = k;
	pthread_mutex_lock(&w->lock);
	while (*end)
		end = &(*end)->next;
	*end = k;
	wake(w);
	return 0;
}

static void note_asked(struct work_asked *a, enum works_ask ask, int32_t arg)
{
	switch (ask) {
	case WORKS_PAUSE:
	case WORKS_RESUME:
		a->pause = ask == WORKS_PAUSE;
		a->resume = !a->pause;
		break;
	case WORKS_CANCEL:
		a->cancel = true;
		break;
	case WORKS_PRIORITY:
		a->priority = true;
		a->value = arg;
		break;
	}
}

static bool ask_in(struct work *list, int64_t id, enum works_ask ask, int32_t arg)
{
	while (list && list->task.id != id)
		list = list->next;
	if (list)
		note_asked(&list->asked, ask, arg);
	return list != NULL;
}

void works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg)
{
	pthread_mutex_lock(&w->lock);
	w->asked |= ask_in(w->work, id, ask, arg) || ask_in(w->come, id, ask, arg);
	wake(w);
}

void works_look(struct works *w, const struct dw_rules *rules)
{
	pthread_mutex_lock(&w->lock);
	w->look = true;
	w->rules = rules;
	wake(w);
}

void works_stop(struct works *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	wake(w);
}

void works_beat(struct works *w, void (*beat)(void *ctx), void *ctx)
{
	w->beat_ctx = ctx;
	w->beat = beat;
}

/* signals belong to the main thread */
static int start_thread(struct works *w)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int works_new(struct dw_simulation *simulated, struct works **ret)
{
	struct works *w = calloc(1, sizeof(*w));
	int r = w ? dw_engine_new(&w->engine) : -ENOMEM;

	if (!r && simulated)
		r = dw_engine_simulate(w->engine, simulated);
	if (r < 0) {
		if (w)
			dw_engine_free(w->engine);
		free(w);
		return r;
	}
	pthread_mutex_init(&w->lock, NULL);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = w->fd < 0 ? -errno : start_thread(w);
	if (r < 0) {
		if (w->fd >= 0)
			close(w->fd);
		dw_engine_free(w->engine);
		free(w);
		return r;
	}
	*ret = w;
	return 0;
}

/* the engine has failed: what it still has is cut off */
static void drop_list(struct work *list)
{
	struct work *next;

	for (; list; list = next) {
		next = list->next;
		dw_job_free(list->job);
		free(list);
	}
}

void works_free(struct works *w)
{
	struct works_event e;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	wake(w);
	pthread_join(w->thread, NULL);
	while (works_next(w, &e)) {
		free(e.disk);
		free(e.json);
	}
	drop_list(w->work);
	drop_list(w->come);
	dw_engine_free(w->engine);
	close(w->fd);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
