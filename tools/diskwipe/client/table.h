/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_TABLE_H
#define DISKWIPE_CLIENT_TABLE_H

/* The members of the client's structs: how they are read from the service and written as JSON. */
#include "client/client.h"

/**
 * struct cli_property - a member
 * @name: of the property, or key of a dictionary, of the service; empty = the object's path
 * @key: in JSON
 * @type: of D-Bus; 'a' = an array of strings or paths, 'T' = 't' that is a time
 * @offset: in the struct: char *, char **, double, bool or a number of that size
 */
struct cli_property {
	const char *name;
	const char *key;
	char type;
	size_t offset;
};

enum cli_table_kind {
	CLI_TABLE_DISK,
	CLI_TABLE_JOB,
	CLI_TABLE_MANAGER,
	CLI_TABLE_RECORD
};

/** cli_properties() - the members of struct cli_station_disk, _job, cli_manager, cli_record. */
const struct cli_property *cli_properties(enum cli_table_kind kind, size_t *ret_n);

#endif
