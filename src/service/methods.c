/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What callers ask for. A disk is named by what it is, never by its node; whether it may be erased
 * is looked up here, and asked of the disk itself once more when the engine claims it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <diskwipe/identity.h>

#include "bus.h"
#include "metrics.h"
#include "plans.h"
#include "prove.h"
#include "view.h"

#define DISKS_MAX 4096

/** struct asked - the arguments of Submit and Plan */
struct asked {
	struct svc_disk **disk;
	struct asset_tag *asset;
	size_t n;
	struct job_request request;
};

/** struct named_disk - a disk that a caller means; @exactly: an empty serial or WWN is one, too */
struct named_disk {
	struct dw_disk_info info;
	struct asset_tag asset;
	uint64_t capacity;
	bool exactly;
};

/* one line, whatever a caller has sent and a disk reports of itself */
__attribute__((format(printf, 3, 4))) static int
refuse(sd_bus_error *error, const char *name, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dw_text_printable(text);
	return sd_bus_error_set(error, name, text);
}

#define invalid(error, ...) refuse(error, ERROR("Invalid"), __VA_ARGS__)

/* --- disks of a request ------------------------------------------------------- */

/* It goes into the record as it was said, or not at all. */
static int read_asset(sd_bus_message *m, struct asset_tag *ret, sd_bus_error *error)
{
	const char *text;
	int r = sd_bus_message_read(m, "v", "s", &text);

	if (r < 0)
		return r;
	if (strlen(text) >= sizeof(ret->text))
		return invalid(error, "an asset is longer than %zu bytes",
			       sizeof(ret->text) - 1);
	if (!dw_text_is_printable(text))
		return invalid(error, "%s", "an asset has control characters");
	memcpy(ret->text, text, strlen(text) + 1);
	return 0;
}

static int read_member(sd_bus_message *m, const char *key, void *ctx, sd_bus_error *error)
{
	struct named_disk *ret = ctx;
	const char *text;

	if (!strcmp(key, "serial") || !strcmp(key, "wwn")) {
		char *to = key[0] == 's' ? ret->info.serial : ret->info.wwn;
		int r = sd_bus_message_read(m, "v", "s", &text);

		if (r >= 0)
			snprintf(to, DW_SERIAL_MAX, "%s", text);
		return r;
	}
	if (!strcmp(key, "capacity"))
		return sd_bus_message_read(m, "v", "t", &ret->capacity);
	if (!strcmp(key, "asset"))
		return read_asset(m, &ret->asset, error);
	return invalid(error, "a disk has no member '%s'", key);
}

static bool is_named(const struct dw_disk_info *i, const struct named_disk *want)
{
	return i->blocks * i->block_size == want->capacity &&
	       dw_disk_match(i, &want->info,
			     want->exactly ? DW_SAME_NAME : DW_SAME_GIVEN);
}

static int find_named(struct service *s, const struct named_disk *want,
		      struct svc_disk **ret, sd_bus_error *error)
{
	struct svc_disk *found = NULL;

	for (struct svc_disk *d = s->disks; d; d = d->next) {
		if (!is_named(&d->facts.info, want))
			continue;
		if (found && found->present && d->present)
			return invalid(error,
				       "two disks answer to serial '%s', WWN '%s': name "
				       "both of one of them",
				       want->info.serial, want->info.wwn);
		if (!found || d->present)
			found = d;
	}
	*ret = found;
	if (found)
		return 0;
	return refuse(error, ERROR("NotFound"),
		      "there is no disk with serial '%s', WWN '%s' and %llu bytes",
		      want->info.serial, want->info.wwn,
		      (unsigned long long)want->capacity);
}

static int check_named(const struct svc_disk *d, sd_bus_error *error)
{
	const struct dw_verdict *v = &d->facts.verdict;
	const char *node = d->facts.info.sg[0] ? d->facts.info.sg : d->facts.info.block;

	if (!d->present)
		return refuse(error, ERROR("NotFound"), "%s: it is not there",
			      d->facts.info.serial);
	if (disk_busy(d))
		return refuse(error, ERROR("Busy"), "%s: job %.8s has it", node,
			      d->attempt->row.job);
	if (disk_left(d))
		return refuse(
			error, ERROR("Refused"),
			"%s: it is in quarantine, as job %.8s left it at work; resume "
			"that, or cancel it to give it up",
			node, d->attempt->row.job);
	if (v->refusal != DW_REFUSAL_NONE)
		return refuse(error, ERROR("Refused"), "%s: %s%s%s", node, v->reason,
			      v->release[0] ? "; to release it: " : "", v->release);
	if (d->facts.info.name_shared)
		return refuse(
			error, ERROR("Refused"),
			"%s: another disk has its serial number, and a record could not "
			"tell which of them it is about; unplug the other",
			node);
	if (!d->row)
		return refuse(error, ERROR("Failed"), "%s: it cannot be put on record",
			      node);
	return 0;
}

