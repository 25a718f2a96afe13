/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks with one name: two paths to one, or two that are both refused. */
#include "unit.h"

#include "base/util.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(duplicates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
