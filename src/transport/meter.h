/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_METER_H
#define DW_TRANSPORT_METER_H

/* The clock, and the CPU time that a thread needs for a command: that one is read once for many. */
#include <stdint.h>

/**
 * struct dw_meter - the CPU time of one thread; zeroed at the start
 * @cpu_ns: CPU time of the thread when it was read last; 0 = never
 * @n: commands since then
 * @mean_ns: CPU time of a command, over those before; 0 = not known yet
 */
struct dw_meter {
	uint64_t cpu_ns;
	uint32_t n;
	uint64_t mean_ns;
};

/**
 * dw_meter_count() - the calling thread has dealt with @n commands more
 * @m: always of the same thread; after another thread the next mean is left out
 *
 * Return: CPU time of a command, ns; 0 = not known yet.
 */
uint64_t dw_meter_count(struct dw_meter *m, uint32_t n);

/** dw_clock_ns() - CLOCK_MONOTONIC now, ns; any thread. */
uint64_t dw_clock_ns(void);

#endif
