/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds controllers in the registry. */
#include "sched/controller.h"

#include <string.h>

#include "base/util.h"

const struct dw_controller *dw_controller_find(const char *name)
{
#define ROW(id, text) &dw_controller_##id,
	static const struct dw_controller *const rows[] = { DW_CONTROLLERS(ROW) };
#undef ROW

	for (size_t i = 0; i < DW_ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

const char *const *dw_controller_list(void)
{
#define ROW(id, text) text,
	static const char *const names[] = { DW_CONTROLLERS(ROW) NULL };
#undef ROW

	return names;
}
