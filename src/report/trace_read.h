/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_TRACE_READ_H
#define DW_REPORT_TRACE_READ_H

/* A trace, read; see <diskwipe/trace.h>. */
#include "report/record.h"
#include "report/trace.h"

/** dw_trace_reader_memory() - dw_trace_reader_open() of @len bytes that are borrowed. */
int dw_trace_reader_memory(const char *text, size_t len, struct dw_trace_reader **ret,
			   struct dw_error *err);

#endif
