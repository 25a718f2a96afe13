/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PAPERS_THESIS_H
#define DW_PAPERS_THESIS_H

/* What several models of the erasure thesis count alike. */

/** dw_thesis_commands() - commands of @blocks blocks that cover @bytes (equation 3.16, whole
 *  blocks and whole commands). */
double dw_thesis_commands(double bytes, double sector, double blocks);

#endif
