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

static void put_page(const char *path, const uint8_t *page, size_t len)
{
	char full[2 * PATH_MAX];
	FILE *f;

	machine_file(&t, path, "");
	snprintf(full, sizeof(full), "%s/%s", t.root, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(page, 1, len, f), len);
	fclose(f);
}

/* Each family that hides disks has an advice of its own, which is whole. */
static void each_family(void **state)
{
	static const char *const rows[][2] = {
		{ "hpsa", "hbamode=on" },   { "smartpqi", "arcconf delete" },
		{ "arcmsr", "set JBOD" },   { "3w-9xxx", "exportjbod=on" },
		{ "3w-sas", "use an HBA" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dw_finding *f = NULL;
		size_t n = 0;

		machine_free(&t);
		machine_new(&t);
		add_disk(rows[i][0], "ACME", "sg0");
		assert_int_equal(dw_doctor_look(&t.m, &f, &n), 0);
		assert_int_equal(n, 1);
		assert_non_null(strstr(f->advice, rows[i][1]));
		assert_true(strlen(f->advice) + 1 < sizeof(f->advice));
		free(f);
	}
}

static void frozen(void **state)
{
	uint8_t page[572] = { 0, 0x89, 0x02, 0x38 };
	uint8_t *id = page + 60;
	char path[PATH_MAX + 64];

	add_disk("ahci", "ATA", "sg0");
	snprintf(path, sizeof(path), "%s/vpd_pg89", dir);
	page[56] = 0xec;
	id[2 * 128] = 0x01;
	put_page(path, page, sizeof(page));
	expect(NULL, "", "", "");
	id[2 * 128] = 0x09;
	put_page(path, page, sizeof(page));
	expect("frozen", "/dev/sda", "ATA security", "put it in its bay again");
	id[2 * 128] = 0x08; /* no security feature set: the bit means nothing */
	put_page(path, page, sizeof(page));
	expect(NULL, "", "", "");
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
		cmocka_unit_test_setup_teardown(each_family, begin, end),
		cmocka_unit_test_setup_teardown(frozen, begin, end),
		cmocka_unit_test_setup_teardown(cache_off, begin, end),
		cmocka_unit_test_setup_teardown(slow_links, begin, end),
		cmocka_unit_test_setup_teardown(io_uring_off, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
