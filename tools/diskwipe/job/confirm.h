/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CONFIRM_H
#define DISKWIPE_CONFIRM_H

/* Whether the user means it. */
#include "cli.h"

/** struct cli_consent - what was given instead of an answer, and what it is about */
struct cli_consent {
	bool yes;
	bool have_expect_count;
	bool by_rule; /* nobody has named them one by one */
	uint64_t expect_count;
	size_t named; /* distinct disks, before any was left out */
	size_t left;
};

/** cli_confirm_answer() - what the user has to type: the last characters of a lone disk's
 *  serial, or the number of disks; returns @buf. */
const char *cli_confirm_answer(const struct dw_disk *disks, size_t n, char *buf,
			       size_t size);

/** cli_confirm_check() - whether the options alone refuse, as by a wrong count: before anything is
 *  told that leads to a question. @named: distinct disks, @left: those left in. 0, or an exit
 *  code after cli_fail(). */
int cli_confirm_check(struct cli *c, size_t named, size_t left);

/** cli_confirm() - ask, or check the options, whatever applies here. 0, or an exit code
 *  after cli_fail(). */
int cli_confirm(struct cli *c, size_t named, const struct dw_disk *disks, size_t n);

#endif
