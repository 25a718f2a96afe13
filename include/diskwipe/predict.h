/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_PREDICT_H
#define DISKWIPE_PREDICT_H

/*
 * How long a job will take and what limits it, before its first command; and afterwards,
 * which assumption was off. A forecast is a pure function of what is asked, of a station and
 * of the order of its disks: no device is touched, and equal questions have equal answers.
 *
 *	dw_forecast_job() before dw_job_start() -> dw_forecast_apply() -> the run
 *	-> dw_forecast_compare()
 */
#include <diskwipe/error.h>
#include <diskwipe/job.h>
#include <diskwipe/public.h>
#include <diskwipe/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** struct dw_phase_seconds - where the time of a disk goes, over all passes */
struct dw_phase_seconds {
	double write;
	double flush;
	double verify;
};

/* The limit of a disk that erases itself: it begins at once and needs no bus. */
#define DW_LIMIT_ITSELF "the disk itself"

/* An interval whose ends differ by more than that factor holds a time that nobody knows. */
#define DW_FORECAST_VAGUE 4

/**
 * struct dw_forecast_disk - one disk, and afterwards what it really took
 * @device, @model, @group: how it is called; its kind; disks of one group are peers
 * @start: when its first command goes out, seconds after the job's
 * @finish, @low, @high: when it ends, seconds after the job's start, with the interval
 * @vague: its rates are guesses, and the ends of the interval lie DW_FORECAST_VAGUE times apart or
 *	more: @finish is no figure to be shown, the interval is
 * @alone: seconds it would take with everything for itself
 * @phase: expected
 * @rate: bytes per second over all of it
 * @verify_share: of its blocks, what is read after the last pass: 1 = in full, 0 = nothing
 * @compares: it compares its blocks itself before that (DW_VERIFY_DEVICE), as far as is known
 * @limit: what the writing waits for most of the time: "medium", "lost revolutions",
 *	"command overhead", "WRITE SAME", "link", "bus NAME", "seeks", DW_LIMIT_ITSELF
 * @measured: the run has ended and the fields below are valid
 * @took: seconds from its first command to its end
 * @took_phase: measured
 * @error: took / expected - 1 of the same span, in per cent
 * @beside: rate beside the middle of its peers, in per cent (-31 = 31 % below)
 * @suspect: much slower than its peers, or without peers than its model if that knows its rate
 * @why: which assumption was off, empty = none
 * @expect: as of dw_job_expect()
 */
struct dw_forecast_disk {
	char device[64];
	char model[48];
	char group[48];
	double start;
	double finish;
	double low;
	double high;
	bool vague;
	double alone;
	struct dw_phase_seconds phase;
	double rate;
	double verify_share;
	bool compares;
	char limit[64];
	bool measured;
	double took;
	struct dw_phase_seconds took_phase;
	double error;
	double beside;
	bool suspect;
	char why[96];
	double expect;
};

/**
 * struct dw_forecast - the whole
 * @method: "closed form", "closed form, shared", "simulated, exact", "simulated, coarse"
 * @seconds, @low, @high: of the job with its interval
 * @vague: as of a disk, of @seconds and @t_min
 * @t_min: no order of commands is faster; seconds
 * @binding: which term that is: "slowest disk NAME", "bus NAME", "2 slots"
 * @slowest, @bus, @slots, @commands: the terms, seconds; 0 = there is none
 * @bus_name, @controller_name: whose the terms are
 * @rate: bytes per second over all disks
 * @assumed: keys of the station that are guesses, empty = none
 * @strategy, @active: in force
 * @verify_chosen: what DW_VERIFY_AUTO comes to, "full" or "device"; empty = something else was
 *	asked, or it had been chosen before
 * @verify_why: in words; @verify_full, @verify_device: seconds of the job with either; 0 = nothing
 *	had to be weighed
 * @measured, @took, @error, @why: as of a disk
 * @course: what the job goes by for the time that is left; opaque
 */
struct dw_forecast {
	char method[32];
	double seconds;
	double low;
	double high;
	bool vague;
	double t_min;
	char binding[64];
	double slowest;
	double bus;
	char bus_name[48];
	double slots;
	double commands;
	char controller_name[48];
	double rate;
	char assumed[160];
	char strategy[24];
	uint32_t active;
	char verify_chosen[16];
	char verify_why[128];
	double verify_full;
	double verify_device;
	bool measured;
	double took;
	double error;
	char why[160];
	size_t n;
	struct dw_forecast_disk *disk;
	struct dw_forecast_course *course;
};

/**
 * dw_forecast_station() - what a job on all disks of a station will take
 * @spec: what is asked; its files are not looked at
 * @station: only read
 * @order: of admission, one number for each disk; NULL = by the strategy
 * @ret: dw_forecast_free()
 * @err: on failure why there can be none
 *
 * Bounded: at most some tenths of a second of processor time. Of DW_VERIFY_AUTO that is not chosen
 * yet it is the forecast of what it comes to (@verify_chosen), and twice the time.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_forecast_station(const struct dw_job_spec *spec,
				  const struct dw_station *station, const uint32_t *order,
				  struct dw_forecast **ret, struct dw_error *err);

/** dw_forecast_patient() - as dw_forecast_station(), but the simulator may take some seconds. */
DW_PUBLIC int dw_forecast_patient(const struct dw_job_spec *spec,
				  const struct dw_station *station, const uint32_t *order,
				  struct dw_forecast **ret, struct dw_error *err);

