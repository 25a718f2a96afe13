/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every command without any fault: data, residuals, and what is refused how. */
#include "config.h"
#include "rig.h"

#include <stdlib.h>

#include <linux/virtio_scsi.h>

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

static void inquiry(void **state)
{
	START("disk 0 vendor=ACME model=\"A DISK\" rev=7 pi=1");
	uint8_t b[255];

	rig_in(&g, 0, RIG_CDB(0x12, 0, 0, 0, 255, 0), b, sizeof(b));
	rig_good(&g);
	assert_int_equal(g.task.resid, 255 - 96);
	assert_int_equal(b[0], 0);
	assert_int_equal(b[5], 1);
	assert_memory_equal(b + 8, "ACME    A DISK          7   ", 28);
	rig_in(&g, 0, RIG_CDB(0x12, 0, 0, 0, 36, 0), b, sizeof(b));
	assert_int_equal(g.task.resid, 255 - 36);
	rig_in(&g, 0, RIG_CDB(0x12, 0, 0x80, 0, 36, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2400);
	assert_memory_equal(g.task.sense + 15, ((uint8_t[]){ 0xc0, 0, 2 }), 3);
	rig_stop(&g);
}

static void vital_pages(void **state)
{
	START("disk 0 serial=S1 wwn=0x5000000000000100 max_xfer=1024 opt_xfer=512 "
	      "ws_max=4096 wsnz=1 rpm=1 thin=1");
	uint8_t b[255];

	rig_in(&g, 0, RIG_CDB(0x12, 1, 0, 0, 255, 0), b, sizeof(b));
	assert_memory_equal(
		b, ((uint8_t[]){ 0, 0, 0, 7, 0, 0x80, 0x83, 0x86, 0xb0, 0xb1, 0xb2 }),
		11);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 255, 0), b, sizeof(b));
	assert_memory_equal(b, "\0\x80\0\2S1", 6);
	assert_int_equal(g.task.resid, 255 - 6);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x83, 0, 255, 0), b, sizeof(b));
	assert_memory_equal(b + 4, ((uint8_t[]){ 1, 3, 0, 8, 0x50, 0, 0, 0, 0, 0, 1, 0 }),
			    12);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xb0, 0, 255, 0), b, sizeof(b));
	assert_int_equal(be_get16(b + 2), 60);
	assert_int_equal(b[4], 1);
	assert_int_equal(be_get32(b + 8), 1024);
	assert_int_equal(be_get32(b + 12), 512);
	assert_int_equal(be_get64(b + 36), 4096);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xb1, 0, 255, 0), b, sizeof(b));
	assert_int_equal(be_get16(b + 4), 1);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xb2, 0, 255, 0), b, sizeof(b));
	assert_int_equal(b[5], 0xe4);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xc0, 0, 255, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2400);
	assert_int_equal(0, dw_config_set(&g.rack, 0, "nameless=1"));
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 255, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2400);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x83, 0, 255, 0), b, sizeof(b));
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

static void capacity(void **state)
{
	START("disk 0 blocks=4294967400 phys=3 pi=3",
	      "disk 1 blocks=1000 block=4096 thin=1");
	uint8_t b[32];

	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	assert_int_equal(be_get32(b), 0xffffffff);
	rig_in(&g, 0, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	rig_good(&g);
	assert_int_equal(be_get64(b), 4294967399u);
	assert_int_equal(be_get32(b + 8), 512);
	assert_int_equal(b[12], 2 << 1 | 1);
	assert_int_equal(b[13], 3);
	rig_in(&g, 1, RIG_CDB(0x25), b, 8);
	assert_int_equal(be_get32(b), 999);
	assert_int_equal(be_get32(b + 4), 4096);
	rig_in(&g, 1, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	assert_int_equal(b[14], 0xc0);
	rig_in(&g, 1, RIG_CDB(0x9e, 0x12, [13] = 32), b, 32);
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

static void all_lengths_of_read_and_write(void **state)
{
	START("disk 0 blocks=3000");
	uint8_t b[256 * 512];

	memset(b, 0x11, sizeof(b));
	rig_out(&g, 0, RIG_CDB(0x0a, 0, 0, 10, 0, 0), b, sizeof(b)); /* 0 is 256 */
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 10), 0x11);
	assert_int_equal(rig_byte(&g, 0, 265), 0x11);
	assert_int_equal(rig_byte(&g, 0, 266), 0);
	memset(b, 0x22, 1024);
	rig_out(&g, 0, RIG_CDB(0x2a, 0, 0, 0, 1, 0, 0, 0, 2, 0), b, 1024);
	assert_int_equal(rig_byte(&g, 0, 256), 0x22);
	assert_int_equal(rig_byte(&g, 0, 257), 0x22);
	rig_out(&g, 0, RIG_CDB(0x2a), b, 0); /* 0 is nothing here */
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 1, 0, 0, 0, 1, 0), b, 512);
	assert_int_equal(b[511], 0x22);
	rig_in(&g, 0, RIG_CDB(0x08, 0, 1, 0, 1, 0), b, 512);
	assert_int_equal(b[0], 0x22);
	rig_stop(&g);
}

