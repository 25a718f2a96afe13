/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erased is the narrowest of the kinds: what is not known to be so is something else. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "print/verdict.h"

static bool is(const struct dw_paper_record *r, const char *outcome)
{
	return !strcmp(r->proof.outcome, outcome);
}

static bool is_proven(const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	return !p->n_exceptions && !r->second.differs &&
	       (!strcmp(p->level, "clear") || !strcmp(p->level, "purge"));
}

enum dw_paper_kind dw_paper_kind(const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	if (p->simulation[0])
		return DW_PAPER_NOT_ERASED;
	if (is(r, "erased"))
		return is_proven(r) ? DW_PAPER_ERASED : DW_PAPER_EXCEPTIONS;
	if (is(r, "erased-with-exceptions"))
		return DW_PAPER_EXCEPTIONS;
	if (is(r, "as-expected") && !p->n_exceptions &&
	    p->verify.done != DW_VERIFIED_NONE)
		return DW_PAPER_AS_EXPECTED;
	return DW_PAPER_NOT_ERASED;
}

bool paper_erased(const struct dw_paper_record *r)
{
	return dw_paper_kind(r) == DW_PAPER_ERASED;
}

const char *paper_reason(const struct dw_paper_record *r)
{
	const struct dw_proof *p = &r->proof;

	if (paper_erased(r))
		return "";
	if (p->simulation[0])
		return "simulation: no disk was touched";
	if (r->second.differs)
		return "a second check found other contents";
	if (p->reason[0])
		return p->reason;
	if (is(r, "erased") && p->level_limit[0])
		return p->level_limit;
	return p->outcome;
}

const char *paper_outcome(const struct dw_paper_record *r)
{
	if (r->proof.simulation[0])
		return "simulated";
	return r->second.differs ? "not-as-expected" : r->proof.outcome;
}

const char *paper_level(const struct dw_paper_record *r)
{
	if (!paper_erased(r))
		return "None";
	return !strcmp(r->proof.level, "purge") ? "Purge" : "Clear";
}

/* "bay 12" and "bay 012" have the word "12", and not "1" or "2". */
static bool has_word(const char *text, const char *word)
{
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		const char *first = at;

		while (first > text && first[-1] == '0')
			first--;
		if ((first == text || !isalnum((unsigned char)first[-1])) &&
		    !isalnum((unsigned char)at[strlen(word)]))
			return true;
	}
	return false;
}

const char *paper_place(const struct dw_proof *p, char *ret)
{
	const char *colon = strrchr(p->info.slot, ':'); /* "ENCLOSURE:SLOT" */
	const char *slot = colon ? colon + 1 : p->info.slot;

	if (!p->bay[0] || !slot[0] || has_word(p->bay, slot))
		snprintf(ret, DW_PAPER_PLACE, "%s", p->bay);
	else
		snprintf(ret, DW_PAPER_PLACE, "%s, %s", p->bay, slot);
	return ret;
}

uint64_t paper_bytes(const struct dw_proof *p)
{
	uint64_t bytes;

	return __builtin_mul_overflow(p->info.blocks, (uint64_t)p->info.block_size,
				      &bytes)
		       ? UINT64_MAX
		       : bytes;
}
