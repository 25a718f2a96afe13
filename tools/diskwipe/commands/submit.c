/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe submit: an erase that the service does. Which disks there are and which may be erased
 * is taken from the service, which is the one that will touch them; the consent is that of
 * erase. What goes to the service names each disk by what it is, so that a node that meanwhile
 * belongs to another disk harms nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "client/json.h"
#include "client/listed.h"
#include "job/confirm.h"
#include "client/follow.h"
#include "job/forecast.h"
#include "job/record.h"
#include "client/job_options.h"
#include "options.h"
#include "output/out.h"
#include "job/session.h"
#include "signals.h"
#include "client/target.h"
#include "own.h"

/* The forecast in the order of the selection, by the nodes; one that does not fit is of no use. */
static void take_forecast(struct cli *c, const struct cli_selection *s, const char *plan)
{
	struct dw_forecast *f = dw_plan_forecast(plan);
	size_t i = 0;

	for (; f && f->n == s->n && i < s->n; i++) {
		size_t k = i;

		while (k < s->n &&
		       strcmp(f->disk[k].device, cli_disk_node(&s->disk[i].info)) != 0)
			k++;
		if (k == s->n)
			break;
		struct dw_forecast_disk swap = f->disk[i];

		f->disk[i] = f->disk[k];
		f->disk[k] = swap;
	}
	if (f && i == s->n)
		c->predict.forecast = f;
	else
		dw_forecast_free(f);
}

static int service_failed(struct cli *c, const struct cli_client *k, int r)
{
	return cli_fail(c, (enum cli_exit)r, "%s", cli_client_why(k));
}

static void preview(struct cli *c, const struct cli_selection *s, const char *plan)
{
	if (c->show.json) {
		puts(plan);
		c->documented = true;
		return;
	}
	cli_table_question(c, stdout, s->disk, s->n);
	printf("would submit %zu disk%s; nothing was submitted\n", s->n,
	       s->n == 1 ? "" : "s");
}

/* What is shown before the question comes from the service, which also says if it would not. */
static int ask(struct cli *c, struct cli_client *k, const struct cli_selection *s,
	       const struct cli_submission *job)
{
	char *plan = NULL;
	int r = cli_client_plan(k, job, NULL, &plan);

	if (r)
		return service_failed(c, k, r);
	take_forecast(c, s, plan);
	cli_forecast_say(c);
	if (c->dry_run)
		preview(c, s, plan);
	else
		r = cli_confirm(c, s->named, s->disk, s->n);
	free(plan);
	if (!r && cli_signals_stop()) {
		c->ending.signal = cli_signals_stop();
		r = cli_fail(c, CLI_EXIT_REFUSED, "stopped; nothing was submitted");
	}
	return r;
}

/* With --json the result document of the service, else what cli_follow() prints. */
static int wait_for(struct cli *c, struct cli_client *k, struct cli_station *station,
		    const char *job)
{
	const char *jobs[] = { job };
	char *json = NULL;
	int code = cli_follow(c, k, station, jobs, 1);

	cli_station_alarm(station);
	if (!c->show.json || c->ending.signal || c->error[0])
		return code;
	if (cli_client_result(k, job, &json))
		return service_failed(c, k, code ? code : CLI_EXIT_USAGE);
	c->documented = true;
	cli_out_text(c, json);
	return code;
}

static void report_job(struct cli *c, const struct cli_station *station,
		       const struct cli_station_job *job, size_t n)
{
	const struct cli_station_job *jobs[] = { job, NULL };
	const struct cli_station_disk *none[] = { NULL };
	char name[40];

	if (c->show.json) {
		cli_json_station(station, jobs, none);
		c->documented = true;
		return;
	}
	cli_job_name(station, job, name, sizeof(name));
	puts(job->id);
	cli_say(c, "job %s: %zu disk%s; to watch it: diskwipe watch %s", name, n,
		n == 1 ? "" : "s", name);
}

