/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "transport/blk.h"

int dw_blk_uring_new(const struct dw_executor *executor, struct dw_transport **ret)
{
	return -ENOSYS;
}
