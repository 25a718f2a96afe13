/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the store says has to be whole: its tables, and rows whose values are compared. */
#include "store_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

int store_errno(int sqlite)
{
	switch (sqlite & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return -EACCES;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EUCLEAN;
	case SQLITE_CONSTRAINT:
		return -EPERM;
	default:
		return -EIO;
	}
}

/* All of the schema as one text, malloc'd. What ANALYZE leaves is none of it. */
static char *read_schema(sqlite3 *db)
{
	sqlite3_stmt *q = NULL;
	char *text = NULL;

	if (sqlite3_prepare_v2(
		    db,
		    "select group_concat(part, char(10)) from (select type || ' ' ||"
		    " name || ' ' || tbl_name || ' ' || coalesce(sql, '') as part"
		    " from sqlite_master where type <> 'table' or"
		    " name not in ('sqlite_stat1', 'sqlite_stat4')"
		    " order by type, name)",
		    -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW && sqlite3_column_text(q, 0))
		text = strdup((const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return text;
}

bool store_schema_kept(sqlite3 *db)
{
	char *is = read_schema(db), *want = NULL;
	sqlite3 *fresh = NULL;
	int r = sqlite3_open(":memory:", &fresh);
	bool same;

	for (size_t i = 0; i < SCHEMA_VERSION && r == SQLITE_OK; i++)
		r = sqlite3_exec(fresh, schema_steps[i], NULL, NULL, NULL);
	if (r == SQLITE_OK)
		want = read_schema(fresh);
	same = is && want && !strcmp(is, want);
	sqlite3_close(fresh);
	free(is);
	free(want);
	return same;
}

/* False: it is longer. */
static bool copy_whole(sqlite3_stmt *q, int i, char *to, size_t size)
{
	const char *text = (const char *)sqlite3_column_text(q, i);

	snprintf(to, size, "%s", text ? text : "");
	return (size_t)sqlite3_column_bytes(q, i) < size;
}

/* False: it is out of range. */
static bool copy_u32(sqlite3_stmt *q, int i, uint32_t *to)
{
	sqlite3_int64 v = sqlite3_column_int64(q, i);

	*to = (uint32_t)v;
	return v >= 0 && v <= UINT32_MAX;
}

bool store_audit_row(sqlite3_stmt *q, struct dw_audit_row *ret)
{
	*ret = (struct dw_audit_row){
		.row = (uint64_t)sqlite3_column_int64(q, 0),
		.at = (uint64_t)sqlite3_column_int64(q, 1),
	};
	return copy_u32(q, 2, &ret->uid) && copy_u32(q, 3, &ret->pid) &&
	       copy_u32(q, 4, &ret->loginuid) &&
	       copy_whole(q, 5, ret->comm, sizeof(ret->comm)) &&
	       copy_whole(q, 6, ret->bus, sizeof(ret->bus)) &&
	       copy_whole(q, 7, ret->what, sizeof(ret->what)) &&
	       copy_whole(q, 8, ret->job, sizeof(ret->job)) &&
	       copy_whole(q, 9, ret->text, sizeof(ret->text));
}
