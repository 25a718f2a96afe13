/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FLEET_CHAIN_H
#define DW_FLEET_CHAIN_H

/*
 * Chains of a fleet's ledger as folders again, so that they are checked as folders are, by the same
 * code: nothing that the database says of them is believed. Where it has several records for a
 * place, the one counts that somebody who may sign has signed; two of these are a fork.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <diskwipe/error.h>

#include "fleet/db.h"
#include "proof/proof.h"

/**
 * struct fleet_selection - which chains; each NULL or empty = any
 *
 * Those that have a record which says that; what else they have comes with it.
 */
struct fleet_selection {
	const char *serial;
	const char *label;
	const char *customer;
	const char *order;
	const char *asset;
	const char *operator_name;
};

/**
 * struct fleet_chain - a chain as the database tells of it
 * @name: SHA-256 of its first record
 * @records, @heads: rows that it has
 * @last, @head: the highest numbers of these
 */
struct fleet_chain {
	char name[DW_PROOF_HASH];
	uint64_t records;
	uint64_t heads;
	uint64_t last;
	uint64_t head;
};

/** fleet_chains_list() - sorted by their names; @s: NULL = all. free(@ret). 0 or negative errno. */
int fleet_chains_list(struct fleet_db *db, const struct fleet_selection *s,
		      struct fleet_chain **ret, size_t *ret_n, struct dw_error *err);

/**
 * struct fleet_copy - what became of a chain in a folder; fleet_copy_deinit()
 * @head: number of the last record that a head names which is signed by somebody in the list; 0 =
 *	there is none, and the folder is empty
 * @record, @n: the records up to @head, with their hashes; owned
 * @fork: the lowest place that has two signed records; 0 = none
 * @stray: rows that nobody in the list has signed, where somebody has signed another
 * @beyond: records that no head names yet: the rest of them is on its way
 * @genuine: without such a head: its first record is signed by somebody in the list, and is the one
 *	that it is named after
 */
struct fleet_copy {
	uint64_t head;
	struct dw_drawn *record;
	size_t n;
	uint64_t fork;
	uint64_t stray;
	uint64_t beyond;
	bool genuine;
};

/**
 * fleet_chain_copy() - bring a chain to an empty folder
 * @signers: who may sign
 *
 * Return: 0, also of a chain with faults: dw_ledger_check() says of those; negative errno.
 */
int fleet_chain_copy(struct fleet_db *db, const char *chain,
		     const struct dw_signers *signers, const char *dir,
		     struct fleet_copy *ret, struct dw_error *err);

/** fleet_copy_hash() - of a record that was copied; NULL = there is none. */
const char *fleet_copy_hash(const struct fleet_copy *c, uint64_t sequence);

/** fleet_copy_deinit() - free what it owns. */
void fleet_copy_deinit(struct fleet_copy *c);

/** fleet_is_signed() - by somebody in the list, at whatever time? */
bool fleet_is_signed(const struct dw_signers *signers, const char *text, size_t len,
		     const char *sig, size_t sig_len);

#endif
