/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PROOF_PROOF_H
#define DW_PROOF_PROOF_H

/* A ledger as files, and what its parts have in common; see <diskwipe/proof.h>. */
#include <diskwipe/proof.h>

#include "proof/ssh.h"

#define DW_RECORD_MAX 16777216 /* bytes of a record */
#define DW_HEAD_MAX   4096

#define DW_LEDGER_NAME 48 /* bytes of the name of a file in a ledger */

/**
 * struct dw_head - the end of a ledger, now or on a day, signed as records are
 * @sequence, @record: number and SHA-256 of the last record
 * @written: when
 */
struct dw_head {
	uint64_t sequence;
	char record[DW_PROOF_HASH];
	struct timespec written;
};

/** enum dw_entry - what a record of a ledger is about */
enum dw_entry {
	DW_ENTRY_ERASURE,
	DW_ENTRY_DRAW,
	DW_ENTRY_AUDIT,
};

/** dw_proof_link_parse() - of a record of any kind only its sequence, previous, id and written,
 *  which no version changes; 0, -EINVAL, -ENOMEM. */
int dw_proof_link_parse(const char *text, size_t len, enum dw_entry *ret_kind,
			struct dw_proof *ret, struct dw_error *err);

/** dw_audit_json() - in its only form; malloc'd, NULL without memory or out of range. */
char *dw_audit_json(const struct dw_audit *a);

/** dw_audit_follows() - are @a the rows after those that were signed up to @was, or the first ones
 *  of another table? */
bool dw_audit_follows(const struct dw_audit *was, const struct dw_audit *a);

/**
 * struct dw_entry_wanted - which record is looked for
 * @id: NULL = any
 * @after: it stands behind that one
 */
struct dw_entry_wanted {
	enum dw_entry kind;
	const char *id;
	uint64_t after;
};

/**
 * dw_ledger_back() - the last record that is wanted
 * @ret_link: of it sequence, previous, id and written; sequence 0 = there is none
 * @ret_text, @ret_len: it; free(). NULL: not wanted
 *
 * From the record that @from names, each is compared with the hash that the one behind it has.
 *
 * Return: 0; -EINVAL: the chain is broken; another negative errno.
 */
int dw_ledger_back(const char *dir, const struct dw_head *from,
		   const struct dw_entry_wanted *want, struct dw_proof *ret_link,
		   char **ret_text, size_t *ret_len);

/**
 * struct dw_candidate - of a record what a draw has to know
 * @disk: model, serial number and WWN; empty = the disk has neither of the last two
 * @erased: a disk was, not only in a simulation
 * @finished: when; @label: of the job
 */
struct dw_candidate {
	struct dw_drawn drawn;
	char disk[48 + DW_SERIAL_MAX + DW_WWN_MAX];
	bool erased;
	time_t finished;
	char label[64];
};

/** dw_candidate_of() - @hash: of the record. */
void dw_candidate_of(const struct dw_proof *p, const char hash[DW_PROOF_HASH],
		     struct dw_candidate *ret);

/**
 * dw_draw_pick() - draw
 * @d: sequence, previous and the rule are set; seed, population and picked are filled
 * @of, @n: the records; those that stand behind the draw do not count
 *
 * The seed is SHA-256 of "diskwipe-draw PREVIOUS SEQUENCE" and a newline, the rank of a record
 * SHA-256 of "SEED RECORD" and a newline, all in lower case hexadecimal. The lowest ranks are
 * drawn. Of the records of a disk only the last one that meets the rule has a rank: a disk that was
 * erased twice is drawn once.
 *
 * Return: 0, also when nothing was to draw from; -EINVAL: the share is out of range; -ENOMEM, -EIO.
 */
int dw_draw_pick(struct dw_draw *d, const struct dw_candidate *of, size_t n);

/** dw_draw_same() - did they draw the same from as many with the same seed? */
bool dw_draw_same(const struct dw_draw *a, const struct dw_draw *b);

/**
 * struct dw_seconds - who checks whom, as the records of a ledger come by in their order
 * @erased: disks that were erased, each time; owned
 * @pick: what was drawn of them; owned
 */
struct dw_seconds {
	struct dw_erased *erased;
	size_t n_erased;
	struct dw_drawn_disk *pick;
	size_t n_picks;
};

/**
 * dw_seconds_take() - the next record of a disk
 * @hash: its SHA-256
 * @ret_fault: what is wrong with it as a check; NULL = nothing
 *
 * Return: 0 or -ENOMEM.
 */
int dw_seconds_take(struct dw_seconds *s, const struct dw_proof *p,
		    const char hash[DW_PROOF_HASH], const char **ret_fault);

/** dw_seconds_draw() - the next draw; 0 or -ENOMEM. */
int dw_seconds_draw(struct dw_seconds *s, const struct dw_draw *d);

