/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every disk has as many threads as it may have commands at the device. A thread executes a
 * command, reports it, and takes the disk's next one from the lane itself: no other thread is
 * involved between the two. Threads with a number at or above the present depth sleep. Of the
 * sleeping threads the one with the lowest number is woken first, so that at depth 1 it is always
 * the same one, with warm caches and the same descriptor.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/util.h"
#include "transport/guard.h"
#include "transport/lane.h"
#include "transport/meter.h"
#include "transport/stamp.h"
#include "transport/threaded.h"

#define STACK_BYTES (256 * DW_KIB)

struct crew;

struct hand {
	struct crew *crew;
	uint32_t index;
	pthread_t thread;
	pthread_cond_t work;
	struct dw_meter meter;
	uint64_t ended_ns; /* of the command right before, if it ended well; else 0 */
};

/* A disk's threads; everything under the lane's lock. */
struct crew {
	struct dw_lane *lane;
	uint32_t n_hands;
	uint64_t idle; /* bit per hand */
	bool leaving;
	struct hand hands[DW_DEPTH_MAX];
};

struct threaded {
	struct dw_hub hub;
	struct dw_sender sender;
};

static struct threaded *threaded_of(struct dw_hub *hub)
{
	return dw_container_of(hub, struct threaded, hub);
}

/* Wake one thread that may work, if there is anything to do. */
static void crew_kick(struct dw_lane *lane, bool unlock)
{
	struct crew *crew = lane->impl;
	uint64_t idle = lane->head ? crew->idle : 0;
	pthread_cond_t *work = NULL;
	int i;

	if (lane->target.depth < DW_DEPTH_MAX)
		idle &= (UINT64_C(1) << lane->target.depth) - 1;
	if (idle) {
		i = __builtin_ctzll(idle);
		crew->idle &= ~(UINT64_C(1) << i);
		dw_hub_awake(lane->hub);
		work = &crew->hands[i].work;
	}
	if (unlock)
		pthread_mutex_unlock(&lane->lock);
	if (work)
		pthread_cond_signal(work);
}

/* When the next command may be said to have begun, if it begins at once: see dw_lane_take() */
static uint64_t hand_ended(const struct dw_slot *slot)
{
	return dw_guard_good(&slot->done) && !slot->cmd->finish ? slot->done.end_ns : 0;
}

static void hand_send(struct hand *hand, struct dw_slot *slot)
{
	struct dw_lane *lane = hand->crew->lane;
	struct dw_sender *sender = &threaded_of(lane->hub)->sender;
	enum dw_ended left;

	crew_kick(lane, true);
	dw_stamp(slot->cmd);
	sender->send(sender->ctx, lane->handle, hand->index, slot->cmd, &slot->done);
	slot->done.host_ns = dw_meter_count(&hand->meter, 1);
	pthread_mutex_lock(&lane->lock);
	left = dw_lane_ended(slot);
	hand->ended_ns = hand_ended(slot);
	pthread_mutex_unlock(&lane->lock);
	dw_lane_deliver(lane, slot, left);
	pthread_mutex_lock(&lane->lock);
}

/* The thread sends next what it has prepared, with the data still in its cache: no other thread
 * is woken for that. Those that may be of use are woken when a command is sent. */
static void hand_prepare(struct hand *hand, struct dw_slot *slot)
{
	struct dw_lane *lane = hand->crew->lane;

	pthread_mutex_unlock(&lane->lock);
	dw_lane_prepare(slot, false);
	pthread_mutex_lock(&lane->lock);
}

/* One thing to do, if there is one; lane locked before and after. */
static bool hand_work(struct hand *hand)
{
	struct dw_lane *lane = hand->crew->lane;
	struct dw_slot *slot;

	if (hand->index >= lane->target.depth) {
		crew_kick(lane, false); /* the place it leaves is somebody else's */
		return false;
	}
	slot = dw_lane_take(lane, hand->ended_ns);
	hand->ended_ns = 0;
	if (slot) {
		hand_send(hand, slot);
		return true;
	}
	slot = lane->hub->executor.run ? NULL : dw_lane_raw(lane);
	if (slot)
		hand_prepare(hand, slot);
	return slot;
}

static void *hand_main(void *arg)
{
	struct hand *hand = arg;
	struct crew *crew = hand->crew;
	struct dw_hub *hub = crew->lane->hub;
	const uint64_t bit = UINT64_C(1) << hand->index;

	pthread_mutex_lock(&crew->lane->lock);
	while (!crew->leaving) {
		if (hand_work(hand))
			continue;
		hand->ended_ns = 0;
		crew->idle |= bit;
		dw_hub_asleep(hub);
		while ((crew->idle & bit) && !crew->leaving)
			pthread_cond_wait(&hand->work, &crew->lane->lock);
	}
	if (!(crew->idle & bit))
		dw_hub_asleep(hub);
	pthread_mutex_unlock(&crew->lane->lock);
	return NULL;
}

