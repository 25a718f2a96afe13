/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_STRIPE_H
#define DW_JUDGE_STRIPE_H

/* Finds the members of stripe sets. */
#include "device/sysfs.h"
#include "diskwipe/stripe.h"

/** dw_stripe_read() - as dw_stripe_open(), of block device @dev on machine @m. */
int dw_stripe_read(const struct dw_machine *m, dev_t dev, struct dw_stripe **ret);

/**
 * dw_stripe_parse_target() - parameters of a device-mapper "striped" target
 * @params: "2 128 8:0 2048 8:16 2048": number, chunk in sectors, then node and first sector
 *	of each member
 *
 * Return: 0; -EINVAL when it does not read so; -ENOMEM.
 */
int dw_stripe_parse_target(const struct dw_machine *m, const char *params,
			   struct dw_stripe *s);

#endif
