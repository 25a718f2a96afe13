/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What probe measures, against the truth: the same reads go to simulated disks of a known
 * station, and a station that was only described must come near it.
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
#include "forecast/measure.h"
#include "diskwipe/diskwipe.h"
#include "scsi/opcodes.h"
#include "forecast/world.h"
#include "../unit/error_line.h"

#define DISKS 16

static char file[64];
static bool tell;

static struct dw_station *load(const char *text)
{
	FILE *f = fopen(file, "w");
	struct dw_station *s;
	struct dw_error err = { 0 };
	int r;

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	r = dw_station_load(file, &s, &err);
	unlink(file);
	if (r < 0)
		fail_msg("%s", error_line(&err));
	return s;
}

struct rig {
	struct dw_station *truth;
	struct dw_station *guess;
	struct probe_disk disk[DISKS];
	uint32_t unit[DISKS];
	uint64_t reads;
	double seconds;
};

static void count_reads(void *ctx, uint32_t unit, const struct dw_cmd *cmd, uint32_t at)
{
	struct rig *r = ctx;

	r->reads++;
	assert_true(cmd->cdb[0] == 0x88 || cmd->cdb[0] == 0x28);
}

/* Disks of the truth, read as probe reads them; the guess becomes what probe would write. */
static void probe(struct rig *r, double seconds, uint64_t seed)
{
	static uint8_t buffer[4096];
	struct sim_world *w;
	struct measure m = { .station = r->guess,
			     .disk = r->disk,
			     .n = r->truth->n_units,
			     .unit = r->unit,
			     .seconds = seconds,
			     .seed = seed };
	struct probe_run run = { .disk = r->disk, .n_disks = m.n, .buffer = buffer };

	assert_int_equal(0, sim_world_new(r->truth, seed, 1, &w));
	w->observer = (struct sim_observer){ .begun = count_reads, .ctx = r };
	for (uint32_t i = 0; i < m.n; i++) {
		const struct station_disk *d = &r->truth->disk[i];
		struct dw_target t = { .sg_fd = (int)i,
				       .blk_fd = -1,
				       .permits = DW_OPCLASS_READ,
				       .block_size = (uint32_t)d->sector,
				       .blocks = d->blocks,
				       .depth = 4,
				       .max_bytes = 4 * DW_MIB };

		r->unit[i] = i;
		r->disk[i] = (struct probe_disk){ .transport = &w->base,
						  .blocks = d->blocks,
						  .block_size = (uint32_t)d->sector,
						  .max_blocks = 4 * DW_MIB / d->sector,
						  .rw16 = true };
		assert_int_equal(0,
				 w->base.ops->attach(&w->base, &t, &r->disk[i].handle));
	}
	assert_int_equal(0, measure_plan(&m));
	run.group = m.group;
	run.n_groups = m.n_groups;
	assert_int_equal(0, probe_run(&run));
	r->seconds = (double)(w->now_ns - SIM_START_NS) / 1e9;
	assert_int_equal(0, measure_estimate(&m));
	measure_deinit(&m);
	w->base.ops->free(&w->base);
}

static void near(const char *what, double got, double want, double share)
{
	if (!(fabs(got - want) <= share * want))
		fail_msg("%s is %g, not %g", what, got, want);
}

static void begin(struct rig *r, const char *truth, const char *guess)
{
	memset(r, 0, sizeof(*r));
	r->truth = load(truth);
	r->guess = load(guess);
	assert_int_equal(r->truth->n_units, r->guess->n_units);
}

static void end(struct rig *r)
{
	dw_station_free(r->truth);
	dw_station_free(r->guess);
}

static void compare_disk(const struct rig *r, uint32_t i, double rate, double seek)
{
	const struct station_disk *t = &r->truth->disk[i], *g = &r->guess->disk[i];

	near("outer", (double)g->outer, (double)t->outer, rate);
	near("inner", (double)g->inner, (double)t->inner, rate);
	if (t->rpm) {
		near("track", (double)g->seek_track_ns, (double)t->seek_track_ns, seek);
		near("full", (double)g->seek_full_ns, (double)t->seek_full_ns, seek);
	}
}

#define HDD                                                                              \
	"capacity = 4TB\nphysical = 4KiB\nouter = 210MB/s\ninner = 98MB/s\nrpm = 7200\n" \
	"seek = 2ms, 15ms\noverhead = 180us\nlink = 600MB/s\ncache = off\n"
