/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running job as people and programs see it: bars on a terminal at most ten times a
 * second, plain lines every half minute elsewhere, remarks in between, or every event as a
 * line of JSON. All of it goes to stderr, except the JSON.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <diskwipe/predict.h>

#include "output/out.h"
#include "job/record.h"
#include "signals.h"
#include "job/watch.h"

#define BARS_EVERY       0.1
#define PLAIN_EVERY      30.0
#define SHOWN_EXCEPTIONS 10
#define HELD             1.0 /* seconds in which a bad stretch may grow */

enum cli_progress cli_progress_wanted(const struct cli *c)
{
	const char *term = getenv("TERM");

	if (c->show.quiet || c->show.progress == CLI_PROGRESS_NONE)
		return CLI_PROGRESS_NONE;
	if (c->show.progress != CLI_PROGRESS_AUTO)
		return c->show.progress;
	if (c->show.json_lines && isatty(STDOUT_FILENO))
		return CLI_PROGRESS_NONE; /* the lines are the progress */
	if (!isatty(STDERR_FILENO) || !term || !*term || !strcmp(term, "dumb"))
		return CLI_PROGRESS_PLAIN;
	return CLI_PROGRESS_BARS;
}

void cli_watch_begin(struct cli_watch *w, struct cli *c, struct dw_job *job)
{
	const struct dw_job_result *r = dw_job_result(job);

	*w = (struct cli_watch){ .c = c, .job = job, .n = r->n_disks, .drawn = -1 };
	w->how = cli_progress_wanted(c);
	w->screen = cli_meter_stream();
	w->row = cli_allocate(w->n, sizeof(*w->row));
	w->exceptions = cli_allocate(w->n, sizeof(*w->exceptions));
	for (size_t i = 0; i < w->n; i++) {
		w->row[i].name = cli_disk_node(&r->disk[i].info);
		w->row[i].block_size = r->disk[i].info.block_size;
		w->row[i].verify_only = c->spec.verify_only;
	}
	cli_meter_init(&w->meter, w->screen, w->how == CLI_PROGRESS_BARS,
		       cli_color_wanted(c, stderr));
}

static void refresh(struct cli_watch *w)
{
	w->meter.seconds = dw_job_seconds(w->job);
	w->meter.left = dw_job_remaining(w->job);
	for (size_t i = 0; i < w->n; i++)
		dw_job_progress(w->job, (uint32_t)i, &w->row[i].p);
}

__attribute__((format(printf, 2, 3))) static void report(struct cli_watch *w,
							 const char *format, ...)
{
	va_list args;

	if (w->how == CLI_PROGRESS_NONE)
		return;
	if (w->meter.lines)
		w->drawn = -1;
	cli_meter_clear(&w->meter);
	va_start(args, format);
	vfprintf(w->screen, format, args);
	va_end(args);
	fputc('\n', w->screen);
	fflush(w->screen);
}

static void report_exception(struct cli_watch *w, const struct dw_event *e)
{
	const struct dw_exception *x = &e->exception;
	const char *name = w->row[e->disk].name;
	uint32_t reported = w->exceptions[e->disk]++;

	if (reported < SHOWN_EXCEPTIONS || w->c->show.verbose)
		report(w, "%s: %s: LBA %llu, %llu block%s", name,
		       dw_exception_name(x->kind), (unsigned long long)x->lba,
		       (unsigned long long)x->blocks, x->blocks == 1 ? "" : "s");
	else if (reported == SHOWN_EXCEPTIONS)
		report(w, "%s: more bad blocks; the result names them", name);
}

static void report_pass(struct cli_watch *w, const struct dw_event *e)
{
	const struct dw_progress *p = &e->progress;

	if (w->how == CLI_PROGRESS_PLAIN)
		report(w, "%s: %s, pass %u of %u", w->row[e->disk].name,
		       dw_phase_name(p->phase),
		       p->pass < p->n_passes ? p->pass + 1 : p->n_passes, p->n_passes);
}

