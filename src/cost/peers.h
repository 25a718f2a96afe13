/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_COST_PEERS_H
#define DW_COST_PEERS_H

/*
 * Who is slow: a disk beside those of its kind in the same job. What all of a kind have in common,
 * be it a full bus or a slow model, makes none of them slow.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DW_PEERS_SLOW 0.80 /* of the middle rate of its kind: below that a disk is slow */

/**
 * struct dw_peer - a disk beside its peers
 * @model, @bytes: disks that are equal in both are peers; @model is borrowed
 * @rate: in any unit that all share; NAN = not known
 * @beside: its rate as a share of the middle of its kind, itself included; 1 where the kind has
 *	less than three disks whose rate is known, or its own is not
 * @compared: it is not 1 for want of peers
 * @slow: below DW_PEERS_SLOW
 */
struct dw_peer {
	const char *model;
	uint64_t bytes;
	double rate;
	double beside;
	bool compared;
	bool slow;
};

/** dw_peers_compare() - fill in @beside, @compared and @slow of @n disks; 0 or -ENOMEM. */
int dw_peers_compare(struct dw_peer *v, size_t n);

#endif
