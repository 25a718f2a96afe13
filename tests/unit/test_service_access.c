/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of which calls polkit is asked: here it answers when the test says so. A call on the system bus
 * has a sender, and the kernel's word for the user; both are the test's.
 */
#include "unit.h"

#include <sys/socket.h>

#include "service/bus.h"

static uint32_t caller;
static bool on_socket;
static sd_bus *bus;

/* --- the bus ---------------------------------------------------------------- */

struct question {
	sd_bus_message_handler_t answer;
	void *ctx;
};

static struct question question[200];
static unsigned n_questions;

const char *__wrap_sd_bus_message_get_sender(sd_bus_message *m);
int __wrap_sd_bus_query_sender_creds(sd_bus_message *m, uint64_t mask,
				     sd_bus_creds **ret);
int __wrap_sd_bus_creds_get_euid(sd_bus_creds *c, uid_t *ret);
int __wrap_sd_bus_call_async(sd_bus *b, sd_bus_slot **slot, sd_bus_message *m,
			     sd_bus_message_handler_t answer, void *ctx, uint64_t usec);

const char *__wrap_sd_bus_message_get_sender(sd_bus_message *m)
{
	(void)m;
	return on_socket ? NULL : ":1.7";
}

int __wrap_sd_bus_query_sender_creds(sd_bus_message *m, uint64_t mask, sd_bus_creds **ret)
{
	(void)m;
	(void)mask;
	*ret = NULL;
	return 0;
}

int __wrap_sd_bus_creds_get_euid(sd_bus_creds *c, uid_t *ret)
{
	(void)c;
	*ret = caller;
	return 0;
}

int __wrap_sd_bus_call_async(sd_bus *b, sd_bus_slot **slot, sd_bus_message *m,
			     sd_bus_message_handler_t answer, void *ctx, uint64_t usec)
{
	(void)b;
	(void)slot;
	(void)m;
	(void)usec;
	assert_true(n_questions < sizeof(question) / sizeof(question[0]));
	question[n_questions++] = (struct question){ answer, ctx };
	return 0;
}

static sd_bus_message *a_call(void)
{
	sd_bus_message *m = NULL;

	assert_true(sd_bus_message_new_method_call(bus, &m, NULL, "/x", "x.y", "z") >= 0);
	assert_true(sd_bus_message_seal(m, 7, 0) >= 0);
	return m;
}

/* --- what is asked for ------------------------------------------------------------ */

static unsigned tried, done;
static bool impossible;

static int go(struct service *s, sd_bus_message *m, const struct store_caller *who,
	      sd_bus_error *error)
{
	(void)s;
	(void)m;
	tried += !who;
	done += who != NULL;
	return impossible ? sd_bus_error_set(error, ERROR("Invalid"), "it cannot be done")
			  : 0;
}

static bool is_refused(uint32_t uid, const char *says)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *m;
	bool refused;

	caller = uid;
	m = a_call();
	refused = access_check(NULL, m, "erase", go, &error) < 0;
	if (refused && !strstr(error.message, says))
		fail_msg("\"%s\" does not say \"%s\"", error.message, says);
	sd_bus_error_free(&error);
	sd_bus_message_unref(m);
	return refused;
}

static void answer_all(bool yes)
{
	for (unsigned i = 0; i < n_questions; i++) {
		const sd_bus_error no = SD_BUS_ERROR_MAKE_CONST("x.No", "no");
		sd_bus_message *call = a_call(), *reply = NULL;

		if (yes)
			assert_true(sd_bus_message_new_method_return(call, &reply) >= 0);
		else
			assert_true(sd_bus_message_new_method_error(call, &reply, &no) >=
				    0);
		if (yes)
			assert_true(sd_bus_message_append(reply, "(bba{ss})", 1, 0, 0) >=
				    0);
		assert_true(sd_bus_message_seal(reply, 9, 0) >= 0);
		question[i].answer(reply, question[i].ctx, NULL);
		sd_bus_message_unref(reply);
		sd_bus_message_unref(call);
	}
	n_questions = 0;
}

static int set_up(void **state)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	assert_true(sd_bus_new(&bus) >= 0 && sd_bus_set_fd(bus, fd[0], fd[0]) >= 0);
	return sd_bus_start(bus) < 0;
}

static int forget_all(void **state)
{
	answer_all(false);
	tried = done = 0;
	impossible = on_socket = false;
	return 0;
}

/* --- tests ------------------------------------------------------------------------ */

static void who_is_asked_about(void **state)
{
	assert_false(is_refused(0, "")); /* root */
	on_socket = true;
	assert_false(is_refused(1000, ""));
	assert_int_equal(n_questions, 0);
	assert_int_equal(done, 2);
	on_socket = false;
	assert_false(is_refused(1000, ""));
	assert_false(is_refused(1001, ""));
	assert_int_equal(done, 2);
	assert_int_equal(n_questions, 2);
	answer_all(true);
	assert_int_equal(done, 4);
	assert_false(is_refused(1000, ""));
	answer_all(false);
	assert_int_equal(done, 4);
}

/* nobody types a password for what is an error anyway */
static void what_cannot_be_done(void **state)
{
	impossible = true;
	assert_true(is_refused(1000, "it cannot be done"));
	assert_int_equal(n_questions, 0);
	assert_int_equal(tried, 1);
	assert_int_equal(done, 0);
}

/* one user who does not answer shuts nobody out but himself */
static void questions_of_one_user(void **state)
{
	for (int i = 0; i < 8; i++)
		assert_false(is_refused(1000, ""));
	assert_true(is_refused(1000, "of your calls"));
	assert_false(is_refused(1001, ""));
	answer_all(false);
	assert_false(is_refused(1000, ""));
}

/* nor do some together: who has no question yet has one in the end */
static void questions_of_many_users(void **state)
{
	for (uint32_t uid = 1; uid <= 6; uid++)
		for (int i = 0; i < 8; i++)
			assert_false(is_refused(uid, ""));
	assert_false(is_refused(7, ""));
	assert_true(is_refused(7, "too many calls"));
	for (uint32_t uid = 8; uid <= 22; uid++)
		assert_false(is_refused(uid, ""));
	assert_int_equal(n_questions, 64);
	assert_true(is_refused(23, "too many calls"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_is_asked_about, forget_all),
		cmocka_unit_test_teardown(what_cannot_be_done, forget_all),
		cmocka_unit_test_teardown(questions_of_one_user, forget_all),
		cmocka_unit_test_teardown(questions_of_many_users, forget_all),
	};
	int r = cmocka_run_group_tests(tests, set_up, NULL);

	sd_bus_unref(bus);
	return r;
}
