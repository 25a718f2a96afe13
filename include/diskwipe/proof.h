/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_PROOF_H
#define DISKWIPE_PROOF_H

/*
 * Records that hold up: what came of each disk, signed, in a chain that shows what was changed or
 * taken away. A record is a file of JSON in its only form (keys sorted, no blanks, ASCII, no
 * fractions); its signature is a file beside it that `ssh-keygen -Y verify` checks. A folder of
 * records is a ledger; diskwipe-record(5) describes it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/error.h>
#include <diskwipe/identity.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DW_PROOF_HASH      65                   /* 64 hexadecimal digits and 0 */
#define DW_PROOF_HEAD      (21 + DW_PROOF_HASH) /* "NUMBER:SHA256": the end of a ledger */
#define DW_PROOF_NAMESPACE "diskwipe-record"    /* of the signatures */
#define DW_PROOF_SIGNERS   "allowed_signers"    /* file in a ledger: who may sign */
#define DW_LEVEL_TABLE     1                    /* of docs/records.md, "The level" */
#define DW_ASSET_MAX       64                   /* bytes of a tag, with the 0 */

/** struct dw_drawn - a record that was drawn; @record: its SHA-256 */
struct dw_drawn {
	uint64_t sequence;
	char record[DW_PROOF_HASH];
};

/**
 * struct dw_second - that a disk was compared because it had been drawn
 * @draw: number of the draw; 0 = it was not
 * @drawn: the record
 * @compared: number of the record whose contents were expected: @drawn, or the disk was erased
 *	again since
 * @erased_by: operator of that record
 */
struct dw_second {
	uint64_t draw;
	struct dw_drawn drawn;
	uint64_t compared;
	char erased_by[128];
};

/** struct dw_proof_pass - a pass; times are microseconds */
struct dw_proof_pass {
	char pattern[16];
	char command[32];
	uint64_t microseconds;
	uint64_t bytes;
};

/* A sample that leaves more of the blocks in doubt is no proof, and is never called one. */
#define DW_PROOF_BOUND 0.01

/**
 * struct dw_proof - the record of a disk and an attempt to erase it
 * @sequence: its place in the ledger, from 1
 * @previous: SHA-256 of the record before it; of the first, zeros
 * @id: of the attempt: UUID of the job, "/", number of the disk in it; of a disk that was refused
 *	"/r" and its number, after random digits if there is no job
 * @written: when the record was made
 * @tool: version of the program
 * @host: the machine
 * @operator_name: who erased; @bay: where; @label: of the job; empty = not said
 * @asked_by: user who asked the service for it, as the kernel knows him; @station: its name;
 *	empty = no service
 * @customer, @order_number: as struct dw_job_spec; @asset: tag that the customer gave the disk
 * @job, @strategy, @simulation, @key_check: as struct dw_job_result has them
 * @info: of the disk; of its facts those that a record tells
 * @device: the node under which it was erased
 * @outcome: in words, or "refused"
 * @reason, @method, @level_reason, @command, @signatures, @notes: as struct dw_disk_result
 * @asked_level, @asked_method: of the job: "purge", "auto"; @or_clear: where that level cannot be
 *	reached, clear was to do
 * @medium: "magnetic", "flash", "thin", "unknown"; empty = the disk was refused
 * @level: "clear", "purge", or "none"
 * @level_limit: why it is no higher; empty = it is purge
 * @level_table: version of the table of what reaches which level, DW_LEVEL_TABLE; 0 = not said
 * @purge_requested, @purge_attested, @restored, @hidden_reason, @path: as struct dw_disk_result
 * @health_before, @health_after: how the disk was, as struct dw_disk_result
 * @max_temperature: while it was erased, degrees Celsius, DW_TEMPERATURE_UNKNOWN
 * @bytes_per_second: mean rate of writing, or of its own work
 * @build: of the library: identification that the linker gave it, hexadecimal; empty = none
 * @clock_synchronised: the clock was, by the kernel, when the record was made
 * @started, @finished: of the disk; zero if no command was sent
 * @microseconds, @flush_microseconds, @verify_microseconds, @waited_microseconds: as the seconds of
 *	struct dw_disk_result
 * @forecast_microseconds: when it was to end, counted as @microseconds; 0 = no forecast
 * @bound_ppb: share of blocks that may differ, 99 % confidence, in 1e-9
 * @second: it is the check of a disk that was drawn; not set by dw_proof_of()
 * @pass, @exception: owned
 *
 * Flat but for @verify, @errors and @second, as the record is: a key of diskwipe-record(5) for each
 * member, in the one form that is signed. A key that is not a member would not be read back.
 */
