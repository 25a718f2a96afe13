/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job from beginning to end. Disks are claimed before the question is put, so that what
 * the user reads is what will be erased and nobody can take it in between; the first byte
 * is written after the answer. However it ends, the result says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "job/background.h"
#include "job/certificate.h"
#include "job/confirm.h"
#include "output/draw.h"
#include "job/forecast.h"
#include "job/hidden.h"
#include "options.h"
#include "output/out.h"
#include "job/record.h"
#include "job/session.h"
#include "signals.h"
#include "job/verification.h"
#include "job/watch.h"
#include "job/ways.h"

#define TOLD_MAX 8 /* refused disks of a station */

int cli_session_check(struct cli *c)
{
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };
	int r = dw_job_new(NULL, &c->spec, &job, &err);

	dw_job_free(job);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	return 0;
}

static void add_node(struct dw_disk_result *r, const char *node)
{
	if (node[0])
		snprintf(r->paths[r->n_paths++], sizeof(r->paths[0]), "%s", node);
}

static void fill_nodes(const struct dw_disk *d, struct dw_disk_result *ret)
{
	add_node(ret, d->info.sg);
	add_node(ret, d->info.block);
	for (uint32_t i = 0; i < d->n_others; i++) {
		add_node(ret, d->other[i].sg);
		add_node(ret, d->other[i].block);
	}
}

static void fill_method(const struct cli *c, const struct dw_disk_info *info,
			struct dw_disk_result *ret)
{
	struct dw_ways ways;
	struct dw_verdict v;

	dw_disk_ways(info, &c->spec, &ways, &v);
	snprintf(ret->method, sizeof(ret->method), "%s", ways.method);
	snprintf(ret->level_reason, sizeof(ret->level_reason), "%s", ways.reason);
}

static void report_selection(struct cli *c, const struct cli_selection *s,
			     const char *outcome)
{
	struct dw_job_result result = { .spec = c->spec,
					.refused = s->refused,
					.n_refused = s->n_refused };
	struct dw_disk_result *disk = cli_allocate(s->n, sizeof(*disk));

	cli_background_facts(&c->spec.background, &result.background);
	if (!strcmp(outcome, "planned")) {
		result.disk = disk;
		result.n_disks = s->n;
		result.forecast = c->predict.forecast;
	}
	for (size_t i = 0; i < s->n; i++) {
		disk[i].info = s->disk[i].info;
		fill_nodes(&s->disk[i], &disk[i]);
		fill_method(c, &s->disk[i].info, &disk[i]);
		snprintf(disk[i].reason, sizeof(disk[i].reason), "only planned");
	}
	cli_record_rest(c, &result, 0);
	cli_out_result(c, &result, outcome);
	free(disk);
}

int cli_session_refused(struct cli *c, const struct cli_selection *s, int code)
{
	report_selection(c, s, cli_out_refusal(c, code));
	return code;
}

static void print_passes(const struct dw_job_spec *spec)
{
	struct dw_method_info m;

	if (spec->pattern[0])
		printf("passes: %s\n", spec->pattern);
	else if (cli_verification_method(spec->method, &m))
		printf("method: %s (%s), passes: %s\n", m.name, m.title, m.passes);
}

static void print_plan(const struct dw_job_spec *spec, const struct dw_forecast *f,
		       size_t n)
{
	char verify[256], depth[12];

	cli_verification_say(spec, f, verify, sizeof(verify));
	print_passes(spec);
	if (!spec->verify_only)
		printf("command: %s\n", dw_spec_word(spec, "command"));
	printf("verification: %s\n", verify);
	snprintf(depth, sizeof(depth), "%u", spec->depth);
	printf("strategy: %s, tuning: %s, depth: %s\n", spec->strategy, spec->controller,
	       spec->depth ? depth : "auto");
	cli_background_plan(stdout, &spec->background);
	printf("would %s %zu disk%s; nothing was written\n",
	       spec->verify_only ? "verify" : "erase", n, n == 1 ? "" : "s");
}

int cli_session_preview(struct cli *c, const struct cli_selection *s)
{
	if (c->expect_count && c->expect_count != s->n) {
		cli_fail(c, CLI_EXIT_REFUSED, "--expect-count=%u, but %zu remain",
			 c->expect_count, s->n);
		return cli_session_refused(c, s, CLI_EXIT_REFUSED);
	}
	cli_forecast_disks(c, s);
	if (!c->show.json && !c->show.json_lines) {
		cli_table_question(c, stdout, s->disk, s->n);
		cli_ways_say(c, s, stdout, "");
		cli_whole_say(c, s, stdout, "");
		cli_hidden_say(c, s, stdout, "");
		print_plan(&c->spec, c->predict.forecast, s->n);
	}
	cli_forecast_say(c);
	report_selection(c, s, "planned");
	return cli_selection_short(s);
}

