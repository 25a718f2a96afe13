/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_SLOTS_H
#define DW_ENGINE_SLOTS_H

/* Ops become commands of a disk, and completions results. */
#include "codec/encode.h"
#include "scsi/cdb.h"

#define DW_REPLY_LEN 192 /* a caching page, sense data, a list of parameters */

_Static_assert(DW_CACHE_LEN <= DW_REPLY_LEN && DW_POLL_LEN <= DW_REPLY_LEN &&
		       DW_SANITIZE_LIST_LEN <= DW_REPLY_LEN,
	       "each fits");

/**
 * struct job_slot - one op on its way
 * @disk: whose it is; for the disk's threads
 * @buffer: data of its own, or NULL
 * @found: what the comparison of a READ found
 * @compare_error: negative errno of the comparison
 * @identify: state of an identification
 * @refused: a flush was, as this says; while @cache_cdb_len is not 0, the caching page is asked
 *	for with a CDB of that length, into @reply
 * @looks: a block is read: before a poll, or as what it told, @refused, is not enough; or neither
 * @attention: a unit attention it met that tells of no reset, or all zero
 * @first_ns: when it began
 */
struct job_slot {
	struct dw_op op;
	struct dw_cmd cmd;
	struct job_disk *disk;
	struct dw_source *source;
	void *buffer;
	struct dw_identify *identify;
	uint8_t cache_cdb_len;
	enum { LOOKS_NOT, LOOKS_BEFORE, LOOKS_AFTER } looks;
	struct dw_result refused;
	uint8_t reply[DW_REPLY_LEN];
	struct dw_result attention;
	uint64_t first_ns;
	int compare_error;
	struct dw_result found;
};

/** job_submit() - turn an op into a command and hand it to the disk's transport; -errno. */
int job_submit(struct dw_engine *e, const struct dw_op *op);

/** job_complete() - turn a completion into a result and give it to the core; -errno. */
int job_complete(struct dw_engine *e, const struct dw_completion *done);

/** job_fill() - the contents of disk @d are ours: the data of a command; 0 or -ENOMEM. */
int job_fill(struct job_disk *d, struct job_slot *s);

/** job_local_result() - a result that needs no transport, for the next round; 0, -ENOMEM. */
int job_local_result(struct dw_engine *e, const struct dw_result *result);

#endif
