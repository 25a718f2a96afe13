/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fit finds in a trace, against the truth: jobs run on simulated disks of a known station,
 * their traces are all that fit gets.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "forecast/fit.h"
#include "diskwipe/diskwipe.h"
#include "station/station.h"
#include "../unit/error_line.h"

static char station_file[96];
static char trace_file[2][96];

static struct dw_station *load(const char *text)
{
	FILE *f = fopen(station_file, "w");
	struct dw_station *s;
	struct dw_error err = { 0 };

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	if (dw_station_load(station_file, &s, &err) < 0)
		fail_msg("%s", error_line(&err));
	return s;
}

static void plain(struct dw_job_spec *spec)
{
	dw_job_spec_init(spec);
	spec->verify = DW_VERIFY_OFF;
	spec->command = DW_COMMAND_WRITE;
	snprintf(spec->controller, sizeof(spec->controller), "fixed");
	spec->fixed_blocks = 512;
	spec->seed = 3;
}

static void run(const char *truth, struct dw_job_spec *spec, int number)
{
	struct dw_station *s = load(truth);
	struct dw_job *job;
	struct dw_error err = { 0 };

	snprintf(spec->trace_file, sizeof(spec->trace_file), "%s", trace_file[number]);
	assert_int_equal(0, dw_job_new(NULL, spec, &job, &err));
	assert_int_equal(0, dw_job_simulate(job, s, false, &err));
	assert_int_equal(0, dw_job_start(job, &err));
	while (dw_job_step(job, 0) == 1)
		;
	dw_job_free(job);
	dw_station_free(s);
}

static struct dw_station *fit(uint32_t traces, const char *base, struct dw_fit *ret)
{
	const char *const names[] = { trace_file[0], trace_file[1] };
	struct dw_station *known = base ? load(base) : NULL, *s;
	struct dw_error err = { 0 };

	if (dw_station_fit(names, traces, known, &s, ret, &err) < 0)
		fail_msg("%s", error_line(&err));
	dw_station_free(known);
	return s;
}

static void near(const char *what, double got, double want, double share)
{
	if (!(fabs(got - want) <= share * want))
		fail_msg("%s is %g, not %g", what, got, want);
}

/* so large that a sample does not read it in full, and begins while a trace tells each command */
#define LARGE "capacity = 20GB\nouter = 400MB/s\ninner = 200MB/s\nrpm = 7200\n"
#define ZONED "capacity = 8GB\nouter = 180MB/s\ninner = 90MB/s\nrpm = 7200\n"

static void cache_on(void **state)
{
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run("[disk a]\n" ZONED "cache = on\nbuffer = 64MiB\njitter = 2%\n", &spec, 0);
	s = fit(1, NULL, &f);
	near("outer", (double)s->disk[0].outer, 180e6, 0.01);
	near("inner", (double)s->disk[0].inner, 90e6, 0.01);
	assert_true(f.held_out < 1.5 && f.held_out_90 < 4);
	assert_true(f.points > 50);
	assert_null(strstr(s->disk[0].assumed, "outer"));
	assert_non_null(strstr(s->disk[0].assumed, "seek"));
	dw_station_free(s);
}

/* WRITE alone has one length: the turn it loses is taken; with WRITE SAME it is found */
static void lost_turns(void **state)
{
	static const char truth[] = "[disk a]\n" ZONED "cache = off\noverhead = 200us\n";
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run(truth, &spec, 0);
	spec.command = DW_COMMAND_WRITE_SAME;
	run(truth, &spec, 1);
	for (uint32_t traces = 1; traces <= 2; traces++) {
		s = fit(traces, NULL, &f);
		near("outer", (double)s->disk[0].outer, 180e6, 0.01);
		near("inner", (double)s->disk[0].inner, 90e6, 0.01);
		assert_non_null(strstr(s->disk[0].note, "lose 1 rev"));
		if (traces == 2)
			assert_true(s->disk[0].ws == 0);
		dw_station_free(s);
	}
}

static void two_turns(void **state)
{
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run("[disk a]\n" ZONED "cache = off\noverhead = 10ms\n", &spec, 0);
	spec.fixed_blocks = 4096;
	run("[disk a]\n" ZONED "cache = off\noverhead = 10ms\n", &spec, 1);
	s = fit(2, NULL, &f);
	near("outer", (double)s->disk[0].outer, 180e6, 0.02);
	assert_non_null(strstr(s->disk[0].note, "lose 2 rev"));
	near("overhead", (double)s->disk[0].overhead_ns, 10e6, 0.3);
	dw_station_free(s);
}

