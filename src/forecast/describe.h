/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_DESCRIBE_H
#define DW_FORECAST_DESCRIBE_H

/* Stations made, not read. */
#include "device/sysfs.h"
#include "diskwipe/station.h"
#include "station/station.h"

/** station_describe() - dw_station_describe() of the machine @m. */
int station_describe(const struct dw_machine *m, const struct dw_disk_info *disks,
		     size_t n, struct dw_station **ret, struct dw_error *err);

/** station_select() - dw_station_select() on the machine @m. */
int station_select(const struct dw_machine *m, const struct dw_station *s,
		   const struct dw_disk_info *disks, size_t n, struct dw_station **ret,
		   uint8_t *ret_match, struct dw_error *err);

/** station_add_node() - append a copy of @n; its index, STATION_NONE without memory. */
uint32_t station_add_node(struct dw_station *s, const struct station_node *n);

/** station_add_disk() - append a copy of @d, faults included. 0 or -ENOMEM. */
int station_add_disk(struct dw_station *s, const struct station_disk *d);

#endif
