/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_TYPICAL_H
#define DW_FORECAST_TYPICAL_H

/* What a disk probably is like, by its kind and its size. */
#include "diskwipe/disk.h"
#include "station/station.h"

/**
 * typical_fill() - typical speeds of a disk of that kind
 * @info: rotation, transport and capacity are looked at
 * @d: outer, inner, rpm, buffer, seek and overhead are set; their keys appended to @d->assumed,
 *	except rpm if the disk reports it
 */
void typical_fill(const struct dw_disk_info *info, struct station_disk *d);

/** typical_assume() - append a key to a list of assumed ones, once; too long a list stays
 *  as it is. */
void typical_assume(char list[128], const char *key);

/** typical_known() - take a key out of such a list. */
void typical_known(char list[128], const char *key);

#endif
