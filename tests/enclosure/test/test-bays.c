/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The enclosure processor and its lights, and what disks tell of their health. */
#include "config.h"
#include "rig.h"

#include "../ctl.h"

#include <stdlib.h>

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

static void control(struct rig *g, const char *line, const char *want)
{
	char *answer = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&answer, &len);

	assert_non_null(f);
	dw_ctl_exec(&g->rack, line, f);
	fclose(f);
	assert_string_equal(answer, want);
	free(answer);
}

static size_t page(struct rig *g, uint8_t code, uint8_t *b, size_t len)
{
	rig_in(g, 8, RIG_CDB(0x1c, 1, code, (uint8_t)(len >> 8), (uint8_t)len, 0), b,
	       len);
	rig_good(g);
	assert_int_equal(b[0], code);
	return be_get16(b + 2) + 4u;
}

static void diagnostic_pages(void **state)
{
	START("disk 0-2", "disk 1 present=0", "disk 8 ses=3 wwn=0x5000000000000800");
	uint8_t b[512];

	rig_in(&g, 8, RIG_CDB(0x12, 0, 0, 0, 96, 0), b, 96);
	assert_int_equal(b[0], 0x0d);
	assert_int_equal(b[6] & 0x40, 0x40);
	assert_int_equal(page(&g, 0x00, b, sizeof(b)), 9);
	assert_memory_equal(b + 4, ((uint8_t[]){ 0, 1, 2, 7, 10 }), 5);
	assert_int_equal(page(&g, 0x01, b, sizeof(b)), 8 + 40 + 4 + 11);
	assert_int_equal(be_get64(b + 12), 0x5000000000000800u);
	assert_memory_equal(b + 48, ((uint8_t[]){ 0x17, 3, 0, 11 }), 4);
	assert_int_equal(page(&g, 0x02, b, sizeof(b)), 8 + 16);
	assert_int_equal(b[12], 1);
	assert_int_equal(b[16], 5);
	page(&g, 0x07, b, sizeof(b));
	assert_memory_equal(b + 12, "\0\0\0\7Slot 00\0\0\0\7Slot 01", 22);
	page(&g, 0x0a, b, sizeof(b));
	assert_int_equal(be_get64(b + 8 + 20), g.rack.lu[0]->conf.wwn + 1);
	assert_int_equal(b[8 + 36] & 0x80, 0x80);
	assert_int_equal(b[8 + 72 + 7], 2);
	rig_in(&g, 8, RIG_CDB(0x1c, 1, 0x03, 2, 0, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2400);
	rig_in(&g, 0, RIG_CDB(0x1c, 1, 0x02, 2, 0, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

static void lights_and_moves(void **state)
{
	START("disk 0-2", "disk 1 present=0", "disk 8 ses=3");
	uint8_t b[24] = { 2, 0, 0, 20, 0, 0, 0, 1 }, in[128];
	uint64_t name = g.rack.lu[0]->conf.wwn + 1;

	memcpy(b + 12, ((uint8_t[]){ 0x80, 0, 2, 0, 0, 0, 0, 0x20, 0x80, 0, 2, 0x20 }),
	       12);
	rig_out(&g, 8, RIG_CDB(0x1d, 0x10, 0, 0, 24, 0), b, 24);
	rig_good(&g);
	control(&g, "leds 8", "ok\n0 locate\n1\n2 locate fault\n");
	page(&g, 0x02, in, 24);
	assert_int_equal(in[14], 2);
	assert_int_equal(in[19], 0);
	assert_int_equal(in[23], 0x20);
	rig_none(&g, 8, RIG_CDB(0x1d, 0x04));
	rig_sense(&g, 5, 0x2400);
	control(&g, "move 0 2", "error: Invalid argument\n");
	control(&g, "move 0 1", "ok\n");
	page(&g, 0x02, in, 24);
	assert_int_equal(in[12], 5);
	assert_int_equal(in[16], 1);
	page(&g, 0x0a, in, 128);
	assert_int_equal(be_get64(in + 8 + 36 + 20), name);
	control(&g, "set 8 ses_blind=1", "ok\n");
	page(&g, 0x0a, in, 128);
	assert_int_equal(be_get64(in + 8 + 36 + 20), 0);
	rig_stop(&g);
}

static void log_page(struct rig *g, uint8_t code, uint8_t *b)
{
	rig_in(g, 0, RIG_CDB(0x4d, 0, (uint8_t)(0x40 | code), [8] = 64), b, 64);
	rig_good(g);
}

static void health(void **state)
{
	START("disk 0 temp=38 grown=2 hours=100", "disk 1 ata=1");
	uint8_t b[64], data[512];

	log_page(&g, 0x0d, b);
	assert_memory_equal(b, ((uint8_t[]){ 0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38 }), 10);
	log_page(&g, 0x2f, b);
	assert_int_equal(be_get16(b + 8), 0);
	log_page(&g, 0x15, b);
	assert_int_equal(be_get32(b + 8), 6000);
	control(&g, "set 0 health=failing temp=70", "ok\n");
	control(&g, "set 0 health=ill", "error: Invalid argument\n");
	control(&g, "set 0 health=failing", "ok\n");
	log_page(&g, 0x2f, b);
	assert_int_equal(be_get16(b + 8), 0x5d10);
	assert_int_equal(b[10], 70);
	rig_in(&g, 0, RIG_CDB(0x37, 0, 0x0b, [8] = 64), b, 64);
	assert_int_equal(be_get16(b + 2), 16);
	rig_in(&g, 0, RIG_CDB(0xb7, 0x0b, [9] = 64), b, 64);
	assert_int_equal(be_get32(b + 4), 16);
	rig_in(&g, 1,
	       RIG_CDB(0x85, 8, 14, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0), data,
	       512);
	rig_good(&g);
	assert_int_equal(data[2 + 24], 194);
	rig_none(&g, 1,
		 RIG_CDB(0x85, 6, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0));
	rig_sense(&g, 1, 0x001d);
	assert_memory_equal(g.task.sense + 10, ((uint8_t[]){ 0x4f, 0xc2 }), 2);
	control(&g, "set 1 health=failing", "ok\n");
	rig_none(&g, 1,
		 RIG_CDB(0x85, 6, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0));
	assert_memory_equal(g.task.sense + 10, ((uint8_t[]){ 0xf4, 0x2c }), 2);
	rig_stop(&g);
}

static void stopped(void **state)
{
	START("disk 0");
	uint8_t b[512];

	rig_none(&g, 0, RIG_CDB(0x1b));
	rig_good(&g);
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_sense(&g, 2, 0x0402);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, sizeof(b));
	rig_sense(&g, 2, 0x0402);
	rig_none(&g, 0, RIG_CDB(0x1b, [4] = 1));
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(diagnostic_pages),
		cmocka_unit_test(lights_and_moves),
		cmocka_unit_test(health),
		cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
