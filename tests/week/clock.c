/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual clock. Functions of the program come before those of libc, also for libsystemd: what
 * asks for the time, sets a timer or waits for events ends up here. When nothing is ready, the
 * clock jumps to the next timer or the next event of the model. A timer is an eventfd, which is as
 * readable and as easily read as a timerfd.
 *
 * A life that is killed ends at one of these calls, some of them in the middle of a transaction of
 * the store. Nothing waits for the medium: what a killed process has written is there.
 */
#include "week.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FDS    1024
#define EPOCH  (UINT64_C(1800000000) * SECOND)

static bool alive;
static bool armed[FDS];
static uint64_t expires[FDS];

/* the moment of a kill is one of the calls that the service makes */
static void burn_fuse(void)
{
	if (alive && week->fuse && !--week->fuse)
		_exit(137);
}

/* --- time ------------------------------------------------------------------ */

uint64_t week_wall(uint64_t at)
{
	return at + EPOCH + week->wall;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ret)
{
	uint64_t us;

	if (!alive || id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, id, ret);
	burn_fuse();
	us = ++week->now;
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		us = week_wall(us);
	ret->tv_sec = (time_t)(us / SECOND);
	ret->tv_nsec = (long)(us % SECOND) * 1000;
	return 0;
}

EXPORT int timerfd_create(int id, int flags)
{
	int fd;

	if (!alive)
		return (int)syscall(SYS_timerfd_create, id, flags);
	fd = eventfd(0, flags & EFD_CLOEXEC ? EFD_CLOEXEC | EFD_NONBLOCK : EFD_NONBLOCK);
	if (fd >= FDS)
		abort();
	if (fd >= 0)
		armed[fd] = false;
	return fd;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *at,
			   struct itimerspec *old)
{
	uint64_t us = (uint64_t)at->it_value.tv_sec * SECOND +
		      (uint64_t)at->it_value.tv_nsec / 1000;

	if (!alive)
		return (int)syscall(SYS_timerfd_settime, fd, flags, at, old);
	week_hush(fd);
	armed[fd] = us != 0;
	expires[fd] = flags & TFD_TIMER_ABSTIME ? us : week->now + us;
	return 0;
}

static uint64_t next_timer(void)
{
	uint64_t next = NEVER;

	for (int i = 0; i < FDS; i++)
		if (armed[i] && expires[i] < next)
			next = expires[i];
	return next;
}

static void fire_timers(void)
{
	for (int i = 0; i < FDS; i++)
		if (armed[i] && expires[i] <= week->now) {
			armed[i] = false;
			week_ring(i);
		}
}

int week_pipe(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void week_ring(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		one = 0; /* it is readable already */
}

void week_hush(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) < 0)
		n = 0; /* nobody had written to it */
}

/* --- waiting ---------------------------------------------------------------- */

/* a fuse of few calls ends it in the answer to something, a long one in what follows */
static void end_life(void)
{
	week->life_ends = NEVER;
	switch (week->life_end) {
	case LIFE_KILLED:
		week->fuse = 1 + (unsigned)week_draw(OF_LIVES,
						     week_odds(OF_LIVES, 50) ? 40 : 4000);
		break;
	case LIFE_BROKEN:
		engine_break();
		break;
	default:
		kill(getpid(), SIGTERM);
	}
}

static void sooner(uint64_t *next, uint64_t at)
{
	if (at < *next)
		*next = at;
}

/* nothing is ready: the next thing happens */
static void jump(uint64_t latest)
{
	uint64_t next = latest;

	sooner(&next, next_timer());
	sooner(&next, station_next());
	sooner(&next, engine_next());
	sooner(&next, care_next_time());
	sooner(&next, callers_next());
	sooner(&next, week->life_ends);
	if (next == NEVER) {
		week_wrong("the service waits for nothing that could ever come");
		_exit(1);
	}
	if (week->n_wrong)
		_exit(1);
	if (next > week->now)
		week->now = next;
	fire_timers();
	station_advance();
	engine_advance();
	care_advance();
	callers_advance();
	if (week->now >= week->life_ends)
		end_life();
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	uint64_t latest =
		timeout < 0 ? NEVER : week->now + (uint64_t)timeout * (SECOND / 1000);

	for (;;) {
		int r = (int)syscall(SYS_epoll_wait, fd, events, n, alive ? 0 : timeout);

		burn_fuse();
		if (r || !timeout || !alive)
			return r;
		if (callers_talk())
			continue;
		if (week->now >= latest)
			return 0;
		jump(latest);
	}
}

/* --- what else depends on the machine ---------------------------------------- */

static bool is_full(void)
{
	burn_fuse();
	return alive && week->now < week->full_until;
}

/* pwrite64, as offsets have 64 bits */
EXPORT ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	if (is_full()) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, buf, n, at);
}

EXPORT int fsync(int fd)
{
	(void)fd;
	burn_fuse();
	return 0;
}

EXPORT int fdatasync(int fd)
{
	return fsync(fd);
}

EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	unsigned char *at = buf;

	if (!alive)
		return syscall(SYS_getrandom, buf, n, flags);
	for (size_t i = 0; i < n; i++)
		at[i] = (unsigned char)week_draw(OF_LIVES, 256);
	return (ssize_t)n;
}

int sd_journal_sendv_with_location(const char *file, const char *line, const char *func,
				   const struct iovec *part, int n);

/* No journal hears of this station. What the service calls an error of its own is one. */
int sd_journal_sendv_with_location(const char *file, const char *line, const char *func,
				   const struct iovec *part, int n)
{
	(void)file;
	(void)line;
	(void)func;
	for (int i = 0; i < n; i++) {
		const char *text = part[i].iov_base;
		int len = (int)part[i].iov_len;

		if (len <= 8 || strncmp(text, "MESSAGE=", 8) != 0)
			continue;
		if (week->show)
			printf("day %.5f: %.*s\n", (double)week->now / DAY, len - 8,
			       text + 8);
		if (len > 22 && !strncmp(text + 8, "internal error", 14))
			week_wrong("%.*s", len - 8, text + 8);
	}
	return 0;
}

void week_reload(void)
{
	if (alive)
		kill(getpid(), SIGHUP);
}

void week_life(void)
{
	alive = true;
	week->fuse = 0;
	memset(armed, 0, sizeof(armed));
}
