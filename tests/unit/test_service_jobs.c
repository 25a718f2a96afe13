/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs of the service: what a caller is told of a submission is so, and what is carried out is what
 * was planned. Calls come over a connection, as those of a client.
 */
#include "unit.h"

#include <sys/socket.h>

#include "service/bus.h"
#include "service/service.h"
#include "service/view.h"
#include "service_main.h"

#define PATH "/manager"
#define FACE "test.Manager"

static char dir[48];
static char path[64];

/* --- want of memory ------------------------------------------------------------- */

static unsigned denied; /* that allocation fails, and all behind it; 0 = none */
static unsigned allocated;

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool is_denied(void)
{
	return denied && ++allocated >= denied;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_denied() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return is_denied() ? NULL : __real_realloc(p, size);
}

/* --- a service with disks --------------------------------------------------------- */

/** struct station - a service of which nothing begins, since it has not looked for disks yet */
struct station {
	struct settings settings;
	struct service s;
	struct svc_disk disk[3];
	sd_bus *server;
	sd_bus *client;
};

static int set_up(void **state)
{
	assert_non_null(mkdtemp(scratch_name(dir, sizeof(dir), "jobs")));
	snprintf(path, sizeof(path), "%s/station.db", dir);
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

static void add_disk(struct station *t, unsigned n)
{
	struct svc_disk *d = &t->disk[n];
	bool used;

	d->facts.info = (struct dw_disk_info){ .blocks = 1000000 + n, .block_size = 512 };
	snprintf(d->facts.info.serial, sizeof(d->facts.info.serial), "S%u", n);
	snprintf(d->facts.info.sg, sizeof(d->facts.info.sg), "/dev/sg%u", n);
	snprintf(d->key, sizeof(d->key), "d%u", n);
	d->present = true;
	assert_int_equal(store_disk(t->s.store, &d->facts.info, "", false, SERVICE_NOW,
				    &d->row, &used),
			 0);
	if (n)
		t->disk[n - 1].next = d;
}

static void connect_pair(struct station *t)
{
	const sd_id128_t id = { .bytes = { 1 } };
	int fd[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd),
		0);
	assert_true(sd_bus_new(&t->server) >= 0 && sd_bus_new(&t->client) >= 0);
	assert_true(sd_bus_set_fd(t->server, fd[0], fd[0]) >= 0);
	assert_true(sd_bus_set_server(t->server, 1, id) >= 0);
	assert_true(sd_bus_start(t->server) >= 0);
	assert_true(sd_bus_add_object_vtable(t->server, NULL, PATH, FACE, manager_table(),
					     &t->s) >= 0);
	assert_true(sd_bus_set_fd(t->client, fd[1], fd[1]) >= 0);
	assert_true(sd_bus_start(t->client) >= 0);
	methods_of(&t->s);
}

static void open_station(struct station *t)
{
	char note[STORE_NOTE];

	*t = (struct station){ .settings = { .return_seconds = 3600, .refs = 1 } };
	t->s.settings = &t->settings;
	t->s.inhibitor = -1;
	snprintf(t->s.state_dir, sizeof(t->s.state_dir), "%s", dir);
	assert_int_equal(store_open(path, &t->s.store, note), 0);
	for (unsigned n = 0; n < 3; n++)
		add_disk(t, n);
	t->s.disks = t->disk;
	connect_pair(t);
}

static void close_station(struct station *t)
{
	jobs_free(&t->s);
	sd_bus_close_unref(t->client);
	sd_bus_close_unref(t->server);
	store_close(t->s.store);
	unlink(path);
}

static int count_job(void *ctx, const struct store_job *job)
{
	(void)job;
	++*(unsigned *)ctx;
	return 0;
}

static unsigned jobs_on_record(struct station *t)
{
	unsigned n = 0;

	assert_int_equal(store_each_job(t->s.store, 100, count_job, &n), 0);
	return n;
}

