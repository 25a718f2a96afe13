/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "print/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/util.h"

#define BINS       512
#define BINS_LEAST 32
#define CROOKED    0.15 /* of the rate: places lie so far off the line, in the median */
#define MANY       4096 /* disks; beyond, there are fewer bins for each */

static void name_disk(struct run_disk *d, const char *device, uint32_t number)
{
	const char *slash = strrchr(device, '/');

	snprintf(d->device, sizeof(d->device), "%s", device);
	if (*device)
		snprintf(d->label, sizeof(d->label), "%.39s",
			 slash && slash[1] ? slash + 1 : device);
	else
		snprintf(d->label, sizeof(d->label), "d%u", number);
}

static int new_disk(struct run *run, size_t i, const struct dw_trace_disk *t)
{
	struct run_disk *d = &run->disk[i];

	name_disk(d, t->device, (uint32_t)i);
	snprintf(d->vendor, sizeof(d->vendor), "%s", t->vendor);
	snprintf(d->model, sizeof(d->model), "%s", t->model);
	snprintf(d->serial, sizeof(d->serial), "%s", t->serial);
	d->bytes_total = t->blocks * t->block_size;
	d->joined = (double)t->joined_ns / 1e9;
	d->begin = d->predicted = d->low = d->high = NAN;
	d->moved = calloc(3 * run->bins + RUN_STEPS, sizeof(float));
	if (!d->moved)
		return -ENOMEM;
	d->local = d->moved + run->bins;
	d->wrong = d->local + run->bins;
	d->steps = d->wrong + run->bins;
	return 0;
}

static int copy_head(struct run *run, const struct dw_trace_head *h)
{
	run->head = *h;
	run->head.disk = NULL;
	run->head.n_disks = 0;
	run->head.node = calloc(h->n_nodes + 1, sizeof(*h->node));
	if (!run->head.node)
		return -ENOMEM;
	if (h->n_nodes)
		memcpy(run->head.node, h->node, h->n_nodes * sizeof(*h->node));
	run->bins = BINS;
	run->bin_ns = 1000;
	run->step_width = 1;
	snprintf(run->strategy, sizeof(run->strategy), "%s", h->spec.strategy);
	snprintf(run->controller, sizeof(run->controller), "%s", h->spec.controller);
	snprintf(run->method, sizeof(run->method), "%.31s",
		 h->spec.pattern[0] ? "custom" : h->spec.method);
	snprintf(run->started, sizeof(run->started), "%s", h->run.started);
	snprintf(run->simulation, sizeof(run->simulation), "%s", h->run.simulation);
	return 0;
}

static void fold(float *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++)
		v[i] = v[2 * i] + v[2 * i + 1];
	memset(v + n / 2, 0, (n - n / 2) * sizeof(*v));
}

static void double_bins(struct run *run)
{
	run->bin_ns *= 2;
	for (size_t i = 0; i < run->n; i++) {
		fold(run->disk[i].moved, run->bins);
		fold(run->disk[i].local, run->bins);
		fold(run->disk[i].wrong, run->bins);
	}
}

/* Make the bins wide enough for @ns. */
static void widen_time(struct run *run, double ns)
{
	while (ns >= run->bin_ns * (double)run->bins)
		double_bins(run);
}

/* The disks of the head that the run does not have yet: those of the start, or one that joined. */
static int add_disks_to_run(struct run *run, const struct dw_trace_head *h)
{
	size_t from = run->n, n = h->n_disks;
	int r;

	if (n == from)
		return 0;
	while (run->bins > BINS_LEAST && n * run->bins > (size_t)MANY * BINS) {
		double_bins(run);
		run->bins /= 2;
	}
	r = dw_grow(&run->head.disk, from, n, sizeof(*run->head.disk));
	if (!r)
		r = dw_grow(&run->disk, from, n, sizeof(*run->disk));
	while (!r && run->n < n) {
		run->head.disk[run->n] = h->disk[run->n];
		r = new_disk(run, run->n, &h->disk[run->n]);
		run->n++;
	}
	run->head.n_disks = (uint32_t)run->n;
	return r;
}

static void widen_steps(struct run *run, uint64_t step)
{
	while (step / run->step_width >= RUN_STEPS) {
		run->step_width *= 2;
		for (size_t i = 0; i < run->n; i++)
			fold(run->disk[i].steps, RUN_STEPS);
	}
}

/* A command's bytes, evenly over the time it had. What ends where a bin does is of that bin: the
 * next one may be beyond the end. */