static void write_same_rate(void **state)
{
	static const char truth[] =
		"[disk a]\n" ZONED "cache = on\nwrite-same = 60MB/s\n";
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run(truth, &spec, 0);
	spec.command = DW_COMMAND_WRITE_SAME;
	run(truth, &spec, 1);
	s = fit(2, NULL, &f);
	near("write-same", (double)s->disk[0].ws, 60e6, 0.02);
	near("outer", (double)s->disk[0].outer, 180e6, 0.01);
	dw_station_free(s);
}

static void overhead(void **state)
{
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	spec.fixed_blocks = 16;
	spec.verify = DW_VERIFY_FULL;
	run("[disk a]\ncapacity = 256MB\nouter = 500MB/s\nrpm = 0\noverhead = 150us\n"
	    "link = 600MB/s\ncache = on\n",
	    &spec, 0);
	spec.fixed_blocks = 4096;
	run("[disk a]\ncapacity = 256MB\nouter = 500MB/s\nrpm = 0\noverhead = 150us\n"
	    "link = 600MB/s\ncache = on\n",
	    &spec, 1);
	s = fit(2, NULL, &f);
	near("overhead", (double)s->disk[0].overhead_ns, 150e3, 0.15);
	near("outer", (double)s->disk[0].outer, 500e6, 0.03);
	dw_station_free(s);
}

static void seeks(void **state)
{
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	spec.verify = DW_VERIFY_SAMPLE;
	spec.verify_percent = 3;
	run("[disk a]\n" LARGE "cache = on\nseek = 3ms, 9ms\n", &spec, 0);
	s = fit(1,
		"[disk a]\nvendor = SIM\nmodel = DISK\n" LARGE
		"seek = 1ms, 7ms\nassumed = seek\n",
		&f);
	near("track", (double)s->disk[0].seek_track_ns, 3e6, 0.2);
	assert_string_equal("", s->disk[0].assumed);
	dw_station_free(s);
}

/* The disk of a trace joins again before its end, as one does that was pulled. */
static void join_again(void)
{
	char text[4096], disk[4096] = "";
	FILE *from = fopen(trace_file[0], "r"), *to = fopen(trace_file[1], "w");

	assert_true(from && to);
	while (fgets(text, sizeof(text), from)) {
		if (!strncmp(text, "# disk 0 ", 9))
			strcpy(disk, text + 9);
		if (!strncmp(text, "# end ", 6))
			fprintf(to, "# joined 1 9 %s0 1 flush 0 0 9 9 ok 9 1 0\n", disk);
		fputs(text, to);
	}
	assert_int_equal(fclose(from), 0);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(rename(trace_file[1], trace_file[0]), 0);
}

/* One disk fills no bus, however often it joins. */
static void back_again(void **state)
{
	static const char
		truth[] = "[bus b]\nrate = 400MB/s\n[disk a]\non = b\n"
			  "capacity = 20GB\nouter = 120MB/s\ncache = on\n",
		base[] =
			"[bus b]\nrate = 900MB/s\nassumed = rate\n"
			"[disk a]\non = b\ncapacity = 20GB\nouter = 99MB/s\ncache = on\n";
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run(truth, &spec, 0);
	join_again();
	s = fit(1, base, &f);
	assert_int_equal(s->n_disks, 1);
	assert_string_equal("rate", s->node[0].assumed);
	assert_null(strstr(s->disk[0].note, "never alone"));
	near("outer", (double)s->disk[0].outer, 120e6, 0.02);
	dw_station_free(s);
}

