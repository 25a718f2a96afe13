/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TEST_TRACE_TEXT_H
#define DW_TEST_TRACE_TEXT_H

/* A trace that a test has as text, opened as a file is. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <diskwipe/trace.h>

#include "unit.h"

/** trace_text_open() - dw_trace_reader_open() of @len bytes */
static inline int trace_text_open(const char *text, size_t len,
				  struct dw_trace_reader **ret, struct dw_error *err)
{
	int fd = memfd_create("trace", MFD_CLOEXEC), r;
	char path[32];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = dw_trace_reader_open(path, ret, err);
	close(fd);
	return r;
}

#endif
