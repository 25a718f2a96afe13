/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands behind the pictures: marks of axes, bins of a trace of any length, the zone
 * curve, and what a run is said to have been limited by.
 */
#include "unit.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include <diskwipe/file.h>

#include "base/order.h"
#include "base/rng.h"
#include "base/util.h"
#include "print/figures.h"
#include "print/plot.h"
#include "print/scale.h"
#include "trace_text.h"
#include "error_line.h"

static void check_ticks(enum plot_scale_kind kind, double lo, double hi, const char *want)
{
	struct plot_scale s = { kind, lo, hi };
	struct plot_tick tick[PLOT_TICKS_MAX];
	size_t n = plot_scale_ticks(&s, 6, tick);
	char text[256] = "";

	for (size_t i = 0; i < n; i++) {
		assert_true(plot_scale_at(&s, tick[i].value) > -1e-6);
		assert_true(plot_scale_at(&s, tick[i].value) < 1 + 1e-5);
		strcat(text, i ? "|" : "");
		strcat(text, tick[i].text);
	}
	assert_string_equal(text, want);
}

static void ticks(void **state)
{
	check_ticks(PLOT_LINEAR, 0, 100, "0|20|40|60|80|100");
	check_ticks(PLOT_LINEAR, -1, 1, "-1|-0.5|0|0.5|1");
	check_ticks(PLOT_LINEAR, 0, .3, "0|0.05|0.1|0.15|0.2|0.25|0.3");
	check_ticks(PLOT_LINEAR, 15e7, 3e8, "150000000|200000000|250000000|300000000");
	check_ticks(PLOT_LINEAR, 0, 2e12, "0|5e+11|1e+12|1.5e+12|2e+12");
	check_ticks(PLOT_DURATION, 0, 61, "0|15 s|30 s|45 s|60 s");
	check_ticks(PLOT_DURATION, 0, 600,
		    "0|2:00 min|4:00 min|6:00 min|8:00 min|10:00 min");
	check_ticks(PLOT_DURATION, 0, 90000, "0|6:00 h|12:00 h|18:00 h|24:00 h");
	check_ticks(PLOT_DURATION, 0, .012, "0|2 ms|4 ms|6 ms|8 ms|10 ms|12 ms");
	check_ticks(PLOT_LOG10, 1e-4, 1e-1, "100 \u00b5s|1 ms|10 ms|100 ms");
	check_ticks(PLOT_LOG2, 65536, 1 << 20, "64 KiB|128 KiB|256 KiB|512 KiB|1 MiB");
	check_ticks(PLOT_LINEAR, 5, 5, "");
	check_ticks(PLOT_LINEAR, NAN, 5, "");
}

/* Any scale: ascending, within it, and not too many. */
static void ticks_of_any(void **state)
{
	struct dw_rng rng;

	dw_rng_seed(&rng, 1);
	for (int i = 0; i < 20000; i++) {
		struct plot_scale s = { (enum plot_scale_kind)dw_rng_below(&rng, 4), 0,
					0 };
		struct plot_tick tick[PLOT_TICKS_MAX];
		size_t most = 1 + dw_rng_below(&rng, 12), n;

		s.lo = s.kind >= PLOT_LOG10 ? exp(40 * dw_rng_unit(&rng) - 20) : 0;
		s.hi = s.lo + exp(60 * dw_rng_unit(&rng) - 30);
		n = plot_scale_ticks(&s, most, tick);
		assert_true(n <= most + 1);
		for (size_t k = 1; k < n; k++)
			assert_true(tick[k].value > tick[k - 1].value);
	}
}

static void tops(void **state)
{
	assert_true(fabs(plot_scale_top(1.01) - 1.2) < 1e-9);
	assert_true(fabs(plot_scale_top(354) - 400) < 1e-9);
	assert_true(fabs(plot_scale_top(1000) - 1000) < 1e-9);
	assert_true(plot_scale_top(0) == 1);
	for (double v = 1e-9; v < 1e12; v *= 1.37)
		assert_true(plot_scale_top(v) >= v * (1 - 1e-9) &&
			    plot_scale_top(v) <= 1.5 * v);
}

/** struct made - a trace in memory */
struct made {
	char *text;
	size_t len;
	FILE *f;
};

