/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every kind of fault, and what it leaves on the medium. */
#include "../ctl.h"
#include "rig.h"

#include <stdlib.h>

#include <linux/virtio_scsi.h>

#define START(...)                                                                       \
	struct rig g;                                                                    \
	(void)state;                                                                     \
	rig_start(&g, (const char *const[]){ "enclosure fast=1", __VA_ARGS__, NULL });   \
	rig_quiet(&g)

static int ctl(struct rig *g, const char *line)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int e;

	assert_non_null(f);
	e = dw_ctl_exec(&g->rack, line, f);
	fclose(f);
	assert_int_equal(strncmp(text, "ok\n", 3) == 0, e == 0);
	free(text);
	return e;
}

static uint32_t info(const struct rig *g)
{
	assert_true(g->task.sense[0] & 0x80);
	return be_get32(g->task.sense + 3);
}

static void write_error_names_the_block(void **state)
{
	START("disk 0 wce=0 fill=0xaa", "fault disk=0 op=write lba=10-11 kind=medium");

	rig_write(&g, 0, 8, 8, 1);
	rig_sense(&g, 3, 0x0c00);
	assert_int_equal(info(&g), 10);
	assert_int_equal(rig_byte(&g, 0, 9), 1);
	assert_int_equal(rig_byte(&g, 0, 10), 0xaa);
	assert_int_equal(rig_byte(&g, 0, 12), 0xaa); /* nothing beyond the error */
	rig_write(&g, 0, 11, 1, 1);
	assert_int_equal(info(&g), 11);
	rig_write(&g, 0, 12, 4, 1);
	rig_good(&g);
	rig_stop(&g);
}

static void short_commands_do_not_count(void **state)
{
	START("disk 0", "fault disk=0 op=write min=4 nth=2 kind=check sense=b/00/00");

	rig_write(&g, 0, 0, 4, 1);
	rig_good(&g);
	rig_write(&g, 0, 4, 3, 1);
	rig_good(&g);
	rig_write(&g, 0, 8, 8, 1);
	rig_sense(&g, 0xb, 0);
	rig_stop(&g);
}

static void write_error_heals(void **state)
{
	START("disk 0", "fault disk=0 op=write lba=10-12 kind=medium heal=2");
	unsigned int i;

	for (i = 0; i < 2; i++) {
		rig_write(&g, 0, 11, 1, 1);
		rig_sense(&g, 3, 0x0c00);
	}
	rig_write(&g, 0, 11, 1, 1);
	rig_good(&g);
	rig_write(&g, 0, 10, 1, 1); /* its neighbours have their own count */
	rig_sense(&g, 3, 0x0c00);
	rig_write(&g, 0, 12, 1, 1);
	rig_sense(&g, 3, 0x0c00);
	rig_stop(&g);
}

static void read_error_heals_by_writing(void **state)
{
	START("disk 0", "fault disk=0 op=read,verify lba=100-107 kind=medium heal=1",
	      "fault disk=0 op=read lba=200 kind=medium info=0");
	uint8_t b[4096];

	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 98, 0, 0, 4), b, 2048);
	rig_sense(&g, 3, 0x1100);
	assert_int_equal(info(&g), 100);
	assert_int_equal(g.task.resid, 1024);
	rig_none(&g, 0, RIG_CDB(0x2f, 0, 0, 0, 0, 96, 0, 0, 8));
	assert_int_equal(info(&g), 100);
	rig_write(&g, 0, 96, 8, 5);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 103), 5);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 100, 0, 0, 8), b, 4096);
	assert_int_equal(info(&g), 104);
	rig_out(&g, 0, RIG_CDB(0x93, 1, [9] = 96, [13] = 16), NULL, 0);
	rig_good(&g);
	assert_int_equal(rig_byte(&g, 0, 107), 0);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 200, 0, 0, 1), b, 512);
	rig_sense(&g, 3, 0x1100);
	assert_int_equal(g.task.sense[0] & 0x80, 0);
	rig_stop(&g);
}

