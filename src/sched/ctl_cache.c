/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cache: the active disks share the controller's buffer, so that all commands in flight fit
 * into it together (Tikhomirov, eq. 4.3). As disks finish the others get longer transfers.
 */
#include "sched/controller.h"

uint32_t dw_cache_length(uint64_t buffer_bytes, uint32_t block_size, uint32_t active)
{
	uint64_t share = buffer_bytes / ((uint64_t)block_size * active), nlb = 1;

	while (nlb <= share / 2 && nlb < UINT32_C(1) << 31)
		nlb *= 2;
	return (uint32_t)nlb;
}

static void pick(struct dw_controller_state *s, const struct dw_view *view, uint32_t disk,
		 struct dw_pick *ret)
{
	ret->nlb = dw_cache_length(s->buffer_bytes ? s->buffer_bytes : DW_CACHE_BYTES,
				   view->disk[disk].block_size, view->active);
	ret->depth = view->disk[disk].most;
}

const struct dw_controller dw_controller_cache = {
	.name = "cache",
	.pick = pick,
};
