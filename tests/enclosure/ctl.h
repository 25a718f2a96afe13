/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_CTL_H
#define DW_ENCLOSURE_CTL_H

#include "loop.h"
#include "rack.h"

#define DW_CTL_CONNS 8

struct dw_ctl;

struct dw_ctl_conn {
	struct dw_ctl *ctl;
	struct dw_source src;
	char line[1024];
	size_t n;
};

/* Control from outside: a socket, and a folder of command files. */
struct dw_ctl {
	struct dw_rack *rack;
	struct dw_loop *loop;
	struct dw_source listen, notify;
	struct dw_ctl_conn conn[DW_CTL_CONNS];
	int dir_fd; /* the folder of command files */
	char path[108];
};

int dw_ctl_exec(struct dw_rack *r, const char *line, FILE *out);
int dw_ctl_init(struct dw_ctl *c, struct dw_loop *l, struct dw_rack *r, const char *dir);
void dw_ctl_deinit(struct dw_ctl *c);
int dw_ctl_client(const char *where, const char *line);

#endif
