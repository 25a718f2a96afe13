/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "judge/snapshot.h"

#include <errno.h>
#include <stdlib.h>

struct dw_snapshots dw_snapshots_self = {
	.m = &dw_machine_self,
	.scan = dw_uses_scan,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.one_ended = PTHREAD_COND_INITIALIZER,
};

static void drop(struct dw_snapshot *snapshot)
{
	if (!snapshot || --snapshot->users)
		return;
	dw_uses_free(&snapshot->uses);
	free(snapshot);
}

/* Called with the lock, which is released meanwhile. */
static void make(struct dw_snapshots *s)
{
	struct dw_snapshot *snapshot;

	s->begun++;
	pthread_mutex_unlock(&s->lock);
	snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot) {
		snapshot->users = 1;
		snapshot->error = s->scan(s->m, &snapshot->uses);
	}
	pthread_mutex_lock(&s->lock);
	drop(s->last);
	s->last = snapshot;
	s->ended = s->begun;
	pthread_cond_broadcast(&s->one_ended);
}

int dw_snapshot_take(struct dw_snapshots *s, struct dw_snapshot **ret)
{
	uint64_t mine;
	int r;

	*ret = NULL;
	pthread_mutex_lock(&s->lock);
	s->asked++;
	mine = s->begun + 1; /* one that is under way may have passed that place */
	while (s->ended < mine) {
		if (s->begun == s->ended)
			make(s);
		else
			pthread_cond_wait(&s->one_ended, &s->lock);
	}
	r = s->last ? s->last->error : -ENOMEM;
	if (!r) {
		*ret = s->last;
		s->last->users++;
	}
	pthread_mutex_unlock(&s->lock);
	return r;
}

void dw_snapshot_give_back(struct dw_snapshots *s, struct dw_snapshot *snapshot)
{
	pthread_mutex_lock(&s->lock);
	drop(snapshot);
	pthread_mutex_unlock(&s->lock);
}
