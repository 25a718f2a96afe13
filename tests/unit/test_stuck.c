/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work is left, and nothing will come of it: the engine notices before it would sleep for ever,
 * says what it knows, and ends so that the job can be resumed. What is slow is not taken for it.
 */
#include "unit.h"

#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

#include <diskwipe/diskwipe.h>

#include "base/util.h"
#include "engine/disk.h"
#include "engine/engine.h"
#include "engine/job.h"
#include "engine/stuck.h"
#include "engine/units.h"
#include "engine/virtual.h"
#include "report/state.h"
#include "forecast/simulate.h"
#include "transport/meter.h"
#include "error_line.h"
#include "fake_sender.h"

#define WAIT_MS 20000 /* that there is no end is told by then */

static const char station_text[] =
	"[bus one]\nrate = 100MB/s\n"
	"[disk a]\non = one\ncapacity = 64MB\nouter = 100MB/s\n"
	"[disk b]\non = one\ncapacity = 64MB\nouter = 100MB/s\n";
static struct dw_station *station;
static char state_path[64];
static char said[4096];

/* A transport that takes a command of each disk, and forgets it. */
static const struct dw_transport_ops *inner;
static unsigned int to_forget[2];

static int submit_most(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	bool forgets = to_forget[handle] && !--to_forget[handle];

	return forgets ? 0 : inner->submit(t, handle, cmd);
}

static void let_forget(struct dw_transport *t, unsigned int nth)
{
	static struct dw_transport_ops ops;

	inner = t->ops;
	ops = *inner;
	ops.submit = submit_most;
	t->ops = &ops;
	to_forget[0] = to_forget[1] = nth;
}

static struct dw_job *new_job(void)
{
	struct dw_job_spec spec;
	struct dw_error err = { 0 };
	struct dw_job *job;

	dw_job_spec_init(&spec);
	spec.depth = 4;
	snprintf(spec.state_file, sizeof(spec.state_file), "%s", state_path);
	assert_int_equal(dw_job_new(NULL, &spec, &job, &err), 0);
	return job;
}

static void start_job(struct dw_job *job)
{
	struct dw_error err = { 0 };

	if (dw_job_start(job, &err))
		fail_msg("%s", error_line(&err));
}

/* What a job says on its way to its end, in one text. */
static int run_job(struct dw_job *job)
{
	struct dw_event e;
	int r;

	said[0] = 0;
	do {
		r = dw_job_step(job, WAIT_MS);
		while (dw_job_next_event(job, &e))
			if (e.kind == DW_EVENT_NOTICE)
				snprintf(said + strlen(said), sizeof(said) - strlen(said),
					 "%s\n", e.text);
	} while (r == 1 && dw_job_seconds(job) < WAIT_MS / 1000);
	return r;
}

static void assert_resumable(struct dw_job *job)
{
	const struct dw_job_result *r = dw_job_result(job);

	assert_int_equal(r->outcome, DW_OUTCOME_STOPPED);
	assert_int_equal(dw_job_exit_code(r), 6);
	for (uint32_t i = 0; i < r->n_disks; i++) {
		assert_int_equal(r->disk[i].outcome, DW_OUTCOME_STOPPED);
		assert_non_null(strstr(r->disk[i].reason, "internal error"));
		assert_non_null(strstr(r->disk[i].reason, "writes, 1 sent, link 0"));
	}
	assert_non_null(strstr(said, "resume the job"));
	assert_int_equal(access(state_path, R_OK), 0);
}

/* In time that is simulated a wait without an end shows by itself. */
static void test_simulated(void **state)
{
	struct dw_job *job = new_job();
	struct sim_world *world;

	assert_int_equal(sim_job_add(job, station, false, &world), 0);
	let_forget(job->engine->transport[0], 5);
	start_job(job);
	assert_int_equal(run_job(job), -EDEADLK);
	assert_resumable(job);
	dw_job_free(job);
}

/* The first disk's next command is held, as that of a unit is until the others have got so far. */
static struct dw_job *of_units;
static bool held;

static int hold_one(struct dw_transport *t, uint32_t handle, struct dw_cmd *cmd)
{
	const struct dw_op op = { .disk = of_units->disk[0]->place.number,
				  .slot = (uint32_t)cmd->cookie };

	if (held || handle != of_units->disk[0]->place.handle)
		return inner->submit(t, handle, cmd);
	held = true;
	return job_units_submit(of_units->disk[0], &op);
}

/* Nothing goes on until somebody resumes the other unit: that is no bug. When that has ended, the
 * command is answered. */
