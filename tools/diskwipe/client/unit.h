/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_UNIT_H
#define DISKWIPE_CLIENT_UNIT_H

/* The unit of the service. */
#include <systemd/sd-bus.h>

#include "cli.h"

/**
 * struct cli_unit - as systemd has it; empty where it cannot be asked
 * @load: "loaded", "not-found", "masked" ...
 * @has_job: it is about to be started, or stopped
 */
struct cli_unit {
	char load[32];
	char active[32];
	char sub[32];
	char result[32];
	bool has_job;
};

/** cli_unit_read() - over a bus that systemd is on. */
struct cli_unit cli_unit_read(sd_bus *bus);

#endif
