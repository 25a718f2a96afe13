/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Persistent reservations, between two ports of one disk and a foreign host. */
#include "rig.h"

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

static void out(struct rig *g, unsigned int port, uint8_t sa, uint8_t type, uint64_t key,
		uint64_t action)
{
	uint8_t l[24] = { 0 };

	be_put64(l, key);
	be_put64(l + 8, action);
	rig_out(g, port, RIG_CDB(0x5f, sa, type, 0, 0, 0, 0, 0, 24), l, 24);
}

static size_t keys(struct rig *g, unsigned int port, uint8_t *b)
{
	rig_in(g, port, RIG_CDB(0x5e, 0, [8] = 200), b, 200);
	rig_good(g);
	return be_get32(b + 4) / 8;
}

static uint8_t write_status(struct rig *g, unsigned int port)
{
	rig_write(g, port, 0, 1, 1);
	return g->task.status;
}

static uint8_t read_status(struct rig *g, unsigned int port)
{
	uint8_t b[512];

	rig_in(g, port, RIG_CDB(0x28, [8] = 1), b, 512);
	return g->task.status;
}

static void write_exclusive(void **state)
{
	START("disk 0", "disk 1 same_as=0");
	uint8_t b[200];

	out(&g, 0, 0x01, 1, 0xaa, 0);
	assert_int_equal(g.task.status, 0x18); /* not registered */
	out(&g, 0, 0x00, 0, 0, 0xaa);
	rig_good(&g);
	out(&g, 1, 0x00, 0, 0x77, 0xbb);
	assert_int_equal(g.task.status, 0x18); /* wrong old key */
	out(&g, 1, 0x06, 0, 0x77, 0xbb);
	rig_good(&g); /* which this one ignores */
	assert_int_equal(keys(&g, 0, b), 2);
	assert_int_equal(be_get32(b), 2); /* generation */
	out(&g, 0, 0x01, 1, 0xaa, 0);
	rig_good(&g);
	assert_int_equal(write_status(&g, 0), 0);
	assert_int_equal(write_status(&g, 1), 0x18);
	assert_int_equal(read_status(&g, 1), 0);
	rig_none(&g, 1, RIG_CDB(0));
	rig_good(&g);
	rig_in(&g, 1, RIG_CDB(0x5e, 1, [8] = 200), b, 200);
	assert_int_equal(be_get64(b + 8), 0xaa);
	assert_int_equal(b[21], 1);
	out(&g, 1, 0x02, 1, 0xbb, 0);
	rig_good(&g); /* releasing what another holds: nothing */
	assert_int_equal(write_status(&g, 1), 0x18);
	out(&g, 0, 0x02, 3, 0xaa, 0);
	rig_sense(&g, 5, 0x2604);
	out(&g, 0, 0x02, 1, 0xaa, 0);
	assert_int_equal(write_status(&g, 1), 0);
	rig_stop(&g);
}

static void exclusive_access(void **state)
{
	START("disk 0", "disk 1 same_as=0");

	out(&g, 0, 0x00, 0, 0, 0xaa);
	out(&g, 0, 0x01, 3, 0xaa, 0);
	assert_int_equal(read_status(&g, 1), 0x18);
	out(&g, 0, 0x01, 1, 0xaa, 0);
	assert_int_equal(g.task.status, 0x18); /* another type */
	out(&g, 0, 0x00, 0, 0xaa, 0);          /* unregistering lets go */
	rig_good(&g);
	assert_int_equal(read_status(&g, 1), 0);
	rig_stop(&g);
}

static void registrants(void **state)
{
	START("disk 0", "disk 1 same_as=0", "disk 2 same_as=0");

	out(&g, 0, 0x00, 0, 0, 0xaa);
	out(&g, 1, 0x00, 0, 0, 0xbb);
	out(&g, 0, 0x01, 5, 0xaa, 0);
	assert_int_equal(write_status(&g, 1), 0);
	assert_int_equal(write_status(&g, 2), 0x18);
	assert_int_equal(read_status(&g, 2), 0);
	out(&g, 0, 0x02, 5, 0xaa, 0);
	assert_int_equal(write_status(&g, 1), 2);
	rig_sense(&g, 6, 0x2a04);
	out(&g, 1, 0x01, 8, 0xbb, 0);
	rig_good(&g);
	assert_int_equal(read_status(&g, 2), 0x18);
	out(&g, 1, 0x00, 0, 0xbb, 0);
	assert_int_equal(read_status(&g, 2), 0x18); /* port 0 still holds it */
	out(&g, 0, 0x00, 0, 0xaa, 0);
	assert_int_equal(read_status(&g, 2), 0);
	rig_stop(&g);
}

static void preempt_and_clear(void **state)
{
	START("disk 0 foreign_pr=1 foreign_key=0xf00", "disk 1 same_as=0");
	uint8_t b[200];

	assert_int_equal(write_status(&g, 0), 0x18);
	assert_int_equal(keys(&g, 0, b), 1);
	assert_int_equal(be_get64(b + 8), 0xf00);
	out(&g, 0, 0x00, 0, 0, 0xaa);
	out(&g, 1, 0x00, 0, 0, 0xbb);
	out(&g, 0, 0x04, 1, 0xaa, 0x999);
	assert_int_equal(g.task.status, 0x18); /* nobody has that key */
	out(&g, 0, 0x04, 1, 0xaa, 0xf00);
	rig_good(&g);
	assert_int_equal(write_status(&g, 0), 0);
	assert_int_equal(write_status(&g, 1), 0x18);
	assert_int_equal(keys(&g, 0, b), 2);
	out(&g, 0, 0x04, 1, 0xaa, 0xbb);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 6, 0x2a05);
	out(&g, 1, 0x00, 0, 0, 0xbb);
	out(&g, 0, 0x03, 0, 0xaa, 0);
	rig_good(&g);
	assert_int_equal(keys(&g, 0, b), 0);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 6, 0x2a03);
	assert_int_equal(write_status(&g, 1), 0);
	rig_stop(&g);
}

static void malformed(void **state)
{
	START("disk 0");
	uint8_t l[24] = { 0 };

	rig_out(&g, 0, RIG_CDB(0x5f, 0, 0, 0, 0, 0, 0, 0, 16), l, 24);
	rig_sense(&g, 5, 0x1a00);
	out(&g, 0, 0x00, 0, 0, 0xaa);
	out(&g, 0, 0x01, 2, 0xaa, 0);
	rig_sense(&g, 5, 0x2400);
	out(&g, 0, 0x01, 0x11, 0xaa, 0);
	rig_sense(&g, 5, 0x2400);
	rig_none(&g, 0, RIG_CDB(0x5e, 0x1f));
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_exclusive), cmocka_unit_test(exclusive_access),
		cmocka_unit_test(registrants),     cmocka_unit_test(preempt_and_clear),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
