/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: the clock that nobody sets runs before that of the kernel by as many nanoseconds as
 * the file $LEAP_CLOCK holds, an int64_t that may grow while the program runs. So a test need not
 * wait for half an hour. A thread looks whether it has grown, and arms the timers again that were
 * armed before.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NS_S   INT64_C(1000000000)
#define LOOK   (5 * 1000000) /* ns */
#define FDS    4096

static const volatile int64_t *leap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static unsigned char steady[FDS];                        /* timers of that clock */
static struct itimerspec armed[FDS];

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

static int is_armed(const struct itimerspec *t)
{
	return t->it_value.tv_sec || t->it_value.tv_nsec;
}

static int arm(int fd, struct itimerspec to, struct itimerspec *old)
{
	to.it_value = moved(&to.it_value, -*leap);
	return (int)syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &to, old);
}

/* those that have not ended */
static void arm_anew(void)
{
	struct itimerspec left;

	for (int fd = 0; fd < FDS; fd++)
		if (steady[fd] && is_armed(&armed[fd]) && !timerfd_gettime(fd, &left) &&
		    is_armed(&left))
			arm(fd, armed[fd], NULL);
}

static void *watch(void *ctx)
{
	int64_t seen = *leap;

	for (;;) {
		syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = LOOK }, NULL);
		pthread_mutex_lock(&lock);
		if (*leap != seen) {
			seen = *leap;
			arm_anew();
		}
		pthread_mutex_unlock(&lock);
	}
	return ctx;
}

/* the program's signals are its own */
static void begin_watch(void)
{
	static int begun;
	sigset_t all, before;
	pthread_t thread;

	if (begun)
		return;
	begun = 1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watch, NULL))
		abort();
	pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

EXPORT int timerfd_create(int id, int flags)
{
	int fd = (int)syscall(SYS_timerfd_create, id, flags);

	if (fd < 0 || fd >= FDS)
		return fd;
	pthread_mutex_lock(&lock);
	begin_watch();
	steady[fd] = id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME;
	armed[fd] = (struct itimerspec){ 0 };
	pthread_mutex_unlock(&lock);
	return fd;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *at,
			   struct itimerspec *old)
{
	int r;

	if (!(flags & TFD_TIMER_ABSTIME) || fd < 0 || fd >= FDS || !steady[fd])
		return (int)syscall(SYS_timerfd_settime, fd, flags, at, old);
	pthread_mutex_lock(&lock);
	armed[fd] = *at;
	r = is_armed(at) ? arm(fd, *at, old)
			 : (int)syscall(SYS_timerfd_settime, fd, flags, at, old);
	pthread_mutex_unlock(&lock);
	return r;
}

EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *at,
			   struct timespec *left)
{
	struct timespec to = *at;

	if (id == CLOCK_MONOTONIC && (flags & TIMER_ABSTIME))
		to = moved(at, -*leap);
	return syscall(SYS_clock_nanosleep, id, flags, &to, left) ? errno : 0;
}
