/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policies with one queue, exactly (Towsley, Chen and Yu, section 3.2). The levels are
 * the paper's: states in which a request more is in service stand one level higher than
 * the queue is long. A request's kind is drawn when it comes to the head and the disks let
 * it matter.
 *
 * The paper gives reads and updates the same wait E[N]/lambda. But a head that is known to be
 * an update waits longer; with Ph the probability of such a head,
 *
 *	Wq,read = (E[N] - Ph)/lambda,  Wq,update = Wq,read + Ph/(lambda pw)
 */
#include <math.h>

#include "papers/mirror.h"
#include "papers/qbd.h"

/* C-PSSQ, level 0: idle, primary reads, writes alone, secondary writes alone, both write;
 * above: R and WR in place of idle and R, and Ws has an update at its head. */
static void c_pssq(struct dw_qbd *q, void *ctx, size_t level, size_t phase)
{
	const struct dw_mirror *m = ctx;
	double lr = m->lambda * m->pr, lw = m->lambda - lr;
	double mr = m->mu * m->pr, mw = m->mu - mr;
	size_t read = level == 1 ? 1 : 0;

	if (!level) {
		if (phase == 0) {
			dw_qbd_go(q, 0, 1, lr);
			dw_qbd_go(q, 0, 4, lw);
		} else if (phase == 4) {
			dw_qbd_go(q, 0, 2, m->mu);
			dw_qbd_go(q, 0, 3, m->mu);
			dw_qbd_go(q, 1, 4, m->lambda);
		} else {
			dw_qbd_go(q, 0, 0, m->mu);
			dw_qbd_go(q, 1,
				  phase == 1   ? 0
				  : phase == 2 ? 2
					       : 1,
				  phase == 3 ? lr : m->lambda);
			dw_qbd_go(q, 1, 3, phase == 3 ? lw : 0);
		}
		return;
	}
	dw_qbd_go(q, 1, phase, m->lambda);
	if (phase == 0 || phase == 2) {
		dw_qbd_go(q, -1, read, mr);
		dw_qbd_go(q, -1, 4, mw);
	} else if (phase == 1) {
		dw_qbd_go(q, -1, read, m->mu);
		dw_qbd_go(q, -1, level == 1 ? 3 : 1, mr);
		dw_qbd_go(q, -1, 3, mw);
	} else if (phase == 3) {
		dw_qbd_go(q, -1, 4, m->mu);
	} else {
		dw_qbd_go(q, 0, 2, m->mu);
		dw_qbd_go(q, 0, 1, mr);
		dw_qbd_go(q, 0, 3, mw);
	}
}

/* CR-ESQ, level 0: idle, one reads, one writes, both write; above: 2R in place of idle, and
 * R has an update at its head. */
static void cr_esq(struct dw_qbd *q, void *ctx, size_t level, size_t phase)
{
	const struct dw_mirror *m = ctx;
	double lr = m->lambda * m->pr, lw = m->lambda - lr, pr = m->pr, pw = 1 - pr;

	if (!level) {
		if (phase == 0) {
			dw_qbd_go(q, 0, 1, lr);
			dw_qbd_go(q, 0, 3, lw);
		} else if (phase == 1) {
			dw_qbd_go(q, 0, 0, m->mu);
			dw_qbd_go(q, 1, 0, lr);
			dw_qbd_go(q, 1, 1, lw);
		} else {
			dw_qbd_go(q, 0, phase == 2 ? 0 : 2,
				  phase == 2 ? m->mu : 2 * m->mu);
			dw_qbd_go(q, 1, phase, m->lambda);
		}
		return;
	}
	dw_qbd_go(q, 1, phase, m->lambda);
	if (phase == 0) {
		dw_qbd_go(q, -1, level == 1 ? 1 : 0, 2 * m->mu * pr);
		dw_qbd_go(q, -1, 1, 2 * m->mu * pw);
	} else if (phase == 1) {
		dw_qbd_go(q, -1, 3, m->mu);
	} else if (phase == 2) {
		dw_qbd_go(q, -1, 3, m->mu * pw);
		dw_qbd_go(q, -1, level == 1 ? 1 : 0, m->mu * pr * pr);
		dw_qbd_go(q, -1, 1, m->mu * pr * pw);
	} else {
		dw_qbd_go(q, 0, 2, 2 * m->mu);
	}
}

/* CRU-ESQ, level 0: idle, one busy; above: both busy, one busy with an update at the head. */
static void cru_esq(struct dw_qbd *q, void *ctx, size_t level, size_t phase)
{
	const struct dw_mirror *m = ctx;
	double lr = m->lambda * m->pr, lw = m->lambda - lr;

	if (!level && !phase) {
		dw_qbd_go(q, 0, 1, lr);
		dw_qbd_go(q, 1, 0, lw);
	} else if (!level) {
		dw_qbd_go(q, 0, 0, m->mu);
		dw_qbd_go(q, 1, 0, lr);
		dw_qbd_go(q, 1, 1, lw);
	} else {
		dw_qbd_go(q, 1, phase, m->lambda);
		if (phase) {
			dw_qbd_go(q, 0, 0, m->mu);
			return;
		}
		dw_qbd_go(q, -1, level == 1 ? 1 : 0, 2 * m->mu * m->pr);
		dw_qbd_go(q, -1, 1, 2 * m->mu * (1 - m->pr));
	}
}

int dw_mirror_single(const struct dw_mirror *m, struct dw_mirror_waits *ret)
{
	static const struct {
		void (*leave)(struct dw_qbd *q, void *ctx, size_t level, size_t phase);
		size_t phases;
		size_t boundary;
		size_t raised; /* phase whose queue is one shorter than its level */
		size_t head;   /* phase with an update at the head */
	} row[] = {
		[DW_C_PSSQ] = { c_pssq, 5, 5, 1, 3 },
		[DW_CR_ESQ] = { cr_esq, 4, 4, 0, 1 },
		[DW_CRU_ESQ] = { cru_esq, 2, 2, 0, 1 },
	};
	struct dw_mirror copy = *m;
	struct dw_qbd_rule rule = { .phases = row[m->policy].phases,
				    .boundary = row[m->policy].boundary,
				    .leave = row[m->policy].leave,
				    .ctx = &copy };
	double n = 0, ph, pw = 1 - m->pr, wait;
	struct dw_qbd *q = NULL;
	int r = dw_qbd_solve(&rule, &q);

	if (r)
		return r;
	for (size_t i = 0; i < rule.phases; i++)
		n += dw_qbd_moment(q)[i];
	n -= dw_qbd_sum(q)[row[m->policy].raised];
	ph = dw_qbd_sum(q)[row[m->policy].head];
	dw_qbd_free(q);
	wait = (n - ph) / m->lambda;
	ret->read = wait + 1 / m->mu;
	ret->update = pw > 0 ? wait + ph / (m->lambda * pw) + 1.5 / m->mu : NAN;
	ret->read_printed = n / m->lambda + 1 / m->mu;
	ret->update_printed = n / m->lambda + 1.5 / m->mu;
	return 0;
}
