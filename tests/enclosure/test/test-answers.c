/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers as bytes in the disk's place, and logical units that share a device. */
#include "../answer.h"
#include "../ctl.h"
#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/virtio_scsi.h>

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

static void bytes_are_read(void **state)
{
	static const char *const wrong[] = { "0",    "0g",   "12*",     "*3",
					     "'abc", "00*0", "00*99999" };
	uint8_t *b;
	size_t n, i;

	(void)state;
	assert_true(dw_bytes_parse("0080 00 08 'SER  AL' ff*3", &b, &n));
	assert_int_equal(n, 14);
	assert_memory_equal(b, "\x00\x80\x00\x08SER  AL\xff\xff\xff", 14);
	free(b);
	assert_true(dw_bytes_parse("", &b, &n));
	assert_int_equal(n, 0);
	free(b);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(dw_bytes_parse(wrong[i], &b, &n));
}

static void lines_that_are_wrong(void **state)
{
	static const char *const wrong[] = {
		"answer data=00", /* to what? */
		"answer op=0x12 data=0",
		"answer op=0x12 nonsense=1",
		"answer op=0x12 len=5",
		"answer op=0x12 patch=5",
		"answer op=0x12 patch=0:0102/ff",
		"answer cdb=1 data=00",
		"answer op=0x12 raw=\"00*33\"",
		"answer op=0x12 vpd=300",
		"fault kind=check op=0x12 data=00",
	};
	struct dw_rack r;
	size_t i;

	(void)state;
	dw_rack_init(&r);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(dw_config_line(&r, wrong[i]), -EINVAL);
	dw_faults_deinit(&r.faults);
}

static void a_page_of_bytes(void **state)
{
	START("disk 0-1", "answer disk=0 vpd=0x80 data=\"00 80 00 1c '001518EG8DJX' 20*8 "
			  "'PEGG8DJX'\"");
	uint8_t b[64] = { 0 };

	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 64), b, sizeof(b));
	rig_good(&g);
	assert_int_equal(g.task.resid, 32);
	assert_memory_equal(b,
			    "\0\x80\0\x1c"
			    "001518EG8DJX        PEGG8DJX",
			    32);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x83, 0, 64), b, sizeof(b));
	assert_int_equal(b[1], 0x83);
	rig_in(&g, 1, RIG_CDB(0x12, 1, 0x80, 0, 64), b, sizeof(b));
	assert_int_not_equal(b[3], 0x1c);
	rig_stop(&g);
}

/* what the shelf knows nothing of, a service action, a length, and less than was asked for */
static void other_commands(void **state)
{
	START("disk 0", "answer disk=0 op=0xc1 data=0102 len=5",
	      "answer disk=0 op=0x9e sa=0x10 data=\"00*7 40 00 00 02 00\" len=32 bytes=8",
	      "answer disk=0 cdb=\"1a .. 3f\" sense=5/24/00",
	      "answer disk=0 cdb=\"5a .. 08\" raw=\"72 05 20 00 00 00 00 1c\"",
	      "answer disk=0 op=sync",
	      "answer disk=0 op=0x00 response=transport_failure");
	uint8_t b[32];

	memset(b, 0xee, sizeof(b));
	rig_in(&g, 0, RIG_CDB(0xc1), b, 8);
	rig_good(&g);
	assert_memory_equal(b, "\x01\x02\0\0\0\xee", 6);
	assert_int_equal(g.task.resid, 3);
	rig_in(&g, 0, RIG_CDB(0x9e, 0x10, [13] = 32), b, 32);
	rig_good(&g);
	assert_int_equal(g.task.resid, 24);
	assert_int_equal(be_get64(b), 0x40);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x3f, 0, 32), b, 32);
	rig_sense(&g, 5, 0x2400);
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x08, 0, 32), b, 32);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x5a, 0, 0x08, [8] = 32), b, 32);
	assert_int_equal(g.task.status, 0x02);
	assert_int_equal(g.task.sense_len, 8);
	assert_int_equal(g.task.sense[7], 0x1c);
	rig_write(&g, 0, 5, 1, 0x77);
	rig_none(&g, 0, RIG_CDB(0x35)); /* says good, does nothing */
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 5), 0);
	rig_none(&g, 0, RIG_CDB(0x00));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_TRANSPORT_FAILURE);
	rig_stop(&g);
}