/* 8 bits of an address in commands of one kind, and then of all */
static void addresses_cut_off(void **state)
{
	START("disk 0 blocks=1000 wce=0 lbabits=8 lbacut=write");
	uint8_t b[1024];

	memset(b, 0x11, sizeof(b));
	rig_out(&g, 0, RIG_CDB(0x2a, 0, 0, 0, 1, 255, 0, 0, 2, 0), b, 1024);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 255), 0x11);
	assert_int_equal(rig_byte(&g, 0, 256), 0x11); /* it goes on from there */
	assert_int_equal(rig_byte(&g, 0, 511), 0);
	memset(b, 0x22, 512);
	rig_out(&g, 0, RIG_CDB(0x41, 0, 0, 0, 2, 7, 0, 0, 1, 0), b, 512);
	assert_int_equal(rig_byte(&g, 0, 519), 0x22);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 2, 7, 0, 0, 1, 0), b, 512);
	assert_int_equal(b[0], 0x22);
	rig_out(&g, 0, RIG_CDB(0x2a, 0, 0, 0, 4, 0, 0, 0, 1, 0), b, 512);
	rig_sense(&g, 5, 0x2100); /* what it shows it knows */
	assert_int_equal(dw_config_set(&g.rack, 0, "lbacut=read,ws"), 0);
	rig_in(&g, 0, RIG_CDB(0x88, 0, [8] = 2, 7, [13] = 1), b, 512);
	assert_int_equal(b[0], 0);
	memset(b, 0x33, 512);
	rig_out(&g, 0, RIG_CDB(0x93, 0, [8] = 2, 7, [13] = 1), b, 512);
	assert_int_equal(rig_byte(&g, 0, 7), 0x33);
	assert_int_equal(dw_config_set(&g.rack, 0, "lbafrom=520"), 0);
	rig_in(&g, 0, RIG_CDB(0x88, 0, [8] = 2, 7, [13] = 1), b, 512);
	assert_int_equal(b[0], 0x22); /* 519 is below */
	rig_in(&g, 0, RIG_CDB(0x88, 0, [8] = 3, 7, [13] = 1), b, 512);
	assert_int_equal(b[0], 0x33);
	assert_int_equal(dw_config_set(&g.rack, 0, "lbabits=64"), 0);
	rig_in(&g, 0, RIG_CDB(0x88, 0, [8] = 2, 7, [13] = 1), b, 512);
	assert_int_equal(b[0], 0x22);
	rig_stop(&g);
}

static void range_and_residual(void **state)
{
	START("disk 0 blocks=100 max_xfer=50");
	uint8_t b[4096] = { 0 };

	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 99, 0, 0, 2, 0), b, 1024);
	rig_sense(&g, 5, 0x2100);
	assert_int_equal(g.task.resid, 1024);
	rig_none(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 100, 0, 0, 0, 0));
	rig_sense(&g, 5, 0x2100);
	rig_in(&g, 0,
	       RIG_CDB(0x88, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0,
		       1),
	       b, 512);
	rig_sense(&g, 5, 0x2100);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 99, 0, 0, 1, 0), b, 4096);
	rig_good(&g);
	assert_int_equal(g.task.resid, 4096 - 512);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 0, 0, 0, 2, 0), b, 512);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_OVERRUN);
	memset(b, 0xee, sizeof(b));
	rig_out(&g, 0, RIG_CDB(0x2a, 0, 0, 0, 0, 0, 0, 0, 2, 0), b, 512);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_OVERRUN);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_out(&g, 0, RIG_CDB(0x2a, 0, 0, 0, 0, 0, 0, 0, 1, 0), b, 1024);
	rig_good(&g);
	assert_int_equal(g.task.resid, 512);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 0, 0, 0, 51, 0), b, 51 * 512);
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

