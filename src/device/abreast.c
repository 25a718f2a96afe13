/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/abreast.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/util.h"
#include "transport/threaded.h"

/* Nearly all of the time a disk is waited for: as many at once as a rack has, so that the start of
 * a large one takes as long as that of its slowest disk. Each opens some files for a while, and
 * those that the process may have open are not to run out by that. */
#define THREADS        255
#define THREADS_LEAST  16
#define FILES_A_THREAD 16
#define STACK          DW_MIB

/** struct abreast - the things, and the first that no thread has taken */
struct abreast {
	void (*each)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	atomic_size_t next;
};

static void *work(void *arg)
{
	struct abreast *r = arg;
	size_t i;

	while ((i = atomic_fetch_add(&r->next, 1)) < r->n)
		r->each(r->ctx, i);
	return NULL;
}

static size_t most_threads(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return THREADS_LEAST;
	return dw_min_u64(THREADS,
			  dw_max_u64(THREADS_LEAST, files.rlim_cur / 2 / FILES_A_THREAD));
}

void dw_abreast(void (*each)(void *ctx, size_t i), void *ctx, size_t n)
{
	struct abreast r = { .each = each, .ctx = ctx, .n = n };
	pthread_t thread[THREADS];
	size_t k = 0, most = most_threads();

	while (k < most && k + 1 < n && !dw_thread_start(&thread[k], STACK, work, &r))
		k++;
	work(&r);
	while (k)
		pthread_join(thread[--k], NULL);
}