static int count_attempt(void *ctx, const struct store_attempt *a)
{
	(void)a;
	++*(unsigned *)ctx;
	return 0;
}

static unsigned attempts_on_record(struct station *t, const struct svc_job *job)
{
	unsigned n = 0;

	assert_int_equal(store_each_attempt(t->s.store, job->row.id, count_attempt, &n),
			 0);
	return n;
}

/* --- calls --------------------------------------------------------------------------- */

struct answer {
	bool here;
	char error[200];
	char text[200]; /* the first, if it is one */
};

static int answered(sd_bus_message *m, void *ctx, sd_bus_error *unused)
{
	const sd_bus_error *e = sd_bus_message_get_error(m);
	struct answer *a = ctx;
	const char *text;

	(void)unused;
	a->here = true;
	if (e)
		snprintf(a->error, sizeof(a->error), "%s: %s", e->name, e->message);
	else if (sd_bus_message_read(m, "s", &text) > 0)
		snprintf(a->text, sizeof(a->text), "%s", text);
	return 0;
}

static struct answer call(struct station *t, sd_bus_message *m)
{
	struct answer a = { .here = false };

	assert_true(sd_bus_call_async(t->client, NULL, m, answered, &a, 0) >= 0);
	while (!a.here) {
		assert_true(sd_bus_process(t->server, NULL) >= 0);
		assert_true(sd_bus_process(t->client, NULL) >= 0);
	}
	sd_bus_message_unref(m);
	return a;
}

static sd_bus_message *call_of(struct station *t, const char *method)
{
	sd_bus_message *m = NULL;

	assert_true(sd_bus_message_new_method_call(t->client, &m, NULL, PATH, FACE,
						   method) >= 0);
	return m;
}

/* --- tests --------------------------------------------------------------------------- */

/* whatever is short of memory: nothing is on record, and the disk is what it was */
static void submission_without_memory(void **state)
{
	struct svc_job old = { .row.number = 0 }, *job = NULL;
	struct svc_attempt left = { .state = ATTEMPT_ENDED, .job = &old };
	struct dw_error err = { 0 };
	struct station t;
	int r = -ENOMEM;

	open_station(&t);
	left.disk = &t.disk[0];
	t.disk[0].attempt = &left;
	for (unsigned n = 1; r < 0; n++) {
		struct svc_disk *disks[] = { &t.disk[0], &t.disk[1], &t.disk[2] };
		struct job_request request = { .disk = disks, .n = 3 };

		job_new_id(request.id);
		denied = n;
		allocated = 0;
		r = jobs_submit(&t.s, &request, &job, &err);
		denied = 0;
		assert_int_equal(jobs_on_record(&t), r < 0 ? 0 : 1);
		if (r < 0) {
			assert_null(t.s.jobs);
			assert_ptr_equal(t.disk[0].attempt, &left);
			assert_null(t.disk[2].attempt);
		}
	}
	assert_ptr_equal(t.s.jobs, job);
	assert_int_equal(job->n, 3);
	for (unsigned n = 0; n < 3; n++) {
		assert_ptr_equal(t.disk[n].attempt, job->attempt[n]);
		assert_true(job->attempt[n]->row.id > 0);
	}
	close_station(&t);
}

/* as does what goes on by itself */
static void going_on_without_memory(void **state)
{
	struct svc_disk *disks[1];
	struct job_request request = { .disk = disks, .n = 1 };
	struct svc_attempt *first;
	struct dw_error err = { 0 };
	struct svc_job *job;
	struct station t;

	open_station(&t);
	disks[0] = t.disk;
	job_new_id(request.id);
	assert_int_equal(jobs_submit(&t.s, &request, &job, &err), 0);
	first = job->attempt[0];
	first->state = ATTEMPT_ENDED;
	denied = 1;
	allocated = 0;
	assert_int_equal(attempt_again(&t.s, first, "again"), -ENOMEM);
	denied = 0;
	assert_int_equal(job->n, 1);
	assert_int_equal(attempts_on_record(&t, job), 1);
	assert_ptr_equal(t.disk[0].attempt, first);
	assert_int_equal(attempt_again(&t.s, first, "again"), 0);
	assert_int_equal(job->n, 2);
	assert_ptr_equal(t.disk[0].attempt, job->attempt[1]);
	close_station(&t);
}

