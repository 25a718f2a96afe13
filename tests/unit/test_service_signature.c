/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk carries when its erasure is to go on: known, or put there since. */
#include "unit.h"

#include "service/signature.h"

static void compare(void **state)
{
	static const struct {
		const char *found;
		const char *agreed;
		bool before; /* new, as long as nothing is erased */
		bool after;  /* new, when the beginning is */
	} row[] = {
		{ "", "", false, false },
		{ "", "ext4", false, false },
		{ "ext4", "ext4", false, true },
		{ "ext4", "gpt, ext4", false, true },
		{ "xfs", "gpt, ext4", true, true },
		{ "ext", "ext4", true, true }, /* no part of a name is the name */
		{ "ext4", "", true, true },
		{ "linux_raid_member", "linux_raid_member", false, false },
		{ "linux_raid_member", "ext4", true, true },
		{ "isw_raid_member, ext4", "ext4, isw_raid_member", false, true },
		{ "zfs_member", "zfs_member", false, false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (signature_is_new(row[i].found, row[i].agreed, false) !=
			    row[i].before ||
		    signature_is_new(row[i].found, row[i].agreed, true) != row[i].after)
			fail_msg("\"%s\" found, \"%s\" agreed", row[i].found,
				 row[i].agreed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(compare) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