struct dw_proof {
	uint64_t sequence;
	char previous[DW_PROOF_HASH];
	char id[64];
	struct timespec written;
	char tool[32];
	char build[41];
	bool clock_synchronised;
	struct dw_host host;
	char operator_name[128];
	char bay[64];
	char label[64];
	char asked_by[128];
	char station[64];
	char customer[128];
	char order_number[64];
	char asset[DW_ASSET_MAX];
	char job[37];
	char strategy[24];
	char simulation[16];
	char key_check[17];
	struct dw_disk_info info;
	char device[64];
	char outcome[32];
	char reason[256];
	char method[32];
	char level[16];
	char level_reason[256];
	char level_limit[96];
	uint32_t level_table;
	bool purge_requested;
	bool purge_attested;
	char medium[16];
	char asked_level[8];
	char asked_method[32];
	bool or_clear;
	struct dw_restored restored[DW_RESTORED_MAX];
	uint32_t n_restored;
	char hidden_reason[160];
	char path[32];
	char command[32];
	char signatures[128];
	char notes[8][160];
	uint32_t n_notes;
	struct dw_health health_before;
	struct dw_health health_after;
	int32_t max_temperature;
	uint64_t bytes_per_second;
	struct timespec started;
	struct timespec finished;
	uint64_t microseconds;
	uint64_t flush_microseconds;
	uint64_t verify_microseconds;
	uint64_t waited_microseconds;
	uint64_t forecast_microseconds;
	uint64_t bytes_written;
	uint64_t bytes_verified;
	uint64_t bytes_compared;
	uint64_t commands;
	struct dw_proof_pass *pass;
	uint32_t n_passes;
	struct dw_exception *exception;
	uint32_t n_exceptions;
	struct {
		char mode[24];
		enum dw_verified done;
		uint64_t read;
		uint64_t samples;
		char seed[17];
		uint64_t mismatches;
		uint64_t bound_ppb;
		bool fua;
		uint32_t places;
		uint32_t planted, found;
		uint64_t compared;
		uint64_t skipped_ppb;
		char not_compared[128];
	} verify;
	struct {
		uint64_t retried;
		uint64_t split;
		uint64_t timeouts;
		uint64_t resets;
	} errors;
	struct dw_second second;
};

/** struct dw_proof_place - who and where, which a job does not know; NULL = not said */
struct dw_proof_place {
	const char *operator_name;
	const char *bay;
	const char *label;
	const char *asset;
};

/** struct dw_asset - a disk, by its serial number, and the tag that its owner gave it */
struct dw_asset {
	char serial[DW_SERIAL_MAX];
	char tag[DW_ASSET_MAX];
};

/** struct dw_assets - a list of them; owned */
struct dw_assets {
	struct dw_asset *asset;
	size_t n;
};

/**
 * dw_assets_read() - read a list of tags
 * @path: CSV (RFC 4180): serial number and tag, separated by commas or, if the first line has one
 *	before any comma, by semicolons; further columns are passed over. A first line that begins
 *	with "serial" is a heading
 * @ret: dw_assets_deinit()
 * @err: on failure the line and why: too long, no text, or a serial number with two tags
 *
 * Return: 0; -EINVAL; another negative errno.
 */
DW_PUBLIC int dw_assets_read(const char *path, struct dw_assets *ret,
			     struct dw_error *err);

/** dw_assets_find() - the tag of the disk with that serial number; NULL = it has none. */
DW_PUBLIC const char *dw_assets_find(const struct dw_assets *a, const char *serial);

/** dw_assets_deinit() - what it owns. */
DW_PUBLIC void dw_assets_deinit(struct dw_assets *a);

/**
 * dw_proof_of() - what a record says of one disk of a job that has ended
 * @result: of the job
 * @disk: its number; from @result->n_disks on, the refused ones
 * @place: NULL = nothing of it is said
 * @ret: dw_proof_deinit()
 *
 * Return: 0; -EINVAL: there is no such disk; -ENOMEM.
 */
DW_PUBLIC int dw_proof_of(const struct dw_job_result *result, size_t disk,
			  const struct dw_proof_place *place, struct dw_proof *ret);

