/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outcome.h"

#include <string.h>

static const char *const words[] = {
	[OUTCOME_NONE] = "",
	[OUTCOME_AS_EXPECTED] = "as-expected",
	[OUTCOME_ERASED] = "erased",
	[OUTCOME_EXCEPTIONS] = "erased-with-exceptions",
	[OUTCOME_REMOVED] = "removed",
	[OUTCOME_STOPPED] = "stopped",
	[OUTCOME_REFUSED] = "refused",
	[OUTCOME_UNPURGED] = "purge-unavailable",
	[OUTCOME_NOT_AS_EXPECTED] = "not-as-expected",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_UNKNOWN] = "unknown",
};

const char *outcome_word(enum svc_outcome o)
{
	return words[o];
}

enum svc_outcome outcome_read(const char *word)
{
	enum svc_outcome o = word ? OUTCOME_NONE : OUTCOME_UNKNOWN;

	while (o < OUTCOME_UNKNOWN && strcmp(words[o], word) != 0)
		o++;
	return o;
}

enum svc_outcome outcome_of(enum dw_outcome o, bool verify_only)
{
	return o == DW_OUTCOME_NONE ? OUTCOME_NONE
				    : outcome_read(dw_outcome_name(o, verify_only));
}

bool outcome_never_began(enum svc_outcome o)
{
	return o == OUTCOME_REFUSED || o == OUTCOME_UNPURGED;
}