static void submission(void **state)
{
	struct station t;
	struct answer a;
	sd_bus_message *m;

	open_station(&t);
	m = call_of(&t, "Submit");
	assert_true(sd_bus_message_append(m, "aa{sv}a{sv}", 1, 2, "serial", "s", "S1",
					  "capacity", "t",
					  t.disk[1].facts.info.blocks * 512, 0) >= 0);
	a = call(&t, m);
	assert_string_equal(a.error, "");
	assert_int_equal(jobs_on_record(&t), 1);
	assert_ptr_equal(t.disk[1].attempt, t.s.jobs->attempt[0]);
	close_station(&t);
}

/* what is seen of a job is what is done, and not a word that leaves it open */
static void verification_is_told(void **state)
{
	static const struct {
		const char *options;
		const char *verify;
	} rows[] = {
		{ "verify=auto\n", "full" },
		{ "verify=auto\nmethod=nist-clear\n", "full" },
		{ "verify=sample\n", "sample" },
		{ "verify=off\n", "off" },
	};
	struct station t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct svc_disk *disks[1];
		struct job_request request = { .disk = disks, .n = 1 };
		struct dw_error err = { 0 };
		struct job_view v;
		struct svc_job *job;

		open_station(&t);
		disks[0] = t.disk;
		snprintf(request.options, sizeof(request.options), "%s", rows[i].options);
		job_new_id(request.id);
		assert_int_equal(jobs_submit(&t.s, &request, &job, &err), 0);
		job_look(&t.s, job, &v);
		assert_string_equal(v.verify, rows[i].verify);
		close_station(&t);
	}
}

/* Two docks with one serial number are two disks, each that at its node, of which no record could
 * tell one from the other; the first is the same before the second comes and after it went. */
static void docks_with_one_serial(void **state)
{
	struct station t;
	struct dw_disk_info one, two;
	struct answer a;
	sd_bus_message *m;

	open_station(&t);
	one = two = t.disk[1].facts.info;
	one.sg_dev = t.disk[1].facts.info.sg_dev = 1;
	two.sg_dev = 2;
	one.name_shared = two.name_shared = true;
	assert_ptr_equal(disk_of(&t.s, &one), &t.disk[1]);
	t.disk[1].facts.info = one;
	assert_ptr_equal(disk_of(&t.s, &one), &t.disk[1]);
	assert_ptr_not_equal(disk_of(&t.s, &two), &t.disk[1]);
	m = call_of(&t, "Submit");
	assert_true(sd_bus_message_append(m, "aa{sv}a{sv}", 1, 2, "serial", "s", "S1",
					  "capacity", "t", one.blocks * 512, 0) >= 0);
	a = call(&t, m);
	assert_non_null(strstr(a.error, "another disk has its serial number"));
	assert_int_equal(jobs_on_record(&t), 0);
	one.name_shared = false;
	assert_ptr_equal(disk_of(&t.s, &one), &t.disk[1]);
	free(t.disk[2].next);
	t.disk[2].next = NULL;
	close_station(&t);
}

/* a flushed mark says that the beginning is erased only where the sweep goes upwards */
static void erased_beginning(void **state)
{
	static const struct {
		const char *options;
		bool erased;
	} rows[] = {
		{ "", true },
		{ "method=zero\nverify=full\n", true },
		{ "order=near-first\nnear=start\n", false },
		{ "near=start\norder=near-first\n", false },
		{ "near=order=0\n", true }, /* a text of that name */
		{ "what nobody understands\n", false },
	};
	const struct works_progress p = { .id = 9, .flushed = true, .flushed_pass = 1 };
	struct service s = { .settings = NULL };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct svc_job job = { .n = 1 };
		struct svc_attempt a = { .row.id = 9, .job = &job }, *list[] = { &a };

		job.attempt = list;
		strcpy(job.row.options, rows[i].options);
		s.jobs = &job;
		jobs_progress(&s, &p);
		assert_int_equal(a.row.start_erased, rows[i].erased);
	}
}

