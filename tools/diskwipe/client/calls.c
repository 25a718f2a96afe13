/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the service can be asked for. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client/bus.h"

#define PIECE_MS 100

/* A call of @member at @path; @interface: of the service, after its last dot. 0 or an exit code. */
static int new_message(struct cli_client *k, const char *path, const char *interface,
		       const char *member, sd_bus_message **ret)
{
	char full[64];
	int r;

	if (!k->bus)
		return cli_bus_explain(k, -ENOTCONN, NULL);
	snprintf(full, sizeof(full), CLI_BUS_NAME ".%s", interface);
	r = sd_bus_message_new_method_call(k->bus, ret, CLI_BUS_NAME, path, full, member);
	return r < 0 ? cli_bus_explain(k, r, NULL) : 0;
}

static int on_answer(sd_bus_message *m, void *data, sd_bus_error *ret)
{
	sd_bus_message **answer = data;

	*answer = sd_bus_message_ref(m);
	return 1;
}

/* Until something comes or a piece of the wait is over; a signal ends it as well. */
static int wait_a_piece(sd_bus *bus)
{
	struct pollfd p = { .fd = sd_bus_get_fd(bus) };
	int r = sd_bus_get_events(bus);

	if (r < 0)
		return r;
	p.events = (short)r;
	return poll(&p, 1, PIECE_MS) < 0 && errno != EINTR ? -errno : 0;
}

/* A connection that is not even greeted is waited for in pieces, too. */
static int await_answer(struct cli_client *k, sd_bus_message **answer)
{
	uint64_t begin = cli_clock_ns();
	int r = 0;

	while (!*answer && r >= 0) {
		r = sd_bus_process(k->bus, NULL);
		if (r)
			continue;
		if (cli_clock_ns() - begin > k->limit_ns)
			return -ETIMEDOUT;
		if (cli_bus_given_up(k, begin))
			return -ECANCELED;
		r = wait_a_piece(k->bus);
	}
	return r < 0 ? r : 0;
}

/* sd_bus_call(), where somebody wants to be heard meanwhile. */
static int call_in_pieces(struct cli_client *k, sd_bus_message *m, sd_bus_error *e,
			  sd_bus_message **ret)
{
	sd_bus_message *answer = NULL;
	sd_bus_slot *slot = NULL;
	int r = sd_bus_call_async(k->bus, &slot, m, on_answer, &answer, 0);

	if (r >= 0)
		r = await_answer(k, &answer);
	sd_bus_slot_unref(slot);
	if (answer && sd_bus_message_is_method_error(answer, NULL)) {
		sd_bus_error_copy(e, sd_bus_message_get_error(answer));
		r = -EIO;
	} else if (answer) {
		r = 0;
	}
	if (!r && ret)
		*ret = sd_bus_message_ref(answer);
	sd_bus_message_unref(answer);
	return r;
}

int cli_bus_call(struct cli_client *k, sd_bus_message *m, sd_bus_message **ret)
{
	sd_bus_error e = SD_BUS_ERROR_NULL;
	int r = k->waiting ? call_in_pieces(k, m, &e, ret)
			   : sd_bus_call(k->bus, m, 0, &e, ret);

	sd_bus_message_unref(m);
	r = r < 0 ? cli_bus_explain(k, r, &e) : 0;
	sd_bus_error_free(&e);
	return r;
}

/* Send what was put together, unless that failed with @r. */
static int send(struct cli_client *k, sd_bus_message *m, int r, sd_bus_message **ret)
{
	if (r >= 0)
		return cli_bus_call(k, m, ret);
	sd_bus_message_unref(m);
	return cli_bus_explain(k, r, NULL);
}

static int append_text(sd_bus_message *m, const char *key, const char *value)
{
	return value && *value ? sd_bus_message_append(m, "{sv}", key, "s", value) : 0;
}

static int append_time(sd_bus_message *m, const char *key, uint64_t value)
{
	return value ? sd_bus_message_append(m, "{sv}", key, "t", value) : 0;
}

