/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration: every item of a list is whole, and what is refused is said in a line. */
#include <string.h>

#include "fuzz.h"

#include "diskwipe/config.h"
#include "../unit/error_line.h"

static void check(const char *item)
{
	size_t n = strlen(item);

	FUZZ_CHECK(n && !strpbrk(item, "\n,"));
	FUZZ_CHECK(!strchr(" \t", item[0]) && !strchr(" \t", item[n - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_config *c;
	const char *const *protect;
	struct dw_error err = { 0 };

	if (dw_config_load(fuzz_file("diskwipe.conf", data, size), &c, &err) < 0) {
		FUZZ_CHECK(is_whole_error(&err, err.code));
		return 0;
	}
	FUZZ_CHECK(err.kind == DW_ERROR_NONE);
	protect = dw_config_protect(c);
	for (size_t i = 0; protect[i]; i++)
		check(protect[i]);
	dw_config_free(c);
	return 0;
}