static void flags_that_are_refused(void **state)
{
	START("disk 0 dpofua=0", "disk 1 pi=2", "disk 2 wp=1");
	uint8_t b[512] = { 0 };

	rig_out(&g, 0, RIG_CDB(0x2a, 0x08, [8] = 1), b, 512);
	rig_sense(&g, 5, 0x2400);
	rig_out(&g, 0, RIG_CDB(0x2a, 0x20, [8] = 1), b, 512);
	rig_sense(&g, 5, 0x2400);
	rig_out(&g, 1, RIG_CDB(0x2a, 0x20, [8] = 1), b, 512);
	rig_sense(&g, 5, 0x2000);
	rig_out(&g, 1, RIG_CDB(0x2a, 0, [8] = 1), b, 512);
	rig_good(&g);
	rig_out(&g, 2, RIG_CDB(0x2a, 0, [8] = 1), b, 512);
	rig_sense(&g, 7, 0x2700);
	rig_out(&g, 2, RIG_CDB(0x93, 1, [13] = 1), b, 512);
	rig_sense(&g, 7, 0x2700);
	rig_in(&g, 2, RIG_CDB(0x1a, 0, 0x3f, 0, 255), b, 255);
	assert_int_equal(b[2] & 0x80, 0x80);
	rig_stop(&g);
}

static void write_same(void **state)
{
	START("disk 0 blocks=1000 ws_max=500", "disk 1 wsnz=1 ndob=0",
	      "disk 2 ws10=0 ws16=0", "disk 3 thin=1");
	uint8_t b[512];

	memset(b, 0x5a, 512);
	rig_out(&g, 0, RIG_CDB(0x93, 0, [9] = 10, [12] = 1, [13] = 0xf4), b, 512);
	rig_good(&g);
	assert_int_equal(g.task.resid, 0);
	assert_int_equal(rig_byte(&g, 0, 9), 0);
	assert_int_equal(rig_byte(&g, 0, 10), 0x5a);
	assert_int_equal(rig_byte(&g, 0, 509), 0x5a);
	assert_int_equal(rig_byte(&g, 0, 510), 0);
	rig_none(&g, 0, RIG_CDB(0x93, 1, [9] = 20, [13] = 5)); /* NDOB */
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 19), 0x5a);
	assert_int_equal(rig_byte(&g, 0, 20), 0);
	rig_out(&g, 0, RIG_CDB(0x93, 0, [12] = 1, [13] = 0xf5), b, 512);
	rig_sense(&g, 5, 0x2400); /* over the limit */
	rig_out(&g, 0, RIG_CDB(0x41, 0, [4] = 2, [5] = 0x58), b,
		512); /* 600 to the end */
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 599), 0);
	assert_int_equal(rig_byte(&g, 0, 999), 0x5a);
	rig_out(&g, 0, RIG_CDB(0x93, 0x08, [13] = 1), b, 512);
	rig_sense(&g, 5, 0x2400); /* UNMAP on a thick disk */
	rig_none(&g, 0, RIG_CDB(0x93, 0, [13] = 1));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_OVERRUN);
	rig_out(&g, 1, RIG_CDB(0x93, 0), b, 512);
	rig_sense(&g, 5, 0x2400);
	rig_none(&g, 1, RIG_CDB(0x93, 1, [13] = 1));
	rig_sense(&g, 5, 0x2400);
	rig_out(&g, 2, RIG_CDB(0x93, 0, [13] = 1), b, 512);
	rig_sense(&g, 5, 0x2000);
	rig_out(&g, 2, RIG_CDB(0x41, 0, [8] = 1), b, 512);
	rig_sense(&g, 5, 0x2000);
	rig_write(&g, 3, 7, 1, 0x77);
	rig_out(&g, 3, RIG_CDB(0x93, 0x08, [9] = 7, [13] = 1), b, 512);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 3, 7), 0);
	rig_stop(&g);
}

