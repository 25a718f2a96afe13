/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/loop.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/util.h"
#include "transport/threaded.h"

/**
 * struct dw_loop - descriptors, a timer, and work
 * @epoll_fd: all that is waited for
 * @signalled: @event_fd is written, or about to be
 * @armed_ns: the time of the timer
 * @alone: no threads: work is done by whoever begins it; @error: of such work
 * @lock: protects what follows
 * @ended: signalled when @under_way becomes 0
 * @under_way: pieces of work that their threads have not handed over yet
 * @back, @last: work that has ended, the oldest first
 */
struct dw_loop {
	int epoll_fd;
	int event_fd;
	int timer_fd;
	atomic_bool signalled;
	uint64_t armed_ns;
	bool alone;
	int error;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint32_t under_way;
	struct dw_work *back;
	struct dw_work *last;
};

static int open_all(struct dw_loop *l)
{
	int r;

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll_fd < 0 || l->event_fd < 0 || l->timer_fd < 0)
		return -errno;
	r = dw_loop_watch(l, l->event_fd);
	return r ? r : dw_loop_watch(l, l->timer_fd);
}

int dw_loop_new(struct dw_loop **ret)
{
	struct dw_loop *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	l->epoll_fd = l->event_fd = l->timer_fd = -1;
	l->armed_ns = UINT64_MAX;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->ended, NULL);
	r = open_all(l);
	if (r < 0)
		dw_loop_free(l);
	else
		*ret = l;
	return r;
}

static struct dw_work *take_work(struct dw_loop *l)
{
	struct dw_work *w;

	pthread_mutex_lock(&l->lock);
	w = l->back;
	if (w) {
		l->back = w->next;
		w->next = NULL;
	}
	pthread_mutex_unlock(&l->lock);
	if (w && w->threaded)
		pthread_join(w->thread, NULL);
	if (w)
		w->threaded = false;
	return w;
}

void dw_loop_free(struct dw_loop *l)
{
	struct dw_work *w;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	while (l->under_way)
		pthread_cond_wait(&l->ended, &l->lock);
	pthread_mutex_unlock(&l->lock);
	while ((w = take_work(l)))
		if (w->drop)
			w->drop(w);
	pthread_cond_destroy(&l->ended);
	pthread_mutex_destroy(&l->lock);
	dw_closep(&l->epoll_fd);
	dw_closep(&l->event_fd);
	dw_closep(&l->timer_fd);
	free(l);
}

void dw_loop_inline(struct dw_loop *l)
{
	l->alone = true;
	dw_loop_arm(l, 0);
}

int dw_loop_watch(struct dw_loop *l, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (fd >= 0 && epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0)
		return errno == EEXIST ? 0 : -errno;
	return 0;
}

int dw_loop_fd(const struct dw_loop *l)
{
	return l->epoll_fd;
}

void dw_loop_arm(struct dw_loop *l, uint64_t ns)
{
	struct itimerspec at = { 0 };

	if (ns == l->armed_ns)
		return;
	l->armed_ns = ns;
	if (ns != UINT64_MAX) {
		ns = ns ? ns : 1; /* 0 would stop it */
		at.it_value.tv_sec = (time_t)(ns / DW_NS_PER_S);
		at.it_value.tv_nsec = (long)(ns % DW_NS_PER_S);
	}
	timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

void dw_loop_wait(const struct dw_loop *l, int timeout_ms)
{
	struct epoll_event ev;

	epoll_wait(l->epoll_fd, &ev, 1, timeout_ms);
}

void dw_loop_wake(struct dw_loop *l)
{
	const uint64_t one = 1;
	int saved = errno;

	if (!atomic_exchange(&l->signalled, true)) {
		/* full: it is readable then */
		ssize_t n = write(l->event_fd, &one, sizeof(one));

		(void)n;
	}
	errno = saved;
}

static void hand_over(struct dw_loop *l, struct dw_work *w, bool was_under_way)
{
	pthread_mutex_lock(&l->lock);
	if (l->back)
		l->last->next = w;
	else
		l->back = w;
	l->last = w;
	dw_loop_wake(l); /* with the lock: who frees the loop takes it first */
	if (was_under_way && !--l->under_way)
		pthread_cond_signal(&l->ended);
	pthread_mutex_unlock(&l->lock);
}

static void *work_main(void *arg)
{
	struct dw_work *w = arg;

	w->run(w);
	hand_over(w->loop, w, true);
	return NULL;
}

/* The thread waits for the lock, so that it never hands over what is not whole. */
void dw_loop_begin(struct dw_loop *l, struct dw_work *w)
{
	bool threaded = false;
	int r;

	w->loop = l;
	w->next = NULL;
	if (!l->alone) {
		pthread_mutex_lock(&l->lock);
		threaded = !dw_thread_start(&w->thread, 0, work_main, w);
		w->threaded = threaded;
		l->under_way += threaded;
		pthread_mutex_unlock(&l->lock);
	}
	if (threaded)
		return;
	w->run(w);
	if (!l->alone) {
		hand_over(l, w, false);
		return;
	}
	r = w->done(w);
	l->error = l->error ? l->error : r;
}

void dw_loop_post(struct dw_loop *l, struct dw_work *w)
{
	w->next = NULL;
	hand_over(l, w, false);
}

bool dw_loop_at_work(struct dw_loop *l)
{
	bool at_work;

	pthread_mutex_lock(&l->lock);
	at_work = l->under_way || l->back;
	pthread_mutex_unlock(&l->lock);
	return at_work;
}

/* @signalled stays set until the count is read: where somebody has set it but not written yet,
 * there is nothing to read, and the descriptor will become readable. */
static void heed(struct dw_loop *l)
{
	uint64_t count;

	if (atomic_load(&l->signalled) && read(l->event_fd, &count, sizeof(count)) > 0)
		atomic_store(&l->signalled, false);
}

int dw_loop_collect(struct dw_loop *l, int *ret_n)
{
	struct dw_work *w;
	int r = l->error, one;

	heed(l);
	while ((w = take_work(l))) {
		one = w->done(w);
		r = r ? r : one;
		++*ret_n;
	}
	return r;
}