int dw_thread_start(pthread_t *ret, size_t stack, void *(*fn)(void *arg), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int r;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(ret, &attr, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -r;
}

/* As many threads as the depth; lane locked. */
static int crew_grow(struct crew *crew)
{
	struct hand *hand;
	int r;

	while (crew->n_hands < crew->lane->target.depth) {
		hand = &crew->hands[crew->n_hands];
		hand->crew = crew;
		hand->index = crew->n_hands;
		pthread_cond_init(&hand->work, NULL);
		dw_hub_awake(crew->lane->hub);
		r = dw_thread_start(&hand->thread, STACK_BYTES, hand_main, hand);
		if (r < 0) {
			dw_hub_asleep(crew->lane->hub);
			pthread_cond_destroy(&hand->work);
			return r;
		}
		crew->n_hands++;
	}
	return 0;
}

static void crew_free(struct crew *crew)
{
	struct dw_lane *lane = crew->lane;

	pthread_mutex_lock(&lane->lock);
	crew->leaving = true;
	for (uint32_t i = 0; i < crew->n_hands; i++)
		pthread_cond_signal(&crew->hands[i].work);
	pthread_mutex_unlock(&lane->lock);
	for (uint32_t i = 0; i < crew->n_hands; i++) {
		pthread_join(crew->hands[i].thread, NULL);
		pthread_cond_destroy(&crew->hands[i].work);
	}
	free(crew);
}

static void lane_leave(struct dw_lane *lane)
{
	struct dw_sender *sender = &threaded_of(lane->hub)->sender;
	uint32_t handle = lane->handle;

	crew_free(lane->impl);
	if (sender->close)
		sender->close(sender->ctx, handle);
	dw_hub_detach(lane);
}

static int threaded_attach(struct dw_transport *t, const struct dw_target *target,
			   uint32_t *ret_handle)
{
	struct threaded *th = dw_container_of(t, struct threaded, hub.base);
	dw_autofree struct crew *crew = calloc(1, sizeof(*crew));
	struct dw_lane *lane;
	int r;

	if (!crew)
		return -ENOMEM;
	r = dw_hub_attach(&th->hub, target, &lane);
	if (r < 0)
		return r;
	if (th->sender.open) {
		r = th->sender.open(th->sender.ctx, lane->handle, &lane->target);
		if (r < 0) {
			dw_hub_detach(lane);
			return r;
		}
	}
	crew->lane = lane;
	lane->impl = crew;
	pthread_mutex_lock(&lane->lock);
	r = crew_grow(crew);
	pthread_mutex_unlock(&lane->lock);
	crew = NULL;
	if (r < 0) {
		lane_leave(lane);
		return r;
	}
	*ret_handle = lane->handle;
	return 0;
}

static void threaded_detach(struct dw_transport *t, uint32_t handle)
{
	struct threaded *th = dw_container_of(t, struct threaded, hub.base);
	struct dw_lane *lane = dw_hub_lane(&th->hub, handle);

	if (lane)
		lane_leave(lane);
}

/* Without memory for more threads the depth stays what the threads there are can do. */
static void threaded_set_depth(struct dw_transport *t, uint32_t handle, uint32_t depth)
{
	struct threaded *th = dw_container_of(t, struct threaded, hub.base);
	struct dw_lane *lane = dw_hub_lane(&th->hub, handle);

	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane->target.depth = dw_lane_depth(depth);
	if (crew_grow(lane->impl) < 0)
		lane->target.depth = ((struct crew *)lane->impl)->n_hands;
	crew_kick(lane, true);
}

static void threaded_free(struct dw_transport *t)
{
	struct threaded *th;

	if (!t)
		return;
	th = dw_container_of(t, struct threaded, hub.base);
	for (uint32_t i = 0; i < th->hub.n_lanes; i++)
		threaded_detach(t, i);
	if (th->sender.free)
		th->sender.free(th->sender.ctx);
	dw_hub_deinit(&th->hub);
	free(th);
}

static const struct dw_transport_ops threaded_ops = {
	.attach = threaded_attach,
	.detach = threaded_detach,
	.submit = dw_hub_submit,
	.flush = dw_hub_flush,
	.reap = dw_hub_reap,
	.wake = dw_hub_wake,
	.cancel = dw_hub_cancel,
	.unfence = dw_hub_unfence,
	.set_permits = dw_hub_set_permits,
	.set_depth = threaded_set_depth,
	.fd = dw_hub_fd,
	.quiet = dw_hub_quiet,
	.count = dw_hub_count,
	.now = dw_hub_now,
	.free = threaded_free,
};

int dw_threaded_new(const struct dw_sender *sender, const struct dw_executor *executor,
		    struct dw_transport **ret)
{
	struct threaded *th = calloc(1, sizeof(*th));
	int r;

	if (!th)
		return -ENOMEM;
	r = dw_hub_init(&th->hub, executor, crew_kick);
	if (r < 0) {
		free(th);
		return r;
	}
	th->sender = *sender;
	th->hub.base.ops = &threaded_ops;
	*ret = &th->hub.base;
	return 0;
}

void *dw_threaded_ctx(struct dw_transport *t)
{
	return dw_container_of(t, struct threaded, hub.base)->sender.ctx;
}
