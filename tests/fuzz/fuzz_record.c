/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a ledger, its heads, and what is made of them: text that ends, what is read is what is
 * written, and no record is of two kinds.
 */
#include <string.h>

#include "fuzz.h"

#include "proof/proof.h"
#include "../unit/error_line.h"

static const char none[DW_PROOF_HASH] = "0";

#define ENDS(text) FUZZ_CHECK(memchr(text, 0, sizeof(text)))

static void check_place(const struct dw_proof *p)
{
	ENDS(p->previous);
	ENDS(p->id);
	FUZZ_CHECK(p->sequence);
}

/* Alone, and as a check of what was drawn: itself. */
static void check_second(const struct dw_proof *p)
{
	struct dw_seconds s = { .n_erased = 0 };
	struct dw_candidate c;
	struct dw_draw d = { .sequence = UINT64_MAX, .share_ppm = 1000000 };
	const char *fault;

	FUZZ_CHECK(!dw_seconds_take(&s, p, none, &fault));
	dw_candidate_of(p, none, &c);
	ENDS(c.disk);
	ENDS(c.label);
	FUZZ_CHECK(c.erased == (s.n_erased == 1));
	FUZZ_CHECK(!dw_draw_pick(&d, &c, 1) && d.n_picked == d.population);
	FUZZ_CHECK(!dw_seconds_draw(&s, &d) && s.n_picks == d.n_picked);
	FUZZ_CHECK(!dw_seconds_take(&s, p, none, &fault));
	dw_draw_deinit(&d);
	free(s.erased);
	free(s.pick);
}

static bool try_erasure(const char *text, size_t len)
{
	struct dw_error err = { 0 };
	struct dw_proof p, again;
	char *first, *second;
	int r = dw_proof_parse(text, len, &p, &err);

	if (r) {
		FUZZ_CHECK(is_whole_error(&err, r));
		return false;
	}
	check_place(&p);
	ENDS(p.info.serial);
	ENDS(p.outcome);
	check_second(&p);
	first = dw_proof_json(&p);
	FUZZ_CHECK(first && !dw_proof_parse(first, strlen(first), &again, NULL));
	second = dw_proof_json(&again);
	FUZZ_CHECK(second && !strcmp(first, second));
	free(first);
	free(second);
	dw_proof_deinit(&again);
	dw_proof_deinit(&p);
	return true;
}

static bool try_draw(const char *text, size_t len)
{
	struct dw_draw d, again;
	char *first;

	if (dw_draw_parse(text, len, &d, NULL))
		return false;
	ENDS(d.seed);
	first = dw_draw_json(&d);
	FUZZ_CHECK(first && !dw_draw_parse(first, strlen(first), &again, NULL));
	FUZZ_CHECK(dw_draw_same(&d, &again));
	free(first);
	dw_draw_deinit(&again);
	dw_draw_deinit(&d);
	return true;
}

static bool try_audit(const char *text, size_t len)
{
	struct dw_audit a, again;
	char *first;

	if (dw_audit_parse(text, len, &a, NULL))
		return false;
	for (uint32_t i = 0; i < a.n_rows; i++)
		ENDS(a.row[i].text);
	dw_audit_follows(&a, &a);
	first = dw_audit_json(&a);
	FUZZ_CHECK(first && !dw_audit_parse(first, strlen(first), &again, NULL));
	FUZZ_CHECK(again.n_rows == a.n_rows && again.last == a.last);
	free(first);
	dw_audit_deinit(&again);
	dw_audit_deinit(&a);
	return true;
}

static bool try_head(enum dw_ledger_file kind, const char *text, size_t len)
{
	struct dw_head h, again;
	char *first;

	if (dw_head_parse(kind, text, len, &h, NULL))
		return false;
	ENDS(h.record);
	first = dw_head_json(kind, &h);
	FUZZ_CHECK(first && !dw_head_parse(kind, first, strlen(first), &again, NULL));
	FUZZ_CHECK(again.sequence == h.sequence && !strcmp(again.record, h.record));
	free(first);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	enum dw_entry kind;
	struct dw_proof link;
	int found =
		try_erasure(text, size) + try_draw(text, size) + try_audit(text, size);
	bool chained = !dw_proof_link_parse(text, size, &kind, &link, NULL);

	FUZZ_CHECK(!found || chained);
	if (chained)
		check_place(&link);
	found += try_head(DW_LEDGER_HEAD, text, size) +
		 try_head(DW_LEDGER_DAY, text, size);
	FUZZ_CHECK(found <= 1);
	return 0;
}
