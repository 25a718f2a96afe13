/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_ENCODE_H
#define DW_DEVICE_ENCODE_H

/*
 * The only place where neutral words become SCSI and back: op to command on the way
 * down, completion to result on the way up.
 */
#include "device/caps.h"
#include "plan/op.h"
#include "scsi/cmd.h"

/**
 * dw_encode() - the CDB, direction, length and timeout of an op
 * @caps: the disk
 * @op: verb WRITE, WRITE_SAME, READ, FLUSH, READY or START (IDENTIFY has a sequence of
 *	its own, see identity.h). nlb > 0 and inside the capacity for the first three
 * @zeros: WRITE_SAME: the pattern is all zeros, so that NDOB may be used
 * @ret: cdb, cdb_len, dir, data_len, timeout_ms filled and DW_CMD_PASS_FENCE set for
 *	DW_OP_RECOVERY; data, cookie and callbacks are the caller's
 *
 * WRITE(16), READ(16), WRITE SAME(16) and SYNCHRONIZE CACHE(16) where the disk has
 * them, else (10). WRPROTECT and RDPROTECT are 0. FUA only with DW_OP_FUA and @caps->fua.
 *
 * Return: 0; -ERANGE when no CDB of the disk can carry the extent; -EINVAL for a count
 * of 0, an extent past the end or another verb.
 */
int dw_encode(const struct dw_caps *caps, const struct dw_op *op, bool zeros,
	      struct dw_cmd *ret);

/**
 * dw_decode() - what a completion means
 * @caps: the disk
 * @op: what was asked
 * @done: how it ended
 * @ret: everything but identity and mismatch fields is filled
 *
 * DW_CLASS_OK only for status GOOD or CONDITION MET, or CHECK CONDITION with sense key 0 or
 * 1 that is not deferred, host status DID_OK, no error and residual 0.
 */
void dw_decode(const struct dw_caps *caps, const struct dw_op *op,
	       const struct dw_completion *done, struct dw_result *ret);

#endif
