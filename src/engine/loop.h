/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_LOOP_H
#define DW_ENGINE_LOOP_H

/*
 * The loop of an engine. It waits for descriptors, one timer, and work. Work that has to wait for
 * a disk or a file is done off the loop, each piece in a thread of its own, so that one that
 * hangs delays no other. Its result is handled in the loop.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct dw_loop;

/**
 * struct dw_work - a piece of work, embedded where its data are; all zero but for:
 * @run: off the loop; may wait
 * @done: in the loop, after @run; may free what the work is embedded in, or begin it again.
 *	0 or a negative errno, which ends the job
 * @drop: instead of @done when the loop is freed; NULL = nothing
 */
struct dw_work {
	void (*run)(struct dw_work *w);
	int (*done)(struct dw_work *w);
	void (*drop)(struct dw_work *w);
	struct dw_loop *loop;
	struct dw_work *next;
	pthread_t thread;
	bool threaded;
};

/** dw_loop_new() - @ret: dw_loop_free(). 0; -ENOMEM or another negative errno. */
int dw_loop_new(struct dw_loop **ret);

/** dw_loop_free() - wait for the work that is under way, and drop it; NULL is accepted. */
void dw_loop_free(struct dw_loop *l);

/** dw_loop_inline() - from now on work is done by the caller of dw_loop_begin(), and no wait
 *  blocks: for worlds in virtual time. */
void dw_loop_inline(struct dw_loop *l);

/** dw_loop_watch() - add a descriptor to wait for; it stays the caller's. -1 and one that is
 *  added already are accepted. 0 or negative errno. */
int dw_loop_watch(struct dw_loop *l, int fd);

/** dw_loop_fd() - descriptor that is readable when there is something to do: a watched descriptor
 *  is readable, the timer is due, or work has ended. */
int dw_loop_fd(const struct dw_loop *l);

/** dw_loop_at_work() - work is under way, or has ended and is to be collected. */
bool dw_loop_at_work(struct dw_loop *l);

/** dw_loop_arm() - set the timer to @ns of CLOCK_MONOTONIC, UINT64_MAX = never. */
void dw_loop_arm(struct dw_loop *l, uint64_t ns);

/** dw_loop_wait() - until there is something to do; @timeout_ms: at most, -1 = no limit. */
void dw_loop_wait(const struct dw_loop *l, int timeout_ms);

/** dw_loop_wake() - make the descriptor readable; from any thread, async-signal-safe. */
void dw_loop_wake(struct dw_loop *l);

/** dw_loop_begin() - begin a piece of work. If no thread can be created, the caller does it. */
void dw_loop_begin(struct dw_loop *l, struct dw_work *w);

/** dw_loop_post() - have only @done of a piece of work called; from any thread. */
void dw_loop_post(struct dw_loop *l, struct dw_work *w);

/** dw_loop_collect() - call @done of the work that has ended. 0 or the first negative errno.
 *  @ret_n: raised by their number */
int dw_loop_collect(struct dw_loop *l, int *ret_n);

#endif
