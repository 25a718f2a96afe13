/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_LATE_H
#define DW_SCHED_LATE_H

/*
 * The disks that will end last. What all disks get together is blind to who gets it: on a full
 * bus a setting may cost nothing and halve the one disk that everybody waits for.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sched/strategy.h"

/**
 * struct dw_late - one disk
 * @base, @trial: what it got while they were measured; bytes, or bytes by a weight
 * @first: it counts as the last of all until it is done, at whatever price
 * @notch: how much deeper than others it works, powers of two; @tried: in the trial
 */
struct dw_late {
	double base;
	double trial;
	bool first;
	uint8_t notch;
	uint8_t tried;
};

/** dw_late_reset() - measure all @n disks anew, with the trial or with the base. */
void dw_late_reset(struct dw_late *d, uint32_t n, bool trial);

/** dw_late_accept() - the trial is the base from now on, notches included. */
void dw_late_accept(struct dw_late *d, uint32_t n);

/**
 * dw_late_favour() - a trial in which those that will end last work one notch deeper
 * @d: one for each disk of @view
 * @view: the job
 * @depth: log2 of the depth in the trial that all have
 * @top: up to which depth it makes a difference
 *
 * Return: whether that sets some disks, and not all of them, apart.
 */
bool dw_late_favour(struct dw_late *d, const struct dw_view *view, int depth, int top);

/** dw_late_level() - no disk has a notch any more. */
void dw_late_level(struct dw_late *d, uint32_t n);

/** dw_late_keep() - a trial with the notches that the @n disks have; with @level, without any.
 *  Return: whether some disk has one. */
bool dw_late_keep(struct dw_late *d, uint32_t n, bool level);

/** dw_late_forget() - halve the weight of what the base got so far. */
void dw_late_forget(struct dw_late *d, uint32_t n);

/**
 * dw_late_vote() - what the disks that will end last say of a trial
 * @d: one for each disk of @view
 * @view: the job
 * @ratio: rate of all, trial to base
 * @bytes: of a command of the trial, > 0
 *
 * They have a say where the rate of all stays about the same: from 0.5 % less to 3 % more; those
 * that go first where it is more as well. One that got nothing while it had commands is as late
 * as they are.
 *
 * Return: 1 = they gain 8 % or more, -1 = they lose 5 % or more, and two standard errors of the
 * number of their commands (a loss of those that go first need not be sure); 0 = neither.
 */
int dw_late_vote(const struct dw_late *d, const struct dw_view *view, double ratio,
		 uint64_t bytes);

#endif
