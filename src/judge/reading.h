/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_JUDGE_READING_H
#define DW_JUDGE_READING_H

/*
 * Discoveries read disks through the kernel, which repeats a read for minutes when the disk
 * erases itself meanwhile. So none reads a disk that this process has claimed, and a claim
 * waits for those that do. Any thread.
 */
#include <stdbool.h>
#include <sys/types.h>

/** dw_reading_begin() - a discovery is about to read the block device @dev. False: it must not, as
 *  the device is barred, or there is no memory; true: dw_reading_end(). */
bool dw_reading_begin(dev_t dev);

/** dw_reading_end() - it has ended. */
void dw_reading_end(dev_t dev);

/**
 * dw_reading_bar() - no further reading of @dev begins; waits for those under way
 * @dev: block device, 0 = none, which needs no bar
 * @seconds: to wait at most
 *
 * Return: 0: dw_reading_unbar(); -EBUSY: one has not ended, or somebody else has the bar; -ENOMEM.
 */
int dw_reading_bar(dev_t dev, unsigned int seconds);

/** dw_reading_unbar() - the device may be read again; without a bar nothing happens. */
void dw_reading_unbar(dev_t dev);

#endif
