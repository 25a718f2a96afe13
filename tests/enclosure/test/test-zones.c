/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host-managed disk: what its zones are, and what they forbid. */
#include "rig.h"

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

#define DISK "disk 0 blocks=1000 ptype=0x14 zone=300 zone_conv=1 fill=0xaa "

/* condition and write pointer of a zone */
static void is_zone(struct rig *g, uint64_t lba, uint8_t condition, uint64_t pointer)
{
	uint8_t b[128];

	rig_in(g, 0,
	       RIG_CDB(0x95, 0, [8] = (uint8_t)(lba >> 8), (uint8_t)lba, [13] = 128,
		       0x80),
	       b, sizeof(b));
	rig_good(g);
	assert_int_equal(be_get32(b), 64);
	assert_int_equal(be_get64(b + 8), 999);
	assert_int_equal(b[65], condition << 4);
	assert_int_equal(be_get64(b + 80), lba / 300 * 300);
	assert_int_equal(be_get64(b + 72), lba < 900 ? 300 : 100);
	assert_int_equal(be_get64(b + 88), pointer);
}

static void reset(struct rig *g, uint64_t lba, bool all)
{
	rig_none(g, 0,
		 RIG_CDB(0x94, 4, [8] = (uint8_t)(lba >> 8), (uint8_t)lba, [14] = all));
}

static void reports(void **state)
{
	START(DISK);
	uint8_t b[512];

	rig_in(&g, 0, RIG_CDB(0x95, [12] = 2), b, sizeof(b));
	rig_good(&g);
	assert_int_equal(be_get32(b), 4 * 64);
	assert_int_equal(b[64], 1);
	assert_int_equal(b[128], 2);
	is_zone(&g, 0, 0x0, UINT64_MAX);
	is_zone(&g, 950, 0xe, UINT64_MAX);
	reset(&g, 300, false);
	rig_good(&g);
	is_zone(&g, 300, 0x1, 300);
	is_zone(&g, 600, 0xe, UINT64_MAX);
	reset(&g, 0, true);
	is_zone(&g, 950, 0x1, 900);
	for (unsigned int i = 0; i < 3; i++) {
		reset(&g, (const uint64_t[]){ 0, 301, 1200 }[i], false);
		rig_sense(&g, 5, 0x2400);
	}
	rig_stop(&g);
}

static void writes(void **state)
{
	START(DISK);

	rig_write(&g, 0, 10, 5, 0x55);
	rig_good(&g);
	rig_write(&g, 0, 300, 5, 0x55);
	rig_sense(&g, 5, 0x2400); /* full */
	reset(&g, 300, false);
	rig_write(&g, 0, 305, 5, 0x55);
	rig_sense(&g, 5, 0x2104);
	rig_write(&g, 0, 300, 290, 0x55);
	rig_good(&g);
	is_zone(&g, 300, 0x2, 590);
	rig_write(&g, 0, 590, 11, 0x55);
	rig_sense(&g, 5, 0x2105);
	rig_write(&g, 0, 590, 10, 0x55);
	is_zone(&g, 300, 0xe, UINT64_MAX);
	assert_int_equal(rig_byte(&g, 0, 599), 0x55);
	rig_stop(&g);
}

static void reads(void **state)
{
	START(DISK, "disk 1 blocks=1000 ptype=0x14 zone=300 urswrz=0");
	uint8_t b[1024];

	rig_in(&g, 0, RIG_CDB(0x88, [8] = 2, 0x57, [13] = 2), b, sizeof(b)); /* 599 */
	rig_sense(&g, 5, 0x2107);
	reset(&g, 300, false);
	rig_write(&g, 0, 300, 1, 0x55);
	rig_in(&g, 0, RIG_CDB(0x88, [8] = 1, 0x2c, [13] = 2), b, sizeof(b));
	rig_good(&g);
	assert_int_equal(b[511], 0x55);
	assert_int_equal(b[512], 0);
	assert_int_equal(b[1023], 0);
	assert_int_equal(rig_medium(&g, 0, 301), 0xaa); /* it is only not shown */
	rig_none(&g, 1, RIG_CDB(0x94, 4, [14] = 1));
	rig_in(&g, 1, RIG_CDB(0x88, [13] = 1), b, 512);
	rig_sense(&g, 5, 0x2106);
	rig_stop(&g);
}

static void dead(void **state)
{
	START(DISK "zones_read_only=2 zones_offline=8 rc_basis=0");
	uint8_t b[512];

	is_zone(&g, 300, 0xd, UINT64_MAX);
	is_zone(&g, 900, 0xf, UINT64_MAX);
	rig_write(&g, 0, 300, 1, 0x55);
	rig_sense(&g, 7, 0x2708);
	reset(&g, 300, false);
	rig_sense(&g, 7, 0x2708);
	reset(&g, 0, true);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 300), 0xaa);
	rig_in(&g, 0, RIG_CDB(0x88, [8] = 3, 0x84, [13] = 1), b, sizeof(b));
	rig_sense(&g, 7, 0x2c0e);
	rig_in(&g, 0, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	assert_int_equal(be_get64(b), 299);
	assert_int_equal(b[12], 0);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports),
		cmocka_unit_test(writes),
		cmocka_unit_test(reads),
		cmocka_unit_test(dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
