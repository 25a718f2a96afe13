/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What disks tell of their health, as bytes: log pages, lists of defects, SMART sectors, and the
 * registers of SMART RETURN STATUS. And bays as the kernel's folders alone have them.
 */
#include "unit.h"

#include <diskwipe/health.h>

#include "base/util.h"
#include "device/enclosure.h"
#include "machine.h"
#include "scsi/ata.h"
#include "scsi/cdb.h"
#include "scsi/log.h"
#include "scsi/opcodes.h"
#include "scsi/smart.h"
#include "transport/guard.h"

static void test_temperature(void **state)
{
	static const struct {
		const char *hex;
		bool limit;
		int r;
		int32_t value;
	} rows[] = {
		{ "0d 00 000c 0000 03 02 001f 0001 03 02 0041", false, 0, 31 },
		{ "0d 00 000c 0000 03 02 001f 0001 03 02 0041", true, 0, 65 },
		{ "0d 00 0006 0000 03 02 00ff", false, -ENODATA, 0 },
		{ "0d 00 0006 0000 03 02 001f", true, -ENODATA, 0 },
		{ "0d 00 0005 0000 03 01 00", false, -ENODATA, 0 },
		{ "2f 00 0006 0000 03 02 001f", false, -EBADMSG, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t buf[32];
		int32_t t = 0;
		size_t n = unhex(rows[i].hex, buf, sizeof(buf));

		assert_int_equal(dw_log_temperature(buf, n, rows[i].limit, &t),
				 rows[i].r);
		assert_int_equal(t, rows[i].value);
	}
}

static void test_logs(void **state)
{
	struct dw_log_exception e;
	uint64_t minutes = 0;
	uint8_t buf[32];
	size_t n = unhex("2f 00 0008 0000 03 04 5d10 2a00", buf, sizeof(buf));

	assert_int_equal(dw_log_exception(buf, n, &e), 0);
	assert_int_equal(e.asc, 0x5d);
	assert_int_equal(e.ascq, 0x10);
	assert_int_equal(e.temperature, 42);
	n = unhex("2f 00 0006 0000 03 02 0000", buf, sizeof(buf));
	assert_int_equal(dw_log_exception(buf, n, &e), 0);
	assert_int_equal(e.asc, 0);
	assert_int_equal(e.temperature, DW_TEMPERATURE_UNKNOWN);
	n = unhex("2f 00 0005 0000 03 01 00", buf, sizeof(buf));
	assert_int_equal(dw_log_exception(buf, n, &e), -ENODATA);
	n = unhex("15 00 0010 0000 03 0c 00012345 00 00 0000 0000 0000", buf,
		  sizeof(buf));
	assert_int_equal(dw_log_minutes(buf, n, &minutes), 0);
	assert_int_equal(minutes, 0x12345);
	n = unhex("00 00 0003 00 0d 2f", buf, sizeof(buf));
	assert_true(dw_log_has_page(buf, n, 0x2f));
	assert_false(dw_log_has_page(buf, n - 1, 0x2f));
	assert_false(dw_log_has_page(buf, n, 0x15));
	buf[0] = 0x0d;
	assert_false(dw_log_has_page(buf, n, 0x2f));
}

static void test_defects(void **state)
{
	static const struct {
		const char *hex;
		bool wide;
		int r;
		uint64_t count;
	} rows[] = {
		{ "00 0c 0018", false, 0, 3 },
		{ "00 0d 0018", false, 0, 3 },
		{ "00 08 0018", false, 0, 6 },
		{ "00 0c 0000 00100000", true, 0, 131072 },
		{ "00 04 0018", false, -EBADMSG, 0 }, /* not the grown list */
		{ "00 0e 0018", false, -EBADMSG, 0 }, /* a vendor's format */
		{ "00 0c 0018", true, -EBADMSG, 0 },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		uint8_t buf[8];
		uint64_t count = 0;
		size_t n = unhex(rows[i].hex, buf, sizeof(buf));

		assert_int_equal(dw_defects_count(buf, n, rows[i].wide, &count),
				 rows[i].r);
		assert_true(count == rows[i].count);
	}
}

static void seal(uint8_t *sector)
{
	uint8_t sum = 0;

	sector[511] = 0;
	for (size_t i = 0; i < 511; i++)
		sum = (uint8_t)(sum + sector[i]);
	sector[511] = (uint8_t)-sum;
}

static void test_smart(void **state)
{
	uint8_t data[512] = { 0 }, thresholds[512] = { 0 };
	struct dw_smart s;

	seal(data);
	assert_int_equal(dw_smart_read(data, NULL, &s), -EBADMSG);
	/* 2,000 hours with something of the maker's above them, 38 degrees, lowest 20 */
	unhex("05 0300 64 64 080000000000 00"
	      "09 3200 61 61 d00700123400 00"
	      "be 2200 3e 3c 260014260000 00"
	      "c5 1200 01 01 000000000000 00",
	      data + 2, 48);
	seal(data);
	unhex("05 24 00000000000000000000"
	      "09 00 00000000000000000000"
	      "c5 10 00000000000000000000",
	      thresholds + 2, 36);
	seal(thresholds);
	assert_int_equal(dw_smart_read(data, thresholds, &s), 0);
	assert_int_equal(s.hours, 2000);
	assert_int_equal(s.temperature, 38);
	assert_int_equal(s.reallocated, 8);
	assert_int_equal(s.failing,
			 0); /* C5h is at its threshold and foretells nothing */
	data[5] = 0x24;
	seal(data);
	assert_int_equal(dw_smart_read(data, thresholds, &s), 0);
	assert_int_equal(s.failing, 5);
	assert_int_equal(dw_smart_read(data, NULL, &s), 0);
	assert_int_equal(s.failing, 0);
	data[100] ^= 1;
	assert_int_equal(dw_smart_read(data, thresholds, &s), -EBADMSG);
}

static void test_smart_status(void **state)
{
	static const struct {
		const char *hex;
		int r;
		bool failing;
	} rows[] = {
		/* descriptor: count, LBA 00 4F C2, device, status */
		{ "72 01 001d 0000000e 090c 00 00 0000 0000 004f 00c2 00 50", 0, false },
		{ "72 01 001d 0000000e 090c 00 00 0000 0000 00f4 002c 00 50", 0, true },
		{ "72 01 001d 0000000e 090c 00 00 0000 0000 0000 0000 00 50", -EIO,
		  false },
		{ "72 01 001d 0000000e 090c 00 04 0000 0000 004f 00c2 00 51", -EIO,
		  false },
		/* fixed */
		{ "f0 00 01 00500000 0a 00 00 f4 2c 00 1d 00 000000", 0, true },
		{ "f0 00 01 00500000 0a 00 00 4f c2 00 1d 00 000000", 0, false },
		{ "70 00 05 00000000 0a 00 00 00 00 20 00 00 000000", -ENODATA, false },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		bool failing = false;
		uint8_t buf[32];
		size_t n = unhex(rows[i].hex, buf, sizeof(buf));

		assert_int_equal(dw_ata_smart_status(buf, n, &failing), rows[i].r);
		assert_int_equal(failing, rows[i].failing);
	}
}

/* What may leave: SMART data in one sector, that one diagnostic page, and only with the right. */
static void test_guard(void **state)
{
	struct dw_target t = { .permits = DW_OPCLASS_READ, .block_size = 512 };
	uint8_t data[512] = { 0x02 };
	struct dw_cmd cmd = { .data = data, .data_len = 512, .dir = DW_DIR_IN };

	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_SMART_DATA);
	assert_int_equal(dw_guard_check(&t, &cmd), 0);
	cmd.data_len = 1024;
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	cmd.data_len = 512;
	cmd.cdb_len = (uint8_t)dw_cdb_ata(cmd.cdb, DW_ATA_SMART_STATUS);
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	cmd.data_len = 0;
	cmd.dir = DW_DIR_NONE;
	assert_int_equal(dw_guard_check(&t, &cmd), 0);

	cmd.dir = DW_DIR_OUT;
	cmd.data_len = 24;
	cmd.cdb_len = (uint8_t)dw_cdb_send_diagnostic(cmd.cdb, 24);
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	t.permits |= DW_OPCLASS_CONTROL;
	assert_int_equal(dw_guard_check(&t, &cmd), 0);
	data[12] = 0x80;
	assert_int_equal(dw_guard_check(&t, &cmd), 0);
	data[20] = 0x80; /* another slot is selected as well */
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	data[20] = 0;
	data[15] = 0x10; /* it is switched off */
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	data[15] = 0;
	data[0] = 0x0e; /* DOWNLOAD MICROCODE */
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	data[0] = 0x02;
	cmd.data_len = 20;
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
	cmd.data_len = 24;
	cmd.cdb[1] |= 0x04; /* SELFTEST */
	assert_int_equal(dw_guard_check(&t, &cmd), -EPERM);
}