/* @how: "disk N", or "joined N NS" */
static void name_disk(struct made *m, const char *how, unsigned int i, const char *on)
{
	fprintf(m->f,
		"# %s {\"device\":\"/dev/sg%u\",\"vendor\":\"\",\"model\":\"M\","
		"\"serial\":\"S%u\",\"wwn\":\"\",\"blocks\":10000,\"block_size\":1000,"
		"\"physical_block_size\":1000,\"rotation\":7200,"
		"\"write_cache\":\"on\",\"transport\":\"\",\"slot\":\"\","
		"\"host_driver\":\"\",\"on\":\"%s\"}\n",
		how, i, i, on);
}

static void begin(struct made *m, unsigned int disks, const char *nodes, const char *on)
{
	char how[16];

	m->f = open_memstream(&m->text, &m->len);
	fprintf(m->f, "# diskwipe trace 3\n%s", nodes);
	for (unsigned int i = 0; i < disks; i++) {
		snprintf(how, sizeof(how), "disk %u", i);
		name_disk(m, how, i, on);
	}
}

static void command(struct made *m, unsigned int disk, const char *verb, unsigned int lba,
		    uint64_t start, uint64_t end)
{
	fprintf(m->f, "0 %u %s %u 100 %" PRIu64 " %" PRIu64 " ok %" PRIu64 " 1 0\n", disk,
		verb, lba, start, end, start);
}

static void load(struct made *m, struct run *run, struct findings *f)
{
	struct dw_trace_reader *r;
	struct dw_error err = { 0 };

	fclose(m->f);
	if (trace_text_open(m->text, m->len, &r, &err) || run_from_reader(r, run, &err))
		fail_msg("%s", error_line(&err));
	dw_trace_reader_free(r);
	assert_int_equal(findings_new(run, f), 0);
	free(m->text);
}

static void unload(struct run *run, struct findings *f)
{
	findings_deinit(f);
	run_deinit(run);
}

static void says(const struct findings *f, const char *want)
{
	if (!strstr(f->headline, want))
		fail_msg("no '%s' in: %s", want, f->headline);
}

/* Bytes are neither lost nor moved to another time when bins become wider. */
static void bins(void **state)
{
	struct made m;
	struct run run;
	struct findings f;
	uint64_t at = 0, half = 0;
	double sum = 0, first = 0;

	begin(&m, 1, "", "");
	for (unsigned int i = 0; i < 100; i++) {
		uint64_t took = 1000 + (uint64_t)i * i * i * 20000;

		command(&m, 0, "write", i * 100, at, at + took);
		at += took;
		if (i == 49)
			half = at;
	}
	load(&m, &run, &f);
	assert_true(run.n_bins_used > run.bins / 2 && run.n_bins_used <= run.bins);
	for (size_t k = 0; k < run.n_bins_used; k++) {
		sum += run.disk[0].moved[k];
		if ((double)(k + 1) * run.bin_ns <= (double)half)
			first += run.disk[0].moved[k];
	}
	assert_true(fabs(sum - 1e7) < 10);
	assert_true(first < 5.01e6 && first > 4.8e6);
	assert_true(fabs(run.disk[0].pace[RUN_WRITE] - (double)at / 1e9) < 1e-9);
	unload(&run, &f);
}

/* A straight line is found, whatever a tenth of its bins says. */
static void zone(void **state)
{
	struct run_disk d = { 0 };
	double fit[2];

	assert_false(run_fit_zone(&d, fit));
	for (size_t i = 0; i < RUN_PLACES; i++) {
		double x = ((double)i + .5) / RUN_PLACES;

		d.place_bytes[i] = 1e6f;
		d.place_pace[i] = (float)(1e6 / (i < 6 ? 900e6 : 200e6 - 90e6 * x));
	}
	assert_true(run_fit_zone(&d, fit));
	assert_true(fabs(fit[0] - 200e6) < 2e5 && fabs(fit[1] - 110e6) < 2e5);
	/* what becomes slow in the middle has no zones, and never a rate below zero */
	for (size_t i = 0; i < RUN_PLACES; i++)
		d.place_pace[i] = (float)(1e6 / (i < RUN_PLACES / 2 ? 700e6 : 10e6));
	assert_false(run_fit_zone(&d, fit));
}

