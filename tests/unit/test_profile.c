/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a device is asked, by what it hangs on, and what the kernel knows of it already. */
#include <sys/sysmacros.h>

#include "base/util.h"
#include "device/ask.h"
#include "device/health.h"
#include "device/identity.h"
#include "device/open.h"
#include "device/profile.h"
#include "machine.h"
#include "scripted_disk.h"
#include "scsi/opcodes.h"
#include "scsi/vpd.h"
#include "transport/transport.h"
#include "unit.h"

#define FOLDER   "sys/class/scsi_device/0:0:0:0/device/"
#define TIME_OUT 3

static struct machine t;
static struct dw_device device;
static struct scripted_disk disk;

/* a file of bytes */
static void page(const char *name, const char *hex)
{
	char path[PATH_MAX];
	uint8_t buf[256];
	size_t n = unhex(hex, buf, sizeof(buf));
	FILE *f;

	assert_int_equal(0, dw_path(path, FOLDER "%s", name));
	machine_file(&t, path, "");
	assert_int_equal(0, dw_path(path, "%s/" FOLDER "%s", t.root, name));
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(n, fwrite(buf, 1, n, f));
	fclose(f);
}

static void begin(const char *transport)
{
	machine_new(&t);
	disk = scripted_plain;
	scripted_device(&disk, transport, &device);
	scripted_set(
		&disk,
		&(struct scripted_answer){
			.cdb = "1a 00 3f 00 c0",
			.data = "17 00 10 00 08 12 04 00 00 00 00 00 00 00 00 00 00 00 00 00"
				"00 00 00 00" });
}

static void end(void)
{
	scripted_close(&device);
	machine_free(&t);
}

static void identify_as(enum dw_identified who)
{
	struct dw_completion done;
	struct dw_identify id;
	struct dw_cmd cmd;

	dw_identify_start(&id, &device.info);
	id.wanted = DW_WANT_COUNTS | DW_WANT_CACHE;
	while (dw_identify_next(&id, &cmd)) {
		assert_int_equal(
			0, dw_device_command(&device, DW_OPCLASS_READ, &cmd, &done));
		dw_identify_feed(&id, &done);
	}
	assert_int_equal(who, dw_identify_compare(&id, &device.info));
}

static void identify(void)
{
	identify_as(DW_IDENTITY_SAME);
}

/* Nothing that others do not send to bridges, from the list to each flush and a look at health. */
static void bridges_are_asked_little(void **state)
{
	static const char *const never[] = { "5a", "4d", "a3", "a2", "37", "b7" };
	static const char *const transports[] = { "usb", "sbp" };
	struct dw_health health;

	for (size_t i = 0; i < 2; i++) {
		begin(transports[i]);
		assert_int_equal(0, dw_device_probe(&t.m, &device));
		assert_string_equal("Z1Z8ABCD", device.info.serial);
		assert_string_equal("0x5000c500a1b2c3d4", device.info.wwn);
		assert_int_equal(DW_YES, device.caps.cache.wce);
		assert_false(device.caps.same.cdb10 || device.caps.same.cdb16 ||
			     device.caps.same.ndob);
		assert_int_equal(DW_VPD_FIRST_LEN, disk.longest_inquiry);
		assert_int_equal(1, scripted_asked(&disk, "1a"));
		assert_int_equal(1, scripted_asked(&disk, "9e"));
		scripted_set(&disk, &(struct scripted_answer){ .cdb = "1a 08",
							       .sense = "5/24/00" });
		identify();
		dw_device_health(&device, DW_HEALTH_THOROUGH, DW_NS_PER_S, &health);
		assert_int_equal(1, scripted_asked(&disk, "1a"));
		for (size_t n = 0; n < sizeof(never) / sizeof(never[0]); n++)
			scripted_set(&disk, &(struct scripted_answer){ .cdb = never[n] });
		assert_int_equal(0, dw_device_probe(&t.m, &device));
		identify();
		dw_device_health(&device, DW_HEALTH_THOROUGH, DW_NS_PER_S, &health);
		for (size_t n = 0; n < sizeof(never) / sizeof(never[0]); n++)
			assert_int_equal(0, scripted_asked(&disk, never[n]));
		end();
	}
	/* a disk on SAS is asked all that */
	begin("sas");
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "a3", .sense = "5/20/00" });
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "4d", .sense = "5/20/00" });
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	identify();
	assert_true(scripted_asked(&disk, "a3") > 0);
	assert_int_equal(1, scripted_asked(&disk, "4d"));
	assert_true(device.caps.same.cdb10 && device.caps.same.cdb16);
	end();
}