static void test_text(void **state)
{
	struct dw_health h = { .state = DW_HEALTH_GOOD };
	char buf[64];

	assert_string_equal(dw_health_text(&h, buf, sizeof(buf)), "good");
	strcpy(h.text, "Warning (0B/01)");
	assert_string_equal(dw_health_text(&h, buf, sizeof(buf)),
			    "good: Warning (0B/01)");
	h.state = DW_HEALTH_FAILING;
	assert_string_equal(dw_health_text(&h, buf, 10), "failing: ");
	h.state = DW_HEALTH_UNKNOWN;
	assert_string_equal(dw_health_text(&h, buf, sizeof(buf)), "");
}

#define SHELF "sys/devices/pci0000:00/host0/target0:0:8/0:0:8:0/enclosure/0:0:8:0"

static void add_slot(struct machine *t, const char *name, const char *status,
		     const char *lit)
{
	char path[256];

	snprintf(path, sizeof(path), SHELF "/%s/type", name);
	machine_file(t, path, "array device\n");
	snprintf(path, sizeof(path), SHELF "/%s/status", name);
	machine_file(t, path, status);
	snprintf(path, sizeof(path), SHELF "/%s/locate", name);
	machine_file(t, path, lit);
	snprintf(path, sizeof(path), SHELF "/%s/fault", name);
	machine_file(t, path, lit);
}

