/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plan files: what is accepted is sound, can be written, and says the same when read again. */
#include <string.h>

#include "fuzz.h"

#include "report/planfile.h"
#include "../unit/error_line.h"

static void check(const struct dw_plan_doc *p)
{
	FUZZ_CHECK(p->n >= 1 && p->n <= DW_DOC_DISKS_MAX);
	FUZZ_CHECK(p->spec.depth <= 32); /* 0: the controller finds out */
	FUZZ_CHECK(p->spec.verify_percent > 0 && p->spec.verify_percent <= 100);
	FUZZ_CHECK(memchr(p->spec.method, 0, sizeof(p->spec.method)));
	for (size_t i = 0; i < p->n; i++) {
		const struct dw_plan_entry *e = &p->entry[i];

		FUZZ_CHECK(memchr(e->serial, 0, sizeof(e->serial)));
		FUZZ_CHECK(memchr(e->wwn, 0, sizeof(e->wwn)));
		FUZZ_CHECK(e->serial[0] || e->wwn[0]);
		FUZZ_CHECK(e->capacity_bytes && e->capacity_bytes % e->block_size == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dw_plan_doc p, q;
	struct dw_error err = { 0 };
	char *text;

	if (dw_plan_parse((const char *)data, size, &p, &err) < 0) {
		FUZZ_CHECK(is_whole_error(&err, err.code));
		return 0;
	}
	check(&p);
	text = dw_plan_json(&p);
	FUZZ_CHECK(text);
	FUZZ_CHECK(dw_plan_parse(text, strlen(text), &q, &err) == 0);
	FUZZ_CHECK(q.n == p.n);
	FUZZ_CHECK(!memcmp(q.entry, p.entry, p.n * sizeof(*p.entry)));
	free(text);
	dw_plan_deinit(&p);
	dw_plan_deinit(&q);
	return 0;
}
