/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_ABREAST_H
#define DW_DEVICE_ABREAST_H

/* Disks that are asked side by side, so that slow ones do not wait for each other. */
#include <stddef.h>

/**
 * dw_abreast() - do the same for each of several things, in short-lived threads
 * @each: for thing @i; from several threads at once
 * @ctx: for it
 * @n: number of things
 *
 * Up to 256 at once, with fewer where the process may have few files open, but 17 at least.
 * Returns when all are done. Without a thread to be had, one after the other.
 */
void dw_abreast(void (*each)(void *ctx, size_t i), void *ctx, size_t n);

#endif