/* (10) comes first; (16) is for who claims SPC-3, or has more than (10) or the kernel tells. */
static void capacity_of_bridges(void **state)
{
	static const char old[] =
		"00 80 04 02 1f 00 00 00 47 65 6e 65 72 69 63 20"
		"55 53 42 20 44 69 73 6b 20 20 20 20 20 20 20 20 31 2e 30 30";

	/* the kernel may show nothing to compare with */
	for (int shown = 0; shown < 2; shown++) {
		begin("usb");
		if (shown) {
			machine_file(&t, "sys/dev/block/8:0/size", "131072\n");
			device.info.block_dev = makedev(8, 0);
		}
		scripted_set(&disk,
			     &(struct scripted_answer){ .cdb = "12 00", .data = old });
		assert_int_equal(0, dw_device_probe(&t.m, &device));
		assert_int_equal(shown, !scripted_asked(&disk, "9e"));
		identify();
		assert_int_equal(0x20000, device.info.blocks);
		end();
	}
	begin("usb");
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "12 00", .data = old });
	scripted_set(&disk, &(struct scripted_answer){
				    .cdb = "25", .data = "ff ff ff ff 00 00 02 00" });
	scripted_set(&disk,
		     &(struct scripted_answer){
			     .cdb = "9e 10",
			     .data = "00 00 00 01 d1 c0 be af 00 00 02 00 00 00 00 00" });
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	identify();
	assert_int_equal(0x1d1c0beb0, device.info.blocks);
	end();
	/* it shows the capacity modulo 2^32 by (10), and the kernel has it in its table */
	begin("usb");
	machine_file(&t, "sys/dev/block/8:0/size", "7814037168\n");
	device.info.block_dev = makedev(8, 0);
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "12 00", .data = old });
	scripted_set(&disk,
		     &(struct scripted_answer){
			     .cdb = "9e 10",
			     .data = "00 00 00 01 d1 c0 be af 00 00 02 00 00 00 00 00" });
	scripted_set(&disk, &(struct scripted_answer){ .cdb = "88" });
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	assert_int_equal(0x1d1c0beb0, device.info.blocks);
	identify();
	end();
}

/* A bridge that tells the number of blocks as the last: the kernel and the bridge both have to say
 * that the last does not exist; else it is erased, and an exception if that fails. */
static void one_block_too_many(void **state)
{
	static const struct {
		const char *transport;
		const char *size;
		const char *sense;
		bool trimmed;
	} rows[] = {
		{ "usb", "131071\n", "5/21/00", true },
		{ "usb", "131072\n", "5/21/00", false },
		{ "usb", "131071\n", NULL, false },
		{ "usb", "131071\n", "3/11/00", false },
		{ "sas", "131071\n", "5/21/00", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].transport);
		machine_file(&t, "sys/dev/block/8:0/size", rows[i].size);
		device.info.block_dev = makedev(8, 0);
		scripted_set(&disk, &(struct scripted_answer){ .cdb = "28 00 00 01 ff ff",
							       .sense = rows[i].sense });
		assert_int_equal(0, dw_device_probe(&t.m, &device));
		assert_int_equal(rows[i].trimmed, device.info.one_too_many);
		assert_int_equal(rows[i].trimmed ? 0x1ffff : 0x20000, device.info.blocks);
		assert_int_equal(device.info.blocks, device.caps.blocks);
		identify();
		device.info.blocks--; /* and no other number is that disk's */
		identify_as(DW_IDENTITY_CAPACITY);
		end();
	}
}

