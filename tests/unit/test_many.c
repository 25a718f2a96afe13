/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each disk at work takes does not grow with the number of the others: threads, descriptors
 * and memory, with 200 disks and with 1,000. The engine, the core and the threads are those of a
 * real job; the disks are made of air. All of them are held at a command while that is counted, so
 * nothing depends on time.
 */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/virtual.h"
#include "forecast/simulate.h"
#include "forecast/world.h"
#include "scsi/cdb.h"
#include "error_line.h"

#ifndef __has_feature /* which only clang has */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define FEW  20 /* a thread is dear to it */
#define MANY 100
#define OWN  2 /* threads before there is a job: it has one of its own */
#else
#define FEW  200
#define MANY 1000
#define OWN  1
#endif
#define THREADS  (3 * MANY + 50) /* lanes, those of the loop, and what is not known here */
#define STACK    (64 * 1024)     /* of a thread that only waits */
#define PATIENCE 10000           /* times a millisecond */
#define NAP_MS   10              /* the last disk may be held without an event */

static const char station_text[] =
	"[bus one]\nrate = 100MB/s\n"
	"[disk a]\non = one\ncount = 1000\ncapacity = 4MB\nouter = 100MB/s\n";
static struct dw_station *station;

/** struct air - disks that answer every command, once it is said that they may; @unit: their
 *  numbers in the station; @at: has a command of that disk come? @n: of how many */
static struct air {
	pthread_mutex_t lock;
	pthread_cond_t let;
	bool hold;
	uint32_t unit[MANY];
	bool at[MANY];
	uint32_t n;
} air = { .lock = PTHREAD_MUTEX_INITIALIZER, .let = PTHREAD_COND_INITIALIZER };

static int enter(void *ctx, uint32_t handle, const struct dw_target *target)
{
	air.unit[handle] = (uint32_t)target->sg_fd;
	return 0;
}

/* who it is */
static void identify(uint32_t handle, struct dw_cmd *cmd, struct dw_completion *ret)
{
	const struct sim_disk disk = { .spec = &station->disk[0],
				       .unit = air.unit[handle] };
	struct sim_op op = { .cmd = cmd };

	sim_answer(NULL, &disk, &op);
	ret->status = op.status;
	ret->resid = op.resid;
	ret->sense_len = (uint8_t)sim_fault_put_sense(&op, ret->sense);
}

static void answer(void *ctx, uint32_t handle, uint32_t worker, struct dw_cmd *cmd,
		   struct dw_completion *ret)
{
	pthread_mutex_lock(&air.lock);
	air.n += !air.at[handle];
	air.at[handle] = true;
	while (air.hold)
		pthread_cond_wait(&air.let, &air.lock);
	pthread_mutex_unlock(&air.lock);
	if (cmd->cdb[0] == DW_OPCODE_INQUIRY ||
	    cmd->cdb[0] == DW_OPCODE_READ_CAPACITY_10 ||
	    cmd->cdb[0] == DW_OPCODE_SERVICE_ACTION_IN_16)
		identify(handle, cmd, ret);
}

static uint32_t held(void)
{
	uint32_t n;

	pthread_mutex_lock(&air.lock);
	n = air.n;
	pthread_mutex_unlock(&air.lock);
	return n;
}

static void let_go(void)
{
	pthread_mutex_lock(&air.lock);
	air.hold = false;
	pthread_cond_broadcast(&air.let);
	pthread_mutex_unlock(&air.lock);
}

/** struct taken - by the process: threads, descriptors, bytes of the heap */
struct taken {
	size_t threads;
	size_t files;
	size_t bytes;
};

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

static struct taken look(void)
{
	struct mallinfo2 m = mallinfo2();

	return (struct taken){ .threads = entries("/proc/self/task"),
			       .files = entries("/proc/self/fd"),
			       .bytes = m.uordblks + m.hblkhd };
}

static struct dw_job *new_job(uint32_t n)
{
	const struct dw_sender sender = { .open = enter, .send = answer };
	struct dw_virtual v = { .path = "fake", .mode = "exact" };
	struct dw_job_spec spec;
	struct dw_error err = { 0 };
	struct dw_job *job;

