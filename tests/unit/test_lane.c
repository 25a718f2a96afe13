/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes and their hub without threads: what is visible between two steps of one. */
#include "unit.h"

#include <poll.h>

#include "base/util.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/lane.h"

#define BS 512u

static uint8_t data[BS];

static const struct dw_target target = {
	.sg_fd = -1,
	.blk_fd = -1,
	.permits = DW_OPCLASS_WRITE,
	.block_size = BS,
	.blocks = 100,
	.depth = 2,
	.max_bytes = sizeof(data),
};

static struct dw_cmd write_block(uint64_t lba)
{
	const struct dw_cdb_extent x = { .verb = DW_EXTENT_WRITE, .lba = lba, .nlb = 1 };
	struct dw_cmd cmd = { .data = data,
			      .data_len = BS,
			      .dir = DW_DIR_OUT,
			      .timeout_ms = 1000,
			      .cookie = lba };

	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, 16, &x);
	return cmd;
}

static void start_nobody(struct dw_lane *lane, bool unlock)
{
	if (unlock)
		pthread_mutex_unlock(&lane->lock);
}

/* A thread may lose the processor right after its command has ended. Whoever collects the news
 * of a later command must find that one, too: nobody tells of it again. */
static void test_ended_is_handed_over(void **state)
{
	struct dw_hub hub = { 0 };
	struct dw_completion done[8];
	struct dw_slot *first, *second;
	struct dw_lane *lane;
	struct dw_cmd cmd[8];

	assert_int_equal(dw_hub_init(&hub, NULL, start_nobody), 0);
	assert_int_equal(dw_hub_attach(&hub, &target, &lane), 0);
	for (unsigned int i = 0; i < 8; i++) {
		cmd[i] = write_block(i);
		assert_int_equal(dw_hub_submit(&hub.base, lane->handle, &cmd[i]), 0);
	}
	dw_hub_flush(&hub.base);
	pthread_mutex_lock(&lane->lock);
	first = dw_lane_take(lane, 0);
	second = dw_lane_take(lane, 0);
	assert_true(first && second);
	dw_lane_ended(first); /* and its thread sleeps */
	second->done.status = 2;
	assert_int_equal(dw_lane_ended(second), DW_ENDED_TELL);
	pthread_mutex_unlock(&lane->lock);
	/* the second has fenced the disk: all come back */
	assert_int_equal(dw_hub_take(&hub, done, 8), 8);
	assert_int_equal(done[0].cookie, 0);
	assert_int_equal(done[7].cookie, 1);
	dw_hub_detach(lane);
	dw_hub_deinit(&hub);
}

static bool is_readable(struct dw_hub *hub)
{
	struct pollfd fd = { .fd = hub->event_fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static void give_back(struct dw_hub *hub, struct dw_lane *lane, struct dw_cmd *cmd,
		      unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(dw_hub_submit(&hub->base, lane->handle, &cmd[i]), 0);
	dw_hub_flush(&hub->base);
	dw_hub_cancel(&hub->base, lane->handle);
}

/* The reaper takes its fill twice, of what it had collected at first. What ended in between has
 * signalled before the second, which has taken that signal in: it has to be given again. */
static void test_last_of_a_fill(void **state)
{
	struct dw_hub hub = { 0 };
	struct dw_completion done[2];
	struct dw_lane *lane;
	struct dw_cmd cmd[5];

	assert_int_equal(dw_hub_init(&hub, NULL, start_nobody), 0);
	assert_int_equal(dw_hub_attach(&hub, &target, &lane), 0);
	for (unsigned int i = 0; i < 5; i++)
		cmd[i] = write_block(i);
	give_back(&hub, lane, cmd, 4);
	assert_int_equal(dw_hub_reap(&hub.base, done, 2, 0), 2);
	give_back(&hub, lane, cmd + 4, 1);
	assert_int_equal(dw_hub_reap(&hub.base, done, 2, 0), 2);
	assert_int_equal(done[1].cookie, 3);
	assert_true(is_readable(&hub));
	assert_int_equal(dw_hub_reap(&hub.base, done, 2, 0), 1);
	assert_int_equal(done[0].cookie, 4);
	assert_int_equal(dw_hub_reap(&hub.base, done, 2, 0), 0);
	assert_false(is_readable(&hub));
	dw_hub_detach(lane);
	dw_hub_deinit(&hub);
}

static void make_nothing(struct dw_cmd *cmd)
{
	(void)cmd;
}

/* One thread loses the processor while it prepares the first command. The other one has nothing to
 * send until then, and would fill a buffer for each that waits. */
static void test_data_ahead(void **state)
{
	struct dw_slot *slow, *slot;
	struct dw_hub hub = { 0 };
	struct dw_completion done[8];
	struct dw_lane *lane;
	struct dw_cmd cmd[8];

	assert_int_equal(dw_hub_init(&hub, NULL, start_nobody), 0);
	assert_int_equal(dw_hub_attach(&hub, &target, &lane), 0);
	for (unsigned int i = 0; i < 8; i++) {
		cmd[i] = write_block(i);
		cmd[i].prepare = make_nothing;
		assert_int_equal(dw_hub_submit(&hub.base, lane->handle, &cmd[i]), 0);
	}
	slow = dw_lane_raw(lane);
	for (unsigned int i = 0; i < target.depth; i++) {
		assert_null(dw_lane_take(lane, 0));
		slot = dw_lane_raw(lane);
		assert_non_null(slot);
		dw_lane_prepare(slot, false);
	}
	assert_null(dw_lane_raw(lane));
	dw_lane_prepare(slow, false);
	assert_ptr_equal(dw_lane_take(lane, 0), slow);
	assert_null(dw_lane_raw(lane));
	slot = dw_lane_take(lane, 0);
	assert_non_null(slot);
	assert_null(
		dw_lane_raw(lane)); /* those that are at the device have theirs, too */
	dw_lane_ended(slow);
	assert_ptr_equal(dw_lane_raw(lane)->cmd, &cmd[3]);
	dw_lane_ended(slot);
	dw_hub_cancel(&hub.base, lane->handle);
	for (slot = lane->slots; slot->state != DW_SLOT_DROPPED; slot++)
		;
	dw_lane_prepare(slot, false);
	assert_int_equal(dw_hub_take(&hub, done, 8), 8);
	dw_hub_detach(lane);
	dw_hub_deinit(&hub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ended_is_handed_over),
		cmocka_unit_test(test_last_of_a_fill),
		cmocka_unit_test(test_data_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
