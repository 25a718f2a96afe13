/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_WAYS_H
#define CLI_WAYS_H

/* By what disks are erased, and what level that reaches. */
#include <stdio.h>

#include "job/select.h"

/** cli_ways_fit() - leave out the disks on which the level that is asked for cannot be reached.
 *  Nothing is sent to a disk. */
void cli_ways_fit(const struct cli *c, struct cli_selection *s);

/** cli_whole_fit() - leave out the disks whose device would be erased as a whole, while not all of
 *  its logical units are among them, or one is refused; 0 or an exit code. */
int cli_whole_fit(struct cli *c, struct cli_selection *s);

/** cli_whole_say() - on @f, which disks are one device that one command erases. */
void cli_whole_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		   const char *before);

/** cli_ways_say() - of the method auto, on @f, what is chosen for each disk and why; each line
 *  begins with @before. */
void cli_ways_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		  const char *before);

/** cli_ways_inspect() - all ways to erase a disk, and the one that would purge it, for
 *  up to five lines of cli_ways_print(). */
void cli_ways_inspect(struct dw_inspected *ret);

/** cli_ways_print() - these lines, on standard output. */
void cli_ways_print(const struct dw_inspected *d);

#endif
