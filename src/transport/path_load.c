/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A command without data has a cost, too: it counts like a short one. */
#include "transport/path_load.h"

#include "base/util.h"

#define COMMAND_BYTES (16 * DW_KIB) /* what a command weighs besides its data */

void dw_path_load_add(struct dw_path_load *l, uint32_t link, uint32_t len, uint64_t ns,
		      uint64_t now_ns)
{
	_Atomic uint64_t *until = &l->free_ns[link];

	atomic_fetch_add(&l->bytes[link], len + COMMAND_BYTES);
	if (ns)
		atomic_store(until, dw_max_u64(now_ns, atomic_load(until)) + ns);
}

void dw_path_load_sub(struct dw_path_load *l, uint32_t link, uint32_t len)
{
	atomic_fetch_sub(&l->bytes[link], len + COMMAND_BYTES);
}

int dw_path_load_compare(const struct dw_path_load *l, uint32_t a, uint32_t b,
			 uint64_t now_ns)
{
	int r = dw_compare_u64(dw_max_u64(now_ns, atomic_load(&l->free_ns[a])),
			       dw_max_u64(now_ns, atomic_load(&l->free_ns[b])));

	return r ? r
		 : dw_compare_u64(atomic_load(&l->bytes[a]), atomic_load(&l->bytes[b]));
}
