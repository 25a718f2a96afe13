/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a subject or a reason quotes may come from a file or a disk, so it is made printable
 * here, once for all.
 */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <diskwipe/units.h>

void dw_error_clear(struct dw_error *e)
{
	if (!e)
		return;
	e->kind = DW_ERROR_NONE;
	e->code = 0;
	e->line = 0;
	e->file[0] = e->subject[0] = e->reason[0] = '\0';
}

int dw_error_set(struct dw_error *e, int r, enum dw_error_kind kind, const char *subject,
		 const char *format, ...)
{
	va_list args;

	if (!e)
		return r;
	dw_error_clear(e);
	e->kind = kind;
	e->code = r;
	snprintf(e->subject, sizeof(e->subject), "%s", subject ? subject : "");
	va_start(args, format);
	vsnprintf(e->reason, sizeof(e->reason), format, args);
	va_end(args);
	dw_text_printable(e->subject);
	dw_text_printable(e->reason);
	return r;
}

int dw_error_system(struct dw_error *e, int r, const char *subject)
{
	if (r >= 0 || !e || e->kind != DW_ERROR_NONE)
		return r;
	return dw_error_set(e, r, DW_ERROR_SYSTEM, subject, "%s", strerror(-r));
}

int dw_error_file(struct dw_error *e, int r, const char *path, const char *reason)
{
	if (r >= 0 || !e)
		return r;
	dw_error_set(e, r, DW_ERROR_FILE, NULL, "%s", reason);
	snprintf(e->file, sizeof(e->file), "%s", path);
	dw_text_printable(e->file);
	return r;
}

void dw_error_under(struct dw_error *e, const char *parent)
{
	char own[sizeof(e->subject)];

	if (!e || !e->subject[0])
		return;
	memcpy(own, e->subject, sizeof(own));
	snprintf(e->subject, sizeof(e->subject), "%.40s.%.80s", parent, own);
}

void dw_error_in(struct dw_error *e, const char *file, uint64_t line)
{
	if (!e || e->file[0] || e->kind == DW_ERROR_SYSTEM)
		return;
	e->kind = DW_ERROR_CONTENT;
	e->line = line;
	snprintf(e->file, sizeof(e->file), "%s", file);
	dw_text_printable(e->file);
}

const char *dw_error_text(const struct dw_error *e, char buf[DW_ERROR_TEXT])
{
	char line[24] = "";

	if (e->line)
		snprintf(line, sizeof(line), ":%" PRIu64, e->line);
	snprintf(buf, DW_ERROR_TEXT, "%s%s%s%s%s%s", e->file, line,
		 e->file[0] ? ": " : "", e->subject, e->subject[0] ? ": " : "",
		 e->reason);
	return buf;
}