/** dw_draw_json() - in its only form; malloc'd, NULL without memory or out of range. */
char *dw_draw_json(const struct dw_draw *d);

/** dw_draw_parse() - from that; 0, -EINVAL, -ENOMEM; dw_draw_deinit(). */
int dw_draw_parse(const char *text, size_t len, struct dw_draw *ret,
		  struct dw_error *err);

/** enum dw_ledger_file - what a file of a ledger is by its name */
enum dw_ledger_file {
	DW_LEDGER_OTHER,
	DW_LEDGER_RECORD, /* record-00000001.json */
	DW_LEDGER_HEAD,   /* head-00000001.json: the last record is that */
	DW_LEDGER_DAY,    /* day-00000001.json: the last record of a day was that */
};

/** dw_head_json() - in its only form; @kind: DW_LEDGER_HEAD or DW_LEDGER_DAY, which no text of the
 *  other can be taken for; malloc'd, NULL without memory. */
char *dw_head_json(enum dw_ledger_file kind, const struct dw_head *h);

/** dw_head_parse() - from that; 0, -EINVAL, -ENOMEM. */
int dw_head_parse(enum dw_ledger_file kind, const char *text, size_t len,
		  struct dw_head *ret, struct dw_error *err);

/** dw_ledger_name() - the name of a file that is not OTHER; @sig: of its signature. */
const char *dw_ledger_name(enum dw_ledger_file kind, uint64_t sequence, bool sig,
			   char buf[DW_LEDGER_NAME]);

/** dw_ledger_file() - what a name stands for; @ret_sequence: its number; @ret_sig: it is a
 *  signature. */
enum dw_ledger_file dw_ledger_file(const char *name, uint64_t *ret_sequence,
				   bool *ret_sig);

/** struct dw_numbers - numbers in ascending order; @v is owned */
struct dw_numbers {
	uint64_t *v;
	size_t n;
};

/** dw_numbers_last() - the highest; 0 = there is none. */
static inline uint64_t dw_numbers_last(const struct dw_numbers *l)
{
	return l->n ? l->v[l->n - 1] : 0;
}

/** dw_numbers_has() - is it one of them? */
bool dw_numbers_has(const struct dw_numbers *l, uint64_t v);

/**
 * struct dw_ledger_files - the files of a ledger, by their numbers
 * @record: records, with a signature or not
 * @head: heads that have a signature: of one without there may be what was before
 * @day, @day_sig: marks of days, and signatures of those
 */
struct dw_ledger_files {
	struct dw_numbers record;
	struct dw_numbers head;
	struct dw_numbers day;
	struct dw_numbers day_sig;
};

/** dw_ledger_files_list() - 0 or negative errno; dw_ledger_files_deinit() after either. */
int dw_ledger_files_list(const char *dir, struct dw_ledger_files *ret);

/** dw_ledger_files_deinit() - free what it owns. */
void dw_ledger_files_deinit(struct dw_ledger_files *f);

/** dw_build_id() - of the library that runs, hexadecimal, cut to @size - 1; empty = it has none. */
void dw_build_id(char *buf, size_t size);

/** dw_same_day() - are they times of one day (UTC), behind which there is no mark? */
bool dw_same_day(time_t a, time_t b);

/** dw_hash_none() - what stands for the record before the first. */
void dw_hash_none(char ret[DW_PROOF_HASH]);

/** dw_ledger_path() - DIR/NAME; malloc'd, NULL without memory. */
char *dw_ledger_path(const char *dir, const char *name);

/**
 * dw_ledger_hold() - wait until nobody adds to a ledger, and keep it so
 * @dir: the ledger
 *
 * Return: a descriptor that holds the lock until it is closed; negative errno: -ENOENT in a copy,
 * -EBUSY after ten seconds.
 */
int dw_ledger_hold(const char *dir);

/**
 * struct dw_signed - a file and its signature
 * @text, @len: of the file; owned
 * @key: who signed
 * @hash: SHA-256 of the file
 */
struct dw_signed {
	char *text;
	size_t len;
	uint8_t key[DW_ED25519_KEY];
	char hash[DW_PROOF_HASH];
};

/**
 * dw_signed_read() - a file whose signature is right; whose it is, is not judged
 * @path: its signature is @path.sig
 * @max: bytes at most
 * @ret: dw_signed_deinit()
 *
 * Return: 0; 1 the signature is of something else; -ENOENT: one of the two is missing; -EINVAL: the
 * signature is none; another negative errno.
 */
int dw_signed_read(const char *path, size_t max, struct dw_signed *ret);

/** dw_signed_deinit() - free what it owns. */
void dw_signed_deinit(struct dw_signed *s);

/** dw_signed_write() - a file and then its signature, both durable; a file of that name is
 *  replaced. 0 or negative errno, -ENOKEY: the agent does not sign. */
int dw_signed_write(const char *path, const char *text, const struct dw_ssh_key *key);

#endif
