/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What attempts do: a real store, and an engine that takes tasks and is spoken for by the test.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/util.h"
#include "report/planfile.h"
#include "service/bus.h"
#include "service/care.h"
#include "service/files.h"
#include "service/hooks.h"
#include "service/metrics.h"
#include "service/prove.h"
#include "service/service.h"
#include "service/view.h"
#include "service_main.h"

/* --- the others ------------------------------------------------------------------ */

static struct {
	unsigned begun;                 /* tasks that the engine has taken */
	int no_memory;                  /* for so many it has none */
	int no_store;                   /* and so many ends cannot be written */
	unsigned hooks;                 /* that were run before an attempt */
	char asked[16];                 /* of the engine: P pause, R resume, C cancel */
	unsigned recorded;              /* ends of which the records heard */
	uint64_t passed;                /* microseconds since the beginning */
	int care;                       /* readable: there is an answer */
	struct care_request request[4]; /* thorough questions to the disk */
	size_t n_requests;
	struct care_answer answer;
	bool answered;
} all;

int __real_store_end(struct store *s, const struct store_attempt *a, const char *json);
int __wrap_store_end(struct store *s, const struct store_attempt *a, const char *json);
int __wrap_care_ask(struct care *c, const struct care_request *request);
int __wrap_care_fd(const struct care *c);
void __wrap_care_free(struct care *c);
int __wrap_care_new(struct dw_simulation *simulated, struct care **ret);
bool __wrap_care_next(struct care *c, struct care_answer *ret);
uint64_t __wrap_steady_us(void);
void __wrap_hooks_before(struct service *s, struct svc_attempt *a);
void __wrap_prove_due(struct prove *p);
int __wrap_works_begin(struct works *w, const struct works_task *task);
void __wrap_works_look(struct works *w, const struct dw_rules *rules);
void __wrap_works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg);
void __wrap_works_progress(struct works *w,
			   void (*each)(void *ctx, const struct works_progress *p),
			   void *ctx);

int __wrap_store_end(struct store *s, const struct store_attempt *a, const char *json)
{
	return all.no_store-- > 0 ? -EIO : __real_store_end(s, a, json);
}

void __wrap_hooks_before(struct service *s, struct svc_attempt *a)
{
	all.hooks++;
}

void __wrap_prove_due(struct prove *p)
{
	all.recorded++;
}

int __wrap_works_begin(struct works *w, const struct works_task *task)
{
	if (all.no_memory-- > 0)
		return -ENOMEM;
	all.begun++;
	return 0;
}

void __wrap_works_look(struct works *w, const struct dw_rules *rules)
{
}

void __wrap_works_post(struct works *w, int64_t id, enum works_ask ask, int32_t arg)
{
	all.asked[strlen(all.asked)] = "PRC"[ask];
}

void __wrap_works_progress(struct works *w,
			   void (*each)(void *ctx, const struct works_progress *p),
			   void *ctx)
{
}

uint64_t __wrap_steady_us(void)
{
	return SERVICE_NOW + all.passed;
}

int __wrap_care_new(struct dw_simulation *simulated, struct care **ret)
{
	all.care = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*ret = NULL;
	return all.care < 0 ? -errno : 0;
}

void __wrap_care_free(struct care *c)
{
	close(all.care);
}

int __wrap_care_fd(const struct care *c)
{
	return all.care;
}

int __wrap_care_ask(struct care *c, const struct care_request *request)
{
	if (request->attempt && all.n_requests < DW_ARRAY_SIZE(all.request))
		all.request[all.n_requests++] = *request;
	return 0;
}

bool __wrap_care_next(struct care *c, struct care_answer *ret)
{
	bool is = all.answered;
	uint64_t n;

	if (!is && read(all.care, &n, sizeof(n)) < 0)
		n = 0; /* nobody had written to it */
	all.answered = false;
	*ret = all.answer;
	return is;
}

/* --- a service with a disk --------------------------------------------------------- */

struct house {
	struct settings settings;
	struct service s;
	struct svc_disk disk;
	struct svc_attempt *a;
	char dir[48];
	char path[64];
};

