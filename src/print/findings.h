/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_FINDINGS_H
#define DW_PRINT_FINDINGS_H

/* What limits a run, from its figures, and how to say so. Pure. */
#include "print/run.h"

#define FINDINGS_LINES 12
#define FINDINGS_NODES 64

/** struct node_use - how much of a node's rate was used, over the time in which its disks
 *  moved nine tenths of their data; @share of 1 */
struct node_use {
	uint32_t node;
	double share;
	double rate;
};

/**
 * struct findings - the answer
 * @headline: in words
 * @line: facts and remarks
 * @beside: of each disk, its rate beside the middle of its peers', 0.69 = 31 % below; 1 where
 *	there are no peers; owned
 * @suspect: of each disk: so far below that it is worth a look; owned
 * @slowest: the disk that ended last
 * @node: nodes with a limit, most used first
 */
struct findings {
	char headline[256];
	char line[FINDINGS_LINES][256];
	size_t n_lines;
	double *beside;
	bool *suspect;
	size_t slowest;
	struct node_use node[FINDINGS_NODES];
	size_t n_nodes;
};

/** findings_new() - 0 or -ENOMEM; findings_deinit(). */
int findings_new(const struct run *run, struct findings *ret);

/** findings_deinit() - free what it owns. */
void findings_deinit(struct findings *f);

/** findings_passes() - the share of a disk's data that goes through a node: 0, 1/2, 1. */
double findings_passes(const struct run *run, size_t disk, uint32_t node);

#endif
