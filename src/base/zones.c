/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/zones.h"

#include <errno.h>

#include "base/util.h"

/* A shorter one, as the last of a disk may be, is a run of its own. */
static bool joins(const struct dw_zone *run, const struct dw_zone *zone)
{
	return run->kind == zone->kind && run->nlb == zone->nlb;
}

int dw_zones_add(struct dw_zones *z, const struct dw_zone *zone)
{
	if (zone->first != z->blocks || !zone->nlb || zone->nlb > UINT64_MAX - z->blocks)
		return -EINVAL;
	if (!z->n || !joins(&z->run[z->n - 1], zone)) {
		if (z->n == DW_ZONE_RUNS_MAX)
			return -ENOSPC;
		z->run[z->n++] = *zone;
	}
	z->blocks += zone->nlb;
	return 0;
}

static uint64_t run_end(const struct dw_zones *z, uint32_t i)
{
	return i + 1 < z->n ? z->run[i + 1].first : z->blocks;
}

bool dw_zones_find(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret)
{
	uint32_t lo = 0, hi = z ? z->n : 0;

	if (!hi || lba >= z->blocks)
		return false;
	while (lo + 1 < hi) {
		uint32_t middle = lo + (hi - lo) / 2;

		if (z->run[middle].first <= lba)
			lo = middle;
		else
			hi = middle;
	}
	*ret = z->run[lo];
	ret->first += (lba - ret->first) / ret->nlb * ret->nlb;
	return true;
}

bool dw_zones_sequential(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret)
{
	return dw_zones_find(z, lba, ret) && ret->kind == DW_ZONE_SEQUENTIAL;
}

static bool is_dead(const struct dw_zone *zone)
{
	return zone->kind == DW_ZONE_READ_ONLY || zone->kind == DW_ZONE_OFFLINE;
}

bool dw_zones_dead(const struct dw_zones *z, uint64_t lba, struct dw_zone *ret)
{
	for (uint32_t i = 0; z && i < z->n; i++) {
		uint64_t end = run_end(z, i);

		if (!is_dead(&z->run[i]) || end <= lba)
			continue;
		*ret = z->run[i];
		ret->first = dw_max_u64(ret->first, lba);
		ret->nlb = end - ret->first;
		return true;
	}
	return false;
}

uint64_t dw_zones_dead_below(const struct dw_zones *z, uint64_t lba)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; z && i < z->n && z->run[i].first < lba; i++)
		if (is_dead(&z->run[i]))
			blocks += dw_min_u64(run_end(z, i), lba) - z->run[i].first;
	return blocks;
}
