/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lanes of disks. A disk's commands wait in one line, in the order of submission. Only the
 * first may start, and only when its data are prepared: so workers that finish keystreams out of
 * order cannot reorder commands. Everything about one disk happens under its lane's lock. That a
 * completion is bad, that the disk is fenced, and that the line is returned is one step, in which
 * no thread can slip a command.
 *
 * Finished commands of all disks meet in one list without a lock. The descriptor is written at
 * most once per visit of the reaper. It is not written at all while the disk is fast and more
 * than half of the waiting commands are still to start: the next completion is near and signals
 * both. That saves switches between a disk's thread and the loop where these would cost as much
 * as the commands.
 */
#include "transport/lane.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "transport/guard.h"

#define QUICK_NS (2 * DW_NS_PER_MS) /* a command this short is not reported alone */

static struct dw_hub *hub_of(struct dw_transport *t)
{
	return dw_container_of(t, struct dw_hub, base);
}

void dw_hub_signal(struct dw_hub *hub)
{
	const uint64_t one = 1;
	int saved = errno;

	if (!atomic_exchange(&hub->signalled, true)) {
		/* full or interrupted by nothing that matters: it is readable then */
		ssize_t n = write(hub->event_fd, &one, sizeof(one));

		(void)n;
	}
	errno = saved;
}

void dw_hub_awake(struct dw_hub *hub)
{
	atomic_fetch_add(&hub->awake, 1);
}

void dw_hub_asleep(struct dw_hub *hub)
{
	if (atomic_fetch_sub(&hub->awake, 1) == 1 && atomic_exchange(&hub->asked, false))
		dw_hub_signal(hub);
}

/*
 * @signalled stays set until the count is read: where a signaller has set it but not
 * written yet, there is nothing to read, and the descriptor will become readable.
 */
static void hub_drain(struct dw_hub *hub)
{
	uint64_t count;

	if (read(hub->event_fd, &count, sizeof(count)) > 0)
		atomic_store(&hub->signalled, false);
}

/* The slot belongs to the reaper from now on. For any thread, with or without the lane's lock. */
static void hub_push(struct dw_slot *slot)
{
	struct dw_hub *hub = slot->lane->hub;
	struct dw_slot *old = atomic_load(&hub->done);

	if (slot->cmd->release)
		slot->cmd->release(slot->cmd);
	do
		slot->next = old;
	while (!atomic_compare_exchange_weak(&hub->done, &old, slot));
}

int dw_hub_init(struct dw_hub *hub, const struct dw_executor *executor,
		void (*kick)(struct dw_lane *lane, bool unlock))
{
	hub->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (hub->event_fd < 0)
		return -errno;
	if (executor)
		hub->executor = *executor;
	hub->kick = kick;
	atomic_store(&hub->latest_ns, dw_clock_ns());
	pthread_mutex_init(&hub->lock, NULL);
	return 0;
}

void dw_hub_deinit(struct dw_hub *hub)
{
	close(hub->event_fd);
	pthread_mutex_destroy(&hub->lock);
	free(hub->lanes);
}

uint32_t dw_lane_depth(uint32_t depth)
{
	return (uint32_t)dw_min_u64(dw_max_u64(depth, 1), DW_DEPTH_MAX);
}

/* Find a hole in the table, or make it longer; hub->lock held. */
static int hub_seat(struct dw_hub *hub, struct dw_lane *lane)
{
	struct dw_lane **lanes;
	uint32_t i;

	for (i = 0; i < hub->n_lanes && hub->lanes[i]; i++)
		;
	if (i == hub->n_lanes) {
		lanes = reallocarray(hub->lanes, 2 * i + 8, sizeof(struct dw_lane *));
		if (!lanes)
			return -ENOMEM;
		memset(lanes + i, 0, (i + 8) * sizeof(struct dw_lane *));
		hub->lanes = lanes;
		hub->n_lanes = 2 * i + 8;
	}
	hub->lanes[i] = lane;
	lane->handle = i;
	return 0;
}

int dw_hub_attach(struct dw_hub *hub, const struct dw_target *target,
		  struct dw_lane **ret_lane)
{
	struct dw_lane *lane = calloc(1, sizeof(*lane));
	int r;

