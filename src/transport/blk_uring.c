/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One ring for all block devices, and no thread. The kernel writes the hub's descriptor when
 * something has ended. Whoever reaps takes the completions over and starts what waits for each
 * device. Lanes keep order, fence and depth as they do for threads. The ring has a lock of its
 * own, taken before any lane's, because a flush may come from another thread than the reaper. A
 * thread that only has news for a lane marks it and signals.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#include "base/util.h"
#include "transport/blk.h"
#include "transport/lane.h"
#include "transport/stamp.h"

#define SQ_ENTRIES 256
#define CQ_ENTRIES 4096

struct uring {
	struct dw_hub hub;
	pthread_mutex_t lock;
	struct io_uring ring;
	uint32_t at_kernel; /* never more than the kernel has room for completions of */
	atomic_uint kicked; /* bumped when some lane may have something to start */
};

/* A lane's @impl. */
struct device {
	atomic_bool kicked;
};

static struct uring *uring_of(struct dw_transport *t)
{
	return dw_container_of(t, struct uring, hub.base);
}

/* Called with the lane's lock held, by anybody. */
static void uring_kick(struct dw_lane *lane, bool unlock)
{
	struct uring *u = dw_container_of(lane->hub, struct uring, hub);
	struct device *device = lane->impl;

	atomic_store(&device->kicked, true);
	atomic_fetch_add(&u->kicked, 1);
	dw_hub_signal(&u->hub);
	if (unlock)
		pthread_mutex_unlock(&lane->lock);
}

/* What the kernel has no room for now is tried again at the next visit. */
static void uring_submit(struct uring *u)
{
	int r;

	do
		r = io_uring_submit(&u->ring);
	while (r == -EINTR);
	if (io_uring_sq_ready(&u->ring) > 0)
		dw_hub_signal(&u->hub);
}

static struct io_uring_sqe *uring_sqe(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	while (!sqe) {
		uring_submit(u);
		sqe = io_uring_get_sqe(&u->ring);
	}
	return sqe;
}

static void slot_end(struct dw_slot *slot, const struct dw_blk_op *op, int res)
{
	struct dw_lane *lane = slot->lane;
	enum dw_ended left;

	dw_blk_result(slot->cmd, op, lane->target.blk_fd, res, &slot->done);
	pthread_mutex_lock(&lane->lock);
	left = dw_lane_ended(slot);
	pthread_mutex_unlock(&lane->lock);
	dw_lane_deliver(lane, slot, left);
}

static void slot_start(struct uring *u, struct dw_slot *slot)
{
	struct dw_cmd *cmd = slot->cmd;
	int fd = slot->lane->target.blk_fd;
	struct io_uring_sqe *sqe;
	struct dw_blk_op op;

	dw_blk_parse(cmd, slot->lane->target.block_size, &op);
	if (op.verb == DW_BLK_REFUSE) {
		slot_end(slot, &op, 0);
		return;
	}
	dw_stamp(cmd);
	sqe = uring_sqe(u);
	if (op.verb == DW_BLK_READ)
		io_uring_prep_read(sqe, fd, cmd->data, cmd->data_len, op.offset);
	else if (op.verb == DW_BLK_WRITE)
		io_uring_prep_write(sqe, fd, cmd->data, cmd->data_len, op.offset);
	else
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_data(sqe, slot);
	u->at_kernel++;
}

/* Start what a device can take; ring locked. */
static void lane_start(struct uring *u, struct dw_lane *lane)
{
	struct dw_slot *take, *raw;

	do {
		if (u->at_kernel >= CQ_ENTRIES) {
			atomic_store(&((struct device *)lane->impl)->kicked, true);
			atomic_fetch_add(&u->kicked, 1);
			return;
		}
		pthread_mutex_lock(&lane->lock);
		take = dw_lane_take(lane, 0);
		raw = take || u->hub.executor.run ? NULL : dw_lane_raw(lane);
		pthread_mutex_unlock(&lane->lock);
		if (take)
			slot_start(u, take);
		else if (raw)
			dw_lane_prepare(raw, true);
	} while (take || raw);
}

static void uring_start(struct uring *u)
{
	uint32_t n = atomic_exchange(&u->kicked, 0) ? u->hub.n_lanes : 0;
	struct dw_lane *lane;

	for (uint32_t i = 0; i < n; i++) {
		lane = dw_hub_lane(&u->hub, i);
		if (lane &&
		    atomic_exchange(&((struct device *)lane->impl)->kicked, false))
			lane_start(u, lane);
	}
	if (io_uring_sq_ready(&u->ring) > 0)
		uring_submit(u);
}

/* Take over what the kernel has finished, and start what that makes room for. */
static void uring_collect(struct uring *u)
{
	struct io_uring_cqe *cqe;
	struct dw_slot *slot;
	struct dw_lane *lane;
	struct dw_blk_op op;
	int res;

	while (io_uring_peek_cqe(&u->ring, &cqe) == 0) {
		slot = io_uring_cqe_get_data(cqe);
		res = cqe->res;
		io_uring_cqe_seen(&u->ring, cqe);
		u->at_kernel--;
		lane = slot->lane;
		dw_blk_parse(slot->cmd, lane->target.block_size, &op);
		slot_end(slot, &op, res);
		lane_start(u, lane);
	}
}

