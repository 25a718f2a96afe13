/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks hang beside a job's, and what the kernel counts of them. */
#include "device/iostat.h"
#include "machine.h"
#include "unit.h"

static void add(struct machine *t, const char *name, const char *dir, const char *stat)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/devices/%s/block/%s/stat", dir, name);
	machine_file(t, path, stat);
	snprintf(path, sizeof(path), "sys/devices/%s/block/%s/device", dir, name);
	machine_link(t, path, "../..");
	snprintf(path, sizeof(path), "sys/block/%s", name);
	snprintf(target, sizeof(target), "../devices/%s/block/%s", dir, name);
	machine_link(t, path, target);
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s/block/%s", dir, name);
	machine_link(t, path, target);
}

#define HBA "pci0000:00/0000:00:1c.0/0000:03:00.0/host0"

static void neighbours(void **state)
{
	struct dw_disk_info own = { .block = "/dev/sda" };
	const struct dw_disk_info *list[] = { &own };
	struct dw_neighbours *b;
	struct dw_io_count n;
	struct machine t;

	machine_new(&t);
	add(&t, "sda", HBA "/target0:0:0/0:0:0:0", "9 0 9 9 9 0 9 9 9 9 9");
	add(&t, "sdb", HBA "/target0:0:1/0:0:1:0",
	    "   100  0 800  250   50 0 400 350  3 500 600 0 0 0 0 0 0\n");
	/* another port of the same function; another function; a bus without PCI */
	add(&t, "sdc", "pci0000:00/0000:00:1c.0/0000:03:00.0/host1/target1:0:0/1:0:0:0",
	    "1 0 0 10 0 0 0 0 0 0 0");
	add(&t, "sdd", "pci0000:00/0000:00:1c.0/0000:04:00.0/host2/target2:0:0/2:0:0:0",
	    "7000 0 0 7000 0 0 0 0 0 0 0");
	add(&t, "sde", "platform/virtio0/host3/target3:0:0/3:0:0:0",
	    "500 0 0 500 0 0 0 0 0 0 0");
	assert_int_equal(0, dw_neighbours_new(&t.m, list, 1, &b));
	assert_int_equal(2, dw_neighbours_n(b));
	dw_neighbours_count(b, &n);
	assert_int_equal(151, n.answers);
	assert_int_equal(610 * UINT64_C(1000000), n.answer_ns);
	assert_int_equal(3, n.waiting);
	dw_neighbours_free(b);
	snprintf(own.block, sizeof(own.block), "/dev/sde");
	assert_int_equal(0, dw_neighbours_new(&t.m, list, 1, &b));
	assert_int_equal(0, dw_neighbours_n(b));
	dw_neighbours_free(b);
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(neighbours) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