static void set_up(struct house *h)
{
	char note[STORE_NOTE];
	bool used;

	memset(&all, 0, sizeof(all));
	*h = (struct house){ .settings = { .return_seconds = 3600, .refs = 1 } };
	assert_non_null(mkdtemp(scratch_name(h->dir, sizeof(h->dir), "acts")));
	snprintf(h->path, sizeof(h->path), "%s/station.db", h->dir);
	snprintf(h->s.state_dir, sizeof(h->s.state_dir), "%s", h->dir);
	h->s.settings = &h->settings;
	h->s.inhibitor = -1;
	h->s.look.ended_once = true;
	h->s.disks = &h->disk;
	assert_int_equal(store_open(h->path, &h->s.store, note), 0);
	h->disk.facts.info = (struct dw_disk_info){
		.blocks = 1000000, .block_size = 512, .serial = "S1", .sg = "/dev/sg1"
	};
	strcpy(h->disk.key, "d1");
	h->disk.present = true;
	h->disk.found_at = SERVICE_NOW;
	assert_int_equal(store_disk(h->s.store, &h->disk.facts.info, "", false,
				    SERVICE_NOW, &h->disk.row, &used),
			 0);
}

static void submit(struct house *h)
{
	struct svc_disk *disks[] = { &h->disk };
	struct job_request request = { .disk = disks, .n = 1 };
	struct dw_error err = { 0 };
	struct svc_job *job;

	job_new_id(request.id);
	assert_int_equal(jobs_submit(&h->s, &request, &job, &err), 0);
	h->a = job->attempt[0];
}

static void tear_down(struct house *h)
{
	char command[96];

	if (h->s.look.settings)
		settings_unref(h->s.look.settings);
	jobs_free(&h->s);
	store_close(h->s.store);
	snprintf(command, sizeof(command), "rm -rf %s", h->dir);
	assert_int_equal(system(command),
			 0); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

static void tell(struct house *h, struct works_event e)
{
	e.id = h->a->row.id;
	jobs_event(&h->s, &e);
}

static void ask(struct house *h, enum works_ask what)
{
	const struct store_caller who = { .uid = 1000 };

	assert_int_equal(job_ask(&h->s, h->a->job, NULL, what, 0, &who), 0);
}

static const char *state_of(struct house *h)
{
	static struct disk_view v;

	disk_look(&h->s, &h->disk, &v);
	return v.state;
}

static const char *told_of(struct house *h)
{
	static struct disk_view v;

	disk_look(&h->s, &h->disk, &v);
	return v.outcome;
}

/* --- tests --------------------------------------------------------------------------- */

/* what its hook has let begin, and the engine had no memory for, begins later */
static void engine_without_memory(void **state)
{
	struct house h;

	set_up(&h);
	strcpy(h.settings.hook_pre, "/hook");
	all.no_memory = 1;
	submit(&h);
	assert_int_equal(all.hooks, 1);
	attempt_hooked(&h.s, h.a, NULL);
	assert_int_equal(all.begun, 0);
	assert_string_equal(state_of(&h), "queued");
	jobs_advance(&h.s);
	assert_int_equal(all.hooks, 2);
	attempt_hooked(&h.s, h.a, NULL);
	assert_int_equal(all.begun, 1);
	attempt_hooked(&h.s, h.a, "late"); /* which nobody waits for any more */
	jobs_advance(&h.s);
	assert_int_equal(all.begun, 1);
	assert_string_equal(state_of(&h), "claiming");
	tear_down(&h);
}

static void write_state(const char *file, off_t size)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

/* What the state of its disk cannot be read from for now stays, and nothing is erased meanwhile;
 * what is no state is removed. */
static void state_not_readable(void **state)
{
	char file[256], key[256];
	struct house h;

	set_up(&h);
	strcpy(h.settings.hook_pre, "/hook");
	submit(&h);
	files_name(&h.s, h.a, "state", file, sizeof(file));
	files_name(&h.s, h.a, "key", key, sizeof(key));
	write_state(file, DW_DOC_BYTES_MAX + 1); /* more than is read */
	write_state(key, 0);
	attempt_hooked(&h.s, h.a, NULL);
	assert_int_equal(all.begun, 0);
	assert_string_equal(state_of(&h), "queued");
	assert_non_null(strstr(h.a->message, "tried again: "));
	assert_non_null(strstr(h.a->message, file));
	assert_int_equal(access(file, F_OK) | access(key, F_OK), 0);

	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink(file, file), 0); /* whether it is there is not known */
	all.passed += 3000000;
	h.disk.found_at = SERVICE_NOW + all.passed;
	jobs_advance(&h.s);
	attempt_hooked(&h.s, h.a, NULL);
	assert_int_equal(all.begun, 0);
	assert_int_equal(access(key, F_OK), 0);

	assert_int_equal(unlink(file), 0);
	write_state(file, 1);
	all.passed += 3000000;
	h.disk.found_at = SERVICE_NOW + all.passed;
	jobs_advance(&h.s);
	attempt_hooked(&h.s, h.a, NULL);
	assert_int_equal(all.begun, 1);
	assert_true(access(file, F_OK) < 0 && access(key, F_OK) < 0);
	tear_down(&h);
}

