/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FLEET_CHECK_H
#define DW_FLEET_CHECK_H

/*
 * Is a fleet's ledger what its stations have signed, and all of it? Each chain is copied to a
 * folder and checked there by dw_ledger_check(). One database cannot show by itself that chains
 * were put back to what they once were: a checker remembers how far they had come, and an auditor
 * compares them with the heads that nobody can change.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

#include "fleet/bucket.h"
#include "fleet/chain.h"

/** enum fleet_finding - what is reported of a chain; later ones are worse */
enum fleet_finding {
	FLEET_NOTE,     /* nothing is wrong with that */
	FLEET_UNPROVEN, /* nobody outside can say that it has not been put back */
	FLEET_FAULT,    /* it is not as it was signed, or not whole */
	FLEET_BACK,     /* it had come further, or to something else */
};

/**
 * struct fleet_check - a check, and what it counts
 * @db, @signers: the ledger, and who may sign
 * @state: of a checker, file in which it remembers; NULL = none
 * @all: chains that seem to be as they were are looked at again
 * @resume: of these, those that come after the last one of a look at all that was cut off
 * @accept: what was an alarm is taken as it is now
 * @mark: the database is told how far a chain is whole
 * @bucket: of an auditor; NULL = none
 * @grace: seconds that a record may take from the signature of its head to the database
 * @say: each finding; @ctx: for it
 * @worst: of the findings
 * @chains, @records: that were checked and found whole
 * @passed_over: chains that seem to be as they were
 * @proven: records of these up to a head outside
 */
struct fleet_check {
	struct fleet_db *db;
	const struct dw_signers *signers;
	const char *state;
	bool all;
	bool resume;
	bool accept;
	bool mark;
	struct fleet_bucket *bucket;
	int64_t grace;
	void (*say)(void *ctx, enum fleet_finding f, const char *chain, const char *text);
	void *ctx;
	enum fleet_finding worst;
	uint64_t chains;
	uint64_t records;
	uint64_t passed_over;
	uint64_t proven;
};

/**
 * fleet_verify() - what has come since the last time
 * @signers_file: the list that c->signers was read from
 *
 * Return: 0: it was looked at, c->worst says what was found; negative errno: it could not be. The
 * file c->state is written meanwhile, and after a failure: the next call goes on from there.
 */
int fleet_verify(struct fleet_check *c, const char *signers_file, struct dw_error *err);

/** fleet_audit() - all of it, beside the heads in c->bucket; as fleet_verify(). */
int fleet_audit(struct fleet_check *c, const char *signers_file, struct dw_error *err);

/** fleet_say() - a finding, in the manner of printf. */
void fleet_say(struct fleet_check *c, enum fleet_finding f, const char *chain,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * fleet_check_copy() - is the chain in a folder whole?
 * @folder: it; @copy: how it came there
 * @ret_head: if it is, its last record; else empty
 *
 * Return: 0 or negative errno. Faults are reported.
 */
int fleet_check_copy(struct fleet_check *c, const char *chain, const char *folder,
		     const struct fleet_copy *copy, const char *signers_file,
		     char ret_head[DW_PROOF_HEAD], struct dw_error *err);

#endif