static void report_event(struct cli_watch *w, const struct dw_event *e)
{
	const char *word;

	if (e->kind != DW_EVENT_JOB_DONE && e->disk >= w->n) {
		if (e->text[0])
			report(w, "%s", e->text);
		return;
	}
	switch (e->kind) {
	case DW_EVENT_PASS:
		report_pass(w, e);
		break;
	case DW_EVENT_NOTICE:
		report(w, "%s: %s", w->row[e->disk].name, e->text);
		break;
	case DW_EVENT_EXCEPTION:
		report_exception(w, e);
		break;
	case DW_EVENT_DISK_DONE:
		word = dw_outcome_name(e->progress.outcome, w->c->spec.verify_only);
		if (e->text[0] && !strncmp(e->text, word, strlen(word)))
			report(w, "%s: %s", w->row[e->disk].name, e->text);
		else if (w->how == CLI_PROGRESS_PLAIN || e->text[0])
			report(w, "%s: %s%s%s", w->row[e->disk].name, word,
			       e->text[0] ? ": " : "", e->text);
		break;
	default:
		break;
	}
}

static void pass_on(struct cli_watch *w, const struct dw_event *e)
{
	/* before that event a result may still change: nobody is to read of an erasure too early */
	if (e->kind == DW_EVENT_DISK_DONE)
		cli_record_done(w->c, dw_job_result(w->job), e->disk);
	cli_out_event(w->c, e, dw_job_result(w->job));
	report_event(w, e);
}

static void release(struct cli_watch *w)
{
	if (w->holds)
		pass_on(w, &w->held);
	w->holds = false;
}

/* a bad stretch is found block by block: it is one line, as it is in the result */
static bool join_held(struct cli_watch *w, const struct dw_event *e)
{
	struct dw_exception *x = &w->held.exception;
	const struct dw_exception *y = &e->exception;

	if (!w->holds || e->kind != DW_EVENT_EXCEPTION || e->disk != w->held.disk ||
	    x->kind != y->kind || strcmp(x->sense, y->sense) != 0 ||
	    (x->lba + x->blocks != y->lba && y->lba + y->blocks != x->lba))
		return false;
	x->lba = x->lba < y->lba ? x->lba : y->lba;
	x->blocks += y->blocks;
	return true;
}

void cli_watch_events(struct cli_watch *w)
{
	struct dw_event e;

	while (dw_job_next_event(w->job, &e)) {
		if (join_held(w, &e))
			continue;
		if (e.kind == DW_EVENT_EXCEPTION || e.kind == DW_EVENT_JOB_DONE ||
		    (w->holds && e.disk == w->held.disk))
			release(w);
		if (e.kind != DW_EVENT_EXCEPTION) {
			pass_on(w, &e);
			continue;
		}
		w->held = e;
		w->holds = true;
		w->since = -1;
	}
}

void cli_watch_continue(struct cli_watch *w)
{
	if (!cli_signals_continued())
		return;
	cli_meter_forget(&w->meter);
	w->drawn = -1;
}

void cli_watch_tick(struct cli_watch *w, double seconds)
{
	if (w->holds && w->since < 0)
		w->since = seconds;
	else if (w->holds && seconds - w->since >= HELD)
		release(w);
	if (w->how == CLI_PROGRESS_BARS) {
		if (cli_signals_resized())
			cli_meter_resize(&w->meter);
		else if (w->drawn >= 0 && seconds - w->drawn < BARS_EVERY)
			return;
		refresh(w);
		cli_meter_draw(&w->meter, w->row, w->n);
		w->drawn = seconds;
	} else if (w->how == CLI_PROGRESS_PLAIN && seconds - w->printed >= PLAIN_EVERY) {
		refresh(w);
		cli_meter_print(&w->meter, w->row, w->n);
		w->printed = seconds;
	}
}

int cli_watch_timeout(const struct cli_watch *w, double seconds)
{
	double left = w->printed + PLAIN_EVERY - seconds;

	if (w->how == CLI_PROGRESS_BARS)
		left = BARS_EVERY;
	else if (w->how != CLI_PROGRESS_PLAIN)
		return -1;
	return left > 0 ? 1 + (int)(left * 1e3) : 0;
}

void cli_watch_status(struct cli_watch *w)
{
	cli_meter_clear(&w->meter);
	refresh(w);
	cli_meter_print(&w->meter, w->row, w->n);
}

void cli_watch_end(struct cli_watch *w)
{
	release(w);
	if (w->how == CLI_PROGRESS_BARS) {
		refresh(w);
		cli_meter_draw(&w->meter, w->row, w->n);
	}
	cli_meter_deinit(&w->meter);
	if (w->screen != stderr)
		fclose(w->screen);
	free(w->row);
	free(w->exceptions);
}
