/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_GUIDED_VIEW_H
#define DISKWIPE_GUIDED_VIEW_H

/* The guided start as cells of top's pages. */
#include "guided/model.h"
#include "top/layout.h"

/** guided_layout() - draw @g on @width by @height cells; renews g->page, g->first, g->first_item
 *  and g->small. */
void guided_layout(struct guided *g, unsigned width, unsigned height, struct top_page *p);

#endif
