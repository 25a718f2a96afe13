/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_OPEN_H
#define DW_TRANSPORT_OPEN_H

/**
 * dw_disk_open() - open a node of a disk, never as descriptor 0, 1 or 2
 * @path: the node; never created
 * @flags: as open(2); O_CLOEXEC and O_NONBLOCK are added
 *
 * A caller may have closed its standard descriptors, and whatever is printed afterwards
 * goes to the disk that took their place. So those of 0 to 2 that are closed are taken up
 * first, for good, by descriptors that can be neither read nor written.
 *
 * Return: the descriptor, 3 or more; negative errno.
 */
int dw_disk_open(const char *path, int flags);

/** dw_disk_open_never() - from now on dw_disk_open() opens nothing in this process, and returns
 *  -EPERM: its disks are simulated. There is no way back. Any thread. */
void dw_disk_open_never(void);

#endif
