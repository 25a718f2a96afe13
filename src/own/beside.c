/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "own/beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "device/units.h"

#define SAMPLE 16
#define BYTES  512

/**
 * struct beside_unit - one unit beside the formatted one
 * @node: its node
 * @info: its identity before the format, valid if @known
 * @lba, @block, @n: blocks with more than one repeated byte, and their first bytes
 */
struct beside_unit {
	char node[48];
	struct dw_disk_info info;
	bool known;
	uint64_t lba[SAMPLE];
	uint8_t block[SAMPLE][BYTES];
	uint32_t n;
};

struct dw_beside {
	size_t n;
	struct beside_unit unit[];
};

static bool is_even(const uint8_t *block)
{
	return !memcmp(block, block + 1, BYTES - 1);
}

/* NULL = it does not tell its capacity */
static struct dw_device *open_unit(const struct dw_machine *m, const char *node)
{
	struct dw_device *d;

	if (dw_device_attach(m, node, &d))
		return NULL;
	if (!dw_device_probe(m, d) && d->caps.blocks && d->caps.block_size >= BYTES)
		return d;
	dw_device_close(d);
	return NULL;
}

static void read_unit(const struct dw_machine *m, struct beside_unit *u)
{
	struct dw_device *d = open_unit(m, u->node);
	dw_autofree uint8_t *block = d ? calloc(1, d->caps.block_size) : NULL;

	for (uint64_t i = 0; block && i < SAMPLE; i++) {
		uint64_t lba = d->caps.blocks / SAMPLE * i;

		if (dw_device_read(d, lba, 1, block) || is_even(block))
			continue;
		u->lba[u->n] = lba;
		memcpy(u->block[u->n++], block, BYTES);
	}
	u->known = d;
	if (d)
		u->info = d->info;
	dw_device_close(d);
}

static bool is_path_of(const struct dw_unit *u, const struct dw_device *d)
{
	return !strcmp(u->node, dw_path_base(d->info.sg));
}

int dw_beside_take(const struct dw_machine *m, const struct dw_device *d,
		   struct dw_beside **ret)
{
	struct dw_unit *all;
	char device[sizeof(all->device)] = "";
	struct dw_beside *b;
	size_t n;
	int r = dw_units_read(m, &all, &n);

	*ret = NULL;
	if (r < 0)
		return r;
	b = calloc(1, sizeof(*b) + n * sizeof(b->unit[0]));
	for (size_t i = 0; i < n; i++)
		if (is_path_of(&all[i], d))
			memcpy(device, all[i].device, sizeof(device));
	for (size_t i = 0; i < n && b; i++) {
		struct beside_unit *u = &b->unit[b->n];

		if (!all[i].node[0] || is_path_of(&all[i], d) ||
		    strcmp(all[i].device, device) != 0)
			continue;
		snprintf(u->node, sizeof(u->node), "/dev/%s", all[i].node);
		read_unit(m, u);
		b->n++;
	}
	free(all);
	if (b && !b->n) {
		free(b);
		return 0;
	}
	*ret = b;
	return b ? 0 : -ENOMEM;
}

static bool holds(struct dw_device *d, const struct beside_unit *u)
{
	dw_autofree uint8_t *block = calloc(1, d->caps.block_size);
	bool same = !u->n;

	for (uint32_t i = 0; block && i < u->n && !same; i++)
		same = !dw_device_read(d, u->lba[i], 1, block) &&
		       !memcmp(block, u->block[i], BYTES);
	return same || !block;
}

static bool is_same(const struct dw_machine *m, const struct beside_unit *u)
{
	struct dw_device *d = open_unit(m, u->node);
	bool same = d && !strcmp(d->info.serial, u->info.serial) &&
		    d->info.blocks == u->info.blocks &&
		    d->info.block_size == u->info.block_size && holds(d, u);

	dw_device_close(d);
	return same;
}

void dw_beside_spare(struct dw_beside *b, const char *node)
{
	for (size_t i = 0; b && i < b->n; i++)
		b->unit[i].known &= strcmp(b->unit[i].node, node) != 0;
}

const char *dw_beside_look(const struct dw_machine *m, const struct dw_beside *b)
{
	for (size_t i = 0; b && i < b->n; i++)
		if (b->unit[i].known && !is_same(m, &b->unit[i]))
			return b->unit[i].node;
	return NULL;
}

void dw_beside_free(struct dw_beside *b)
{
	free(b);
}
