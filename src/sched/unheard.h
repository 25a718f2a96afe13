/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_UNHEARD_H
#define DW_SCHED_UNHEARD_H

/*
 * Disks that have commands and do not answer. One may be at work for long, be dead, or lose
 * every race for the bus; the last of these is what others can help.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sched/strategy.h"

/**
 * struct dw_unheard - one disk
 * @heard_ns: when it answered last, or had nothing to answer; 0 = not known yet
 * @helped_ns: when it was helped last
 * @in_vain: how often that did not bring an answer
 */
struct dw_unheard {
	uint64_t heard_ns;
	uint64_t helped_ns;
	uint32_t in_vain;
};

/**
 * dw_unheard_find() - a disk that is to be helped now
 * @d: one for each disk of @view
 * @view: the job
 * @now_ns: when
 * @since_ns: what went before does not count
 *
 * That is one that was silent for 2 s, twice as long for each time that help was in vain, up to
 * 512 s; and not helped for as long. O(disks).
 *
 * Return: its number, -1 = none.
 */
int64_t dw_unheard_find(struct dw_unheard *d, const struct dw_view *view, uint64_t now_ns,
			uint64_t since_ns);

/** dw_unheard_over() - whether the help that @d was given is to end at @now_ns: it has answered, or
 *  a quarter of a second has gone by without. */
bool dw_unheard_over(struct dw_unheard *d, uint64_t now_ns);

#endif
