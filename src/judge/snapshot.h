/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_SNAPSHOT_H
#define DW_JUDGE_SNAPSHOT_H

/*
 * One snapshot for all callers that need one at the same time. Each gets one that was begun after
 * its call, so that what it did before, the claim of its disk, is in it.
 */
#include <pthread.h>
#include <stdint.h>

#include "judge/inuse.h"

/**
 * struct dw_snapshot - a snapshot, for any thread to read
 * @uses: its contents
 * @error: 0, or negative errno: there are none
 * @users: number of callers that have not returned it, and the source as long as it is the last
 */
struct dw_snapshot {
	struct dw_uses uses;
	int error;
	unsigned int users;
};

/**
 * struct dw_snapshots - the source of snapshots; dw_snapshots_self is this machine's
 * @m, @scan: dw_uses_scan() of that machine
 * @asked: number of requests
 * @begun, @ended: numbers of snapshots begun and ended
 * @last: the one that ended last; NULL = none so far, or it failed without memory
 */
struct dw_snapshots {
	const struct dw_machine *m;
	int (*scan)(const struct dw_machine *m, struct dw_uses *ret);
	pthread_mutex_t lock;
	pthread_cond_t one_ended;
	uint64_t asked;
	uint64_t begun;
	uint64_t ended;
	struct dw_snapshot *last;
};

extern struct dw_snapshots dw_snapshots_self;

/**
 * dw_snapshot_take() - a snapshot that is not begun before this call; waits
 * @ret: to dw_snapshot_give_back(), from any thread
 * Return: 0 or negative errno.
 */
int dw_snapshot_take(struct dw_snapshots *s, struct dw_snapshot **ret);

/** dw_snapshot_give_back() - @snapshot may be NULL. */
void dw_snapshot_give_back(struct dw_snapshots *s, struct dw_snapshot *snapshot);

#endif