/* Five disks on a bus that is full until the fast ones are through. */
static void full_bus(void **state)
{
	char truth[1024] = "[bus b]\nrate = 400MB/s\n",
	     base[1024] = "[bus b]\nrate = 900MB/s\n"
			  "assumed = rate\n";
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	for (int i = 0; i < 5; i++) {
		size_t n = strlen(truth), m = strlen(base);

		snprintf(
			truth + n, sizeof(truth) - n,
			"[disk d%d]\non = b\nmodel = M%d\ncapacity = %dGB\nouter = %dMB/s\n"
			"rpm = 7200\ncache = on\n",
			i, i, i < 3 ? 2 : 12, 120 + 10 * i);
		snprintf(
			base + m, sizeof(base) - m,
			"[disk d%d]\non = b\nmodel = M%d\ncapacity = %dGB\nouter = 99MB/s\n"
			"rpm = 7200\ncache = on\nassumed = outer\n",
			i, i, i < 3 ? 2 : 12);
	}
	plain(&spec);
	run(truth, &spec, 0);
	s = fit(1, base, &f);
	near("bus", (double)s->node[0].rate, 400e6, 0.02);
	near("outer of d3", (double)s->disk[3].outer, 150e6, 0.02);
	near("outer of d4", (double)s->disk[4].outer, 160e6, 0.02);
	assert_string_equal("", s->node[0].assumed);
	assert_non_null(strstr(s->disk[0].note, "never alone"));
	dw_station_free(s);
	s = fit(1, NULL, &f); /* the trace tells the wiring itself */
	assert_int_equal(1, s->n_nodes);
	assert_string_equal("b", s->disk[4].on_name[0]);
	dw_station_free(s);
}

/* stalls, retries and a slow stretch are few, and are left out */
static void outliers(void **state)
{
	struct dw_job_spec spec;
	struct dw_station *s;
	struct dw_fit f;

	plain(&spec);
	run("[disk a]\n" ZONED "cache = on\nfault = stall 10s 3s\nfault = stall 30s 2s\n"
	    "fault = abort 0.3%\nfault = slow 30% 55s\n",
	    &spec, 0);
	s = fit(1, NULL, &f);
	near("outer", (double)s->disk[0].outer, 180e6, 0.02);
	near("inner", (double)s->disk[0].inner, 90e6, 0.04);
	assert_true(f.failed > 5);
	assert_non_null(strstr(s->disk[0].assumed, "overhead"));
	assert_true(f.held_out < 1);
	assert_true(f.left_out > 1);
	dw_station_free(s);
}

static void line(void **state)
{
	double x[40], y[40], at, slope;

	for (int i = 0; i < 40; i++) {
		x[i] = i / 40.0;
		y[i] = 10 - 4 * x[i] + (i % 2 ? 0.01 : -0.01);
	}
	y[3] = 100;
	y[20] = 0.5;
	y[33] = 7777;
	assert_int_equal(37, fit_line(x, y, 40, &at, &slope));
	near("at", at, 10, 0.005);
	near("slope", -slope, 4, 0.01);
	assert_int_equal(0, fit_line(x, y, 2, &at, &slope));
	for (int i = 0; i < 40; i++)
		x[i] = 1;
	assert_int_equal(0, fit_line(x, y, 40, &at, &slope));
}

static void mistakes(void **state)
{
	const char *const names[] = { station_file };
	struct dw_job_spec spec;
	struct dw_station *s = NULL;
	struct dw_fit f;
	struct dw_error err = { 0 };

	assert_int_equal(-ENOENT, dw_station_fit((const char *const[]){ "/no/such" }, 1,
						 NULL, &s, &f, &err));
	assert_non_null(strstr(error_line(&err), "/no/such"));
	dw_station_free(load("[disk a]\n" ZONED));
	assert_int_equal(-EINVAL, dw_station_fit(names, 1, NULL, &s, &f, &err));
	assert_non_null(strstr(error_line(&err), "not a trace"));
	plain(&spec);
	spec.fixed_blocks = 8192;
	run("[disk a]\ncapacity = 16MB\nouter = 100MB/s\n", &spec, 0);
	assert_int_equal(-EINVAL, dw_station_fit((const char *const[]){ trace_file[0] },
						 1, NULL, &s, &f, &err));
	assert_non_null(strstr(error_line(&err), "enough commands"));
}

static int begin(void **state)
{
	const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	snprintf(station_file, sizeof(station_file), "%s/dw-fit.%d.station", tmp,
		 (int)getpid());
	for (int i = 0; i < 2; i++)
		snprintf(trace_file[i], sizeof(trace_file[i]), "%s/dw-fit.%d.%d", tmp,
			 (int)getpid(), i);
	return 0;
}

static int end(void **state)
{
	unlink(station_file);
	unlink(trace_file[0]);
	unlink(trace_file[1]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(line),
		cmocka_unit_test(cache_on),
		cmocka_unit_test(lost_turns),
		cmocka_unit_test(two_turns),
		cmocka_unit_test(write_same_rate),
		cmocka_unit_test(overhead),
		cmocka_unit_test(seeks),
		cmocka_unit_test(full_bus),
		cmocka_unit_test(back_again),
		cmocka_unit_test(outliers),
		cmocka_unit_test(mistakes),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