/* Disk 3 of 5 needs @slow times as long as the others. */
static void slow_one(struct run *run, struct findings *f, double slow)
{
	struct made m;

	begin(&m, 5, "", "");
	for (unsigned int i = 0; i < 100; i++)
		for (unsigned int d = 0; d < 5; d++) {
			uint64_t each = (uint64_t)(1e6 * (d == 3 ? slow : 1));

			command(&m, d, "write", i * 100, i * each, (i + 1) * each);
		}
	load(&m, run, f);
}

static void finds_slow_disk(void **state)
{
	struct run run;
	struct findings f;

	slow_one(&run, &f, 1 / .69);
	says(&f, "Slowest disk: sg3, 31 % below its peers");
	assert_true(f.suspect[3] && !f.suspect[0]);
	unload(&run, &f);
	slow_one(&run, &f, 1 / .83);
	assert_false(f.suspect[3]);
	unload(&run, &f);
	slow_one(&run, &f, 1.01);
	says(&f, "all ended within 1 %");
	unload(&run, &f);
}

/*
 * Of six disks four join, one after the other, every @pause ns; each command takes a
 * millisecond, of the last disk @slow times that, and of the first two half of it in the
 * first @quick ns.
 */
static void join_four(struct run *run, struct findings *f, uint64_t pause, double slow,
		      uint64_t quick)
{
	struct made m;
	char how[32];

	begin(&m, 2, "", "");
	for (unsigned int d = 0; d < 6; d++) {
		uint64_t at = d < 2 ? 0 : (d - 1) * pause;

		snprintf(how, sizeof(how), "joined %u %" PRIu64, d, at);
		if (d > 1)
			name_disk(&m, how, d, "");
		for (unsigned int i = 0; i < 100; i++) {
			uint64_t each = d < 2 && at < quick ? 500000
					: d == 5            ? (uint64_t)(1e6 * slow)
							    : 1000000;

			command(&m, d, "write", i * 100, at, at + each);
			at += each;
		}
	}
	load(&m, run, f);
	assert_int_equal(run->n, 6);
	assert_true(run->disk[5].joined == (double)(4 * pause) / 1e9);
	assert_true(run->disk[5].bytes[RUN_WRITE] == 1e7);
}

/* The time of a disk counts from when it joined. */
static void joined_later(void **state)
{
	struct run run;
	struct findings f;

	join_four(&run, &f, 40000000, 1, 0);
	says(&f, "No shared limit: each disk ran at its own rate: last was sg5");
	unload(&run, &f);
	join_four(&run, &f, 40000000, 1.13, 0);
	says(&f, "Slowest disk: sg5, took 13 % longer than the median disk");
	unload(&run, &f);
	/* outer tracks, and not what they share */
	join_four(&run, &f, 10000000, 1, 20000000);
	says(&f, "No shared limit: each disk ran at its own rate: last was sg5");
	unload(&run, &f);
}

/* More disks than have bins of their own width: the bins are wider, and lose nothing. */
static void many_join(void **state)
{
	struct run run;
	struct findings f;
	struct made m;
	char how[32];

	begin(&m, 1, "", "");
	for (unsigned int d = 0; d < 5000; d++) {
		if (d) {
			snprintf(how, sizeof(how), "joined %u %u", d, d * 1000);
			name_disk(&m, how, d, "");
		}
		command(&m, d, "write", 0, d * UINT64_C(1000),
			(d + 100) * UINT64_C(1000));
	}
	load(&m, &run, &f);
	assert_int_equal(run.n, 5000);
	assert_int_equal(run.bins, 256);
	for (size_t i = 0; i < run.n; i++) {
		double sum = 0;

		for (size_t k = 0; k < run.n_bins_used; k++)
			sum += run.disk[i].moved[k];
		assert_true(fabs(sum - 1e5) < 1);
	}
	unload(&run, &f);
}

