/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: the clock that nobody sets runs before that of the kernel by as many nanoseconds as
 * the file $LEAP_CLOCK holds, an int64_t that may grow while the program runs. So a test need not
 * wait for half an hour. Timers that were armed before still end when the kernel's clock says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NS_S   INT64_C(1000000000)
#define FDS    4096

static const volatile int64_t *leap;
static unsigned char steady[FDS]; /* timers of that clock */

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("LEAP_CLOCK");
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED
			  : mmap(NULL, sizeof(*leap), PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		abort();
	leap = at;
	close(fd);
}

static struct timespec moved(const struct timespec *t, int64_t ns)
{
	int64_t at = t->tv_sec * NS_S + t->tv_nsec + ns;

	at = at < 1 ? 1 : at; /* 0 would disarm a timer */
	return (struct timespec){ .tv_sec = at / NS_S, .tv_nsec = at % NS_S };
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (!r && leap && (id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME))
		*ret = moved(ret, *leap);
	return r;
}

EXPORT int timerfd_create(int id, int flags)
{
	int fd = (int)syscall(SYS_timerfd_create, id, flags);

	if (fd >= 0 && fd < FDS)
		steady[fd] = id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME;
	return fd;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *at,
			   struct itimerspec *old)
{
	struct itimerspec to = *at;
	int armed = to.it_value.tv_sec || to.it_value.tv_nsec;

	if (armed && (flags & TFD_TIMER_ABSTIME) && fd >= 0 && fd < FDS && steady[fd])
		to.it_value = moved(&to.it_value, -*leap);
	return (int)syscall(SYS_timerfd_settime, fd, flags, &to, old);
}

EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *at,
			   struct timespec *left)
{
	struct timespec to = *at;

	if (id == CLOCK_MONOTONIC && (flags & TIMER_ABSTIME))
		to = moved(at, -*leap);
	return syscall(SYS_clock_nanosleep, id, flags, &to, left) ? errno : 0;
}
