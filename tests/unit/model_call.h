/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_MODEL_CALL_H
#define DW_TESTS_MODEL_CALL_H

/* One line that calls a model: "zone bytes=1 outer=2 inner=1". */
#include "unit.h"

#include <math.h>

#include "papers/papers.h"

/** model_begin() - set the words of a line; r of the first that fails, else 0. */
static inline int model_begin(const char *line, struct dw_model_call **ret_call)
{
	char *copy = strdup(line), *save = NULL, *word = strtok_r(copy, " ", &save);
	int r;

	assert_non_null(dw_model_find(word));
	assert_int_equal(dw_model_call_new(dw_model_find(word), ret_call), 0);
	r = 0;
	while (!r && (word = strtok_r(NULL, " ", &save)))
		r = dw_model_call_set(*ret_call, word);
	free(copy);
	return r;
}

/** model_call() - run a line that must succeed; free the call. */
static inline struct dw_model_call *model_call(const char *line)
{
	struct dw_model_call *call;
	int r = model_begin(line, &call);

	if (!r)
		r = dw_model_call_run(call);
	if (r)
		fail_msg("%s: %d %s", line, r, dw_model_call_error(call));
	return call;
}

/** model_output() - an output by name; false when there is none. */
static inline bool model_output(const struct dw_model_call *call, const char *name,
				struct dw_model_output *ret)
{
	for (size_t i = 0; dw_model_call_output(call, i, ret); i++)
		if (!strcmp(ret->name, name))
			return true;
	return false;
}

/** model_value() - value @i of a numeric output, which must be there. */
static inline double model_value(const struct dw_model_call *call, const char *name,
				 size_t i)
{
	struct dw_model_output o;

	if (!model_output(call, name, &o))
		fail_msg("no output %s", name);
	assert_non_null(o.value);
	return o.value[i];
}

/** model_number() - first value of an output of a line. */
static inline double model_number(const char *line, const char *name)
{
	struct dw_model_call *call = model_call(line);
	double x = model_value(call, name, 0);

	dw_model_call_free(call);
	return x;
}

/** model_near() - fail unless @got is within @relative of @want. */
static inline void model_near(const char *what, double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%s: %.12g, not %.12g", what, got, want);
}

#endif
