/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_LANE_H
#define DW_TRANSPORT_LANE_H

/*
 * What the transports to real disks share: a lane per disk (its commands that are not started
 * yet, its fence, and what is at the device), and a hub that all lanes report to (finished
 * commands, one eventfd). The transport decides what takes commands out of a lane and executes
 * them, threads or a ring; see threaded.c and blk_uring.c.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/meter.h"
#include "transport/transport.h"

#define DW_DEPTH_MAX  64
#define DW_LANE_SLOTS (3 * DW_DEPTH_MAX)

enum dw_slot_state {
	DW_SLOT_FREE,
	DW_SLOT_RAW,       /* prepare has not run */
	DW_SLOT_PREPARING, /* prepare runs */
	DW_SLOT_READY,     /* may be started when it is first in line */
	DW_SLOT_DROPPED,   /* returned while prepare runs; completes when that ends */
	DW_SLOT_STARTED,   /* at the device, or on its way back */
};

/**
 * struct dw_slot - one command inside a transport
 * @lane: its disk
 * @next: in the lane's line, or among the hub's finished ones
 * @cmd: the command
 * @state: enum dw_slot_state
 * @done: how it ended
 */
struct dw_slot {
	struct dw_lane *lane;
	struct dw_slot *next;
	struct dw_cmd *cmd;
	enum dw_slot_state state;
	struct dw_completion done;
};

/**
 * struct dw_lane - one disk's commands
 * @hub: where finished ones go
 * @handle: the disk's number
 * @target: the disk; permits and depth change, under @lock
 * @impl: the transport's
 * @lock: protects everything below
 * @head: commands not started, in order of submission
 * @tail: last of them
 * @waiting: their number
 * @most: largest @waiting since the reaper was last signalled
 * @at_device: commands started and not ended
 * @started_ns: start of the latest
 * @fenced: nothing starts but what passes the fence
 * @free: unused slots
 * @dirty: submitted to since the last flush
 * @next_dirty: the hub's list of dirty lanes
 * @slots: storage
 */
struct dw_lane {
	struct dw_hub *hub;
	uint32_t handle;
	struct dw_target target;
	void *impl;
	pthread_mutex_t lock;
	struct dw_slot *head;
	struct dw_slot *tail;
	uint32_t waiting;
	uint32_t most;
	uint32_t at_device;
	uint64_t started_ns;
	bool fenced;
	struct dw_slot *free;
	atomic_bool dirty;
	struct dw_lane *next_dirty;
	struct dw_slot slots[DW_LANE_SLOTS];
};

/**
 * struct dw_hub - all lanes of a transport; the first member of such a transport
 * @base: what callers see
 * @executor: runs prepare and finish; @executor.run NULL = whoever takes the command
 * @kick: a lane may have something to start; called with its lock held, and unlocks it if
 *	@unlock: before it wakes a thread, which would want the lock at once
 * @event_fd: readable when somebody signalled
 * @done: finished commands, newest first; any thread pushes, the reaper takes all
 * @signalled: @event_fd is written, or about to be
 * @latest_ns: the latest reading of the clock; near enough for times of submission
 * @woken: wake was called
 * @awake: number of threads and workers that are not asleep; each signals what it does
 * @asked: somebody wants to know when @awake becomes 0
 * @ready: the reaper's own: taken from @done, oldest first
 * @lock: protects the lanes' table and list
 * @lanes: by handle, with holes
 * @n_lanes: length of @lanes
 * @dirty: lanes to kick at the next flush
 * @meter: CPU time of the reaper
 */
struct dw_hub {
	struct dw_transport base;
	struct dw_executor executor;
	void (*kick)(struct dw_lane *lane, bool unlock);
	int event_fd;
	_Atomic(struct dw_slot *) done;
	atomic_bool signalled;
	_Atomic uint64_t latest_ns;
	atomic_bool woken;
	atomic_uint awake;
	atomic_bool asked;
	struct dw_slot *ready;
	pthread_mutex_t lock;
	struct dw_lane **lanes;
	uint32_t n_lanes;
	struct dw_lane *dirty;
	struct dw_meter meter;
};

/**
 * dw_hub_init() - make an empty hub
 * @hub: zeroed memory
 * @executor: copied; NULL = none
 * @kick: see struct dw_hub
 *
 * Return: 0 or the negative errno of eventfd.
 */
int dw_hub_init(struct dw_hub *hub, const struct dw_executor *executor,
		void (*kick)(struct dw_lane *lane, bool unlock));

/** dw_hub_deinit() - release it; every lane is detached before. */
void dw_hub_deinit(struct dw_hub *hub);

/**
 * dw_hub_attach() - a lane for one more disk
 * @hub: the hub
 * @target: the disk; copied, its depth brought into 1..64
 * @ret_lane: the lane; dw_hub_detach()
 *
 * Return: 0 or -ENOMEM.
 */
int dw_hub_attach(struct dw_hub *hub, const struct dw_target *target,
		  struct dw_lane **ret_lane);

