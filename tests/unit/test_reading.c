/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk is read by discoveries or claimed, never both. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "unit.h"

#include "judge/reading.h"

#define DISK  ((dev_t)0x810)
#define OTHER ((dev_t)0x820)

static void not_while_barred(void **state)
{
	assert_int_equal(dw_reading_bar(DISK, 0), 0);
	assert_int_equal(dw_reading_bar(DISK, 0), -EBUSY);
	assert_false(dw_reading_begin(DISK));
	assert_true(dw_reading_begin(OTHER));
	dw_reading_end(OTHER);
	dw_reading_unbar(DISK);
	assert_true(dw_reading_begin(DISK));
	dw_reading_end(DISK);
}

static void none_is_left_out(void **state)
{
	assert_true(dw_reading_begin(DISK));
	assert_true(dw_reading_begin(DISK));
	assert_int_equal(dw_reading_bar(DISK, 0), -EBUSY);
	dw_reading_end(DISK);
	assert_int_equal(dw_reading_bar(DISK, 0), -EBUSY);
	/* a bar that was not had keeps nobody out */
	assert_true(dw_reading_begin(DISK));
	dw_reading_end(DISK);
	dw_reading_end(DISK);
	assert_int_equal(dw_reading_bar(DISK, 0), 0);
	dw_reading_unbar(DISK);
	dw_reading_unbar(DISK);
	assert_int_equal(dw_reading_bar(0, 0), 0);
}

static atomic_int ended;

static void *reader(void *ctx)
{
	while (dw_reading_begin(DISK)) /* until the bar is down */
		dw_reading_end(DISK);
	atomic_store(&ended, 1);
	dw_reading_end(OTHER);
	return NULL;
}

static void waits_for_readers(void **state)
{
	pthread_t thread;

	assert_true(dw_reading_begin(OTHER));
	assert_int_equal(pthread_create(&thread, NULL, reader, NULL), 0);
	assert_int_equal(dw_reading_bar(DISK, 60), 0);
	assert_int_equal(dw_reading_bar(OTHER, 60), 0);
	assert_int_equal(atomic_load(&ended), 1);
	dw_reading_unbar(OTHER);
	dw_reading_unbar(DISK);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_while_barred),
		cmocka_unit_test(none_is_left_out),
		cmocka_unit_test(waits_for_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
