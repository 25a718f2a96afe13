/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each order is a job of its own, with its own state and key file, so that a disk that comes back
 * goes on where it stopped, whatever became of the others that were submitted with it. The
 * engine puts those behind one adapter on one link.
 */
#include "works.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define BEAT_MS    5000
#define NOTICES    64 /* of one order that wait to be taken */
#define TEXT_WAITS 256

struct works_item {
	struct works_event event;
	struct works_item *next;
};

/* something to be done by the thread */
struct works_wish {
	enum { BEGIN, ASK, LOOK, STOP, QUIT } kind;
	struct works_order *order;
	int64_t id;
	enum works_ask ask;
	int32_t arg;
	const struct dw_rules *rules;
	struct works_wish *next;
};

/**
 * struct work - an order in the thread
 * @added: the disk is in the job; @wish: what was asked of it before
 * @seen, @fresh: where it stands, under the lock; it has changed since it was taken
 * @notices: that have not been taken; @dropped: for which there was no room
 */
struct work {
	int64_t id;
	struct dw_job *job;
	int32_t priority;
	bool added;
	bool refused;
	bool cancel;
	bool pause;
	bool over;
	char reason[256];
	struct works_progress seen;
	bool fresh;
	unsigned notices;
	unsigned dropped;
	struct work *next;
};

struct works {
	struct dw_engine *engine;
	pthread_t thread;
	int fd;
	pthread_mutex_t lock; /* of what follows */
	struct works_item *first;
	struct works_item *last;
	struct works_wish *wishes;
	struct works_wish *wishes_end;
	struct work *work;
	bool broken;
	bool quit;
	_Atomic int64_t beaten; /* CLOCK_MONOTONIC, seconds */
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

/* there is always room: an event that is lost would be a job that never ends */
static void tell_service(struct works *w, const struct works_event *e)
{
	struct works_item *item = malloc(sizeof(*item));
	uint64_t one = 1;

	if (!item)
		abort();
	*item = (struct works_item){ .event = *e };
	pthread_mutex_lock(&w->lock);
	if (w->last)
		w->last->next = item;
	else
		w->first = item;
	w->last = item;
	pthread_mutex_unlock(&w->lock);
	if (write(w->fd, &one, sizeof(one)) < 0)
		return; /* it is readable already */
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
		for (struct work *k = w->work; k && item->event.kind == WORKS_NOTICE;
		     k = k->next)
			k->notices -= k->id == item->event.id;
	} else if (read(w->fd, &n, sizeof(n)) < 0) {
		n = 0; /* nobody had written to it */
	}
	pthread_mutex_unlock(&w->lock);
	if (!item)
		return false;
	*ret = item->event;
	free(item);
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

static struct work *find_work(struct works *w, int64_t id)
{
	struct work *k = w->work;

	while (k && k->id != id)
		k = k->next;
	return k;
}

/* @v: of the disk, NULL = it was not judged */
static void end_refused(struct works *w, int64_t id, const char *why,
			const struct dw_verdict *v)
{
	struct works_event e = {
		.kind = WORKS_ENDED, .id = id, .refused = true, .code = 2
	};

	if (v && v->refusal == DW_REFUSAL_PURGE) {
		e.unpurged = true;
		e.code = 3;
		why = v->reason;
	}

	snprintf(e.text, sizeof(e.text), "%s", why);
	tell_service(w, &e);
}

static int open_job(struct works *w, const struct works_order *o, struct dw_job **ret,
		    struct dw_error *err)
{
	struct dw_job *job = NULL;
	int r = dw_job_new(w->engine, &o->spec, &job, err);

