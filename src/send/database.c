/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ledger of a fleet, a database of PostgreSQL: diskwipe.put() of integrations/ledger/schema.sql
 * takes the bytes as they were signed. A statement that ends is durable there, whatever its owner
 * has set. One sender at a time has a chain: what a sender that was killed has asked for ends
 * before the next one begins, so that an older head does not come behind a newer one. Through a
 * pooler a session is nobody's: there each statement has the chain for itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "send/send.h"

#define PATIENCE_S 60

void send_database_end(struct send_target *t)
{
	fleet_db_close(t->db);
	t->db = NULL;
}

static int failed(struct send_target *t, const struct dw_error *err,
		  struct send_failure *f)
{
	char text[DW_ERROR_TEXT];

	send_database_end(t);
	return send_fail(f, "%.250s", dw_error_text(err, text));
}

/*
 * A server that does not flush says that a commit is durable when it is not. @rows are freed; what
 * it says of that is in their first column.
 */
static int check_durable(struct send_target *t, struct fleet_rows *rows,
			 struct send_failure *f)
{
	bool durable = fleet_rows_n(rows) == 1 &&
		       strcmp(fleet_rows_at(rows, 0, 0, NULL), "off") != 0;

	fleet_rows_free(rows);
	if (durable)
		return 0;
	send_database_end(t);
	return send_fail(
		f,
		"the server says fsync = off: nothing shows that a record there outlasts a "
		"power cut, so none counts as sent; set fsync = on in its postgresql.conf, "
		"or, where its provider keeps it off, use another server");
}

#define SAYS_FSYNC "coalesce(current_setting('fsync', true), 'on')"
#define OF_CHAIN   "(('x' || left($1, 16))::bit(64)::bigint)"

/* For as long as the session lasts. Through a pooler that would be others' session, and no end. */
static int have_chain(struct send_target *t, struct dw_error *err)
{
	static const char *const ways[] = {
		"SET lock_timeout = '20s'",
		"SET tcp_keepalives_idle = 60",
	};
	const struct fleet_value chain = { t->chain, 0 };
	int r = 0;

	if (fleet_db_is_pooled(t->db))
		return 0;
	for (size_t i = 0; i < DW_ARRAY_SIZE(ways) && !r; i++)
		r = fleet_db_ask(t->db, ways[i], NULL, 0, NULL, err);
	return r ? r
		 : fleet_db_ask(t->db, "SELECT pg_advisory_lock" OF_CHAIN, &chain, 1,
				NULL, err);
}

static int begin(struct send_target *t, struct send_failure *f)
{
	const struct fleet_tls tls = { t->ca_file, t->client_cert, t->client_key };
	struct dw_error err = { 0 };
	struct fleet_rows *rows;
	int r = fleet_db_open(t->where, &tls, PATIENCE_S, &t->db, &err);

	if (!r)
		r = have_chain(t, &err);
	if (!r)
		r = fleet_db_ask(t->db, "SELECT " SAYS_FSYNC, NULL, 0, &rows, &err);
	/* before anything is put, else each attempt would put a record that does not count */
	return r ? failed(t, &err, f) : check_durable(t, rows, f);
}

int send_to_database(struct send_target *t, const struct send_item *i,
		     struct send_failure *f)
{
	/*
	 * Owners may have asked for less than a durable commit, or for more, and may change it
	 * while this goes on; behind a pooler, a session can be another one each time. So each
	 * statement sets it for its own transaction, which it is alone in, and has the chain.
	 */
	static const char put[] =
		"SELECT " SAYS_FSYNC ", set_config('synchronous_commit', CASE "
		"current_setting('synchronous_commit') WHEN 'remote_apply' "
		"THEN 'remote_apply' ELSE 'on' END, true), "
		"diskwipe.put(decode($1, 'hex'), $2, $3::bigint, $4, $5) "
		"FROM pg_advisory_xact_lock" OF_CHAIN;
	static const char *const kinds[] = { [DW_LEDGER_RECORD] = "record",
					     [DW_LEDGER_HEAD] = "head",
					     [DW_LEDGER_DAY] = "day" };
	char number[24];
	const struct fleet_value values[] = { { t->chain, 0 },
					      { kinds[i->kind], 0 },
					      { number, 0 },
					      { i->text, i->len },
					      { i->sig, 0 } };
	struct fleet_rows *rows;
	struct dw_error err = { 0 };

	snprintf(number, sizeof(number), "%" PRIu64, i->sequence);
	if (!t->db && begin(t, f))
		return -1;
	if (fleet_db_ask(t->db, put, values, DW_ARRAY_SIZE(values), &rows, &err))
		return failed(t, &err, f);
	return check_durable(t, rows, f);
}
