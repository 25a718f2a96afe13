/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk does by itself: SANITIZE and FORMAT UNIT, seen through commands and on the medium. */
#include "config.h"
#include "rig.h"

#include <linux/virtio_scsi.h>

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

#define DISK "disk 0 blocks=1000 fill=0xaa remapped=4 sanitize=overwrite,block,crypto "
#define TUR  RIG_CDB(0)

static void not_ready(struct rig *g, uint16_t asc, unsigned int lo, unsigned int hi)
{
	unsigned int at = be_get16(g->task.sense + 16);

	rig_sense(g, 2, asc);
	assert_int_equal(g->task.sense[15], 0x80);
	assert_in_range(at, lo, hi);
}

static void ask_sense(struct rig *g, uint8_t key, uint16_t asc)
{
	uint8_t b[18];

	rig_in(g, 0, RIG_CDB(0x03, 0, 0, 0, 18, 0), b, sizeof(b));
	rig_good(g);
	assert_int_equal(b[2], key);
	assert_int_equal(be_get16(b + 12), asc);
}

static void block_erase(struct rig *g, uint8_t flags)
{
	rig_none(g, 0, RIG_CDB(0x48, (uint8_t)(flags | 2)));
}

static void overwrite(struct rig *g, uint8_t flags, uint8_t count)
{
	const uint8_t list[8] = { count, 0, 0, 4, 1, 2, 3, 4 };

	rig_out(g, 0, RIG_CDB(0x48, (uint8_t)(flags | 1), [8] = 8), list, 8);
}

/* each method is in the report of commands when it is there, and only then */
static void offered(void **state)
{
	START("disk 0 sanitize=block wacer=2 waber=3", "disk 1");
	uint8_t b[64];

	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 2, 0x48, 0, 2, 0, 0, 0, 64), b, sizeof(b));
	assert_int_equal(b[1], 3);
	assert_int_equal(b[3], 10);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 2, 0x48, 0, 0x1f, 0, 0, 0, 64), b, sizeof(b));
	assert_int_equal(b[1], 3);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 2, 0x48, 0, 1, 0, 0, 0, 64), b, sizeof(b));
	assert_int_equal(b[1], 1);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xb1, 0, 64, 0), b, sizeof(b));
	assert_int_equal(b[7] >> 4, 0xe);
	rig_none(&g, 0, RIG_CDB(0x48, 0x83));
	rig_sense(&g, 5, 0x2400);
	rig_none(&g, 1, RIG_CDB(0x48, 0x82));
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

/* who may ask what while it runs, and how far it is */
static void running(void **state)
{
	START(DISK "block_ms=1000");
	uint8_t b[96];

	block_erase(&g, 0x80);
	rig_good(&g);
	rig_after_ms(&g, 500);
	rig_none(&g, 0, TUR);
	not_ready(&g, 0x041b, 0x7f00, 0x8100);
	ask_sense(&g, 2, 0x041b);
	rig_in(&g, 0, RIG_CDB(0x03, 1, 0, 0, 32, 0), b, 32);
	assert_memory_equal(
		b, ((uint8_t[]){ 0x72, 2, 4, 0x1b, 0, 0, 0, 8, 2, 6, 0, 0, 0x80 }), 13);
	rig_in(&g, 0, RIG_CDB(0x12, 0, 0, 0, 96, 0), b, 96);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0xa0, [9] = 16), b, 16);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 2, 0x48, 0, 2, 0, 0, 0, 64), b, sizeof(b));
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	rig_sense(&g, 2, 0x041b);
	block_erase(&g, 0x80);
	rig_sense(&g, 2, 0x041b);
	rig_told(&g, "firmware 0", "ok\nrunning block 32768\n");
	rig_told(&g, "holds 0 0 1000", "ok\n0-499 0x00\n500-999 0xaa\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0xaa\n");
	rig_after_ms(&g, 499);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 2, 0x041b);
	rig_after_ms(&g, 1);
	rig_none(&g, 0, TUR);
	rig_good(&g);
	ask_sense(&g, 0, 0);
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x00\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0x00\n");
	rig_stop(&g);
}

