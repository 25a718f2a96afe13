/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of a call, in the order in which the model left them, and the life of the call
 * itself. What is not finite was not defined, and is left out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "papers/call.h"

/* Student's t with 19 degrees of freedom. */
#define T_90 1.729132811521
#define T_95 2.093024054408

int dw_model_call_new(const struct dw_model *model, struct dw_model_call **ret_call)
{
	struct dw_model_call *call;

	if (model->n_keys > DW_MODEL_KEYS)
		return -ENOMEM;
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	call->model = model;
	*ret_call = call;
	return 0;
}

static void free_result(struct dw_model_result *o)
{
	for (size_t i = 0; o->text && i < o->n; i++)
		free(o->text[i]);
	free(o->text);
	free(o->v);
	free(o->half);
}

void dw_model_call_free(struct dw_model_call *call)
{
	if (!call)
		return;
	for (size_t i = 0; i < DW_MODEL_KEYS; i++) {
		free(call->value[i].v);
		free(call->value[i].word);
		free(call->value[i].text);
	}
	for (size_t i = 0; i < call->n_out; i++)
		free_result(&call->out[i]);
	free(call->out);
	free(call);
}

unsigned dw_call_form(const struct dw_model_call *call)
{
	return call->form;
}

const struct dw_model *dw_model_call_model(const struct dw_model_call *call)
{
	return call->model;
}

const char *dw_model_call_error(const struct dw_model_call *call)
{
	return call->error;
}

void dw_model_call_progress(struct dw_model_call *call,
			    void (*tell)(void *ctx, double done), void *ctx)
{
	call->tell = tell;
	call->tell_ctx = ctx;
}

void dw_call_tell(struct dw_model_call *call, double done)
{
	if (call->tell)
		call->tell(call->tell_ctx, done);
}

int dw_model_call_run(struct dw_model_call *call)
{
	int r = dw_call_settle(call);

	if (!r)
		r = call->model->run(call);
	if (!r && call->no_memory)
		r = -ENOMEM;
	if (r == -ENOMEM)
		snprintf(call->error, sizeof(call->error), "%s: out of memory",
			 call->model->name);
	return r;
}

/* A new output with room for @count numbers, NULL when memory is short. */
static struct dw_model_result *new_output(struct dw_model_call *call, const char *name,
					  size_t count)
{
	struct dw_model_result *o;

	if (dw_room(&call->out, call->n_out, &call->cap_out, sizeof(*call->out)) < 0)
		goto fail;
	o = &call->out[call->n_out];
	*o = (struct dw_model_result){ 0 };
	o->v = calloc(count + 1, sizeof(*o->v));
	if (!o->v)
		goto fail;
	snprintf(o->name, sizeof(o->name), "%s", name);
	call->n_out++;
	return o;
fail:
	call->no_memory = true;
	return NULL;
}

void dw_out_matrix(struct dw_model_call *call, const char *name, const double *v,
		   size_t rows, size_t n)
{
	size_t count = rows ? rows * n : n;
	struct dw_model_result *o;

	for (size_t i = 0; i < count; i++)
		if (!isfinite(v[i]))
			return;
	o = new_output(call, name, count);
	if (!o)
		return;
	o->rows = rows;
	o->n = n;
	for (size_t i = 0; i < count; i++)
		o->v[i] = v[i];
}

void dw_out_array(struct dw_model_call *call, const char *name, const double *v, size_t n)
{
	if (n)
		dw_out_matrix(call, name, v, 0, n);
}

void dw_out_number(struct dw_model_call *call, const char *name, double value)
{
	struct dw_model_result *o = isfinite(value) ? new_output(call, name, 1) : NULL;

	if (o)
		o->v[0] = value;
}

void dw_out_texts(struct dw_model_call *call, const char *name, const char *const *text,
		  size_t n)
{
	struct dw_model_result *o = new_output(call, name, 0);

	if (!o)
		return;
	o->text = calloc(n + 1, sizeof(*o->text));
	for (o->n = 0; o->text && o->n < n; o->n++) {
		size_t len = strlen(text[o->n]) + 1;
		char *copy = malloc(len);

		if (!copy)
			break;
		memcpy(copy, text[o->n], len);
		o->text[o->n] = copy;
	}
	call->no_memory |= o->n < n || !o->text;
}

void dw_out_text(struct dw_model_call *call, const char *name, const char *text)
{
	struct dw_model_result *o;

	dw_out_texts(call, name, &text, 1);
	if (call->no_memory)
		return;
	o = &call->out[call->n_out - 1];
	o->rows = 1;
}

double dw_ratio_mean(const struct dw_ratio *ratio)
{
	double num = 0, den = 0;

	for (size_t i = 0; i < DW_MODEL_BATCHES; i++) {
		num += ratio->num[i];
		den += ratio->den[i];
	}
	return num / den;
}

/* Half the width of its confidence interval, from the batches' spread about the common mean
 * (Student, 19 degrees of freedom). */
static double ratio_half(const struct dw_ratio *ratio, int percent)
{
	double mean = dw_ratio_mean(ratio), sum = 0, den = 0;

	for (size_t i = 0; i < DW_MODEL_BATCHES; i++) {
		double off = ratio->num[i] - mean * ratio->den[i];

		sum += off * off;
		den += ratio->den[i];
	}
	sum *= (double)DW_MODEL_BATCHES / (DW_MODEL_BATCHES - 1);
	return (percent == 90 ? T_90 : T_95) * sqrt(sum) / den;
}

void dw_out_simulated(struct dw_model_call *call, const char *name,
		      const struct dw_ratio *ratio, size_t n, bool array, int percent)
{
	struct dw_model_result *o;
	char full[56];

	for (size_t i = 0; i < n; i++)
		if (!isfinite(dw_ratio_mean(&ratio[i])))
			return;
	snprintf(full, sizeof(full), "simulated.%s", name);
	o = new_output(call, full, n);
	if (!o)
		return;
	o->half = calloc(n + 1, sizeof(*o->half));
	if (!o->half) {
		call->no_memory = true;
		return;
	}
	o->n = array ? n : 0;
	for (size_t i = 0; i < n; i++) {
		o->v[i] = dw_ratio_mean(&ratio[i]);
		o->half[i] = ratio_half(&ratio[i], percent);
	}
}

bool dw_model_call_output(const struct dw_model_call *call, size_t i,
			  struct dw_model_output *ret_output)
{
	const struct dw_model_result *o = &call->out[i];

	if (i >= call->n_out)
		return false;
	*ret_output = (struct dw_model_output){
		.name = o->name,
		.rows = o->text ? 0 : o->rows,
		.n = o->text && o->rows ? 0 : o->n,
		.value = o->text ? NULL : o->v,
		.text = (const char *const *)o->text,
		.half = o->half,
	};
	return true;
}

bool dw_model_call_input(const struct dw_model_call *call, size_t i,
			 struct dw_model_output *ret_input)
{
	for (size_t k = 0; k < call->model->n_keys; k++) {
		const struct dw_model_value *v = &call->value[k];

		if (!v->set || i--)
			continue;
		*ret_input = (struct dw_model_output){
			.name = call->model->keys[k].name,
			.rows = v->rows,
			.n = v->scalar ? 0 : v->n,
			.value = v->word ? NULL : v->v,
			.text = v->word ? (const char *const *)&v->word : NULL,
		};
		return true;
	}
	return false;
}