static int take_named(struct service *s, struct asked *a, const struct named_disk *want,
		      sd_bus_error *error)
{
	struct svc_disk *d = NULL, **more;
	struct asset_tag *tags;
	int r;

	if ((!want->info.serial[0] && !want->info.wwn[0]) || !want->capacity)
		return invalid(error, "a disk is named by %s",
			       "its serial, its WWN or both, and its capacity");
	r = find_named(s, want, &d, error);
	if (r < 0 || !d)
		return r;
	r = check_named(d, error);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		if (a->disk[i] == d)
			r = invalid(error, "disk '%s' is named twice",
				    d->facts.info.serial);
	if (r < 0)
		return r;
	more = realloc(a->disk, (a->n + 1) * sizeof(struct svc_disk *));
	if (!more)
		return -ENOMEM;
	a->disk = more;
	tags = realloc(a->asset, (a->n + 1) * sizeof(*tags));
	if (!tags)
		return -ENOMEM;
	a->asset = tags;
	a->asset[a->n] = want->asset;
	a->disk[a->n++] = d;
	return 0;
}

static int read_disks(struct service *s, sd_bus_message *m, struct asked *a,
		      sd_bus_error *error)
{
	int r = sd_bus_message_enter_container(m, 'a', "a{sv}");

	while (r >= 0 && (r = sd_bus_message_at_end(m, 0)) == 0) {
		struct named_disk want = { .capacity = 0 };

		r = entries_read(m, read_member, &want, error);
		if (r >= 0)
			r = take_named(s, a, &want, error);
		if (r >= 0 && a->n > DISKS_MAX)
			r = invalid(error, "%s", "too many disks");
	}
	if (r >= 0)
		r = sd_bus_message_exit_container(m);
	if (r >= 0 && !a->n)
		r = invalid(error, "%s", "no disk is named");
	return r;
}

/* --- options --------------------------------------------------------------------- */

static int add_text_option(struct job_request *w, const char *key, const char *value,
			   sd_bus_error *error)
{
	size_t used = strlen(w->options);
	char text[DW_ERROR_TEXT];
	struct dw_job_spec spec;
	struct dw_error err;

	dw_job_spec_init(&spec);
	if (spec_option(&spec, key, value, &err) < 0)
		return invalid(error, "%s", dw_error_text(&err, text));
	if (strchr(value, '\n') ||
	    used + strlen(key) + strlen(value) + 3 > sizeof(w->options))
		return invalid(error, "option '%s' is too long", key);
	snprintf(w->options + used, sizeof(w->options) - used, "%s=%s\n", key, value);
	return 0;
}

static int take_remark(char *to, size_t size, const char *key, const char *text,
		       sd_bus_error *error)
{
	if (strlen(text) >= size)
		return invalid(error, "option '%s' is longer than %zu bytes", key,
			       size - 1);
	snprintf(to, size, "%s", text);
	dw_text_printable(to);
	return 0;
}

/** struct options_wanted - @only_labels: what is done is fixed by a plan */
struct options_wanted {
	struct job_request *request;
	bool only_labels;
};

static int read_option(sd_bus_message *m, const char *key, void *ctx, sd_bus_error *error)
{
	const struct options_wanted *o = ctx;
	struct job_request *w = o->request;
	const char *text;
	int r;

	if (!strcmp(key, "priority"))
		return sd_bus_message_read(m, "v", "i", &w->priority);
	r = sd_bus_message_read(m, "v", "s", &text);
	if (r < 0)
		return r;
	if (!strcmp(key, "label"))
		return take_remark(w->label, sizeof(w->label), key, text, error);
	if (!strcmp(key, "note"))
		return take_remark(w->note, sizeof(w->note), key, text, error);
	if (o->only_labels)
		return entry_unknown(key, error);
	return add_text_option(w, key, text, error);
}