#define HDD_GUESS                                                                        \
	"capacity = 4TB\nphysical = 4KiB\nouter = 150MB/s\nrpm = 7200\nlink = 600MB/s\n" \
	"assumed = outer, inner, seek, buffer, overhead\n"

#define HDD_SMALL                                                                        \
	"capacity = 20MiB\nouter = 150MB/s\nrpm = 10000\n"                               \
	"assumed = outer, inner, seek, buffer, overhead\n"

static void one_disk(void **state)
{
	struct rig r;

	begin(&r, "[disk a]\n" HDD, "[disk a]\n" HDD_GUESS);
	probe(&r, 10, 1);
	compare_disk(&r, 0, 0.005, 0.25);
	near("overhead", (double)r.guess->disk[0].overhead_ns, 180000, 0.1);
	assert_string_equal("buffer", r.guess->disk[0].assumed);
	assert_non_null(strstr(r.guess->disk[0].note, "loses 1 rev"));
	assert_true(r.seconds < 10);
	assert_true(r.reads > 300);
	end(&r);
}

/* a small disk, as emulated shelves have them: the same with less room */
static void small_disk(void **state)
{
	static const char truth[] = "[disk a]\ncapacity = 48MiB\nouter = 30MB/s\n"
				    "inner = 20MB/s\nrpm = 10000\nseek = 4ms, 4ms\n"
				    "overhead = 300us\ncache = off\n";
	struct rig r;

	begin(&r, truth, "[disk a]\ncapacity = 48MiB\nouter = 55MB/s\nrpm = 10000\n");
	probe(&r, 10, 3);
	compare_disk(&r, 0, 0.02, 0.25);
	near("overhead", (double)r.guess->disk[0].overhead_ns, 300000, 0.1);
	end(&r);
}

#define SSD                                                                              \
	"capacity = 1TB\nouter = 500MB/s\nrpm = 0\noverhead = 80us\nlink = 550MB/s\n"    \
	"cache = on\n"
#define SSD_GUESS                                                                        \
	"capacity = 1TB\nouter = 430MB/s\nrpm = 0\nlink = 600MB/s\n"                     \
	"assumed = outer, overhead\n"

static void ssd(void **state)
{
	struct rig r;

	begin(&r, "[disk a]\n" SSD, "[disk a]\n" SSD_GUESS);
	probe(&r, 10, 2);
	compare_disk(&r, 0, 0.02, 0);
	near("overhead", (double)r.guess->disk[0].overhead_ns, 80000, 0.1);
	near("link", (double)r.guess->disk[0].link, 550e6, 0.1);
	end(&r);
}

/* @n disks of @disk behind a bus and a controller with @bus and @controller */
static void shelf(char *text, size_t size, const char *bus, const char *controller,
		  const char *disk, uint32_t n)
{
	size_t len = (size_t)snprintf(
		text, size, "[controller c]\n%s\n[bus b]\non = c\n%s\n", controller, bus);

	for (uint32_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, size - len, "[disk d%u]\non = b\n%s",
					i, disk);
	assert_true(len < size);
}

static void begin_shelf(struct rig *r, const char *bus, const char *controller,
			const char *disk, const char *guess, uint32_t n)
{
	static char truth[8192], text[8192];

	shelf(truth, sizeof(truth), bus, controller, disk, n);
	shelf(text, sizeof(text), "", "command = 5us\nassumed = command", guess, n);
	begin(r, truth, text);
}

static void narrow_bus(void **state)
{
	struct rig r;

	begin_shelf(&r, "rate = 400MB/s\ncommand = 40us", "command = 5us", HDD, HDD_GUESS,
		    6);
	probe(&r, 10, 5);
	for (uint32_t i = 0; i < 6; i++)
		compare_disk(&r, i, 0.01, 0.3);
	near("bus", (double)r.guess->node[1].rate, 400e6, 0.02);
	near("command", (double)r.guess->node[1].command_ns, 40000, 0.3);
	near("overhead", (double)r.guess->disk[2].overhead_ns, 180000, 0.15);
	assert_int_equal(0, r.guess->node[0].buffer);
	assert_true(r.seconds < 60);
	end(&r);
}

