/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The document of a measurement. */
#include <diskwipe/bench.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "report/json.h"
#include "report/record.h"

#define POINT(type, member, key_, ...)                                                   \
	DW_FIELD_AS(type, struct dw_bench_point, member, key_, __VA_ARGS__)
#define SMALL .max = UINT32_MAX
#define REALS .max = DW_REAL_MAX

static const struct dw_field point_rows[] = {
	POINT(NUMBER, blocks, "blocks", SMALL),
	POINT(NUMBER, bytes, "bytes", SMALL),
	POINT(NUMBER, depth, "depth", SMALL),
	POINT(REAL, bytes_per_second, "bytes_per_second", REALS),
	POINT(REAL, per_second, "per_second", REALS),
	POINT(REAL, response_s, "response_seconds", REALS),
	POINT(NUMBER, commands, "commands", .max = INT64_MAX),
};

/* Operations within 100 ms and 20 ms, the thresholds of the review. */
static json_t *pack_within(const void *base)
{
	static const double seconds[] = { 0.1, 0.02 };
	json_t *array = json_array();

	for (size_t i = 0; i < 2; i++) {
		bool least;
		double ops = dw_bench_at_response(base, seconds[i], &least);

		json_array_append_new(array,
				      json_pack("{s:f, s:f, s:b}", "response_seconds",
						seconds[i], "per_second", ops, "at_least",
						least));
	}
	return array;
}

static const struct dw_field_codec within = { pack_within, NULL };

/* The last one of a load only. */
static const struct dw_field series_rows[] = {
	DW_FIELD_AS(TEXT, struct dw_bench_series, name, "device", ),
	DW_FIELD(TEXT, struct dw_bench_series, vendor, ),
	DW_FIELD(TEXT, struct dw_bench_series, model, ),
	DW_FIELD(TEXT, struct dw_bench_series, serial, ),
	DW_FIELD(NUMBER, struct dw_bench_series, capacity_bytes, .max = INT64_MAX),
	DW_FIELD_OWNED(struct dw_bench_series, point, "points", n, point_rows,
		       DW_ARRAY_SIZE(point_rows)),
	{ .key = "within", .type = DW_FIELD_CODED, .codec = &within },
};

static const char *const kinds[] = { "contiguous", "random", "load" };

#define BENCH(n_rows)                                                                    \
	{                                                                                \
		DW_FIELD_AS(WORD, struct dw_bench, spec.kind, "bench", .words = kinds,   \
			    .max = DW_BENCH_LOAD),                                       \
			DW_FIELD_AS(NUMBER, struct dw_bench, spec.misalign_bytes,        \
				    "misalign_bytes", .max = INT64_MAX),                 \
			DW_FIELD_OWNED(struct dw_bench, series, "series", n,             \
				       series_rows, (n_rows)),                           \
	}

static const struct dw_field load_rows[] = BENCH(DW_ARRAY_SIZE(series_rows));
static const struct dw_field other_rows[] = BENCH(DW_ARRAY_SIZE(series_rows) - 1);

const struct dw_table dw_bench_tables[] = {
	[DW_BENCH_CONTIGUOUS] = { other_rows, DW_ARRAY_SIZE(other_rows) },
	[DW_BENCH_RANDOM] = { other_rows, DW_ARRAY_SIZE(other_rows) },
	[DW_BENCH_LOAD] = { load_rows, DW_ARRAY_SIZE(load_rows) },
};

char *dw_bench_json(const struct dw_bench *b)
{
	json_t *doc = json_pack("{s:i, s:o}", "schema", 1, "tool", dw_json_tool());
	json_t *body = dw_json_table(&dw_bench_tables[b->spec.kind], b);
	int r = body ? json_object_update(doc, body) : -1;

	json_decref(body);
	if (!r)
		return dw_json_dump(doc, false);
	json_decref(doc);
	return NULL;
}

/* Its table, or NULL: what has no kind of measurement is none. */
static const struct dw_table *table_of(const json_t *doc)
{
	const char *kind = json_string_value(json_object_get(doc, "bench"));

	for (size_t i = 0; kind && i < DW_ARRAY_SIZE(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return &dw_bench_tables[i];
	return NULL;
}

static int read_bench(const json_t *doc, const struct dw_table *table, struct dw_bench *b,
		      struct dw_error *err)
{
	int r;

	dw_error_clear(err);
	r = dw_record_unpack_open(table->field, table->n, doc, "", b, err);
	if (!r && !b->n)
		return dw_error_content(err, "series", "empty");
	b->n_disks = b->n > 1 ? b->n - 1 : b->n; /* the last one is of all at once */
	return r;
}

int dw_bench_parse(const char *text, size_t len, struct dw_bench **ret,
		   struct dw_error *err)
{
	json_t *doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const struct dw_table *table = table_of(doc);
	struct dw_bench *b = table ? calloc(1, sizeof(*b)) : NULL;
	int r = table ? -ENOMEM : -ENOMSG;

	if (b)
		r = read_bench(doc, table, b, err);
	else if (table)
		dw_error_system(err, r, NULL);
	json_decref(doc);
	if (!r) {
		*ret = b;
		return 0;
	}
	if (b)
		dw_record_free(table->field, table->n, b);
	free(b);
	return r;
}