static void spread_bytes(const struct run *run, float *v, double from, double to,
			 double bytes)
{
	size_t a = (size_t)(from / run->bin_ns);
	size_t b = (size_t)fmax(ceil(to / run->bin_ns) - 1, 0);
	double density = to > from ? bytes / (to - from) : 0;

	a = a < b ? a : b;
	if (a == b) {
		v[a] += (float)bytes;
		return;
	}
	v[a] += (float)(density * ((double)(a + 1) * run->bin_ns - from));
	for (size_t i = a + 1; i < b; i++)
		v[i] += (float)(density * run->bin_ns);
	v[b] += (float)(density * (to - (double)b * run->bin_ns));
}

static enum run_kind kind_of_command(const struct dw_trace_command *c)
{
	switch (c->verb) {
	case DW_VERB_WRITE:
		return RUN_WRITE;
	case DW_VERB_WRITE_SAME:
		return RUN_SAME;
	case DW_VERB_READ:
		return RUN_READ;
	case DW_VERB_FLUSH:
		return RUN_FLUSH;
	case DW_VERB_OPERATE:
	case DW_VERB_POLL:
		return RUN_OWN;
	default:
		return RUN_OTHER;
	}
}

static struct run_length *find_length(struct run *run, uint8_t kind, double bytes)
{
	struct run_length *l;

	for (size_t i = 0; i < run->n_lengths; i++)
		if (run->length[i].kind == kind && run->length[i].bytes_each == bytes)
			return &run->length[i];
	if (run->n_lengths == RUN_LENGTHS)
		return NULL;
	l = &run->length[run->n_lengths++];
	*l = (struct run_length){ .kind = kind, .bytes_each = bytes };
	return l;
}

/* Lengths beyond what the table holds count as the power of two below them, if it is there. */
static void count_length(struct run *run, enum run_kind kind,
			 const struct dw_trace_command *c, double bytes, double pace)
{
	double each = round(bytes / c->commands);
	struct run_length *l = find_length(run, (uint8_t)kind, each);

	if (!l && each >= 1)
		l = find_length(run, (uint8_t)kind, exp2(floor(log2(each))));
	if (!l)
		return;
	l->commands += c->commands;
	l->bytes += bytes;
	l->pace += pace;
}

static void count_place(struct run *run, struct run_disk *d, enum run_kind kind,
			const struct dw_trace_command *c, double bytes, double pace)
{
	double middle = ((double)c->lba + (double)c->span / 2) /
			(double)run->head.disk[d - run->disk].blocks;
	size_t bin = (size_t)dw_min_u64((uint64_t)(middle * RUN_PLACES), RUN_PLACES - 1);

	/* what verification reads is of no use beside what was written */
	if (kind == RUN_READ && !run->head.run.verify_only)
		return;
	d->place_bytes[bin] += (float)bytes;
	d->place_pace[bin] += (float)pace;
}

static void count_service_of(struct run_disk *d, uint64_t ns, uint32_t commands)
{
	double s = (double)ns / 1e9;
	double bin = s > RUN_SERVICE_LO ? 10 * log10(s / RUN_SERVICE_LO) : 0;

	d->service[(size_t)fmin(bin, RUN_SERVICE - 1)] += commands;
}

/* Of many the extremes are known, and the mean of all. */
static void count_service(struct run_disk *d, const struct dw_trace_command *c)
{
	uint32_t known = c->several ? 2 : 0;

	if (known) {
		count_service_of(d, c->least_ns, 1);
		count_service_of(d, c->most_ns, 1);
	}
	if (c->commands > known)
		count_service_of(d, c->mean_ns, c->commands - known);
}

static void add_command(struct run *run, const struct dw_trace_command *c)
{
	struct run_disk *d = &run->disk[c->disk];
	enum run_kind kind = kind_of_command(c);
	double from = (double)c->start_ns, to = (double)c->end_ns;
	double bytes = (double)c->blocks * run->head.disk[c->disk].block_size;
	double pace;

	if (!c->several)
		from = fmax(from, d->last_ns);
	/* from one question to the next it went on */
	if (kind == RUN_OWN && d->own_ns > 0)
		from = d->own_ns;
	d->own_ns = kind == RUN_OWN ? to : 0;
	pace = fmax(to - from, 0);
	if (c->several)
		pace = (double)c->busy_ns;
	widen_time(run, to);
	widen_steps(run, c->step);
	from = fmin(from, to);
	d->last_ns = fmax(d->last_ns, to);
	d->begin = isnan(d->begin) ? (double)c->start_ns / 1e9
				   : fmin(d->begin, (double)c->start_ns / 1e9);
	d->end = fmax(d->end, to / 1e9);
	d->pace[kind] += pace / 1e9;
	d->sent[kind] += c->commands;
	d->commands += c->commands;
	d->class[c->end_class] += c->commands;
	run->commands += c->commands;
	if (dw_class_is_bad(c->end_class)) {
		d->bad += c->commands;
		d->wrong[(size_t)(to / run->bin_ns)] += (float)c->commands;
	}
	if (kind == RUN_OWN && c->end_class == DW_CLASS_OK && c->verb == DW_VERB_POLL)
		d->bytes[kind] += (double)d->bytes_total;
	if (kind >= RUN_FLUSH)
		return;
	d->steps[c->step / run->step_width] += (float)c->commands;
	run->n_steps_used = (size_t)dw_max_u64(run->n_steps_used, c->step);
	if (c->end_class != DW_CLASS_OK)
		return;
	d->bytes[kind] += bytes;
	spread_bytes(run, kind == RUN_SAME ? d->local : d->moved, from, to, bytes);
	count_service(d, c);
	count_length(run, kind, c, bytes, pace / 1e9);
	count_place(run, d, kind, c, bytes, pace / 1e9);
}

