/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCSI_ZBC_H
#define DW_SCSI_ZBC_H

/* The commands of zoned disks (ZBC, ZBC-2): REPORT ZONES and RESET WRITE POINTER. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_ZBC_HEADER     64 /* bytes before the first descriptor */
#define DW_ZBC_DESCRIPTOR 64

/** enum dw_zbc_type - ZONE TYPE */
enum dw_zbc_type {
	DW_ZBC_CONVENTIONAL = 1,
	DW_ZBC_SEQUENTIAL = 2, /* sequential write required */
	DW_ZBC_PREFERRED = 3,  /* sequential write preferred */
	DW_ZBC_BEFORE = 4,     /* sequential or before required (ZBC-2) */
	DW_ZBC_GAP = 5,        /* gap: no address of it can be read or written (ZBC-2) */
};

/** enum dw_zbc_condition - ZONE CONDITION */
enum dw_zbc_condition {
	DW_ZBC_NO_POINTER = 0x0,
	DW_ZBC_EMPTY = 0x1,
	DW_ZBC_READ_ONLY = 0xd,
	DW_ZBC_FULL = 0xe,
	DW_ZBC_OFFLINE = 0xf,
};

/** struct dw_zbc_zone - a zone descriptor. @first, @nlb: its blocks; @pointer: where the next write
 *  has to begin, of a zone that is neither conventional, full, read-only nor offline */
struct dw_zbc_zone {
	uint8_t type;
	uint8_t condition;
	uint64_t first;
	uint64_t nlb;
	uint64_t pointer;
};

/** dw_cdb_report_zones() - all zones from the one that holds @lba on, as many as have room in
 *  @alloc bytes (PARTIAL). Return: 16. */
int dw_cdb_report_zones(uint8_t *cdb, uint64_t lba, uint32_t alloc);

/** dw_cdb_reset_zone() - RESET WRITE POINTER of the zone that begins at @lba, or of all that are
 *  not empty. Return: 16. */
int dw_cdb_reset_zone(uint8_t *cdb, uint64_t lba, bool all);

/** struct dw_cdb_reset - what dw_cdb_reset_zone() asks for */
struct dw_cdb_reset {
	uint64_t lba;
	bool all;
};

/** dw_cdb_parse_reset() - false when it is none, or has other bits than dw_cdb_reset_zone() sets.
 */
bool dw_cdb_parse_reset(const uint8_t *cdb, size_t len, struct dw_cdb_reset *ret);

/** dw_zbc_last() - MAXIMUM LBA, of at least DW_ZBC_HEADER bytes that came of REPORT ZONES. */
uint64_t dw_zbc_last(const uint8_t *buf);

/** dw_zbc_count() - whole descriptors in the @len bytes that came of REPORT ZONES. */
size_t dw_zbc_count(const uint8_t *buf, size_t len);

/** dw_zbc_zone() - descriptor @i < dw_zbc_count(). */
void dw_zbc_zone(const uint8_t *buf, size_t i, struct dw_zbc_zone *ret);

#endif
