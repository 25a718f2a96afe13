/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_STORE_ROW_H
#define DW_SERVICE_STORE_ROW_H

/* Parts of the store that need SQLite alone; for store.c. */
#include <sqlite3.h>
#include <stdbool.h>

#include <diskwipe/diskwipe.h>

/** store_errno() - 0 or -errno for a result of SQLite. */
int store_errno(int sqlite);

/** store_schema_kept() - are tables, indexes and triggers those that a new file of this version
 *  has? Also false without memory. */
bool store_schema_kept(sqlite3 *db);

/** store_audit_row() - of the columns seq, at, uid, pid, loginuid, comm, bus, what, job, text_;
 *  false: a value is not in the range of its member. */
bool store_audit_row(sqlite3_stmt *q, struct dw_audit_row *ret);

#endif
