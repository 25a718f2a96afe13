/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capacity, of disks and bridges that answer READ CAPACITY(16) as they should not. */
#include <errno.h>

#include "device/capacity.h"
#include "scripted_disk.h"
#include "unit.h"

#define ABORT 5
#define ERROR 7

/* 130 PB of 512 bytes, as raspberrypi/linux#3388 */
#define HUGE_16  "00 00 e6 f5 0b 1c 00 00 00 00 02 00 00 00 00 00"
#define LARGE_16 "00 00 00 01 d1 c0 be af 00 00 02 00 00 00 00 00"

static struct dw_device device;
static struct scripted_disk disk;

static int capacity(const struct scripted_answer *a16, const char *a10)
{
	struct scripted_answer long_form = *a16;
	int r;

	disk = scripted_plain;
	long_form.cdb = "9e 10";
	scripted_set(&disk, &long_form);
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "25", .data = a10 });
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "88", .sense = "5/21/00" });
	scripted_device(&disk, "sas", &device);
	r = dw_device_probe_capacity(&dw_machine_self, &device);
	scripted_close(&device);
	return r;
}

/* Short, of blocks of 263520264 bytes, aborted, an error of the host, not known, too large. */
static const struct scripted_answer useless[] = {
	{ .data = "00 00 00 00 00 01 ff ff" },
	{ .data = "00 00 00 00 00 01 ff ff 0f b5 02 08 00 00 00 00" },
	{ .sense = "b/00/00" },
	{ .sense = "4/00/00" },
	{ .host = ERROR },
	{ .host = ABORT },
	{ .sense = "5/20/00" },
	{ .data = HUGE_16 },
};

static void short_form_holds(void **state)
{
	for (size_t i = 0; i < sizeof(useless) / sizeof(useless[0]); i++) {
		assert_int_equal(0, capacity(&useless[i], "00 01 ff ff 00 00 02 00"));
		assert_int_equal(0x20000, device.info.blocks);
		assert_int_equal(0x20000, device.caps.blocks);
		assert_int_equal(512, device.info.block_size);
	}
}

/* Nobody knows how many there are: too few would leave data. */
static void nobody_knows_how_many(void **state)
{
	for (size_t i = 0; i + 1 < sizeof(useless) / sizeof(useless[0]); i++)
		assert_int_equal(useless[i].host == ABORT ? -EMSGSIZE : -EFBIG,
				 capacity(&useless[i], "ff ff ff ff 00 00 02 00"));
}

static void large_disk(void **state)
{
	const struct scripted_answer a = { .data = LARGE_16 };

	assert_int_equal(0, capacity(&a, "ff ff ff ff 00 00 02 00"));
	assert_int_equal(0x1d1c0beb0, device.info.blocks);
	assert_int_equal(0, scripted_asked(&disk, "88"));
}

/* (10) tells a number modulo 2^32, or (16) makes one up: a block that only the larger has decides,
 * and if it says nothing of the range, the larger number holds. */
static void two_numbers(void **state)
{
	static const char *const ends[] = { NULL, "3/11/00", "b/00/00", "2/04/01" };
	const struct scripted_answer a = { .data = LARGE_16 };

	assert_int_equal(0, capacity(&a, "00 01 ff ff 00 00 02 00"));
	assert_int_equal(0x20000, device.info.blocks);
	for (size_t i = 0; i < 4; i++) {
		disk = scripted_plain;
		scripted_set(&disk, &(struct scripted_answer){ .cdb = "9e 10",
							       .data = LARGE_16 });
		scripted_set(&disk, &(struct scripted_answer){
					    .cdb = "88 00 00 00 00 01 d1 c0 be af",
					    .sense = ends[i] });
		scripted_device(&disk, "sas", &device);
		assert_int_equal(0, dw_device_probe_capacity(&dw_machine_self, &device));
		assert_int_equal(0x1d1c0beb0, device.info.blocks);
		assert_int_equal(1, scripted_asked(&disk, "88"));
		scripted_close(&device);
	}
}

/* A disk that everybody has is asked once. */
static void plain_disk(void **state)
{
	disk = scripted_plain;
	scripted_device(&disk, "sas", &device);
	assert_int_equal(0, dw_device_probe_capacity(&dw_machine_self, &device));
	assert_int_equal(1, disk.commands);
	assert_int_equal(0x20000, device.info.blocks);
	assert_int_equal(4096, device.info.physical_block_size);
	scripted_close(&device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_form_holds),
		cmocka_unit_test(nobody_knows_how_many),
		cmocka_unit_test(large_disk),
		cmocka_unit_test(two_numbers),
		cmocka_unit_test(plain_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