static void close_run(struct run *run, struct dw_trace_finish end)
{
	for (size_t i = 0; i < run->n; i++)
		run->end = fmax(run->end, run->disk[i].end);
	run->complete = end.complete;
	if (end.complete) {
		widen_time(run, (double)end.end_ns);
		run->end = fmax(run->end, (double)end.end_ns / 1e9);
		snprintf(run->outcome, sizeof(run->outcome), "%s",
			 dw_outcome_name(end.outcome, run->head.run.verify_only));
	}
	run->n_bins_used =
		(size_t)fmin(ceil(run->end * 1e9 / run->bin_ns), (double)run->bins);
	run->n_steps_used = run->commands ? run->n_steps_used / run->step_width + 1 : 0;
	run->predicted = run->low = run->high = NAN;
	run->has_trace = true;
}

int run_from_reader(struct dw_trace_reader *reader, struct run *ret, struct dw_error *err)
{
	struct run run = { 0 };
	struct dw_trace_command c;
	const struct dw_trace_head *head = dw_trace_reader_head(reader);
	int more = 1, r = copy_head(&run, head);

	if (!r)
		r = add_disks_to_run(&run, head);
	while (!r && more > 0) {
		more = dw_trace_reader_next(reader, &c, err);
		r = add_disks_to_run(&run, head);
		if (!r && more > 0)
			add_command(&run, &c);
	}
	if (r)
		dw_error_system(err, r, NULL);
	else
		r = more;
	if (r < 0) {
		run_deinit(&run);
		return r;
	}
	close_run(&run, dw_trace_reader_finish(reader));
	*ret = run;
	return 0;
}

int run_from_trace(const char *path, struct run *ret, struct dw_error *err)
{
	struct dw_trace_reader *reader;
	int r = dw_trace_reader_open(path, &reader, err);

	if (r)
		return r;
	r = run_from_reader(reader, ret, err);
	dw_trace_reader_free(reader);
	return r;
}

static void take_result(struct run_disk *d, const struct dw_result_doc *doc, size_t i)
{
	const struct dw_disk_result *from = &doc->job.disk[i];
	bool known = doc->job.forecast && i < doc->forecast.n;
	const struct dw_forecast_disk *f = &doc->forecast.disk[i];

	d->predicted = known ? f->finish : NAN;
	d->low = known ? f->low : NAN;
	d->high = known ? f->high : NAN;
	d->exceptions = from->n_exceptions;
	snprintf(d->outcome, sizeof(d->outcome), "%s",
		 dw_outcome_name(from->outcome, from->verify_only));
}

static void take_job(struct run *run, const struct dw_result_doc *doc)
{
	const struct dw_forecast *f = doc->job.forecast;

	run->predicted = f ? f->seconds : NAN;
	run->low = f ? f->low : NAN;
	run->high = f ? f->high : NAN;
	snprintf(run->outcome, sizeof(run->outcome), "%s", doc->outcome);
}

static uint64_t capacity(const struct dw_disk_info *i)
{
	return i->blocks * i->block_size;
}

/* A result has no begin of a disk: its time counts from the job's. */
static void run_disk_from(const struct dw_result_doc *doc, size_t i, struct run_disk *d)
{
	const struct dw_disk_result *from = &doc->job.disk[i];
	double start = i < doc->forecast.n ? doc->forecast.disk[i].start : 0;
	double waited = fmin(from->waited_seconds, from->seconds);

	name_disk(d, from->info.block, (uint32_t)i);
	snprintf(d->vendor, sizeof(d->vendor), "%s", from->info.vendor);
	snprintf(d->model, sizeof(d->model), "%s", from->info.model);
	snprintf(d->serial, sizeof(d->serial), "%s", from->info.serial);
	d->bytes_total = capacity(&from->info);
	d->end = from->seconds;
	d->bytes[RUN_WRITE] = (double)from->bytes_written;
	d->bytes[RUN_READ] = (double)from->bytes_verified;
	d->rate = from->mean_bytes_per_second;
	d->pace[RUN_FLUSH] = fmin(from->flush_seconds, from->seconds - waited);
	d->pace[RUN_READ] =
		fmin(from->verify_seconds, from->seconds - waited - d->pace[RUN_FLUSH]);
	d->pace[RUN_WRITE] =
		from->seconds - waited - d->pace[RUN_FLUSH] - d->pace[RUN_READ];
	d->commands = from->commands;
	d->bad = from->errors.retried + from->errors.timeouts;
	take_result(d, doc, i);
	d->predicted -= start;
	d->low -= start;
	d->high -= start;
}

