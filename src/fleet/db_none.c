/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built without libpq: there is no database. */
#include <errno.h>

#include "fleet/db.h"

int fleet_db_check(const char *uri, struct dw_error *err)
{
	return dw_error_set(
		err, -ENOTSUP, DW_ERROR_FILE, NULL,
		"this program was built without libpq: it reaches no database");
}

int fleet_db_open(const char *uri, const struct fleet_tls *tls, unsigned int patience,
		  struct fleet_db **ret, struct dw_error *err)
{
	return fleet_db_check(uri, err);
}

bool fleet_db_is_pooled(const struct fleet_db *db)
{
	return false;
}

void fleet_db_close(struct fleet_db *db)
{
}

int fleet_db_ask(struct fleet_db *db, const char *sql, const struct fleet_value *value,
		 size_t n, struct fleet_rows **ret, struct dw_error *err)
{
	return -ENOTSUP;
}
