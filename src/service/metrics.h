/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_METRICS_H
#define DW_SERVICE_METRICS_H

/* What a monitoring system collects: Prometheus text, by HTTP on the socket or as a file. */
#include "service.h"

/** metrics_text() - all of it; malloc'd, NULL without memory. */
char *metrics_text(const struct service *s);

/** metrics_serve() - answer a connection that speaks HTTP, and close it; false: it does not. */
bool metrics_serve(struct service *s, int fd);

/** metrics_file() - write the file for the node exporter, if there is to be one. */
void metrics_file(struct service *s);

#endif