static void finds_bus(void **state)
{
	static const char nodes[] =
		"# node 0 {\"name\":\"pcie\",\"kind\":\"link\",\"on\":\"\",\"rate\":0}\n"
		"# node 1 {\"name\":\"port\",\"kind\":\"bus\",\"on\":\"pcie\","
		"\"rate\":200000000}\n"
		"# node 2 {\"name\":\"other\",\"kind\":\"bus\",\"on\":\"pcie\","
		"\"rate\":200000000}\n";

	for (int two = 0; two < 2; two++) {
		struct made m;
		struct run run;
		struct findings f;

		begin(&m, 2, nodes, two ? "port other" : "port");
		for (unsigned int i = 0; i < 100; i++)
			for (unsigned int d = 0; d < 2; d++)
				command(&m, d, "write", i * 100, i * 1000000,
					(i + 1) * 1000000);
		load(&m, &run, &f);
		assert_int_equal(f.n_nodes, 2);
		assert_true(fabs(findings_passes(&run, 0, 1) - (two ? .5 : 1)) < 1e-9);
		assert_true(fabs(findings_passes(&run, 0, 0) - 1) < 1e-9);
		says(&f, two ? "No shared limit: each disk ran at its own rate"
			     : "Bus port 100 % busy");
		unload(&run, &f);
	}
}

static void finds_turns(void **state)
{
	struct made m;
	struct run run;
	struct findings f;
	uint64_t at = 0;

	begin(&m, 4, "", "");
	for (unsigned int i = 0; i < 100; i++)
		for (unsigned int d = 0; d < 4; d++, at += 1000000)
			command(&m, d, "write", i * 100, at, at + 1000000);
	load(&m, &run, &f);
	says(&f, "Disks wait for their turn 75 % of the time");
	unload(&run, &f);
}

/* What a disk does by itself is neither waiting nor an error. */
static void own_work(void **state)
{
	struct made m;
	struct run run;
	struct findings f;

	begin(&m, 2, "", "");
	for (unsigned int i = 0; i < 100; i++)
		command(&m, 0, "write", i * 100, i * 1000000, (i + 1) * 1000000);
	command(&m, 1, "operate", 0, 0, 1000);
	for (unsigned int i = 1; i < 10; i++)
		fprintf(m.f, "0 1 poll 0 0 %u0000000 %u0001000 running %u0000000 1 0\n",
			i, i, i);
	command(&m, 1, "poll", 0, 99999000, 100000000);
	load(&m, &run, &f);
	assert_null(strstr(f.headline, "wait for their turn"));
	assert_true(fabs(run.disk[1].pace[RUN_OWN] - 0.1) < 1e-6);
	assert_int_equal(run.disk[1].bad, 0);
	assert_int_equal(run.disk[1].class[DW_CLASS_RUNNING], 9);
	unload(&run, &f);
}

/** struct recorder - a canvas that keeps the texts, and the heights of cells by their colour */
struct recorder {
	struct plot base;
	char text[8192];
	size_t pale; /* cells of a map that look empty */
	size_t cells;
};

static void record_text(struct plot *p, struct plot_point at,
			const struct plot_font *font, const char *text)
{
	struct recorder *r = (struct recorder *)p;

	strncat(r->text, text, sizeof(r->text) - strlen(r->text) - 2);
	strcat(r->text, "\n");
}

static void record_fill(struct plot *p, const struct plot_point *at, size_t n,
			uint32_t color)
{
	struct recorder *r = (struct recorder *)p;

	/* the colours of the scale are narrower */
	if (n != 4 || at[1].x - at[0].x < 4.5)
		return;
	r->cells++;
	r->pale += color == plot_shade(0) || color == plot_shade(1.0 / 32);
}

static void record_line(struct plot *p, const struct plot_point *at, size_t n,
			const struct plot_pen *pen)
{
}

static const struct plot_backend record_backend = {
	.line = record_line,
	.fill = record_fill,
	.text = record_text,
};

static void draw(struct report *r, void (*figure)(struct report *r), struct recorder *ret)
{
	*ret = (struct recorder){ .base.backend = &record_backend };
	r->n_figures = 0;
	figure(r);
	assert_int_equal(r->n_figures, 1);
	r->figure[0].draw(&ret->base, &r->figure[0]);
}

