/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_HBA_H
#define DW_ENCLOSURE_HBA_H

#include "rack.h"
#include "vring.h"

#define DW_HBA_QUEUES 10 /* control, event, up to 8 for requests */
#define DW_HBA_EVENTS 64

struct dw_hba_event {
	enum dw_event event;
	unsigned int port;
	uint16_t asc;
};

/* The virtio-scsi device: rings on one side, the enclosure on the other. */
struct dw_hba {
	struct dw_rack *rack;
	struct dw_memory mem;
	struct dw_vring q[DW_HBA_QUEUES];
	uint64_t features;
	struct dw_hba_event waiting[DW_HBA_EVENTS]; /* until the guest gives a buffer */
	size_t n_waiting;
	bool missed;
	struct dw_chain chain;
};

uint64_t dw_hba_features(void);
void dw_hba_init(struct dw_hba *h, struct dw_rack *r);
void dw_hba_config(const struct dw_hba *h, uint8_t *buf, size_t len);
void dw_hba_run(struct dw_hba *h, unsigned int queue);

#endif