/** dw_lane_depth() - bring a depth into 1..DW_DEPTH_MAX. */
uint32_t dw_lane_depth(uint32_t depth);

/** dw_hub_detach() - forget a lane that has nothing submitted, and free it. */
void dw_hub_detach(struct dw_lane *lane);

/** dw_hub_lane() - the lane of a handle, NULL if there is none. */
struct dw_lane *dw_hub_lane(struct dw_hub *hub, uint32_t handle);

/**
 * dw_hub_signal() - make the hub's descriptor readable; async-signal-safe
 * @hub: the hub
 */
void dw_hub_signal(struct dw_hub *hub);

/** dw_hub_awake() - one more thread is awake; it will signal the results of its work. */
void dw_hub_awake(struct dw_hub *hub);

/** dw_hub_asleep() - one thread goes to sleep and has signalled its results; the last one informs
 *  whoever has asked. */
void dw_hub_asleep(struct dw_hub *hub);

/**
 * dw_hub_heed() - clear the signal, before looking for its reason
 * @hub: the hub
 *
 * A caller that looks in several places clears it first. So a signal that comes after it has
 * looked in one of them is still set when the caller goes to sleep.
 */
void dw_hub_heed(struct dw_hub *hub);

/** dw_hub_take() - move up to @max finished commands to @out, without waiting; their number. */
size_t dw_hub_take(struct dw_hub *hub, struct dw_completion *out, size_t max);

/**
 * dw_hub_wait() - sleep until the hub is signalled
 * @hub: the hub
 * @deadline_ns: CLOCK_MONOTONIC; UINT64_MAX = no limit
 *
 * Return: 0 also when the deadline passed, -EINTR after a signal or wake, or the negative
 * errno of poll.
 */
int dw_hub_wait(struct dw_hub *hub, uint64_t deadline_ns);

/**
 * dw_lane_take() - the next command that may be started now; call with the lock held
 * @lane: the disk
 * @ended_ns: when the command ended that the calling thread carried out right before, which
 *	saves a look at the clock; 0 = the thread comes from elsewhere
 *
 * Commands that the guard refuses are completed with -EPERM here, and fence the disk.
 *
 * Return: the command, counted as at the device and stamped, or NULL.
 */
struct dw_slot *dw_lane_take(struct dw_lane *lane, uint64_t ended_ns);

/**
 * dw_lane_raw() - the next command that the caller should prepare; lock held
 * @lane: the disk
 *
 * No more commands have data at a time than the depth and one more, which is what a disk's memory
 * is planned for: a thread that has nothing to send does not prepare all that waits.
 *
 * Return: the command, marked as being prepared, or NULL. Run dw_lane_prepare() on it
 * without the lock.
 */
struct dw_slot *dw_lane_raw(struct dw_lane *lane);

/** dw_lane_prepare() - run prepare, then put the command back in line; lock not held.
 *  @kick: somebody is to start it; false where the caller looks for what to start next. */
void dw_lane_prepare(struct dw_slot *slot, bool kick);

/* What is left to do for a command that has ended, without the lock. */
enum dw_ended {
	DW_ENDED_TOLD,   /* nothing: a later command signals it */
	DW_ENDED_TELL,   /* make the hub's descriptor readable */
	DW_ENDED_FINISH, /* run finish: the slot is not handed over yet */
};

/**
 * dw_lane_ended() - the device is done with a command; lock held
 * @slot: the command, its @done filled but for the end time
 *
 * Fences the disk unless all went well. Hands the command over to the reaper, but for one with
 * a finish callback to run. The hand-over belongs to the same locked step as the decision not
 * to tell of it: a command that ends later must find it done.
 *
 * Return: what the caller gives to dw_lane_deliver() when it has dropped the lock.
 */
enum dw_ended dw_lane_ended(struct dw_slot *slot);

/**
 * dw_lane_deliver() - do what is left; lock not held
 * @lane: of the command
 * @slot: the command; only touched where finish is to run
 * @left: what dw_lane_ended() returned
 */
void dw_lane_deliver(struct dw_lane *lane, struct dw_slot *slot, enum dw_ended left);

/** dw_hub_submit() ... dw_hub_now() - what all these transports have in common, ready for
 *  their ops tables. */
int dw_hub_submit(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd);
void dw_hub_flush(struct dw_transport *t);
int dw_hub_reap(struct dw_transport *t, struct dw_completion *out, size_t max,
		uint64_t deadline_ns);
void dw_hub_wake(struct dw_transport *t);
void dw_hub_cancel(struct dw_transport *t, uint32_t handle);
void dw_hub_unfence(struct dw_transport *t, uint32_t handle);
void dw_hub_set_permits(struct dw_transport *t, uint32_t handle, uint32_t permits);
bool dw_hub_quiet(struct dw_transport *t);
void dw_hub_count(struct dw_transport *t, uint32_t handle,
		  struct dw_transport_count *ret);
int dw_hub_fd(struct dw_transport *t);
uint64_t dw_hub_now(struct dw_transport *t);

#endif
