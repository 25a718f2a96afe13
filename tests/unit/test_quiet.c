/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a transport says that nothing will come of what was submitted: not while a thread or a
 * worker is at it, wherever it stands, and not while there is something to fetch.
 */
#include "unit.h"

#include <poll.h>
#include <unistd.h>

#include "base/util.h"
#include "fake_sender.h"
#include "scsi/cdb.h"
#include "scsi/opcodes.h"
#include "transport/meter.h"
#include "transport/transport.h"

#define BS  512u
#define FAR (10 * DW_NS_PER_S)

static uint8_t data[BS];

struct fixture {
	struct fake_sender fake;
	struct dw_transport *t;
	uint32_t disk;
};

static void start_with(struct fixture *f, uint32_t depth,
		       const struct dw_executor *executor)
{
	const struct dw_target target = {
		.sg_fd = -1,
		.blk_fd = -1,
		.permits = DW_OPCLASS_READ | DW_OPCLASS_WRITE,
		.block_size = BS,
		.blocks = 1000,
		.depth = depth,
		.max_bytes = sizeof(data),
	};
	struct dw_sender sender;

	fake_sender_init(&f->fake, 1);
	sender = fake_sender_ops(&f->fake);
	assert_int_equal(dw_threaded_new(&sender, executor, &f->t), 0);
	assert_int_equal(f->t->ops->attach(f->t, &target, &f->disk), 0);
}

static void stop(struct fixture *f)
{
	f->t->ops->detach(f->t, f->disk);
	f->t->ops->free(f->t);
	fake_sender_deinit(&f->fake);
}

static struct dw_cmd block(uint8_t verb)
{
	const struct dw_cdb_extent x = { .verb = verb, .lba = 0, .nlb = 1 };
	struct dw_cmd cmd = { .data = data,
			      .data_len = BS,
			      .dir = verb == DW_EXTENT_READ ? DW_DIR_IN : DW_DIR_OUT,
			      .timeout_ms = 1000 };

	cmd.cdb_len = (uint8_t)dw_cdb_fill_extent(cmd.cdb, 16, &x);
	return cmd;
}

static void submit(struct fixture *f, struct dw_cmd *cmd)
{
	assert_int_equal(f->t->ops->submit(f->t, f->disk, cmd), 0);
}

static void fetch(struct fixture *f)
{
	struct dw_completion done;

	assert_int_equal(f->t->ops->reap(f->t, &done, 1, f->t->ops->now(f->t) + FAR), 1);
	assert_int_equal(done.err, 0);
}

static bool readable(struct fixture *f)
{
	struct pollfd fd = { .fd = f->t->ops->fd(f->t), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* A gate that callbacks stand before. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_news = PTHREAD_COND_INITIALIZER;
static bool gate_open;
static bool gate_reached;

static void stand(struct dw_cmd *cmd)
{
	pthread_mutex_lock(&gate_lock);
	gate_reached = true;
	pthread_cond_broadcast(&gate_news);
	while (!gate_open)
		pthread_cond_wait(&gate_news, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
}

static void stand_finished(struct dw_cmd *cmd, const struct dw_completion *done)
{
	stand(cmd);
}

static void await_gate(void)
{
	pthread_mutex_lock(&gate_lock);
	while (!gate_reached)
		pthread_cond_wait(&gate_news, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
}

static void set_gate(bool open)
{
	pthread_mutex_lock(&gate_lock);
	gate_open = open;
	gate_reached = false;
	pthread_cond_broadcast(&gate_news);
	pthread_mutex_unlock(&gate_lock);
}

/* Threads go to sleep when they have told what there is to tell. Who has asked before the last of
 * them did is told of that as well. */
static void await_quiet(struct fixture *f)
{
	struct pollfd fd = { .fd = f->t->ops->fd(f->t), .events = POLLIN };
	struct dw_completion done;

	while (!f->t->ops->quiet(f->t)) {
		assert_int_equal(poll(&fd, 1, 10000), 1);
		assert_int_equal(f->t->ops->reap(f->t, &done, 1, 0), 0);
	}
}

/* Long enough for everybody else to go to sleep. */
static void assert_at_work(struct fixture *f)
{
	for (unsigned int i = 0; i < 50; i++) {
		assert_false(f->t->ops->quiet(f->t));
		usleep(1000);
	}
}

static void test_quiet(void **state)
{
	const uint64_t began_ns = dw_clock_ns();
	struct dw_cmd cmd = block(DW_EXTENT_WRITE);
	struct dw_transport_count n;
	struct fixture f;

	start_with(&f, 4, NULL);
	await_quiet(&f);
	f.t->ops->count(f.t, f.disk, &n);
	assert_int_equal(n.due_ns, 0);
	cmd.timeout_ms = 60000;
	f.fake.hold = true;
	submit(&f, &cmd);
	assert_true(f.t->ops->quiet(f.t)); /* nobody was told of it */
	f.t->ops->flush(f.t);
	assert_false(f.t->ops->quiet(f.t));
	assert_true(fake_sender_await(&f.fake, 1));
	assert_at_work(&f);
	f.t->ops->count(f.t, f.disk, &n);
	assert_int_equal(n.submitted, 1);
	assert_int_equal(n.waiting, 0);
	assert_int_equal(n.at_device, 1);
	assert_true(n.due_ns >= began_ns + 60 * DW_NS_PER_S);
	assert_true(n.due_ns <= dw_clock_ns() + 60 * DW_NS_PER_S);
	fake_sender_release(&f.fake);
	while (!readable(&f))
		usleep(1000);
	assert_false(f.t->ops->quiet(f.t)); /* there is something to fetch */
	f.t->ops->count(f.t, f.disk, &n);
	assert_int_equal(n.due_ns, 0); /* it has ended, though nobody has fetched it */
	fetch(&f);
	await_quiet(&f);
	f.t->ops->set_depth(f.t, f.disk, 8);
	await_quiet(&f);
	stop(&f);
}

/* Workers bring news as well. */
static void test_quiet_elsewhere(void **state)
{
	struct fake_pool *pool = fake_pool_new(2, 1);
	const struct dw_executor executor = fake_pool_executor(pool);
	struct dw_cmd write = block(DW_EXTENT_WRITE);
	struct dw_cmd read = block(DW_EXTENT_READ);
	struct fixture f;

	write.prepare = stand;
	read.finish = stand_finished;
	start_with(&f, 2, &executor);
	await_quiet(&f);
	for (unsigned int i = 0; i < 2; i++) {
		set_gate(false);
		submit(&f, i ? &read : &write);
		f.t->ops->flush(f.t);
		await_gate();
		assert_at_work(&f);
		set_gate(true);
		fetch(&f);
		await_quiet(&f);
	}
	stop(&f);
	fake_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_quiet_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
