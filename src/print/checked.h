/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_CHECKED_H
#define DW_PRINT_CHECKED_H

/*
 * Records that go on paper. Nothing is printed of a record that is not as it was signed: the bytes
 * that are printed are those whose signature was checked.
 */
#include <stdbool.h>
#include <stddef.h>

#include <diskwipe/error.h>
#include <diskwipe/proof.h>

/** enum dw_paper_exit - how the program ends; 5 and 9 as `diskwipe records verify` has them */
enum dw_paper_exit {
	DW_PAPER_OK = 0,
	DW_PAPER_FAILED = 1,     /* wrong use, or a file cannot be read or written */
	DW_PAPER_UNSIGNED = 5,   /* a record or ledger is not as it was signed */
	DW_PAPER_UNFINISHED = 9, /* no head names the last record of a ledger */
};

#define DW_PAPER_FINGERPRINT 52 /* "SHA256:", 43 characters, 0 */

/**
 * struct dw_paper_second - the check of a disk that was drawn, from the ledger of its erasure
 * @record: number of the record of the check; 0 = it is not known that there was one
 * @by: who checked
 * @differs: the disk did not hold what its erasure left
 */
struct dw_paper_second {
	uint64_t record;
	char by[128];
	bool differs;
};

/**
 * struct dw_paper_record - a record whose signature was found right
 * @text, @len: its bytes; owned
 * @file: where it was read; owned
 * @hash: their SHA-256
 * @signer: who signed it, by the list
 * @sig, @key: its signature, owned, and the fingerprint of the key; see dw_paper_seals()
 * @before: SHA-256 of the record of a disk before it; what is not of a disk between them in a
 *	folder is passed over
 * @in_chain: its ledger was whole; else it was checked by itself
 * @head: the end of that ledger, as dw_ledger_expect() takes it; else empty
 * @own_signers: the list of who may sign came from the ledger itself
 * @second: whether somebody else has checked the disk
 * @superseded: another attempt at the same disk followed, and its record is among these
 * @later: number of the newest record of a later attempt that did not erase the disk and is not
 *	among these, in the same folder; 0 = none
 */
struct dw_paper_record {
	char *text;
	size_t len;
	char *file;
	char signer[64];
	char *sig;
	char key[DW_PAPER_FINGERPRINT];
	bool in_chain;
	char head[DW_PROOF_HEAD];
	struct dw_proof proof;
	char before[DW_PROOF_HASH];
	char hash[DW_PROOF_HASH];
	bool own_signers;
	bool superseded;
	uint64_t later;
	struct dw_paper_second second;
};

/** struct dw_paper_records - each once, in the order in which they are printed; owned */
struct dw_paper_records {
	struct dw_paper_record *record;
	size_t n;
};

/**
 * struct dw_paper_selection - which records of a ledger
 * @signers: an allowed_signers file, NULL = the one beside the records
 * @serial, @label, @customer, @order, @asset, @operator_name: of the record; NULL = any
 * @job: the beginning of its number; NULL = any
 * @since, @until: written then or later, and before that; 0 = any
 * @last: so many at most, the newest; 0 = all
 */
struct dw_paper_selection {
	const char *signers;
	const char *serial;
	const char *label;
	const char *customer;
	const char *order;
	const char *asset;
	const char *operator_name;
	const char *job;
	time_t since;
	time_t until;
	size_t last;
};

/**
 * dw_paper_read() - read and check records
 * @operand, @n: files, or folders with ledgers
 * @ret: dw_paper_records_deinit()
 * @err: unless 0 is returned, which one and why
 *
 * What is not of a disk in a ledger, like a draw, is checked and passed over.
 *
 * Return: DW_PAPER_OK; DW_PAPER_UNSIGNED, DW_PAPER_UNFINISHED; negative errno.
 */
int dw_paper_read(const char *const *operand, size_t n,
		  const struct dw_paper_selection *s, struct dw_paper_records *ret,
		  struct dw_error *err);

/**
 * dw_paper_fetch() - have diskwipe-ledger bring chains of a fleet's ledger into a folder
 * @database: its address, postgresql://...
 * @s: which; its list of signers is needed. Chains are chosen by it as a whole
 * @dir: an empty folder
 * @ret: folders, one a chain; dw_paper_fetched_free(); also on failure
 * @ret_n: how many
 *
 * The program is looked for beside this one. It says on the standard error what is wrong.
 *
 * Return: 0; DW_PAPER_UNSIGNED and DW_PAPER_FAILED: nothing may be printed; negative errno.
 */
int dw_paper_fetch(const char *database, const struct dw_paper_selection *s,
		   const char *dir, char ***ret, size_t *ret_n, struct dw_error *err);

/** dw_paper_scratch() - a folder for that; malloc'd, NULL with errno. dw_paper_scratch_free(). */
char *dw_paper_scratch(void);

/** dw_paper_scratch_free() - remove it with all that is in it. */
void dw_paper_scratch_free(char *dir);

/** dw_paper_fetched_free() - the list of folders. */
void dw_paper_fetched_free(char **list, size_t n);

/**
 * dw_paper_seals() - read the signature of each record, for papers that have it; once
 * Return: as dw_paper_read(): DW_PAPER_UNSIGNED: one is not of the record any more.
 */
int dw_paper_seals(struct dw_paper_records *in, struct dw_error *err);

/** dw_paper_records_deinit() - what it owns. */
void dw_paper_records_deinit(struct dw_paper_records *in);

#endif
