/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_PATH_LOAD_H
#define DW_TRANSPORT_PATH_LOAD_H

/*
 * The load of the machine's connections, over the paths of all disks. For any thread; two that
 * choose at once may choose the same.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "transport/paths.h"

/**
 * struct dw_path_load - the load by connection, 0..DW_LINKS_MAX - 1
 * @bytes: in flight
 * @free_ns: when it will have transferred what was sent over it
 */
struct dw_path_load {
	_Atomic uint64_t bytes[DW_LINKS_MAX];
	_Atomic uint64_t free_ns[DW_LINKS_MAX];
};

/** dw_path_load_add() - a command of @len bytes of data goes out over @link at @now_ns, which
 *  carries it in @ns; 0 = not known. */
void dw_path_load_add(struct dw_path_load *l, uint32_t link, uint32_t len, uint64_t ns,
		      uint64_t now_ns);

/** dw_path_load_sub() - it has ended. */
void dw_path_load_sub(struct dw_path_load *l, uint32_t link, uint32_t len);

/** dw_path_load_compare() - which connection should have the next command: < 0 @a, > 0 @b.
 *  That which will have carried first what was sent over it, then that with the least under
 *  way; 0 where both are equal. */
int dw_path_load_compare(const struct dw_path_load *l, uint32_t a, uint32_t b,
			 uint64_t now_ns);

#endif
