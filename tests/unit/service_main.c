/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What main.c has, for tests of parts of the service: its clocks stand. */
#include "service/service.h"
#include "service_main.h"

uint64_t now_us(void)
{
	return SERVICE_NOW;
}

uint64_t steady_us(void)
{
	return SERVICE_NOW;
}

void service_kick(struct service *s)
{
	(void)s;
}

void service_note(struct service *s, const char *format, ...)
{
	(void)s;
	(void)format;
}

int service_reload(struct service *s, char why[DW_ERROR_TEXT])
{
	(void)s;
	(void)why;
	return 0;
}

int service_stored(struct service *s, int r)
{
	(void)s;
	return r;
}
