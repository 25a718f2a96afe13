/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The document of a format. */
#include <diskwipe/format.h>

#include "report/json.h"

static const char *content_name(uint8_t content)
{
	static const char *const names[DW_FORMAT_CONTENTS] = { "unknown", "zeros",
							       "other" };

	return content < DW_FORMAT_CONTENTS ? names[content] : "unknown";
}

static json_t *format_disk(const struct dw_format_disk *d)
{
	const struct dw_disk_info *i = &d->info;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:s, s:o, s:b, s:I, s:i, s:i, s:I, s:i, s:i, s:s, s:i, "
		"s:f}",
		"device", dw_json_device(i), "paths", dw_json_paths(i), "serial",
		dw_json_text(i->serial), "wwn", dw_json_text(i->wwn), "outcome",
		dw_format_outcome_name((enum dw_format_outcome)d->outcome), "reason",
		dw_json_text_or_null(d->reason), "corrupt", d->corrupt, "blocks_before",
		(json_int_t)i->blocks, "block_size_before", (int)i->block_size,
		"protection_before", (int)i->pi_type, "blocks", (json_int_t)d->blocks,
		"block_size", (int)d->block_size, "protection", (int)d->pi_type,
		"content", content_name(d->content), "sample_blocks", (int)d->sample,
		"seconds", d->seconds);
}

char *dw_format_json(const struct dw_format_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->n; i++)
		if (json_array_append_new(array, format_disk(&report->disk[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	return dw_json_dump(
		json_pack("{s:i, s:o, s:i, s:i, s:o, s:o}", "schema", 1, "tool",
			  dw_json_tool(), "wanted_block_size",
			  (int)report->spec.block_size, "wanted_protection",
			  (int)report->spec.pi_type, "disks", array, "refused",
			  dw_json_refused(report->refused, report->n_refused)),
		false);
}
