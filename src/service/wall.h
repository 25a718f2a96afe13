/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_WALL_H
#define DW_SERVICE_WALL_H

/*
 * The wall screen: a folder with a page, and what it shows, as files. Any web server can serve it,
 * and a browser can open it from the disk. Whoever can read the folder sees which bay is how far,
 * and no serial number but its end, no customer and no operator.
 */
#include "service.h"

/** wall_new() - write the folder from now on, if the settings name one. 0 or negative errno. */
int wall_new(struct service *s);

/** wall_settings() - the settings have changed. */
void wall_settings(struct service *s);

/** wall_free() - the page says that the service has stopped. */
void wall_free(struct service *s);

#endif
