/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_HELP_H
#define DISKWIPE_HELP_H

/* What the other programs explain. */
#include "cli.h"

/** cli_model_known() - is there a model of that name? */
bool cli_model_known(const char *name);

/** cli_model_explain() - become the program that explains a model; NULL = all of them, and how they
 *  are called. An exit code if that fails. */
int cli_model_explain(struct cli *c, const char *name);

#endif
