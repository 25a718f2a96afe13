/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would be restored, before anybody is asked. */
#include "job/hidden.h"

#include "cli.h"

uint64_t cli_hidden_restored(const struct cli *c, const struct dw_disk_info *info)
{
	return c->spec.hidden == DW_UNHIDE_RESTORE ? dw_disk_restorable(info) : 0;
}

void cli_hidden_say(const struct cli *c, const struct cli_selection *s, FILE *f,
		    const char *before)
{
	for (size_t i = 0; i < s->n && c->spec.hidden == DW_UNHIDE_RESTORE; i++) {
		const struct dw_disk_info *info = &s->disk[i].info;
		bool can = cli_hidden_restored(c, info);

		if (info->hidden_blocks)
			fprintf(f, "%s%s: hides %llu blocks (%s); they %s\n", before,
				cli_disk_node(info),
				(unsigned long long)info->hidden_blocks,
				dw_hidden_name((enum dw_hidden)info->hidden_by),
				can ? "are restored first, and erased with the rest"
				    : "cannot be restored, and stay as they are");
	}
}
