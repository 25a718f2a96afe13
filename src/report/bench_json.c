/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The document of a measurement. */
#include <diskwipe/bench.h>

#include "report/json.h"

static json_t *point_json(const struct dw_bench_point *p)
{
	return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:I}", "blocks",
			 (json_int_t)p->blocks, "bytes", (json_int_t)p->bytes, "depth",
			 (json_int_t)p->depth, "bytes_per_second", p->bytes_per_second,
			 "per_second", p->per_second, "response_seconds", p->response_s,
			 "commands", (json_int_t)p->commands);
}

/* Operations within 100 ms and 20 ms, the thresholds of the review. */
static json_t *thresholds(const struct dw_bench_series *s)
{
	static const double seconds[] = { 0.1, 0.02 };
	json_t *array = json_array();

	for (size_t i = 0; i < 2; i++) {
		bool least;
		double ops = dw_bench_at_response(s, seconds[i], &least);

		json_array_append_new(array,
				      json_pack("{s:f, s:f, s:b}", "response_seconds",
						seconds[i], "per_second", ops, "at_least",
						least));
	}
	return array;
}

static json_t *series_json(const struct dw_bench *b, const struct dw_bench_series *s)
{
	json_t *points = json_array();
	json_t *item;

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(points, point_json(&s->point[i]));
	item = json_pack("{s:o, s:o}", "device", dw_json_text(s->name), "points", points);
	if (item && b->spec.kind == DW_BENCH_LOAD)
		json_object_set_new(item, "within", thresholds(s));
	return item;
}

char *dw_bench_json(const struct dw_bench *b)
{
	static const char *const kind[] = { "contiguous", "random", "load" };
	json_t *array = json_array();

	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(array, series_json(b, &b->series[i]));
	return dw_json_dump(
		json_pack("{s:i, s:o, s:s, s:I, s:o}", "schema", 1, "tool",
			  dw_json_tool(), "bench", kind[b->spec.kind], "misalign_bytes",
			  (json_int_t)b->spec.misalign_bytes, "series", array),
		false);
}