/* A disk that once is sent a thousand times as many commands makes no other pale. */
static void schedule_outlier(void **state)
{
	struct made m;
	struct report r = { 0 };
	struct recorder seen;

	begin(&m, 4, "", "");
	for (unsigned int step = 0; step < 40; step++)
		for (unsigned int d = 0; d < 4; d++)
			for (unsigned int k = 0;
			     k < (d || step != 7 ? d + 2 + step % 3 : 2000); k++)
				fprintf(m.f, "%u %u write 0 1 %u %u ok %u 1 0\n", step, d,
					step * 1000, step * 1000 + 900, step * 1000);
	load(&m, &r.run, &r.findings);
	draw(&r, figure_schedule, &seen);
	assert_true(seen.cells > 100);
	assert_int_equal(seen.pale, 0);
	assert_non_null(
		strstr(seen.text, "7 commands or more (95th percentile); at most 2000"));
	unload(&r.run, &r.findings);
	/* without it nothing is said of it */
	begin(&m, 1, "", "");
	command(&m, 0, "write", 0, 0, 1000);
	load(&m, &r.run, &r.findings);
	draw(&r, figure_schedule, &seen);
	assert_non_null(strstr(seen.text, "1 command\n"));
	unload(&r.run, &r.findings);
}

/* Rates into a cache do not make those of the medium flat. */
static void cached_places(void **state)
{
	struct made m;
	struct report r = { 0 };
	struct recorder seen;

	begin(&m, 2, "", "");
	for (unsigned int i = 0; i < 50; i++)
		for (unsigned int d = 0; d < 2; d++)
			command(&m, d, "write", i * 200, i * 1000000 + (i == 3) * 999000,
				(i + 1) * 1000000);
	load(&m, &r.run, &r.findings);
	draw(&r, figure_places, &seen);
	assert_non_null(strstr(seen.text, "cut above: what a cache took"));
	assert_null(strstr(seen.text, "GB/s"));
	assert_non_null(strstr(seen.text, "MB/s\n"));
	unload(&r.run, &r.findings);
}

/* What WRITE SAME fills, faster than the bus is, is a figure of its own. */
static void same_apart(void **state)
{
	static const char nodes[] =
		"# node 0 {\"name\":\"port\",\"kind\":\"bus\",\"on\":\"\","
		"\"rate\":150000000}\n";

	for (int same = 0; same < 2; same++) {
		struct made m;
		struct report r = { 0 };
		struct recorder seen = { .base.backend = &record_backend };

		begin(&m, 1, nodes, "port");
		for (unsigned int i = 0; i < 50; i++)
			command(&m, 0, "write", i * 100, i * 1000000, (i + 1) * 1000000);
		for (unsigned int i = 0; same && i < 1000; i++)
			command(&m, 0, "write-same", i % 50 * 100, i * 50000,
				(i + 1) * 50000);
		load(&m, &r.run, &r.findings);
		figure_total(&r);
		assert_int_equal(r.n_figures, 1 + same);
		r.figure[0].draw(&seen.base, &r.figure[0]);
		assert_non_null(strstr(seen.text, "port carries at most 150 MB/s"));
		assert_null(strstr(seen.text, "GB/s"));
		if (same) {
			seen.text[0] = '\0';
			r.figure[1].draw(&seen.base, &r.figure[1]);
			assert_non_null(
				strstr(seen.text, "WRITE SAME passes no data over port"));
			assert_null(strstr(seen.text, "carries at most"));
		}
		unload(&r.run, &r.findings);
	}
}

/* What a figure shows is said in words, and the key has no curve that is not drawn. */
static void words(void **state)
{
	struct made m;
	struct report r = { 0 };
	struct recorder seen;

	begin(&m, 1, "", "");
	command(&m, 0, "write", 0, 0, 1000000);
	load(&m, &r.run, &r.findings);
	draw(&r, figure_schedule, &seen);
	assert_string_equal(
		r.figure[0].title,
		"Turns: how many commands each disk got at each step (schedule H)");
	draw(&r, figure_places, &seen);
	assert_non_null(strstr(seen.text, "measured"));
	assert_null(strstr(seen.text, "zone curve"));
	unload(&r.run, &r.findings);
}

static void quantiles(void **state)
{
	double v[] = { 5, 1, 4, 2, 3, 9, 8, 7, 6, 1000 };

	assert_true(dw_quantile(v, 10, .9) == 9 && dw_quantile(v, 10, .91) == 1000);
	assert_true(dw_quantile(v, 10, 0) == 1 && dw_quantile(v, 10, 1) == 1000);
	assert_true(isnan(dw_quantile(v, 0, .5)));
}