/* What the kernel has asked is not asked again to be told, unless it tells who the disk is. */
static void copies_of_the_kernel(void **state)
{
	begin("sas");
	page("inquiry", scripted_plain.answer[0].data);
	page("vpd_pg0", "00 00 00 04 00 80 83 b1");
	page("vpd_pg80", "00 80 00 04 53 45 52 31");
	page("vpd_pg83", "00 83 00 0c 01 03 00 08 50 00 c5 00 00 00 00 01");
	page("vpd_pgb1", "00 b1 00 04 1c 21 00 02");
	device.looked_at = true;
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	assert_int_equal(0, scripted_asked(&disk, "12 01 b1"));
	assert_int_equal(7201, device.info.rotation);
	assert_string_equal("Z1Z8ABCD", device.info.serial);
	assert_string_equal("ST4000NM0023", device.info.model);
	/* a job wants to hear it from the disk */
	device.looked_at = false;
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	assert_int_not_equal(7201, device.info.rotation);
	end();
	/* a copy of another page is none */
	begin("sas");
	device.looked_at = true;
	page("inquiry", scripted_plain.answer[0].data);
	page("vpd_pg0", "00 00 00 04 00 80 83 b1");
	page("vpd_pgb1", "00 b0 00 04 1c 21 00 02");
	assert_int_equal(0, dw_device_probe(&t.m, &device));
	assert_int_not_equal(7201, device.info.rotation);
	end();
}

/* The kernel has a list of disks that hang at pages: of such a one it has no page. */
static void kernel_spares_pages(void **state)
{
	static const struct {
		const char *transport;
		const char *level;
		bool page;
		bool asked;
	} rows[] = {
		{ "sas", "7\n", false, false }, { "sas", "6\n", false, false },
		{ "sas", "7\n", true, true },   { "sas", "5\n", false, true },
		{ "usb", "7\n", false, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].transport);
		machine_file(&t, FOLDER "scsi_level", rows[i].level);
		if (rows[i].page)
			page("vpd_pg89", "00 89 00 00");
		scripted_set(&disk, &(struct scripted_answer){
					    .cdb = "12 01",
					    .host = rows[i].asked ? 0 : TIME_OUT,
					    .data = "00 80 00 04 53 45 52 31" });
		assert_int_equal(0, dw_device_probe(&t.m, &device));
		identify();
		assert_int_equal(rows[i].asked, scripted_asked(&disk, "12 01") > 0);
		assert_int_equal(0, disk.hung);
		end();
	}
}

/* An adapter whose driver answers for the disk: the flush proves nothing. */
static void flush_by_the_driver(void **state)
{
	struct dw_disk_info i = { .host_driver = "megaraid_sas" };

	assert_true(dw_flush_is_answered(&i, "4.8.17"));
	assert_true(dw_flush_is_answered(&i, "3.10.0-1160.el7.x86_64"));
	assert_false(dw_flush_is_answered(&i, "4.9.0"));
	assert_false(dw_flush_is_answered(&i, "6.12.117"));
	assert_false(dw_flush_is_answered(&i, ""));
	i.logical_volume = true;
	assert_false(dw_flush_is_answered(&i, "4.8.17"));
	i = (struct dw_disk_info){ .host_driver = "mpt3sas" };
	assert_false(dw_flush_is_answered(&i, "4.8.17"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bridges_are_asked_little),
		cmocka_unit_test(capacity_of_bridges),
		cmocka_unit_test(one_block_too_many),
		cmocka_unit_test(copies_of_the_kernel),
		cmocka_unit_test(kernel_spares_pages),
		cmocka_unit_test(flush_by_the_driver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
