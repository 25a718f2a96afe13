/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_MODEL_H
#define DW_PAPERS_MODEL_H

/*
 * What the models share: how they read their inputs and leave their outputs. A model asks
 * for keys of its own table only; asking for another is a bug and aborts. Outputs that are
 * not finite are left out. Running out of memory is remembered and reported at the end.
 */
#include "papers/papers.h"

#define DW_MODEL_KEYS    32
#define DW_MODEL_BATCHES 20

/** struct dw_ratio - a simulated mean, sum of @num by sum of @den, batch by batch */
struct dw_ratio {
	double num[DW_MODEL_BATCHES];
	double den[DW_MODEL_BATCHES];
};

extern const struct dw_model dw_model_closed;
extern const struct dw_model dw_model_closed_paths;
extern const struct dw_model dw_model_commands;
extern const struct dw_model dw_model_functional;
extern const struct dw_model dw_model_layout;
extern const struct dw_model dw_model_length;
extern const struct dw_model dw_model_mirror;
extern const struct dw_model dw_model_reconnect;
extern const struct dw_model dw_model_schedule;
extern const struct dw_model dw_model_shared_bus;
extern const struct dw_model dw_model_stripe;
extern const struct dw_model dw_model_write;
extern const struct dw_model dw_model_zone;

/** dw_call_fail() - remember why; returns -EINVAL. */
int dw_call_fail(struct dw_model_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** dw_call_form() - which form of the model was called, 0 = the first. */
unsigned dw_call_form(const struct dw_model_call *call);

/** dw_call_has() - whether a key has a value, given or by default. */
bool dw_call_has(const struct dw_model_call *call, const char *key);

/** dw_call_number() - value of a number, whole number or flag. */
double dw_call_number(const struct dw_model_call *call, const char *key);

/** dw_call_word() - place of a word in the key's list. */
int dw_call_word(const struct dw_model_call *call, const char *key);

/** dw_call_text() - text of a file. */
const char *dw_call_text(const struct dw_model_call *call, const char *key);

/** dw_call_array() - values of an array or matrix, row by row; borrowed.
 *  @ret_rows: rows of a matrix, may be NULL; @ret_n: length of an array or row. */
const double *dw_call_array(const struct dw_model_call *call, const char *key,
			    size_t *ret_rows, size_t *ret_n);

/** dw_call_each() - value @i of a key that is one number for all or an array. */
double dw_call_each(const struct dw_model_call *call, const char *key, size_t i);

/** dw_call_each_fits() - 0 when such a key is one number or has @n; else -EINVAL, reported. */
int dw_call_each_fits(struct dw_model_call *call, const char *key, size_t n);

/** dw_call_tell() - how far a simulation is, 0..1. */
void dw_call_tell(struct dw_model_call *call, double done);

/** dw_out_number() - leave a number. */
void dw_out_number(struct dw_model_call *call, const char *name, double value);

/** dw_out_array() - leave an array of @n numbers; copied. */
void dw_out_array(struct dw_model_call *call, const char *name, const double *v,
		  size_t n);

/** dw_out_matrix() - leave @rows x @n numbers, row by row; copied. */
void dw_out_matrix(struct dw_model_call *call, const char *name, const double *v,
		   size_t rows, size_t n);

/** dw_out_texts() - leave an array of texts; copied. */
void dw_out_texts(struct dw_model_call *call, const char *name, const char *const *text,
		  size_t n);

/** dw_out_text() - leave one text; copied. */
void dw_out_text(struct dw_model_call *call, const char *name, const char *text);

/** dw_out_simulated() - leave the @n simulated means with their intervals as "simulated.@name",
 *  an array if @array; @percent: 90 or 95. */
void dw_out_simulated(struct dw_model_call *call, const char *name,
		      const struct dw_ratio *ratio, size_t n, bool array, int percent);

/** dw_ratio_mean() - the mean over all batches. */
double dw_ratio_mean(const struct dw_ratio *ratio);

/** dw_thesis_commands() - commands of @blocks blocks that cover @bytes (equation 3.16, whole
 *  blocks and whole commands). */
double dw_thesis_commands(double bytes, double sector, double blocks);

#endif