/* logical units of one device: told of one, all of them are sanitized */
static void units(void **state)
{
	START(DISK "block_ms=1000", "disk 1 blocks=1000 fill=0xaa lun_of=0",
	      "disk 2 blocks=1000 fill=0xaa");
	uint8_t b[96] = { 0 };

	rig_none(&g, 0, TUR);
	rig_lun(&g, 1, RIG_CDB(0x12, 0, 0, 0, 96), b, 96);
	assert_int_equal(b[0], 0);
	rig_lun(&g, 2, RIG_CDB(0x12, 0, 0, 0, 96), b, 96);
	assert_int_equal(b[0], 0x7f);
	rig_none(&g, 1, TUR);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	rig_in(&g, 0, RIG_CDB(0xa0, [9] = 24), b, 24);
	assert_int_equal(be_get32(b), 16);
	assert_int_equal(b[17], 1);
	rig_lun(&g, 1, TUR, NULL, 0); /* power on */
	rig_lun(&g, 1, TUR, NULL, 0);
	rig_good(&g);
	block_erase(&g, 0x80);
	rig_good(&g);
	rig_lun(&g, 1, TUR, NULL, 0);
	rig_sense(&g, 2, 0x041b);
	rig_after_ms(&g, 1000);
	rig_lun(&g, 1, TUR, NULL, 0);
	rig_good(&g);
	rig_told(&g, "holds 1 0 1000", "ok\n0-999 0x00\n");
	rig_told(&g, "holds 2 0 1000", "ok\n0-999 0xaa\n");
	rig_stop(&g);
}

/* without IMMED the command itself lasts */
static void waits(void **state)
{
	START(DISK "block_ms=700 fail_at=0");
	uint64_t t0 = g.now;

	block_erase(&g, 0);
	rig_good(&g);
	assert_int_equal(g.now - t0, 700000000);
	rig_told(&g, "firmware 0", "ok\ndone block 65536\n");
	rig_told(&g, "set 0 fail_at=50", "ok\n");
	t0 = g.now;
	block_erase(&g, 0);
	rig_sense(&g, 3, 0x3103);
	assert_int_equal(g.now - t0, 350000000);
	rig_told(&g, "firmware 0", "ok\nfailed block 32768\n");
	rig_stop(&g);
}

/* passes, inversion, and blocks that nobody can address */
static void overwritten(void **state)
{
	START(DISK "overwrite_ms=300");
	const uint8_t bad[8] = { 0, 0, 0, 4 };
	uint8_t b[512];

	rig_told(&g, "clip 0 600", "ok\n");
	rig_quiet(&g);
	overwrite(&g, 0x80, 0x80 | 3);
	rig_good(&g);
	rig_after_ms(&g, 150); /* half of the second pass, which is inverted */
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 mixed\n");
	rig_after_ms(&g, 150);
	rig_in(&g, 0, RIG_CDB(0x28, [5] = 9, [8] = 1), b, 512);
	assert_memory_equal(b, "\1\2\3\4\1\2\3\4", 8);
	overwrite(&g, 0x80, 0x80 | 2);
	rig_after_ms(&g, 300);
	rig_in(&g, 0, RIG_CDB(0x28, [5] = 9, [8] = 1), b, 512);
	assert_memory_equal(b, "\xfe\xfd\xfc\xfb", 4);
	assert_int_equal(rig_medium(&g, 0, 999), 0xfe);
	rig_out(&g, 0, RIG_CDB(0x48, 0x81, [8] = 8), bad, 8); /* no pass */
	rig_sense(&g, 5, 0x2600);
	rig_none(&g, 0, RIG_CDB(0x48, 0x81));
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

/* another key each time, and a cache that does not come back */
static void scrambled(void **state)
{
	START(DISK "crypto_ms=0 wacer=1");
	uint8_t a[512], b[512];

	rig_write(&g, 0, 7, 1, 0x77);
	rig_none(&g, 0, RIG_CDB(0x48, 0x83));
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [5] = 7, [8] = 1), a, 512);
	rig_good(&g);
	assert_memory_not_equal(a, a + 256, 256);
	rig_none(&g, 0, RIG_CDB(0x48, 0x83));
	rig_in(&g, 0, RIG_CDB(0x28, [5] = 7, [8] = 1), b, 512);
	assert_memory_not_equal(a, b, 512);
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 mixed\n");
	rig_stop(&g);
}

static void read_after(struct rig *g, uint16_t asc)
{
	uint8_t b[1024];

	block_erase(g, 0x80);
	rig_write(g, 0, 10, 1, 0x11);
	rig_good(g);
	assert_int_equal(rig_byte(g, 0, 10), 0x11);
	rig_in(g, 0, RIG_CDB(0x28, [5] = 10, [8] = 2), b, 1024);
	rig_sense(g, 3, asc);
	assert_int_equal(be_get32(g->task.sense + 3), 11);
	rig_none(g, 0, RIG_CDB(0x2f, [5] = 11, [8] = 1));
	rig_sense(g, 3, asc);
}