static void test_kernel_bays(void **state)
{
	static const struct machine_disk shelf = {
		"pci0000:00/host0",
		"",
		"0:0:8:0",
		NULL,
		NULL,
		"sg8",
		"21:8",
		"x",
		"ACME",
		"SHELF",
		"13",
	};
	static const struct machine_disk disk = {
		"pci0000:00/host0",
		"",
		"0:0:1:0",
		"sdb",
		"8:16",
		"sg1",
		"21:1",
		"x",
		"ACME",
		"DISK",
		"0",
	};
	char dir[PATH_MAX], link[PATH_MAX + 64];
	struct dw_bay *bay;
	struct machine t;
	size_t n;

	machine_new(&t);
	machine_scsi(&t, &shelf, dir);
	machine_scsi(&t, &disk, dir);
	machine_file(&t, SHELF "/id", "0x5000c500aa\n");
	add_slot(&t, "Slot 10", "not installed\n", "0\n");
	add_slot(&t, "Slot 2 ", "OK\n", "2\n");
	machine_file(&t, SHELF "/power/control", "auto\n");
	snprintf(link, sizeof(link), "%s/enclosure_device:Slot 2", dir);
	machine_link(&t, link, "../../target0:0:8/0:0:8:0/enclosure/0:0:8:0/Slot 2 ");
	assert_int_equal(dw_bays_read(&t.m, &bay, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(bay[0].slot, "0x5000c500aa:Slot 2");
	assert_int_equal(bay[0].state, DW_BAY_OCCUPIED);
	assert_int_equal(bay[0].locate, 1);
	assert_string_equal(bay[0].block, "/dev/sdb");
	assert_string_equal(bay[0].sg, "/dev/sg1");
	assert_string_equal(bay[0].processor, "/dev/sg8");
	assert_string_equal(bay[1].name, "Slot 10");
	assert_int_equal(bay[1].state, DW_BAY_EMPTY);
	assert_int_equal(bay[1].locate, 0);
	assert_string_equal(bay[1].block, "");
	free(bay);
	machine_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_temperature),  cmocka_unit_test(test_logs),
		cmocka_unit_test(test_defects),      cmocka_unit_test(test_smart),
		cmocka_unit_test(test_smart_status), cmocka_unit_test(test_guard),
		cmocka_unit_test(test_text),         cmocka_unit_test(test_kernel_bays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