/* so slow that in its time it reads a few times only */
#define SLOW                                                                             \
	"capacity = 20MiB\nouter = 6660KB/s\nrpm = 10000\nseek = 4ms, 4ms\n"             \
	"overhead = 200us\ncache = off\n"

static void slow_shelf(const char *disk, const char *bus, double rate, uint32_t n)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct rig r;

		begin_shelf(&r, bus, "command = 5us", disk, HDD_SMALL, n);
		probe(&r, 2, seed);
		near("bus", (double)r.guess->node[1].rate, rate, 0.03);
		assert_int_equal(0, r.guess->node[0].buffer);
		assert_int_equal(0, r.guess->node[0].queue);
		assert_true(r.seconds < 40);
		end(&r);
	}
}

static void slow_disks(void **state)
{
	slow_shelf(SLOW, "rate = 47800KB/s", 47.8e6, 10);
	slow_shelf("capacity = 15MiB\nouter = 4950KB/s\ninner = 3300KB/s\nrpm = 10000\n"
		   "seek = 1ms, 1ms\noverhead = 1ms\ncache = on\nbuffer = 4MiB\n",
		   "rate = 50MB/s", 50e6, 14);
}

/* A disk that was late for once, whenever that was, does not make a buffer. */
static void late_once(void **state)
{
	for (int at = 1; at < 200; at++) {
		char truth[4096], late[64];
		struct rig r;

		snprintf(late, sizeof(late), "fault = stall %dms 300ms\n", 50 * at);
		shelf(truth, sizeof(truth), "", "command = 5us", SLOW, 3);
		begin(&r, truth, truth);
		dw_station_free(r.truth);
		strcat(truth, late);
		r.truth = load(truth);
		probe(&r, 2, 5);
		assert_int_equal(0, r.guess->node[0].buffer);
		assert_int_equal(0, r.guess->node[0].queue);
		end(&r);
	}
}

static void wide_bus(void **state)
{
	struct rig r;

	begin_shelf(&r, "rate = 2400MB/s", "command = 5us", HDD, HDD_GUESS, 4);
	probe(&r, 10, 6);
	assert_int_equal(0, r.guess->node[1].rate);
	assert_int_equal(0, r.guess->node[0].buffer);
	assert_int_equal(0, r.guess->node[0].queue);
	assert_non_null(strstr(r.guess->node[1].note, "without a wait"));
	end(&r);
}

static void small_buffer(void **state)
{
	struct rig r;

	begin_shelf(&r, "rate = 800MB/s", "command = 5us\nbuffer = 2MiB", HDD, HDD_GUESS,
		    14);
	probe(&r, 5, 7);
	near("buffer", (double)r.guess->node[0].buffer, 2 * DW_MIB, 0.13);
	end(&r);
}

static void short_queue(void **state)
{
	struct rig r;

	begin_shelf(&r, "rate = 3GB/s", "command = 5us\nqueue = 4", HDD, HDD_GUESS, 10);
	probe(&r, 5, 8);
	assert_int_equal(4, r.guess->node[0].queue);
	assert_int_equal(0, r.guess->node[0].buffer);
	end(&r);
}

static void too_long(void **state)
{
	struct rig r;

	begin_shelf(&r, "rate = 800MB/s",
		    "command = 5us\nbuffer = 2MiB\noverflow = 8333us", SSD, SSD_GUESS, 1);
	probe(&r, 10, 9);
	assert_int_equal(2 * DW_MIB, r.guess->node[0].buffer);
	near("overflow", (double)r.guess->node[0].overflow_ns, 8333000, 0.1);
	end(&r);
}

/* a disk with bad blocks is measured all the same, one that stalls for good is left alone */
static void bad_disks(void **state)
{
	static const char truth[] =
		"[disk a]\n" HDD "fault = unreadable 0 2048\n[disk b]\n" HDD
		"fault = remove 0s\n[disk c]\n" HDD "fault = abort 1%\n";
	struct rig r;

	begin(&r, truth,
	      "[disk a]\n" HDD_GUESS "[disk b]\n" HDD_GUESS "[disk c]\n" HDD_GUESS);
	probe(&r, 10, 4);
	compare_disk(&r, 0, 0.02, 0.3);
	compare_disk(&r, 2, 0.02, 0.3);
	assert_int_equal(150000000, r.guess->disk[1].outer);
	assert_non_null(strstr(r.guess->disk[1].assumed, "outer"));
	end(&r);
}

