/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: while the file $NO_LANES exists, no thread begins that waits for a disk. These alone
 * have a small stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SMALL  (1024 * 1024)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*start)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	const char *file = getenv("NO_LANES");
	size_t stack = SMALL;

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	if (attr)
		pthread_attr_getstacksize(attr, &stack);
	if (file && stack < SMALL && !access(file, F_OK))
		return EAGAIN;
	return real(thread, attr, start, arg);
}
