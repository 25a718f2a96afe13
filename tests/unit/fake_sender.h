/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_FAKE_SENDER_H
#define DW_TESTS_FAKE_SENDER_H

/*
 * A blocking sender with disks made of air: it sleeps a little, answers as told or as its
 * dice fall, and keeps a log of what reached it. Also a small pool of threads that runs
 * callbacks late and out of order.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

#define FAKE_DISKS 8
#define FAKE_LOG   4096

struct fake_entry {
	uint64_t cookie;
	uint32_t handle;
	uint32_t worker;
};

/**
 * struct fake_sender - disks made of air
 * @max_us: a command takes 0..@max_us microseconds
 * @bad_per_mille: of the commands end badly, each in one of many ways
 * @gone: disks that answer -ENODEV, a bit each
 * @hold: commands wait while this is set
 * @busy, @peak: commands inside the sender now, and at most so far, by disk
 * @log, @n_log: what came, in order
 */
struct fake_sender {
	atomic_uint max_us;
	atomic_uint bad_per_mille;
	atomic_uint gone;
	atomic_bool hold;
	atomic_uint busy[FAKE_DISKS];
	atomic_uint peak[FAKE_DISKS];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t dice;
	struct fake_entry log[FAKE_LOG];
	unsigned int n_log;
	bool freed;
};

void fake_sender_init(struct fake_sender *fake, uint64_t seed);
void fake_sender_deinit(struct fake_sender *fake);
struct dw_sender fake_sender_ops(struct fake_sender *fake);

/** fake_sender_release() - let held commands go on */
void fake_sender_release(struct fake_sender *fake);

/** fake_sender_await() - until @n commands have come, or 10 s are over (false) */
bool fake_sender_await(struct fake_sender *fake, unsigned int n);

/** fake_done_bad() - one of the many ways to end badly, chosen by @dice */
void fake_done_bad(struct dw_completion *done, const struct dw_cmd *cmd, uint64_t dice);

/** fake_random() - next number of a small generator */
uint64_t fake_random(uint64_t *state);

struct fake_pool; /* an executor */

struct fake_pool *fake_pool_new(unsigned int threads, uint64_t seed);
void fake_pool_free(struct fake_pool *pool);
struct dw_executor fake_pool_executor(struct fake_pool *pool);

#endif