/* Claim what is left; what cannot be claimed joins the refused. */
static void claim(const struct cli *c, struct cli_selection *s, struct dw_job *job)
{
	struct dw_verdict *v = cli_allocate(s->n + 1, sizeof(*v));
	struct dw_disk *want = cli_allocate(s->n + 1, sizeof(*want));
	size_t n = s->n, at = 0;
	int r;

	memcpy(want, s->disk, n * sizeof(*want));
	r = dw_job_add_units(job, want, n, v);
	for (size_t i = 0; i < n; i++) {
		if (r < 0) {
			v[i] = (struct dw_verdict){ .refusal = DW_REFUSAL_ERROR };
			snprintf(v[i].reason, sizeof(v[i].reason),
				 "cannot be claimed: %s", strerror(-r));
		}
		if (v[i].refusal == DW_REFUSAL_NONE)
			at++;
		else
			cli_selection_refuse(s, at, &v[i]);
	}
	free(want);
	free(v);
	cli_selection_ask_service(c, s);
	for (size_t i = 0; i < s->n_refused; i++)
		dw_job_refuse(job, &s->refused[i]);
}

/* The first request to stop lets commands end and flushes, the second does not wait. */
static void obey_signals(struct cli *c, struct cli_watch *w, int *obeyed)
{
	int asked = cli_signals_count();

	if (asked > *obeyed) {
		if (!*obeyed)
			dw_job_stop(w->job);
		if (asked > 1)
			dw_job_abort(w->job);
		cli_meter_clear(&w->meter);
		cli_say(c,
			asked > 1 ? "aborting; if a disk does not answer, Ctrl-C once "
				    "more, after 5 s, ends diskwipe at once"
				  : "stopping: finishing commands in flight and flushing;"
				    " Ctrl-C again aborts");
		*obeyed = asked;
	}
	if (cli_signals_status())
		cli_watch_status(w);
}

static int run(struct cli *c, struct dw_job *job)
{
	double seconds = 0;
	uint64_t start = cli_clock_ns();
	struct cli_watch watch;
	int r, obeyed = 0;

	cli_out_begin(c, dw_job_result(job));
	cli_watch_begin(&watch, c, job);
	cli_signals_wake(dw_job_engine(job));
	do {
		cli_watch_continue(&watch);
		obey_signals(c, &watch, &obeyed);
		r = dw_job_step(job, cli_watch_timeout(&watch, seconds));
		cli_watch_continue(&watch);
		cli_watch_events(&watch);
		seconds = (double)(cli_clock_ns() - start) / 1e9;
		cli_watch_tick(&watch, seconds);
	} while (r == 1);
	cli_signals_wake(NULL);
	cli_watch_events(&watch);
	cli_watch_end(&watch);
	return r;
}

static void print_schedule(struct cli *c, struct dw_job *job)
{
	char *text = c->spec.print_schedule ? dw_job_schedule(job) : NULL;

	if (!text)
		return;
	fflush(stdout);
	fputs(text, c->show.json || c->show.json_lines ? stderr : stdout);
	free(text);
}

/* What was asked for besides the erase, and is not there, is no reason to call it undone. */
static int other_outputs(struct cli *c, const struct dw_job_result *result, int code)
{
	if (result->state_error)
		cli_fail(c, CLI_EXIT_USAGE,
			 "%s: the state could not be written: %s; what stands there is "
			 "older than the end of the job",
			 c->spec.state_file, strerror(-result->state_error));
	if (result->trace_error)
		cli_fail(c, CLI_EXIT_USAGE, "%s: the trace is not whole: %s",
			 c->spec.trace_file, strerror(-result->trace_error));
	if (!code && (result->state_error || result->trace_error))
		return CLI_EXIT_USAGE;
	return code;
}