/** dw_proof_deinit() - free what it owns. */
DW_PUBLIC void dw_proof_deinit(struct dw_proof *p);

/** dw_proof_json() - in its only form, with a newline; malloc'd; NULL without memory, or when a
 *  value is out of range. */
DW_PUBLIC char *dw_proof_json(const struct dw_proof *p);

/**
 * dw_proof_parse() - from that
 * @text, @len: the record
 * @ret: dw_proof_deinit()
 * @err: the key where it is wrong
 *
 * Return: 0; -EINVAL: it is no record, or not in its only form; -ENOMEM.
 */
DW_PUBLIC int dw_proof_parse(const char *text, size_t len, struct dw_proof *ret,
			     struct dw_error *err);

struct dw_ledger;

/**
 * dw_ledger_open() - a folder to which records are added
 * @dir: made if it is missing
 * @key: a key file of OpenSSH (Ed25519) without a passphrase that only its owner may read; or a
 *	public one of which an agent has the private one
 * @ret: dw_ledger_close()
 * @err: on failure why
 *
 * What was cut off while the last record was written is finished, or written again. One process at
 * a time has a ledger open; others wait up to 10 s. So close it when nothing is to be added.
 *
 * Return: 0; -EBUSY; -EINVAL: it is not whole; another negative errno.
 */
DW_PUBLIC int dw_ledger_open(const char *dir, const char *key, struct dw_ledger **ret,
			     struct dw_error *err);

/** dw_ledger_open_now() - the same; -EBUSY if another process has it open, without waiting. */
DW_PUBLIC int dw_ledger_open_now(const char *dir, const char *key, struct dw_ledger **ret,
				 struct dw_error *err);

/**
 * dw_ledger_find() - the record of an attempt
 * @id: of struct dw_proof
 * @after: it is looked for behind that record; a number that the ledger does not have is of another
 *	one, and all of this one is looked at
 * @ret_sequence: its number
 *
 * Return: 1; 0 there is none; negative errno.
 */
DW_PUBLIC int dw_ledger_find(struct dw_ledger *l, const char *id, uint64_t after,
			     uint64_t *ret_sequence, struct dw_error *err);

/**
 * dw_ledger_add() - one more record, signed and durable before this returns
 * @p: its sequence, previous and written are set
 *
 * A record whose id is that of the last one is not written twice.
 *
 * Return: 0; 1 it was there, under that sequence; negative errno.
 */
DW_PUBLIC int dw_ledger_add(struct dw_ledger *l, struct dw_proof *p,
			    struct dw_error *err);

/**
 * struct dw_draw - which erased disks are to be checked a second time, as a record
 * @sequence, @previous, @id, @written, @tool, @operator_name: as of struct dw_proof
 * @host: where it was drawn
 * @share_ppm: share that is drawn, 1 to 1000000 in 1e-6, rounded up to whole disks
 * @since, @until: finished from then on, and before that; zero = no limit
 * @label: of the job; empty = any
 * @population: erased disks whose records stand before it and meet the rule; of those of a disk the
 *	last one counts
 * @seed: what was drawn with; it follows from @previous and @sequence
 * @picked: in the order of the ledger; owned
 */
struct dw_draw {
	uint64_t sequence;
	char previous[DW_PROOF_HASH];
	char id[64];
	struct timespec written;
	char tool[32];
	struct dw_host host;
	char operator_name[128];
	uint64_t share_ppm;
	struct timespec since;
	struct timespec until;
	char label[64];
	uint64_t population;
	char seed[DW_PROOF_HASH];
	struct dw_drawn *picked;
	uint32_t n_picked;
};

/**
 * dw_ledger_draw() - draw among the records of a ledger, and add the draw to it
 * @d: the rule and who draws; the rest is set here. dw_draw_deinit()
 *
 * Return: 0; -ENOENT: no record meets the rule, nothing was added; -EINVAL: the share is out of
 * range, or a record is not whole; another negative errno.
 */
DW_PUBLIC int dw_ledger_draw(struct dw_ledger *l, struct dw_draw *d,
			     struct dw_error *err);

/** dw_draw_deinit() - free what it owns. */
DW_PUBLIC void dw_draw_deinit(struct dw_draw *d);

