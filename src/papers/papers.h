/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_PAPERS_H
#define DW_PAPERS_PAPERS_H

/*
 * The analytic models: how long an erasure, a queue of requests or a layout of files takes,
 * by the equations of published papers. A call takes words "key=value", is run, and then
 * holds named outputs. Pure: no I/O, no clock.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dw_model_kind {
	DW_MODEL_NUMBER,
	DW_MODEL_WHOLE,  /* a whole number */
	DW_MODEL_FLAG,   /* 0 or 1 */
	DW_MODEL_WORD,   /* one of a list */
	DW_MODEL_FILE,   /* the name of a file, of which the model gets the text */
	DW_MODEL_ARRAY,  /* [1,2,3] */
	DW_MODEL_EACH,   /* one number for all, or an array */
	DW_MODEL_MATRIX, /* [[1,2],[3,4]], all rows of one length */
};

/**
 * struct dw_model_key - an input of a model
 * @name: before the "="
 * @unit: for the help, "" = a pure number
 * @kind: what the value looks like
 * @min: least number
 * @max: largest number
 * @above: @min itself is too small
 * @below: @max itself is too large
 * @forms: forms of the model it belongs to, bit i = form i, 0 = all
 * @needed: forms that cannot do without
 * @fallback: text used when it is not given; NULL = none
 * @words: "a|b|c" of a word
 * @help: one line
 */
struct dw_model_key {
	const char *name;
	const char *unit;
	enum dw_model_kind kind;
	double min;
	double max;
	bool above;
	bool below;
	uint32_t forms;
	uint32_t needed;
	const char *fallback;
	const char *words;
	const char *help;
};

struct dw_model_call;

/**
 * struct dw_model - a row of the table of models
 * @name: what it is called by
 * @paper: author of the equations
 * @summary: one line
 * @outputs: their names, "[]" after arrays
 * @forms: names of its forms, at most 8, NULL after the last
 * @keys: its inputs
 * @n_keys: how many
 * @run: fills the outputs of a call whose inputs are checked; 0 or negative errno
 */
struct dw_model {
	const char *name;
	const char *paper;
	const char *summary;
	const char *outputs;
	const char *forms[9];
	const struct dw_model_key *keys;
	size_t n_keys;
	int (*run)(struct dw_model_call *call);
};

/** struct dw_model_output - a result: a number (@n 0), an array or, @rows > 0, a matrix of
 *  @rows x @n numbers; texts instead of numbers when @text is not NULL. @half is the half
 *  width of a simulated number's interval, NULL else. */
struct dw_model_output {
	const char *name;
	size_t rows;
	size_t n;
	const double *value;
	const char *const *text;
	const double *half;
};

/** dw_model_at() - model @i of the table, NULL after the last. */
const struct dw_model *dw_model_at(size_t i);

/** dw_model_find() - the model of that name, or NULL. */
const struct dw_model *dw_model_find(const char *name);

/** dw_model_call_new() - an empty call of @model; 0 or -ENOMEM. */
int dw_model_call_new(const struct dw_model *model, struct dw_model_call **ret_call);

/** dw_model_call_free() - free a call; NULL is allowed. */
void dw_model_call_free(struct dw_model_call *call);

/** dw_model_call_set() - take a word "key=value"; 0, -EINVAL with an error, -ENOMEM. */
int dw_model_call_set(struct dw_model_call *call, const char *word);

/** dw_model_call_file() - name of file that a key of kind file names, @i counts such keys;
 *  NULL after the last. */
const char *dw_model_call_file(const struct dw_model_call *call, size_t i);

/** dw_model_call_text() - hand over the text of the file with that name; copied; 0, -ENOENT,
 *  -ENOMEM. */
int dw_model_call_text(struct dw_model_call *call, const char *file, const char *text);

/** dw_model_call_progress() - let a simulation tell now and then how far it is (0..1). */
void dw_model_call_progress(struct dw_model_call *call,
			    void (*tell)(void *ctx, double done), void *ctx);

/** dw_model_call_run() - check the inputs together and compute; 0, -EINVAL with an error
 *  (missing, contradictory, unstable), -ENOMEM. Once per call. */
int dw_model_call_run(struct dw_model_call *call);

/** dw_model_call_error() - why set or run failed; one line without full stop. */
const char *dw_model_call_error(const struct dw_model_call *call);

/** dw_model_call_output() - output @i in order; false after the last. Borrowed. */
bool dw_model_call_output(const struct dw_model_call *call, size_t i,
			  struct dw_model_output *ret_output);

/** dw_model_call_input() - input @i as used, given or by default; false after the last. */
bool dw_model_call_input(const struct dw_model_call *call, size_t i,
			 struct dw_model_output *ret_input);

/** dw_model_call_model() - the model that is called. */
const struct dw_model *dw_model_call_model(const struct dw_model_call *call);

/** dw_model_json() - {"model", "inputs", "outputs"}, numbers with 12 significant digits;
 *  malloc'd, NULL when memory is short. */
char *dw_model_json(const struct dw_model_call *call);

#endif