/* Where the text @word of an SVG has its anchor. */
static double place_of(const char *svg, const char *word)
{
	char want[64];
	const char *at, *from = svg, *next;

	snprintf(want, sizeof(want), ">%s<", word);
	at = strstr(svg, want);
	if (!at)
		fail_msg("no %s", want);
	while ((next = strstr(from + 1, "<text x=\"")) && next < at)
		from = next;
	return strtod(from + strlen("<text x=\""), NULL);
}

/* A measurement of two disks, as a file that is read back. */
static char *bench_svg(enum dw_bench_kind kind, const char *serial)
{
	struct dw_bench_point point[12];
	struct dw_bench_series series[] = {
		{ "/dev/sg1", "ACME", "ACME ROTOR", "", 4096000, point, 12 },
		{ "/dev/sg2", "GLOBEX", "PLATTER", "", 0, point, 12 },
		{ .name = "together", .point = point, .n = 12 },
	};
	struct dw_bench bench = { { .kind = kind }, series, 3, 2 };
	struct dw_error err = { 0 };
	char name[] = "/tmp/test_plot.XXXXXX.svg", *text;
	int fd = mkstemps(name, 4);
	size_t len;

	assert_true(fd >= 0);
	close(fd);
	snprintf(series[1].serial, sizeof(series[1].serial), "%s", serial);
	for (uint32_t i = 0; i < 12; i++)
		point[i] = (struct dw_bench_point){ .bytes = 512U << i,
						    .bytes_per_second = 1e7 * (1 + i),
						    .per_second = 100.0 * (1 + i),
						    .response_s = .003 * (1 + i) };
	if (dw_bench_write(&bench, name, &err))
		fail_msg("%s", error_line(&err));
	assert_int_equal(dw_file_read(name, 1 << 20, &text, &len), 0);
	unlink(name);
	return text;
}

/* Lengths stand on an axis where each is as far from its double as any other. */
static void bench_plots(void **state)
{
	char *svg = bench_svg(DW_BENCH_CONTIGUOUS, "S2");
	double step = place_of(svg, "4 KiB") - place_of(svg, "2 KiB");

	assert_true(step > 20);
	assert_true(fabs(place_of(svg, "512 KiB") - place_of(svg, "256 KiB") - step) <
		    .1);
	place_of(svg, "512 B");
	place_of(svg, "1 MiB");
	place_of(svg, "MB/s");
	/* which disk is which */
	place_of(svg, "/dev/sg1");
	place_of(svg, "ACME ROTOR");
	place_of(svg, "GLOBEX PLATTER");
	place_of(svg, "S2");
	place_of(svg, "together");
	free(svg);
	/* a serial number that is too long keeps its end */
	svg = bench_svg(DW_BENCH_LOAD,
			"00000000000000000000000000000000000000000000000000"
			"0000000000000000000A7");
	assert_non_null(strstr(svg, "0000A7<"));
	place_of(svg, "operations per second");
	place_of(svg, "30 ms");
	free(svg);
}

/* Nothing at all is no reason to fail. */
static void empty(void **state)
{
	for (unsigned int disks = 0; disks < 2; disks++) {
		struct made m;
		struct run run;
		struct findings f;

		begin(&m, disks, "", "");
		load(&m, &run, &f);
		says(&f, disks ? "No command had ended" : "No disks");
		assert_false(run.complete);
		unload(&run, &f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks),        cmocka_unit_test(ticks_of_any),
		cmocka_unit_test(tops),         cmocka_unit_test(bins),
		cmocka_unit_test(zone),         cmocka_unit_test(finds_slow_disk),
		cmocka_unit_test(finds_bus),    cmocka_unit_test(finds_turns),
		cmocka_unit_test(joined_later), cmocka_unit_test(many_join),
		cmocka_unit_test(empty),        cmocka_unit_test(own_work),
		cmocka_unit_test(quantiles),    cmocka_unit_test(schedule_outlier),
		cmocka_unit_test(bench_plots),  cmocka_unit_test(cached_places),
		cmocka_unit_test(same_apart),   cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