/* The trace, where it is whole and can be read once more: a pipe cannot. */
static const char *trace_to_draw(const struct cli *c, const struct dw_job_result *result)
{
	struct stat st;

	if (!c->spec.trace_file[0] || result->trace_error ||
	    stat(c->spec.trace_file, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	return c->spec.trace_file;
}

/* What a report is drawn of is kept when it could not be drawn, with the command for later. */
static void keep_for_later(const struct cli *c, const char *trace, const char *json)
{
	char result[PATH_MAX], names[3][CLI_QUOTED] = { "", "", "" };
	bool kept = snprintf(result, sizeof(result), "%s.result.json", c->report_file) <
			    (int)sizeof(result) &&
		    dw_file_write(result, json, strlen(json)) == 0;

	if (trace)
		cli_quote(trace, names[0]);
	if (kept)
		cli_quote(result, names[1]);
	if (trace || kept)
		cli_warn("to draw it later: diskwipe report %s%s%s -o %s", names[0],
			 trace && kept ? " " : "", names[1],
			 cli_quote(c->report_file, names[2]));
}

/* --report: drawn when all else is said, and no reason to call an erase undone. */
static int draw_report(struct cli *c, const struct dw_job_result *result, int code)
{
	const char *trace = trace_to_draw(c, result);
	char reported[CLI_PROGRAM_TEXT] = "out of memory";
	char *json;
	int r;

	if (!c->report_file)
		return code;
	json = dw_job_result_json(result);
	r = json ? cli_draw(trace, json, c->report_file, reported) : -1;
	if (r) {
		cli_fail(c, CLI_EXIT_USAGE, "the report could not be written: %s",
			 reported);
		if (json)
			keep_for_later(c, trace, json);
	} else {
		cli_say(c, "%s: %s", c->report_file, reported);
	}
	free(json);
	return r && !code ? CLI_EXIT_USAGE : code;
}

/* Something is left that the job can resume. */
static bool is_left(const struct dw_job_result *result)
{
	for (size_t i = 0; i < result->n_disks; i++)
		if (result->disk[i].outcome == DW_OUTCOME_STOPPED ||
		    result->disk[i].outcome == DW_OUTCOME_REMOVED ||
		    result->disk[i].left_working)
			return true;
	return false;
}

static int conclude(struct cli *c, struct dw_job *job, int r)
{
	struct dw_job_result with = *dw_job_result(job), *result = &with;
	int code = dw_job_exit_code(result);
	char name[CLI_QUOTED];

	code = other_outputs(c, result, code);
	if (r < 0)
		code = cli_fail(c, code ? code : CLI_EXIT_ALL, "the job ended: %s",
				r == -EDEADLK ? "internal error, nothing went on; "
						"what was printed of it is worth a report"
					      : strerror(-r));
	if (c->predict.forecast)
		dw_forecast_compare(c->predict.forecast, result);
	with.forecast = c->predict.forecast;
	code = cli_record_rest(c, result, code);
	cli_out_result(c, result, NULL);
	if (!c->show.json && !c->show.json_lines)
		cli_forecast_outcome(c);
	print_schedule(c, job);
	cli_out_lost(result);
	code = draw_report(c, result, code);
	code = cli_certificate_print(c, result, code);
	if (c->spec.trace_file[0] && !result->trace_error && !c->report_file)
		cli_say(c, "to draw what it did: diskwipe report %s -o report.html",
			cli_quote(c->spec.trace_file, name));
	if (c->spec.state_file[0] && is_left(result) && !c->show.quiet)
		cli_say(c, "to continue: diskwipe erase --resume %s",
			cli_quote(c->spec.state_file, name));
	for (size_t i = 0; i < result->n_disks; i++)
		if (result->disk[i].outcome == DW_OUTCOME_STOPPED)
			c->ending.signal = cli_signals_stop();
	return code;
}

static const struct dw_refused *find_refused(const struct dw_job_result *result,
					     const struct dw_disk_info *info)
{
	for (size_t i = 0; i < result->n_refused; i++)
		if (!strcmp(result->refused[i].device, cli_disk_node(info)))
			return &result->refused[i];
	return NULL;
}

/* Fixed against dynamic, before the question. */
static void weigh_paths(struct cli *c, struct dw_job *job)
{
	struct dw_paths_forecast f;

	dw_job_paths(job, &f);
	if (!f.devices)
		return;
	dw_forecast_paths(c->spec.paths, &f);
	dw_job_set_paths(job, &f);
	cli_say(c, "paths: %s", f.why);
}

/* After consent: several nodes of a disk are proven to be one, or the disk is left out. */
static int prove(struct cli *c, struct cli_selection *s, struct dw_job *job)
{
	size_t reported = s->n_refused;
	int r = dw_job_prove(job);

	if (r < 0)
		return cli_fail(c, CLI_EXIT_REFUSED, "the paths cannot be proven: %s",
				strerror(-r));
	for (size_t i = 0; r && i < s->n;) {
		const struct dw_refused *out =
			find_refused(dw_job_result(job), &s->disk[i].info);

		if (out)
			cli_selection_refuse(s, i, &out->verdict);
		i += !out;
	}
	for (; reported < s->n_refused; reported++)
		cli_warn("%s: skipped: %s", s->refused[reported].device,
			 s->refused[reported].verdict.reason);
	return s->n ? 0 : cli_fail(c, CLI_EXIT_REFUSED, "no erasable disk selected");
}

static int nothing_left(struct cli *c, const struct cli_selection *s)
{
	return cli_fail(c, cli_selection_short(s) ?: CLI_EXIT_REFUSED,
			"no erasable disk selected; nothing was written");
}

static int start(struct cli *c, struct dw_job *job)
{
	struct dw_error err = { 0 };
	int r = dw_job_start(job, &err);

	if (r < 0)
		return cli_error(c, r == -EBUSY ? CLI_EXIT_REFUSED : CLI_EXIT_USAGE,
				 &err);
	return 0;
}

static void announce(struct cli *c, const struct dw_station *station, bool coarse)
{
	const char *title = dw_station_title(station);
	uint32_t n = dw_station_disks(station);

	cli_say(c, "simulation (%s) of %u disk%s%s%s: no disk is touched",
		coarse ? "coarse" : "exact", n, n == 1 ? "" : "s", title[0] ? ", " : "",
		title);
}

/* Disks of a station that cannot do what is asked; of a hall of them the first ones are named. */
static int report_refused(struct cli *c, const struct dw_job_result *result)
{
	size_t n = result->n_refused;

	for (size_t i = 0; i < n && i < TOLD_MAX; i++)
		cli_warn("%s: skipped: %s", result->refused[i].device,
			 result->refused[i].verdict.reason);
	if (n > TOLD_MAX)
		cli_warn("%zu more disks are skipped", n - TOLD_MAX);
	if (result->n_disks)
		return 0;
	cli_fail(c, CLI_EXIT_REFUSED, "no disk of the topology file can be simulated");
	cli_out_result(c, result, "refused");
	return CLI_EXIT_REFUSED;
}

int cli_session_simulate(struct cli *c, const struct dw_station *station, bool coarse)
{
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };
	int code = 0, r;

	r = dw_job_new(NULL, &c->spec, &job, &err);
	if (!r)
		r = dw_job_simulate(job, station, coarse, &err);
	if (!r)
		code = report_refused(c, dw_job_result(job));
	if (!r && !code) {
		cli_forecast_simulated(c, job, station);
		r = dw_job_start(job, &err);
	}
	if (r < 0) {
		code = cli_error(c, CLI_EXIT_USAGE, &err);
	} else if (!code) {
		announce(c, station, coarse);
		cli_forecast_say(c);
		code = conclude(c, job, run(c, job));
	}
	dw_job_free(job);
	return code;
}

int cli_session_run(struct cli *c, struct cli_selection *s)
{
	struct dw_job *job = NULL;
	struct dw_error err = { 0 };
	int r, code;

	r = dw_job_new(NULL, &c->spec, &job, &err);
	if (r < 0)
		return cli_error(c, CLI_EXIT_USAGE, &err);
	/* the key of the random passes is in memory: no core dump, no debugger */
	if (dw_job_result(job)->key_check[0])
		prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
	cli_signals_waiting(true);
	claim(c, s, job);
	cli_signals_waiting(false);
	cli_selection_report(s);
	code = s->n ? 0 : nothing_left(c, s);
	if (!code && !c->spec.verify_only)
		code = cli_confirm_check(c, s->named, s->n);
	if (!code) {
		cli_forecast_job(c, job, s);
		cli_forecast_say(c);
	}
	if (!code)
		weigh_paths(c, job);
	if (!code && !c->show.quiet) {
		cli_ways_say(c, s, stderr, "diskwipe: ");
		cli_whole_say(c, s, stderr, "diskwipe: ");
		cli_hidden_say(c, s, stderr, "diskwipe: ");
	}
	if (!code && !c->spec.verify_only)
		code = cli_confirm(c, s->named, s->disk, s->n);
	if (!code && cli_signals_stop()) {
		c->ending.signal = cli_signals_stop();
		code = cli_fail(c, CLI_EXIT_REFUSED, "stopped; nothing was written");
	}
	if (!code)
		code = cli_certificate_begin(c);
	c->ending.begun = !code;
	cli_signals_waiting(true);
	if (!code)
		code = prove(c, s, job);
	if (!code)
		code = start(c, job);
	cli_signals_waiting(false);
	if (code)
		cli_session_refused(c, s, code);
	else
		code = conclude(c, job, run(c, job));
	dw_job_free(job);
	return code;
}
