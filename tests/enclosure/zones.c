/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The zones of a host-managed disk (ZBC): conventional ones first, then such as are written at
 * their write pointer. A reset moves the pointer, and leaves on the medium what was there; what is
 * behind the pointer reads as zeros, or not at all.
 */
#include "cmd.h"

#include "be.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADER     64
#define DESCRIPTOR 64

enum condition {
	NO_POINTER = 0x0,
	EMPTY = 0x1,
	IMPLICITLY_OPEN = 0x2,
	READ_ONLY = 0xd,
	FULL = 0xe,
	OFFLINE = 0xf,
};

static uint64_t first_of(const struct dw_lu *lu, uint64_t i)
{
	return i * lu->conf.zone;
}

static uint64_t length_of(const struct dw_lu *lu, uint64_t i)
{
	uint64_t left = lu->blocks - first_of(lu, i);

	return left < lu->conf.zone ? left : lu->conf.zone;
}

static bool in_order(const struct dw_lu *lu, uint64_t i)
{
	return i >= lu->conf.zone_conv;
}

static bool has(uint64_t mask, uint64_t i)
{
	return i < 64 && mask >> i & 1;
}

static enum condition condition_of(const struct dw_lu *lu, uint64_t i)
{
	if (has(lu->conf.zones_offline, i))
		return OFFLINE;
	if (has(lu->conf.zones_read_only, i))
		return READ_ONLY;
	if (!in_order(lu, i))
		return NO_POINTER;
	if (!lu->pointer[i])
		return EMPTY;
	return lu->pointer[i] == length_of(lu, i) ? FULL : IMPLICITLY_OPEN;
}

/**
 * dw_zoned_init - all zones were written to their end before
 * @lu: disk
 *
 * Return: 0 or -ENOMEM.
 */
int dw_zoned_init(struct dw_lu *lu)
{
	if (!lu->conf.zone)
		return 0;
	lu->n_zones = (lu->blocks + lu->conf.zone - 1) / lu->conf.zone;
	lu->pointer = calloc(lu->n_zones, sizeof(*lu->pointer));
	if (!lu->pointer)
		return -ENOMEM;
	for (uint64_t i = 0; i < lu->n_zones; i++)
		lu->pointer[i] = length_of(lu, i);
	return 0;
}

/* what a zone forbids whatever is done in it */
static bool is_closed(struct dw_cmd *c, uint64_t i, bool write)
{
	enum condition condition = condition_of(c->lu, i);

	if (condition == OFFLINE)
		dw_cmd_check(c, KEY_PROTECT, ASC_ZONE_OFFLINE);
	else if (condition == READ_ONLY && write)
		dw_cmd_check(c, KEY_PROTECT, ASC_ZONE_READ_ONLY);
	else
		return false;
	return true;
}

static bool may_write(struct dw_cmd *c, uint64_t i)
{
	uint64_t at = c->lba - first_of(c->lu, i), unit = UINT64_C(1)
							  << c->lu->conf.phys_exp;

	if (c->lu->pointer[i] == length_of(c->lu, i))
		dw_cmd_field(c, 2);
	else if (at != c->lu->pointer[i] || at % unit || c->nlb % unit)
		dw_cmd_check(c, KEY_ILLEGAL, ASC_UNALIGNED_WRITE);
	else
		return true;
	return false;
}

/**
 * dw_zoned_may - do the zones allow a read or a write?
 * @c: command whose range is known, and in the disk
 * @write: which
 *
 * Return: false when not; the error is set.
 */
bool dw_zoned_may(struct dw_cmd *c, bool write)
{
	const struct dw_lu *lu = c->lu;
	uint64_t first, last;

	if (!lu->n_zones || !c->nlb)
		return true;
	first = c->lba / lu->conf.zone;
	last = (c->lba + c->nlb - 1) / lu->conf.zone;
	for (uint64_t i = first; i <= last; i++)
		if (is_closed(c, i, write))
			return false;
	if (!in_order(lu, last))
		return true;
	if (first != last) {
		dw_cmd_check(c, KEY_ILLEGAL,
			     write ? ASC_WRITE_BOUNDARY : ASC_READ_BOUNDARY);
		return false;
	}
	if (write)
		return may_write(c, first);
	if (lu->conf.urswrz ||
	    c->lba + c->nlb <= first_of(lu, first) + lu->pointer[first])
		return true;
	dw_cmd_check(c, KEY_ILLEGAL, ASC_READ_INVALID);
	return false;
}