static void cache_is_volatile(void **state)
{
	START("disk 0 blocks=4096 fill=0xaa cache=64K", "disk 1 wce=0 fill=0xaa");

	rig_write(&g, 0, 0, 8, 0x01);
	assert_int_equal(rig_byte(&g, 0, 7), 0x01);
	assert_int_equal(rig_byte(&g, 0, 8), 0xaa);
	assert_int_equal(rig_medium(&g, 0, 7), 0xaa);
	rig_none(&g, 0, RIG_CDB(0x35, 0, [8] = 7)); /* all but the last */
	rig_good(&g);
	dw_rack_reset(&g.rack, g.rack.lu[0], true, ASC_POWER_ON);
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_sense(&g, 6, 0x2900);
	assert_int_equal(rig_byte(&g, 0, 6), 0x01);
	assert_int_equal(rig_byte(&g, 0, 7), 0xaa);
	rig_write(&g, 0, 0, 256, 0x02); /* more than the cache: half went out by itself */
	assert_int_equal(rig_medium(&g, 0, 0), 0x02);
	assert_int_equal(rig_medium(&g, 0, 255), 0xaa);
	rig_none(&g, 0, RIG_CDB(0x91));
	assert_int_equal(rig_medium(&g, 0, 255), 0x02);
	rig_write(&g, 1, 0, 1, 0x03);
	assert_int_equal(rig_medium(&g, 1, 0), 0x03);
	rig_stop(&g);
}

static void fua_goes_through(void **state)
{
	START("disk 0 fill=0xaa");
	uint8_t b[512];

	rig_write(&g, 0, 0, 4, 0x01);
	memset(b, 0x02, 512);
	rig_out(&g, 0, RIG_CDB(0x2a, 0x08, 0, 0, 0, 1, 0, 0, 1), b, 512);
	rig_good(&g);
	dw_rack_reset(&g.rack, g.rack.lu[0], true, 0);
	assert_int_equal(rig_byte(&g, 0, 0), 0xaa);
	assert_int_equal(rig_byte(&g, 0, 1), 0x02);
	assert_int_equal(rig_byte(&g, 0, 2), 0xaa);
	assert_int_equal(g.rack.lu[0]->bytes_lost, 3 * 512);
	rig_stop(&g);
}

/* at 512,000 bytes per second a block takes a millisecond, unless it is cached */
static void time_on_the_medium(void **state)
{
	struct rig g;
	uint8_t b[512] = { 0 };

	(void)state;
	rig_start(&g, (const char *const[]){ "disk 0 rate=512000 rpm=1", NULL });
	rig_quiet(&g);
	rig_out(&g, 0, RIG_CDB(0x2a, 0, [8] = 1), b, 512);
	assert_int_equal(g.now, RIG_T0);
	rig_out(&g, 0, RIG_CDB(0x2a, 0x08, [5] = 1, [8] = 1), b, 512);
	assert_int_equal(g.now, RIG_T0 + 2000000);
	rig_in(&g, 0, RIG_CDB(0x28, 0, [5] = 9, [8] = 1), b, 512);
	assert_int_equal(g.now, RIG_T0 + 3000000);
	rig_none(&g, 0, RIG_CDB(0x93, 1, [13] = 5));
	rig_none(&g, 0, RIG_CDB(0x35));
	assert_int_equal(g.now, RIG_T0 + 8000000);
	rig_stop(&g);
}

static void saved_modes_survive_a_reset(void **state)
{
	START("disk 0");
	uint8_t l[24] = { [4] = 0x08, [5] = 18 };

	rig_out(&g, 0, RIG_CDB(0x15, 0x10, 0, 0, 24), l, 24);
	rig_good(&g);
	assert_false(g.rack.lu[0]->mode.wce);
	dw_rack_reset(&g.rack, g.rack.lu[0], false, 0);
	assert_true(g.rack.lu[0]->mode.wce);
	rig_out(&g, 0, RIG_CDB(0x15, 0x11, 0, 0, 24), l, 24);
	dw_rack_reset(&g.rack, g.rack.lu[0], false, 0);
	assert_false(g.rack.lu[0]->mode.wce);
	rig_stop(&g);
}

