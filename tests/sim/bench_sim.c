/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the simulator is: commands per second of processor time in exact mode. Fails below
 * half a million.
 *
 *	bench_sim STATION...
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "diskwipe/diskwipe.h"

#define LEAST 500000.0

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
	char err[256];
	int r;

	dw_job_spec_init(&spec);
	spec.command = DW_COMMAND_WRITE;
	spec.fixed_blocks = 256;
	spec.verify = DW_VERIFY_KIND_OFF;
	spec.seed = 1;
	r = dw_station_load(path, &station, err);
	if (!r)
		r = dw_job_new(&spec, &job, err);
	if (!r)
		r = dw_job_simulate(job, station, false, err);
	if (!r)
		r = dw_job_start(job, err);
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
		fprintf(stderr, "%s: %s\n", path, err[0] ? err : strerror(-r));
	dw_job_free(job);
	dw_station_free(station);
	return r ? -1 : commands / (cpu_seconds() - start);
}

int main(int argc, char **argv)
{
	struct rusage u;
	int code = 0;

	for (int i = 1; i < argc; i++) {
		double rate = measure(argv[i], strstr(argv[i], "hall") ? 0.25 : 10);

		code |= rate < LEAST;
		printf("%s: %.0f commands per second of CPU\n", argv[i], rate);
	}
	getrusage(RUSAGE_SELF, &u);
	printf("most memory: %ld MiB\n", u.ru_maxrss / 1024);
	return code;
}
