/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_VRING_H
#define DW_ENCLOSURE_VRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <linux/virtio_ring.h>

#define DW_REGIONS_MAX 8
#define DW_CHAIN_MAX   1100 /* descriptors of one request */

/* A piece of guest memory. */
struct dw_region {
	uint64_t guest_addr, user_addr, size;
	uint8_t *host;
	void *map;
	size_t map_len;
};

struct dw_memory {
	struct dw_region r[DW_REGIONS_MAX];
	size_t n;
};

/* A split virtqueue, seen from the device. */
struct dw_vring {
	uint32_t num;
	uint64_t desc_user, avail_user, used_user;
	struct vring_desc *desc; /* NULL: not to be used */
	struct vring_avail *avail;
	struct vring_used *used;
	uint16_t last_avail, used_idx, signalled;
	bool event_idx, enabled, pending;
};

/* The buffers of one request, split by direction. */
struct dw_chain {
	uint16_t head;
	size_t n_out, n_in, out_len, in_len;
	struct iovec v[DW_CHAIN_MAX]; /* out first, then in */
};

void *dw_memory_guest(const struct dw_memory *m, uint64_t addr, uint64_t len);
void *dw_memory_user(const struct dw_memory *m, uint64_t addr, uint64_t len);
bool dw_vring_map(struct dw_vring *q, const struct dw_memory *m);
int dw_vring_pop(struct dw_vring *q, const struct dw_memory *m, struct dw_chain *ret_c);
void dw_vring_push(struct dw_vring *q, uint16_t head, uint32_t len);
bool dw_vring_notify(struct dw_vring *q);

#endif
