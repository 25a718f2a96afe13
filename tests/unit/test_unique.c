/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks with one name: two paths to one, or two that are both refused. */
#include "unit.h"

#include "base/util.h"
#include "device/identity.h"
#include "judge/verdict.h"

static struct dw_disk disk(uint32_t number, const char *serial)
{
	struct dw_disk d = { .info = { .scsi = true,
				       .blocks = 1000,
				       .block_size = 512,
				       .designators = 7,
				       .sg_dev = 100 + number,
				       .block_dev = 200 + number,
				       .wwn = "0x5000c500a1b2c3d4",
				       .vendor = "ATA",
				       .model = "MODEL" } };

	snprintf(d.info.serial, sizeof(d.info.serial), "%s", serial);
	snprintf(d.info.sg, sizeof(d.info.sg), "/dev/sg%u", number);
	snprintf(d.info.block, sizeof(d.info.block), "/dev/sd%c", (char)('a' + number));
	return d;
}

static void expect(const struct dw_disk *d, enum dw_refusal refusal, uint32_t others)
{
	assert_string_equal(dw_refusal_name(refusal),
			    dw_refusal_name(d->verdict.refusal));
	assert_int_equal(others, d->n_others);
}

/* All that they say of themselves agrees: presumed paths, refused together or not at all. */
static void paths(void **state)
{
	struct dw_disk d[] = { disk(0, "S1"), disk(1, "S1"), disk(2, "S2") };

	dw_disks_refuse_duplicates(d, DW_ARRAY_SIZE(d));
	expect(&d[0], DW_REFUSAL_NONE, 1);
	expect(&d[1], DW_REFUSAL_NONE, 1);
	expect(&d[2], DW_REFUSAL_NONE, 0);

	d[0] = disk(0, "S1");
	d[1] = disk(1, "S1");
	dw_verdict_set(&d[1].verdict, DW_REFUSAL_MOUNTED, "mounted at /srv");
	dw_disks_refuse_duplicates(d, 2);
	expect(&d[0], DW_REFUSAL_MOUNTED, 1);
	expect(&d[1], DW_REFUSAL_MOUNTED, 1);
	assert_non_null(strstr(d[0].verdict.reason, "/dev/sdb"));
}

/* Serial and WWN agree and something else does not: neither is erased, and each names the other. */
static void duplicates(void **state)
{
	struct dw_disk d[2];

	for (int differ = 0; differ < 2; differ++) {
		d[0] = disk(0, "S1");
		d[1] = disk(1, "S1");
		if (differ)
			strcpy(d[1].info.model, "OTHER");
		else
			d[1].info.designators = 8;
		dw_disks_refuse_duplicates(d, 2);
		expect(&d[0], DW_REFUSAL_NOT_UNIQUE, 0);
		expect(&d[1], DW_REFUSAL_NOT_UNIQUE, 0);
		assert_non_null(strstr(d[0].verdict.reason, "/dev/sdb"));
		assert_non_null(strstr(d[1].verdict.reason, "/dev/sda"));
	}
}

static struct dw_disk end(uint32_t number, const char *transport)
{
	struct dw_disk d = disk(number, "152D00539000");

	d.info.wwn[0] = '\0';
	d.info.host = number;
	strcpy(d.info.transport, transport);
	return d;
}

/* One serial number for each bay of a dock: their ports tell them apart, and they have no name. */
static void docks(void **state)
{
	static const struct {
		const char *a, *b;
		bool same_host, unit, expander;
		bool apart;
	} rows[] = {
		{ .a = "usb", .b = "usb", .apart = true },
		{ .a = "sata", .b = "usb", .apart = true },
		{ .a = "usb", .b = "usb", .same_host = true },
		{ .a = "sata", .b = "sata", .expander = true },
		{ .a = "usb", .b = "" },
		{ .a = "", .b = "usb" },
		{ .a = "spi", .b = "spi" },
		{ .a = "usb", .b = "usb", .unit = true, .apart = true },
	};

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++) {
		struct dw_disk d[] = { end(1, rows[i].a), end(2, rows[i].b) };

		if (rows[i].same_host) {
			d[1].info.host = d[0].info.host;
			d[1].info.lun = 1;
		}
		if (rows[i].expander)
			strcpy(d[1].info.phy, "500605b0:3");
		if (!rows[i].unit)
			d[1].info.designators = 8;
		if (rows[i].apart)
			assert_false(dw_disk_same_unit(&d[0].info, &d[1].info));
		dw_disks_refuse_duplicates(d, 2);
		for (int k = 0; k < 2; k++) {
			expect(&d[k],
			       rows[i].apart ? DW_REFUSAL_NONE : DW_REFUSAL_NOT_UNIQUE,
			       0);
			assert_int_equal(rows[i].apart, d[k].info.name_shared);
			assert_int_equal(rows[i].apart, dw_identity_nameless(&d[k].info));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(docks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
