/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signature.h"

#include <stddef.h>
#include <string.h>

#define SEPARATORS ", "

static bool is_listed(const char *list, const char *name, size_t len)
{
	while (*list) {
		size_t n = strcspn(list, SEPARATORS);

		if (n == len && !memcmp(list, name, len))
			return true;
		list += n;
		list += strspn(list, SEPARATORS);
	}
	return false;
}

/* these lie at the end of a disk, until its last block is written */
static bool lies_at_the_end(const char *name, size_t len)
{
	static const char *const ends[] = { "raid_member", "zfs_member" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (len >= n && !memcmp(name + len - n, ends[i], n))
			return true;
	}
	return false;
}

bool signature_is_new(const char *found, const char *agreed, bool start_erased)
{
	while (*found) {
		size_t n = strcspn(found, SEPARATORS);

		if (n && (!is_listed(agreed, found, n) ||
			  (start_erased && !lies_at_the_end(found, n))))
			return true;
		found += n;
		found += strspn(found, SEPARATORS);
	}
	return false;
}
