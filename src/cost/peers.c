/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cost/peers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define FEWEST 3 /* disks of a kind: fewer say nothing of each other */

static int by_kind(const void *a, const void *b)
{
	const struct dw_peer *x = *(struct dw_peer *const *)a;
	const struct dw_peer *y = *(struct dw_peer *const *)b;
	int r = strcmp(x->model, y->model);

	return r ? r : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void compare_kind(struct dw_peer **v, size_t n, double *work)
{
	size_t known = 0;
	double middle;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]->rate))
			work[known++] = v[i]->rate;
	middle = dw_median(work, known);
	for (size_t i = 0; i < n; i++) {
		struct dw_peer *p = v[i];

		p->compared = known >= FEWEST && middle > 0 && !isnan(p->rate);
		p->beside = p->compared ? p->rate / middle : 1;
		p->slow = p->beside < DW_PEERS_SLOW;
	}
}

int dw_peers_compare(struct dw_peer *v, size_t n)
{
	struct dw_peer **order = calloc(n + 1, sizeof(struct dw_peer *));
	double *work = calloc(n + 1, sizeof(*work));
	int r = order && work ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !r; i++)
		order[i] = &v[i];
	if (!r)
		qsort(order, n, sizeof(struct dw_peer *), by_kind);
	for (size_t from = 0, to; from < n && !r; from = to) {
		for (to = from + 1; to < n && !by_kind(&order[from], &order[to]);)
			to++;
		compare_kind(&order[from], to - from, work);
	}
	free(order);
	free(work);
	return r;
}
