/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/say.h"

#include <stdio.h>
#include <stdlib.h>

#include <diskwipe/diskwipe.h>

void cli_say_line(bool named, const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		return;
	fprintf(stderr, "%s%s%s\n", named ? cli_name : "", named ? ": " : "",
		dw_text_printable(text));
	free(text);
}

void cli_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cli_say_line(true, format, args);
	va_end(args);
}

int cli_refuse(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cli_say_line(true, format, args);
	va_end(args);
	return code;
}
