/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_CODEC_ENCODE_H
#define DW_CODEC_ENCODE_H

/*
 * The only place that translates ops into SCSI and back: op to command, and completion to result.
 */
#include "codec/caps.h"
#include "plan/op.h"
#include "scsi/cmd.h"

/**
 * dw_op_timeout_ms() - how long a command may take
 * @caps: the disk; a longer timeout that it recommends itself (RSOC) wins for commands
 *	with an extent
 * @verb: what is done
 * @bytes: bytes that the extent covers on the disk
 *
 * At a rate of 10 MB/s, the slowest that is waited for: READ and WRITE the longer of
 * 60 s (120 s on zoned disks) and 20 s + 10 times the expected time, WRITE SAME 60 s + 5
 * times; SYNCHRONIZE CACHE 180 s, START STOP UNIT 120 s, the others 20 s.
 *
 * Return: ms, 20,000 .. 86,400,000.
 */
uint32_t dw_op_timeout_ms(const struct dw_caps *caps, enum dw_verb verb, uint64_t bytes);

/**
 * dw_operation_timeout_ms() - how long the command of an operation may take
 * @caps: the disk
 * @operation: enum dw_operation
 *
 * One that ends with its command: twice the time that the disk states, else that of its capacity at
 * 25 MB/s; at least 30 minutes. Others have left by then: as dw_op_timeout_ms().
 *
 * Return: ms, at most 14 days.
 */
uint32_t dw_operation_timeout_ms(const struct dw_caps *caps, enum dw_operation operation);

/**
 * dw_encode() - the CDB, direction, length and timeout of an op
 * @caps: the disk
 * @op: verb WRITE, WRITE_SAME, READ, FLUSH, READY or START (IDENTIFY has a sequence of
 *	its own, see identity.h), OPERATE or POLL. nlb > 0 and inside the capacity for the first
 *	three
 * @zeros: WRITE_SAME: the pattern is all zeros, so that NDOB may be used
 * @ret: cdb, cdb_len, dir, data_len, timeout_ms filled and DW_CMD_PASS_FENCE set for
 *	DW_OP_RECOVERY; data, cookie and callbacks are the caller's
 *
 * WRITE(16), READ(16), WRITE SAME(16) and SYNCHRONIZE CACHE(16) where the disk has
 * them, else (10). WRPROTECT and RDPROTECT are 0. FUA only with DW_OP_FUA and @caps->fua.
 * The timeout is the op's, or dw_op_timeout_ms(), dw_operation_timeout_ms() when that is 0.
 *
 * Return: 0; -ERANGE when no CDB of the disk can carry the extent; -EINVAL for a count
 * of 0, an extent past the end or another verb.
 */
int dw_encode(const struct dw_caps *caps, const struct dw_op *op, bool zeros,
	      struct dw_cmd *ret);

/** dw_encode_pattern() - every byte of the medium becomes @byte by the overwrite in @cmd, as
 *  dw_encode() made it: that is said in @list of DW_SANITIZE_LIST_LEN bytes, which becomes the
 *  data of @cmd, or to an ATA disk in the CDB. */
void dw_encode_pattern(const struct dw_self_erase *caps, uint8_t byte, uint8_t *list,
		       struct dw_cmd *cmd);

#define DW_POLL_LEN 64 /* bytes of sense data that DW_VERB_POLL asks for */

#define DW_CACHE_LEN 192 /* bytes of a reply with the caching page */

/** dw_encode_cache() - MODE SENSE of the present caching page, past the fence. @size: 6 or 10;
 *  @buf: DW_CACHE_LEN bytes, cleared. */
void dw_encode_cache(uint8_t size, uint8_t *buf, struct dw_cmd *ret);

/** dw_decode_cache() - whether the write cache is on, by a good completion of that; enum
 *  dw_tristate. */
int8_t dw_decode_cache(const struct dw_completion *done, uint8_t size);

/**
 * dw_decode() - what a completion means
 * @caps: the disk
 * @op: what was asked
 * @done: how it ended
 * @ret: filled, but for what only IDENTIFY and the comparison know: identity is
 *	DW_IDENTITY_UNKNOWN, reset_seen, run and compared are clear
 *
 * DW_CLASS_OK only for status GOOD or CONDITION MET, or CHECK CONDITION with sense key 0
 * or 1 that is not deferred, host status DID_OK, no error and residual 0. Sense data that
 * come with GOOD must pass the same test. Deferred sense data (@ret->deferred) say that
 * an earlier command failed and that this one was not carried out; bad_valid is then
 * never set. A retry is @ret->way where only the host reports that something failed; what is gone
 * is
 * @ret->vanished where the kernel has no such device any more, rather than no connection to it.
 */
void dw_decode(const struct dw_caps *caps, const struct dw_op *op,
	       const struct dw_completion *done, struct dw_result *ret);

/** dw_sense_of_write() - the command failed to write, or reported that an earlier one did. */
bool dw_sense_of_write(const struct dw_op *op, const struct dw_result *r);

#endif
