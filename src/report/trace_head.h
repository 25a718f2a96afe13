/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_HEAD_H
#define DW_REPORT_TRACE_HEAD_H

/* The head of a trace as text, written and read by the same tables of members. */
#include <stdio.h>

#include "report/record.h"
#include "report/trace.h"

/** dw_trace_head_write() - all lines of the head; 0, -ENOMEM, -ERANGE (a value that could
 *  not be read back). */
int dw_trace_head_write(FILE *f, const struct dw_trace_head *head);

/** dw_trace_head_joined() - the line of a disk that joined, number @number; returns as
 *  dw_trace_head_write(). */
int dw_trace_head_joined(FILE *f, uint32_t number, const struct dw_trace_disk *disk);

/**
 * dw_trace_head_line() - take one line that begins with "# "; a comment is nothing
 * @head: filled further; what it owns grows
 * @line: without its newline
 * @err: on failure the key and what is wrong with it
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int dw_trace_head_line(struct dw_trace_head *head, const char *line,
		       struct dw_error *err);

#endif
