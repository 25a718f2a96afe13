/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_HOTPLUG_H
#define DW_SERVICE_HOTPLUG_H

/* Events of udev: disks come and go. */
#include "service.h"

/** hotplug_new() - listen; without udev the service looks every 30 s. 0 or -errno. */
int hotplug_new(struct service *s);

/** hotplug_free() - listen no more. */
void hotplug_free(struct service *s);

#endif
