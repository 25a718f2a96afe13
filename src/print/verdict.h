/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_VERDICT_H
#define DW_PRINT_VERDICT_H

/* What a record allows a paper to say. All papers ask here, so that no two say different things. */
#include <stdbool.h>
#include <stdint.h>

#include "print/checked.h"

#define DW_PAPER_PLACE 132 /* bytes of a place: a bay and a slot */

/** enum dw_paper_kind - what may be said of a disk */
enum dw_paper_kind {
	DW_PAPER_ERASED, /* all of it, on a real disk: a certificate */
	DW_PAPER_EXCEPTIONS, /* but for blocks that are not known to be erased: no certificate */
	DW_PAPER_NOT_ERASED, /* anything else */
	DW_PAPER_AS_EXPECTED, /* it was only read, and held what was expected: no certificate */
	DW_PAPER_KINDS
};

/**
 * dw_paper_kind() - of a record
 *
 * Erased is only what ended so, left no block out, reached a level, was no simulation, and was not
 * found to hold something else by a second check that is in the same ledger.
 */
enum dw_paper_kind dw_paper_kind(const struct dw_paper_record *r);

/** paper_erased() - is the disk proven to be erased? */
bool paper_erased(const struct dw_paper_record *r);

/** paper_reason() - why a disk is not erased, in words that are empty only if it is. */
const char *paper_reason(const struct dw_paper_record *r);

/** paper_outcome() - in one word; of a simulation and of a second check too. */
const char *paper_outcome(const struct dw_paper_record *r);

/** paper_level() - "Clear", "Purge" or "None". */
const char *paper_level(const struct dw_paper_record *r);

/** paper_place() - where the disk was: its bay, and the slot too, as a bay may be a whole shelf;
 *  empty if it had no bay. @ret: DW_PAPER_PLACE bytes. */
const char *paper_place(const struct dw_proof *p, char *ret);

/** paper_bytes() - capacity of the disk, at most UINT64_MAX. */
uint64_t paper_bytes(const struct dw_proof *p);

#endif
