/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lease of writing: what goes out between two answers, at any depth; and what the kernel
 * tells of units. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/util.h"
#include "device/device.h"
#include "scsi/cdb.h"
#include "device/uevents.h"
#include "transport/lease.h"
#include "unit.h"

#define BYTES   1000
#define WORKERS 8

static struct rig {
	struct dw_lease lease;
	struct dw_lease_terms terms;
	atomic_uint asked;
	atomic_int answer;
	pid_t awaited; /* the disk answers another thread when this one sleeps; 0 = at once */
	struct dw_completion said;
	bool doubt_meanwhile;
} rig;

static void say(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret)
{
	assert_ptr_equal(ctx, &rig);
	*ret = rig.said;
	ret->cmd = cmd;
}

static int identify(void *ctx, dw_lease_send send, void *send_ctx)
{
	struct dw_completion done;
	struct dw_cmd cmd = { 0 };

	assert_ptr_equal(ctx, &rig);
	atomic_fetch_add(&rig.asked, 1);
	send(send_ctx, &cmd, &done);
	if (rig.awaited && rig.awaited != gettid())
		await_asleep(rig.awaited);
	if (rig.doubt_meanwhile) {
		rig.doubt_meanwhile = false;
		dw_lease_doubt(&rig.lease);
	}
	return atomic_load(&rig.answer);
}

static int setup(void **state)
{
	memset(&rig, 0, sizeof(rig));
	rig.terms = (struct dw_lease_terms){
		.bytes = BYTES, .ns = 600 * DW_NS_PER_S, .identify = identify, .ctx = &rig
	};
	dw_lease_init(&rig.lease, &rig.terms);
	return 0;
}

static int teardown(void **state)
{
	dw_lease_deinit(&rig.lease);
	return 0;
}

static bool enter(uint64_t bytes, struct dw_completion *ret)
{
	*ret = (struct dw_completion){ 0 };
	return dw_lease_enter(&rig.lease, bytes, 0, say, &rig, ret);
}

static void write_one(uint64_t bytes)
{
	struct dw_completion done;

	assert_true(enter(bytes, &done));
	assert_true(dw_lease_unproven(&rig.lease) <= (bytes > BYTES ? bytes : BYTES));
	dw_lease_leave(&rig.lease, bytes, true);
}

static void asks_before_the_first_and_at_half(void **state)
{
	write_one(100);
	assert_int_equal(1, rig.asked);
	for (int i = 0; i < 4; i++)
		write_one(100);
	assert_int_equal(1, rig.asked);
	assert_int_equal(500, dw_lease_unproven(&rig.lease));
	write_one(100);
	assert_int_equal(2, rig.asked);
	assert_int_equal(100, dw_lease_unproven(&rig.lease));
	/* longer than the terms: each says who it is before */
	write_one(5 * BYTES);
	write_one(5 * BYTES);
	assert_int_equal(4, rig.asked);
}

/* An answer that took longer than it lasts is an answer still: here each does. */
static void asks_after_a_time(void **state)
{
	rig.terms.ns = 1;
	for (unsigned int i = 1; i < 4; i++) {
		write_one(1);
		assert_int_equal(i, rig.asked);
	}
}

/* the start of a command stands for the time; another thread's answer may be later than that */
static void time_is_that_of_the_command(void **state)
{
	struct dw_completion done;
	uint64_t asked;

	write_one(1);
	asked = rig.lease.asked_ns;
	assert_true(dw_lease_enter(&rig.lease, 1, asked - 1, say, &rig, &done));
	assert_true(dw_lease_enter(&rig.lease, 1, asked + 1, say, &rig, &done));
	assert_int_equal(1, rig.asked);
	assert_true(
		dw_lease_enter(&rig.lease, 1, asked + rig.terms.ns, say, &rig, &done));
	assert_int_equal(2, rig.asked);
}

static void doubt_asks_at_once(void **state)
{
	write_one(1);
	dw_lease_doubt(&rig.lease);
	write_one(1);
	assert_int_equal(2, rig.asked);
	/* one that comes while the disk is asked is not answered by that */
	dw_lease_doubt(&rig.lease);
	rig.doubt_meanwhile = true;
	write_one(1);
	assert_int_equal(4, rig.asked);
}