static void mode_pages(void **state)
{
	START("disk 0 blocks=5000", "disk 1 same_as=0");
	uint8_t b[255] = { 0 }, l[24] = { 0 };

	rig_in(&g, 0, RIG_CDB(0x5a, 0x08, 0x08, 0, 0, 0, 0, 0, 255), b, 255);
	rig_good(&g);
	assert_int_equal(be_get16(b), 8 + 20 - 2);
	assert_int_equal(b[3], 0x10);
	assert_int_equal(b[8], 0x88);
	assert_int_equal(b[10], 0x04);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x48, 0, 255), b, 255); /* changeable */
	assert_int_equal(b[0], 4 + 8 + 20 - 1);
	assert_int_equal(be_get32(b + 4), 5000);
	assert_int_equal(be_get32(b + 8), 512);
	assert_int_equal(b[14], 0x04);
	rig_in(&g, 0, RIG_CDB(0x5a, 0x18, 0x3f, 0, 0, 0, 0, 0, 255), b, 255);
	assert_int_equal(be_get16(b + 6), 0);
	rig_in(&g, 0, RIG_CDB(0x5a, 0x10, 0x0a, 0, 0, 0, 0, 0, 255), b, 255);
	assert_int_equal(b[4], 1);
	assert_int_equal(be_get64(b + 8), 5000);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x02, 0, 255), b, 255);
	rig_sense(&g, 5, 0x2400);
	rig_write(&g, 0, 0, 1, 0x42);
	l[4] = 0x08;
	l[5] = 18;
	rig_out(&g, 0, RIG_CDB(0x15, 0x11, 0, 0, 24), l, 24);
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 0), 0x42); /* switching off flushes */
	rig_none(&g, 1, RIG_CDB(0x00));
	rig_sense(&g, 6, 0x2a01); /* the other port hears of it */
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	l[7] = 1;
	rig_out(&g, 0, RIG_CDB(0x15, 0x11, 0, 0, 24), l, 24);
	rig_sense(&g, 5, 0x2600);
	rig_out(&g, 0, RIG_CDB(0x15, 0x11, 0, 0, 20), l, 20);
	rig_sense(&g, 5, 0x1a00);
	rig_out(&g, 0, RIG_CDB(0x15, 0x01, 0, 0, 24), l, 24);
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

static void fewer_blocks_by_mode_select(void **state)
{
	START("disk 0 blocks=5000", "disk 1 same_as=0");
	uint8_t b[64], l[12] = { [3] = 8, [10] = 2 };

	rig_write(&g, 0, 4999, 1, 0x42);
	be_put32(l + 4, 4000);
	rig_out(&g, 0, RIG_CDB(0x15, 0x10, 0, 0, 12), l, 12);
	rig_good(&g);
	rig_none(&g, 1, RIG_CDB(0x00));
	rig_sense(&g, 6, 0x2a09);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	assert_int_equal(be_get32(b), 3999);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x08, 0, 64), b, 64);
	assert_int_equal(be_get32(b + 4), 4000);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x88, 0, 64), b, 64); /* default */
	assert_int_equal(be_get32(b + 4), 5000);
	be_put32(l + 4, 5001);
	rig_out(&g, 0, RIG_CDB(0x15, 0x10, 0, 0, 12), l, 12);
	rig_sense(&g, 5, 0x2600);
	be_put32(l + 4, 5000);
	rig_out(&g, 0, RIG_CDB(0x15, 0x10, 0, 0, 12), l, 12);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 4999), 0x42);
	rig_stop(&g);
}

static void descriptor_sense(void **state)
{
	START("disk 0 blocks=4294967400 dsense=1",
	      "fault disk=0 kind=medium op=read lba=4294967300");
	uint8_t b[512];

	rig_in(&g, 0, RIG_CDB(0x88, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1), b, 512);
	assert_int_equal(g.task.status, 2);
	assert_int_equal(g.task.sense_len, 20);
	assert_memory_equal(g.task.sense,
			    ((uint8_t[]){ 0x72, 3, 0x11, 0, 0, 0, 0, 12, 0, 10,
					  0x80, 0, 0,    0, 0, 1, 0, 0,  0, 4 }),
			    20);
	rig_stop(&g);
}

