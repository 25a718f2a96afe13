/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_BASE_ERROR_H
#define DW_BASE_ERROR_H

/* What only the library fills a struct dw_error with; each accepts NULL for it. */
#include <diskwipe/error.h>

/** dw_error_member(), dw_error_content() - -EINVAL for a member of a spec, or for a key of a
 *  document; what follows is the format of the reason. */
#define dw_error_member(e, member, ...)                                                  \
	__extension__({                                                                  \
		dw_error_set(e, -EINVAL, DW_ERROR_MEMBER, member, __VA_ARGS__);          \
		-EINVAL;                                                                 \
	})
#define dw_error_content(e, key, ...)                                                    \
	__extension__({                                                                  \
		dw_error_set(e, -EINVAL, DW_ERROR_CONTENT, key, __VA_ARGS__);            \
		-EINVAL;                                                                 \
	})

/** dw_error_under() - the subject is a member of @parent: "job" and "depth" are "job.depth". */
void dw_error_under(struct dw_error *e, const char *parent);

/** dw_error_in() - what failed is in this file: a member is content now. @line: 0 = none.
 *  What names a file already stays. */
void dw_error_in(struct dw_error *e, const char *file, uint64_t line);

#endif