/**
 * struct dw_audit_row - who asked a service for what
 * @row: its number in the table of the service, from 1
 * @at: microseconds since the epoch
 * @uid, @pid, @loginuid: of the process; UINT32_MAX = the service itself, or not known
 * @comm: name of the process; @bus: its name on the bus, or empty
 * @what: "submit"; @job: UUID, or empty; @text: in words
 */
struct dw_audit_row {
	uint64_t row;
	uint64_t at;
	uint32_t uid;
	uint32_t pid;
	uint32_t loginuid;
	char comm[32];
	char bus[64];
	char what[32];
	char job[37];
	char text[1024];
};

/**
 * struct dw_audit - rows of the audit trail of a service, as a record
 * @sequence, @previous, @id, @written, @tool: as of struct dw_proof
 * @host: of the service
 * @store: of which table: when its first row was written, microseconds since the epoch; 0 = it has
 *	none yet
 * @first, @last: numbers of its rows; without rows @last is @first - 1
 * @row: without a gap, owned; 0 rows = nothing was asked for since the record before
 */
struct dw_audit {
	uint64_t sequence;
	char previous[DW_PROOF_HASH];
	char id[64];
	struct timespec written;
	char tool[32];
	struct dw_host host;
	uint64_t store;
	uint64_t first;
	uint64_t last;
	struct dw_audit_row *row;
	uint32_t n_rows;
};

/**
 * dw_ledger_audit() - rows of the audit trail, signed and durable before this returns
 * @a: store and rows; the rest is set here
 *
 * Return: 0; -EINVAL: the rows do not follow upon those of the record before; another negative
 * errno.
 */
DW_PUBLIC int dw_ledger_audit(struct dw_ledger *l, struct dw_audit *a,
			      struct dw_error *err);

/**
 * dw_ledger_audited() - how far the audit trail has been signed
 * @ret: of the last audit record of the ledger store, last and written; without rows. No record:
 *	zero
 *
 * Return: 0; -EINVAL: the ledger is not whole; another negative errno.
 */
DW_PUBLIC int dw_ledger_audited(struct dw_ledger *l, struct dw_audit *ret,
				struct dw_error *err);

/** dw_audit_parse() - from a record; 0; -EINVAL: it is no audit record, or rows are missing in it;
 *  -ENOMEM. dw_audit_deinit(). */
DW_PUBLIC int dw_audit_parse(const char *text, size_t len, struct dw_audit *ret,
			     struct dw_error *err);

/** dw_audit_deinit() - free what it owns. */
DW_PUBLIC void dw_audit_deinit(struct dw_audit *a);

/** dw_ledger_close() - NULL is accepted. */
DW_PUBLIC void dw_ledger_close(struct dw_ledger *l);

/**
 * dw_seal_write() - say how a file is
 * @file: nobody uses it any more
 * @key: as dw_ledger_open() takes it
 * @err: on failure why
 *
 * FILE.sha256 is as sha256sum makes it, and FILE.sha256.sig its signature; both are durable.
 *
 * Return: 0 or negative errno.
 */
DW_PUBLIC int dw_seal_write(const char *file, const char *key, struct dw_error *err);

/** dw_seal_break() - before a file is used again: its seal is removed; 0, also if there was none,
 *  or negative errno. */
DW_PUBLIC int dw_seal_break(const char *file);

/**
 * dw_seal_check() - is a file as it was sealed?
 * @signers: an allowed_signers file
 * @at: when it was sealed, at the latest: the key must have been valid
 * @err: unless 0 or -ENOENT is returned, why
 *
 * Return: 0; 1 it, or its seal, is not as it was; -ENOENT: it has no seal; another negative errno.
 */
DW_PUBLIC int dw_seal_check(const char *file, const char *signers, time_t at,
			    struct dw_error *err);

/** struct dw_proof_fault - what is wrong with a ledger or a record; @file: in the ledger */
struct dw_proof_fault {
	char file[64];
	char reason[192];
};

/**
 * struct dw_erased - an erased disk, by its record
 * @of: the record
 * @operator_name: who erased; of a service, if nobody is named, who asked it
 * @asked_by: the latter
 * @pattern: what its last pass left, as struct dw_job_spec has it; empty = nobody can tell what is
 *	to be read on the disk
 * @key_check: of random passes
 */
struct dw_erased {
	struct dw_drawn of;
	char model[48];
	char serial[DW_SERIAL_MAX];
	char wwn[DW_WWN_MAX];
	char operator_name[128];
	char asked_by[128];
	char pattern[16];
	char key_check[17];
};