static void uring_flush(struct dw_transport *t)
{
	struct uring *u = uring_of(t);

	dw_hub_flush(t);
	pthread_mutex_lock(&u->lock);
	uring_start(u);
	pthread_mutex_unlock(&u->lock);
}

static int uring_reap(struct dw_transport *t, struct dw_completion *out, size_t max,
		      uint64_t deadline_ns)
{
	struct uring *u = uring_of(t);
	bool last = false;
	size_t n;
	int r = 0;

	for (;;) {
		dw_hub_heed(&u->hub);
		pthread_mutex_lock(&u->lock);
		uring_collect(u);
		uring_start(u);
		pthread_mutex_unlock(&u->lock);
		n = dw_hub_take(&u->hub, out, max);
		if (n > 0 || max == 0)
			return (int)n;
		if (r < 0)
			return r;
		if (last)
			return 0;
		last = deadline_ns != UINT64_MAX && dw_hub_now(t) >= deadline_ns;
		r = dw_hub_wait(&u->hub, deadline_ns);
	}
}

static bool uring_quiet(struct dw_transport *t)
{
	struct uring *u = uring_of(t);
	bool quiet;

	pthread_mutex_lock(&u->lock);
	quiet = !u->at_kernel && !atomic_load(&u->kicked) && !io_uring_sq_ready(&u->ring);
	pthread_mutex_unlock(&u->lock);
	return quiet && dw_hub_quiet(t);
}

static int uring_attach(struct dw_transport *t, const struct dw_target *target,
			uint32_t *ret_handle)
{
	struct uring *u = uring_of(t);
	dw_autofree struct device *device = calloc(1, sizeof(*device));
	struct dw_lane *lane;
	int r = dw_blk_direct(target->blk_fd);

	if (!device)
		return -ENOMEM;
	if (r < 0)
		return r;
	pthread_mutex_lock(&u->lock);
	r = dw_hub_attach(&u->hub, target, &lane);
	if (r == 0) {
		lane->impl = device;
		device = NULL;
		*ret_handle = lane->handle;
	}
	pthread_mutex_unlock(&u->lock);
	return r;
}

static void uring_detach(struct dw_transport *t, uint32_t handle)
{
	struct uring *u = uring_of(t);
	struct dw_lane *lane;

	pthread_mutex_lock(&u->lock);
	lane = dw_hub_lane(&u->hub, handle);
	if (lane) {
		struct device *device = lane->impl;

		dw_hub_detach(lane);
		free(device);
	}
	pthread_mutex_unlock(&u->lock);
}

static void uring_set_depth(struct dw_transport *t, uint32_t handle, uint32_t depth)
{
	struct dw_lane *lane = dw_hub_lane(&uring_of(t)->hub, handle);

	if (!lane)
		return;
	pthread_mutex_lock(&lane->lock);
	lane->target.depth = dw_lane_depth(depth);
	uring_kick(lane, true);
}

static void uring_free(struct dw_transport *t)
{
	struct uring *u;

	if (!t)
		return;
	u = uring_of(t);
	for (uint32_t i = 0; i < u->hub.n_lanes; i++)
		uring_detach(t, i);
	io_uring_queue_exit(&u->ring);
	pthread_mutex_destroy(&u->lock);
	dw_hub_deinit(&u->hub);
	free(u);
}

static const struct dw_transport_ops uring_ops = {
	.attach = uring_attach,
	.detach = uring_detach,
	.submit = dw_hub_submit,
	.flush = uring_flush,
	.reap = uring_reap,
	.wake = dw_hub_wake,
	.cancel = dw_hub_cancel,
	.unfence = dw_hub_unfence,
	.set_permits = dw_hub_set_permits,
	.set_depth = uring_set_depth,
	.fd = dw_hub_fd,
	.quiet = uring_quiet,
	.count = dw_hub_count,
	.now = dw_hub_now,
	.free = uring_free,
};

static int ring_init(struct uring *u)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		.cq_entries = CQ_ENTRIES,
	};
	int r = io_uring_queue_init_params(SQ_ENTRIES, &u->ring, &params);

	if (r < 0)
		return r;
	/* without it, completions beyond the ring's length would be lost */
	r = params.features & IORING_FEAT_NODROP
		    ? io_uring_register_eventfd(&u->ring, u->hub.event_fd)
		    : -ENOSYS;
	if (r < 0)
		io_uring_queue_exit(&u->ring);
	return r;
}

int dw_blk_uring_new(const struct dw_executor *executor, struct dw_transport **ret)
{
	struct uring *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return -ENOMEM;
	r = dw_hub_init(&u->hub, executor, uring_kick);
	if (r == 0) {
		r = ring_init(u);
		if (r < 0)
			dw_hub_deinit(&u->hub);
	}
	if (r < 0) {
		free(u);
		return r;
	}
	pthread_mutex_init(&u->lock, NULL);
	u->hub.base.ops = &uring_ops;
	*ret = &u->hub.base;
	return 0;
}
