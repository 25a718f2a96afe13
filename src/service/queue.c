/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a disk that waits will begin and end. What runs ends when the engine expects it to; behind
 * each adapter what waits follows in the engine's own order, as many at once as the configuration
 * allows, each as long as the predictor says that it takes by itself.
 */
#include "service.h"

#include <math.h>
#include <stdlib.h>

/* attempts of one adapter that have not ended */
struct waiting_line {
	struct svc_attempt **attempt;
	size_t n;
	size_t cap;
};

double queue_expected(const struct dw_job_spec *spec, const struct dw_disk_info *info)
{
	struct dw_station *station;
	struct dw_forecast *f = NULL;
	double seconds = 0;

	if (dw_station_describe(info, 1, &station, NULL) < 0)
		return 0;
	if (!dw_forecast_station(spec, station, NULL, &f, NULL))
		seconds = f->seconds;
	dw_forecast_free(f);
	dw_station_free(station);
	return seconds;
}

static bool runs(const struct svc_attempt *a)
{
	return attempt_claimed(a->state) && a->now.now.phase != DW_PHASE_WAITING;
}

static int before(const void *x, const void *y)
{
	const struct svc_attempt *a = *(struct svc_attempt *const *)x;
	const struct svc_attempt *b = *(struct svc_attempt *const *)y;

	if (runs(a) != runs(b))
		return runs(a) ? -1 : 1;
	if (a->job->row.priority != b->job->row.priority)
		return a->job->row.priority > b->job->row.priority ? -1 : 1;
	return a->row.id < b->row.id ? -1 : a->row.id > b->row.id;
}

static bool is_on(const struct svc_attempt *a, uint32_t host)
{
	return a->disk->facts.info.host == host;
}

static void collect(struct service *s, uint32_t host, struct waiting_line *l)
{
	l->n = 0;
	for (struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++) {
			struct svc_attempt *a = j->attempt[i];
			void *more;

			if (attempt_over(a->state) || !is_on(a, host))
				continue;
			if (l->n == l->cap) {
				more = realloc(l->attempt,
					       (2 * l->cap + 16) * sizeof(void *));
				if (!more)
					return;
				l->attempt = more;
				l->cap = 2 * l->cap + 16;
			}
			l->attempt[l->n++] = a;
		}
}

static uint64_t after(uint64_t from, double seconds)
{
	return from + (uint64_t)(fmin(seconds, 1e9) * 1e6);
}

/* the slot that is free first; 0 = nobody knows when */
static size_t first_free(const uint64_t *slot, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (slot[i] < slot[best])
			best = i;
	return best;
}

static void report_one(struct svc_attempt *a, uint64_t *slot, size_t n, uint64_t now)
{
	const struct dw_progress *p = &a->now.now;
	size_t at = first_free(slot, n);

	if (runs(a)) {
		a->starts = a->row.started;
		a->ends = p->eta_seconds < 0 ? 0 : after(now, p->eta_seconds);
		slot[at] = a->ends ? a->ends : UINT64_MAX;
		return;
	}
	a->starts = slot[at] == UINT64_MAX || attempt_is_paused(a) ? 0 : slot[at];
	a->ends =
		a->starts && a->row.expected > 0 ? after(a->starts, a->row.expected) : 0;
	slot[at] = a->ends ? a->ends : UINT64_MAX;
}

static void report_line(struct service *s, struct waiting_line *l, uint64_t now)
{
	size_t n = s->settings->active && s->settings->active < l->n ? s->settings->active
								     : l->n;
	uint64_t *slot = calloc(n + 1, sizeof(*slot));

	if (!slot)
		return;
	for (size_t i = 0; i < n; i++)
		slot[i] = now;
	if (l->n)
		qsort(l->attempt, l->n, sizeof(void *), before);
	for (size_t i = 0; i < l->n; i++)
		report_one(l->attempt[i], slot, n, now);
	free(slot);
}

void queue_forecast(struct service *s)
{
	uint32_t done[64];
	size_t n = 0;
	struct waiting_line l = { 0 };
	uint64_t now = now_us();

	for (struct svc_job *j = s->jobs; j; j = j->next)
		for (size_t i = 0; i < j->n; i++) {
			uint32_t host = j->attempt[i]->disk->facts.info.host;
			size_t k = 0;

			while (k < n && done[k] != host)
				k++;
			if (k < n || n == 64 || attempt_over(j->attempt[i]->state))
				continue;
			done[n++] = host;
			collect(s, host, &l);
			report_line(s, &l, now);
		}
	free(l.attempt);
}