static void write_required(void **state)
{
	START(DISK "block_ms=0 waber=3",
	      "disk 1 blocks=100 thin=1 fill=0xaa sanitize=overwrite"
	      " overwrite_ms=0");
	const uint8_t list[8] = { 1, 0, 0, 4, 1, 2, 3, 4 };

	read_after(&g, 0x1115);
	rig_told(&g, "set 0 waber=2", "ok\n");
	read_after(&g, 0x1100);
	rig_told(&g, "set 0 waber=1", "ok\n");
	block_erase(&g, 0x80);
	assert_int_equal(rig_byte(&g, 0, 11), 0);
	/* zeros, not the pattern */
	rig_out(&g, 1, RIG_CDB(0x48, 0x81, [8] = 8), list, 8);
	rig_good(&g);
	rig_told(&g, "holds 1 0 100", "ok\n0-99 0x00\n");
	rig_stop(&g);
}

static void unrestricted(void **state)
{
	START(DISK "block_ms=1000 fail_at=40");
	uint8_t b[96];

	block_erase(&g, 0xa0);
	rig_after_ms(&g, 399);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 2, 0x041b);
	rig_after_ms(&g, 1);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 3, 0x3103);
	ask_sense(&g, 3, 0x3103);
	rig_told(&g, "firmware 0", "ok\nfailed block 26214\n");
	rig_told(&g, "holds 0 0 1000", "ok\n0-398 0x00\n399-999 0xaa\n");
	rig_in(&g, 0, RIG_CDB(0x12, 0, 0, 0, 96, 0), b, 96);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 96);
	rig_sense(&g, 3, 0x3103);
	rig_told(&g, "cycle 0", "ok\n"); /* no way out */
	rig_quiet(&g);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 3, 0x3103);
	rig_none(&g, 0, RIG_CDB(0x48, 0x1f));
	rig_good(&g);
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_stop(&g);
}

static void restricted(void **state)
{
	START(DISK "block_ms=1000 fail_at=40");

	block_erase(&g, 0x80);
	rig_after_ms(&g, 400);
	rig_none(&g, 0, RIG_CDB(0x48, 0x1f));
	rig_sense(&g, 3, 0x3103);
	block_erase(&g, 0xa0);
	rig_sense(&g, 3, 0x3103);
	rig_told(&g, "set 0 fail_at=0", "ok\n");
	block_erase(&g, 0x80);
	rig_good(&g);
	rig_after_ms(&g, 1000);
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_stop(&g);
}

/* it rests without power and goes on */
static void power_cut(void **state)
{
	START(DISK "block_ms=1000");
	uint8_t b[8];

	block_erase(&g, 0x80);
	rig_after_ms(&g, 250);
	rig_told(&g, "gone 0", "ok\n");
	rig_after_ms(&g, 100000);
	rig_told(&g, "holds 0 0 1000", "ok\n0-249 0x00\n250-999 0xaa\n");
	rig_told(&g, "back 0", "ok\n");
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	rig_sense(&g, 6, 0x2900);
	rig_none(&g, 0, TUR);
	not_ready(&g, 0x041b, 0x3f00, 0x4100);
	rig_after_ms(&g, 750);
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x00\n");
	rig_stop(&g);
}

static void liars(void **state)
{
	START(DISK "block_ms=1000 lie=1");

	block_erase(&g, 0x80);
	rig_after_ms(&g, 1000);
	rig_told(&g, "firmware 0", "ok\ndone block 65536\n");
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0xaa\n");
	rig_told(&g, "set 0 lie=2", "ok\n");
	block_erase(&g, 0x80);
	rig_after_ms(&g, 1000);
	rig_told(&g, "holds 0 0 1000", "ok\n0-499 0x00\n500-999 0xaa\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0xaa\n");
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_stop(&g);
}

static void stuck(void **state)
{
	START(DISK "block_ms=1000 stuck_at=30 progress=0");

	block_erase(&g, 0x80);
	rig_after_ms(&g, 100000);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 2, 0x041b);
	assert_int_equal(g.task.sense[15], 0);
	rig_told(&g, "set 0 progress=1", "ok\n");
	rig_none(&g, 0, TUR);
	not_ready(&g, 0x041b, 19660, 19660);
	rig_told(&g, "set 0 stuck_at=0", "ok\n");
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_stop(&g);
}

