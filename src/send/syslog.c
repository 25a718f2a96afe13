/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line of the system's log for each record. The log acknowledges nothing: it is sent once. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "base/util.h"
#include "send/send.h"

static const struct {
	const char *name;
	int facility;
} facilities[] = {
	{ "yes", LOG_DAEMON },        { "daemon", LOG_DAEMON }, { "user", LOG_USER },
	{ "authpriv", LOG_AUTHPRIV }, { "local0", LOG_LOCAL0 }, { "local1", LOG_LOCAL1 },
	{ "local2", LOG_LOCAL2 },     { "local3", LOG_LOCAL3 }, { "local4", LOG_LOCAL4 },
	{ "local5", LOG_LOCAL5 },     { "local6", LOG_LOCAL6 }, { "local7", LOG_LOCAL7 },
};

const char *send_quote(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	for (; *text && n + 5 < size; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			n += (size_t)snprintf(buf + n, size - n, "\\x%02x", c);
		else
			buf[n++] = (char)c;
	}
	buf[n] = '\0';
	return buf;
}

static void log_erasure(int facility, const struct send_item *i, const struct dw_proof *p)
{
	char serial[4 * DW_SERIAL_MAX + 8], model[256], who[544], label[288];

	syslog(facility | LOG_NOTICE,
	       "record %" PRIu64 " outcome=%s level=%s serial=\"%s\" model=\"%s\" "
	       "operator=\"%s\" label=\"%s\" sha256=%s",
	       i->sequence, p->simulation[0] ? "simulated" : p->outcome,
	       p->simulation[0] ? "none" : p->level,
	       send_quote(p->info.serial, serial, sizeof(serial)),
	       send_quote(p->info.model, model, sizeof(model)),
	       send_quote(p->operator_name, who, sizeof(who)),
	       send_quote(p->label, label, sizeof(label)), i->hash);
}

/* of a record that is not of a disk, its number and hash; of a head what it names */
static void log_item(int facility, const struct send_item *i)
{
	static const char *const kinds[] = { [DW_LEDGER_RECORD] = "record",
					     [DW_LEDGER_HEAD] = "head",
					     [DW_LEDGER_DAY] = "day" };
	struct dw_error err = { 0 };
	struct dw_proof p;

	if (i->kind == DW_LEDGER_RECORD && !dw_proof_parse(i->text, i->len, &p, &err)) {
		log_erasure(facility, i, &p);
		dw_proof_deinit(&p);
	} else {
		syslog(facility | LOG_NOTICE, "%s %" PRIu64 " sha256=%s%s%s",
		       kinds[i->kind], i->sequence, i->hash, i->head[0] ? " head=" : "",
		       i->head);
	}
}

int send_to_syslog(const struct send_target *t, const struct send_item *i,
		   struct send_failure *f)
{
	for (size_t k = 0; k < DW_ARRAY_SIZE(facilities); k++) {
		if (strcmp(t->where, facilities[k].name) != 0)
			continue;
		log_item(facilities[k].facility, i);
		return 0;
	}
	return send_fail(
		f,
		"%.40s: no facility of syslog; daemon, user, authpriv and local0 to "
		"local7 are",
		t->where);
}
