/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_WORDS_H
#define DISKWIPE_WORDS_H

/* Words that stand where a device is expected, and are no paths: "sg1", a serial number, a WWN, a
 * slot, a name that udev gave. */
#include "cli.h"

/** cli_words_resolve() - put the node in the place of each such word of c->operand that means one
 *  disk, if the command only reads, and of c->pick.exclude. One that means several disks is
 *  refused, and by a command that writes one that means one: what is erased is named by its node.
 *  What means none stays as it is. 0, or an exit code after cli_fail(). */
int cli_words_resolve(struct cli *c);

/** cli_words_without_command() - say what to type for the first word of a command line that is
 *  neither a command nor a device. @near: the command it was probably meant to be, if no disk is
 *  called so; NULL = none. Returns an exit code. */
int cli_words_without_command(struct cli *c, const char *word, const char *near);

/** cli_words_free() - forget the disks whose nodes stand for words. Safe without. */
void cli_words_free(struct cli *c);

#endif
