/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_FORECAST_H
#define DW_FORECAST_FORECAST_H

/* What the parts of a forecast share beside predict.h. */
#include "forecast/predict.h"

/** struct dw_forecast_course - of one disk; @error: of the logarithm of its pace, @guessed: from
 *  rates that nobody has measured */
struct dw_forecast_course {
	struct dw_course course;
	double error;
	bool guessed;
};

/** struct pf_question - @station: of exactly its disks; @real, @order: NULL = none; @patient:
 *  seconds may go by */
struct pf_question {
	const struct dw_station *station;
	struct dw_job *real;
	const uint32_t *order;
	bool patient;
};

/** pf_forecast() - the forecast of one spec, which is not left to choose; dw_forecast_free(). 0,
 *  -EINVAL or -ENOMEM with @err. */
int pf_forecast(const struct pf_question *q, const struct dw_job_spec *spec,
		struct dw_forecast **ret, struct dw_error *err);

/** pf_verify() - the same, and of DW_VERIFY_AUTO what it comes to, with the reason in the forecast;
 *  the file is verify.c. */
int pf_verify(const struct pf_question *q, const struct dw_job_spec *spec,
	      struct dw_forecast **ret, struct dw_error *err);

/** pf_bounds() - the terms of T_min; the disks have their names. 0 or -ENOMEM. */
int pf_bounds(const struct pf_job *j, struct dw_forecast *f);

/**
 * pf_interval() - low and high of the job and of each disk
 * @j: the question
 * @printed: times of the disks, and the chance of the job
 * @f: its times are known
 *
 * One group of values after the other (rates of media, times of commands, rates of the
 * wiring) is set to both ends of what it may be, and the fluid form is asked again; the
 * differences are independent, so that they add as squares, with what chance does.
 *
 * Return: 0 or -ENOMEM.
 */
int pf_interval(const struct pf_job *j, const struct pf_times *reported,
		struct dw_forecast *f);

/** pf_guessed() - does @assumed, keys of a topology file between commas, have @key? */
bool pf_guessed(const char *assumed, const char *key);

#endif