/** dw_erased_identity() - which disk it was; borrows its text. */
DW_PUBLIC struct dw_identity dw_erased_identity(const struct dw_erased *e);

/**
 * struct dw_drawn_disk - a disk that was drawn, and what came of it
 * @draw: number of the draw
 * @drawn: as it was drawn; @last: as it was erased last, then or later
 * @checked: number of the record of the check; 0 = it is open
 * @checked_by: who did that; @outcome: "as-expected" or "not-as-expected". The latter stays, and a
 *	check that was stopped after it had read other contents has found it; one that was cut off
 *	before leaves it open
 */
struct dw_drawn_disk {
	uint64_t draw;
	struct dw_erased drawn;
	struct dw_erased last;
	uint64_t checked;
	char checked_by[128];
	char outcome[32];
};

/**
 * dw_drawn_may_check() - may that person check it: is it neither who erased it?
 *
 * Names are compared by their letters and digits, without regard to case: "Ann B." is "ann b". A
 * name that is empty, or was when the disk was erased, may not.
 */
DW_PUBLIC bool dw_drawn_may_check(const struct dw_drawn_disk *p,
				  const char *operator_name);

/**
 * struct dw_proof_check - what a look at a ledger found
 * @records: that are signed and in their place
 * @simulated: of these, so many say of themselves that no disk was touched
 * @fault, @n: what is wrong; owned
 * @unfinished: the writing of the last record was cut off; it is not counted
 * @headless: the same of a record that is signed: no head says that it is the last one, so that
 *	records behind it may have been taken away as well. Who adds the next one finishes it
 * @head: of a ledger that is whole, its last record, "NUMBER:SHA256"; else empty
 * @signers: where the keys came from was the ledger itself: who can change it can change them
 * @first, @last: when the records were written
 * @pick, @n_picks: what its draws drew, in their order; owned; of a whole ledger
 */
struct dw_proof_check {
	uint64_t records;
	uint64_t simulated;
	struct dw_proof_fault *fault;
	size_t n;
	bool unfinished;
	bool headless;
	char head[DW_PROOF_HEAD];
	bool own_signers;
	struct timespec first;
	struct timespec last;
	struct dw_drawn_disk *pick;
	size_t n_picks;
};

/**
 * dw_ledger_check() - is a ledger whole, in order, and signed by those who may?
 * @dir: the ledger; it is only read
 * @signers: an allowed_signers file (ssh-keygen(1)); NULL = the one in the ledger
 * @ret: dw_proof_check_deinit()
 * @err: on failure why
 *
 * Return: 0 it was looked at, see @ret->n; negative errno: it cannot be.
 */
DW_PUBLIC int dw_ledger_check(const char *dir, const char *signers,
			      struct dw_proof_check *ret, struct dw_error *err);

/**
 * dw_ledger_expect() - was a ledger that was checked not put back behind a head?
 * @head: "NUMBER:SHA256" as a certificate, diskwipe-send and @head of a check had it earlier
 * @c: of dw_ledger_check(): a fault is added if that record is missing, or is another
 *
 * A ledger that has grown since has that record as well.
 *
 * Return: 0; -EINVAL: @head is none; another negative errno.
 */
DW_PUBLIC int dw_ledger_expect(const char *dir, const char *head,
			       struct dw_proof_check *c, struct dw_error *err);

/** dw_record_check() - the same of one record by itself, its signature beside it as FILE.sig;
 *  @signers is needed. What was before and after it is not looked at. */
DW_PUBLIC int dw_record_check(const char *file, const char *signers,
			      struct dw_proof_check *ret, struct dw_error *err);

/** dw_proof_check_deinit() - free what it owns. */
DW_PUBLIC void dw_proof_check_deinit(struct dw_proof_check *c);

/**
 * dw_record_key() - a new pair of keys, in @path and @path.pub
 * @name: whose it is: "station-3@example.org"
 * @ret_line: for an allowed_signers file; free()
 *
 * Return: 0; -EEXIST; -EINVAL: the name has blanks, commas or the like; another negative errno.
 */
DW_PUBLIC int dw_record_key(const char *path, const char *name, char **ret_line,
			    struct dw_error *err);

#ifdef __cplusplus
}
#endif

#endif