	if (!r)
		r = dw_job_group(job, o->group);
	if (!r) {
		dw_job_hold(job, true);
		r = dw_job_start(job, err);
	}
	if (!r)
		r = dw_task_add(job, &o->disk);
	if (r < 0) {
		dw_job_free(job);
		return r;
	}
	*ret = job;
	return 0;
}

static void begin_order(struct works *w, const struct works_order *o)
{
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	struct work *k = calloc(1, sizeof(*k));
	int r = k ? open_job(w, o, &k->job, &err) : -ENOMEM;

	if (r < 0) {
		end_refused(w, o->id,
			    err.reason[0] ? dw_error_text(&err, text) : strerror(-r),
			    NULL);
		free(k);
		return;
	}
	k->id = k->seen.id = o->id;
	k->priority = o->priority;
	pthread_mutex_lock(&w->lock);
	k->next = w->work;
	w->work = k;
	pthread_mutex_unlock(&w->lock);
}

/* what was asked of a disk that is being claimed waits until it is in the job */
static void ask_of(struct work *k, enum works_ask ask, int32_t arg)
{
	if (ask == WORKS_PRIORITY)
		k->priority = arg;
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
	if (k->priority)
		dw_task_priority(k->job, 0, k->priority);
	if (k->cancel)
		dw_task_cancel(k->job, 0);
	else if (k->pause)
		dw_task_pause(k->job, 0);
	tell_service(w, &(struct works_event){ .kind = WORKS_BEGUN, .id = k->id });
}

static void disks_arrived(void *ctx, const char *path, int r, struct dw_disk *disk,
			  size_t n)
{
	struct works *w = ctx;

	tell_service(w, &(struct works_event){
				.kind = WORKS_FOUND, .error = r, .disk = disk, .n = n });
}

static void look_for_disks(struct works *w, const struct dw_rules *rules)
{
	int r = dw_engine_discover(w->engine, NULL, rules, disks_arrived, w);

	if (r < 0)
		disks_arrived(w, NULL, r, NULL, 0);
}

static void grant(struct works *w, const struct works_wish *wish)
{
	struct work *k;

	switch (wish->kind) {
	case BEGIN:
		begin_order(w, wish->order);
		break;
	case ASK:
		k = find_work(w, wish->id);
		if (k)
			ask_of(k, wish->ask, wish->arg);
		break;
	case LOOK:
		look_for_disks(w, wish->rules);
		break;
	case QUIT:
		w->quit = true;
		/* fall through */
	case STOP:
		for (k = w->work; k; k = k->next)
			dw_job_stop(k->job);
		break;
	}
}

static void grant_all(struct works *w)
{
	struct works_wish *wish, *next;

	pthread_mutex_lock(&w->lock);
	wish = w->wishes;
	w->wishes = w->wishes_end = NULL;
	pthread_mutex_unlock(&w->lock);
	for (; wish; wish = next) {
		next = wish->next;
		grant(w, wish);
		free(wish->order);
		free(wish);
	}
}

static void remark(struct works *w, struct work *k, const char *text)
{
	struct works_event e = { .kind = WORKS_NOTICE, .id = k->id };
	bool room;

	pthread_mutex_lock(&w->lock);
	room = k->notices < NOTICES;
	k->notices += room;
	k->dropped += !room;
	pthread_mutex_unlock(&w->lock);
	snprintf(e.text, sizeof(e.text), "%s", text);
	if (room)
		tell_service(w, &e);
}

static void exception(struct works *w, struct work *k, const struct dw_exception *x)
{
	char text[TEXT_WAITS];

	snprintf(text, sizeof(text), "%s: LBA %llu, %llu block%s%s%s",
		 dw_exception_name(x->kind), (unsigned long long)x->lba,
		 (unsigned long long)x->blocks, x->blocks == 1 ? "" : "s",
		 x->sense[0] ? ", sense " : "", x->sense);
	remark(w, k, text);
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
		remark(w, k, e->text);
		break;
	case DW_EVENT_EXCEPTION:
		exception(w, k, &e->exception);
		break;
	case DW_EVENT_PAUSED:
		see(w, k, e);
		tell_service(w,
			     &(struct works_event){ .kind = WORKS_PAUSED, .id = k->id });
		break;
	case DW_EVENT_RESUMED:
		tell_service(w,
			     &(struct works_event){ .kind = WORKS_RESUMED, .id = k->id });
		break;
	case DW_EVENT_JOB_DONE:
		k->over = true;
		break;
	default:
		see(w, k, e);
	}
}

