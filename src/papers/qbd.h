/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_QBD_H
#define DW_PAPERS_QBD_H

/*
 * Quasi birth-and-death chains (Neuts): levels of equal states, the transitions from one
 * level to the next, within, and back alike from level one on. A rule says what a state
 * does; level 0 may have states that no other level has.
 */
#include <stdbool.h>
#include <stddef.h>

struct dw_qbd;

/**
 * struct dw_qbd_rule - a chain
 * @phases: states of levels 1, 2, ...
 * @boundary: states of level 0
 * @leave: tell every transition of a state by dw_qbd_go()
 * @ctx: for @leave
 */
struct dw_qbd_rule {
	size_t phases;
	size_t boundary;
	void (*leave)(struct dw_qbd *q, void *ctx, size_t level, size_t phase);
	void *ctx;
};

/** dw_qbd_go() - from the state that is asked about, to phase @phase of level + @up. */
void dw_qbd_go(struct dw_qbd *q, int up, size_t phase, double rate);

/** dw_qbd_solve() - solve; 0, -EINVAL when the chain is not stable, -ENOMEM. */
int dw_qbd_solve(const struct dw_qbd_rule *rule, struct dw_qbd **ret_q);

/** dw_qbd_free() - free; NULL is allowed. */
void dw_qbd_free(struct dw_qbd *q);

/** dw_qbd_level() - probabilities of a level's states; good until the next call, which must
 *  be for the same or the next level; begin with 0. */
const double *dw_qbd_level(struct dw_qbd *q, size_t level);

/** dw_qbd_sum() - probability of each phase over all levels from one on. */
const double *dw_qbd_sum(const struct dw_qbd *q);

/** dw_qbd_moment() - the same, each level weighted by its number. */
const double *dw_qbd_moment(const struct dw_qbd *q);

#endif