/**
 * dw_forecast_job() - the same for a job that has its disks and has not started
 * @job: only looked at: what each disk can do, and where a resumed one goes on
 * @station: one disk for each of the job's, in the order in which they were added
 * @order: as of dw_forecast_station()
 * @ret: dw_forecast_free()
 * @err: on failure why there can be none
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_forecast_job(struct dw_job *job, const struct dw_station *station,
			      const uint32_t *order, struct dw_forecast **ret,
			      struct dw_error *err);

/**
 * dw_plan_forecast() - what a plan document says of the time, as another program forecast it
 * @text: JSON, as dw_plan_json() makes it
 *
 * Return: dw_forecast_free(); NULL: it says nothing, or nothing that can be read.
 */
DW_PUBLIC struct dw_forecast *dw_plan_forecast(const char *text);

/** dw_forecast_free() - free it; NULL is accepted. */
DW_PUBLIC void dw_forecast_free(struct dw_forecast *f);

/** dw_forecast_apply() - tell a job that has not started what to expect of its disks: the
 *  order of longest-first, the time left, and what DW_VERIFY_AUTO comes to follow from it. */
DW_PUBLIC void dw_forecast_apply(const struct dw_forecast *f, struct dw_job *job);

/**
 * dw_forecast_compare() - fill in what was measured
 * @f: of this job, disks in the same order
 * @result: complete
 *
 * Disks that were not wholly erased or verified are left out.
 */
DW_PUBLIC void dw_forecast_compare(struct dw_forecast *f,
				   const struct dw_job_result *result);

/**
 * struct dw_admission - how many disks at once, and in which order
 * @active: disks at once
 * @at_once: forecast of all at once, seconds
 * @best: of @active disks at once in @order, seconds
 * @bound: nothing is faster, seconds; @binding as of a forecast
 * @mean_at_once, @mean_best: mean of the disks' finish, seconds
 * @tried: schedules that were compared
 * @n, @order: disks in the order of their admission
 */
struct dw_admission {
	uint32_t active;
	double at_once;
	double best;
	double bound;
	char binding[64];
	double mean_at_once;
	double mean_best;
	uint32_t tried;
	size_t n;
	uint32_t *order;
};

/**
 * dw_forecast_admit() - choose --active and the order of admission
 * @spec, @job, @station: as for dw_forecast_station() with @job NULL, else dw_forecast_job()
 * @ret: dw_admission_deinit()
 * @err: on failure why
 *
 * The forecast of the choice is that of longest-first with @active, given @order, and
 * dw_forecast_apply() then brings the order to the job, dw_job_limit() the number.
 *
 * For every number of disks at once that may matter, longest first, then improved by
 * exchanges as long as that helps; in the fluid form. Of the numbers within 0.1 % of the
 * shortest time the one with the earliest mean finish wins.
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
DW_PUBLIC int dw_forecast_admit(const struct dw_job_spec *spec, struct dw_job *job,
				const struct dw_station *station,
				struct dw_admission *ret, struct dw_error *err);

/**
 * dw_forecast_paths() - fixed against dynamic paths
 * @mode: what is asked; auto takes dynamic where it gains a per cent or nothing is known
 * @f: devices, paths, transfer, media_rate, path_rate and revolution_ms are given, the rest is
 *	filled in
 *
 * A disk that loses revolutions is Brandwajn's: cycle = transfer / media_rate + (1 + misses)
 * revolutions, misses by his equations (3)-(5), (11) at the use of the paths (model
 * closed_paths). One that does not only shares their rate.
 */
DW_PUBLIC void dw_forecast_paths(enum dw_paths_mode mode, struct dw_paths_forecast *f);

/** dw_admission_deinit() - free what it owns. */
DW_PUBLIC void dw_admission_deinit(struct dw_admission *a);

/**
 * dw_station_without() - a station without one disk
 * @station: changed
 * @name: of a disk section, or of one disk of several, NAME-2
 * Return: 0; -ENOENT; -EINVAL when it is the only one; -ENOMEM.
 */
DW_PUBLIC int dw_station_without(struct dw_station *station, const char *name);

/**
 * dw_station_replace() - a station with a disk of another kind in a disk's place
 * @station: changed
 * @name: as of dw_station_without()
 * @model: name or model of a disk section of the same station
 * Return: 0; -ENOENT for @name, -ENODEV for @model; -ENOMEM.
 */
DW_PUBLIC int dw_station_replace(struct dw_station *station, const char *name,
				 const char *model);

/** dw_station_sector() - bytes of a logical block of its first disk. */
DW_PUBLIC uint32_t dw_station_sector(const struct dw_station *station);

/** dw_forecast_json() - as one JSON document, schema 1; malloc'd; NULL on -ENOMEM. */
DW_PUBLIC char *dw_forecast_json(const struct dw_forecast *f);

/**
 * dw_job_remaining() - seconds until the last disk of a job is finished, those that wait included;
 *	0 after its end; negative = not known to a factor of two
 * @job: of one that has not started nothing is known
 */
DW_PUBLIC double dw_job_remaining(struct dw_job *job);

#ifdef __cplusplus
}
#endif

#endif
