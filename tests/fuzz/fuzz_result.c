/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result documents as a report reads them: text that ends, times that are none below zero. */
#include <string.h>

#include "fuzz.h"

#include "report/result_read.h"

static void check(const struct dw_result_doc *doc)
{
	FUZZ_CHECK(!(doc->seconds < 0));
	FUZZ_CHECK(memchr(doc->outcome, 0, sizeof(doc->outcome)));
	for (size_t i = 0; i < doc->n; i++) {
		const struct dw_result_disk *d = &doc->disk[i];

		FUZZ_CHECK(memchr(d->device, 0, sizeof(d->device)));
		FUZZ_CHECK(memchr(d->serial, 0, sizeof(d->serial)));
		FUZZ_CHECK(!(d->seconds < 0) && !(d->predicted < 0));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_result_doc doc;
	char err[DW_ERR_TEXT] = "";

	if (dw_result_parse((const char *)data, size, &doc, err) < 0) {
		FUZZ_CHECK(err[0] && strlen(err) < sizeof(err) && !strchr(err, '\n'));
		return 0;
	}
	check(&doc);
	dw_result_deinit(&doc);
	return 0;
}
