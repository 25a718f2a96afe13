/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t fake_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = *state;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void sleep_us(unsigned int us)
{
	const struct timespec ts = { .tv_sec = us / 1000000,
				     .tv_nsec = (long)(us % 1000000) * 1000 };

	if (us)
		nanosleep(&ts, NULL);
}

void fake_sender_init(struct fake_sender *fake, uint64_t seed)
{
	memset(fake, 0, sizeof(*fake));
	fake->dice = seed;
	pthread_mutex_init(&fake->lock, NULL);
	pthread_cond_init(&fake->changed, NULL);
}

void fake_sender_deinit(struct fake_sender *fake)
{
	pthread_cond_destroy(&fake->changed);
	pthread_mutex_destroy(&fake->lock);
}

static void sense_fixed(struct dw_completion *done, uint8_t key, uint8_t asc)
{
	done->status = 0x02;
	done->sense[0] = 0x70;
	done->sense[2] = key;
	done->sense[7] = 10;
	done->sense[12] = asc;
	done->sense_len = 18;
}

void fake_done_bad(struct dw_completion *done, const struct dw_cmd *cmd, uint64_t dice)
{
	switch (dice % 7) {
	case 0:
		sense_fixed(done, 0x3, 0x0c);
		break;
	case 1:
		sense_fixed(done, 0x6, 0x29);
		break;
	case 2:
		sense_fixed(done, 0x1, 0x17);
		done->sense[0] = 0x71; /* deferred */
		break;
	case 3:
		done->host_status = 3; /* DID_TIME_OUT */
		break;
	case 4:
		done->err = -ENXIO;
		break;
	case 5:
		done->status = 0x28; /* TASK SET FULL */
		break;
	default:
		if (cmd->dir == DW_DIR_OUT)
			done->resid = 512;
		else
			done->status = 0x02; /* without sense data */
	}
}

static void enter(struct fake_sender *fake, uint32_t handle, uint32_t worker,
		  const struct dw_cmd *cmd, uint64_t *ret_dice)
{
	unsigned int busy = atomic_fetch_add(&fake->busy[handle], 1) + 1;
	unsigned int peak = atomic_load(&fake->peak[handle]);

	while (busy > peak &&
	       !atomic_compare_exchange_weak(&fake->peak[handle], &peak, busy))
		;
	pthread_mutex_lock(&fake->lock);
	if (fake->n_log < FAKE_LOG)
		fake->log[fake->n_log++] = (struct fake_entry){ .cookie = cmd->cookie,
								.handle = handle,
								.worker = worker };
	*ret_dice = fake_random(&fake->dice);
	pthread_cond_broadcast(&fake->changed);
	while (atomic_load(&fake->hold))
		pthread_cond_wait(&fake->changed, &fake->lock);
	pthread_mutex_unlock(&fake->lock);
}

static void fake_send(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		      struct dw_completion *ret)
{
	struct fake_sender *fake = ctx;
	unsigned int max_us = atomic_load(&fake->max_us);
	uint64_t dice;

	enter(fake, handle, worker, cmd, &dice);
	sleep_us(max_us ? (unsigned int)(dice >> 32) % (max_us + 1) : 0);
	if (atomic_load(&fake->gone) & (1u << handle))
		ret->err = -ENODEV;
	else if (dice % 1000 < atomic_load(&fake->bad_per_mille))
		fake_done_bad(ret, cmd, dice / 1000);
	else if (dice % 1000 > 990)
		sense_fixed(ret, 0x1, 0x17); /* recovered: good */
	atomic_fetch_sub(&fake->busy[handle], 1);
}

static void fake_free(void *ctx)
{
	((struct fake_sender *)ctx)->freed = true;
}

struct dw_sender fake_sender_ops(struct fake_sender *fake)
{
	return (struct dw_sender){ .send = fake_send, .free = fake_free, .ctx = fake };
}

void fake_sender_release(struct fake_sender *fake)
{
	pthread_mutex_lock(&fake->lock);
	atomic_store(&fake->hold, false);
	pthread_cond_broadcast(&fake->changed);
	pthread_mutex_unlock(&fake->lock);
}

bool fake_sender_await(struct fake_sender *fake, unsigned int n)
{
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 30;
	pthread_mutex_lock(&fake->lock);
	while (fake->n_log < n && r == 0)
		r = pthread_cond_timedwait(&fake->changed, &fake->lock, &until);
	pthread_mutex_unlock(&fake->lock);
	return r == 0;
}

struct task {
	struct task *next;
	void (*fn)(void *arg);
	void *arg;
};

struct fake_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct task *tasks;
	uint64_t dice;
	bool leaving;
	unsigned int n;
	pthread_t threads[8];
};

/* Newest first, and late: nothing may depend on the order. */
static void *pool_main(void *arg)
{
	struct fake_pool *pool = arg;
	struct task *task;
	uint64_t dice;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->tasks && !pool->leaving)
			pthread_cond_wait(&pool->changed, &pool->lock);
		task = pool->tasks;
		if (!task)
			break;
		pool->tasks = task->next;
		dice = fake_random(&pool->dice);
		pthread_mutex_unlock(&pool->lock);
		sleep_us((unsigned int)(dice % 4 ? 0 : dice / 4 % 100));
		task->fn(task->arg);
		free(task);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static void pool_run(void *ctx, void (*fn)(void *arg), void *arg)
{
	struct fake_pool *pool = ctx;
	struct task *task = malloc(sizeof(*task));

	if (!task)
		abort();
	pthread_mutex_lock(&pool->lock);
	*task = (struct task){ .next = pool->tasks, .fn = fn, .arg = arg };
	pool->tasks = task;
	pthread_cond_signal(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

struct fake_pool *fake_pool_new(unsigned int threads, uint64_t seed)
{
	struct fake_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		abort();
	pool->dice = seed;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	for (; pool->n < threads && pool->n < 8; pool->n++)
		if (pthread_create(&pool->threads[pool->n], NULL, pool_main, pool))
			abort();
	return pool;
}

void fake_pool_free(struct fake_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->leaving = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->n; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

struct dw_executor fake_pool_executor(struct fake_pool *pool)
{
	return (struct dw_executor){ .run = pool_run, .ctx = pool };
}
