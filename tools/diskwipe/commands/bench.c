/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diskwipe bench: what disks give, alone and together, by reading. A stripe set stands for its
 * members, and what they give together tells how many are worth running at once.
 */
#include <stdlib.h>
#include <unistd.h>

#include "output/draw.h"
#include "options.h"
#include "output/out.h"
#include "job/sets.h"
#include "output/table.h"
#include "own.h"

#define SECONDS      0.3
#define DEPTH_MOST   64
#define MOST_LENGTHS 4096
#define SATURATED                                                                        \
	0.95 /* together less than this share of the sum: they share something */

static void report(void *ctx, double done)
{
	const struct cli *c = ctx;

	if (!c->show.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, done < 1 ? "\rmeasuring %3.0f %%" : "\r               \r",
			100 * done);
}

static int read_kind(struct cli *c, struct dw_bench_spec *spec)
{
	const struct cli_bench_options *own = c->own;

	if (own->contiguous + own->random + own->load != 1)
		return cli_fail(c, CLI_EXIT_USAGE,
				"bench: one of --contiguous, --random and --load");
	spec->kind = own->contiguous ? DW_BENCH_CONTIGUOUS
		     : own->random   ? DW_BENCH_RANDOM
				     : DW_BENCH_LOAD;
	return 0;
}

/* --sweep=blocks=FROM:TO:STEP */
static int read_lengths(struct cli *c, uint32_t *lengths, size_t *ret_n)
{
	const struct cli_bench_options *own = c->own;
	unsigned int from, to, step;
	char end;

	*ret_n = 0;
	if (!own->sweep)
		return 0;
	if (sscanf(own->sweep, "blocks=%u:%u:%u%c", &from, &to, &step, &end) != 3 ||
	    !from || to < from || !step)
		return cli_fail(c, CLI_EXIT_USAGE,
				"--sweep: '%s' is not of the form blocks=FROM:TO:STEP",
				own->sweep);
	if ((to - from) / step >= MOST_LENGTHS)
		return cli_fail(c, CLI_EXIT_USAGE, "--sweep: more than %d lengths",
				MOST_LENGTHS);
	for (unsigned long long n = from; n <= to; n += step)
		lengths[(*ret_n)++] = (uint32_t)n;
	return 0;
}

static void print_points(const struct dw_bench *b)
{
	static const struct cli_column columns[] = {
		{ .name = "DEVICE" },
		{ .name = "BLOCKS", .right = true },
		{ .name = "BYTES", .right = true },
		{ .name = "DEPTH", .right = true },
		{ .name = "MB/S", .right = true },
		{ .name = "PER-SECOND", .right = true },
		{ .name = "RESPONSE-MS", .right = true },
	};
	struct cli_table *t =
		cli_table_new(stdout, columns, CLI_ARRAY_SIZE(columns), true, false);

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < b->series[i].n; k++) {
			const struct dw_bench_point *p = &b->series[i].point[k];
			const double value[] = { p->blocks,     p->bytes,
						 p->depth,      p->bytes_per_second / 1e6,
						 p->per_second, p->response_s * 1e3 };

			cli_table_line(t, NULL);
			cli_table_add(t, "%s", b->series[i].name);
			for (size_t v = 0; v < CLI_ARRAY_SIZE(value); v++)
				cli_table_add(t,
					      v < 3 || value[v] >= 1000 ? "%.0f" : "%.4g",
					      value[v]);
		}
	}
	cli_table_end(t);
}

/* What all give together, beside what each gives alone: is there a link that holds them? */
static void print_link(const struct dw_bench *b)
{
	const struct dw_bench_series *all = &b->series[b->n - 1];
	struct dw_stripe set = { .n = b->n_disks };
	struct dw_stripe_advice advice;
	double sum = 0, together = dw_bench_plateau(all);

	if (b->n_disks < 2)
		return;
	for (size_t i = 0; i < b->n_disks; i++)
		sum += dw_bench_plateau(&b->series[i]);
	set.member = cli_allocate(set.n, sizeof(*set.member));
	dw_stripe_advise(&set, sum / (double)set.n,
			 together < SATURATED * sum ? together : 0, &advice);
	cli_sets_print_link(set.n, &advice);
	free(set.member);
}

static void print_thresholds(const struct dw_bench *b)
{
	static const double seconds[] = { 0.1, 0.02 };

	for (size_t i = 0; i < b->n; i++) {
		for (size_t k = 0; k < CLI_ARRAY_SIZE(seconds); k++) {
			bool least;
			double ops =
				dw_bench_at_response(&b->series[i], seconds[k], &least);

			printf("%s: %s%.*f operations per second within %.0f ms\n",
			       b->series[i].name, least ? "at least " : "",
			       ops < 1000 ? 1 : 0, ops, seconds[k] * 1e3);
		}
	}
}

static int draw(struct cli *c, const struct dw_bench *b)
{
	char *json = dw_bench_json(b);
	int r = json ? cli_draw_or_fail(c, json)
		     : cli_fail(c, CLI_EXIT_USAGE, "out of memory");

	free(json);
	return r;
}

/* What was measured is shown also where it could not be drawn. */
static int show(struct cli *c, const struct dw_bench *b)
{
	int drawn = c->show.output ? draw(c, b) : 0;

	if (c->show.json) {
		c->documented = true;
		return cli_out_text(c, dw_bench_json(b)) ?: drawn;
	}
	print_points(b);
	if (b->spec.kind == DW_BENCH_CONTIGUOUS)
		print_link(b);
	if (b->spec.kind == DW_BENCH_LOAD)
		print_thresholds(b);
	return drawn;
}

static int measure(struct cli *c, const struct dw_bench_spec *spec,
		   const struct cli_selection *s)
{
	struct dw_disk_info *info = cli_allocate(s->n, sizeof(*info));
	struct dw_bench *b = NULL;
	struct dw_error err = { 0 };
	char text[DW_ERROR_TEXT];
	int r;

	for (size_t i = 0; i < s->n; i++)
		info[i] = s->disk[i].info;
	r = dw_bench_run(spec, info, s->n, report, c, &b, &err);
	if (r)
		cli_fail(c, CLI_EXIT_USAGE, "bench: %s", cli_error_text(&err, text));
	r = r ? CLI_EXIT_USAGE : show(c, b);
	free(info);
	dw_bench_free(b);
	return r;
}

int cli_verb_bench(struct cli *c)
{
	const struct cli_bench_options *own = c->own;
	uint32_t *lengths = cli_allocate(MOST_LENGTHS, sizeof(*lengths));
	struct dw_bench_spec spec = { .misalign_bytes = own->misalign,
				      .blocks = lengths,
				      .seconds = SECONDS,
				      .depth_max = DEPTH_MOST,
				      .seed = 1 };
	struct cli_selection s = { 0 };
	int r = c->n_operands ? 0 : cli_no_device(c, "diskwipe bench --help");

	if (!r)
		r = read_kind(c, &spec);
	if (!r)
		r = cli_draw_check(c, c->show.output);
	if (!r)
		r = read_lengths(c, lengths, &spec.n_blocks);
	if (!r)
		r = cli_config_load(c);
	if (!r)
		r = cli_select_named(c, &s);
	if (!r) {
		cli_selection_report(&s);
		r = s.n ? measure(c, &spec, &s)
			: cli_fail(c, cli_selection_code(&s),
				   "no disk selected that can be measured");
	}
	cli_selection_deinit(&s);
	free(lengths);
	return r;
}
