/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's thread of the service tells the end of a task, and what was found, also when it
 * gets no memory any more, and hears what is asked.
 */
#include "unit.h"

#include <poll.h>
#include <pthread.h>

#include "service/works.h"

#define LONG_MS 20000 /* only ends a test that hangs */

static pthread_t service;
static _Atomic bool short_of_memory;

void *__real_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);

/* what the service itself asks for it gets: it has to know whether a task has begun */
static bool is_denied(void)
{
	return short_of_memory && !pthread_equal(pthread_self(), service);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_denied() ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
	return is_denied() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return is_denied() ? NULL : __real_realloc(p, size);
}

static struct works_event await(struct works *w, enum works_kind kind)
{
	struct pollfd p = { .fd = works_fd(w), .events = POLLIN };
	struct works_event e;

	for (;;) {
		while (works_next(w, &e))
			if (e.kind == kind)
				return e;
		assert_int_equal(poll(&p, 1, LONG_MS), 1);
	}
}

static void without_memory(void **state)
{
	static const struct dw_rules rules = { .logical = false };
	struct works_task t = { .priority = 0 };
	struct works_event e;
	struct works *w;

	service = pthread_self();
	assert_int_equal(works_new(NULL, &w), 0);
	dw_job_spec_init(&t.spec);
	short_of_memory = true;
	for (t.id = 1; t.id < 4; t.id++)
		assert_int_equal(works_begin(w, &t), 0);
	for (int64_t id = 1; id < 4; id++) {
		e = await(w, WORKS_ENDED);
		assert_int_equal(e.id, id);
		assert_int_equal(e.outcome, OUTCOME_REFUSED);
		assert_non_null(strstr(e.text, strerror(ENOMEM)));
	}
	for (int i = 0; i < 2; i++) {
		works_look(w, &rules);
		assert_int_equal(await(w, WORKS_FOUND).error, -ENOMEM);
	}
	short_of_memory = false;
	works_free(w);
}

/* each in the order of its coming; what is asked of one that is no more is nothing */
static void ends_of_tasks(void **state)
{
	struct works_task t = { .id = 7 };
	struct works_event e;
	struct works *w;

	service = pthread_self();
	assert_int_equal(works_new(NULL, &w), 0);
	dw_job_spec_init(&t.spec);
	strcpy(t.spec.method, "nothing");
	assert_int_equal(works_begin(w, &t), 0);
	works_post(w, 7, WORKS_CANCEL, 0);
	works_post(w, 8, WORKS_PAUSE, 0);
	e = await(w, WORKS_ENDED);
	assert_int_equal(e.id, 7);
	assert_non_null(strstr(e.text, "nothing"));
	assert_false(works_next(w, &e));
	works_post(w, 7, WORKS_RESUME, 0);
	works_stop(w);
	works_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(without_memory),
					    cmocka_unit_test(ends_of_tasks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
