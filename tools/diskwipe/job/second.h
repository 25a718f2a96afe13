/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SECOND_H
#define DISKWIPE_SECOND_H

/* The second person, who compares disks that a draw of a ledger has drawn. */
#include "job/select.h"

/** cli_second_read() - the draws of --record into c->sign.drawn. 0, also without --drawn, or an
 *  exit code after cli_fail(). */
int cli_second_read(struct cli *c);

/** cli_second_select() - leave in what is drawn and open, and may be checked by who asks; what it
 *  is compared with follows from the records and is set in c->spec. 0, or an exit code. */
int cli_second_select(struct cli *c, struct cli_selection *s);

/** cli_second_note() - enter into the record of a disk which record is checked by it; the ledger is
 *  open for writing. */
void cli_second_note(struct cli *c, struct dw_proof *p);

/** cli_second_status() - print what was drawn and what came of it: diskwipe qc status. */
int cli_second_status(struct cli *c);

#endif
