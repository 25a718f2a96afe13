/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/unheard.h"

#include "base/util.h"

#define SILENT_NS (2 * DW_NS_PER_S)
#define TWICE_MAX 8
#define HELP_NS   (DW_NS_PER_S / 4)

int64_t dw_unheard_find(struct dw_unheard *d, const struct dw_view *view, uint64_t now_ns,
			uint64_t since_ns)
{
	if (view->n < 2) /* who should make room? */
		return -1;
	for (uint32_t i = 0; i < view->n; i++) {
		uint64_t last =
			dw_max_u64(dw_max_u64(d[i].heard_ns, d[i].helped_ns), since_ns);

		if (!view->disk[i].transfers || !d[i].heard_ns) {
			d[i].heard_ns = now_ns;
		} else if (now_ns >=
			   last + (SILENT_NS << dw_min_u64(d[i].in_vain, TWICE_MAX))) {
			d[i].helped_ns = now_ns;
			return i;
		}
	}
	return -1;
}

bool dw_unheard_over(struct dw_unheard *d, uint64_t now_ns)
{
	if (d->heard_ns > d->helped_ns)
		return true;
	if (now_ns < d->helped_ns + HELP_NS)
		return false;
	d->in_vain++;
	return true;
}
