/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fixed: the configured length, or the optimum of the disk; it never changes. */
#include "sched/controller.h"

static void pick(struct dw_controller_state *s, const struct dw_view *view, uint32_t disk,
		 struct dw_pick *ret)
{
	ret->nlb = s->fixed_blocks ? s->fixed_blocks : view->disk[disk].optimal;
	ret->depth = view->disk[disk].most;
}

const struct dw_controller dw_controller_fixed = {
	.name = "fixed",
	.pick = pick,
};
