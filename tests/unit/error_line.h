/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_ERROR_LINE_H
#define DW_TESTS_ERROR_LINE_H

#include <stdbool.h>
#include <string.h>

#include <diskwipe/error.h>

/** error_line() - what people would read; until the next call. */
static inline const char *error_line(const struct dw_error *e)
{
	static _Thread_local char line[DW_ERROR_TEXT];

	return dw_error_text(e, line);
}

/** is_whole_error() - it says what failed, with what it returned, in one line. */
static inline bool is_whole_error(const struct dw_error *e, int r)
{
	return e->kind != DW_ERROR_NONE && e->code == r && r < 0 && e->reason[0] &&
	       !strchr(error_line(e), '\n');
}

#endif
