/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/order.h"

#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "diskwipe/units.h"

#define TEXT_MAX 48

int dw_near_parse(const char *text, struct dw_near *ret)
{
	char copy[TEXT_MAX], *dash;
	struct dw_near near = { 0 };

	if (!strcmp(text, "start") || !strcmp(text, "end")) {
		near.first = near.last = text[0] == 's' ? 0 : UINT64_MAX;
		*ret = near;
		return 0;
	}
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (dw_number_parse(copy, &near.first) < 0)
		return -EINVAL;
	near.last = near.first;
	if (dash && (dw_number_parse(dash + 1, &near.last) < 0 || near.last < near.first))
		return -EINVAL;
	*ret = near;
	return 0;
}

/* blocks between a region and the load, 0 where they meet */
static uint64_t distance(const struct dw_order *o, uint8_t region,
			 const struct dw_near *near)
{
	uint64_t first = region * o->size;
	uint64_t last = dw_min_u64(first + o->size, o->blocks) - 1;
	uint64_t from = dw_min_u64(near->first, o->blocks - 1);

	if (last < from)
		return from - last;
	return first > near->last ? first - near->last : 0;
}

void dw_order_near(uint64_t blocks, uint32_t align, const struct dw_near *near,
		   struct dw_order *ret)
{
	struct dw_order o = { .blocks = blocks };
	bool upwards = true;
	uint64_t pos = 0;

	*ret = (struct dw_order){ 0 };
	o.size = (blocks + DW_ORDER_REGIONS - 1) / DW_ORDER_REGIONS;
	o.size = (o.size + align - 1) / align * align;
	o.n = (uint8_t)((blocks + o.size - 1) / o.size);
	for (uint8_t i = 0; i < o.n; i++) {
		uint8_t at = i;

		/* equal ones stay in the order of the disk */
		for (; at && distance(&o, o.region[at - 1], near) < distance(&o, i, near);
		     at--)
			o.region[at] = o.region[at - 1];
		o.region[at] = i;
		upwards = upwards && at == i;
	}
	if (upwards)
		return;
	for (uint8_t i = 0; i < o.n; i++) {
		uint64_t first = o.region[i] * o.size;

		o.start[i] = pos;
		pos += dw_min_u64(first + o.size, blocks) - first;
	}
	o.start[o.n] = pos;
	*ret = o;
}

uint64_t dw_order_lba(const struct dw_order *o, uint64_t pos, uint64_t *ret_run)
{
	uint8_t i = 0;

	if (!o || !o->n) {
		*ret_run = UINT64_MAX - pos;
		return pos;
	}
	while (i + 1 < o->n && o->start[i + 1] <= pos)
		i++;
	*ret_run = o->start[i + 1] - pos;
	return o->region[i] * o->size + pos - o->start[i];
}

uint64_t dw_order_pos(const struct dw_order *o, uint64_t lba, uint64_t *ret_run)
{
	uint64_t region;
	uint8_t i = 0;

	if (!o || !o->n) {
		*ret_run = UINT64_MAX - lba;
		return lba;
	}
	region = lba / o->size;
	while (i + 1 < o->n && o->region[i] != region)
		i++;
	*ret_run = o->start[i + 1] - o->start[i] - lba % o->size;
	return o->start[i] + lba % o->size;
}

uint64_t dw_order_low(const struct dw_order *o, uint64_t lba, uint64_t nlb)
{
	uint64_t low = UINT64_MAX, run;

	for (uint64_t at = lba; at < lba + nlb; at += run)
		low = dw_min_u64(low, dw_order_pos(o, at, &run));
	return low;
}
