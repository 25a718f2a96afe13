/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_TOP_START_H
#define DISKWIPE_TOP_START_H

/* A job from the screen: asked for with the command line's options, planned, and started. */
#include "top/model.h"

struct top_start;

/** top_start_new() - by the options of @c, which are told in t->how. */
struct top_start *top_start_new(const struct cli *c, struct top *t);

/** top_start_free() - NULL is accepted. */
void top_start_free(struct top_start *s);

/** top_start_plan() - have the service plan t->target[]: its forecast goes to t->forecast. 0 or an
 *  exit code, then cli_client_why() says why. */
int top_start_plan(struct top_start *s, struct cli_client *k, struct top *t);

/** top_start_begin() - start exactly what was planned last. 0 or an exit code. */
int top_start_begin(struct top_start *s, struct cli_client *k);

#endif
