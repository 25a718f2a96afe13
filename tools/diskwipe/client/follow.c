/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watching from outside. What is shown are the rows and lines of an erase, filled from what the
 * service says. A service that goes away takes nothing with it: its jobs are on record, so it is
 * waited for, for a while.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/follow.h"
#include "output/station.h"
#include "signals.h"
#include "client/target.h"
#include "job/watch.h"

#define BARS_MS    500
#define PLAIN_S    30
#define AWAY_S     60 /* for a service that starts again */
#define AWAY_TRY_S 1
#define SIGNED_S   30 /* for the record of what has ended */
#define SIGNED_MS  200

/* What was said last of a disk, in plain lines. */
struct said {
	char *path;
	char state[24];
	uint32_t pass;
	bool over;
};

struct follow {
	struct cli *c;
	struct cli_client *k;
	struct cli_station *station;
	const char *const *jobs;
	size_t n_jobs;
	enum cli_progress how;
	struct cli_meter meter;
	const struct cli_station_disk **disk; /* of the station, ended by NULL */
	struct cli_row *row;
	size_t n;
	struct said *said;
	size_t n_printed;
	double printed;
};

static double clock_seconds(void)
{
	return (double)cli_clock_ns() / 1e9;
}

static bool is_over(const struct cli_station_job *j)
{
	return !j || !strcmp(j->state, "done");
}

static enum dw_phase phase_of(const struct cli_station_disk *d, bool job_over)
{
	if (d->outcome[0] || job_over)
		return DW_PHASE_DONE;
	if (!strcmp(d->state, "pausing"))
		return DW_PHASE_PAUSED;
	for (int p = DW_PHASE_WAITING; p < DW_PHASE_COUNT; p++)
		if (p != DW_PHASE_DONE &&
		    !strcmp(d->state, dw_phase_name((enum dw_phase)p)))
			return (enum dw_phase)p;
	return DW_PHASE_WAITING;
}

static enum dw_outcome outcome_of(const char *name)
{
	for (int o = DW_OUTCOME_ERASED; o < CLI_OUTCOMES; o++)
		if (!strcmp(name, dw_outcome_name((enum dw_outcome)o, false)))
			return (enum dw_outcome)o;
	return DW_OUTCOME_NONE;
}

static double seconds_until(uint64_t usec)
{
	struct timespec now;
	double left;

	if (!usec)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	left = (double)usec / 1e6 - (double)now.tv_sec;
	return left > 0 ? left : 0;
}

static void fill_row(const struct cli_station_disk *d, bool job_over, struct cli_row *ret)
{
	*ret = (struct cli_row){
		.name = cli_station_disk_name(d),
		.block_size = d->block_size,
		.p = { .phase = phase_of(d, job_over),
		       .pass = d->pass,
		       .n_passes = d->passes,
		       .bytes_done = d->bytes,
		       .bytes_total = d->bytes_total,
		       .rate = (double)d->rate,
		       .eta_seconds = seconds_until(d->expected_end_time),
		       .errors = d->errors,
		       .outcome = outcome_of(d->outcome) },
	};
}

/* The disks of the jobs that are followed; one that another job has by now is not ours. */
static void collect(struct follow *f)
{
	f->disk = realloc(f->disk, (f->station->n_disks + 1) *
					   sizeof(const struct cli_station_disk *));
	f->row = realloc(f->row, (f->station->n_disks + 1) * sizeof(*f->row));
	if (!f->disk || !f->row)
		abort();
	f->n = 0;
	for (size_t i = 0; i < f->station->n_disks; i++) {
		const struct cli_station_disk *d = &f->station->disk[i];

		for (size_t k = 0; k < f->n_jobs; k++) {
			if (strcmp(d->job, f->jobs[k]) != 0)
				continue;
			fill_row(d, is_over(cli_station_find_job(f->station, f->jobs[k])),
				 &f->row[f->n]);
			f->disk[f->n++] = d;
		}
	}
	f->disk[f->n] = NULL;
}

static bool all_over(const struct follow *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		if (!is_over(cli_station_find_job(f->station, f->jobs[i])))
			return false;
	return true;
}

static double elapsed(const struct follow *f)
{
	uint64_t start = 0;
	double past;

	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct cli_station_job *j =
			cli_station_find_job(f->station, f->jobs[i]);

		if (j && j->start_time && (!start || j->start_time < start))
			start = j->start_time;
	}
	past = start ? (double)time(NULL) - (double)start / 1e6 : 0;
	return past > 0 ? past : 0;
}

