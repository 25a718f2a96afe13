/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of models: what drives help, parsing and the check of the manual. */
#include <string.h>

#include "base/util.h"
#include "papers/model.h"

static const struct dw_model *const models[] = {
	&dw_model_reconnect, &dw_model_closed_paths, &dw_model_commands,
	&dw_model_length,    &dw_model_write,        &dw_model_functional,
	&dw_model_schedule,  &dw_model_shared_bus,   &dw_model_stripe,
	&dw_model_mirror,    &dw_model_closed,       &dw_model_layout,
	&dw_model_zone,
};

const struct dw_model *dw_model_at(size_t i)
{
	return i < DW_ARRAY_SIZE(models) ? models[i] : NULL;
}

const struct dw_model *dw_model_find(const char *name)
{
	for (size_t i = 0; i < DW_ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}
