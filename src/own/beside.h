/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_OWN_BESIDE_H
#define DW_OWN_BESIDE_H

/*
 * The logical units beside one that is formatted alone: they are not claimed, and may be in use. A
 * few of their blocks are read before and after, which shows whether the format reached them.
 */
#include "device/open.h"
#include "device/sysfs.h"

struct dw_beside;

/**
 * dw_beside_take() - read blocks of the other units of the device
 * @ret: dw_beside_free(); NULL = there are none
 *
 * Return: 0, -ENOMEM, or the error because of which the units could not be counted.
 */
int dw_beside_take(const struct dw_machine *m, const struct dw_device *d,
		   struct dw_beside **ret);

/** dw_beside_spare() - @node is formatted as well: it is no longer compared. */
void dw_beside_spare(struct dw_beside *b, const char *node);

/** dw_beside_look() - the unit whose blocks were changed, as "/dev/sg2"; NULL = none. A unit in
 *  use may have been written to: one unchanged block is enough. */
const char *dw_beside_look(const struct dw_machine *m, const struct dw_beside *b);

/** dw_beside_free() - NULL does nothing. */
void dw_beside_free(struct dw_beside *b);

#endif
