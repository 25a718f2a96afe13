/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a trace tells of a station: its nodes, and what each disk hangs on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "forecast/simulate.h"
#include "station/station.h"

static const uint8_t kinds[] = {
	[STATION_LINK] = DW_TRACE_LINK,
	[STATION_CONTROLLER] = DW_TRACE_CONTROLLER,
	[STATION_BUS] = DW_TRACE_BUS,
};

uint32_t sim_adapter(const void *ctx, uint32_t unit)
{
	const struct dw_station *s = ctx;
	uint32_t index;

	return station_adapter(s, sim_world_disk(s, unit, &index));
}

int sim_wiring(const void *ctx, const uint32_t *units, struct dw_trace_head *head)
{
	const struct dw_station *s = ctx;
	uint32_t index;

	snprintf(head->run.station, sizeof(head->run.station), "%s", s->title);
	head->node = calloc(s->n_nodes ? s->n_nodes : 1, sizeof(*head->node));
	if (!head->node)
		return -ENOMEM;
	head->n_nodes = s->n_nodes;
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		head->node[i].kind = kinds[s->node[i].kind];
		head->node[i].rate = s->node[i].rate;
		snprintf(head->node[i].name, sizeof(head->node[i].name), "%s",
			 s->node[i].name);
		snprintf(head->node[i].on, sizeof(head->node[i].on), "%s",
			 s->node[i].on_name);
	}
	for (uint32_t i = 0; i < head->n_disks; i++) {
		const struct station_disk *d = sim_world_disk(s, units[i], &index);

		snprintf(head->disk[i].on, sizeof(head->disk[i].on), "%s%s%s",
			 d->on_name[0], d->n_on > 1 ? " " : "",
			 d->n_on > 1 ? d->on_name[1] : "");
	}
	return 0;
}
