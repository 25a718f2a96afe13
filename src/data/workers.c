/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fixed number of threads takes tasks from a ring in the order they came. The ring grows
 * when it is full, so that handing over a task never waits for one to end; only when memory
 * for that is short does the task run in the thread that brought it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "data/data.h"

#define RING_FIRST  256
#define WORKERS_MAX 16

struct worker_task {
	void (*fn)(void *arg);
	void *arg;
};

struct dw_workers {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct worker_task *ring;
	size_t size; /* a power of two */
	size_t first;
	size_t count;
	bool stop;
	unsigned n_threads;
	pthread_t thread[WORKERS_MAX];
};

static void *work(void *arg)
{
	struct dw_workers *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct worker_task t;

		while (!w->count && !w->stop)
			pthread_cond_wait(&w->filled, &w->lock);
		if (!w->count)
			break;
		t = w->ring[w->first];
		w->first = (w->first + 1) & (w->size - 1);
		w->count--;
		pthread_mutex_unlock(&w->lock);
		t.fn(t.arg);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static bool grow_ring(struct dw_workers *w)
{
	struct worker_task *ring = calloc(2 * w->size, sizeof(*ring));

	if (!ring)
		return false;
	for (size_t i = 0; i < w->count; i++)
		ring[i] = w->ring[(w->first + i) & (w->size - 1)];
	free(w->ring);
	w->ring = ring;
	w->size *= 2;
	w->first = 0;
	return true;
}

static void run_in_worker(void *ctx, void (*fn)(void *arg), void *arg)
{
	struct dw_workers *w = ctx;
	bool queued;

	pthread_mutex_lock(&w->lock);
	queued = w->count < w->size || grow_ring(w);
	if (queued) {
		w->ring[(w->first + w->count++) & (w->size - 1)] =
			(struct worker_task){ .fn = fn, .arg = arg };
		pthread_cond_signal(&w->filled);
	}
	pthread_mutex_unlock(&w->lock);
	if (!queued)
		fn(arg);
}

unsigned dw_workers_default(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n <= 1 ? 0 : n < WORKERS_MAX ? (unsigned)n : WORKERS_MAX;
}

/* Signals belong to the program's own threads. */
static int start_threads(struct dw_workers *w, unsigned n)
{
	sigset_t all, before;
	int r = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; w->n_threads < n; w->n_threads++) {
		r = pthread_create(&w->thread[w->n_threads], NULL, work, w);
		if (r)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w->n_threads ? 0 : -r;
}

int dw_workers_new(unsigned n, struct dw_workers **ret_workers)
{
	struct dw_workers *w;
	int r;

	*ret_workers = NULL;
	n = n ? n : dw_workers_default();
	if (n == 0)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->size = RING_FIRST;
	w->ring = calloc(w->size, sizeof(*w->ring));
	if (!w->ring) {
		free(w);
		return -ENOMEM;
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->filled, NULL);
	r = start_threads(w, n < WORKERS_MAX ? n : WORKERS_MAX);
	if (r < 0) {
		dw_workers_free(w);
		return r;
	}
	*ret_workers = w;
	return 0;
}

/**
 * dw_workers_free() - run what was handed over, then end the threads
 * @w: workers to whom nothing is handed over any more, or NULL
 */
void dw_workers_free(struct dw_workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->filled);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->n_threads; i++)
		pthread_join(w->thread[i], NULL);
	pthread_cond_destroy(&w->filled);
	pthread_mutex_destroy(&w->lock);
	free(w->ring);
	free(w);
}

struct dw_executor dw_workers_executor(struct dw_workers *w)
{
	return (struct dw_executor){ .run = w ? run_in_worker : NULL, .ctx = w };
}
