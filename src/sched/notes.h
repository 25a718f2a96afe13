/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_SCHED_NOTES_H
#define DW_SCHED_NOTES_H

/* What the adaptive controller keeps for each disk of a link; disks come and go. */
#include <stdbool.h>
#include <stdint.h>

#include "sched/late.h"
#include "sched/unheard.h"

/** struct dw_last_verb - the verb of a disk's latest command, if there was one */
struct dw_last_verb {
	uint8_t verb;
	bool seen;
};

/**
 * struct dw_notes - arrays with an item for each place; zeroed at the start
 * @n: items of each
 * @last: what it did last
 * @silent: when it answered
 * @got: its part in the rate of all
 */
struct dw_notes {
	uint32_t n;
	struct dw_last_verb *last;
	struct dw_unheard *silent;
	struct dw_late *got;
};

/** dw_notes_in() - nothing is known of @disk, one of @places, from now on; 0 or -ENOMEM. */
int dw_notes_in(struct dw_notes *notes, uint32_t places, uint32_t disk);

/** dw_notes_deinit() - free the arrays. */
void dw_notes_deinit(struct dw_notes *notes);

#endif
