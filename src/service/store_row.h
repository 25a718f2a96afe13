/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_STORE_ROW_H
#define DW_SERVICE_STORE_ROW_H

/* Rows of the store; for store.c. */
#include <sqlite3.h>
#include <stdbool.h>

#include <diskwipe/diskwipe.h>

/** store_audit_row() - of the columns seq, at, uid, pid, loginuid, comm, bus, what, job, text_;
 *  false: a text is longer than its member. */
bool store_audit_row(sqlite3_stmt *q, struct dw_audit_row *ret);

#endif