static void report(struct follow *f, const char *name, const char *text)
{
	if (f->how == CLI_PROGRESS_NONE)
		return;
	cli_meter_clear(&f->meter);
	cli_say(f->c, "%s: %s", name, text);
}

static struct said *printed_of(struct follow *f, const char *path)
{
	for (size_t i = 0; i < f->n_printed; i++)
		if (!strcmp(f->said[i].path, path))
			return &f->said[i];
	f->said = realloc(f->said, (f->n_printed + 1) * sizeof(*f->said));
	if (!f->said)
		abort();
	f->said[f->n_printed] = (struct said){ .path = strdup(path) };
	return &f->said[f->n_printed++];
}

/* A new state or pass, and the end, once each. */
static void report_change(struct follow *f, const struct cli_station_disk *d,
			  const struct cli_row *row)
{
	struct said *s = printed_of(f, d->path);
	bool over = row->p.phase == DW_PHASE_DONE, changed;
	const char *word = over && d->outcome[0] ? d->outcome : d->state;
	char text[320];

	changed = strcmp(s->state, d->state) != 0 || s->pass != d->pass || over;
	if (s->over || !changed)
		return;
	snprintf(s->state, sizeof(s->state), "%s", d->state);
	s->pass = d->pass;
	s->over = over;
	if (over)
		snprintf(text, sizeof(text), "%s%s%s", word, d->message[0] ? ": " : "",
			 d->message);
	else if (row->p.phase != DW_PHASE_WAITING && d->passes)
		snprintf(text, sizeof(text), "%s, pass %u of %u", word,
			 d->pass < d->passes ? d->pass + 1 : d->passes, d->passes);
	else
		snprintf(text, sizeof(text), "%s", word);
	if (f->how == CLI_PROGRESS_PLAIN || (over && d->message[0]))
		report(f, row->name, text);
}

static void report_notices(struct follow *f)
{
	char *path, *text;

	while (cli_client_notice(f->k, &path, &text)) {
		for (size_t i = 0; i < f->n; i++)
			if (!strcmp(f->disk[i]->path, path))
				report(f, f->row[i].name, text);
		free(path);
		free(text);
	}
}

/* until the last of the jobs ends; negative = one does not say */
static double remaining(const struct follow *f)
{
	double last = 0;

	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct cli_station_job *j =
			cli_station_find_job(f->station, f->jobs[i]);
		double left = is_over(j) ? 0 : seconds_until(j->expected_end_time);

		if (left < 0)
			return -1;
		last = left > last ? left : last;
	}
	return last;
}

static void draw(struct follow *f)
{
	double now = clock_seconds();

	if (cli_signals_continued())
		cli_meter_forget(&f->meter);
	report_notices(f);
	for (size_t i = 0; i < f->n; i++)
		report_change(f, f->disk[i], &f->row[i]);
	f->meter.seconds = elapsed(f);
	f->meter.left = remaining(f);
	if (cli_signals_resized())
		cli_meter_resize(&f->meter);
	if (cli_signals_status()) {
		cli_meter_clear(&f->meter);
		cli_meter_print(&f->meter, f->row, f->n);
	}
	if (f->how == CLI_PROGRESS_BARS) {
		cli_meter_draw(&f->meter, f->row, f->n);
	} else if (f->how == CLI_PROGRESS_PLAIN && now - f->printed >= PLAIN_S) {
		cli_meter_print(&f->meter, f->row, f->n);
		f->printed = now;
	}
}

static void print_how_to_go_on(struct follow *f)
{
	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct cli_station_job *j =
			cli_station_find_job(f->station, f->jobs[i]);
		char name[40];

		if (is_over(j))
			continue;
		cli_job_name(f->station, j, name, sizeof(name));
		cli_say(f->c,
			"job %s goes on; to watch it: diskwipe watch %s; to stop it: "
			"diskwipe cancel %s",
			name, name, name);
	}
}

/* Come back to a service that has gone, which starts again by itself or not at all. */
static int reconnect(struct follow *f)
{
	double end = clock_seconds() + AWAY_S;
	int r = CLI_EXIT_UNREACHABLE;

	cli_meter_clear(&f->meter);
	cli_say(f->c, "the service has gone; waiting for it to start again");
	while (r && clock_seconds() < end && !cli_signals_stop()) {
		r = cli_client_connect(f->k);
		if (!r)
			r = cli_client_read(f->k, f->station);
		if (r)
			sleep(AWAY_TRY_S);
	}
	if (r && !cli_signals_stop())
		cli_fail(f->c, (enum cli_exit)r,
			 "%s; its jobs are on record and go on when it starts",
			 cli_client_why(f->k));
	return cli_signals_stop() ? 0 : r;
}

