/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_CALL_H
#define DW_PAPERS_CALL_H

/* Inside of a call: input.c fills and checks the values, output.c keeps the results. */
#include "papers/model.h"

/** struct dw_model_value - value of a key; @n numbers in @v (a matrix: @rows times @n) */
struct dw_model_value {
	bool given;
	bool set;
	bool scalar;
	size_t rows;
	size_t n;
	double *v;
	char *word;
	char *text;
};

struct dw_model_result {
	char name[56];
	size_t rows;
	size_t n;
	double *v;
	double *half;
	char **text;
};

struct dw_model_call {
	const struct dw_model *model;
	struct dw_model_value value[DW_MODEL_KEYS];
	unsigned form;
	struct dw_model_result *out;
	size_t n_out;
	uint32_t cap_out;
	bool no_memory;
	void (*tell)(void *ctx, double done);
	void *tell_ctx;
	char error[240];
};

/** dw_call_settle() - pick the form, complain about what is missing or foreign, fill in the
 *  defaults; 0, -EINVAL, -ENOMEM. */
int dw_call_settle(struct dw_model_call *call);

#endif
