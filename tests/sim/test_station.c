/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The station file, and the times that follow from it: each term of the model by itself, and
 * the tables of the thesis that examples/smart-array-642.station describes. A rack of disks that
 * are erased each in its own way.
 *
 *	test_station EXAMPLES
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
#include "diskwipe/diskwipe.h"
#include "forecast/simulate.h"
#include "../unit/error_line.h"

static const char *examples;
static char file[64];

static void write_station(const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void refuses(const char *text, uint32_t line, const char *what)
{
	struct dw_station *s = NULL;
	struct dw_error err = { 0 };
	char where[80];

	write_station(text);
	assert_int_equal(dw_station_load(file, &s, &err), -EINVAL);
	snprintf(where, sizeof(where), "%s:%u: ", file, line);
	if (strncmp(error_line(&err), where, strlen(where)) ||
	    !strstr(error_line(&err), what))
		fail_msg("'%s' is not '%s...%s'", error_line(&err), where, what);
}

#define DISK "[disk a]\ncapacity = 1GB\nouter = 100MB/s\n"

static void strict(void **state)
{
	char remark[256] = "";

	refuses("[disk a]\ncapacity = 1GB\ncolour = red\n", 3, "unknown key colour");
	refuses("[tape a]\nx = 1\n", 2, "unknown section [tape a]");
	refuses("[controller|bus a]\nrate = 1MB/s\n", 2,
		"unknown section [controller|bus a]");
	refuses("[disk]\nouter = 1MB\n", 2, "[disk NAME]");
	refuses(DISK "outer = 2MB/s\n", 4, "given twice");
	refuses(DISK "on = nowhere\n", 2, "there is no 'nowhere'");
	refuses(DISK "cache = maybe\n", 4, "neither off nor on");
	refuses(DISK "capacity = big\n", 4, "");
	refuses(DISK "fault = explode 3s\n", 4, "there is no 'explode'");
	refuses(DISK "fault = stall 3s\n", 4, "stall AT FOR");
	refuses(DISK "fault = unwritable 99999999999\n", 2, "no such LBA");
	refuses(DISK "inner = 200MB/s\n", 2, "inner is faster");
	refuses(DISK "rpm = 3\n", 2, "rpm");
	refuses(DISK "sector = 500\n", 2, "sector");
	refuses(DISK "sector = 520\nphysical = 4096\n", 2, "physical");
	refuses(DISK "sector = 520\nphysical = 1560\n", 2, "physical");
	refuses(DISK "seek = 3ms\n", 4, "seek");
	refuses("[bus x]\non = y\n[bus y]\non = x\n" DISK, 2, "hangs on itself");
	refuses("[bus x]\nrate = 1GB/s\n[bus z]\nrate = 2GB/s\n[disk x]\nouter = 1MB\n",
		6, "already");
	refuses("[station]\ntitle = empty\n", 2, "no disk");
	memset(remark, '.', sizeof(remark) - 1); /* a long line does not end the file */
	memcpy(remark, "[disk a]\n# ", 11);
	refuses(remark, 2, "too long");
	refuses("[disk a]\nouter = 100MB/s\n", 2, "no capacity");
}

static void all_examples(void **state)
{
	static const struct {
		const char *name;
		uint32_t disks;
	} row[] = { { "smart-array-642", 14 }, { "sas-shelf-24", 24 },
		    { "sata-mixed", 6 },       { "shared-44", 44 },
		    { "mixed-24", 24 },        { "hall-1000", 1000 } };

	for (size_t i = 0; i < DW_ARRAY_SIZE(row); i++) {
		struct dw_station *s;
		struct dw_error err = { 0 };
		char path[512];

		snprintf(path, sizeof(path), "%s/%s.station", examples, row[i].name);
		if (dw_station_load(path, &s, &err) < 0)
			fail_msg("%s", error_line(&err));
		assert_int_equal(dw_station_disks(s), row[i].disks);
		assert_true(dw_station_title(s)[0]);
		dw_station_free(s);
	}
}

struct run {
	struct dw_job_spec spec;
	double seconds[64];
	double total;
	uint64_t commands;
	uint64_t missed;
	uint64_t lost;
	uint64_t timeouts;
	double bus_busy; /* seconds of the node that was busy longest */
};

static void plain(struct run *r, const char *command, uint32_t blocks, uint32_t depth)
{
	memset(r, 0, sizeof(*r));
	dw_job_spec_init(&r->spec);
	r->spec.verify = DW_VERIFY_OFF;
	r->spec.command =
		strcmp(command, "write") ? DW_COMMAND_WRITE_SAME : DW_COMMAND_WRITE;
	snprintf(r->spec.controller, sizeof(r->spec.controller), "fixed");
	r->spec.fixed_blocks = blocks;
	r->spec.depth = depth;
	r->spec.flush_bytes = UINT64_C(1) << 50;
	r->spec.flush_seconds = 1000000;
	r->spec.seed = 3;
}

/* all disks of the station, or with @only that one of them */
static void run_station(struct run *r, struct dw_station *s, int only, bool coarse)
{
	const struct dw_job_result *res;
	struct sim_world *w;
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err = { 0 };
	int n;

	if (only >= 0) {
		for (uint32_t i = 0; i < s->n_disks; i++)
			if (i != (uint32_t)only)
				free(s->disk[i].fault);
		s->disk[0] = s->disk[only];
		s->n_disks = 1;
		s->n_units = (uint32_t)s->disk[0].count;
	}
	assert_int_equal(dw_job_new(NULL, &r->spec, &job, &err), 0);
	assert_int_equal(sim_job_add(job, s, coarse, &w), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			;
	assert_int_equal(n, 0);
	res = dw_job_result(job);
	assert_int_equal(res->outcome, DW_OUTCOME_ERASED);
	r->total = res->seconds;
	for (uint32_t i = 0; i < res->n_disks && i < 64; i++) {
		r->seconds[i] = res->disk[i].seconds;
		r->commands += res->disk[i].commands;
		r->timeouts += res->disk[i].errors.timeouts;
		r->missed += w->disk[i].missed;
		r->lost += w->disk[i].lost;
	}
	for (uint32_t i = 0; i < s->n_nodes; i++)
		r->bus_busy = fmax(r->bus_busy, (double)w->server[i].busy_ns / 1e9);
	dw_job_free(job);
	dw_station_free(s);
}

static struct dw_station *load(const char *path)
{
	struct dw_station *s;
	struct dw_error err = { 0 };

	if (dw_station_load(path, &s, &err) < 0)
		fail_msg("%s", error_line(&err));
	return s;
}

static void run_text(struct run *r, const char *text)
{
	write_station(text);
	run_station(r, load(file), -1, false);
}

static void near_to(double is, double should, double percent)
{
	if (fabs(is / should - 1) > percent / 100)
		fail_msg("%g is not within %g %% of %g", is, percent, should);
}

static struct dw_station *example(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.station", examples, name);
	return load(path);
}

static struct dw_station *thesis(void)
{
	return example("smart-array-642");
}

/* Tikhomirov, tables 5.4 and 5.5: seconds of one disk at a time, and of all at once */
static const struct {
	double ws, write, together;
} tables[14] = {
	{ 365, 1192, 3223 }, { 579, 1404, 2706 }, { 584, 1408, 2965 },
	{ 657, 1483, 3255 }, { 655, 1478, 3459 }, { 582, 1408, 3619 },
	{ 397, 1227, 3267 }, { 509, 1335, 3467 }, { 398, 1224, 2560 },
	{ 365, 1190, 3037 }, { 613, 1441, 1980 }, { 591, 1412, 2110 },
	{ 595, 1419, 2294 }, { 366, 1191, 3160 },
};

static void thesis_write_same(void **state)
{
	struct run r;

	plain(&r, "write-same", 0, 1);
	run_station(&r, thesis(), -1, false);
	for (int i = 0; i < 14; i++)
		near_to(r.seconds[i], tables[i].ws, 1);
	assert_int_equal(r.commands,
			 14 * (543 + 3)); /* a flush, and twice: who are you? */
	near_to(r.total, 657, 0.5);
}

static void thesis_write_single(void **state)
{
	struct run r;

	for (int i = 0; i < 14; i++) {
		plain(&r, "write", 256, 1);
		run_station(&r, thesis(), i, false);
		near_to(r.seconds[0], tables[i].write, 1);
		assert_int_equal(r.lost, 138855 - 1);
	}
}

static void thesis_write_together(void **state)
{
	double mean = 0, makespan = 0, paper = 0;
	struct run r;

	plain(&r, "write", 256, 1);
	run_station(&r, thesis(), -1, false);
	for (int i = 0; i < 14; i++) {
		mean += r.seconds[i] / 14;
		paper += tables[i].together / 14;
		makespan = fmax(makespan, r.seconds[i]);
	}
	near_to(mean, paper, 6);
	near_to(makespan, 3619, 16);
	assert_true(r.missed > 0);
}

/* On that bus reads of disks that verify win each race against writes, which have turns: without
 * them commands run out of their 300 s. */
static void thesis_verified(void **state)
{
	struct run r;

	plain(&r, "write", 0, 0);
	snprintf(r.spec.controller, sizeof(r.spec.controller), "adaptive");
	r.spec.verify = DW_VERIFY_FULL;
	r.spec.seed = 3;
	run_station(&r, thesis(), -1, false);
	assert_int_equal(r.timeouts, 0);
}

#define HDD                                                                              \
	"capacity = 2GB\nouter = 200MB/s\nrpm = 6000\noverhead = 100us\nbuffer = 8MiB\n"

/* C / (ro - ri) ln(ro / ri), whatever the transfer length is, while the cache hides it */
static void zones(void **state)
{
	struct run r;

	plain(&r, "write", 2048, 1);
	run_text(&r, "[disk a]\n" HDD "inner = 100MB/s\ncache = on\n");
	near_to(r.total, 2e9 / 100e6 * log(2), 0.2);
	plain(&r, "write", 256, 1);
	run_text(&r, "[disk a]\n" HDD "inner = 100MB/s\ncache = on\n");
	near_to(r.total, 2e9 / 100e6 * log(2), 0.2);
}

/* a revolution for each command at depth 1; none when the next one waits in the disk */
static void revolutions(void **state)
{
	double media = 2e9 / 200e6, n = ceil(2e9 / (256 * 512));
	struct run r;

	plain(&r, "write", 256, 1);
	run_text(&r, "[disk a]\n" HDD);
	near_to(r.total, media + n * 0.01, 0.1);
	plain(&r, "write", 256, 2);
	run_text(&r, "[disk a]\n" HDD);
	near_to(r.total, media, 0.5);
	plain(&r, "write", 256, 1);
	run_text(&r, "[disk a]\ncapacity = 2GB\nouter = 200MB/s\noverhead = 100us\n");
	near_to(r.total, media + n * 100e-6, 0.5); /* nothing rotates */
}

/* bus bytes / bus rate, when the disks want more; WRITE SAME sends nothing to speak of */
static void bus(void **state)
{
	static const char text[] =
		"[bus b]\nrate = 300MB/s\n[disk a]\ncount = 4\non = b\n"
		"cache = on\n" HDD;
	struct run r;

	plain(&r, "write", 1024, 1);
	run_text(&r, text);
	near_to(r.total, 8e9 / 300e6, 1);
	near_to(r.bus_busy, 8e9 / 300e6, 0.1);
	plain(&r, "write-same", 0, 4);
	run_text(&r, text);
	near_to(r.total, 2e9 / 200e6, 2);
	assert_true(r.bus_busy < 0.001);
}

/* a parallel bus is held at the old disk's rate */
static void old_disk(void **state)
{
	static const char text[] =
		"[bus b]\nrate = 320MB/s\nmode = %s\n[disk new]\non = b\ncache = on\n" HDD
		"[disk old]\non = b\ncache = on\nlink = 80MB/s\n" HDD;
	char s[1024];
	struct run r;

	plain(&r, "write", 256, 2);
	snprintf(s, sizeof(s), text, "parallel");
	run_text(&r, s);
	near_to(r.bus_busy, 2e9 / 320e6 + 2e9 / 80e6, 1);
	plain(&r, "write", 256, 2);
	snprintf(s, sizeof(s), text, "serial");
	run_text(&r, s);
	near_to(r.bus_busy, 4e9 / 320e6, 1);
}

/* the processor of a controller, its buffer and its queue each set a limit */
static void controllers(void **state)
{
	static const char disks[] = "[disk a]\ncount = 4\non = c\nlink = 400MB/s\n"
				    "capacity = 2GB\nouter = 400MB/s\noverhead = 1us\n";
	char s[1024];
	struct run r;

	plain(&r, "write", 256, 4);
	snprintf(s, sizeof(s), "[controller c]\ncommand = 500us\n%s", disks);
	run_text(&r, s);
	near_to(r.total, 4 * ceil(2e9 / 131072) * 500e-6, 1);
	for (int i = 0; i < 2; i++) { /* one command at a time: all is serial */
		plain(&r, "write", 256, 4);
		snprintf(s, sizeof(s), "[controller c]\n%s\n%s",
			 i ? "queue = 1" : "buffer = 128KiB", disks);
		run_text(&r, s);
		near_to(r.total,
			4 * (2e9 / 400e6 + 2e9 / 400e6 + ceil(2e9 / 131072) * 1e-6), 1);
	}
}

static int begin(void **state)
{
	snprintf(file, sizeof(file), "%s/diskwipe-station-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	return close(mkstemp(file));
}

static int end(void **state)
{
	return unlink(file);
}

/* How disks of a model are erased, and how long that takes them alone. */
static const struct way_of_model {
	const char *model, *method;
	double own_seconds; /* 0 = it is overwritten by the host */
} ways[] = {
	{ "FLASH", "sanitize-block", 120 },
	{ "PLAIN", "zero", 0 },
	{ "SAS", "sanitize-overwrite", 33 * 60 },
	{ "ATA", "sanitize-overwrite", 55 * 60 },
};

static const struct way_of_model *way_of(const struct dw_disk_result *d)
{
	size_t i = 0;

	while (i < DW_ARRAY_SIZE(ways) && strcmp(ways[i].model, d->info.model) != 0)
		i++;
	assert_true(i < DW_ARRAY_SIZE(ways));
	return &ways[i];
}

/* disks that erase themselves begin at once, whoever has the bus */
static void own_way(const struct dw_disk_result *d, const struct dw_forecast_disk *f,
		    double began)
{
	const struct way_of_model *w = way_of(d);

	assert_string_equal(d->method, w->method);
	assert_int_equal(w->own_seconds > 0, !strcmp(f->limit, DW_LIMIT_ITSELF));
	assert_int_equal(w->own_seconds > 0, !d->bytes_written);
	assert_true(began < 1);
	if (w->own_seconds > 0)
		near_to(d->seconds - d->verify_seconds, w->own_seconds, 5);
	near_to(d->seconds, f->finish - f->start, 5);
}

static void run_rack(const struct dw_job_spec *spec, const struct dw_station *s,
		     struct dw_forecast *f)
{
	double began[24];
	struct dw_job *job;
	struct dw_event e;
	struct dw_error err;
	int n;

	for (size_t i = 0; i < DW_ARRAY_SIZE(began); i++)
		began[i] = INFINITY;
	assert_int_equal(dw_job_new(NULL, spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, s, true, &err), 0);
	dw_forecast_apply(f, job);
	assert_int_equal(dw_job_start(job, &err), 0);
	while ((n = dw_job_step(job, 0)) == 1)
		while (dw_job_next_event(job, &e))
			if (e.kind == DW_EVENT_STARTED)
				began[e.disk] = e.seconds;
	assert_int_equal(n, 0);
	assert_int_equal(dw_job_result(job)->n_disks, f->n);
	for (uint32_t i = 0; i < f->n; i++)
		own_way(&dw_job_result(job)->disk[i], &f->disk[i], began[i]);
	near_to(dw_job_result(job)->seconds, f->seconds, 5);
	near_to(dw_job_result(job)->seconds, f->t_min, 5);
	dw_job_free(job);
}

/* The bus is full of those that are overwritten, and no order could be faster; at the level that
 * these do not reach, the others alone are erased. */
static void mixed_rack(void **state)
{
	struct dw_station *s = example("mixed-24");
	struct dw_job_spec spec;
	struct dw_forecast *f;
	struct dw_error err;

	for (int purge = 0; purge < 2; purge++) {
		dw_job_spec_init(&spec);
		snprintf(spec.method, sizeof(spec.method), "auto");
		spec.level = purge ? DW_LEVEL_PURGE : DW_LEVEL_CLEAR;
		spec.seed = 3;
		assert_int_equal(dw_forecast_patient(&spec, s, NULL, &f, &err), 0);
		assert_int_equal(f->n, purge ? 16 : 24);
		assert_int_equal(purge, !strstr(f->binding, "controller hba"));
		run_rack(&spec, s, f);
		dw_forecast_free(f);
	}
	dw_station_free(s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(strict),
		cmocka_unit_test(all_examples),
		cmocka_unit_test(thesis_write_same),
		cmocka_unit_test(thesis_write_single),
		cmocka_unit_test(thesis_write_together),
		cmocka_unit_test(thesis_verified),
		cmocka_unit_test(zones),
		cmocka_unit_test(revolutions),
		cmocka_unit_test(bus),
		cmocka_unit_test(old_disk),
		cmocka_unit_test(controllers),
		cmocka_unit_test(mixed_rack),
	};

	if (argc != 2)
		return 2;
	examples = argv[1];
	return cmocka_run_group_tests(all, begin, end);
}
