/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks are one device: what is erased as a whole is named as a whole. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "judge/whole.h"
#include "machine.h"
#include "unit.h"

#define DISKS 5

/** struct shelf - a machine and its disks; @n: of those that are meant, the first ones;
 *  @operation: enum dw_operation, 0 = a SANITIZE */
struct shelf {
	struct machine t;
	struct dw_disk disk[DISKS];
	uint32_t group[DISKS];
	size_t n;
	uint8_t operation; /* enum dw_operation; 0 = a SANITIZE */
};

/* A page 83h with the names of a port and of a device, if they are not 0. */
static void write_names(struct shelf *s, const char *dir, uint8_t port, uint8_t device)
{
	uint8_t page[64] = { 0, 0x83 }, *p = page + 4;
	const uint8_t name[] = { port, device };
	char path[PATH_MAX];
	FILE *f;

	for (uint8_t i = 0; i < 2; i++) {
		if (!name[i])
			continue;
		memcpy(p,
		       (uint8_t[]){ 0x61, i ? 0xa3 : 0x93, 0, 8, 0x50, 0, 0xc5, 0, 0, 0,
				    0, name[i] },
		       12);
		p += 12;
	}
	page[3] = (uint8_t)(p - page - 4);
	assert_true((size_t)snprintf(path, sizeof(path), "%s/%s/vpd_pg83", s->t.root,
				     dir) < sizeof(path));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(1, fwrite(page, (size_t)(p - page), 1, f));
	assert_int_equal(0, fclose(f));
}

/* Disk @i is /dev/sg<i> at @address. */
static void add_disk(struct shelf *s, unsigned int i, const char *address, uint8_t port,
		     uint8_t device)
{
	char dir[PATH_MAX], sg[16], number[16];
	struct machine_disk d = { .host_path = "pci/host0",
				  .middle = "",
				  .address = address,
				  .sg = sg,
				  .sg_dev = number,
				  .driver = "x",
				  .vendor = "SEAGATE",
				  .model = "M",
				  .type = "0" };
	struct dw_disk *disk = &s->disk[i];

	snprintf(sg, sizeof(sg), "sg%u", i);
	snprintf(number, sizeof(number), "21:%u", i);
	machine_scsi(&s->t, &d, dir);
	write_names(s, dir, port, device);
	*disk = (struct dw_disk){ .info = { .scsi = true, .units = 1 } };
	snprintf(disk->info.sg, sizeof(disk->info.sg), "/dev/%s", sg);
	snprintf(disk->info.transport, sizeof(disk->info.transport), "sas");
	snprintf(disk->info.vendor, sizeof(disk->info.vendor), "SEAGATE");
}

static void check(struct shelf *s, size_t n)
{
	struct dw_whole w = { .m = &s->t.m,
			      .operation = s->operation ? s->operation
							: DW_OPERATION_BLOCK_ERASE,
			      .disk = s->disk,
			      .n = n,
			      .group = s->group };

	for (size_t i = 0; i < n; i++)
		s->disk[i].verdict = (struct dw_verdict){ .refusal = DW_REFUSAL_NONE };
	assert_int_equal(0, dw_whole_check(&w));
}

static void expect_refused(const struct shelf *s, size_t i, const char *words)
{
	if (!words) {
		assert_int_equal(DW_REFUSAL_NONE, s->disk[i].verdict.refusal);
		return;
	}
	assert_int_not_equal(DW_REFUSAL_NONE, s->disk[i].verdict.refusal);
	if (!strstr(s->disk[i].verdict.reason, words))
		print_error("%s\n", s->disk[i].verdict.reason);
	assert_non_null(strstr(s->disk[i].verdict.reason, words));
}

static void two_units(struct shelf *s, uint8_t port, uint8_t device)
{
	machine_new(&s->t);
	add_disk(s, 0, "0:0:1:0", port, device);
	add_disk(s, 1, "0:0:1:1", port, device);
	s->disk[0].info.units = s->disk[1].info.units = 2;
}

static void all_are_named(void **state)
{
	struct shelf s = { .n = 0 };

	for (int by_port = 0; by_port < 2; by_port++) {
		two_units(&s, by_port ? 1 : 0, by_port ? 0 : 2);
		check(&s, 2);
		expect_refused(&s, 0, NULL);
		expect_refused(&s, 1, NULL);
		assert_int_equal(s.group[0], s.group[1]);
		machine_free(&s.t);
	}
}

static void some_are_missing(void **state)
{
	struct shelf s = { .n = 0 };

	two_units(&s, 1, 2);
	check(&s, 1);
	expect_refused(&s, 0, "name /dev/sg1 as well");
	/* the device tells of one more than the kernel has */
	s.disk[1].info.units = 3;
	check(&s, 2);
	expect_refused(&s, 1, "not all have a node");
	expect_refused(&s, 0, "its logical unit /dev/sg1");
	/* and when the kernel has lost its only node meanwhile */
	s.disk[0].info.units = 2;
	snprintf(s.disk[0].info.sg, sizeof(s.disk[0].info.sg), "/dev/sg9");
	check(&s, 1);
	expect_refused(&s, 0, "not all have a node");
	machine_free(&s.t);
}

