/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_STAMP_H
#define DW_TRANSPORT_STAMP_H

/*
 * Marks in read buffers, by which blocks that never arrived are found.
 */
#include <stdbool.h>

#include "scsi/cmd.h"

/** dw_stamped() - is it a command that dw_stamp() marks? */
bool dw_stamped(const struct dw_cmd *cmd);

/**
 * dw_stamp() - mark the buffer for the blocks of a READ before it is sent
 * @cmd: the command; any other is left alone
 *
 * Blocks that never arrive, whatever residual is reported, must not pass for ones that did: the
 * buffer often has the expected contents, from the command before. Head and tail of every 512
 * bytes get a number that no other command had.
 */
void dw_stamp(struct dw_cmd *cmd);

#endif
