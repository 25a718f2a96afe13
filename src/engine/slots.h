/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_SLOTS_H
#define DW_ENGINE_SLOTS_H

/* Turns ops of the core into commands of a disk, and completions into results. */
#include "codec/encode.h"
#include "scsi/cdb.h"

#define DW_REPLY_LEN                                                                     \
	192 /* the longest of a caching page, sense data and a parameter list */

_Static_assert(DW_CACHE_LEN <= DW_REPLY_LEN && DW_POLL_LEN <= DW_REPLY_LEN &&
		       DW_SANITIZE_LIST_LEN <= DW_REPLY_LEN,
	       "each fits");

/**
 * struct job_slot - one op that is under way, with its command
 * @op: the op; @cmd: the command in flight
 * @disk: its disk; for the disk's threads
 * @source: the data of its pass
 * @buffer: a data buffer of its own; NULL = none
 * @identify: state of an identification; owned
 * @cache_cdb_len: length of the CDB that the caching page is being asked for with, into @reply,
 *	after a flush was refused; 0 = it is not being asked for
 * @probe: whether a block is being read, before a poll or because the answer to it, @refused, was
 *	not enough
 * @refused: the answer to a refused flush, or to a poll that is followed by a probe
 * @reply: data of commands about the disk itself
 * @attention: a unit attention during an identification that reports no reset; all zero = none
 * @first_ns: when the first command of an identification was sent
 * @compare_error: negative errno of the comparison, 0 = none
 * @found: what the comparison of a READ found
 */
struct job_slot {
	struct dw_op op;
	struct dw_cmd cmd;
	struct job_disk *disk;
	struct dw_source *source;
	void *buffer;
	struct dw_identify *identify;
	uint8_t cache_cdb_len;
	enum { PROBE_NONE, PROBE_BEFORE, PROBE_AFTER } probe;
	struct dw_result refused;
	uint8_t reply[DW_REPLY_LEN];
	struct dw_result attention;
	uint64_t first_ns;
	int compare_error;
	struct dw_result found;
};

/** job_submit() - turn an op into a command, and send it to the transport of its disk; 0 or
 *  -errno. */
int job_submit(struct dw_engine *e, const struct dw_op *op);

/** job_complete() - turn a completion into a result, and pass it to the core; 0 or -errno. */
int job_complete(struct dw_engine *e, const struct dw_completion *done);

/** job_fill() - set the data of the command of a slot of disk @d; 0 or -ENOMEM. */
int job_fill(struct job_disk *d, struct job_slot *s);

/** job_local_result() - queue a result that needs no transport, for the next round; 0,
 *  -ENOMEM. */
int job_local_result(struct dw_engine *e, const struct dw_result *result);

#endif
