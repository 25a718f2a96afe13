/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registry: a controller is one file and one row here. */
#include "sched/controller.h"

#include <string.h>

#include "base/util.h"

static const struct dw_controller *const rows[] = {
	&dw_controller_adaptive,
	&dw_controller_fixed,
	&dw_controller_cache,
};

const struct dw_controller *dw_controller_find(const char *name)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

const char *const *dw_controller_list(void)
{
	static const char *const names[] = { "adaptive", "fixed", "cache", NULL };

	return names;
}