/* what is paused, or cancelled, while its hook runs does not begin after it */
static void paused_before_it_began(void **state)
{
	struct house h;

	set_up(&h);
	strcpy(h.settings.hook_pre, "/hook");
	submit(&h);
	ask(&h, WORKS_PAUSE);
	attempt_hooked(&h.s, h.a, NULL);
	jobs_advance(&h.s);
	assert_int_equal(all.begun, 0);
	assert_string_equal(state_of(&h), "paused");
	ask(&h, WORKS_RESUME);
	ask(&h, WORKS_CANCEL);
	attempt_hooked(&h.s, h.a, NULL);
	jobs_advance(&h.s);
	assert_int_equal(all.begun, 0);
	assert_string_equal(told_of(&h), "stopped");
	assert_string_equal(all.asked, "");
	tear_down(&h);
}

/* one that stands for several reasons goes on when there is none any more */
static void reasons_to_stand(void **state)
{
	struct house h;

	set_up(&h);
	submit(&h);
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	h.a->job->row.uid = UINT32_MAX; /* begun unasked, and its bay is none any more */
	jobs_tick(&h.s);
	assert_string_equal(all.asked, "P");
	tell(&h, (struct works_event){ .kind = WORKS_PAUSED });
	ask(&h, WORKS_PAUSE);
	ask(&h, WORKS_RESUME);
	h.disk.care.heat = HEAT_HOT;
	attempt_pause(&h.s, h.a);
	h.a->job->row.uid = 1000;
	jobs_tick(&h.s);
	assert_string_equal(all.asked, "P");
	h.disk.care.heat = HEAT_FINE;
	attempt_pause(&h.s, h.a);
	assert_string_equal(all.asked, "PR");
	tear_down(&h);
}

/* asked while its disk is claimed: before anything is written */
static void paused_while_claimed(void **state)
{
	struct house h;

	set_up(&h);
	submit(&h);
	ask(&h, WORKS_PAUSE);
	assert_string_equal(all.asked, "P");
	assert_string_equal(state_of(&h), "claiming");
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	assert_string_equal(state_of(&h), "pausing");
	tell(&h, (struct works_event){ .kind = WORKS_PAUSED });
	assert_string_equal(state_of(&h), "waiting");
	assert_string_equal(all.asked, "P");
	tear_down(&h);
}

/* nobody hears of an end that is not on record, and of one that is, once */
static void end_without_store(void **state)
{
	struct house h;

	set_up(&h);
	all.no_store = 2;
	submit(&h);
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	tell(&h, (struct works_event){ .kind = WORKS_ENDED, .outcome = OUTCOME_ERASED });
	for (int i = 0; i < 2; i++) {
		assert_string_equal(told_of(&h), "");
		assert_false(job_over(h.a->job));
		assert_int_equal(job_code(h.a->job), -1);
		assert_int_equal(all.recorded, 0);
		jobs_advance(&h.s);
	}
	assert_string_equal(told_of(&h), "erased");
	assert_true(job_over(h.a->job) && h.a->job->row.ended);
	jobs_advance(&h.s);
	assert_int_equal(all.recorded, 1);
	assert_int_equal(all.begun, 1);
	tear_down(&h);
}

/* what an engine may be late with changes nothing of what has ended */
static void news_after_the_end(void **state)
{
	static const enum works_kind late[] = { WORKS_BEGUN, WORKS_PAUSED, WORKS_RESUMED,
						WORKS_ENDED };
	struct house h;

	set_up(&h);
	submit(&h);
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	tell(&h, (struct works_event){ .kind = WORKS_ENDED, .outcome = OUTCOME_FAILED });
	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		tell(&h, (struct works_event){
				 .kind = late[i],
				 .outcome = OUTCOME_ERASED,
				 .json = late[i] == WORKS_ENDED ? strdup("{}") : NULL });
	assert_string_equal(told_of(&h), "failed");
	assert_int_equal(all.recorded, 1);
	tear_down(&h);
}

