/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_NVME_H
#define DW_DEVICE_NVME_H

#include "device/open.h"

/**
 * dw_nvme_probe() - by what an NVMe disk erases itself, and what else that would reach
 * @m: the machine
 * @d: its block node is open, and its capacity known; anything else than NVMe is left alone
 *
 * Sets operations, times and counts of the caps, @nvme, @n_units and @units of the device, and
 * hidden blocks: those of detached namespaces and of no namespace. Nothing is offered where that
 * cannot be learnt; the reason is in the caps.
 *
 * Return: 0; -ENOMEDIUM when it works on a sanitize, and its capacity was not given.
 */
int dw_nvme_probe(const struct dw_machine *m, struct dw_device *d);

struct dw_health;

/** dw_nvme_ask_health() - log page 02h. 0, or negative errno; @ret holds what was reported. */
int dw_nvme_ask_health(struct dw_device *d, struct dw_health *ret);

#endif