static void torn_and_dropped(void **state)
{
	START("disk 0 wce=0 fill=0xaa", "fault op=write lba=0 kind=torn blocks=2",
	      "fault op=write lba=10 kind=silent_torn blocks=1",
	      "fault op=write,ws lba=20 kind=drop", "fault op=sync kind=drop count=1");

	rig_write(&g, 0, 0, 4, 1);
	rig_sense(&g, 0xb, 0x0000);
	assert_int_equal(rig_medium(&g, 0, 1), 1);
	assert_int_equal(rig_medium(&g, 0, 2), 0xaa);
	rig_write(&g, 0, 10, 4, 1);
	rig_good(&g);
	assert_int_equal(g.task.resid, 0);
	assert_int_equal(rig_medium(&g, 0, 10), 1);
	assert_int_equal(rig_medium(&g, 0, 11), 0xaa);
	rig_write(&g, 0, 20, 1, 1);
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 20), 0xaa);
	rig_none(&g, 0, RIG_CDB(0x93, 1, [9] = 20, [13] = 1));
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 20), 0xaa);
	assert_int_equal(ctl(&g, "set 0 wce=1"), 0);
	rig_write(&g, 0, 30, 1, 1);
	rig_none(&g, 0, RIG_CDB(0x35));
	rig_good(&g);
	assert_int_equal(rig_medium(&g, 0, 30), 0xaa);
	rig_none(&g, 0, RIG_CDB(0x35));
	assert_int_equal(rig_medium(&g, 0, 30), 1);
	rig_stop(&g);
}

static void one_flipped_bit(void **state)
{
	START("disk 0 wce=0", "fault op=write nth=2 kind=corrupt");
	uint8_t b[8192];
	unsigned int i, bits = 0;

	rig_write(&g, 0, 0, 16, 0xff);
	rig_write(&g, 0, 0, 16, 0);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 16), b, sizeof(b));
	for (i = 0; i < sizeof(b); i++)
		bits += (unsigned int)__builtin_popcount(b[i]);
	assert_int_equal(bits, 1);
	rig_stop(&g);
}

static void wrong_once_and_then_right(void **state)
{
	START("disk 0 wce=0", "fault op=read nth=2 kind=corrupt");
	uint8_t b[8192];
	unsigned int i, k, bits;

	rig_write(&g, 0, 0, 16, 0);
	for (k = 1; k <= 3; k++) {
		rig_in(&g, 0, RIG_CDB(0x28, [8] = 16), b, sizeof(b));
		rig_good(&g);
		for (i = 0, bits = 0; i < sizeof(b); i++)
			bits += (unsigned int)__builtin_popcount(b[i]);
		assert_int_equal(bits, k == 2);
	}
	rig_stop(&g);
}

static void short_without_a_word(void **state)
{
	START("disk 0 wce=0", "fault op=read nth=1 kind=short blocks=3 quiet=1");
	uint8_t b[4096];

	rig_write(&g, 0, 0, 8, 1);
	memset(b, 0xee, sizeof(b));
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 8), b, sizeof(b));
	rig_good(&g);
	assert_int_equal(g.task.resid, 0);
	assert_int_equal(b[2559], 1);
	assert_int_equal(b[2560], 0xee);
	assert_int_equal(b[4095], 0xee);
	rig_stop(&g);
}

static void statuses(void **state)
{
	START("disk 0 max_depth=2", "fault nth=1 op=write kind=tsf",
	      "fault nth=2 op=write kind=busy",
	      "fault nth=3 op=write kind=status code=0x40",
	      "fault nth=4 op=write kind=check sense=4/44/00",
	      "fault nth=5 op=write kind=check sense=1/17/01 done=1",
	      "fault nth=6 op=write kind=ua sense=3f/03",
	      "fault nth=7 op=write kind=response response=transport_failure",
	      "fault nth=8 op=write kind=short blocks=3");
	static const uint8_t want[] = { 0x28, 0x08, 0x40 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		rig_write(&g, 0, 0, 4, 1);
		assert_int_equal(g.task.status, want[i]);
		assert_int_equal(g.task.sense_len, 0);
	}
	rig_write(&g, 0, 0, 4, 1);
	rig_sense(&g, 4, 0x4400);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_write(&g, 0, 0, 4, 1);
	rig_sense(&g, 1, 0x1701);
	assert_int_equal(rig_byte(&g, 0, 0), 1);
	rig_write(&g, 0, 0, 4, 2);
	rig_sense(&g, 6, 0x3f03);
	assert_int_equal(rig_byte(&g, 0, 0), 1);
	rig_write(&g, 0, 0, 4, 3);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_TRANSPORT_FAILURE);
	rig_write(&g, 0, 0, 4, 4);
	assert_int_equal(g.task.status, 0);
	assert_int_equal(g.task.resid, 3 * 512);
	rig_stop(&g);
}