static void another_answers(void **state)
{
	struct dw_completion done;

	write_one(300);
	dw_lease_doubt(&rig.lease);
	rig.answer = 1;
	assert_false(enter(100, &done));
	assert_int_equal(-ESTALE, done.err);
	/* and again, until somebody else answers */
	assert_false(enter(100, &done));
	assert_int_equal(3, rig.asked);
	assert_int_equal(300, dw_lease_unproven(&rig.lease));
	rig.answer = 0;
	write_one(100);
	assert_int_equal(100, dw_lease_unproven(&rig.lease));
}

static void no_answer_says_why(void **state)
{
	struct dw_completion done;

	rig.answer = -EIO;
	rig.said =
		(struct dw_completion){ .status = 2, .sense_len = 18, .sense = { 0x70 } };
	rig.said.sense[2] = 6;
	rig.said.sense[12] = 0x29;
	assert_false(enter(100, &done));
	assert_int_equal(0, done.err);
	assert_int_equal(2, done.status);
	assert_int_equal(18, done.sense_len);
	assert_memory_equal(rig.said.sense, done.sense, 18);
	rig.said = (struct dw_completion){ .host_status = 1 };
	assert_false(enter(100, &done));
	assert_int_equal(1, done.host_status);
	rig.said = (struct dw_completion){ .err = -ENODEV };
	assert_false(enter(100, &done));
	assert_int_equal(-ENODEV, done.err);
	/* a good end without an answer is none */
	rig.said = (struct dw_completion){ 0 };
	assert_false(enter(100, &done));
	assert_int_equal(-ESTALE, done.err);
}

static void no_terms(void **state)
{
	struct dw_completion done;
	struct dw_lease l;

	dw_lease_init(&l, NULL);
	assert_true(dw_lease_enter(&l, UINT64_MAX / 2, 0, say, &rig, &done));
	dw_lease_leave(&l, UINT64_MAX / 2, true);
	assert_int_equal(0, dw_lease_unproven(&l));
	dw_lease_deinit(&l);
}

static void *work(void *arg)
{
	struct timespec t = { .tv_nsec = 20000 };
	struct dw_completion done;

	for (int i = 0; i < 400; i++) {
		assert_true(enter(150, &done));
		assert_true(dw_lease_unproven(&rig.lease) <= BYTES);
		nanosleep(&t, NULL);
		dw_lease_leave(&rig.lease, 150, true);
	}
	return arg;
}

