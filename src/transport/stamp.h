/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_STAMP_H
#define DW_TRANSPORT_STAMP_H

#include <stdbool.h>

#include "scsi/cmd.h"

/** dw_stamped() - is it a command that dw_stamp() marks? */
bool dw_stamped(const struct dw_cmd *cmd);

/**
 * dw_stamp() - mark the room for the blocks of a READ before it goes out
 * @cmd: the command; any other is left alone
 *
 * Blocks that never arrive, whatever residual is told, must not pass for ones that did: what
 * lies in the buffer is often what is expected, left by the command before. Head and tail of
 * every 512 bytes get a number that no other command had.
 */
void dw_stamp(struct dw_cmd *cmd);

#endif