static void some_bytes_are_changed(void **state)
{
	START("disk 0 model=ABC", "answer disk=0 op=0x1a patch=2:80/80 times=1",
	      "answer disk=0 cdb=\"12 00\" patch=16:'XY' patch=99:01",
	      "answer disk=0 vpd=0xb0 bytes=4");
	uint8_t b[128];

	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x08, 0, 64), b, 64);
	assert_int_equal(b[2] & 0x90, 0x90); /* DPOFUA stays */
	rig_in(&g, 0, RIG_CDB(0x1a, 0, 0x08, 0, 64), b, 64);
	assert_int_equal(b[2] & 0x80, 0);
	rig_in(&g, 0, RIG_CDB(0x12, [4] = 128), b, 128);
	assert_memory_equal(b + 16, "XYC ", 4);
	assert_int_equal(g.task.resid, 28);
	assert_int_equal(b[98], 0);
	assert_int_equal(b[99], 1);
	rig_in(&g, 0, RIG_CDB(0x12, [4] = 17), b, 128);
	assert_int_equal(g.task.resid, 111);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0xb0, 0, 64), b, 64);
	assert_int_equal(g.task.resid, 60);
	rig_stop(&g);
}

static void when_and_how_often(void **state)
{
	START("disk 0", "answer disk=0 op=read lba=100-199 every=2 sense=3/11/00",
	      "answer disk=0 op=0x00 after=10 times=2 sense=2/04/01 ms=500",
	      "answer disk=0 op=write done=1 sense=b/00/00",
	      "fault op=0x2f,0x8f kind=tsf");
	uint8_t b[512];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		rig_in(&g, 0, RIG_CDB(0x28, [5] = 150, [8] = 1), b, 512);
		assert_int_equal(g.task.status, i % 2 ? 0x02 : 0);
		rig_in(&g, 0, RIG_CDB(0x28, [5] = 50, [8] = 1), b, 512);
		rig_good(&g);
	}
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	rig_after_ms(&g, 10000);
	dw_port_ua(&g.rack.port[0], 0x2900);
	rig_none(&g, 0, RIG_CDB(0x00)); /* an attention comes first, and is not counted */
	rig_sense(&g, 6, 0x2900);
	for (i = 0; i < 2; i++) {
		uint64_t before = g.now;

		rig_none(&g, 0, RIG_CDB(0x00));
		rig_sense(&g, 2, 0x0401);
		assert_true(g.now >= before + 500000000);
	}
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	rig_write(&g, 0, 3, 1, 0x44);
	rig_sense(&g, 0xb, 0);
	assert_int_equal(rig_byte(&g, 0, 3), 0x44);
	rig_none(&g, 0, RIG_CDB(0x2f));
	assert_int_equal(g.task.status, 0x28);
	rig_none(&g, 0, RIG_CDB(0x8f));
	assert_int_equal(g.task.status, 0x28);
	rig_stop(&g);
}

static void one_logical_unit_alone(void **state)
{
	START("disk 0", "disk 1 lun_of=0", "answer disk=1 cdb=\"12 00\" data=\"00*5\"",
	      "answer disk=1 op=any sense=5/25/00");
	uint8_t b[96];

	rig_in(&g, 0, RIG_CDB(0x12, [4] = 96), b, 96);
	assert_int_equal(g.task.resid, 0);
	rig_lun(&g, 1, RIG_CDB(0x12, [4] = 96), b, 96);
	rig_good(&g);
	assert_int_equal(g.task.resid, 91);
	rig_lun(&g, 1, RIG_CDB(0x28, [8] = 1), b, 96);
	rig_sense(&g, 5, 0x2500);
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	rig_stop(&g);
}

static void control_adds_and_takes_away(void **state)
{
	START("disk 0");

	rig_told(&g, "answer disk=0 op=0x00 sense=2/04/01", "ok\n");
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_sense(&g, 2, 0x0401);
	rig_told(&g, "clear 0", "ok\n");
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_good(&g);
	rig_stop(&g);
}

static void while_it_works(void **state)
{
	START("disk 0 sanitize=block block_ms=1000",
	      "answer disk=0 op=read working=1 sense=2/04/00");
	uint8_t b[512];

	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_none(&g, 0, RIG_CDB(0x48, 0x82));
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	rig_sense(&g, 2, 0x0400);
	rig_after_ms(&g, 1000);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_stop(&g);
}

