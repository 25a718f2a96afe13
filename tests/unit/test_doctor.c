/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps a machine made of files from working well. */
#include "unit.h"

#include <diskwipe/doctor.h>

#include "device/doctor.h"
#include "machine.h"

#define HBA "sys/devices/pci0000:00/0000:03:00.0/"

static struct machine t;
static char dir[PATH_MAX];

static void add_disk(const char *driver, const char *vendor, const char *sg)
{
	const struct machine_disk d = {
		"pci0000:00/0000:03:00.0/host0",
		"",
		"0:2:0:0",
		"sda",
		"8:0",
		sg,
		sg ? "21:0" : NULL,
		driver,
		vendor,
		"DISK",
		"0",
	};
	char path[PATH_MAX + 64];

	machine_scsi(&t, &d, dir);
	snprintf(path, sizeof(path), "%s/scsi_disk/0:2:0:0/cache_type", dir);
	machine_file(&t, path, "write back\n");
	machine_file(&t, HBA "current_link_speed", "8.0 GT/s PCIe\n");
	machine_file(&t, HBA "max_link_speed", "8.0 GT/s PCIe\n");
	machine_file(&t, HBA "current_link_width", "8\n");
	machine_file(&t, HBA "max_link_width", "8\n");
	machine_link(&t, "sys/class/scsi_host/host0",
		     "../../devices/pci0000:00/0000:03:00.0/host0/scsi_host/host0");
	machine_file(&t, HBA "host0/scsi_host/host0/proc_name", driver);
}

/* The only finding, or none. */
static void expect(const char *key, const char *subject, const char *text,
		   const char *advice)
{
	struct dw_finding *f = NULL;
	size_t n = 99;

	assert_int_equal(dw_doctor_look(&t.m, &f, &n), 0);
	assert_int_equal(n, key ? 1 : 0);
	if (key) {
		assert_string_equal(f->key, key);
		assert_string_equal(f->subject, subject);
		assert_non_null(strstr(f->text, text));
		assert_non_null(strstr(f->advice, advice));
	}
	free(f);
}

static int begin(void **state)
{
	machine_new(&t);
	return 0;
}

static int end(void **state)
{
	machine_free(&t);
	return 0;
}

static void nothing(void **state)
{
	expect(NULL, "", "", "");
	add_disk("mpt3sas", "ACME", "sg0");
	machine_file(&t, "proc/sys/kernel/io_uring_disabled", "0\n");
	expect(NULL, "", "", "");
}

static void no_sg(void **state)
{
	add_disk("mpt3sas", "ACME", NULL);
	expect("sg-module", "", "1 SCSI disks", "modprobe sg");
}

static void volumes(void **state)
{
	add_disk("megaraid_sas", "DELL", "sg0");
	expect("raid-adapter", "host0", "megaraid_sas hides disks", "storcli");
}

static void cache_off(void **state)
{
	char path[PATH_MAX + 64];

	add_disk("mpt3sas", "ACME", "sg0");
	snprintf(path, sizeof(path), "%s/scsi_disk/0:2:0:0/cache_type", dir);
	machine_file(&t, path, "write through\n");
	expect("write-cache", "/dev/sda", "cache is off", "diskwipe(1)");
}

static void slow_links(void **state)
{
	add_disk("mpt3sas", "ACME", "sg0");
	machine_file(&t, "sys/class/sas_phy/phy-0:1/negotiated_linkrate", "6.0 Gbit\n");
	machine_file(&t, "sys/class/sas_phy/phy-0:1/maximum_linkrate", "12.0 Gbit\n");
	expect(NULL, "", "", "");
	machine_file(&t, "sys/class/sas_phy/phy-0:1/negotiated_linkrate", "3.0 Gbit\n");
	expect("sas-link", "phy-0:1", "3.0 Gbit where 12.0 Gbit", "cable");
	machine_file(&t, "sys/class/sas_phy/phy-0:1/negotiated_linkrate", "Unknown\n");
	machine_file(&t, HBA "current_link_width", "4\n");
	expect("pcie-link", "host0", "0000:03:00.0 has 3.9 of 7.9 GB/s", "slot");
}

static void io_uring_off(void **state)
{
	machine_file(&t, "proc/sys/kernel/io_uring_disabled", "2\n");
	expect("io-uring", "", "switched off", "sysctl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing, begin, end),
		cmocka_unit_test_setup_teardown(no_sg, begin, end),
		cmocka_unit_test_setup_teardown(volumes, begin, end),
		cmocka_unit_test_setup_teardown(cache_off, begin, end),
		cmocka_unit_test_setup_teardown(slow_links, begin, end),
		cmocka_unit_test_setup_teardown(io_uring_off, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