	if (!lane)
		return -ENOMEM;
	lane->hub = hub;
	lane->target = *target;
	lane->target.depth = dw_lane_depth(target->depth);
	pthread_mutex_init(&lane->lock, NULL);
	for (unsigned int i = DW_LANE_SLOTS; i-- > 0;) {
		lane->slots[i].lane = lane;
		lane->slots[i].next = lane->free;
		lane->free = &lane->slots[i];
	}
	pthread_mutex_lock(&hub->lock);
	r = hub_seat(hub, lane);
	pthread_mutex_unlock(&hub->lock);
	if (r < 0) {
		pthread_mutex_destroy(&lane->lock);
		free(lane);
		return r;
	}
	*ret_lane = lane;
	return 0;
}

void dw_hub_detach(struct dw_lane *lane)
{
	struct dw_hub *hub = lane->hub;
	struct dw_lane **p;

	pthread_mutex_lock(&hub->lock);
	hub->lanes[lane->handle] = NULL;
	for (p = &hub->dirty; *p; p = &(*p)->next_dirty) {
		if (*p == lane) {
			*p = lane->next_dirty;
			break;
		}
	}
	pthread_mutex_unlock(&hub->lock);
	pthread_mutex_lock(&lane->lock); /* a worker may still be leaving it */
	pthread_mutex_unlock(&lane->lock);
	pthread_mutex_destroy(&lane->lock);
	free(lane);
}

struct dw_lane *dw_hub_lane(struct dw_hub *hub, uint32_t handle)
{
	struct dw_lane *lane;

	pthread_mutex_lock(&hub->lock);
	lane = handle < hub->n_lanes ? hub->lanes[handle] : NULL;
	pthread_mutex_unlock(&hub->lock);
	return lane;
}

/* Complete a command that was never started; lane locked. */
static void give_back_slot(struct dw_slot *slot, int err)
{
	slot->state = DW_SLOT_STARTED;
	slot->done.err = err;
	slot->done.end_ns = dw_clock_ns();
	hub_push(slot);
	dw_hub_signal(slot->lane->hub);
}

static void lane_append(struct dw_lane *lane, struct dw_slot *slot)
{
	slot->next = NULL;
	if (lane->head)
		lane->tail->next = slot;
	else
		lane->head = slot;
	lane->tail = slot;
	lane->waiting++;
	if (lane->waiting > lane->most)
		lane->most = lane->waiting;
}

static void lane_drop(struct dw_slot *slot)
{
	if (slot->state == DW_SLOT_PREPARING)
		slot->state = DW_SLOT_DROPPED; /* its worker completes it */
	else
		give_back_slot(slot, -ECANCELED);
}

/* Empty the line, but for what passes the fence if @spare; lane locked. */
static void lane_give_back_all(struct dw_lane *lane, bool spare)
{
	struct dw_slot *slot = lane->head, *next;

	lane->head = NULL;
	lane->tail = NULL;
	lane->waiting = 0;
	for (; slot; slot = next) {
		next = slot->next;
		if (spare && dw_guard_passes_fence(slot->cmd))
			lane_append(lane, slot);
		else
			lane_drop(slot);
	}
}

static void lane_fence(struct dw_lane *lane)
{
	if (lane->fenced)
		return;
	lane->fenced = true;
	lane_give_back_all(lane, true);
}

static struct dw_slot *lane_pop(struct dw_lane *lane)
{
	struct dw_slot *slot = lane->head;

	lane->head = slot->next;
	if (!lane->head)
		lane->tail = NULL;
	lane->waiting--;
	return slot;
}

/* The start of a command that follows another without a look at the clock: commands of a disk
 * begin in the order in which they are taken, and none before it was submitted. */
static uint64_t start_after(const struct dw_lane *lane, const struct dw_slot *slot,
			    uint64_t ended_ns)
{
	return dw_max_u64(dw_max_u64(ended_ns, slot->cmd->submit_ns), lane->started_ns);
}

struct dw_slot *dw_lane_take(struct dw_lane *lane, uint64_t ended_ns)
{
	struct dw_slot *slot;
	int r;

	while (lane->head && lane->head->state == DW_SLOT_READY &&
	       lane->at_device < lane->target.depth) {
		slot = lane_pop(lane);
		r = dw_guard_check(&lane->target, slot->cmd);
		if (r < 0) {
			give_back_slot(slot, r);
			lane_fence(lane);
			continue;
		}
		slot->state = DW_SLOT_STARTED;
		slot->done.start_ns =
			ended_ns ? start_after(lane, slot, ended_ns) : dw_clock_ns();
		lane->started_ns = slot->done.start_ns;
		lane->at_device++;
		return slot;
	}
	return NULL;
}