/* what users mount in namespaces of their own is not remembered, however often it is seen */
static void used_by_whom(void **state)
{
	static const struct {
		enum dw_refusal why;
		bool foreign, used;
	} rows[3] = { { DW_REFUSAL_MOUNTED, true, false },
		      { DW_REFUSAL_MOUNTED, false, true },
		      { DW_REFUSAL_HOLDER, false, true } };
	struct works_event e = { .kind = WORKS_FOUND, .n = 3 };
	struct dw_disk found[3];
	struct station t;

	open_station(&t);
	e.disk = found;
	for (int look = 0; look < 3; look++) {
		t.s.look.settings = settings_ref(&t.settings);
		for (unsigned n = 0; n < 3; n++) {
			found[n] = t.disk[n].facts;
			if (look == 1) /* between them it is free */
				found[n].verdict =
					(struct dw_verdict){ .foreign = false };
			else
				found[n].verdict =
					(struct dw_verdict){ .refusal = rows[n].why,
							     .foreign = rows[n].foreign };
		}
		disks_found(&t.s, &e);
		for (unsigned n = 0; n < 3; n++)
			assert_int_equal(t.disk[n].used_here, rows[n].used);
	}
	close_station(&t);
}

static struct answer call_plan(struct station *t)
{
	sd_bus_message *m = call_of(t, "Plan");

	assert_true(sd_bus_message_append(m, "aa{sv}a{sv}", 1, 2, "serial", "s", "S1",
					  "capacity", "t",
					  t->disk[1].facts.info.blocks * 512, 1,
					  "verify_percent", "s", "3%") >= 0);
	return call(t, m);
}

static struct answer submit_plan(struct station *t, const char *digest)
{
	sd_bus_message *m = call_of(t, "SubmitPlan");

	assert_true(sd_bus_message_append(m, "sa{sv}", digest, 1, "label", "s", "x") >=
		    0);
	return call(t, m);
}

/* whatever the configuration says when it is submitted */
static void plan_is_carried_out(void **state)
{
	struct station t;
	struct answer plan, a;

	open_station(&t);
	strcpy(t.settings.options, "method=dod-short\nverify=full\n");
	plan = call_plan(&t);
	assert_string_equal(plan.error, "");
	strcpy(t.settings.options, "method=zero\nverify=off\nreserve=true\n");
	a = submit_plan(&t, plan.text);
	assert_string_equal(a.error, "");
	assert_string_equal(t.s.jobs->row.options,
			    "method=dod-short\nverify=full\nverify_percent=3%\n");
	assert_string_equal(t.s.jobs->row.label, "x");
	close_station(&t);
}

static void plan_of_another_limit(void **state)
{
	struct station t;
	struct answer plan, a;

	open_station(&t);
	plan = call_plan(&t);
	t.settings.active = 2;
	a = submit_plan(&t, plan.text);
	assert_non_null(strstr(a.error, "another limit of active disks"));
	assert_int_equal(jobs_on_record(&t), 0);
	t.settings.active = 0;
	a = submit_plan(&t, plan.text);
	assert_string_equal(a.error, "");
	close_station(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submission_without_memory),
		cmocka_unit_test(going_on_without_memory),
		cmocka_unit_test(submission),
		cmocka_unit_test(verification_is_told),
		cmocka_unit_test(used_by_whom),
		cmocka_unit_test(docks_with_one_serial),
		cmocka_unit_test(erased_beginning),
		cmocka_unit_test(plan_is_carried_out),
		cmocka_unit_test(plan_of_another_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
