/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_HIDDEN_H
#define CLI_HIDDEN_H

/* Blocks that disks hide, and that are shown again if that is asked for. */
#include <stdio.h>

#include "job/select.h"

/** cli_hidden_restored() - how many blocks a disk is to show again, as far as it reports; 0 unless
 *  that is asked for. */
uint64_t cli_hidden_restored(const struct cli *c, const struct dw_disk_info *info);

/** cli_hidden_say() - on @f, what each disk hides, and what becomes of it; each line begins with
 *  @before. Nothing where blocks are only reported. */
void cli_hidden_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		    const char *before);

#endif