/* three commands held on the way: the queue of two is full */
static void queue_full(void **state)
{
	START("disk 0 max_depth=2", "fault op=read kind=slow ms=50");
	struct dw_task t[3];
	uint8_t b[3][512];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct iovec v = { b[i], 512 };

		rig_send(&g, &t[i], 0, RIG_CDB(0x28, [8] = 1), NULL, &v);
	}
	assert_int_equal(g.rack.port[0].stats.peak, 3);
	dw_rack_advance(&g.rack, g.now + 50000000);
	assert_int_equal(t[0].status, 0);
	assert_int_equal(t[1].status, 0);
	assert_int_equal(t[2].status, 0x28);
	rig_stop(&g);
}

static void stalls_and_aborts(void **state)
{
	START("disk 0", "fault op=write kind=stall seconds=2 count=1",
	      "fault op=read kind=stall seconds=900 count=1");
	struct dw_task t;
	uint8_t b[512];
	struct iovec v = { b, 512 };

	rig_write(&g, 0, 0, 1, 1);
	assert_int_equal(g.now, RIG_T0 + 2000000000u);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_ABORTED);
	assert_int_equal(g.rack.port[0].lu->bytes_written, 0);
	rig_send(&g, &t, 0, RIG_CDB(0x28, [8] = 1), NULL, &v);
	assert_false(g.done);
	assert_false(dw_rack_abort(&g.rack, 0, t.tag + 1, true));
	assert_true(dw_rack_abort(&g.rack, 0, t.tag, true));
	assert_true(g.done);
	assert_int_equal(t.response, VIRTIO_SCSI_S_ABORTED);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_stop(&g);
}

/* as the statistics say of the first disk */
static void assert_held(struct rig *g, unsigned int n)
{
	char *text = NULL, want[32];
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	dw_stats_print(&g->rack, f);
	fclose(f);
	snprintf(want, sizeof(want), "\"held\": %u, ", n);
	assert_ptr_equal(strstr(text, "\"held\""), strstr(text, want));
	assert_non_null(strstr(text, want));
	free(text);
	assert_int_equal(dw_held(&g->rack, &g->rack.port[0]), n);
}

static void holds_until_cleared(void **state)
{
	START("disk 0-1", "fault op=write kind=hold disk=0 count=1",
	      "fault op=write kind=stall disk=1 seconds=900");
	struct dw_task t, other;
	uint8_t b[512] = { 7 };
	struct iovec v = { b, 512 };

	rig_send(&g, &t, 0, RIG_CDB(0x2a, [8] = 1), &v, NULL);
	dw_rack_advance(&g.rack, g.now + UINT64_C(1000000) * 1000000000);
	assert_false(g.done);
	assert_int_equal(rig_byte(&g, 0, 0), 7); /* it has reached the disk */
	assert_held(&g, 1);
	rig_send(&g, &other, 1, RIG_CDB(0x2a, [8] = 1), &v, NULL);
	assert_int_equal(ctl(&g, "clear 1"), 0);
	assert_int_equal(dw_rack_next(&g.rack), g.rack.now_ns);
	dw_rack_advance(&g.rack, g.rack.now_ns);
	assert_true(g.done);
	assert_int_equal(other.response, VIRTIO_SCSI_S_ABORTED);
	assert_int_equal(g.rack.port[0].in_flight, 1);
	assert_int_equal(ctl(&g, "clear-all"), 0);
	dw_rack_advance(&g.rack, g.rack.now_ns);
	assert_int_equal(g.rack.port[0].in_flight, 0);
	assert_held(&g, 0);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.response, VIRTIO_SCSI_S_OK);
	rig_stop(&g);
}

