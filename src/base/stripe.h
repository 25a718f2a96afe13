/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_STRIPE_H
#define DW_BASE_STRIPE_H

/* The formulas of stripe sets that more than the model's call needs. */
#include <stddef.h>

/** dw_stripe_member_blocks() - blocks of a request from @offset, @length long, that lie on member
 *  @m of @members with chunks of @chunk blocks. */
double dw_stripe_member_blocks(double offset, double length, double chunk, double members,
			       double m);

/** dw_stripe_balance() - length over members times the largest share of a member; 0..1. */
double dw_stripe_balance(double offset, double length, double chunk, size_t members);

/** dw_stripe_busy() - how busy @depth requests keep @members, exponential service:
 *  Q / (Q + n - 1). */
double dw_stripe_busy(double depth, double members);

/** dw_stripe_depth() - the fewest requests that keep them so busy; @target in (0, 1). */
double dw_stripe_depth(double target, double members);

#endif
