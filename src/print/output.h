/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_OUTPUT_H
#define DW_PRINT_OUTPUT_H

#include <diskwipe/error.h>

#include "print/canvas.h"

/** plot_output() - the format of a file that is to be written; -EINVAL (its name does not
 *  tell) or -ENOTSUP (not in this build). */
int plot_output(const char *path, enum plot_format *ret, struct dw_error *err);

#endif
