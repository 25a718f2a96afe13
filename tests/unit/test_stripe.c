/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stripe sets on a machine made of files: md's folders, and the words of device-mapper. */
#include <sys/sysmacros.h>

#include "judge/stripe.h"
#include "machine.h"
#include "unit.h"

/* Three block devices; md0 of the second and the first, data from sector 2048 and 0. */
static void make(struct machine *t, const char *level)
{
	machine_new(t);
	machine_block(t, "virtual/block/loop1", "7:1");
	machine_block(t, "virtual/block/loop2", "7:2");
	machine_block(t, "virtual/block/loop3", "7:3");
	machine_block(t, "virtual/block/md0", "9:0");
	machine_file(t, "sys/devices/virtual/block/md0/size", "4096\n");
	machine_file(t, "sys/devices/virtual/block/md0/md/level", level);
	machine_file(t, "sys/devices/virtual/block/md0/md/raid_disks", "2\n");
	machine_file(t, "sys/devices/virtual/block/md0/md/chunk_size", "65536\n");
	machine_file(t, "sys/devices/virtual/block/md0/md/dev-loop1/slot", "1\n");
	machine_file(t, "sys/devices/virtual/block/md0/md/dev-loop1/offset", "0\n");
	machine_link(t, "sys/devices/virtual/block/md0/md/dev-loop1/block",
		     "../../../loop1");
	machine_file(t, "sys/devices/virtual/block/md0/md/dev-loop2/slot", "0\n");
	machine_file(t, "sys/devices/virtual/block/md0/md/dev-loop2/offset", "2048\n");
	machine_link(t, "sys/devices/virtual/block/md0/md/dev-loop2/block",
		     "../../../loop2");
	machine_file(t, "sys/devices/virtual/block/md0/md/dev-loop3/slot", "none\n");
	machine_link(t, "sys/devices/virtual/block/md0/md/dev-loop3/block",
		     "../../../loop3");
}

static void md(void **state)
{
	struct dw_stripe *s = NULL;
	struct machine t;

	make(&t, "raid0\n");
	assert_int_equal(0, dw_stripe_read(&t.m, makedev(9, 0), &s));
	assert_int_equal(2, s->n);
	assert_string_equal("/dev/loop2", s->member[0].disk.block);
	assert_int_equal(2048 * 512, s->member[0].start_bytes);
	assert_string_equal("/dev/loop1", s->member[1].disk.block);
	assert_int_equal(65536, s->chunk_bytes);
	assert_int_equal(4096 * 512, s->bytes);
	assert_string_equal("mdadm --stop /dev/md0", s->release);
	dw_stripe_free(s);
	machine_free(&t);
}

static void no_sets(void **state)
{
	struct dw_stripe *s = NULL;
	struct machine t;

	make(&t, "raid1\n");
	assert_int_equal(1, dw_stripe_read(&t.m, makedev(9, 0), &s));
	assert_int_equal(1, dw_stripe_read(&t.m, makedev(7, 1), &s));
	assert_true(dw_stripe_read(&t.m, makedev(7, 9), &s) < 0);
	assert_null(s);
	machine_free(&t);
}

static void targets(void **state)
{
	static const char *const wrong[] = {
		"",
		"0 128",
		"2 0 7:1 0 7:2 0",
		"2 128 7:1 0",
		"2 128 7:1 0 7;2 0",
		"2 128 7:1 0 7:2",
		"9999999999 1",
		"2 99999999 7:1 0 7:2",
		"x 128 7:1 0",
	};
	struct dw_stripe s = { 0 };
	struct machine t;

	make(&t, "raid0\n");
	assert_int_equal(0, dw_stripe_parse_target(&t.m, "2 128 7:3 0 7:1 2048", &s));
	/* another segment of the same volume */
	assert_int_equal(0, dw_stripe_parse_target(&t.m, "2 128 7:3 9000 7:1 9000", &s));
	assert_int_equal(2, s.n);
	assert_string_equal("/dev/loop3", s.member[0].disk.block);
	assert_int_equal(2048 * 512, s.member[1].start_bytes);
	assert_int_equal(65536, s.chunk_bytes);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(-EINVAL, dw_stripe_parse_target(&t.m, wrong[i], &s));
	assert_int_equal(-ENODEV, dw_stripe_parse_target(&t.m, "1 8 250:9 0", &s));
	free(s.member);
	machine_free(&t);
}

static void advice(void **state)
{
	struct dw_stripe_member member[6] = { 0 };
	struct dw_stripe s = { .chunk_bytes = 512 << 10, .member = member, .n = 6 };
	struct dw_stripe_advice a;

	for (int i = 0; i < 6; i++)
		member[i].disk.physical_block_size = 4096;
	dw_stripe_advise(&s, 250e6, 1100e6, &a);
	assert_true(a.want == 1500e6 && a.aggregate == 1100e6 && a.speedup == 4.4);
	assert_true(a.full_at == 4.4 && a.run == 5 && a.whole_bytes == 3 << 20);
	assert_true(a.balance == 2.0 / 6 && a.depth == 24 && a.depth_90 == 45);
	assert_int_equal(6, a.misaligned);
	dw_stripe_advise(&s, 250e6, 1250e6, &a);
	assert_int_equal(5, a.run);
	dw_stripe_advise(&s, 250e6, 0, &a);
	assert_true(a.aggregate == 1500e6 && a.run == 6 && a.full_at == 0);
	member[3].start_bytes = 2560;
	dw_stripe_advise(&s, 0, 0, &a);
	assert_int_equal(3, a.misaligned);
	assert_true(a.want == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(md),
		cmocka_unit_test(no_sets),
		cmocka_unit_test(targets),
		cmocka_unit_test(advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