/* one whose disk went, or that the service stopped, goes on */
static void goes_on(void **state)
{
	struct svc_attempt *first;
	struct house h;

	set_up(&h);
	submit(&h);
	first = h.a;
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	tell(&h, (struct works_event){ .kind = WORKS_ENDED, .outcome = OUTCOME_REMOVED });
	assert_string_equal(told_of(&h), "removed");
	assert_string_equal(state_of(&h), "absent");
	h.disk.present = true;
	assert_true(jobs_continue(&h.s, &h.disk));
	h.a = h.disk.attempt;
	assert_ptr_not_equal(h.a, first);
	jobs_advance(&h.s);
	assert_int_equal(all.begun, 2);
	h.s.stopping = true;
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	tell(&h, (struct works_event){ .kind = WORKS_ENDED, .outcome = OUTCOME_STOPPED });
	jobs_tick(&h.s);
	assert_int_equal(h.a->row.outcome, OUTCOME_NONE);
	assert_int_equal(all.recorded, 1);
	assert_int_equal(all.begun, 2);
	tear_down(&h);
}

static void answer(struct house *h, size_t n, enum dw_health_state how)
{
	const uint64_t one = 1;

	assert_true(n < all.n_requests);
	all.answer =
		(struct care_answer){ .request = all.request[n], .health.state = how };
	all.answered = true;
	assert_int_equal(write(all.care, &one, sizeof(one)), sizeof(one));
	while (all.answered)
		assert_true(sd_event_run(h->s.event, UINT64_MAX) >= 0);
}

/* of a disk that did not answer before its work in time, and does after it: first what it was
 * asked first */
static void late_answer(void **state)
{
	struct house h;

	set_up(&h);
	assert_true(sd_event_new(&h.s.event) >= 0);
	assert_int_equal(reconciler_new(&h.s), 0);
	h.disk.facts.info.scsi = true;
	h.disk.care.mute = true; /* nothing but its health is asked */
	submit(&h);
	reconcile(&h.s);
	assert_int_equal(all.n_requests, 1);
	all.passed += 31000000;
	reconcile(&h.s);
	assert_int_equal(all.begun, 1);
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	tell(&h, (struct works_event){ .kind = WORKS_ENDED, .outcome = OUTCOME_ERASED });
	assert_int_equal(all.n_requests, 2);
	answer(&h, 0, DW_HEALTH_FAILING);
	assert_string_equal(told_of(&h), "");
	answer(&h, 1, DW_HEALTH_GOOD);
	assert_string_equal(told_of(&h), "erased");
	assert_false(h.a->row.do_not_reuse);
	reconciler_free(&h.s);
	tear_down(&h);
	sd_event_unref(h.s.event);
}

static void told_of_metrics(struct house *h, const char *line)
{
	char *text = metrics_text(&h->s);

	assert_non_null(text);
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
	free(text);
}

static void ends_with(struct house *h, enum svc_outcome outcome, uint64_t errors)
{
	struct works_progress now = { .id = h->a->row.id, .now.errors = errors };

	tell(h, (struct works_event){
			.kind = WORKS_ENDED, .outcome = outcome, .last = now });
}

/* counters of a monitoring system never fall: not when an attempt follows another */
static void counters_only_grow(void **state)
{
	struct works_progress now = { .now.errors = 7 };
	struct house h;

	set_up(&h);
	submit(&h);
	told_of_metrics(&h, "diskwipe_disk_errors_total{device=\"/dev/sg1\"} 0\n");
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	ends_with(&h, OUTCOME_FAILED, 5);
	told_of_metrics(&h, "diskwipe_disk_errors_total{device=\"/dev/sg1\"} 5\n");
	submit(&h);
	told_of_metrics(&h, "diskwipe_disk_errors_total{device=\"/dev/sg1\"} 5\n");
	tell(&h, (struct works_event){ .kind = WORKS_BEGUN });
	now.id = h.a->row.id;
	jobs_progress(&h.s, &now);
	told_of_metrics(&h, "diskwipe_disk_errors_total{device=\"/dev/sg1\"} 12\n");
	ends_with(&h, OUTCOME_ERASED, 8);
	told_of_metrics(&h, "diskwipe_disk_errors_total{device=\"/dev/sg1\"} 13\n");
	told_of_metrics(&h, "diskwipe_attempts_ended_total{outcome=\"failed\"} 1\n");
	told_of_metrics(&h, "diskwipe_attempts_ended_total{outcome=\"erased\"} 1\n");
	told_of_metrics(&h, "diskwipe_attempts_ended_total{outcome=\"removed\"} 0\n");
	tear_down(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_without_memory),
		cmocka_unit_test(state_not_readable),
		cmocka_unit_test(paused_before_it_began),
		cmocka_unit_test(reasons_to_stand),
		cmocka_unit_test(paused_while_claimed),
		cmocka_unit_test(end_without_store),
		cmocka_unit_test(news_after_the_end),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(late_answer),
		cmocka_unit_test(counters_only_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