struct dw_slot *dw_lane_raw(struct dw_lane *lane)
{
	struct dw_slot *slot = lane->head;
	uint32_t with_data = lane->at_device;

	for (; slot && slot->state != DW_SLOT_RAW; slot = slot->next)
		with_data++;
	if (!slot || with_data > lane->target.depth)
		return NULL;
	slot->state = DW_SLOT_PREPARING;
	return slot;
}

/* Lane locked. */
static void prepared(struct dw_slot *slot, bool kick)
{
	if (slot->state == DW_SLOT_DROPPED) {
		give_back_slot(slot, -ECANCELED);
		return;
	}
	slot->state = DW_SLOT_READY;
	if (kick)
		slot->lane->hub->kick(slot->lane, false);
}

void dw_lane_prepare(struct dw_slot *slot, bool kick)
{
	struct dw_lane *lane = slot->lane;

	slot->cmd->prepare(slot->cmd);
	pthread_mutex_lock(&lane->lock);
	prepared(slot, kick);
	pthread_mutex_unlock(&lane->lock);
}

/*
 * Here and in finish_elsewhere() the lane's lock is held until the last touch of lane and
 * hub: the reaper needs it to take the slot back, so nobody detaches the disk before.
 */
static void prepare_elsewhere(void *arg)
{
	struct dw_slot *slot = arg;
	struct dw_lane *lane = slot->lane;

	slot->cmd->prepare(slot->cmd);
	pthread_mutex_lock(&lane->lock);
	prepared(slot, true);
	dw_hub_asleep(lane->hub);
	pthread_mutex_unlock(&lane->lock);
}

static void finish_elsewhere(void *arg)
{
	struct dw_slot *slot = arg;
	struct dw_lane *lane = slot->lane;

	slot->cmd->finish(slot->cmd, &slot->done);
	pthread_mutex_lock(&lane->lock);
	hub_push(slot);
	dw_hub_signal(lane->hub);
	dw_hub_asleep(lane->hub);
	pthread_mutex_unlock(&lane->lock);
}

/* On some other thread. */
static void run_elsewhere(struct dw_hub *hub, void (*fn)(void *arg), struct dw_slot *slot)
{
	dw_hub_awake(hub);
	hub->executor.run(hub->executor.ctx, fn, slot);
}

enum dw_ended dw_lane_ended(struct dw_slot *slot)
{
	struct dw_lane *lane = slot->lane;
	struct dw_completion *done = &slot->done;
	bool good = dw_guard_good(done), urgent;

	done->end_ns = dw_clock_ns();
	lane->at_device--;
	if (!good)
		lane_fence(lane);
	urgent = !good || lane->waiting <= lane->target.depth ||
		 lane->waiting <= lane->most / 2 ||
		 done->end_ns - done->start_ns > QUICK_NS;
	if (urgent)
		lane->most = 0;
	if (good && slot->cmd->finish && slot->cmd->dir == DW_DIR_IN)
		return DW_ENDED_FINISH;
	hub_push(slot);
	return urgent ? DW_ENDED_TELL : DW_ENDED_TOLD;
}

void dw_lane_deliver(struct dw_lane *lane, struct dw_slot *slot, enum dw_ended left)
{
	if (left == DW_ENDED_FINISH && lane->hub->executor.run) {
		run_elsewhere(lane->hub, finish_elsewhere, slot);
		return;
	}
	if (left == DW_ENDED_FINISH) {
		slot->cmd->finish(slot->cmd, &slot->done);
		hub_push(slot);
	}
	if (left != DW_ENDED_TOLD)
		dw_hub_signal(lane->hub);
}

static void slot_fill(struct dw_slot *slot, struct dw_cmd *cmd)
{
	cmd->submit_ns = atomic_load(&slot->lane->hub->latest_ns);
	slot->cmd = cmd;
	slot->state = cmd->prepare ? DW_SLOT_RAW : DW_SLOT_READY;
	memset(&slot->done, 0, sizeof(slot->done));
	slot->done.cmd = cmd;
	slot->done.cookie = cmd->cookie;
	slot->done.handle = slot->lane->handle;
}

