/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_DATA_SECRET_H
#define DW_DATA_SECRET_H

#include <stddef.h>

/** dw_secret_new() - zeroed memory of its own pages, that core dumps leave out and that is not
 *  swapped as far as the limit on locked memory allows; NULL when there is none. */
void *dw_secret_new(size_t size);

/** dw_secret_free() - wipe and release what dw_secret_new() gave for @size; NULL is accepted. */
void dw_secret_free(void *p, size_t size);

#endif