/* The job is freed before anybody hears of its end: what it has borrowed goes with that. */
static void end_work(struct works *w, struct work *k)
{
	const struct dw_job_result *r = dw_job_result(k->job);
	struct works_event e = { .kind = WORKS_ENDED, .id = k->id, .last = k->seen };
	struct dw_verdict v = { 0 };

	if (r->n_disks) {
		e.outcome = r->disk[0].outcome;
		e.verify_only = r->disk[0].verify_only;
		e.left_working = r->disk[0].left_working;
		e.code = dw_job_exit_code(r);
		e.json = dw_job_result_json(r);
		snprintf(e.text, sizeof(e.text), "%s", r->disk[0].reason);
	}
	if (r->n_refused)
		v = r->refused[0].verdict;
	dw_job_free(k->job);
	if (e.outcome != DW_OUTCOME_NONE)
		tell_service(w, &e);
	else
		end_refused(w, k->id, k->refused ? k->reason : "stopped before it began",
			    &v);
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
			remark(w, k, text);
		}
		end_work(w, k);
		pthread_mutex_lock(&w->lock);
		*at = k->next;
		pthread_mutex_unlock(&w->lock);
		free(k);
	}
}

static void break_down(struct works *w, int r)
{
	struct works_event e = { .kind = WORKS_FAILED, .error = r };

	snprintf(e.text, sizeof(e.text), "%s",
		 r == -EDEADLK ? "internal error, nothing went on" : strerror(-r));
	w->broken = true;
	tell_service(w, &e);
}

static void go_round(struct works *w)
{
	struct pollfd p = { .fd = dw_engine_fd(w->engine), .events = POLLIN };
	struct dw_event e;
	int r;

	if (poll(&p, 1, BEAT_MS) < 0)
		return;
	grant_all(w);
	r = dw_engine_step(w->engine, 0);
	for (struct work *k = w->work; k; k = k->next)
		while (dw_job_next_event(k->job, &e))
			take(w, k, &e);
	end_all_done(w);
	if (r < 0)
		break_down(w, r);
}

static void *run(void *ctx)
{
	struct works *w = ctx;
	int64_t beaten = 0;

	while (!w->broken && !(w->quit && !w->work)) {
		go_round(w);
		atomic_store(&w->beaten, seconds_now());
		if (w->beat && seconds_now() - beaten >= BEAT_MS / 1000) {
			beaten = seconds_now();
			w->beat(w->beat_ctx);
		}
	}
	return NULL;
}

/* --- wishes, from the service ----------------------------------------------- */

static int wish(struct works *w, const struct works_wish *from)
{
	struct works_wish *new = malloc(sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = *from;
	pthread_mutex_lock(&w->lock);
	if (w->wishes_end)
		w->wishes_end->next = new;
	else
		w->wishes = new;
	w->wishes_end = new;
	pthread_mutex_unlock(&w->lock);
	dw_engine_wake(w->engine);
	return 0;
}

int works_begin(struct works *w, const struct works_order *order)
{
	struct works_order *copy = malloc(sizeof(*copy));
	int r;

	if (!copy)
		return -ENOMEM;
	*copy = *order;
	r = wish(w, &(struct works_wish){ .kind = BEGIN, .order = copy });
	if (r < 0)
		free(copy);
	return r;
}

int works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg)
{
	return wish(
		w, &(struct works_wish){ .kind = ASK, .id = id, .ask = ask, .arg = arg });
}

int works_look(struct works *w, const struct dw_rules *rules)
{
	return wish(w, &(struct works_wish){ .kind = LOOK, .rules = rules });
}

void works_stop(struct works *w)
{
	wish(w, &(struct works_wish){ .kind = STOP });
}

bool works_alive(const struct works *w, unsigned seconds)
{
	return seconds_now() - atomic_load(&w->beaten) <= (int64_t)seconds;
}

void works_beat(struct works *w, void (*beat)(void *ctx), void *ctx)
{
	w->beat_ctx = ctx;
	w->beat = beat;
}

/* signals are the service's */
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

int works_new(struct works **ret)
{
	struct works *w = calloc(1, sizeof(*w));
	int r = w ? dw_engine_new(&w->engine) : -ENOMEM;

	if (r < 0) {
		free(w);
		return r;
	}
	pthread_mutex_init(&w->lock, NULL);
	atomic_store(&w->beaten, seconds_now());
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

void works_free(struct works *w)
{
	struct works_event e;

	if (!w)
		return;
	wish(w, &(struct works_wish){ .kind = QUIT });
	pthread_join(w->thread, NULL);
	while (works_next(w, &e)) {
		free(e.disk);
		free(e.json);
	}
	while (w->work) { /* the engine has failed: what it still has is cut off */
		struct work *k = w->work;

		w->work = k->next;
		dw_job_free(k->job);
		free(k);
	}
	dw_engine_free(w->engine);
	close(w->fd);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
