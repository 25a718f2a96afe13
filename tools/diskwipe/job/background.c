/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/background.h"

/* 0.0123 s is read as 12.3 ms */
static const char *time_text(double s, char buf[32])
{
	if (s < 1)
		snprintf(buf, 32, "%.3g ms", s * 1e3);
	else
		snprintf(buf, 32, "%.3g s", s);
	return buf;
}

void cli_background_plan(FILE *f, const struct dw_background *b)
{
	struct dw_background_forecast m;
	char text[2][32];

	if (b->kind == DW_BACKGROUND_OFF)
		return;
	if (!dw_background_forecast(b, &m)) {
		if (b->kind == DW_BACKGROUND_SHARE)
			fprintf(f,
				"background: %.3g %% of the time, about %.3g times as long as "
				"alone\n",
				100 * b->share, 1 / b->share);
		else
			fprintf(f,
				"background: %s to be kept; the share follows from what "
				"is measured before the start\n",
				time_text((double)b->response_ns / 1e9, text[0]));
		return;
	}
	if (m.share <= 0) {
		fprintf(f, "background: the others' response is %s already\n",
			time_text(m.response_before, text[0]));
		return;
	}
	fprintf(f,
		"background: %.3g %% of the time, about %.3g times as long as alone; the "
		"others' response %s (%s without), knee at %.3g users (%.3g)\n",
		100 * m.share, 1 / m.share, time_text(m.response, text[0]),
		time_text(m.response_before, text[1]), m.knee, m.knee_before);
}

void cli_background_facts(const struct dw_background *b, struct dw_background_result *ret)
{
	if (b->kind == DW_BACKGROUND_OFF || !dw_background_forecast(b, &ret->forecast))
		return;
	ret->users = b->users;
	ret->think = (double)b->think_ns / 1e9;
	ret->demand = (double)b->demand_ns[b->n_demands - 1] / 1e9;
	ret->share = ret->forecast.share;
}

void cli_background_result(const struct dw_job_result *r)
{
	const struct dw_background_result *b = &r->background;
	char text[3][32];

	if (r->spec.background.kind == DW_BACKGROUND_OFF)
		return;
	printf("background: %.3g %% of the time was used", 100 * b->used);
	if (b->answers)
		printf("; others answered %llu times in %s",
		       (unsigned long long)b->answers, time_text(b->measured, text[0]));
	if (b->answers && b->measured_before > 0)
		printf(" (%s before)", time_text(b->measured_before, text[1]));
	if (b->target > 0)
		printf(", %s to be kept", time_text(b->target, text[2]));
	putchar('\n');
}
