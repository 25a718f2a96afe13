/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_PATH_END_H
#define DW_TRANSPORT_PATH_END_H

/*
 * What the end of a command says about its path, if that is something else than what it reports
 * about the disk.
 */
#include <stdbool.h>

#include "scsi/cmd.h"

/** dw_path_gone() - no device answers at the end of this path. */
bool dw_path_gone(const struct dw_completion *done);

/**
 * dw_path_failed() - the path did not carry the command, or not to its end
 * @done: how it ended
 *
 * It is gone, the transport was disrupted, no answer came in time, or the port does not take
 * commands now (SPC: 2/04/0A-0C). Whether the disk carried the command out is not known.
 */
bool dw_path_failed(const struct dw_completion *done);

/** dw_path_unsent() - the command was returned as DID_ABORT, without an answer of the disk, and
 *  at once: an adapter that aborts a command after its time reports the same. The kernel returns
 *  so what it does not pass to the adapter: a CDB longer than its max_cmd_len
 *  (drivers/scsi/scsi_lib.c, scsi_dispatch_cmd()), which is 12 bytes unless a driver sets it. */
bool dw_path_unsent(const struct dw_completion *done);

/** dw_path_attention() - a unit attention (SAM), or a lease of writing that was not renewed: the
 *  command was not carried out, and another disk may be behind the path. */
bool dw_path_attention(const struct dw_completion *done);

#endif
