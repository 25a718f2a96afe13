/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PLOT_PAGES_H
#define DW_PLOT_PAGES_H

/* Which figure stands on which page. Pure. */
#include <stddef.h>

/**
 * plot_pages_order() - put figures in an order in which pages are full
 * @height: of each of @n figures
 * @room: height of a page
 * @head: height of what stands above the first figure of the first page
 * @ret: places of the figures, in the order in which they are drawn
 *
 * A page takes the figures in their order for as long as they fit, and below them those of the
 * later ones that fill it best; if that leaves more than a tenth of it empty, the first figure and
 * those that fill it best. A figure is never cut. Drawn in this order, each on the page of
 * the one before it if it fits there, the figures stand on the pages that were chosen.
 */
void plot_pages_order(const double *height, size_t n, double room, double head,
		      size_t *ret);

#endif
