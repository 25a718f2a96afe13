/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result documents: text that ends, no times below zero; what is read is what is written. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#include "report/record.h"
#include "report/result.h"
#include "../unit/error_line.h"

static void check(const struct dw_result_doc *doc)
{
	struct dw_result_doc *again;
	struct dw_error err = { 0 };
	char *text[2];

	FUZZ_CHECK(memchr(doc->outcome, 0, sizeof(doc->outcome)));
	for (size_t i = 0; i < doc->job.n_disks; i++) {
		const struct dw_disk_result *d = &doc->job.disk[i];

		FUZZ_CHECK(memchr(d->info.serial, 0, sizeof(d->info.serial)));
		FUZZ_CHECK(!(d->seconds < 0));
	}
	text[0] = dw_result_doc_json(doc, false);
	FUZZ_CHECK(text[0]);
	FUZZ_CHECK(!dw_result_parse(text[0], strlen(text[0]), &again, &err));
	text[1] = dw_result_doc_json(again, false);
	FUZZ_CHECK(text[1] && !strcmp(text[0], text[1]));
	free(text[0]);
	free(text[1]);
	dw_result_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_result_doc *doc;
	struct dw_error err = { 0 };

	if (dw_result_parse((const char *)data, size, &doc, &err) < 0) {
		FUZZ_CHECK(is_whole_error(&err, err.code));
		return 0;
	}
	check(doc);
	dw_result_free(doc);
	return 0;
}
