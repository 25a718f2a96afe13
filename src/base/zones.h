/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_ZONES_H
#define DW_BASE_ZONES_H

/*
 * The zones of a host-managed disk (ZBC). Such a disk has tens of thousands of them, most alike, so
 * what is kept are runs of zones that follow each other and are of one kind and length.
 */
#include <stdbool.h>
#include <stdint.h>

#define DW_ZONE_RUNS_MAX 128

/** enum dw_zone_kind - what can be done to a zone */
enum dw_zone_kind {
	DW_ZONE_CONVENTIONAL, /* its blocks are written in any order */
	DW_ZONE_SEQUENTIAL, /* they are written from its start on, after a reset again */
	DW_ZONE_READ_ONLY,  /* they are not written any more */
	DW_ZONE_OFFLINE,    /* nor read */
};

/** struct dw_zone - one zone. @first, @nlb: its blocks; @kind: enum dw_zone_kind */
struct dw_zone {
	uint64_t first;
	uint64_t nlb;
	uint8_t kind;
};

/**
 * struct dw_zones - all zones of a disk; to what asks below NULL is a disk without
 * @n, @run: of each run the first zone; the next run, or @blocks, ends it
 * @blocks: that are in zones, from LBA 0 on
 */
struct dw_zones {
	uint32_t n;
	uint64_t blocks;
	struct dw_zone run[DW_ZONE_RUNS_MAX];
};

/**
 * dw_zones_add() - one zone more, at the end
 * @z: the zones
 * @zone: it begins where the last one ends
 *
 * Return: 0; -EINVAL it does not begin there, or has no blocks; -ENOSPC too many runs.
 */
int dw_zones_add(struct dw_zones *z, const struct dw_zone *zone);

/** dw_zones_find() - the zone that holds @lba; false when none does. */
bool dw_zones_find(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret);

/** dw_zones_sequential() - the same, of zones that are written from their start on. */
bool dw_zones_sequential(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret);

/** dw_zones_dead() - the first run of zones from @lba on that are not written any more, as one
 *  zone; of a run that holds @lba what is left from there. False when there is none. */
bool dw_zones_dead(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret);

/** dw_zones_dead_below() - blocks of such zones below @lba. */
uint64_t dw_zones_dead_below(const struct dw_zones *z, uint64_t lba);

#endif
