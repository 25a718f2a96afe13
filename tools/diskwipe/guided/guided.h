/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_GUIDED_H
#define DISKWIPE_GUIDED_H

/* Plain `diskwipe` on a terminal. */
#include "cli.h"

/** cli_guided_can() - whether somebody sits there: it reads, writes and asks on a terminal. */
bool cli_guided_can(void);

/** cli_guided() - show the disks, have some marked, and call erase, or submit where the service
 *  runs, with what was chosen. Exit code. */
int cli_guided(struct cli *c);

#endif