static int read_options(sd_bus_message *m, struct job_request *w, bool only_labels,
			sd_bus_error *error)
{
	struct options_wanted o = { .request = w, .only_labels = only_labels };

	return entries_read(m, read_option, &o, error);
}

/* --- jobs -------------------------------------------------------------------------- */

static int failed_with(sd_bus_error *error, int r, const struct dw_error *err)
{
	char text[DW_ERROR_TEXT];

	return sd_bus_error_set(error, r == -EINVAL ? ERROR("Invalid") : ERROR("Failed"),
				dw_error_text(err, text));
}

/* What has been done is never reported as a failure: its reply, of which @r says whether it is to
 * be sent, was made before. One that cannot be sent leaves the caller without an answer. */
static int send_done(struct service *s, sd_bus_message *reply, int r)
{
	if (r >= 0) {
		bus_refresh(s);
		sd_bus_send(NULL, reply, NULL);
		r = 1;
	}
	sd_bus_message_unref(reply);
	return r;
}

static int submit_asked(struct service *s, sd_bus_message *m, struct asked *a,
			const struct store_caller *who, sd_bus_error *error)
{
	sd_bus_message *reply = NULL;
	struct dw_error err = { 0 };
	struct svc_job *job;
	char path[PATH_SIZE];
	int r;

	if (s->stopping)
		return sd_bus_error_set(error, ERROR("Failed"),
					"the service is being stopped");
	if (!who)
		return 0;
	a->request.who = *who;
	job_new_id(a->request.id);
	a->request.disk = a->disk;
	a->request.asset = a->asset;
	a->request.n = a->n;
	r = sd_bus_message_new_method_return(m, &reply);
	if (r >= 0)
		r = sd_bus_message_append(reply, "o", job_path(a->request.id, path));
	if (r >= 0 && (r = jobs_submit(s, &a->request, &job, &err)) < 0)
		r = failed_with(error, r, &err);
	return send_done(s, reply, r);
}

static int go_submit(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	struct asked a = { .n = 0 };
	int r = read_disks(s, m, &a, error);

	if (r >= 0)
		r = read_options(m, &a.request, false, error);
	if (r >= 0)
		r = submit_asked(s, m, &a, who, error);
	free(a.disk);
	free(a.asset);
	return r;
}

static int plan_asked(struct service *s, sd_bus_message *m, struct asked *a,
		      sd_bus_error *error)
{
	struct dw_disk_info *infos = calloc(a->n + 1, sizeof(*infos));
	struct kept_plan plan = {
		.active = s->settings->active, .disk = infos, .asset = a->asset, .n = a->n
	};
	struct dw_error err = { 0 };
	struct dw_job_spec spec;
	char *text = NULL;
	int r = infos ? request_options(s->settings, &a->request, plan.options, &err)
		      : -ENOMEM;

	a->asset = NULL; /* the plan has it */

	if (!r)
		r = attempt_spec(s->settings, plan.options, &spec, &err);
	for (size_t i = 0; i < a->n && !r; i++)
		infos[i] = a->disk[i]->facts.info;
	if (!r)
		text = plan_text(&plan, &spec);
	if (!text || plan_digest(&plan, text)) {
		free(text);
		free(infos);
		free(plan.asset);
		return r == -EINVAL ? failed_with(error, r, &err) : -ENOMEM;
	}
	r = sd_bus_reply_method_return(m, "ss", plan_keep(&plan), text);
	free(text);
	return r;
}

static int go_plan(struct service *s, sd_bus_message *m, const struct store_caller *who,
		   sd_bus_error *error)
{
	struct asked a = { .n = 0 };
	int r = read_disks(s, m, &a, error);

	if (r >= 0)
		r = read_options(m, &a.request, false, error);
	if (r >= 0 && who)
		r = plan_asked(s, m, &a, error);
	free(a.disk);
	free(a.asset);
	return r;
}

