/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of the store whose texts have to be whole. */
#include "store_row.h"

#include <stdio.h>

/* False: it is longer. */
static bool copy_whole(sqlite3_stmt *q, int i, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(q, i);

	snprintf(to, size, "%s", text ? text : "");
	return (size_t)sqlite3_column_bytes(q, i) < size;
}

bool store_audit_row(sqlite3_stmt *q, struct dw_audit_row *ret)
{
	*ret = (struct dw_audit_row){
		.row = (uint64_t)sqlite3_column_int64(q, 0),
		.at = (uint64_t)sqlite3_column_int64(q, 1),
		.uid = (uint32_t)sqlite3_column_int64(q, 2),
		.pid = (uint32_t)sqlite3_column_int64(q, 3),
		.loginuid = (uint32_t)sqlite3_column_int64(q, 4),
	};
	return copy_whole(q, 5, ret->comm, sizeof(ret->comm)) &&
	       copy_whole(q, 6, ret->bus, sizeof(ret->bus)) &&
	       copy_whole(q, 7, ret->what, sizeof(ret->what)) &&
	       copy_whole(q, 8, ret->job, sizeof(ret->job)) &&
	       copy_whole(q, 9, ret->text, sizeof(ret->text));
}