/* --- what a forecast from probed shelves is worth ------------------------ */

#define SHELVES 100
#define RUNS    3

static double between(struct dw_rng *rng, double low, double high)
{
	return low + (high - low) * dw_rng_unit(rng);
}

/* slow disks, as the emulated shelf has them: 80 MB/s in all */
static void draw_shelf(struct dw_rng *rng, struct rig *r)
{
	static const int rpms[] = { 5400, 7200, 10000 };
	uint32_t n = 1 + (uint32_t)dw_rng_below(rng, 14), slow = n;
	double total = fmin(n * 24e6, 80e6), rate = total / n * between(rng, 0.8, 1);
	int cache = (int)dw_rng_below(rng, 3), rpm = rpms[dw_rng_below(rng, 3)];
	char truth[8192], guess[8192], bus[64] = "", disk[512];
	double ratio = 1 + 0.5 * (double)dw_rng_below(rng, 3);
	int seek = dw_rng_below(rng, 2) ? 1000 : 4000;
	int overhead = 200 + 400 * (int)dw_rng_below(rng, 3);
	size_t len;

	if (dw_rng_below(rng, 2))
		snprintf(bus, sizeof(bus), "rate = %.0f",
			 total * between(rng, 0.5, 0.75));
	if (!dw_rng_below(rng, 3))
		slow = (uint32_t)dw_rng_below(rng, n);
	shelf(truth, sizeof(truth), bus, "command = 5us", "", 0);
	snprintf(disk, sizeof(disk), "capacity = %.0f\nrpm = %d\n", rate * 3.25, rpm);
	shelf(guess, sizeof(guess), "", "command = 5us\nassumed = command", "", 0);
	len = strlen(truth);
	for (uint32_t i = 0; i < n; i++) {
		bool on = cache == 1 || (cache == 2 && dw_rng_below(rng, 2));
		double of = i == slow ? rate / 2 : rate;

		len += (size_t)snprintf(
			truth + len, sizeof(truth) - len,
			"[disk d%u]\non = b\n%scache = %s\nouter = %.0f\ninner = %.0f\n"
			"buffer = 4MiB\noverhead = %dus\nseek = %dus, %dus\n",
			i, disk, on ? "on" : "off", of, of / ratio, overhead, seek, seek);
		snprintf(
			guess + strlen(guess), sizeof(guess) - strlen(guess),
			"[disk d%u]\non = b\n%scache = %s\nouter = 150MB/s\n"
			"buffer = 32MiB\nassumed = outer, inner, seek, buffer, overhead\n",
			i, disk, on ? "on" : "off");
	}
	begin(r, truth, guess);
}

static void draw_job(struct dw_rng *rng, struct dw_job_spec *spec)
{
	static const uint32_t lengths[] = { 256, 512, 1024 };

	dw_job_spec_init(spec);
	strcpy(spec->controller, "fixed");
	spec->command = dw_rng_below(rng, 3) ? DW_COMMAND_WRITE : DW_COMMAND_WRITE_SAME;
	if (spec->command == DW_COMMAND_WRITE)
		spec->fixed_blocks = lengths[dw_rng_below(rng, 3)];
	spec->verify = (enum dw_verify_kind)(1 + dw_rng_below(rng, 3));
	spec->seed = 1;
}

