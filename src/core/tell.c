/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a disk in the core as text, for reports of errors. */
#include <stdio.h>

#include "core/internal.h"

static const char *const phase_words[] = {
	[DW_CORE_WAITING] = "waits to begin",
	[DW_CORE_WRITE] = "writes",
	[DW_CORE_OPERATE] = "works by itself",
	[DW_CORE_SETTLE] = "settles",
	[DW_CORE_FLUSH] = "flushes",
	[DW_CORE_CONFIRM] = "confirms",
	[DW_CORE_CONTROL] = "is tried at a difference",
	[DW_CORE_PLANT] = "gets differences planted",
	[DW_CORE_FLOOD] = "reads beside them",
	[DW_CORE_COMPARE] = "compares itself",
	[DW_CORE_UNPLANT] = "gets them overwritten",
	[DW_CORE_VERIFY] = "verifies",
	[DW_CORE_REPAIR] = "repairs",
	[DW_CORE_REVERIFY] = "reads again",
	[DW_CORE_DONE] = "done",
	[DW_CORE_CYCLE] = "waits for a loss of power",
};

void dw_core_describe(const struct dw_core *c, uint32_t disk, char *buf, size_t size)
{
	const struct core_disk *d = c->disk[disk];
	const struct core_disk *alone = d->link->starved.disk;
	char starved[32] = "";

	if (alone == d)
		snprintf(starved, sizeof(starved), " alone");
	else if (alone)
		snprintf(starved, sizeof(starved), " behind disk %u", alone->id);
	snprintf(buf, size, "%s, %u sent%s%s%s%s, link %u%s%s",
		 phase_words[d->state.phase], d->state.submitted,
		 d->state.fenced ? ", fenced" : "", d->state.paused ? ", paused" : "",
		 d->rec.need ? ", recovers" : "", d->crowd.aside ? ", set aside" : "",
		 d->link->id, d->view->out ? " (out)" : "", starved);
}