static void lines_go_on(void **state)
{
	char path[] = "/tmp/dw-answers.XXXXXX";
	static const char text[] = "disk 0\nanswer disk=0 vpd=0x80 \\\n data=\"00 80 \\\n"
				   "00 01 41\"\n# end\n";
	struct rig g = { 0 };
	unsigned int line;
	uint8_t b[64];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	dw_rack_init(&g.rack);
	assert_int_equal(dw_config_file(&g.rack, path, &line), 0);
	unlink(path);
	g.now = RIG_T0;
	assert_int_equal(dw_rack_start(&g.rack, -1, g.now), 0);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 64), b, 64);
	assert_int_equal(g.task.resid, 59);
	assert_int_equal(b[4], 'A');
	rig_stop(&g);
}

static void inquiry_of_one_byte(void **state)
{
	START("disk 0 inq_bytes=1");
	uint8_t b[512];

	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 2, 0), b, 512);
	rig_good(&g);
	assert_int_equal(g.task.resid, 512);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 0xfc), b, 512);
	assert_true(g.task.resid < 512);
	rig_stop(&g);
}

static void libata_of_old(void **state)
{
	START("disk 0 ata=1 satl=libata-old word=59:b901 word=88:407f");
	uint8_t b[572], sum = 0;
	unsigned int i;

	rig_none(&g, 0, RIG_CDB(0x85, 0x07, 0x20, [14] = 0x27));
	assert_int_equal(g.task.sense_len, 18);
	assert_memory_equal(g.task.sense,
			    "\x70\0\x05\0\0\0\0\x0a\x04\x51\x40\x01\x21\x04", 14);
	rig_in(&g, 0, RIG_CDB(0x85, 0x08, 0x2e, [6] = 1, [14] = 0xec), b, 512);
	assert_int_equal(b[118] | b[119] << 8, 0xb901);
	for (i = 0; i < 512; i++)
		sum = (uint8_t)(sum + b[i]);
	assert_int_equal(sum, 0);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x89, 2, 0x3c), b, 572);
	assert_int_equal(b[60 + 176] | b[60 + 177] << 8, 0x407f);
	rig_stop(&g);
}

/* two actuators: each has its blocks, the rest is of the device */
static void units_that_share(void **state)
{
	START("disk 0 blocks=1000 stopped=0 max_depth=2",
	      "disk 1 blocks=1000 lun_of=0 shares=1 max_depth=2",
	      "disk 2 blocks=1000 lun_of=0", "fault disk=0 op=write lba=9 kind=medium");
	static const uint8_t off[24] = { 0, [4] = 0x08, 0x12 };
	uint8_t b[64];

	rig_write(&g, 0, 5, 1, 0x55);
	rig_write(&g, 0, 9, 1, 0x55);
	rig_sense(&g, 3, 0x0c00);
	rig_lun(&g, 1, RIG_CDB(0x4d, 0, 0x42, [8] = 64), b, 64);
	assert_int_equal(g.rack.lu[1]->device->write_errors, 1);
	assert_int_equal(g.rack.lu[2]->device->write_errors, 0);
	rig_lun(&g, 1, RIG_CDB(0x35), NULL, 0); /* flushes the sibling, too */
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 5), 0x55);
	rig_out(&g, 0, RIG_CDB(0x15, 0x10, [4] = 24), off, sizeof(off));
	rig_good(&g);
	rig_lun(&g, 1, RIG_CDB(0x00), NULL, 0);
	rig_sense(&g, 6, 0x2a01);
	rig_lun(&g, 1, RIG_CDB(0x1a, 8, 0x08, 0, 64), b, 64);
	assert_int_equal(b[6] & 0x04, 0);
	rig_lun(&g, 2, RIG_CDB(0x1a, 8, 0x08, 0, 64), b, 64);
	assert_int_equal(b[6] & 0x04, 0x04);
	rig_lun(&g, 1, RIG_CDB(0x1b), NULL, 0);
	rig_none(&g, 0, RIG_CDB(0x00));
	rig_sense(&g, 2, 0x0402);
	rig_lun(&g, 2, RIG_CDB(0x00), NULL, 0);
	rig_good(&g);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_read),
		cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(a_page_of_bytes),
		cmocka_unit_test(other_commands),
		cmocka_unit_test(some_bytes_are_changed),
		cmocka_unit_test(when_and_how_often),
		cmocka_unit_test(one_logical_unit_alone),
		cmocka_unit_test(control_adds_and_takes_away),
		cmocka_unit_test(while_it_works),
		cmocka_unit_test(lines_go_on),
		cmocka_unit_test(inquiry_of_one_byte),
		cmocka_unit_test(libata_of_old),
		cmocka_unit_test(units_that_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