static int go_submit_plan(struct service *s, sd_bus_message *m,
			  const struct store_caller *who, sd_bus_error *error)
{
	struct asked a = { .n = 0 };
	const struct kept_plan *p;
	const char *digest;
	int r = sd_bus_message_read(m, "s", &digest);

	if (r < 0)
		return r;
	p = plan_find(digest);
	if (!p)
		return refuse(error, ERROR("NotFound"),
			      "there is no plan %.16s: plan again", digest);
	if (p->active != s->settings->active)
		return refuse(error, ERROR("NotFound"),
			      "the configuration has another limit of active disks than "
			      "plan %.16s: plan again",
			      digest);
	memcpy(a.request.options, p->options, sizeof(a.request.options));
	a.request.resolved = true;
	for (size_t i = 0; i < p->n && r >= 0; i++) {
		struct named_disk want = { .info = p->disk[i],
					   .asset = p->asset[i],
					   .exactly = true };

		want.capacity = want.info.blocks * want.info.block_size;
		r = take_named(s, &a, &want, error);
	}
	if (r >= 0)
		r = read_options(m, &a.request, true, error);
	if (r >= 0)
		r = submit_asked(s, m, &a, who, error);
	free(a.disk);
	free(a.asset);
	return r;
}

/* --- of a job ------------------------------------------------------------------------ */

static struct svc_job *job_of(struct service *s, sd_bus_message *m)
{
	const char *path = sd_bus_message_get_path(m);
	char buf[PATH_SIZE];

	for (struct svc_job *j = s->jobs; j && path; j = j->next)
		if (!strcmp(job_path(j->row.id, buf), path))
			return j;
	return NULL;
}

/** struct only_disk - the one of a job's disks that is meant; @attempt NULL = all of them */
struct only_disk {
	struct service *s;
	const struct svc_job *job;
	struct svc_attempt *attempt;
};

static int read_only_disk(sd_bus_message *m, const char *key, void *ctx,
			  sd_bus_error *error)
{
	struct only_disk *o = ctx;
	struct svc_disk *d = NULL;
	const char *path;
	int r;

	if (strcmp(key, "disk") != 0 || o->attempt)
		return entry_unknown(key, error);
	r = sd_bus_message_read(m, "v", "o", &path);
	if (r < 0)
		return r;
	if (!strncmp(path, DISK_PATH "/", strlen(DISK_PATH "/")))
		d = disk_find(o->s, path + strlen(DISK_PATH "/"));
	o->attempt = d ? job_current(o->job, d) : NULL;
	return o->attempt ? 0 : invalid(error, "%s is no disk of the job", path);
}

/* what is in quarantine is resumed, or given up */
static bool is_answerable(const struct svc_job *job, const struct svc_attempt *only,
			  enum works_ask ask)
{
	bool left = only ? attempt_left(only) : job_left(job);

	if (left && (ask == WORKS_RESUME || ask == WORKS_CANCEL))
		return true;
	return !job_over(job) && !(only && attempt_over(only->state));
}

static int ask_job(struct service *s, sd_bus_message *m, const struct store_caller *who,
		   enum works_ask ask, int32_t arg, sd_bus_error *error)
{
	struct svc_job *job = job_of(s, m);
	struct only_disk only = { .s = s, .job = job };
	sd_bus_message *reply = NULL;
	int r;

	if (!job)
		return sd_bus_error_set(error, ERROR("NotFound"), "there is no such job");
	r = entries_read(m, read_only_disk, &only, error);
	if (r < 0)
		return r;
	if (!is_answerable(job, only.attempt, ask))
		return sd_bus_error_set(error, ERROR("Failed"), "it has ended already");
	if (!who)
		return 0;
	r = sd_bus_message_new_method_return(m, &reply);
	if (r >= 0 && job_ask(s, job, only.attempt, ask, arg, who) < 0)
		r = refuse(error, ERROR("Failed"), "it cannot be put on record: %s",
			   store_error(s->store));
	return send_done(s, reply, r);
}

static int go_cancel(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	return ask_job(s, m, who, WORKS_CANCEL, 0, error);
}

static int go_pause(struct service *s, sd_bus_message *m, const struct store_caller *who,
		    sd_bus_error *error)
{
	return ask_job(s, m, who, WORKS_PAUSE, 0, error);
}

static int go_resume(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	return ask_job(s, m, who, WORKS_RESUME, 0, error);
}

static int go_priority(struct service *s, sd_bus_message *m,
		       const struct store_caller *who, sd_bus_error *error)
{
	int32_t priority;
	int r = sd_bus_message_read(m, "i", &priority);

	return r < 0 ? r : ask_job(s, m, who, WORKS_PRIORITY, priority, error);
}

