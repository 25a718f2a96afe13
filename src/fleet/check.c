/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a checker and an auditor have in common: a chain in a folder, and what is reported of it. */
#include "fleet/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FAULTS_MAX 5 /* of a chain; more are counted */

void fleet_say(struct fleet_check *c, enum fleet_finding f, const char *chain,
	       const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (f > c->worst)
		c->worst = f;
	c->say(c->ctx, f, chain, text);
}

static void tell_faults(struct fleet_check *c, const char *chain,
			const struct dw_proof_check *found)
{
	for (size_t i = 0; i < found->n && i < FAULTS_MAX; i++)
		fleet_say(c, FLEET_FAULT, chain, "%s: %s", found->fault[i].file,
			  found->fault[i].reason);
	if (found->n > FAULTS_MAX)
		fleet_say(c, FLEET_FAULT, chain, "%zu more are wrong",
			  found->n - FAULTS_MAX);
}

int fleet_check_copy(struct fleet_check *c, const char *chain, const char *folder,
		     const struct fleet_copy *copy, const char *signers_file,
		     char ret_head[DW_PROOF_HEAD], struct dw_error *err)
{
	struct dw_proof_check found;
	const char *first;
	bool named;
	int r;

	ret_head[0] = '\0';
	if (copy->stray && copy->head)
		fleet_say(c, FLEET_NOTE, chain,
			  "%" PRIu64
			  " rows that nobody in the list has signed are in it, "
			  "and passed over",
			  copy->stray);
	if (copy->fork)
		fleet_say(c, FLEET_BACK, chain,
			  "there are two signed records %" PRIu64
			  ": its ledger was copied or put back, and went on in two ways",
			  copy->fork);
	if (!copy->head) {
		fleet_say(c, copy->stray ? FLEET_FAULT : FLEET_NOTE, chain,
			  copy->stray ? "nobody in the list has signed its heads"
				      : "no head of it has come yet: it does not count");
		return 0;
	}
	r = dw_ledger_check(folder, signers_file, &found, err);
	if (r)
		return r;
	tell_faults(c, chain, &found);
	first = fleet_copy_hash(copy, 1);
	named = first && !strcmp(first, chain);
	if (first && !named)
		fleet_say(c, FLEET_FAULT, chain,
			  "its first record is not the one whose hash it is named after");
	if (!found.n && !found.headless && !copy->fork && named) {
		memcpy(ret_head, found.head, DW_PROOF_HEAD);
		c->chains++;
		c->records += found.records;
	}
	if (copy->beyond)
		fleet_say(c, FLEET_NOTE, chain,
			  "%" PRIu64 " records that no head names yet do not count",
			  copy->beyond);
	dw_proof_check_deinit(&found);
	return 0;
}
