/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include "base/be.h"
#include "base/util.h"
#include "scsi/pr.h"

#define HEADER_LEN 8

int dw_pr_reservation(const uint8_t *data, size_t len, struct dw_pr_reservation *ret)
{
	struct dw_pr_reservation r = { 0 };
	uint32_t bytes;

	if (len < HEADER_LEN)
		return -EBADMSG;
	r.generation = dw_get_be32(data);
	bytes = dw_get_be32(data + 4);
	if (bytes != 0) {
		if (bytes != 16 || len < HEADER_LEN + 16)
			return -EBADMSG;
		r.held = true;
		r.key = dw_get_be64(data + 8);
		r.type = data[21] & 0x0f;
	}
	*ret = r;
	return 0;
}

void dw_pr_fill_list(uint64_t key, uint64_t sa_key, uint8_t *buf)
{
	memset(buf, 0, DW_PR_LIST_LEN);
	dw_put_be64(buf, key);
	dw_put_be64(buf + 8, sa_key);
}

const char *dw_pr_type_name(uint8_t type)
{
	static const char *const names[] = {
		[DW_PR_WRITE_EXCLUSIVE] = "write exclusive",
		[DW_PR_EXCLUSIVE_ACCESS] = "exclusive access",
		[DW_PR_WRITE_EXCLUSIVE_REGISTRANTS] = "write exclusive, registrants only",
		[DW_PR_EXCLUSIVE_ACCESS_REGISTRANTS] =
			"exclusive access, registrants only",
		[DW_PR_WRITE_EXCLUSIVE_ALL] = "write exclusive, all registrants",
		[DW_PR_EXCLUSIVE_ACCESS_ALL] = "exclusive access, all registrants",
	};

	if (type >= DW_ARRAY_SIZE(names) || !names[type])
		return "unknown type";
	return names[type];
}
