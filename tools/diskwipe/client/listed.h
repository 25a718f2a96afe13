/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_LISTED_H
#define DISKWIPE_CLIENT_LISTED_H

/* What commands that choose disks take for the machine's, where the service erases them. */
#include "client/client.h"

/** cli_station_list() - the disks that are there, as the library would describe them, with what
 *  the service says of each, into c->pick.listed. */
void cli_station_list(struct cli *c, const struct cli_station *s);

#endif
