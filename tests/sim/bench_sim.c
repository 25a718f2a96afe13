/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the simulator is, in processor time, and how much memory it takes:
 *
 *	exact	  commands per second, at least half a million
 *	coarse	  a whole job on the last station, at most 2 minutes and 200 MB
 *	repeated  the same result, byte for byte
 *	step	  time for a command with 10 to 10,000 disks that are never ready together: it
 *		  grows with log n and the cache's misses, not with n
 *
 *	bench_sim STATION...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "diskwipe/diskwipe.h"
#include "../unit/error_line.h"

#define LEAST          500000.0
#define COARSE_SECONDS 120
#define COARSE_MIB     200
#define STEP_GROWTH    10 /* from 10 to 10,000 disks; in proportion it would be 1,000 */

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* WRITE of 128 KiB for some minutes of virtual time, then a stop; rate or < 0 */
static double measure(const char *path, double minutes)
{
	struct dw_station *station = NULL;
	struct dw_job *job = NULL;
	struct dw_job_spec spec;
	double start = cpu_seconds(), commands = 0;
	struct dw_event e;
	struct dw_error err = { 0 };
	int r;

	dw_job_spec_init(&spec);
	spec.command = DW_COMMAND_WRITE;
	snprintf(spec.controller, sizeof(spec.controller), "fixed");
	spec.fixed_blocks = 256;
	spec.verify = DW_VERIFY_OFF;
	spec.seed = 1;
	r = dw_station_load(path, &station, &err);
	if (!r)
		r = dw_job_new(NULL, &spec, &job, &err);
	if (!r)
		r = dw_job_simulate(job, station, false, &err);
	if (!r)
		r = dw_job_start(job, &err);
	while (!r && (r = dw_job_step(job, 0)) == 1) {
		r = 0;
		while (dw_job_next_event(job, &e))
			;
		if (dw_job_seconds(job) > minutes * 60)
			dw_job_stop(job);
		if (dw_job_result(job)->outcome != DW_OUTCOME_NONE)
			break;
	}
	for (size_t i = 0; !r && i < dw_job_result(job)->n_disks; i++)
		commands += (double)dw_job_result(job)->disk[i].commands;
	if (r)
		fprintf(stderr, "%s: %s\n", path, error_line(&err));
	dw_job_free(job);
	dw_station_free(station);
	return r ? -1 : commands / (cpu_seconds() - start);
}

/* a whole job in coarse mode; its result as text, to be freed */
static char *whole(const char *path, double *ret_seconds)
{
	struct dw_station *station = NULL;
	struct dw_job *job = NULL;
	struct dw_job_spec spec;
	double start = cpu_seconds();
	struct dw_event e;
	struct dw_error err = { 0 };
	char *text = NULL;
	int r;

	dw_job_spec_init(&spec);
	spec.seed = 1;
	r = dw_station_load(path, &station, &err);
	if (!r)
		r = dw_job_new(NULL, &spec, &job, &err);
	if (!r)
		r = dw_job_simulate(job, station, true, &err);
	if (!r)
		r = dw_job_start(job, &err);
	while (!r && (r = dw_job_step(job, 0)) == 1) {
		r = 0;
		while (dw_job_next_event(job, &e))
			;
		if (dw_job_result(job)->outcome != DW_OUTCOME_NONE)
			break;
	}
	if (!r)
		text = dw_job_result_json(dw_job_result(job));
	*ret_seconds = cpu_seconds() - start;
	dw_job_free(job);
	dw_station_free(station);
	return text;
}

static long memory_mib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss / 1024;
}

static int coarse(const char *path, bool repeat)
{
	double seconds, again;
	char *text = whole(path, &seconds), *other = repeat ? whole(path, &again) : NULL;
	int code = !text || seconds > COARSE_SECONDS || memory_mib() > COARSE_MIB ||
		   (repeat && (!other || strcmp(text, other) != 0));

	printf("%s, coarse: %.1f s of CPU, %ld MiB%s\n", path, seconds, memory_mib(),
	       !repeat ? ""
	       : code  ? ", NOT repeated"
		       : ", repeated byte for byte");
	free(text);
	free(other);
	return code;
}

/* disks that share nothing */
static int make_station(const char *path, int disks)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f,
		"[disk d]\ncount = %d\ncapacity = 1TB\nouter = 200MB/s\nrpm = 7200\n"
		"cache = on\nbuffer = 4MiB\njitter = 0.05\nwrite-same = no\n",
		disks);
	return fclose(f);
}

static int steps(void)
{
	char path[] = "/tmp/bench-sim-XXXXXX";
	int fd = mkstemp(path), code = fd < 0;
	double first = 0;

	for (int n = 10; n <= 10000 && !code; n *= 10) {
		double rate;

		code = make_station(path, n);
		/* about a million commands */
		rate = code ? -1 : measure(path, 1e6 * 131072 / 200e6 / 60 / n);
		printf("%5d disks: %.0f ns for each command\n", n, 1e9 / rate);
		first = first > 0 ? first : rate;
		code = code || rate * STEP_GROWTH < first;
	}
	if (fd >= 0)
		close(fd);
	unlink(path);
	return code;
}

int main(int argc, char **argv)
{
	int code = 0;

	/* first, while the most memory is its own */
	if (argc > 1)
		code |= coarse(argv[argc - 1], false);
	if (argc > 2)
		code |= coarse(argv[argc - 2], true);
	for (int i = 1; i < argc; i++) {
		double rate = measure(argv[i], strstr(argv[i], "hall") ? 0.25 : 10);

		code |= rate < LEAST;
		printf("%s: %.0f commands per second of CPU\n", argv[i], rate);
	}
	code |= steps();
	return code;
}
