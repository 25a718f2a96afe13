/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_MODEL_H
#define DW_ENCLOSURE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a command does to the hardware. */
enum dw_model_kind {
	DW_MODEL_NONE,  /* no data, no medium: overhead alone */
	DW_MODEL_READ,  /* medium, then bus */
	DW_MODEL_WRITE, /* bus, then medium or disk cache */
	DW_MODEL_FLUSH, /* until the disk cache is on the medium */
};

#define DW_BUSES     4
#define DW_HOLD_EVER (UINT64_MAX / 8) /* ns */

/* The parts all disks share; 0 = unlimited or free of charge. */
struct dw_model_conf {
	uint64_t bus_bps;      /* shared bus, bytes per second */
	uint64_t bus_cmd_ns;   /* bus time each data command takes besides its bytes */
	bool bus_retry;        /* a busy bus costs a disk without cache a revolution */
	uint64_t buffer_bytes; /* controller buffer */
	uint64_t overflow_ns;  /* for each further buffer load of an oversized command */
};

/* One disk; 0 = unlimited or free of charge. */
struct dw_model_disk {
	uint64_t outer_bps, inner_bps; /* media rate at the first and last byte */
	uint64_t capacity_bytes;
	uint64_t rev_ns, seek_ns, overhead_ns;
	uint64_t cache_bytes;
	bool cache_on;
	uint32_t slow_permille; /* 1000 = as it is, 2000 = half the rate */

	uint64_t media_free_ns; /* state: end of the last media work */
	uint64_t next_byte;     /* state: where the head is */
	bool used;
};

/* One command; the first part is the caller's, the second the model's. */
struct dw_model_op {
	unsigned int disk;
	unsigned int bus; /* below DW_BUSES */
	enum dw_model_kind kind;
	uint64_t offset_bytes, bus_bytes, media_bytes;
	bool through;     /* force unit access */
	uint64_t hold_ns; /* extra time at the end, holding nothing */
	void *cookie;

	int phase;
	uint64_t due_ns, seq, held_bytes;
	size_t slot;
	struct dw_model_op *next;
};

struct dw_model {
	struct dw_model_conf conf;
	struct dw_model_disk *disks; /* borrowed */
	size_t n_disks;
	uint64_t bus_free_ns[DW_BUSES], buffer_used, seq;
	struct dw_model_op **heap;
	size_t n_heap, cap_heap;
	struct dw_model_op *wait_head, **wait_tail;
};

void dw_model_init(struct dw_model *m, const struct dw_model_conf *conf,
		   struct dw_model_disk *disks, size_t n_disks);
void dw_model_deinit(struct dw_model *m);
int dw_model_submit(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns);
uint64_t dw_model_next(const struct dw_model *m);
struct dw_model_op *dw_model_pop(struct dw_model *m, uint64_t now_ns);
void dw_model_cancel(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns);
void dw_model_let_go(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns);

#endif
