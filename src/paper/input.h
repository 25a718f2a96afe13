/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPER_INPUT_H
#define DW_PAPER_INPUT_H

/*
 * Records that go on paper. Nothing is printed of a record that is not as it was signed: the bytes
 * that are printed are those whose signature was checked.
 */
#include <stdbool.h>
#include <stddef.h>

#include <diskwipe/error.h>
#include <diskwipe/proof.h>

/**
 * struct paper_record - a record, and who signed it
 * @text, @len: its bytes; owned
 * @hash: their SHA-256
 * @file: its name as it was given, or in its ledger; owned
 */
struct paper_record {
	struct dw_proof proof;
	char *text;
	size_t len;
	char hash[DW_PROOF_HASH];
	char *file;
};

/**
 * struct paper_input - all of them, each once
 * @own_signers: the list of signers came from a ledger itself
 */
struct paper_input {
	struct paper_record *record;
	size_t n;
	bool own_signers;
};

/**
 * struct paper_select - which records of a ledger
 * @signers: an allowed_signers file, NULL = the one beside the records
 * @serial: of the disk; NULL = any
 * @since: written then or later; 0 = any
 * @last: so many at most, the newest; 0 = all
 */
struct paper_select {
	const char *signers;
	const char *serial;
	time_t since;
	size_t last;
};

/**
 * paper_input_read() - read and check records
 * @operand, @n: files, or folders with ledgers
 * @ret: paper_input_free()
 * @err: unless 0 is returned, which one and why
 *
 * Return: 0; 1: a record or a ledger is not as it was signed; negative errno.
 */
int paper_input_read(const char *const *operand, size_t n, const struct paper_select *s,
		     struct paper_input *ret, struct dw_error *err);

/** paper_input_free() - what it owns. */
void paper_input_free(struct paper_input *in);

#endif
