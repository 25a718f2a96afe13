/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

#include "base/util.h"
#include "file/file.h"

static bool is_printable(const char *arg)
{
	dw_autofree char *copy = strdup(arg);

	return copy && !strcmp(dw_text_printable(copy), arg);
}

const char *dw_shell_command(const char *verb, const char *arg, char *ret, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/_-.,+:@%=";
	bool quoted = !arg[0] || arg[0] == '-' || arg[strspn(arg, plain)];
	size_t n;

	ret[0] = '\0';
	n = strlen(verb) + 1;
	if (n + 3 * strlen(arg) + 5 > len || !is_printable(arg))
		return ret;
	n = (size_t)sprintf(ret, "%s %s", verb, arg[0] == '-' ? "-- " : "");
	if (quoted)
		ret[n++] = '\'';
	for (; *arg; arg++) {
		if (*arg == '\'')
			n += (size_t)sprintf(ret + n, "'\\''");
		else
			ret[n++] = *arg;
	}
	if (quoted)
		ret[n++] = '\'';
	ret[n] = '\0';
	return ret;
}