/* more under way than the terms allow: some wait, all get through, the bound holds */
static void bound_holds_at_depth(void **state)
{
	pthread_t thread[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(0, pthread_create(&thread[i], NULL, work, NULL));
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	assert_true(rig.asked >= WORKERS * 400 * 150 / BYTES);
	assert_true(dw_lease_unproven(&rig.lease) <= BYTES);
}

/* what is under way when the disk is asked may go to another one still */
static void under_way_is_not_proven(void **state)
{
	struct dw_completion done;

	assert_true(enter(300, &done));
	dw_lease_doubt(&rig.lease);
	write_one(100);
	assert_int_equal(400, dw_lease_unproven(&rig.lease));
	dw_lease_leave(&rig.lease, 300, true);
	dw_lease_doubt(&rig.lease);
	write_one(100);
	assert_int_equal(100, dw_lease_unproven(&rig.lease));
}

/* A unit attention says that the command was not carried out: who sent that got nothing. */
static void not_carried_out_is_not_written(void **state)
{
	struct dw_completion done;

	write_one(100);
	assert_true(enter(5 * BYTES, &done));
	dw_lease_leave(&rig.lease, 5 * BYTES, false);
	assert_int_equal(0, dw_lease_unproven(&rig.lease));
	write_one(100);
	assert_int_equal(100, dw_lease_unproven(&rig.lease));
}

static void *enter_once(void *arg)
{
	struct dw_completion done;

	*(bool *)arg = enter(100, &done);
	return NULL;
}

/* nobody goes on while the first answer, or one that is overdue, is waited for */
static void others_wait_for_the_answer(void **state)
{
	pthread_t thread;
	bool first = true;
	struct dw_completion done;

	rig.awaited = gettid();
	rig.answer = 1;
	assert_int_equal(0, pthread_create(&thread, NULL, enter_once, &first));
	while (!rig.asked)
		sched_yield();
	assert_false(enter(100, &done));
	pthread_join(thread, NULL);
	assert_false(first);
	assert_int_equal(0, dw_lease_unproven(&rig.lease));
}

static enum dw_unit_news told(const char *text, size_t len)
{
	struct dw_disk_info at = { 0 };
	enum dw_unit_news news;
	char msg[512];

	assert_true(len < sizeof(msg));
	memcpy(msg, text, len);
	msg[len] = '\0';
	news = dw_uevent_parse(msg, len, &at);
	if (news != DW_UNIT_NOTHING) {
		assert_int_equal(2, at.host);
		assert_int_equal(3, at.target);
	}
	return news;
}

#define TOLD(text) told(text, sizeof(text))
#define UNIT(action, more)                                                               \
	TOLD(action                                                                      \
	     "@/devices/h\0ACTION=" action                                               \
	     "\0DEVPATH=/devices/pci0/host2/target2:0:3/2:0:3:0\0SUBSYSTEM=scsi\0"       \
	     "DEVTYPE=scsi_device\0" more)
#define DISK(action, more)                                                               \
	TOLD(action "@/devices/h\0ACTION=" action                                        \
		    "\0DEVPATH=/devices/pci0/host2/target2:0:3/2:0:3:0/block/sdb\0"      \
		    "SUBSYSTEM=block\0DEVTYPE=disk\0" more)

static void events(void **state)
{
	assert_int_equal(DW_UNIT_RESET,
			 UNIT("change", "SDEV_UA=POWER_ON_RESET_OCCURRED"));
	assert_int_equal(DW_UNIT_DOUBTED,
			 UNIT("change", "SDEV_UA=INQUIRY_DATA_HAS_CHANGED"));
	assert_int_equal(DW_UNIT_DOUBTED,
			 UNIT("change", "SDEV_UA=REPORTED_LUNS_DATA_HAS_CHANGED"));
	assert_int_equal(DW_UNIT_ALTERED,
			 UNIT("change", "SDEV_UA=CAPACITY_DATA_HAS_CHANGED"));
	assert_int_equal(DW_UNIT_ALTERED,
			 UNIT("change", "SDEV_UA=MODE_PARAMETERS_CHANGED"));
	assert_int_equal(DW_UNIT_ALTERED,
			 UNIT("change", "SDEV_UA=ASYMMETRIC_ACCESS_STATE_CHANGED"));
	assert_int_equal(DW_UNIT_DOUBTED, UNIT("change", "SDEV_MEDIA_CHANGE=1"));
	assert_int_equal(DW_UNIT_DOUBTED, UNIT("remove", ""));
	assert_int_equal(DW_UNIT_DOUBTED, UNIT("add", ""));
	assert_int_equal(DW_UNIT_NOTHING, UNIT("change", ""));
	assert_int_equal(DW_UNIT_DOUBTED, DISK("change", "DISK_MEDIA_CHANGE=1"));
	assert_int_equal(DW_UNIT_ALTERED, DISK("change", "RESIZE=1"));
	/* udevadm trigger and the like */
	assert_int_equal(DW_UNIT_NOTHING, DISK("change", "SYNTH_UUID=0"));
	assert_int_equal(DW_UNIT_NOTHING, DISK("add", ""));
	assert_int_equal(DW_UNIT_NOTHING,
			 TOLD("change@/x\0ACTION=change\0SUBSYSTEM=net"));
	assert_int_equal(DW_UNIT_NOTHING, TOLD("nonsense"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(asks_before_the_first_and_at_half, setup,
						teardown),
		cmocka_unit_test_setup_teardown(asks_after_a_time, setup, teardown),
		cmocka_unit_test_setup_teardown(time_is_that_of_the_command, setup,
						teardown),
		cmocka_unit_test_setup_teardown(doubt_asks_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(another_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(no_answer_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(no_terms, setup, teardown),
		cmocka_unit_test_setup_teardown(bound_holds_at_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(under_way_is_not_proven, setup, teardown),
		cmocka_unit_test_setup_teardown(not_carried_out_is_not_written, setup,
						teardown),
		cmocka_unit_test_setup_teardown(others_wait_for_the_answer, setup,
						teardown),
		cmocka_unit_test(events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
