/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * no-threads - preloaded to the unit tests that are not in unit_threads of meson.build.
 *
 * The build with the thread sanitizer runs those in that list alone. One that starts a thread
 * and is not in it ends here, so that the list stays true.
 */
#include <stdio.h>
#include <stdlib.h>

int pthread_create(void *thread, const void *attr, void *(*start)(void *), void *arg);

__attribute__((visibility("default"))) int
pthread_create(void *thread, const void *attr, void *(*start)(void *), void *arg)
{
	fputs("This test starts a thread: add it to unit_threads in tests/unit/meson.build.\n",
	      stderr);
	abort();
}