static int go_result(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	const struct svc_job *job = job_of(s, m);
	char *json;
	int r = entries_none(m, error);

	if (r < 0)
		return r;
	if (!job)
		return sd_bus_error_set(error, ERROR("NotFound"), "there is no such job");
	if (!who)
		return 0;
	json = job_result_json(s, job);
	r = json ? sd_bus_reply_method_return(m, "s", json) : -ENOMEM;
	free(json);
	return r;
}

/* --- the station ------------------------------------------------------------------------ */

static int go_records(struct service *s, sd_bus_message *m,
		      const struct store_caller *who, sd_bus_error *error)
{
	return who ? records_answer(s, m, error) : 0;
}

static int go_rescan(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	int r = entries_none(m, error);

	if (r < 0 || !who)
		return r;
	disks_look(s);
	return sd_bus_reply_method_return(m, "");
}

static int go_reload(struct service *s, sd_bus_message *m, const struct store_caller *who,
		     sd_bus_error *error)
{
	char why[DW_ERROR_TEXT];
	int r = entries_none(m, error);

	if (r < 0 || !who)
		return r;
	if (service_reload(s, why) < 0)
		return sd_bus_error_set(error, ERROR("Invalid"), why);
	store_audit(s->store, who, "reload", NULL, s->from.settings, now_us());
	return sd_bus_reply_method_return(m, "");
}

static int go_metrics(struct service *s, sd_bus_message *m,
		      const struct store_caller *who, sd_bus_error *error)
{
	int r = entries_none(m, error);
	char *text;

	if (r < 0 || !who)
		return r;
	text = metrics_text(s);
	r = text ? sd_bus_reply_method_return(m, "s", text) : -ENOMEM;
	free(text);
	return r;
}

/* --- tables -------------------------------------------------------------------------------- */

#define METHOD(name, action, go)                                                         \
	static int on_##name(sd_bus_message *m, void *ctx, sd_bus_error *error)          \
	{                                                                                \
		return access_check(service_of(ctx), m, action, go, error);              \
	}

static struct service *the_service;

/* the objects of jobs come as themselves: there is one service in a process */
static struct service *service_of(void *ctx)
{
	(void)ctx;
	return the_service;
}

METHOD(submit, "erase", go_submit)
METHOD(plan, "list", go_plan)
METHOD(submit_plan, "erase", go_submit_plan)
METHOD(rescan, "list", go_rescan)
METHOD(reload, "policy", go_reload)
METHOD(records, "list", go_records)
METHOD(metrics, "list", go_metrics)
METHOD(cancel, "cancel", go_cancel)
METHOD(pause, "cancel", go_pause)
METHOD(resume, "erase", go_resume)
METHOD(priority, "erase", go_priority)
METHOD(result, "list", go_result)

static int get_version(sd_bus *bus, const char *path, const char *face, const char *name,
		       sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	return sd_bus_message_append(reply, "s", dw_version());
}

static int get_text(sd_bus *bus, const char *path, const char *face, const char *name,
		    sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	const struct service *s = ctx;
	const char *text = !strcmp(name, "Station")         ? s->settings->station
			   : !strcmp(name, "RecordsFolder") ? s->settings->records
							    : prove_trouble(s->prove);

	return sd_bus_message_append(reply, "s", text);
}

static int get_due(sd_bus *bus, const char *path, const char *face, const char *name,
		   sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	const struct service *s = ctx;

	return sd_bus_message_append(reply, "b",
				     s->settings->records[0] && prove_left(s->prove));
}

static int get_simulated(sd_bus *bus, const char *path, const char *face,
			 const char *name, sd_bus_message *reply, void *ctx,
			 sd_bus_error *error)
{
	const struct service *s = ctx;

	return sd_bus_message_append(reply, "b", s->simulation != NULL);
}

static int get_starting(sd_bus *bus, const char *path, const char *face, const char *name,
			sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	const struct service *s = ctx;

	return sd_bus_message_append(reply, "b", !s->reported);
}

static int get_count(sd_bus *bus, const char *path, const char *face, const char *name,
		     sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	const struct service *s = ctx;

	return sd_bus_message_append(reply, "u",
				     name[0] == 'A' ? jobs_active(s) : jobs_waiting(s));
}

