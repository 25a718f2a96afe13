/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "care_rules.h"

#include <stdio.h>
#include <string.h>

#include <diskwipe/health.h>

#define LIMIT_UNKNOWN 65
#define LIMIT_LOWEST  35 /* a disk at rest in a warm room */
#define LIMIT_HIGHEST 120

struct heat_limits heat_limits(const struct heat_limits *configured, int32_t own)
{
	struct heat_limits l = *configured;

	if (own < LIMIT_LOWEST || own > LIMIT_HIGHEST)
		own = LIMIT_UNKNOWN;
	if (l.pause == DEGREES_OF_DISK)
		l.pause = own;
	if (l.warn == DEGREES_OF_DISK)
		l.warn = (l.pause == DEGREES_NEVER ? own : l.pause) - DEGREES_BACK;
	return l;
}

enum heat heat_next(enum heat before, int32_t degrees, const struct heat_limits *l)
{
	if (degrees == DW_TEMPERATURE_UNKNOWN)
		return before;
	if (degrees >= l->pause ||
	    (before == HEAT_HOT && degrees > l->pause - DEGREES_BACK))
		return HEAT_HOT;
	if (degrees >= l->warn ||
	    (before != HEAT_FINE && degrees > l->warn - DEGREES_BACK))
		return HEAT_WARM;
	return HEAT_FINE;
}

void lights_of(enum svc_outcome o, int code, bool ret[2])
{
	bool over = o != OUTCOME_NONE && o != OUTCOME_REMOVED && o != OUTCOME_STOPPED;

	ret[DW_LIGHT_LOCATE] = over && !code;
	ret[DW_LIGHT_FAULT] = over && code;
}

void reuse_reason(const char *reason, const char *text, char *ret, size_t size)
{
	char end[128] = "";
	size_t room;

	if (text[0])
		snprintf(end, sizeof(end), "%sdo not reuse: %.100s",
			 reason[0] ? "; " : "", text);
	room = size - 1 - strlen(end);
	snprintf(ret, size, "%.*s%s", (int)room, reason, end);
}