static int append_disk_option(sd_bus_message *m, const char *disk)
{
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	if (r >= 0 && disk)
		r = sd_bus_message_append(m, "{sv}", "disk", "o", disk);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

int cli_client_job(struct cli_client *k, enum cli_job_call what, const char *job,
		   const char *disk)
{
	static const char *const methods[] = { "Cancel", "Pause", "Resume" };
	sd_bus_message *m = NULL;
	int r = new_message(k, job, "Job", methods[what], &m);

	return r ? r : send(k, m, append_disk_option(m, disk), NULL);
}

static int append_wanted(sd_bus_message *m, const struct cli_wanted *w)
{
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	if (r >= 0)
		r = append_text(m, "serial", w->serial);
	if (r >= 0)
		r = append_text(m, "wwn", w->wwn);
	if (r >= 0)
		r = append_text(m, "asset", w->asset);
	if (r >= 0)
		r = sd_bus_message_append(m, "{sv}", "capacity", "t", w->capacity);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_disks(sd_bus_message *m, const struct cli_submission *s)
{
	int r = sd_bus_message_open_container(m, 'a', "a{sv}");

	for (size_t i = 0; r >= 0 && i < s->n_disks; i++)
		r = append_wanted(m, &s->disk[i]);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_options(sd_bus_message *m, const struct cli_submission *s)
{
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	for (size_t i = 0; r >= 0 && i < s->n_options; i++)
		r = sd_bus_message_append(m, "{sv}", s->key[i], "s", s->value[i]);
	if (r >= 0 && s->have_priority)
		r = sd_bus_message_append(m, "{sv}", "priority", "i", s->priority);
	if (r >= 0)
		r = append_text(m, "label", s->label);
	if (r >= 0)
		r = append_text(m, "note", s->note);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int ask_manager(struct cli_client *k, const char *method,
		       const struct cli_submission *s, sd_bus_message **ret)
{
	sd_bus_message *m = NULL;
	int r = new_message(k, CLI_BUS_MANAGER, "Manager", method, &m);

	if (r)
		return r;
	r = append_disks(m, s);
	return send(k, m, r < 0 ? r : append_options(m, s), ret);
}

/* The texts of an answer; the last one is kept. */
static int keep_text(struct cli_client *k, sd_bus_message *m, const char *types,
		     char **ret)
{
	const char *text = "";
	int r = 0;

	for (; *types && r >= 0; types++)
		r = sd_bus_message_read_basic(m, *types, &text);
	if (r >= 0)
		*ret = strdup(text);
	sd_bus_message_unref(m);
	return r < 0 ? cli_bus_explain(k, r, NULL) : 0;
}

int cli_client_submit(struct cli_client *k, const struct cli_submission *s,
		      char **ret_job)
{
	sd_bus_message *answer = NULL;
	int r = ask_manager(k, "Submit", s, &answer);

	return r ? r : keep_text(k, answer, "o", ret_job);
}

int cli_client_plan(struct cli_client *k, const struct cli_submission *s,
		    char **ret_digest, char **ret_plan)
{
	sd_bus_message *answer = NULL;
	const char *digest, *plan;
	int r = ask_manager(k, "Plan", s, &answer);

	if (r)
		return r;
	r = sd_bus_message_read(answer, "ss", &digest, &plan);
	if (r >= 0 && ret_digest)
		*ret_digest = strdup(digest);
	if (r >= 0)
		*ret_plan = strdup(plan);
	sd_bus_message_unref(answer);
	return r < 0 ? cli_bus_explain(k, r, NULL) : 0;
}

int cli_client_submit_plan(struct cli_client *k, const char *digest,
			   const struct cli_submission *s, char **ret_job)
{
	const struct cli_submission rest = { .have_priority = s->have_priority,
					     .priority = s->priority,
					     .label = s->label,
					     .note = s->note };
	sd_bus_message *m = NULL, *answer = NULL;
	int r = new_message(k, CLI_BUS_MANAGER, "Manager", "SubmitPlan", &m);

	if (r)
		return r;
	r = sd_bus_message_append(m, "s", digest);
	r = send(k, m, r < 0 ? r : append_options(m, &rest), &answer);
	return r ? r : keep_text(k, answer, "o", ret_job);
}

int cli_client_result(struct cli_client *k, const char *job, char **ret_json)
{
	sd_bus_message *m = NULL, *answer = NULL;
	int r = new_message(k, job, "Job", "Result", &m);

	if (!r)
		r = send(k, m, append_disk_option(m, NULL), &answer);
	return r ? r : keep_text(k, answer, "s", ret_json);
}

static int append_query(sd_bus_message *m, const struct cli_record_query *q)
{
	int r = sd_bus_message_open_container(m, 'a', "{sv}");

	if (r >= 0)
		r = append_time(m, "since", q->since);
	if (r >= 0)
		r = append_time(m, "until", q->until);
	if (r >= 0)
		r = append_text(m, "serial", q->serial);
	if (r >= 0)
		r = append_text(m, "bay", q->bay);
	if (r >= 0)
		r = append_text(m, "outcome", q->outcome);
	if (r >= 0)
		r = append_text(m, "job", q->job);
	if (r >= 0 && q->limit)
		r = sd_bus_message_append(m, "{sv}", "limit", "u", q->limit);
	return r < 0 ? r : sd_bus_message_close_container(m);
}

static int read_records(sd_bus_message *m, struct cli_record **ret, size_t *ret_n)
{
	struct cli_record *list = NULL;
	size_t n = 0;
	int r = sd_bus_message_enter_container(m, 'a', "a{sv}");

	while (r >= 0 && (r = sd_bus_message_at_end(m, 0)) == 0) {
		list = realloc(list, (n + 1) * sizeof(*list));
		if (!list)
			return -ENOMEM;
		list[n] = (struct cli_record){ .max_temperature = CLI_NO_TEMPERATURE };
		r = cli_bus_properties(m, CLI_TABLE_RECORD, &list[n++]);
	}
	if (r < 0) {
		cli_records_free(list, n);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}

int cli_client_records(struct cli_client *k, const struct cli_record_query *query,
		       struct cli_record **ret, size_t *ret_n)
{
	sd_bus_message *m = NULL, *answer = NULL;
	int r = new_message(k, CLI_BUS_MANAGER, "Manager", "Records", &m);

	if (!r)
		r = send(k, m, append_query(m, query), &answer);
	if (r)
		return r;
	r = read_records(answer, ret, ret_n);
	sd_bus_message_unref(answer);
	return r < 0 ? cli_bus_explain(k, r, NULL) : 0;
}

int cli_client_simulate(struct cli_client *k, const char *method, const char *what,
			int32_t degrees)
{
	sd_bus_message *m = NULL;
	int r = new_message(k, CLI_BUS_MANAGER, "Simulation", method, &m);

	if (r)
		return r;
	r = sd_bus_message_append(m, "s", what);
	if (r >= 0 && method[0] == 'H')
		r = sd_bus_message_append(m, "i", degrees);
	return send(k, m, r, NULL);
}

void cli_records_free(struct cli_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cli_bus_properties_free(CLI_TABLE_RECORD, &records[i]);
	free(records);
}
