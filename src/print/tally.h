/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_TALLY_H
#define DW_PRINT_TALLY_H

/* Many records at once: how many disks with what outcome, by whom, when. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "print/verdict.h"

/** struct paper_group - records that have something in common; @bytes: of their disks */
struct paper_group {
	char name[128];
	size_t n;
	uint64_t bytes;
};

/** enum paper_by - by what they are counted */
enum paper_by {
	PAPER_BY_OUTCOME,
	PAPER_BY_LEVEL,
	PAPER_BY_METHOD,
	PAPER_BY_OPERATOR,
	PAPER_BY_DAY, /* UTC, when the record was written */
	PAPER_BY_CUSTOMER,
	PAPER_BY_ORDER,
	PAPER_BY_COUNT
};

/**
 * struct paper_summary - the counts
 * @in: the records; borrowed
 * @group, @n_groups: each record is in one group of each kind; those with most records first, days
 *	in their order; owned
 * @kind: how many disks there are of each, by the last attempt; @bytes: what those hold that are
 *	proven to be erased
 * @earlier: attempts at them that others followed
 * @simulated: no disks
 * @gap, @n_gaps: numbers of records before which one is missing here; owned
 * @own_signers: of one of them the list of signers came from its ledger
 * @first, @last: when they were written
 */
struct paper_summary {
	const struct dw_paper_records *in;
	struct paper_group *group[PAPER_BY_COUNT];
	size_t n_groups[PAPER_BY_COUNT];
	size_t kind[DW_PAPER_KINDS];
	size_t earlier;
	size_t simulated;
	uint64_t bytes;
	bool own_signers;
	uint64_t *gap;
	size_t n_gaps;
	struct timespec first;
	struct timespec last;
};

/** paper_by_name() - "outcome", "level", ... */
const char *paper_by_name(enum paper_by by);

/** paper_summary() - count; 0 or -ENOMEM. paper_summary_free(). */
int paper_summary(const struct dw_paper_records *in, struct paper_summary *ret);

/** paper_not_erased() - how many disks are not proven to be erased; what was only read and was as
 *  expected does not count. */
size_t paper_not_erased(const struct paper_summary *s);

/** paper_summary_free() - what it owns. */
void paper_summary_free(struct paper_summary *s);

/** paper_summary_html() - one page, without scripts and without anything from elsewhere. */
void paper_summary_html(FILE *f, const struct paper_summary *s);

/** paper_summary_figures() - the runs as SVG within that page. */
void paper_summary_figures(FILE *f, const struct paper_summary *s);

/** paper_summary_csv() - a line of headings, then one for each record (RFC 4180). */
void paper_summary_csv(FILE *f, const struct paper_summary *s);

/** paper_summary_json() - the counts of disks, then the records as they were signed. */
void paper_summary_json(FILE *f, const struct paper_summary *s);

#endif