static void finished_from_outside(void **state)
{
	START(DISK "block_ms=1000000 stuck_at=30");
	struct dw_task t;

	rig_told(&g, "finish 0", "error: Invalid argument\n");
	rig_send(&g, &t, 0, RIG_CDB(0x48, 2), NULL, NULL);
	rig_told(&g, "finish 0", "ok\n");
	rig_told(&g, "firmware 0", "ok\nrunning block 19660\n");
	dw_rack_advance(&g.rack, g.now);
	assert_false(g.done);
	rig_told(&g, "set 0 stuck_at=0", "ok\n");
	rig_told(&g, "finish 0", "ok\n");
	dw_rack_advance(&g.rack, g.now);
	assert_true(g.done);
	assert_int_equal(t.status, 0);
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x00\n");
	rig_stop(&g);
}

static void protected(void **state)
{
	START(DISK "wp=1");

	block_erase(&g, 0x80);
	rig_sense(&g, 7, 0x2700);
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0xaa\n");
	rig_told(&g, "holds 0 0 1001", "error: Invalid argument\n");
	rig_stop(&g);
}

#define FDISK               "disk 0 blocks=1000 fill=0xaa remapped=4 grown=3 format=2 "
#define FORMAT(flags, fast) RIG_CDB(0x04, flags, 0, 0, fast)

static void format(struct rig *g, uint8_t flags, uint8_t options)
{
	const uint8_t list[4] = { 0, options };

	rig_out(g, 0, FORMAT((uint8_t)(0x10 | flags), 0), list, 4);
}

static unsigned int defects(struct rig *g)
{
	uint8_t b[64];

	rig_in(g, 0, RIG_CDB(0x37, 0, 0x0b, [8] = 64), b, 64);
	rig_good(g);
	return be_get16(b + 2) / 8;
}

static void formatted(void **state)
{
	START(FDISK);
	const uint8_t pattern[12] = { 0, 0x8a, 0, 0, 0x20, 1, 0, 4, 9, 8, 7, 6 };
	uint8_t b[512];

	format(&g, 0, 0x02);
	rig_good(&g);
	rig_after_ms(&g, 250);
	rig_none(&g, 0, TUR);
	not_ready(&g, 0x0404, 0x3f00, 0x4100);
	ask_sense(&g, 2, 0x0404);
	rig_told(&g, "holds 0 0 1000", "ok\n0-249 0x00\n250-999 0xaa\n");
	rig_after_ms(&g, 750);
	rig_none(&g, 0, TUR);
	rig_good(&g); /* the same geometry: no attention */
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0x00\n");
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0xaa\n");
	assert_int_equal(defects(&g), 3);
	format(&g, 0x08, 0x82);
	rig_after_ms(&g, 1000);
	assert_int_equal(defects(&g), 0);
	rig_told(&g, "holds 0 0 4 spare", "ok\n0-3 0x00\n");
	rig_out(&g, 0, FORMAT(0x10, 0), pattern, 12);
	rig_good(&g);
	rig_after_ms(&g, 1000);
	rig_in(&g, 0, RIG_CDB(0x28, [5] = 5, [8] = 1), b, 512);
	assert_memory_equal(b, "\x9\x8\x7\x6\x9\x8", 6);
	rig_stop(&g);
}

