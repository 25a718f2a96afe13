/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/order.h"

#include <errno.h>
#include <stdio.h>
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

void dw_order_turns(uint64_t blocks, uint32_t turn, const struct dw_ranges *ranges,
		    struct dw_order *ret)
{
	struct dw_order o = { .turn = turn, .blocks = blocks };

	while (o.n < ranges->n && ranges->first[o.n] < blocks) {
		o.start[o.n] = ranges->first[o.n];
		o.n++;
	}
	o.start[o.n] = blocks;
	*ret = o.n > 1 ? o : (struct dw_order){ 0 };
}

void dw_order_text(const struct dw_order *o, char ret[DW_ORDER_TEXT])
{
	size_t n;

	*ret = '\0';
	if (!o->turn)
		return;
	n = (size_t)snprintf(ret, DW_ORDER_TEXT, "%u", o->turn);
	for (uint8_t i = 0; i < o->n; i++)
		n += (size_t)snprintf(ret + n, DW_ORDER_TEXT - n, "%c%llu", i ? ',' : ':',
				      (unsigned long long)o->start[i]);
}

/* the text before @mark; @at: what comes after it, NULL when there is none */
static char *cut(char **at, char mark)
{
	char *text = *at, *end = strchr(text, mark);

	if (end)
		*end = '\0';
	*at = end ? end + 1 : NULL;
	return text;
}

/* Only what dw_order_text() writes of such a disk is an order. */
int dw_order_parse(const char *text, uint64_t blocks, struct dw_order *ret)
{
	char copy[DW_ORDER_TEXT], again[DW_ORDER_TEXT], *at = copy;
	struct dw_ranges ranges = { 0 };
	struct dw_order o;
	uint64_t turn;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy) ||
	    dw_number_parse(cut(&at, ':'), &turn) < 0 || !turn || turn > UINT32_MAX)
		return -EINVAL;
	while (at && ranges.n < DW_RANGES_MAX) {
		uint64_t *first = &ranges.first[ranges.n];

		if (dw_number_parse(cut(&at, ','), first) < 0 ||
		    (ranges.n ? *first <= first[-1] : *first > 0))
			return -EINVAL;
		ranges.n++;
	}
	dw_order_turns(blocks, (uint32_t)turn, &ranges, &o);
	dw_order_text(&o, again);
	if (strcmp(text, again) != 0)
		return -EINVAL;
	*ret = o;
	return 0;
}

static uint64_t length(const struct dw_order *o, uint8_t i)
{
	return o->start[i + 1] - o->start[i];
}

/* blocks of a region that @rounds of turns have swept */
static uint64_t swept(const struct dw_order *o, uint8_t i, uint64_t rounds)
{
	return dw_min_u64(length(o, i), rounds * o->turn);
}

static uint64_t all_swept(const struct dw_order *o, uint64_t rounds)
{
	uint64_t sum = 0;

	for (uint8_t i = 0; i < o->n; i++)
		sum += swept(o, i, rounds);
	return sum;
}

/* whole rounds before a position: as many as there would be if all regions were as long as the
 * sweep, or more, where some have ended */
static uint64_t rounds_before(const struct dw_order *o, uint64_t pos)
{
	uint64_t least = pos / o->turn / o->n, most = pos / o->turn;

	while (least < most) {
		uint64_t middle = most - (most - least) / 2;

		if (all_swept(o, middle) <= pos)
			least = middle;
		else
			most = middle - 1;
	}
	return least;
}

/* the first block of a region that the sweep has not come to at position @pos; of those that
 * follow each other, @i is the place in their order */
static uint64_t front(const struct dw_order *o, uint8_t i, uint64_t pos)
{
	uint64_t rounds, left;

	if (!o->turn)
		return o->region[i] * o->size +
		       dw_min_u64(length(o, i),
				  pos > o->start[i] ? pos - o->start[i] : 0);
	rounds = rounds_before(o, pos);
	left = pos - all_swept(o, rounds);
	for (uint8_t j = 0; j < i; j++)
		left -= dw_min_u64(left, swept(o, j, rounds + 1) - swept(o, j, rounds));
	return o->start[i] +
	       dw_min_u64(swept(o, i, rounds) + left, swept(o, i, rounds + 1));
}

static uint64_t lba_in_turn(const struct dw_order *o, uint64_t pos, uint64_t *ret_run)
{
	uint64_t rounds = rounds_before(o, pos), left = pos - all_swept(o, rounds), n;
	uint8_t i = 0;

	while ((n = swept(o, i, rounds + 1) - swept(o, i, rounds)) <= left &&
	       i + 1 < o->n) {
		left -= n;
		i++;
	}
	*ret_run = n > left ? n - left : 1;
	return o->start[i] + swept(o, i, rounds) + left;
}

static uint64_t pos_in_turn(const struct dw_order *o, uint64_t lba, uint64_t *ret_run)
{
	uint64_t pos, rounds, at;
	uint8_t i = 0;

	while (i + 1 < o->n && o->start[i + 1] <= lba)
		i++;
	at = lba - o->start[i];
	rounds = at / o->turn;
	pos = all_swept(o, rounds) + at % o->turn;
	for (uint8_t j = 0; j < i; j++)
		pos += swept(o, j, rounds + 1) - swept(o, j, rounds);
	*ret_run = swept(o, i, rounds + 1) - at;
	return pos;
}

uint64_t dw_order_lba(const struct dw_order *o, uint64_t pos, uint64_t *ret_run)
{
	uint8_t i = 0;

	if (!o || !o->n) {
		*ret_run = UINT64_MAX - pos;
		return pos;
	}
	if (o->turn)
		return lba_in_turn(o, pos, ret_run);
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
	if (o->turn)
		return pos_in_turn(o, lba, ret_run);
	region = lba / o->size;
	while (i + 1 < o->n && o->region[i] != region)
		i++;
	*ret_run = o->start[i + 1] - o->start[i] - lba % o->size;
	return o->start[i] + lba % o->size;
}

uint64_t dw_order_low(const struct dw_order *o, uint64_t lba, uint64_t nlb)
{
	uint64_t low = UINT64_MAX, run;

	for (uint64_t at = lba; at < lba + nlb; at += run) {
		low = dw_min_u64(low, dw_order_pos(o, at, &run));
		/* the turns of a region come in the order of its blocks */
		for (uint8_t i = 0; o && o->turn && i < o->n; i++)
			if (at < o->start[i + 1]) {
				run = o->start[i + 1] - at;
				break;
			}
	}
	return low;
}

size_t dw_order_parts(const struct dw_order *o, uint64_t pos, uint64_t n,
		      struct dw_extent ret[DW_ORDER_REGIONS])
{
	size_t parts = 0;

	if (!o || !o->n) {
		ret[0] = (struct dw_extent){ .lba = pos, .nlb = n };
		return n > 0;
	}
	for (uint8_t i = 0; i < o->n; i++) {
		uint64_t from = front(o, i, pos), to = front(o, i, pos + n);

		if (to > from)
			ret[parts++] =
				(struct dw_extent){ .lba = from, .nlb = to - from };
	}
	return parts;
}
