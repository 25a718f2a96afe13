/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/markup.h"

#include <stdlib.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"

void plot_markup(FILE *f, const char *text)
{
	dw_autofree char *copy = strdup(text);

	if (!copy)
		return;
	for (const char *c = dw_text_printable(copy); *c; c++) {
		if (*c == '<')
			fputs("&lt;", f);
		else if (*c == '>')
			fputs("&gt;", f);
		else if (*c == '&')
			fputs("&amp;", f);
		else if (*c == '"')
			fputs("&quot;", f);
		else if (*c == '\'')
			fputs("&#39;", f);
		else
			fputc(*c, f);
	}
}