static void reset_loses_the_cache(void **state)
{
	START("disk 0 fill=0xaa", "fault op=write nth=3 kind=reset");

	rig_write(&g, 0, 0, 1, 1);
	rig_none(&g, 0, RIG_CDB(0x35));
	rig_write(&g, 0, 1, 1, 1);
	rig_good(&g);
	rig_write(&g, 0, 2, 1, 1);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_RESET);
	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 6, 0x2900);
	assert_int_equal(rig_byte(&g, 0, 0), 1);
	assert_int_equal(rig_byte(&g, 0, 1), 0xaa);
	assert_int_equal(rig_byte(&g, 0, 2), 0xaa);
	rig_stop(&g);
}

static void gone_and_back(void **state)
{
	START("disk 0", "disk 1 present=0", "fault op=write nth=2 kind=gone");

	rig_write(&g, 0, 0, 1, 1);
	rig_write(&g, 0, 1, 1, 1);
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	assert_int_equal(g.notes, 1);
	assert_int_equal(g.note.event, DW_EVENT_REMOVED);
	rig_none(&g, 0, RIG_CDB(0));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	assert_int_equal(ctl(&g, "back 0"), 0);
	assert_int_equal(g.note.event, DW_EVENT_ARRIVED);
	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 6, 0x2900);
	assert_int_equal(rig_byte(&g, 0, 0), 0); /* its cache went with the power */
	rig_none(&g, 1, RIG_CDB(0));
	assert_int_equal(g.task.response, VIRTIO_SCSI_S_BAD_TARGET);
	assert_int_equal(ctl(&g, "back 1"), 0);
	assert_int_equal(g.notes, 3);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 6, 0x2900);
	assert_int_equal(ctl(&g, "gone 1 quiet"), 0);
	assert_int_equal(g.notes, 3);
	rig_stop(&g);
}

static void swapped_disks(void **state)
{
	START("disk 0 serial=AAAA", "disk 1 serial=BBBB",
	      "fault disk=0 op=write nth=2 kind=swap with=1 sense=3f/0e");
	uint8_t b[64];

	rig_write(&g, 0, 0, 1, 1);
	rig_write(&g, 0, 1, 1, 1);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x80, 0, 64), b, 64);
	assert_memory_equal(b + 4, "BBBB", 4);
	rig_write(&g, 0, 2, 1, 1);
	rig_sense(&g, 6, 0x3f0e);
	assert_int_equal(rig_byte(&g, 0, 0), 0);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 6, 0x3f0e);
	assert_int_equal(rig_byte(&g, 1, 1), 1);
	assert_int_equal(g.rack.lu[1]->bytes_written, 0);
	assert_int_equal(ctl(&g, "swap 0 1 quiet"), 0);
	assert_int_equal(rig_byte(&g, 0, 1), 1);
	rig_stop(&g);
}

static void capacity_changes(void **state)
{
	START("disk 0 blocks=1000", "fault op=write nth=1 kind=capacity to=500");
	uint8_t b[8];

	rig_write(&g, 0, 0, 1, 1);
	rig_good(&g);
	assert_int_equal(g.note.event, DW_EVENT_PARAM);
	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 6, 0x2a09);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	assert_int_equal(be_get32(b), 499);
	assert_int_equal(ctl(&g, "capacity 0 2000 quiet"), 0);
	rig_in(&g, 0, RIG_CDB(0x25), b, 8);
	assert_int_equal(be_get32(b), 1999);
	assert_int_equal(rig_byte(&g, 0, 1999), 0);
	rig_stop(&g);
}

