/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_VHOST_H
#define DW_ENCLOSURE_VHOST_H

#include "hba.h"
#include "loop.h"

struct dw_vhost;

struct dw_vhost_queue {
	struct dw_vhost *vhost;
	unsigned int index;
	struct dw_source kick;
	int kick_fd, call_fd;
};

/* The back end of one vhost-user connection. */
struct dw_vhost {
	struct dw_hba hba;
	struct dw_loop *loop;
	struct dw_source listen, conn;
	struct dw_vhost_queue q[DW_HBA_QUEUES];
	int backend_fd;
	uint64_t protocol;
	bool ended;
	char path[108];
};

int dw_vhost_init(struct dw_vhost *v, struct dw_loop *l, struct dw_rack *r,
		  const char *path);
void dw_vhost_deinit(struct dw_vhost *v);
void dw_vhost_notify(struct dw_vhost *v);

#endif