static void nothing_shows_one_device(void **state)
{
	static const char words[] = "nothing shows whether both are one device";
	struct shelf s = { .n = 0 };

	two_units(&s, 0, 0);
	check(&s, 2);
	expect_refused(&s, 0, words);
	expect_refused(&s, 1, words);
	assert_int_not_equal(s.group[0], s.group[1]);
	machine_free(&s.t);
	/* two bays of a dock, whatever it says */
	two_units(&s, 1, 2);
	for (size_t i = 0; i < 2; i++)
		snprintf(s.disk[i].info.transport, sizeof(s.disk[i].info.transport),
			 "usb");
	check(&s, 2);
	expect_refused(&s, 0, words);
	machine_free(&s.t);
}

static void a_name_is_shared_elsewhere(void **state)
{
	struct shelf s = { .n = 0 };

	machine_new(&s.t);
	add_disk(&s, 0, "0:0:1:0", 1, 9);
	add_disk(&s, 1, "0:0:2:0", 2, 9);
	add_disk(&s, 2, "0:0:3:0", 2, 3); /* the name of a port joins nobody elsewhere */
	check(&s, 3);
	expect_refused(&s, 0, "/dev/sg1 says the same name of its device");
	expect_refused(&s, 1, "/dev/sg0 says the same name of its device");
	expect_refused(&s, 2, NULL);
	assert_int_not_equal(s.group[0], s.group[1]);
	check(&s, 1);
	expect_refused(&s, 0, "/dev/sg1 says the same name of its device");
	machine_free(&s.t);
}

/* Each unit over two ports, which are two targets; one is seen at the second alone. */
static void units_have_paths(void **state)
{
	struct shelf s = { .n = 0 };

	two_units(&s, 1, 9);
	add_disk(&s, 2, "0:0:5:0", 2, 9);
	add_disk(&s, 3, "0:0:5:1", 2, 9);
	for (size_t i = 0; i < 2; i++) {
		memcpy(s.disk[i].other[0].sg, s.disk[i + 2].info.sg, 32);
		s.disk[i].n_others = 1;
	}
	check(&s, 2);
	expect_refused(&s, 0, NULL);
	expect_refused(&s, 1, NULL);
	assert_int_equal(s.group[0], s.group[1]);
	add_disk(&s, 4, "0:0:5:2", 2, 9);
	check(&s, 2);
	expect_refused(&s, 0, "name /dev/sg4 as well");
	machine_free(&s.t);
}

static void namespaces_are_units(void **state)
{
	struct shelf s = { .n = 0 };

	machine_new(&s.t);
	machine_block(&s.t, "nvme0/nvme0n1", "259:0");
	machine_block(&s.t, "nvme0/nvme0n2", "259:1");
	machine_block(&s.t, "nvme1/nvme1n1", "259:2");
	for (unsigned int i = 0; i < 2; i++) {
		s.disk[i] = (struct dw_disk){ .info = { .units = 2 } };
		snprintf(s.disk[i].info.block, sizeof(s.disk[i].info.block),
			 "/dev/nvme0n%u", i + 1);
	}
	check(&s, 1);
	expect_refused(&s, 0, "name /dev/nvme0n2 as well");
	check(&s, 2);
	expect_refused(&s, 0, NULL);
	assert_int_equal(s.group[0], s.group[1]);
	/* one is attached nowhere */
	s.disk[0].info.units = s.disk[1].info.units = 3;
	check(&s, 2);
	expect_refused(&s, 1, "not all have a node");
	machine_free(&s.t);
}

/* Format NVM concerns one namespace, or all where FNA says so. */
static void a_format_may_be_of_all(void **state)
{
	struct shelf s = { .operation = DW_OPERATION_FORMAT_USER };

	machine_new(&s.t);
	for (unsigned int i = 0; i < 2; i++) {
		char path[32], number[16];

		snprintf(path, sizeof(path), "nvme0/nvme0n%u", i + 1);
		snprintf(number, sizeof(number), "259:%u", i);
		machine_block(&s.t, path, number);
		s.disk[i] = (struct dw_disk){ .info = { .units = 2 } };
		snprintf(s.disk[i].info.block, sizeof(s.disk[i].info.block),
			 "/dev/nvme0n%u", i + 1);
	}
	check(&s, 1);
	expect_refused(&s, 0, NULL);
	for (unsigned int i = 0; i < 2; i++)
		s.disk[i].info.whole = 1u << DW_OPERATION_FORMAT_USER;
	check(&s, 1);
	expect_refused(&s, 0, "Format NVM erases all: name /dev/nvme0n2 as well");
	check(&s, 2);
	expect_refused(&s, 0, NULL);
	assert_int_equal(s.group[0], s.group[1]);
	s.operation = DW_OPERATION_FORMAT_CRYPTO;
	check(&s, 1);
	expect_refused(&s, 0, NULL);
	machine_free(&s.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_named),
		cmocka_unit_test(some_are_missing),
		cmocka_unit_test(nothing_shows_one_device),
		cmocka_unit_test(a_name_is_shared_elsewhere),
		cmocka_unit_test(units_have_paths),
		cmocka_unit_test(namespaces_are_units),
		cmocka_unit_test(a_format_may_be_of_all),
	};

	alarm(150); /* what goes on for ever has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