static void two_ports_one_disk(void **state)
{
	START("disk 0 serial=TWIN", "disk 3 same_as=0");
	uint8_t a[128], b[128];

	rig_write(&g, 0, 5, 1, 7);
	assert_int_equal(rig_byte(&g, 3, 5), 7);
	rig_in(&g, 0, RIG_CDB(0x12, 1, 0x83, 0, 128), a, 128);
	rig_in(&g, 3, RIG_CDB(0x12, 1, 0x83, 0, 128), b, 128);
	assert_memory_equal(a, b, 4 + 12 + 12 + 4);
	assert_memory_not_equal(a, b, 4 + 12 + 12 + 4 + 12 + 8);
	rig_in(&g, 0, RIG_CDB(0x12, [4] = 96), a, 96);
	assert_int_equal(a[6] & 0x10, 0x10);
	assert_int_equal(ctl(&g, "gone 0"), 0); /* the other still has its cache */
	assert_int_equal(rig_byte(&g, 3, 5), 7);
	rig_stop(&g);
}

static void conditions(void **state)
{
	START("enclosure seed=5", "disk 0-1", "fault disk=1 op=0x28 every=3 kind=busy",
	      "fault disk=0 after=1 until=2 kind=busy",
	      "fault disk=0 op=verify permille=500 kind=busy");
	unsigned int i, hits = 0;
	uint8_t b[512];

	for (i = 1; i <= 9; i++) {
		rig_in(&g, 1, RIG_CDB(0x28, [8] = 1), b, 512);
		assert_int_equal(g.task.status, i % 3 ? 0 : 8);
	}
	rig_in(&g, 1, RIG_CDB(0x88, [13] = 1), b, 512);
	rig_good(&g);
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	rig_good(&g);
	g.now = RIG_T0 + 1500000000u;
	rig_in(&g, 0, RIG_CDB(0x28, [8] = 1), b, 512);
	assert_int_equal(g.task.status, 8);
	g.now = RIG_T0 + 2000000000u;
	for (i = 0; i < 1000; i++) {
		rig_none(&g, 0, RIG_CDB(0x2f, [8] = 1));
		hits += g.task.status == 8;
	}
	assert_in_range(hits, 400, 600);
	assert_int_equal(ctl(&g, "clear 0"), 0);
	rig_none(&g, 0, RIG_CDB(0x2f, [8] = 1));
	rig_good(&g);
	rig_stop(&g);
}

static void control_commands(void **state)
{
	START("disk 0", "disk 1");
	uint8_t b[512];

	assert_int_equal(ctl(&g, "ua 0 28/00"), 0);
	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 6, 0x2800);
	assert_int_equal(ctl(&g, "plant 0 10 2 lba"), 0);
	rig_in(&g, 0, RIG_CDB(0x28, 0, 0, 0, 0, 11, 0, 0, 1), b, 512);
	assert_int_equal(be_get64(b + 504), 11);
	assert_int_equal(ctl(&g, "set 0 wp=1 serial=NEW"), 0);
	rig_write(&g, 0, 0, 1, 1);
	rig_sense(&g, 7, 0x2700);
	assert_int_equal(ctl(&g, "fault disk=1 kind=busy op=any count=1"), 0);
	rig_none(&g, 1, RIG_CDB(0));
	assert_int_equal(g.task.status, 8);
	assert_int_equal(ctl(&g, "reserve 1 1"), 0);
	rig_write(&g, 1, 0, 1, 1);
	assert_int_equal(g.task.status, 0x18);
	assert_int_equal(ctl(&g, "reserve 1 0"), 0);
	rig_write(&g, 1, 0, 1, 1);
	rig_good(&g);
	assert_int_equal(ctl(&g, "stop 1"), 0);
	rig_none(&g, 1, RIG_CDB(0));
	rig_sense(&g, 2, 0x0402);
	assert_int_equal(ctl(&g, "reset-all keep"), 0);
	rig_none(&g, 0, RIG_CDB(0));
	rig_sense(&g, 6, 0x2900);
	assert_int_equal(ctl(&g, "stats"), 0);
	assert_int_not_equal(ctl(&g, "set 0 blocks=7"), 0);
	assert_int_not_equal(ctl(&g, "gone 9"), 0);
	assert_int_not_equal(ctl(&g, "gone"), 0);
	assert_int_not_equal(ctl(&g, "swap 0 x"), 0);
	assert_int_not_equal(ctl(&g, "fault kind=what"), 0);
	assert_int_not_equal(ctl(&g, "plant 0 0 99999999999 0x1"), 0);
	assert_int_not_equal(ctl(&g, "nonsense"), 0);
	rig_stop(&g);
}

