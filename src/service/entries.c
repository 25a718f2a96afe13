/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dictionaries of a call: each entry is taken by whoever knows its key, none is passed over. */
#include <stdio.h>

#include "bus.h"

int entry_unknown(const char *key, sd_bus_error *error)
{
	char text[128];

	snprintf(text, sizeof(text), "there is no option '%s'", key);
	dw_text_printable(text);
	return sd_bus_error_set(error, ERROR("Invalid"), text);
}

static int take_none(sd_bus_message *m, const char *key, void *ctx, sd_bus_error *error)
{
	(void)m;
	(void)ctx;
	return entry_unknown(key, error);
}

int entries_none(sd_bus_message *m, sd_bus_error *error)
{
	return entries_read(m, take_none, NULL, error);
}

int entries_read(sd_bus_message *m, entry_taken *take, void *ctx, sd_bus_error *error)
{
	const char *key;
	int r = sd_bus_message_enter_container(m, 'a', "{sv}");

	while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
		r = sd_bus_message_read(m, "s", &key);
		if (r >= 0)
			r = take(m, key, ctx, error);
		if (r >= 0)
			r = sd_bus_message_exit_container(m);
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}
