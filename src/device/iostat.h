/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DEVICE_IOSTAT_H
#define DW_DEVICE_IOSTAT_H

/*
 * What the kernel counts of the disks beside the job's: those behind the same controller
 * (Linux, Documentation/block/stat.rst). Commands by SG_IO are not in it.
 */
#include "device/sysfs.h"
#include "diskwipe/disk.h"

/**
 * struct dw_io_count - sums since some beginning
 * @answers: reads and writes that have ended
 * @answer_ns: sum of the times they took
 * @waiting: on their way now
 */
struct dw_io_count {
	uint64_t answers;
	uint64_t answer_ns;
	uint64_t waiting;
};

struct dw_neighbours;

/**
 * dw_neighbours_new() - find the disks that share a controller with these
 * @m: the machine
 * @own: facts of the job's own disks, @n of them; they do not count
 * @ret: dw_neighbours_free()
 *
 * The controller is the PCI function nearest to the disk, else what the SCSI host hangs on.
 *
 * Return: 0, -ENOMEM, or negative errno of the block devices' folder.
 */
int dw_neighbours_new(const struct dw_machine *m, const struct dw_disk_info *const *own,
		      size_t n, struct dw_neighbours **ret);

/** dw_neighbours_free() - NULL is accepted. */
void dw_neighbours_free(struct dw_neighbours *b);

/** dw_neighbours_n() - how many there are. */
uint32_t dw_neighbours_n(const struct dw_neighbours *b);

/** dw_neighbours_count() - the sums over all of them now; a disk that has gone counts no
 *  more, so that sums may fall. */
void dw_neighbours_count(const struct dw_neighbours *b, struct dw_io_count *ret);

#endif
