/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forecasts of the machine made of words: every disk takes ten seconds, all at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define SECONDS 10

static int make(size_t n, struct dw_forecast **ret)
{
	struct dw_forecast *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*f = (struct dw_forecast){ .method = "closed form",
				   .seconds = SECONDS,
				   .low = SECONDS - 1,
				   .high = SECONDS + 1,
				   .t_min = SECONDS,
				   .binding = "slowest disk fake",
				   .slowest = SECONDS,
				   .strategy = "parallel",
				   .n = n };
	f->vague = getenv("DISKWIPE_FAKE_VAGUE") != NULL;
	f->disk = calloc(n + 1, sizeof(*f->disk));
	for (size_t i = 0; f->disk && i < n; i++)
		f->disk[i] = (struct dw_forecast_disk){ .device = "fake",
							.finish = SECONDS,
							.low = SECONDS - 1,
							.high = SECONDS + 1,
							.limit = "medium" };
	*ret = f;
	return 0;
}

int dw_forecast_station(const struct dw_job_spec *spec, const struct dw_station *station,
			const uint32_t *order, struct dw_forecast **ret,
			struct dw_error *err)
{
	return make(dw_station_disks(station), ret);
}

int dw_forecast_patient(const struct dw_job_spec *spec, const struct dw_station *station,
			const uint32_t *order, struct dw_forecast **ret,
			struct dw_error *err)
{
	return make(dw_station_disks(station), ret);
}

int dw_forecast_job(struct dw_job *job, const struct dw_station *station,
		    const uint32_t *order, struct dw_forecast **ret, struct dw_error *err)
{
	return make(dw_job_result(job)->n_disks, ret);
}

void dw_forecast_free(struct dw_forecast *f)
{
	if (f)
		free(f->disk);
	free(f);
}

void dw_forecast_apply(const struct dw_forecast *f, struct dw_job *job)
{
}

void dw_forecast_compare(struct dw_forecast *f, const struct dw_job_result *result)
{
	for (size_t i = 0; i < f->n; i++) {
		f->disk[i].measured = true;
		f->disk[i].took = result->disk[i].seconds;
	}
	f->measured = true;
	f->took = result->seconds;
}

int dw_forecast_admit(const struct dw_job_spec *spec, struct dw_job *job,
		      const struct dw_station *station, struct dw_admission *ret,
		      struct dw_error *err)
{
	*ret = (struct dw_admission){ .active = 1, .n = dw_station_disks(station) };
	ret->order = calloc(ret->n + 1, sizeof(*ret->order));
	return ret->order ? 0 : -ENOMEM;
}

void dw_admission_deinit(struct dw_admission *a)
{
	free(a->order);
}

int dw_job_limit(struct dw_job *job, uint32_t active)
{
	return 0;
}

int dw_station_without(struct dw_station *station, const char *name)
{
	return -ENOENT;
}

int dw_station_replace(struct dw_station *station, const char *name, const char *model)
{
	return -ENOENT;
}

uint32_t dw_station_sector(const struct dw_station *station)
{
	return 512;
}
