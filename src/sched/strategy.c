/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds strategies in the registry, and appends to the column that strategies fill. */
#include "sched/strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

const struct dw_strategy *dw_strategy_find(const char *name)
{
#define ROW(id, text) &dw_strategy_##id,
	static const struct dw_strategy *const rows[] = { DW_STRATEGIES(ROW) };
#undef ROW

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

const char *const *dw_strategy_list(void)
{
#define ROW(id, text) text,
	static const char *const names[] = { DW_STRATEGIES(ROW) NULL };
#undef ROW

	return names;
}

uint32_t dw_strategy_slots(const struct dw_strategy *s, uint32_t active, uint32_t disks)
{
	const struct dw_strategy_state state = { .limit = active };

	return s->turns ? disks : s->concurrency(&state, disks);
}

uint32_t dw_strategy_admitted(const struct dw_strategy *s,
			      const struct dw_strategy_state *state, uint32_t unfinished)
{
	return s->disk_in ? state->queue.running : s->concurrency(state, unfinished);
}

int dw_column_add(struct dw_column *c, uint32_t disk)
{
	if (dw_room(&c->entry, c->n, &c->cap, sizeof(*c->entry)) < 0)
		return -ENOMEM;
	c->entry[c->n++] = disk;
	return 0;
}