static int get_notes(sd_bus *bus, const char *path, const char *face, const char *name,
		     sd_bus_message *reply, void *ctx, sd_bus_error *error)
{
	const struct service *s = ctx;
	int r = sd_bus_message_open_container(reply, 'a', "s");

	for (size_t i = 0; i < s->n_notes && r >= 0; i++)
		r = sd_bus_message_append(reply, "s", s->note[i]);
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

#define FREE SD_BUS_VTABLE_UNPRIVILEGED /* access_check() decides */

static const sd_bus_vtable manager_rows[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_NAMES("Submit", "aa{sv}a{sv}",
				 SD_BUS_PARAM(disks) SD_BUS_PARAM(options), "o",
				 SD_BUS_PARAM(job), on_submit, FREE),
	SD_BUS_METHOD_WITH_NAMES("Plan", "aa{sv}a{sv}",
				 SD_BUS_PARAM(disks) SD_BUS_PARAM(options), "ss",
				 SD_BUS_PARAM(digest) SD_BUS_PARAM(plan), on_plan, FREE),
	SD_BUS_METHOD_WITH_NAMES("SubmitPlan", "sa{sv}",
				 SD_BUS_PARAM(digest) SD_BUS_PARAM(options), "o",
				 SD_BUS_PARAM(job), on_submit_plan, FREE),
	SD_BUS_METHOD_WITH_NAMES("Rescan", "a{sv}", SD_BUS_PARAM(options), "", ,
				 on_rescan, FREE),
	SD_BUS_METHOD_WITH_NAMES("Reload", "a{sv}", SD_BUS_PARAM(options), "", ,
				 on_reload, FREE),
	SD_BUS_METHOD_WITH_NAMES("Records", "a{sv}", SD_BUS_PARAM(options), "aa{sv}",
				 SD_BUS_PARAM(records), on_records, FREE),
	SD_BUS_METHOD_WITH_NAMES("Metrics", "a{sv}", SD_BUS_PARAM(options), "s",
				 SD_BUS_PARAM(text), on_metrics, FREE),
	SD_BUS_PROPERTY("Version", "s", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Station", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("Simulated", "b", get_simulated, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Starting", "b", get_starting, 0, 0),
	SD_BUS_PROPERTY("RecordsFolder", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("RecordsTrouble", "s", get_text, 0, 0),
	SD_BUS_PROPERTY("RecordsDue", "b", get_due, 0, 0),
	SD_BUS_PROPERTY("Active", "u", get_count, 0, 0),
	SD_BUS_PROPERTY("Waiting", "u", get_count, 0, 0),
	SD_BUS_PROPERTY("Notes", "as", get_notes, 0, 0),
	SD_BUS_VTABLE_END,
};

static const sd_bus_vtable job_rows[] = {
	SD_BUS_METHOD_WITH_NAMES("Cancel", "a{sv}", SD_BUS_PARAM(options), "", ,
				 on_cancel, FREE),
	SD_BUS_METHOD_WITH_NAMES("Pause", "a{sv}", SD_BUS_PARAM(options), "", , on_pause,
				 FREE),
	SD_BUS_METHOD_WITH_NAMES("Resume", "a{sv}", SD_BUS_PARAM(options), "", ,
				 on_resume, FREE),
	SD_BUS_METHOD_WITH_NAMES("SetPriority", "ia{sv}",
				 SD_BUS_PARAM(priority) SD_BUS_PARAM(options), "", ,
				 on_priority, FREE),
	SD_BUS_METHOD_WITH_NAMES("Result", "a{sv}", SD_BUS_PARAM(options), "s",
				 SD_BUS_PARAM(json), on_result, FREE),
	SD_BUS_SIGNAL_WITH_NAMES("Completed", "bs",
				 SD_BUS_PARAM(success) SD_BUS_PARAM(message), 0),
	SD_BUS_SIGNAL_WITH_NAMES("Notice", "os", SD_BUS_PARAM(disk) SD_BUS_PARAM(text),
				 0),
};

void methods_of(struct service *s)
{
	the_service = s;
}

const sd_bus_vtable *manager_table(void)
{
	return manager_rows;
}

size_t job_methods(const sd_bus_vtable **ret)
{
	*ret = job_rows;
	return sizeof(job_rows) / sizeof(job_rows[0]);
}
