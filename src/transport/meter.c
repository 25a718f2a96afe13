/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "transport/meter.h"

#include <time.h>

#include "base/util.h"

#define COMMANDS 32 /* between two looks at the clock */

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * DW_NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t dw_clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t dw_meter_count(struct dw_meter *m, uint32_t n)
{
	uint64_t now;

	m->n += n;
	if (m->cpu_ns && m->n < COMMANDS)
		return m->mean_ns;
	now = read_clock(CLOCK_THREAD_CPUTIME_ID);
	if (m->cpu_ns && now > m->cpu_ns)
		m->mean_ns = (now - m->cpu_ns) / m->n;
	m->cpu_ns = now;
	m->n = 0;
	return m->mean_ns;
}
