/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State files. The checksum would keep a fuzzer out, so an input that is JSON gets the right
 * one before it is parsed; what is accepted lies within its disks.
 */
#include <inttypes.h>
#include <string.h>

#include <jansson.h>

#include "fuzz.h"

#include "base/crc.h"
#include "report/planfile.h"
#include "report/state.h"
#include "../unit/error_line.h"

static char *with_checksum(const uint8_t *data, size_t size)
{
	json_t *doc = json_loadb((const char *)data, size, 0, NULL);
	char *text, sum[17];

	if (!json_is_object(doc)) {
		json_decref(doc);
		return NULL;
	}
	json_object_del(doc, "checksum");
	text = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	FUZZ_CHECK(text);
	snprintf(sum, sizeof(sum), "%016" PRIx64, dw_crc64(text, strlen(text)));
	free(text);
	json_object_set_new(doc, "checksum", json_string(sum));
	text = json_dumps(doc, JSON_COMPACT);
	json_decref(doc);
	return text;
}

static void check(const struct dw_state_doc *s)
{
	FUZZ_CHECK(s->n >= 1 && s->n <= DW_DOC_DISKS_MAX);
	for (size_t i = 0; i < s->n; i++) {
		const struct dw_state_entry *e = &s->entry[i];
		uint64_t blocks = e->disk.capacity_bytes / e->disk.block_size;

		FUZZ_CHECK(e->lba <= blocks);
		for (uint32_t k = 0; k < e->n_faults; k++)
			FUZZ_CHECK(e->fault[k].lba < blocks && e->fault[k].nlb >= 1 &&
				   e->fault[k].nlb <= blocks - e->fault[k].lba);
	}
}

static void parse(const char *text, size_t len)
{
	struct dw_state_doc s;
	struct dw_error err = { 0 };

	if (dw_state_parse(text, len, &s, &err) < 0) {
		FUZZ_CHECK(is_whole_error(&err, err.code));
		return;
	}
	check(&s);
	dw_state_deinit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = with_checksum(data, size);

	parse((const char *)data, size);
	if (text)
		parse(text, strlen(text));
	free(text);
	return 0;
}