static void verify_compares(void **state)
{
	START("disk 0", "disk 1 bytchk=0");
	uint8_t b[1024];

	rig_write(&g, 0, 4, 2, 0x33);
	memset(b, 0x33, sizeof(b));
	rig_none(&g, 0, RIG_CDB(0x2f, 0, 0, 0, 0, 4, 0, 0, 2));
	rig_good(&g);
	rig_out(&g, 0, RIG_CDB(0x2f, 2, 0, 0, 0, 4, 0, 0, 2), b, 1024);
	rig_good(&g);
	b[700] = 0;
	rig_out(&g, 0, RIG_CDB(0x2f, 2, 0, 0, 0, 4, 0, 0, 2), b, 1024);
	rig_sense(&g, 0xe, 0x1d00);
	assert_int_equal(be_get32(g.task.sense + 3), 700);
	rig_out(&g, 0, RIG_CDB(0x8f, 6, [9] = 4, [13] = 2), b, 512);
	rig_good(&g);
	rig_out(&g, 0, RIG_CDB(0x8f, 6, [9] = 4, [13] = 3), b, 512);
	rig_sense(&g, 0xe, 0x1d00);
	rig_out(&g, 1, RIG_CDB(0x8f, 6, [13] = 2), b, 512);
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

static void unmap(void **state)
{
	START("disk 0 thin=1 blocks=100", "disk 1");
	uint8_t l[24] = { 0, 22, 0, 16 };

	rig_write(&g, 0, 0, 10, 0x99);
	l[15] = 2;
	l[19] = 3;
	rig_out(&g, 0, RIG_CDB(0x42, 0, [8] = 24), l, 24);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 1), 0x99);
	assert_int_equal(rig_byte(&g, 0, 2), 0);
	assert_int_equal(rig_byte(&g, 0, 4), 0);
	assert_int_equal(rig_byte(&g, 0, 5), 0x99);
	l[15] = 99;
	rig_out(&g, 0, RIG_CDB(0x42, 0, [8] = 24), l, 24);
	rig_sense(&g, 5, 0x2100);
	rig_out(&g, 1, RIG_CDB(0x42, 0, [8] = 24), l, 24);
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

static void supported_commands(void **state)
{
	START("disk 0 refuse=41,8f", "disk 1 rsoc=0");
	uint8_t b[4096];

	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 1, 0x93, 0, 0, 0, 0, 1, 0), b, 256);
	rig_good(&g);
	assert_int_equal(b[1], 3);
	assert_int_equal(be_get16(b + 2), 16);
	assert_int_equal(b[5] & 0x19, 0x01); /* NDOB, no UNMAP */
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 1, 0x41, 0, 0, 0, 0, 1, 0), b, 256);
	assert_int_equal(b[1], 1);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 2, 0x9e, 0, 0x10, 0, 0, 1, 0), b, 256);
	assert_int_equal(b[1], 3);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 1, 0x9e, 0, 0, 0, 0, 1, 0), b, 256);
	rig_sense(&g, 5, 0x2400);
	rig_in(&g, 0, RIG_CDB(0xa3, 0x0c, 0, 0, 0, 0, 0, 0, 0x10, 0), b, 4096);
	rig_good(&g);
	assert_int_equal(be_get32(b) % 8, 0);
	assert_int_equal(g.task.resid, 4096 - 4 - be_get32(b));
	rig_none(&g, 0, RIG_CDB(0x8f));
	rig_sense(&g, 5, 0x2000);
	rig_in(&g, 1, RIG_CDB(0xa3, 0x0c, [9] = 8), b, 8);
	rig_sense(&g, 5, 0x2000);
	rig_none(&g, 0, RIG_CDB(0xff));
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

static void lun_and_target(void **state)
{
	START("disk 2");
	struct iovec v;
	uint8_t b[96];

	rig_none(&g, 0, RIG_CDB(0));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	rig_none(&g, 200, RIG_CDB(0));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	rig_in(&g, 2, RIG_CDB(0xa0, [9] = 16), b, 16);
	rig_good(&g);
	assert_int_equal(be_get32(b), 8);
	v = (struct iovec){ b, 96 };
	memset(&g.task, 0, sizeof(g.task));
	rig_send(&g, &g.task, 2, RIG_CDB(0x12, 0, 0, 0, 96), NULL, &v);
	assert_int_equal(b[0], 0);
	g.task.lun[3] = 1;
	g.task.in = (struct dw_iov){ .v = &v, .n = 1 };
	dw_rack_submit(&g.rack, &g.task, g.now);
	assert_int_equal(b[0], 0x7f);
	g.task.cdb[0] = 0;
	dw_rack_submit(&g.rack, &g.task, g.now);
	rig_sense(&g, 5, 0x2500);
	rig_stop(&g);
}

