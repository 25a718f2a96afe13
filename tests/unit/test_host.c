/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine is called, by its kernel and its firmware. */
#include "device/host.h"
#include "machine.h"
#include "unit.h"

#define DMI "sys/class/dmi/id/"

static void told_by_kernel_and_firmware(void **state)
{
	struct machine t;
	struct dw_host h;

	machine_new(&t);
	machine_file(&t, "proc/sys/kernel/hostname", "rack7\n");
	machine_file(&t, "proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
	machine_file(&t, DMI "product_serial", " CZ1234\x1bX \n");
	machine_file(&t, DMI "chassis_asset_tag", "A-0815\n");
	machine_file(&t, DMI "board_asset_tag", "B-1\n");
	dw_host_read(&t.m, &h);
	assert_string_equal(h.name, "rack7");
	assert_string_equal(h.kernel, "6.1.0-28-amd64");
	assert_string_equal(h.serial, "CZ1234?X");
	assert_string_equal(h.asset_tag, "A-0815");
	machine_free(&t);
}

static void the_board_has_a_tag(void **state)
{
	struct machine t;
	struct dw_host h;

	machine_new(&t);
	machine_file(&t, DMI "chassis_asset_tag", "\n");
	machine_file(&t, DMI "board_asset_tag", "B-1\n");
	dw_host_read(&t.m, &h);
	assert_string_equal(h.asset_tag, "B-1");
	assert_string_equal(h.serial, "");
	machine_free(&t);
}

static void nothing_told(void **state)
{
	struct dw_host h = { .serial = "left over" };
	struct machine t;

	machine_new(&t);
	dw_host_read(&t.m, &h);
	assert_string_equal(h.name, "");
	assert_string_equal(h.serial, "");
	assert_string_equal(h.asset_tag, "");
	assert_string_equal(h.kernel, "");
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_kernel_and_firmware),
		cmocka_unit_test(the_board_has_a_tag),
		cmocka_unit_test(nothing_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