static int submit(struct cli *c, struct cli_client *k, struct cli_station *station,
		  const struct cli_submission *job)
{
	const struct cli_submit_options *own = c->own;
	const struct cli_station_job *j;
	char *path = NULL;
	int r = cli_client_submit(k, job, &path);

	c->ending.begun = !r || r == CLI_EXIT_UNREACHABLE; /* then nobody knows */
	if (!r)
		r = cli_client_read(k, station);
	if (r) {
		free(path);
		return service_failed(c, k, r);
	}
	j = cli_station_find_job(station, path);
	if (!j)
		r = cli_fail(c, CLI_EXIT_USAGE,
			     "the service has taken the job %s and does not show it; see "
			     "diskwipe records",
			     path);
	if (j)
		snprintf(c->ending.job, sizeof(c->ending.job), "%s", j->id);
	if (j && own->wait)
		r = wait_for(c, k, station, path);
	else if (j)
		report_job(c, station, j, job->n_disks);
	free(path);
	return r;
}

static int submit_selected(struct cli *c, struct cli_client *k,
			   struct cli_station *station, struct cli_selection *s)
{
	const struct cli_submit_options *own = c->own;
	struct cli_wanted *wanted = cli_allocate(s->n, sizeof(*wanted));
	struct cli_job_options *options = cli_allocate(1, sizeof(*options));
	struct cli_submission job = { .disk = wanted,
				      .n_disks = s->n,
				      .key = options->key,
				      .value = options->value,
				      .have_priority = cli_option_given(c, "priority"),
				      .priority = own->priority,
				      .label = c->label,
				      .note = own->note };
	int r;

	cli_job_options_collect(c, options);
	job.n_options = options->n;
	for (size_t i = 0; i < s->n; i++)
		wanted[i] =
			(struct cli_wanted){ s->disk[i].info.serial, s->disk[i].info.wwn,
					     cli_disk_bytes(&s->disk[i].info),
					     cli_asset_of(c, s->disk[i].info.serial) };
	r = cli_assets_fit(c, s->n);
	if (!r && !c->dry_run)
		r = cli_confirm_check(c, s->named, s->n);
	if (!r)
		r = ask(c, k, s, &job);
	if (!r && !c->dry_run)
		r = submit(c, k, station, &job);
	free(options);
	free(wanted);
	return r;
}

static int select_and_submit(struct cli *c, struct cli_client *k,
			     struct cli_station *station)
{
	struct cli_selection s = { 0 };
	int r = cli_client_read_examined(k, station);

	if (r)
		return service_failed(c, k, r);
	cli_station_alarm(station);
	cli_station_list(c, station);
	r = c->pick.marked ? cli_select_planned(c, c->pick.marked, &s)
			   : cli_select_named(c, &s);
	if (r)
		return r;
	cli_selection_refuse_nameless(&s);
	cli_selection_report(&s);
	if (s.n)
		r = submit_selected(c, k, station, &s);
	else
		r = cli_fail(c, cli_selection_code(&s),
			     "no erasable disk selected; nothing was submitted");
	if (r && c->show.json && !c->documented)
		cli_session_refused(c, &s, r);
	cli_selection_deinit(&s);
	return r;
}

int cli_verb_submit(struct cli *c)
{
	struct cli_station station = { 0 };
	struct cli_client *k = NULL;
	int r;

	if (!c->n_operands && !c->pick.rule && !c->pick.marked)
		return cli_no_device(c, "diskwipe status and diskwipe submit --help");
	if (cli_option_given(c, "method") && c->spec.pattern[0])
		return cli_fail(c, CLI_EXIT_USAGE,
				"--method and --pattern cannot be combined");
	cli_signals_begin();
	r = cli_session_check(c);
	if (!r)
		r = cli_assets_read(c);
	if (!r)
		r = cli_client_open(c, &k);
	if (!r)
		r = select_and_submit(c, k, &station);
	cli_station_deinit(&station);
	cli_client_free(k);
	cli_record_close(c);
	return r;
}
