/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device/abreast.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16

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

void dw_abreast(void (*each)(void *ctx, size_t i), void *ctx, size_t n)
{
	struct abreast r = { .each = each, .ctx = ctx, .n = n };
	pthread_t thread[THREADS];
	size_t k = 0;

	while (k < THREADS && k + 1 < n && !pthread_create(&thread[k], NULL, work, &r))
		k++;
	work(&r);
	while (k)
		pthread_join(thread[--k], NULL);
}
