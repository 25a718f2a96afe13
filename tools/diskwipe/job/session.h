/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SESSION_H
#define DISKWIPE_SESSION_H

/* One job from the selected disks to the printed result. */
#include "job/select.h"

/** cli_session_check() - whether c->spec makes a job; touches no device. 0, or an exit code
 *  after cli_fail(). */
int cli_session_check(struct cli *c);

/** cli_session_refused() - end without a job: the result says what was left out. Returns
 *  @code. */
int cli_session_refused(struct cli *c, const struct cli_selection *s, int code);

/** cli_session_preview() - say what would be done to @s, and do nothing. Exit code. */
int cli_session_preview(struct cli *c, const struct cli_selection *s);

/** cli_session_simulate() - do the job in virtual time on the disks of a station; nothing is
 *  touched. Exit code. */
int cli_session_simulate(struct cli *c, const struct dw_station *station, bool coarse);

/** cli_session_run() - claim, ask, do, report. Exit code. */
int cli_session_run(struct cli *c, struct cli_selection *s);

#endif