static void hub_mark_dirty(struct dw_lane *lane)
{
	struct dw_hub *hub = lane->hub;

	if (atomic_exchange(&lane->dirty, true))
		return;
	pthread_mutex_lock(&hub->lock);
	lane->next_dirty = hub->dirty;
	hub->dirty = lane;
	pthread_mutex_unlock(&hub->lock);
}

/*
 * The lane is marked before its lock is dropped: a thread that is awake may take the
 * command at once, and the disk may be done and detached before submit returns.
 */
int dw_hub_submit(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	struct dw_hub *hub = hub_of(t);
	struct dw_lane *lane = dw_hub_lane(hub, handle);
	struct dw_slot *slot;
	bool run = false;

	if (!lane)
		return -ENODEV;
	pthread_mutex_lock(&lane->lock);
	slot = lane->free;
	if (!slot || lane->waiting >= lane->target.depth + DW_AHEAD_MAX) {
		pthread_mutex_unlock(&lane->lock);
		return -EAGAIN;
	}
	lane->free = slot->next;
	slot_fill(slot, cmd);
	if (lane->fenced && !dw_guard_passes_fence(cmd)) {
		give_back_slot(slot, -ECANCELED);
	} else {
		lane_append(lane, slot);
		hub_mark_dirty(lane);
		run = slot->state == DW_SLOT_RAW && hub->executor.run;
		if (run)
			slot->state = DW_SLOT_PREPARING;
	}
	pthread_mutex_unlock(&lane->lock);
	if (run)
		run_elsewhere(hub, prepare_elsewhere, slot);
	return 0;
}

void dw_hub_flush(struct dw_transport *t)
{
	struct dw_hub *hub = hub_of(t);
	struct dw_lane *lane, *next;

	pthread_mutex_lock(&hub->lock);
	lane = hub->dirty;
	hub->dirty = NULL;
	pthread_mutex_unlock(&hub->lock);
	for (; lane; lane = next) {
		next = lane->next_dirty;
		atomic_store(&lane->dirty, false);
		pthread_mutex_lock(&lane->lock);
		hub->kick(lane, true);
	}
}

/* Take the finished ones over, oldest first. */
static void hub_collect(struct dw_hub *hub)
{
	struct dw_slot *slot = atomic_exchange(&hub->done, NULL), *next;
	struct dw_slot *ready = NULL;

	for (; slot; slot = next) {
		next = slot->next;
		slot->next = ready;
		ready = slot;
	}
	hub->ready = ready;
}

static void slot_recycle(struct dw_slot *slot)
{
	struct dw_lane *lane = slot->lane;

	pthread_mutex_lock(&lane->lock);
	slot->state = DW_SLOT_FREE;
	slot->next = lane->free;
	lane->free = slot;
	pthread_mutex_unlock(&lane->lock);
}

void dw_hub_heed(struct dw_hub *hub)
{
	if (atomic_load(&hub->signalled))
		hub_drain(hub);
}

size_t dw_hub_take(struct dw_hub *hub, struct dw_completion *out, size_t max)
{
	struct dw_slot *slot;
	size_t n = 0;

	while (n < max) {
		if (!hub->ready)
			hub_collect(hub);
		slot = hub->ready;
		if (!slot)
			return n;
		hub->ready = slot->next;
		out[n++] = slot->done;
		slot_recycle(slot);
	}
	/* the descriptor stays readable: its signal was cleared */
	if (hub->ready || atomic_load(&hub->done))
		dw_hub_signal(hub);
	return n;
}

uint64_t dw_hub_now(struct dw_transport *t)
{
	uint64_t now = dw_clock_ns();

	atomic_store(&hub_of(t)->latest_ns, now);
	return now;
}

static bool wait_left(struct dw_hub *hub, uint64_t deadline_ns, struct timespec *ret)
{
	uint64_t now = dw_hub_now(&hub->base);

	if (now >= deadline_ns)
		return false;
	ret->tv_sec = (time_t)((deadline_ns - now) / DW_NS_PER_S);
	ret->tv_nsec = (long)((deadline_ns - now) % DW_NS_PER_S);
	return true;
}

