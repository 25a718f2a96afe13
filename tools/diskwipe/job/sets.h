/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_SETS_H
#define DISKWIPE_SETS_H

/* Stripe sets among the operands: they stand for their members. */
#include "cli.h"

/** cli_sets_expand() - replace every operand that is a stripe set by its members, and say so.
 *  The sets stay in c->pick.set. 0, or an exit code after cli_fail(). */
int cli_sets_expand(struct cli *c);

/** cli_sets_have() - the set that brought this disk in, NULL = none did. */
const struct dw_stripe *cli_sets_have(const struct cli *c,
				      const struct dw_disk_info *info);

/** cli_sets_advise() - one report for each set, by c->member_rate and c->link_rate; free(). */
struct dw_set_report *cli_sets_advise(const struct cli *c);

/** cli_sets_print() - a set and what the models say of it. */
void cli_sets_print(const struct dw_set_report *report);

/** cli_sets_print_link() - "6 members x 250 MB/s want 1500 MB/s, ..."; nothing when no rate is
 *  known. */
void cli_sets_print_link(size_t n, const struct dw_stripe_advice *a);

/** cli_sets_free() - forget them. */
void cli_sets_free(struct cli *c);

#endif