static void test_unit_paused(void **state)
{
	static struct dw_transport_ops ops;
	const struct dw_verdict v[2] = { { .refusal = DW_REFUSAL_NONE } };
	const uint32_t group[2] = { 0, 0 };
	const struct dw_job_result *r;
	struct sim_world *world;
	struct dw_transport *t;

	of_units = new_job();
	held = false;
	assert_int_equal(sim_job_add(of_units, station, false, &world), 0);
	assert_int_equal(job_units_join(of_units, of_units->disk, 2, v, group), 0);
	t = of_units->engine->transport[0];
	inner = t->ops;
	ops = *inner;
	ops.submit = hold_one;
	t->ops = &ops;
	start_job(of_units);
	assert_int_equal(dw_task_pause(of_units, 1), 0);
	for (unsigned int i = 0; i < 20000; i++)
		assert_int_equal(dw_job_step(of_units, 0), 1);
	assert_true(held);
	assert_true(job_disk_state(of_units->disk[1])->paused);
	assert_int_equal(job_units_paused(of_units->engine), 1);
	assert_int_equal(dw_task_resume(of_units, 1), 0);
	assert_int_equal(run_job(of_units), 0);
	r = dw_job_result(of_units);
	assert_int_equal(r->disk[0].outcome, DW_OUTCOME_FAILED);
	assert_non_null(strstr(r->disk[0].reason, "was not told to erase itself"));
	assert_int_equal(r->disk[1].outcome, DW_OUTCOME_ERASED);
	dw_job_free(of_units);
}

/* A job on the threads of a real transport. */
static struct dw_job *threaded_job(struct fake_sender *fake)
{
	struct dw_sender sender = fake_sender_ops(fake);
	struct dw_virtual v = { .path = "fake", .mode = "exact" };
	struct dw_job *job = new_job();
	struct dw_engine *e = job->engine;

