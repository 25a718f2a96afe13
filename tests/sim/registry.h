/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_SIM_REGISTRY_H
#define DW_TESTS_SIM_REGISTRY_H

/* All strategies that there are: a further row of the registry is tested by what tests these. */
#include "sched/strategy.h"

static inline uint32_t registry_strategies(void)
{
	uint32_t n = 0;

	while (dw_strategy_list()[n])
		n++;
	return n;
}

/* number @i of them, which go round */
static inline const char *registry_strategy(uint64_t i)
{
	return dw_strategy_list()[i % registry_strategies()];
}

#endif
