/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In place of canvas_cairo.c where there is no cairo: SVG and HTML need none. */
#include <errno.h>

#include "print/canvas.h"

bool plot_cairo_have(void)
{
	return false;
}

int plot_cairo_new(const char *path, bool pdf, double height,
		   const struct plot_document *d, struct plot **ret)
{
	return -ENOTSUP;
}
