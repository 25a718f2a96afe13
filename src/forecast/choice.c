/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which simulation suits a job: the exact one where its commands are few enough. */
#include <diskwipe/simulate.h>

#include "station/station.h"

#define COMMAND 524288.0  /* bytes, about */
#define EXACT   2000000.0 /* commands of a pass: a few seconds */

bool dw_simulation_coarse(const struct dw_job_spec *spec,
			  const struct dw_station *station)
{
	double bytes = 0;

	/* a leap leaves other work out */
	if (spec->background.kind != DW_BACKGROUND_OFF || station->n_loads)
		return false;
	for (uint32_t i = 0; i < station->n_disks; i++)
		bytes += (double)station->disk[i].capacity *
			 (double)station->disk[i].count;
	return bytes / COMMAND > EXACT;
}
