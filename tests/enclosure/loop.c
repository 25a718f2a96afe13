/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place where the enclosure waits: epoll for file descriptors, a timer
 * with an absolute deadline for the next completion. Single-threaded, so nothing
 * else needs a lock.
 */
#include "loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/**
 * dw_loop_now - monotonic time
 *
 * Return: nanoseconds.
 */
uint64_t dw_loop_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/**
 * dw_loop_init - a loop without sources
 * @l: loop to fill
 *
 * Return: 0 or a negative errno.
 */
int dw_loop_init(struct dw_loop *l)
{
	struct epoll_event e = { .events = EPOLLIN };

	memset(l, 0, sizeof(*l));
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll_fd < 0 || l->timer_fd < 0 ||
	    epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->timer_fd, &e) < 0)
		return -errno;
	return 0;
}

/**
 * dw_loop_deinit - close
 * @l: loop
 */
void dw_loop_deinit(struct dw_loop *l)
{
	close(l->timer_fd);
	close(l->epoll_fd);
}

/**
 * dw_loop_add - watch a file descriptor
 * @l: loop
 * @s: source, borrowed until it is removed; it may be removed from any callback
 *     but its own memory must outlive the present dw_loop_wait()
 *
 * Return: 0 or a negative errno.
 */
int dw_loop_add(struct dw_loop *l, struct dw_source *s)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = s };

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, s->fd, &e) < 0 ? -errno : 0;
}

/**
 * dw_loop_remove - watch it no more
 * @l: loop
 * @s: source; its descriptor stays open and is set to -1
 */
void dw_loop_remove(struct dw_loop *l, struct dw_source *s)
{
	if (s->fd < 0)
		return;
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
	s->fd = -1;
}

static void arm(struct dw_loop *l, uint64_t until_ns)
{
	struct itimerspec t = { 0 };

	if (until_ns == l->armed_ns)
		return;
	l->armed_ns = until_ns;
	if (until_ns != UINT64_MAX) {
		t.it_value.tv_sec = (time_t)(until_ns / 1000000000u);
		t.it_value.tv_nsec = (long)(until_ns % 1000000000u);
		if (!until_ns)
			t.it_value.tv_nsec = 1;
	}
	timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

/**
 * dw_loop_wait - wait once and call whoever is ready
 * @l: loop
 * @until_ns: come back by then, UINT64_MAX for no limit
 *
 * Return: 0 or a negative errno.
 */
int dw_loop_wait(struct dw_loop *l, uint64_t until_ns)
{
	struct epoll_event e[32];
	uint64_t expired;
	int i, n;

	arm(l, until_ns);
	n = epoll_wait(l->epoll_fd, e, 32, -1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (i = 0; i < n; i++) {
		struct dw_source *s = e[i].data.ptr;

		if (s && s->fd >= 0) {
			s->ready(s->arg);
		} else if (!s && read(l->timer_fd, &expired, sizeof(expired)) > 0) {
			l->armed_ns = UINT64_MAX;
		}
	}
	return 0;
}
