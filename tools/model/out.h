/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_MODEL_OUT_H
#define DISKWIPE_MODEL_OUT_H

/* Results of models as text, and as a table over a swept key. */
#include "cli.h"
#include "papers/papers.h"

/** cli_model_run() - the call that the words ask for, or one for each value of @sweep, which may
 *  be NULL; an exit code. */
int cli_model_run(struct cli *c, const char *sweep);

/** cli_model_unknown() - there is no such model, and what was meant perhaps; an exit code. */
int cli_model_unknown(struct cli *c, const char *name);

/** cli_model_list() - all models, one line each. */
void cli_model_list(FILE *f);

/** cli_model_help() - a model's keys and outputs. */
void cli_model_help(const struct dw_model *model, FILE *f);

/** cli_model_print() - the outputs of a call. */
void cli_model_print(const struct dw_model_call *call);

/** cli_model_table() - the numbers of @n calls, a line each; @key was swept. */
void cli_model_table(const char *key, struct dw_model_call *const *calls, size_t n);

#endif
