/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_REPORT_FILE_H
#define DW_REPORT_FILE_H

/* Documents as files: read whole, replaced whole. */
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/** dw_file_read() - a regular file of at most @max bytes; free(*ret_text); 0 or negative
 *  errno (-EINVAL: not a regular file, -EFBIG). */
int dw_file_read(const char *path, size_t max, char **ret_text, size_t *ret_len);

/** dw_file_close() - close @f; 0, or negative errno if any of it was not written. */
int dw_file_close(FILE *f);

/** dw_file_replace() - write a file so that after a crash it is the old or the new one;
 *  0 or negative errno (-EINVAL: there is something that is not a regular file). */
int dw_file_replace(const char *path, const char *text, size_t len, mode_t mode);

#endif