/**
 * dw_zoned_written - blocks before the write pointer of the zone that a command reads
 * @c: command
 *
 * Return: how many of the command's blocks hold data; the others read as zeros.
 */
uint64_t dw_zoned_written(const struct dw_cmd *c)
{
	const struct dw_lu *lu = c->lu;
	uint64_t i, end;

	if (!lu->n_zones)
		return c->nlb;
	i = c->lba / lu->conf.zone;
	end = first_of(lu, i) + lu->pointer[i];
	if (!in_order(lu, i) || c->lba + c->nlb <= end)
		return c->nlb;
	return end > c->lba ? end - c->lba : 0;
}

/**
 * dw_zoned_wrote - the write pointer follows
 * @c: command
 * @nlb: blocks that were written
 */
void dw_zoned_wrote(struct dw_cmd *c, uint64_t nlb)
{
	uint64_t i;

	if (!c->lu->n_zones)
		return;
	i = c->lba / c->lu->conf.zone;
	if (in_order(c->lu, i))
		c->lu->pointer[i] += nlb;
}

/**
 * dw_zoned_capacity - what READ CAPACITY tells
 * @lu: disk
 *
 * Return: blocks; with rc_basis=0 those of the conventional zones alone.
 */
uint64_t dw_zoned_capacity(const struct dw_lu *lu)
{
	return lu->n_zones && !lu->conf.rc_basis ? lu->conf.zone_conv * lu->conf.zone
						 : lu->blocks;
}

static void describe(const struct dw_lu *lu, uint64_t i, uint8_t *d)
{
	enum condition condition = condition_of(lu, i);
	uint64_t pointer = first_of(lu, i) + lu->pointer[i];

	d[0] = in_order(lu, i) ? 2 : 1;
	d[1] = (uint8_t)(condition << 4);
	be_put64(d + 8, length_of(lu, i));
	be_put64(d + 16, first_of(lu, i));
	be_put64(d + 24, condition == EMPTY || condition == IMPLICITLY_OPEN ? pointer
									    : UINT64_MAX);
}

/**
 * dw_run_report_zones - REPORT ZONES (ZBC, 5.3), of all conditions
 * @c: command
 */
void dw_run_report_zones(struct dw_cmd *c)
{
	size_t alloc = be_get32(c->cdb + 10), room, n;
	uint64_t from = be_get64(c->cdb + 2);
	uint8_t *b;

	if (from >= c->lu->blocks) {
		dw_cmd_check(c, KEY_ILLEGAL, ASC_LBA_RANGE);
		return;
	}
	if (c->cdb[14] & 0x3f) {
		dw_cmd_field(c, 14);
		return;
	}
	from /= c->lu->conf.zone;
	n = c->lu->n_zones - from;
	room = alloc > HEADER ? (alloc - HEADER) / DESCRIPTOR : 0;
	b = calloc(1, HEADER + n * DESCRIPTOR);
	if (!b)
		return;
	be_put32(b, (uint32_t)((c->cdb[14] & 0x80 && room < n ? room : n) * DESCRIPTOR));
	be_put64(b + 8, c->lu->blocks - 1);
	for (size_t i = 0; i < n; i++)
		describe(c->lu, from + i, b + HEADER + i * DESCRIPTOR);
	dw_cmd_reply(c, b, HEADER + n * DESCRIPTOR, alloc);
	free(b);
}

/**
 * dw_run_reset_zone - RESET WRITE POINTER (ZBC, 5.4)
 * @c: command
 */
void dw_run_reset_zone(struct dw_cmd *c)
{
	uint64_t at = be_get64(c->cdb + 2), zone = at / c->lu->conf.zone;

	if (!c->limit) /* dropped */
		return;
	if (c->cdb[14] & 0x01) {
		for (uint64_t i = c->lu->conf.zone_conv; i < c->lu->n_zones; i++)
			if (condition_of(c->lu, i) != READ_ONLY &&
			    condition_of(c->lu, i) != OFFLINE)
				c->lu->pointer[i] = 0;
		return;
	}
	if (at >= c->lu->blocks || at % c->lu->conf.zone || !in_order(c->lu, zone)) {
		dw_cmd_field(c, 2);
		return;
	}
	if (!is_closed(c, zone, true))
		c->lu->pointer[zone] = 0;
}
