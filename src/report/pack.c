/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/pack.h"

#include <string.h>

#include "base/util.h"

#define ENDING ".zst"

bool dw_pack_named(const char *path)
{
	size_t n = strlen(path), ending = strlen(ENDING);

	return n > ending && !strcmp(path + n - ending, ENDING);
}

bool dw_pack_is(const void *text, size_t len)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len && !memcmp(text, magic, dw_min_u64(len, sizeof(magic)));
}