/* what a list may not say, and what a format must not reach */
static void format_limits(void **state)
{
	START(FDISK, "disk 1 format=1", "disk 2", "disk 3 format=1 format_ms=0 pi=2");
	const uint8_t list[12] = { 0, 0x02, 0, 8 }, none[4] = { 0, 0x02 };
	uint8_t b[32];

	format(&g, 0, 0x22); /* DCRT without FOV */
	rig_sense(&g, 5, 0x2600);
	rig_out(&g, 0, FORMAT(0x10, 0), list, 3);
	rig_sense(&g, 5, 0x1a00);
	rig_out(&g, 0, FORMAT(0x10, 3), none, 4);
	rig_sense(&g, 5, 0x2400);
	rig_out(&g, 1, FORMAT(0x10, 1), none, 4);
	rig_sense(&g, 5, 0x2400);
	rig_none(&g, 2, FORMAT(0, 0));
	rig_sense(&g, 5, 0x2000);
	rig_out(&g, 0, FORMAT(0x90, 0), none, 4); /* no protection information here */
	rig_sense(&g, 5, 0x2400);
	rig_out(&g, 0, FORMAT(0x10, 1), ((uint8_t[4]){ 0 }), 4);
	rig_good(&g); /* fast: nothing written */
	rig_told(&g, "holds 0 0 1000", "ok\n0-999 0xaa\n");
	rig_told(&g, "clip 0 600", "ok\n");
	rig_quiet(&g);
	rig_out(&g, 0, FORMAT(0x10, 0), list, 12); /* two defects more */
	rig_after_ms(&g, 1000);
	assert_int_equal(defects(&g), 5);
	rig_told(&g, "holds 0 0 1000", "ok\n0-599 0x00\n600-999 0xaa\n");
	rig_none(&g, 3, FORMAT(0, 0)); /* the protection goes, and may return */
	rig_in(&g, 3, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	assert_int_equal(b[12], 0);
	rig_none(&g, 3, FORMAT(0xc0, 0));
	rig_in(&g, 3, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	assert_int_equal(b[12], 3);
	rig_stop(&g);
}

static void select_length(struct rig *g, uint32_t bytes, uint32_t blocks)
{
	uint8_t list[16] = { [7] = 8 };

	be_put32(list + 8, blocks);
	be_put32(list + 12, bytes);
	rig_out(g, 0, RIG_CDB(0x55, 0x11, [8] = 16), list, 16);
}

static void capacity_is(struct rig *g, uint32_t last, uint32_t bytes)
{
	uint8_t b[8];

	rig_in(g, 0, RIG_CDB(0x25), b, 8);
	rig_good(g);
	assert_int_equal(be_get32(b), last);
	assert_int_equal(be_get32(b + 4), bytes);
}

static void other_length(void **state)
{
	START(FDISK "block=520");
	uint8_t b[20];

	select_length(&g, 514, 0);
	rig_sense(&g, 5, 0x2600);
	select_length(&g, 512, 0);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x5a, 0, 1, [8] = 16), b, 16);
	assert_int_equal(be_get32(b + 12), 512);
	capacity_is(&g, 999, 520); /* not before the format */
	format(&g, 0, 0x02);
	rig_after_ms(&g, 1000);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 6, 0x2a09);
	capacity_is(&g, 1000 * 520 / 512 - 1, 512);
	assert_int_equal(rig_byte(&g, 0, 1014), 0);
	select_length(&g, 4096, 100);
	format(&g, 0, 0);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 6, 0x2a09);
	capacity_is(&g, 99, 4096);
	select_length(&g, 4096, UINT32_MAX); /* needs no format */
	capacity_is(&g, 1000 * 520 / 4096 - 1, 4096);
	rig_stop(&g);
}

static void corrupt_format(void **state)
{
	START(FDISK "sanitize=block block_ms=0");
	uint8_t b[8];

	format(&g, 0, 0x02);
	rig_after_ms(&g, 600);
	rig_told(&g, "cycle 0", "ok\n");
	rig_quiet(&g);
	rig_none(&g, 0, TUR);
	rig_sense(&g, 3, 0x3101);
	ask_sense(&g, 3, 0x3101);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	rig_sense(&g, 3, 0x3101);
	block_erase(&g, 0x80);
	rig_sense(&g, 3, 0x3101);
	select_length(&g, 512, 0);
	rig_good(&g);
	rig_told(&g, "holds 0 0 1000", "ok\n0-598 0x00\n599-999 0xaa\n");
	rig_told(&g, "set 0 fail_at=10", "ok\n");
	format(&g, 0, 0);
	rig_sense(&g, 3, 0x3101);
	rig_told(&g, "set 0 fail_at=0 lie=1", "ok\n");
	format(&g, 0, 0x02);
	rig_after_ms(&g, 1000);
	rig_none(&g, 0, TUR);
	rig_good(&g);
	rig_told(&g, "holds 0 0 1000", "ok\n0-598 0x00\n599-999 0xaa\n");
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offered),
		cmocka_unit_test(running),
		cmocka_unit_test(units),
		cmocka_unit_test(waits),
		cmocka_unit_test(overwritten),
		cmocka_unit_test(scrambled),
		cmocka_unit_test(write_required),
		cmocka_unit_test(unrestricted),
		cmocka_unit_test(restricted),
		cmocka_unit_test(power_cut),
		cmocka_unit_test(liars),
		cmocka_unit_test(stuck),
		cmocka_unit_test(finished_from_outside),
		cmocka_unit_test(protected),
		cmocka_unit_test(formatted),
		cmocka_unit_test(format_limits),
		cmocka_unit_test(other_length),
		cmocka_unit_test(corrupt_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