	dw_job_spec_init(&spec);
	spec.verify =
		DW_VERIFY_OFF; /* disks of a simulation have no room for what is read */
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	assert_int_equal(dw_threaded_new(&sender, NULL, &v.transport), 0);
	assert_int_equal(dw_engine_take_virtual(job->engine, &v), 0);
	assert_int_equal(
		dw_loop_watch(job->engine->loop, v.transport->ops->fd(v.transport)), 0);
	assert_int_equal(dw_job_virtual(job), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(sim_job_add_unit(job, station, i), 0);
	if (dw_job_start(job, &err))
		fail_msg("%s", error_line(&err));
	return job;
}

static void step(struct dw_job *job)
{
	struct dw_event e;

	assert_true(dw_job_step(job, NAP_MS) >= 0);
	while (dw_job_next_event(job, &e))
		;
}

/* What is left at the end, as soon as there are so many threads: one that was waited for may be in
 * the list for a moment. */
static struct taken look_until(size_t threads)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct taken t = look();

	for (int i = 0; i < PATIENCE && t.threads > threads; i++) {
		nanosleep(&moment, NULL);
		t = look();
	}
	return t;
}

/* What each of so many disks takes while all of them are at work, and what is left at the end. */
static struct taken each_of(uint32_t n, struct taken *ret_left)
{
	struct taken before = look(), now;
	struct dw_job *job;

	memset(air.at, 0, sizeof(air.at));
	air.n = 0;
	air.hold = true;
	job = new_job(n);
	while (held() < n)
		step(job);
	now = look();
	let_go();
	while (dw_job_step(job, 0) > 0)
		step(job);
	assert_int_equal(dw_job_result(job)->outcome, DW_OUTCOME_ERASED);
	assert_int_equal(dw_job_result(job)->n_disks, n);
	dw_job_free(job);
	*ret_left = look_until(before.threads);
	ret_left->bytes =
		ret_left->bytes > before.bytes ? ret_left->bytes - before.bytes : 0;
	print_message(
		"%u disks: %zu threads, %zu descriptors, %zu KiB; left: %zu bytes\n", n,
		now.threads - before.threads, now.files - before.files,
		(now.bytes - before.bytes) / 1024, ret_left->bytes);
	return (struct taken){ now.threads - before.threads, now.files - before.files,
			       now.bytes - before.bytes };
}

static void *wait_there(void *barrier)
{
	pthread_mutex_lock(barrier);
	pthread_mutex_unlock(barrier);
	return NULL;
}

/* A user, a container and a machine may each have a limit: how many threads can there be? */
static size_t threads_to_be_had(void)
{
	static pthread_mutex_t barrier = PTHREAD_MUTEX_INITIALIZER;
	static pthread_t thread[THREADS];
	pthread_attr_t attr;
	size_t n = 0;
	int r = 0;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, STACK), 0);
	pthread_mutex_lock(&barrier);
	while (n < THREADS && !r) {
		r = pthread_create(&thread[n], &attr, wait_there, &barrier);
		n += !r;
	}
	pthread_mutex_unlock(&barrier);
	for (size_t i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	pthread_attr_destroy(&attr);
	assert_true(!r || r == EAGAIN);
	return n;
}

static void flat(void **state)
{
	struct taken before, left[2], few, many;
	size_t threads = threads_to_be_had();

	look_until(OWN);
	if (threads < THREADS) {
		print_message("SKIPPED: there can be %zu threads, not %d: raise "
			      "ulimit -u, or pids.max of the container\n",
			      threads, THREADS);
		skip();
	}
	each_of(1, &left[0]); /* what is made once for all */
	before = look_until(OWN);
	few = each_of(FEW, &left[0]);
	many = each_of(MANY, &left[1]);
	assert_true(left[0].threads <= before.threads);
	assert_true(left[1].threads <= before.threads);
	assert_int_equal(left[0].files, before.files);
	assert_int_equal(left[1].files, before.files);
	/* of the lanes; the loop's come and go */
	assert_true(few.threads <= 3 * FEW);
	assert_true(many.threads <= 3 * MANY);
	/* those of the engine and the transport, which have as many for any number of disks */
	assert_int_equal(many.files, few.files);
	if (few.bytes) /* not counted by the address sanitizer */
		assert_true((many.bytes - few.bytes) / (MANY - FEW) <=
			    few.bytes / FEW * 102 / 100);
}

static int setup(void **state)
{
	char path[] = "/tmp/dw-many.XXXXXX";
	struct dw_error err = { 0 };
	FILE *f = fdopen(mkstemp(path), "w");
	int r;

	if (!f || fputs(station_text, f) < 0 || fclose(f))
		return -1;
	r = dw_station_load(path, &station, &err);
	unlink(path);
	return r;
}

static int teardown(void **state)
{
	dw_station_free(station);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(flat) };

	alarm(150); /* what goes on for ever has failed */
	return cmocka_run_group_tests(tests, setup, teardown);
}