static double simulated(const struct dw_job_spec *spec, const struct dw_station *s)
{
	struct dw_job *job;
	double seconds;
	struct dw_error err = { 0 };

	assert_int_equal(dw_job_new(NULL, spec, &job, &err), 0);
	assert_int_equal(dw_job_simulate(job, s, false, &err), 0);
	assert_int_equal(dw_job_start(job, &err), 0);
	while (dw_job_step(job, 0) == 1)
		;
	seconds = dw_job_result(job)->seconds;
	dw_job_free(job);
	return seconds;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* the figures that the benchmark on the emulated shelf is held to, without its noise */
static void forecasts(void **state)
{
	double v[SHELVES * RUNS];
	size_t n = 0;

	for (uint64_t seed = 1; seed <= SHELVES; seed++) {
		struct dw_rng rng;
		struct rig r;

		dw_rng_seed(&rng, seed);
		draw_shelf(&rng, &r);
		probe(&r, 2, seed);
		for (int k = 0; k < RUNS; k++) {
			struct dw_forecast *f;
			struct dw_job_spec spec;
			struct dw_error err = { 0 };
			double t;

			draw_job(&rng, &spec);
			assert_int_equal(
				dw_forecast_station(&spec, r.guess, NULL, &f, &err), 0);
			t = simulated(&spec, r.truth);
			v[n++] = fabs(f->seconds / t - 1);
			if (tell)
				printf("seed %llu: %u disks, bus %.1f found %.1f, buffer "
				       "%llu; %u x %d verify %d: %.2f s, %+.1f %%\n",
				       (unsigned long long)seed, r.truth->n_units,
				       (double)r.truth->node[1].rate / 1e6,
				       (double)r.guess->node[1].rate / 1e6,
				       (unsigned long long)r.guess->node[0].buffer,
				       spec.fixed_blocks, spec.command, spec.verify, t,
				       100 * (f->seconds / t - 1));
			dw_forecast_free(f);
		}
		end(&r);
	}
	qsort(v, n, sizeof(*v), ascending);
	if (tell)
		printf("median %.1f %%, 90 %% within %.1f %%, worst %.1f %%\n",
		       100 * v[n / 2], 100 * v[n * 9 / 10], 100 * v[n - 1]);
	assert_true(v[n / 2] < 0.01);
	assert_true(v[n * 9 / 10] < 0.05);
}

static bool always(void *ctx)
{
	return true;
}

static void stopped(void **state)
{
	struct dw_station *s = load("[disk a]\n" HDD);
	struct probe_group g = { 0 };
	struct probe_disk d = { .blocks = s->disk[0].blocks,
				.block_size = 512,
				.max_blocks = 2048 };
	struct probe_stream stream = {
		.nlb = 8, .depth = 1, .most = 50, .limit_ns = DW_NS_PER_S
	};
	struct dw_target t = { .permits = DW_OPCLASS_READ,
			       .block_size = 512,
			       .blocks = d.blocks,
			       .depth = 1,
			       .max_bytes = DW_MIB };
	uint8_t buffer[4096];
	struct probe_run run = { .disk = &d,
				 .n_disks = 1,
				 .group = &g,
				 .n_groups = 1,
				 .buffer = buffer,
				 .stopped = always };
	struct sim_world *w;

	assert_int_equal(0, sim_world_new(s, 1, 1, &w));
	d.transport = &w->base;
	assert_int_equal(0, w->base.ops->attach(&w->base, &t, &d.handle));
	assert_int_equal(0, probe_group_add(&g, &stream, true));
	assert_int_equal(-EINTR, probe_run(&run));
	assert_int_equal(0, g.stream[0].out);
	probe_group_deinit(&g);
	w->base.ops->free(&w->base);
	dw_station_free(s);
}

static void walks(void **state)
{
	struct probe_stream s = { .walk = PROBE_JUMP, .lba = 10, .stride = 30, .nlb = 1 };

	assert_int_equal(10, probe_stream_lba(&s, 100, 0));
	assert_int_equal(80, probe_stream_lba(&s, 100, 1));
	assert_int_equal(50, probe_stream_lba(&s, 100, 2));
	s.walk = PROBE_ENDS;
	s.lba = 2;
	s.stride = 5;
	assert_int_equal(2, probe_stream_lba(&s, 100, 0));
	assert_int_equal(97, probe_stream_lba(&s, 100, 1));
	assert_int_equal(7, probe_stream_lba(&s, 100, 2));
	s.walk = PROBE_FORWARD;
	s.nlb = 8;
	assert_int_equal(18, probe_stream_lba(&s, 100, 2));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks),        cmocka_unit_test(one_disk),
		cmocka_unit_test(small_disk),   cmocka_unit_test(ssd),
		cmocka_unit_test(narrow_bus),   cmocka_unit_test(wide_bus),
		cmocka_unit_test(small_buffer), cmocka_unit_test(short_queue),
		cmocka_unit_test(too_long),     cmocka_unit_test(bad_disks),
		cmocka_unit_test(stopped),      cmocka_unit_test(slow_disks),
		cmocka_unit_test(late_once),    cmocka_unit_test(forecasts),
	};

	tell = argc > 1;
	snprintf(file, sizeof(file), "%.30s/dw-probe.%d",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
