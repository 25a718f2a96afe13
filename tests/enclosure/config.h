/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_CONFIG_H
#define DW_ENCLOSURE_CONFIG_H

#include "rack.h"

int dw_config_line(struct dw_rack *r, const char *line);
int dw_config_file(struct dw_rack *r, const char *path, unsigned int *ret_line);
int dw_config_set(struct dw_rack *r, unsigned int port, const char *pairs);

#endif