static int go_on(struct follow *f)
{
	int r = 0;

	for (;;) {
		collect(f);
		draw(f);
		if (all_over(f) || cli_signals_stop())
			return 0;
		r = cli_client_wait(
			f->k, -1, f->how == CLI_PROGRESS_BARS ? BARS_MS : PLAIN_S * 1000);
		if (r & CLI_CLIENT_CHANGED && r > 0)
			r = cli_client_read(f->k, f->station) ? -1 : 0;
		if (r < 0)
			r = reconnect(f);
		if (r > 0)
			return r;
	}
}

static bool is_due(const struct cli_manager *m)
{
	return m->records_due && m->records_folder &&
	       !(m->records_trouble && m->records_trouble[0]);
}

/* Who waits for a job resumes its record, as by diskwipe-report. The service signs when what
 * has ended is stored, and again each second while another program adds a record. */
static void await_record(struct follow *f)
{
	const struct cli_manager *m = &f->station->manager;
	double end = clock_seconds() + SIGNED_S;
	char name[CLI_QUOTED];
	bool good = true;

	while (good && is_due(m) && clock_seconds() < end && !cli_signals_stop())
		good = cli_client_wait(f->k, -1, SIGNED_MS) >= 0 &&
		       !cli_client_read(f->k, f->station);
	if (is_due(m))
		cli_say(f->c,
			"the record of what has ended is not signed yet; the service goes on "
			"trying. To see whether it is there: diskwipe records verify %s",
			cli_quote(m->records_folder, name));
	collect(f);
}

/* A service forgets jobs that ended long ago, but not what came of them. */
static bool all_known(const struct follow *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		if (!cli_station_find_job(f->station, f->jobs[i]))
			return false;
	return true;
}

/* One job's own; of several the worst that says something about all. */
static int outcome_code(const struct follow *f)
{
	size_t good = 0, none = 0;
	int code = 0;

	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct cli_station_job *j =
			cli_station_find_job(f->station, f->jobs[i]);
		int of = j && j->exit_code >= 0 ? j->exit_code : CLI_EXIT_ALL;

		if (f->n_jobs == 1)
			return of;
		good += !of;
		none += of == CLI_EXIT_ALL;
		if (of == CLI_EXIT_MISMATCH ||
		    (of == CLI_EXIT_STOPPED && code != CLI_EXIT_MISMATCH))
			code = of;
	}
	if (code || good == f->n_jobs)
		return code;
	return none == f->n_jobs ? CLI_EXIT_ALL : CLI_EXIT_SOME;
}

static int conclude(struct follow *f)
{
	cli_meter_deinit(&f->meter);
	if (!all_over(f)) {
		print_how_to_go_on(f);
		f->c->ending.signal = cli_signals_stop();
		return CLI_EXIT_STOPPED;
	}
	await_record(f);
	if (!f->c->show.json)
		cli_table_ended(f->c, f->disk);
	for (size_t i = 0; i < f->n_jobs; i++) {
		const struct cli_station_job *j =
			cli_station_find_job(f->station, f->jobs[i]);

		if (j && j->message[0])
			cli_say(f->c, "%s", j->message);
	}
	if (!all_known(f))
		return cli_fail(f->c, CLI_EXIT_USAGE,
				"the service no longer shows the job; what came of it: "
				"diskwipe records");
	return outcome_code(f);
}

int cli_follow(struct cli *c, struct cli_client *k, struct cli_station *station,
	       const char *const *jobs, size_t n)
{
	struct follow f = { .c = c,
			    .k = k,
			    .station = station,
			    .jobs = jobs,
			    .n_jobs = n,
			    .how = cli_progress_wanted(c),
			    .printed = clock_seconds() };
	FILE *screen = cli_meter_stream();
	int r;

	cli_meter_init(&f.meter, screen, f.how == CLI_PROGRESS_BARS,
		       cli_color_wanted(c, stderr));
	r = go_on(&f);
	if (r)
		cli_meter_deinit(&f.meter);
	else
		r = conclude(&f);
	if (screen != stderr)
		fclose(screen);
	for (size_t i = 0; i < f.n_printed; i++)
		free(f.said[i].path);
	free(f.said);
	free(f.disk);
	free(f.row);
	return r;
}