/* without those that a resumed job had before */
static size_t disks_of_run(const struct dw_job_result *job)
{
	size_t n = job->n_disks;

	while (n && job->disk[n - 1].earlier)
		n--;
	return n;
}

int run_from_result(const struct dw_result_doc *doc, struct run *ret)
{
	const struct dw_job_result *job = &doc->job;
	struct run run = { .n = disks_of_run(job),
			   .end = job->seconds,
			   .complete = true };
	struct tm tm = { 0 };

	run.disk = calloc(run.n + 1, sizeof(*run.disk));
	if (!run.disk)
		return -ENOMEM;
	take_job(&run, doc);
	snprintf(run.strategy, sizeof(run.strategy), "%s", job->spec.strategy);
	snprintf(run.controller, sizeof(run.controller), "%s", doc->controller);
	snprintf(run.method, sizeof(run.method), "%s", doc->method);
	localtime_r(&job->started.tv_sec, &tm);
	dw_time_format(&job->started, (int32_t)tm.tm_gmtoff, run.started,
		       sizeof(run.started));
	snprintf(run.simulation, sizeof(run.simulation), "%s", job->simulation);
	for (size_t i = 0; i < run.n; i++) {
		run_disk_from(doc, i, &run.disk[i]);
		run.commands += run.disk[i].commands;
	}
	*ret = run;
	return 0;
}

int run_add_result(struct run *run, const struct dw_result_doc *doc, struct dw_error *err)
{
	bool same = run->n == disks_of_run(&doc->job);

	for (size_t i = 0; i < run->n && same; i++)
		same = !strcmp(run->head.disk[i].serial, doc->job.disk[i].info.serial) &&
		       run->disk[i].bytes_total == capacity(&doc->job.disk[i].info);
	if (!same) {
		return dw_error_content(
			err, NULL, "the trace and the result do not have the same disks");
	}
	take_job(run, doc);
	for (size_t i = 0; i < run->n; i++)
		take_result(&run->disk[i], doc, i);
	return 0;
}

void run_deinit(struct run *run)
{
	for (size_t i = 0; run->disk && i < run->n; i++)
		free(run->disk[i].moved);
	free(run->disk);
	free(run->head.node);
	free(run->head.disk);
	*run = (struct run){ 0 };
}

double run_place_rate(const struct run_disk *d, size_t bin)
{
	return d->place_pace[bin] > 0 ? d->place_bytes[bin] / d->place_pace[bin] : NAN;
}

double run_time_rate(const struct run *run, const struct run_disk *d, size_t bin)
{
	return (d->moved[bin] + d->local[bin]) / (run->bin_ns / 1e9);
}

bool run_fit_zone(const struct run_disk *d, double ret[2])
{
	double x[RUN_PLACES], y[RUN_PLACES], v[RUN_PLACES * RUN_PLACES / 2], slope;
	size_t n = 0, k = 0;

	for (size_t i = 0; i < RUN_PLACES; i++) {
		x[n] = ((double)i + 0.5) / RUN_PLACES;
		y[n] = run_place_rate(d, i);
		n += !isnan(y[n]);
	}
	if (n < 4)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			v[k++] = (y[i] - y[j]) / (x[i] - x[j]);
	slope = dw_median(v, k);
	for (size_t i = 0; i < n; i++)
		v[i] = y[i] - slope * x[i];
	ret[0] = dw_median(v, n);
	ret[1] = ret[0] + slope;
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(y[i] - ret[0] - slope * x[i]);
	/* no zones: what changed the rate was something else */
	return ret[0] > 0 && ret[1] > 0 &&
	       dw_median(v, n) <= CROOKED * (ret[0] + ret[1]) / 2;
}

double run_disk_took(const struct run_disk *d)
{
	return fmax(d->end - d->joined, 0);
}

double run_write_rate(const struct run_disk *d)
{
	double bytes = d->bytes[RUN_WRITE] + d->bytes[RUN_SAME];
	double pace = d->pace[RUN_WRITE] + d->pace[RUN_SAME] + d->pace[RUN_FLUSH];
	enum run_kind kind = d->bytes[RUN_OWN] > 0 ? RUN_OWN : RUN_READ;

	if (d->rate > 0)
		return d->rate;
	if (!(bytes > 0)) {
		bytes = d->bytes[kind];
		pace = d->pace[kind];
	}
	return bytes > 0 && pace > 0 ? bytes / pace : NAN;
}