int dw_hub_wait(struct dw_hub *hub, uint64_t deadline_ns)
{
	struct pollfd fd = { .fd = hub->event_fd, .events = POLLIN };
	struct timespec left = { 0 };
	int r;

	if (atomic_exchange(&hub->woken, false))
		return -EINTR;
	if (deadline_ns != UINT64_MAX && !wait_left(hub, deadline_ns, &left))
		left = (struct timespec){ 0 };
	r = ppoll(&fd, 1, deadline_ns == UINT64_MAX ? NULL : &left, NULL);
	if (r < 0)
		return -errno;
	if (r > 0)
		hub_drain(hub);
	return atomic_exchange(&hub->woken, false) ? -EINTR : 0;
}

/* The reaper's CPU time for a command comes on top of that of the disk's thread. */
static void count_reaped(struct dw_hub *hub, struct dw_completion *out, size_t n)
{
	uint64_t host_ns = dw_meter_count(&hub->meter, (uint32_t)n);

	for (size_t i = 0; i < n; i++)
		out[i].host_ns += host_ns;
}

int dw_hub_reap(struct dw_transport *t, struct dw_completion *out, size_t max,
		uint64_t deadline_ns)
{
	struct dw_hub *hub = hub_of(t);
	bool last = false;
	size_t n;
	int r = 0;

	for (;;) {
		dw_hub_heed(hub);
		n = dw_hub_take(hub, out, max);
		if (n > 0)
			count_reaped(hub, out, n);
		if (n > 0 || max == 0)
			return (int)n;
		if (r < 0)
			return r;
		if (last)
			return 0;
		if (deadline_ns == 0)
			return atomic_exchange(&hub->woken, false) ? -EINTR : 0;
		last = deadline_ns != UINT64_MAX && dw_hub_now(t) >= deadline_ns;
		r = dw_hub_wait(hub, deadline_ns);
	}
}

void dw_hub_wake(struct dw_transport *t)
{
	struct dw_hub *hub = hub_of(t);

	atomic_store(&hub->woken, true);
	dw_hub_signal(hub);
}

void dw_hub_cancel(struct dw_transport *t, uint32_t handle)
{
	struct dw_lane *lane = dw_hub_lane(hub_of(t), handle);

	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane_give_back_all(lane, false);
	pthread_mutex_unlock(&lane->lock);
}

void dw_hub_unfence(struct dw_transport *t, uint32_t handle)
{
	struct dw_lane *lane = dw_hub_lane(hub_of(t), handle);

	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane->fenced = false;
	dw_hub_now(t); /* what is submitted from now on begins later */
	pthread_mutex_unlock(&lane->lock);
}

void dw_hub_set_permits(struct dw_transport *t, uint32_t handle, uint32_t permits)
{
	struct dw_lane *lane = dw_hub_lane(hub_of(t), handle);

	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane->target.permits = permits;
	pthread_mutex_unlock(&lane->lock);
}

/* A thread that goes to sleep has signalled before. The last one may be about to sleep, with
 * nothing more to report: then the answer comes with its signal. */
bool dw_hub_quiet(struct dw_transport *t)
{
	struct dw_hub *hub = hub_of(t);

	atomic_store(&hub->asked, true);
	if (atomic_load(&hub->awake))
		return false;
	atomic_store(&hub->asked, false);
	return !atomic_load(&hub->signalled);
}

/* When the time limit of a command at the device is over; 0 = it is not there. Lane locked. */
static uint64_t slot_due(const struct dw_slot *slot)
{
	if (slot->state != DW_SLOT_STARTED || slot->done.end_ns)
		return 0;
	return slot->done.start_ns + slot->cmd->timeout_ms * DW_NS_PER_MS;
}

void dw_hub_count(struct dw_transport *t, uint32_t handle, struct dw_transport_count *ret)
{
	struct dw_lane *lane = dw_hub_lane(hub_of(t), handle);

	*ret = (struct dw_transport_count){ 0 };
	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	for (unsigned int i = 0; i < DW_LANE_SLOTS; i++) {
		uint64_t due_ns = slot_due(&lane->slots[i]);

		ret->submitted += lane->slots[i].state != DW_SLOT_FREE;
		if (due_ns && (!ret->due_ns || due_ns < ret->due_ns))
			ret->due_ns = due_ns;
	}
	ret->waiting = lane->waiting;
	ret->at_device = lane->at_device;
	ret->fenced = lane->fenced;
	pthread_mutex_unlock(&lane->lock);
}

int dw_hub_fd(struct dw_transport *t)
{
	return hub_of(t)->event_fd;
}
