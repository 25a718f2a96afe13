/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/meter.h"

#include <time.h>

#include "base/util.h"

#define COMMANDS 32 /* between two looks at the clock */

uint64_t dw_meter_count(struct dw_meter *m, uint32_t n)
{
	struct timespec ts;
	uint64_t now;

	m->n += n;
	if (m->cpu_ns && m->n < COMMANDS)
		return m->mean_ns;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	now = (uint64_t)ts.tv_sec * DW_NS_PER_S + (uint64_t)ts.tv_nsec;
	if (m->cpu_ns && now > m->cpu_ns)
		m->mean_ns = (now - m->cpu_ns) / m->n;
	m->cpu_ns = now;
	m->n = 0;
	return m->mean_ns;
}