static void bad_configuration(void **state)
{
	static const char *const bad[] = {
		"disk",
		"disk x",
		"disk 0-200",
		"disk 0 size",
		"disk 0 size=1x",
		"disk 0 wce=2",
		"disk 0 block=100",
		"disk 0 serial=123456789012345678901234567890123",
		"enclosure fast=3",
		"enclosure what=1",
		"what",
		"fault",
		"fault kind=medium",
		"fault kind=check sense=zz",
		"fault kind=busy op=nope",
		"disk 0 refuse=zz",
		"disk 5-4",
		"fault disk=1 count=3",
	};
	struct dw_rack r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		dw_rack_init(&r);
		assert_int_equal(dw_config_line(&r, bad[i]), -22);
		dw_rack_deinit(&r);
	}
	dw_rack_init(&r);
	assert_int_equal(dw_config_line(&r, "  # nothing"), 0);
	assert_int_equal(dw_config_line(&r, ""), 0);
	assert_int_equal(dw_config_line(&r, "disk 2 same_as=4"), 0);
	assert_int_equal(dw_rack_start(&r, -1, 0), -22);
	dw_rack_deinit(&r);
}

/* random commands at random disks with random faults: nothing is left over */
static void storm(void **state)
{
	START("enclosure seed=99", "disk 0-3 blocks=4096 ready_ms=1", "disk 4 same_as=1",
	      "fault op=write permille=100 kind=medium lba=100-200 heal=2",
	      "fault permille=50 kind=torn", "fault permille=20 kind=slow ms=3",
	      "fault permille=20 kind=stall seconds=0.01", "fault permille=10 kind=reset",
	      "fault permille=5 kind=swap with=2", "fault permille=30 op=any kind=check");
	uint8_t data[8192] = { 0 };
	uint64_t rng = 4;
	unsigned int i, k;

	for (i = 0; i < 20000; i++) {
		struct iovec v = { data, sizeof(data) };
		const struct dw_opcode *o = dw_opcode_at(dw_rng_next(&rng) % 45);
		uint8_t cdb[16];

		for (k = 0; k < 16; k++)
			cdb[k] = (uint8_t)dw_rng_next(&rng);
		if (o)
			cdb[0] = o->code;
		if (cdb[3] & 3) /* most of them in range */
			memset(cdb + 2, 0, 5);
		g.now += dw_rng_next(&rng) % 1000000;
		rig_send(&g, &g.task, dw_rng_next(&rng) % 6, cdb, cdb[1] & 1 ? &v : NULL,
			 cdb[1] & 1 ? NULL : &v);
		if (!g.done)
			dw_rack_advance(&g.rack, g.now += 20000000);
		assert_true(g.done);
		assert_in_range(g.task.resid, 0, sizeof(data));
	}
	assert_int_equal(g.rack.in_flight, 0);
	rig_stop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_error_names_the_block),
		cmocka_unit_test(short_commands_do_not_count),
		cmocka_unit_test(write_error_heals),
		cmocka_unit_test(read_error_heals_by_writing),
		cmocka_unit_test(torn_and_dropped),
		cmocka_unit_test(one_flipped_bit),
		cmocka_unit_test(wrong_once_and_then_right),
		cmocka_unit_test(short_without_a_word),
		cmocka_unit_test(statuses),
		cmocka_unit_test(queue_full),
		cmocka_unit_test(stalls_and_aborts),
		cmocka_unit_test(holds_until_cleared),
		cmocka_unit_test(reset_loses_the_cache),
		cmocka_unit_test(gone_and_back),
		cmocka_unit_test(swapped_disks),
		cmocka_unit_test(capacity_changes),
		cmocka_unit_test(two_ports_one_disk),
		cmocka_unit_test(conditions),
		cmocka_unit_test(control_commands),
		cmocka_unit_test(bad_configuration),
		cmocka_unit_test(storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
