/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SIMULATED_H
#define DW_SERVICE_SIMULATED_H

/*
 * A simulated station: the service on the disks of a topology file. It lives in a folder of its
 * own, which a file in it marks, and which no real station takes, as it takes none of a real one.
 */
#include <systemd/sd-bus.h>

#include "service.h"

/** simulated_claims() - @dir is the folder of a simulated station. */
bool simulated_claims(const char *dir);

/**
 * simulated_open() - make or find the folder of the station, and its disks
 * @s: with its state_dir; gets its simulation
 * @file: of the topology; @shrink: capacities are divided by it
 * @ret_why: in words
 * Return: 0; -EBUSY: the folder is a real station's; another negative errno.
 */
int simulated_open(struct service *s, const char *file, uint64_t shrink,
		   char ret_why[DW_ERROR_TEXT]);

/** simulated_begin() - the folder is ours: the key of its records, made at the first start. 0;
 *  negative errno with @err. */
int simulated_begin(struct service *s, struct dw_error *err);

/** simulated_settings() - settings that were read: named as simulated; its records, key, figures
 *  and programs are its own, or none. */
void simulated_settings(const struct service *s, struct settings *settings);

/** simulated_table() - methods that pull, insert and heat disks. */
const sd_bus_vtable *simulated_table(void);

#endif
