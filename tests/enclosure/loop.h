/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_LOOP_H
#define DW_ENCLOSURE_LOOP_H

#include <stdint.h>

/* Somebody who waits for a file descriptor to become readable. */
struct dw_source {
	int fd;
	void (*ready)(void *arg);
	void *arg;
};

struct dw_loop {
	int epoll_fd, timer_fd;
	uint64_t armed_ns;
};

int dw_loop_init(struct dw_loop *l);
void dw_loop_deinit(struct dw_loop *l);
int dw_loop_add(struct dw_loop *l, struct dw_source *s);
void dw_loop_remove(struct dw_loop *l, struct dw_source *s);
int dw_loop_wait(struct dw_loop *l, uint64_t until_ns);
uint64_t dw_loop_now(void);

#endif