	assert_int_equal(dw_threaded_new(&sender, NULL, &v.transport), 0);
	assert_int_equal(dw_engine_take_virtual(e, &v), 0);
	assert_int_equal(dw_loop_watch(e->loop, v.transport->ops->fd(v.transport)), 0);
	assert_int_equal(dw_job_virtual(job), 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(sim_job_add_unit(job, station, i), 0);
	return job;
}

/* Work off the loop has no command at a device, and comes to an end all the same. */
static int count_it(struct dw_work *w)
{
	return 0;
}

static void assert_waits_for_others(struct dw_engine *e)
{
	struct dw_work w = { .done = count_it };
	int n = 0;

	assert_true(engine_is_stuck(e, UINT64_MAX));
	assert_false(engine_is_stuck(e, UINT64_MAX - 1));
	dw_loop_post(e->loop, &w);
	assert_false(engine_is_stuck(e, UINT64_MAX));
	assert_int_equal(dw_loop_collect(e->loop, &n), 0);
	assert_int_equal(n, 1);
	assert_true(engine_is_stuck(e, UINT64_MAX));
}

static void test_threaded(void **state)
{
	struct fake_sender fake;
	struct dw_job *job;

	fake_sender_init(&fake, 1);
	job = threaded_job(&fake);
	let_forget(job->engine->transport[0], 3);
	atomic_store(&fake.hold, true);
	start_job(job);
	for (unsigned int i = 0; i < 5; i++) /* a disk that is slow is at work */
		assert_int_equal(dw_job_step(job, 10), 1);
	assert_true(fake_sender_await(&fake, 2));
	assert_int_equal(dw_job_step(job, 10), 1);
	fake_sender_release(&fake);
	assert_int_equal(run_job(job), -EDEADLK);
	assert_resumable(job);
	/* the one is missing in the transport, and in no other place */
	assert_non_null(strstr(said, "1 sent, link 0; transport: 0 submitted"));
	assert_waits_for_others(job->engine);
	dw_job_free(job);
	fake_sender_deinit(&fake);
}

/* The news of a job so far, in one text. */
static const char *news(struct dw_job *job)
{
	struct dw_event e;

	said[0] = 0;
	while (dw_job_next_event(job, &e))
		if (e.kind == DW_EVENT_NOTICE)
			snprintf(said + strlen(said), sizeof(said) - strlen(said),
				 "%u: %s\n", e.disk, e.text);
	return said;
}

/* When the time limit of the first of its commands is over; 0 = none is at the device. */
static uint64_t due_ns(struct dw_job *job, uint32_t disk)
{
	const struct job_place *p = &job->disk[disk]->place;
	struct dw_transport_count n;

	p->transport->ops->count(p->transport, p->handle, &n);
	return n.due_ns;
}

/* The kernel does not end a command at its time limit: the user hears of it once, and once more
 * when it has. */
static void test_overdue(void **state)
{
	const uint64_t hour_ns = UINT64_C(3600) * DW_NS_PER_S;
	struct dw_engine *e;
	struct fake_sender fake;
	struct dw_job *job;
	uint64_t now_ns, soon_ns;

	fake_sender_init(&fake, 1);
	job = threaded_job(&fake);
	e = job->engine;
	assert_int_equal(engine_overdue_timer(e, 1), UINT64_MAX);
	atomic_store(&fake.hold, true);
	start_job(job);
	while (!due_ns(job, 0) || !due_ns(job, 1))
		assert_int_equal(dw_job_step(job, 10), 1);
	now_ns = dw_clock_ns();
	assert_in_range(e->overdue_ns, now_ns, now_ns + 30 * DW_NS_PER_S);
	assert_int_equal(engine_overdue_timer(e, now_ns), e->overdue_ns);
	assert_true(engine_overdue_timer(e, e->overdue_ns) > now_ns + 30 * DW_NS_PER_S);

	soon_ns = dw_min_u64(due_ns(job, 0), due_ns(job, 1)) + 119 * DW_NS_PER_S;
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(engine_overdue_look(e, soon_ns), 0);
	assert_int_equal(engine_overdue_look(e, now_ns), 0);
	assert_string_equal(news(job), "");
	assert_int_equal(engine_overdue_look(e, now_ns + 24 * hour_ns), 0);
	assert_string_equal(news(job), ""); /* the threads may not have heard of it yet */
	assert_int_equal(engine_overdue_look(e, now_ns + 24 * hour_ns), 0);
	assert_non_null(strstr(news(job), "0: no answer, "));
	assert_non_null(strstr(said, "1: no answer, "));
	assert_int_equal(engine_overdue_look(e, now_ns + 25 * hour_ns), 0);
	assert_string_equal(news(job), "");
	assert_int_equal(engine_overdue_look(e, now_ns), 0);
	assert_non_null(strstr(news(job), "1: the kernel has ended the command"));
	assert_int_equal(engine_overdue_look(e, now_ns + 24 * hour_ns), 0);
	assert_int_equal(engine_overdue_look(e, now_ns), 0);
	assert_string_equal(news(job), ""); /* found once, and no more */

	/* it is looked for at the time that was said, too */
	e->overdue_ns = 1;
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(engine_overdue_look(e, now_ns + 24 * hour_ns), 0);
	news(job);
	assert_int_equal(dw_job_step(job, 10), 1);
	assert_non_null(strstr(news(job), "0: the kernel has ended the command"));
	fake_sender_release(&fake);
	dw_job_free(job);
	fake_sender_deinit(&fake);
}

/* A disk that has ended has no transport any more. */
static void test_overdue_beside_an_end(void **state)
{
	struct fake_sender fake;
	struct dw_job *job;

	fake_sender_init(&fake, 1);
	job = threaded_job(&fake);
	atomic_store(&fake.max_us, 20000);
	atomic_store(&fake.gone, 1 << 1);
	start_job(job);
	while (job->disk[1]->place.transport)
		assert_int_equal(dw_job_step(job, 10), 1);
	job->engine->overdue_ns = 1;
	assert_true(dw_job_step(job, 10) >= 0);
	dw_job_free(job);
	fake_sender_deinit(&fake);
}

static struct dw_work under_way;
static sem_t gate;

static void stand(struct dw_work *w)
{
	while (sem_wait(&gate))
		;
}

static void test_work_off_the_loop(void **state)
{
	struct dw_loop *l;
	int n = 0;

	sem_init(&gate, 0, 0);
	under_way = (struct dw_work){ .run = stand, .done = count_it };
	assert_int_equal(dw_loop_new(&l), 0);
	assert_false(dw_loop_at_work(l));
	dw_loop_begin(l, &under_way);
	assert_true(dw_loop_at_work(l));
	sem_post(&gate);
	dw_loop_wait(l, WAIT_MS);
	assert_true(dw_loop_at_work(l)); /* it is to be collected */
	assert_int_equal(dw_loop_collect(l, &n), 0);
	assert_int_equal(n, 1);
	assert_false(dw_loop_at_work(l));
	dw_loop_free(l);
	sem_destroy(&gate);
}

static int setup(void **state)
{
	char path[] = "/tmp/dw-stuck.XXXXXX";
	struct dw_error err = { 0 };
	FILE *f = fdopen(mkstemp(path), "w");
	int r;

	if (!f || fputs(station_text, f) < 0 || fclose(f))
		return -1;
	r = dw_station_load(path, &station, &err);
	unlink(path);
	snprintf(state_path, sizeof(state_path), "%s.state", path);
	return r;
}

static int teardown(void **state)
{
	unlink(state_path);
	dw_station_free(station);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simulated),
		cmocka_unit_test(test_unit_paused),
		cmocka_unit_test(test_threaded),
		cmocka_unit_test(test_overdue),
		cmocka_unit_test(test_overdue_beside_an_end),
		cmocka_unit_test(test_work_off_the_loop),
	};

	alarm(150); /* what goes on for ever has failed */
	return cmocka_run_group_tests(tests, setup, teardown);
}
