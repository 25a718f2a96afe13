/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was done, for callers: rows of the store as dictionaries. What a disk reported of itself is
 * made printable; the bus takes UTF-8 only.
 */
#include <stdio.h>
#include <string.h>

#include "bus.h"

static int read_filter(sd_bus_message *m, const char *key, void *ctx, sd_bus_error *error)
{
	struct store_filter *f = ctx;
	static const struct {
		const char *key;
		size_t offset;
		size_t size;
	} texts[] = {
		{ "serial", offsetof(struct store_filter, serial), sizeof(f->serial) },
		{ "bay", offsetof(struct store_filter, bay), sizeof(f->bay) },
		{ "outcome", offsetof(struct store_filter, outcome), sizeof(f->outcome) },
		{ "job", offsetof(struct store_filter, job), sizeof(f->job) },
	};
	const char *text;
	int r;

	if (!strcmp(key, "since"))
		return sd_bus_message_read(m, "v", "t", &f->since);
	if (!strcmp(key, "until"))
		return sd_bus_message_read(m, "v", "t", &f->until);
	if (!strcmp(key, "limit"))
		return sd_bus_message_read(m, "v", "u", &f->limit);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i].key, key) != 0)
			continue;
		r = sd_bus_message_read(m, "v", "s", &text);
		if (r >= 0)
			snprintf((char *)f + texts[i].offset, texts[i].size, "%s", text);
		return r;
	}
	return entry_unknown(key, error);
}

static int add_text(sd_bus_message *m, const char *key, const char *from)
{
	char clean[512];

	snprintf(clean, sizeof(clean), "%s", from);
	dw_text_printable(clean);
	return sd_bus_message_append(m, "{sv}", key, "s", clean);
}

/** struct answer - @m: to be filled; @simulated: of a simulated station */
struct answer {
	sd_bus_message *m;
	bool simulated;
};

static int append_record(void *ctx, const struct store_record *rec)
{
	const struct store_attempt *a = &rec->attempt;
	const struct dw_disk_info *i = &a->identity;
	const struct answer *answer = ctx;
	sd_bus_message *m = answer->m;
	struct dw_job_spec spec;
	const struct {
		const char *key;
		const char *value;
	} texts[] = {
		{ "job", a->job },
		{ "serial", i->serial },
		{ "wwn", i->wwn },
		{ "vendor", i->vendor },
		{ "model", i->model },
		{ "bay", a->bay },
		{ "outcome", outcome_word(a->outcome) },
		{ "reason", a->reason },
		{ "label", rec->job.label },
		{ "health_before", a->health_before },
		{ "health_after", a->health_after },
	};
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]) && r >= 0; k++)
		r = add_text(m, texts[k].key, texts[k].value);
	dw_job_spec_init(&spec);
	spec_options(&spec, rec->job.options, NULL);
	if (r >= 0)
		r = add_text(m, "method", spec.pattern[0] ? "custom" : spec.method);
	if (r >= 0)
		r = add_text(m, "customer", spec.customer);
	if (r >= 0)
		r = add_text(m, "order_number", spec.order_number);
	if (r >= 0)
		r = add_text(m, "asset", a->asset);
	if (r >= 0)
		r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}", "capacity", "t",
					  i->blocks * i->block_size, "started", "t",
					  a->started, "ended", "t", a->ended, "uid", "u",
					  rec->job.uid);
	if (r >= 0)
		r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}", "max_temperature", "i",
					  a->max_temperature, "heat_pause_seconds", "d",
					  (double)a->heat_us / 1e6, "do_not_reuse", "b",
					  (int)a->do_not_reuse, "simulated", "b",
					  (int)answer->simulated);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	return r < 0 ? r : 0;
}

int records_answer(struct service *s, sd_bus_message *m, sd_bus_error *error)
{
	struct store_filter f = { 0 };
	sd_bus_message *reply = NULL;
	int r = entries_read(m, read_filter, &f, error);

	if (r >= 0)
		r = sd_bus_message_new_method_return(m, &reply);
	if (r >= 0)
		r = sd_bus_message_open_container(reply, 'a', "a{sv}");
	if (r >= 0)
		r = store_each_record(s->store, &f, append_record,
				      &(struct answer){ reply, s->simulation != NULL });
	if (r >= 0)
		r = sd_bus_message_close_container(reply);
	if (r >= 0)
		r = sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return r;
}