static void readiness(void **state)
{
	START("enclosure fast=1", "disk 0 ready_ms=500", "disk 1 stopped=1", "disk 2");
	uint8_t b[512];

	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 2, 0x0401);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	rig_sense(&g, 2, 0x0401);
	g.now += 500000000;
	rig_none(&g, 0, RIG_CDB(0));
	rig_good(&g);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 2, 0x0402);
	rig_none(&g, 1, RIG_CDB(0x1b, 0, 0, 0, 1));
	rig_none(&g, 1, RIG_CDB(0));
	rig_good(&g);
	rig_write(&g, 2, 0, 1, 9);
	rig_none(&g, 2, RIG_CDB(0x1b, 0, 0, 0, 0));
	rig_none(&g, 2, RIG_CDB(0));
	rig_sense(&g, 2, 0x0402);
	assert_int_equal(rig_medium(&g, 2, 0), 9);
	rig_stop(&g);
}

static void power_on_attention(void **state)
{
	struct rig g;
	uint8_t b[96];

	(void)state;
	rig_start(&g, (const char *const[]){ "enclosure fast=1", "disk 0",
					     "disk 1 ptype=0x0d", NULL });
	rig_in(&g, 0, RIG_CDB(0x12, [4] = 96), b, 96);
	rig_good(&g);
	rig_none(&g, 0, RIG_CDB(0xff));
	rig_sense(&g, 6, 0x2900);
	rig_none(&g, 0, RIG_CDB(0));
	rig_good(&g);
	rig_in(&g, 1, RIG_CDB(0x03, [4] = 18), b, 18);
	assert_int_equal(b[2], 6);
	rig_in(&g, 1, RIG_CDB(0x12, [4] = 96), b, 96);
	assert_int_equal(b[0], 0x0d);
	rig_in(&g, 1, RIG_CDB(0x28, [8] = 1), b, 96);
	rig_sense(&g, 5, 0x2000);
	rig_stop(&g);
}

static void odd_blocks_and_huge_disks(void **state)
{
	START("disk 0 block=520 blocks=1000", "disk 1 blocks=6442450944");
	uint8_t b[1040];

	memset(b, 0x61, sizeof(b));
	rig_out(&g, 0, RIG_CDB(0x2a, 0x08, 0, 0, 0, 3, 0, 0, 2), b, 1040);
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 4), 0x61);
	assert_int_equal(rig_byte(&g, 0, 5), 0);
	rig_write(&g, 1, 4294967294u, 4, 0x62);
	rig_write(&g, 1, 6442450943u, 1, 0x63);
	rig_none(&g, 1, RIG_CDB(0x91));
	assert_int_equal(rig_medium(&g, 1, 4294967297u), 0x62);
	assert_int_equal(rig_medium(&g, 1, 6442450943u), 0x63);
	assert_int_equal(rig_byte(&g, 1, 4294967293u), 0);
	rig_none(&g, 1, RIG_CDB(0x93, 1, [5] = 0, [9] = 0, [10] = 0xff));
	rig_sense(&g, 5, 0x2400);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inquiry),
		cmocka_unit_test(vital_pages),
		cmocka_unit_test(capacity),
		cmocka_unit_test(all_lengths_of_read_and_write),
		cmocka_unit_test(addresses_cut_off),
		cmocka_unit_test(range_and_residual),
		cmocka_unit_test(flags_that_are_refused),
		cmocka_unit_test(write_same),
		cmocka_unit_test(cache_is_volatile),
		cmocka_unit_test(fua_goes_through),
		cmocka_unit_test(time_on_the_medium),
		cmocka_unit_test(saved_modes_survive_a_reset),
		cmocka_unit_test(mode_pages),
		cmocka_unit_test(fewer_blocks_by_mode_select),
		cmocka_unit_test(descriptor_sense),
		cmocka_unit_test(verify_compares),
		cmocka_unit_test(unmap),
		cmocka_unit_test(supported_commands),
		cmocka_unit_test(lun_and_target),
		cmocka_unit_test(readiness),
		cmocka_unit_test(power_on_attention),
		cmocka_unit_test(odd_blocks_and_huge_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
