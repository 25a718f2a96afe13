/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_ENCLOSURE_RACK_H
#define DW_ENCLOSURE_RACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fault.h"
#include "lu.h"
#include "model.h"
#include "sense.h"

#define DW_PORTS_MAX DW_SLOTS_MAX
#define DW_UA_MAX    8

/* What the whole enclosure and its HBA are, as configured. */
struct dw_rack_conf {
	uint64_t id, seed;
	bool fast, keep_cache;
	uint64_t bus_bps, bus_cmd_us, buffer_bytes, overflow_us;
	bool bus_retry;
	uint64_t max_sectors, seg_max, cmd_per_lun, queues;
};

struct dw_task;
typedef void dw_task_fn(struct dw_task *task, void *arg);

/* What a command is still waiting for when the hardware is done with it. */
enum dw_holder { DW_HELD_BY_NOBODY, DW_HELD_BY_FAULT, DW_HELD_BY_WORK };

/* A command from its arrival to its answer. */
struct dw_task {
	uint8_t lun[8];
	uint64_t tag;
	uint8_t cdb[32];
	struct dw_iov out, in; /* borrowed until done is called */
	size_t out_len, in_len;
	dw_task_fn *done;
	void *arg;

	uint8_t status, response;
	uint8_t sense[32];
	size_t sense_len;
	uint32_t resid;

	/* the enclosure's own */
	unsigned int port;
	bool medium_op;
	enum dw_holder held_by;
	struct dw_model_op op;
	struct dw_task *prev, *next;
};

/* TEST UNIT READY, by which a guest's kernel polls removable disks at any time. */
static inline bool dw_task_is_poll(const struct dw_task *t)
{
	return t->cdb[0] == 0;
}

/* What a port has seen. @peak: without polls */
struct dw_stats {
	uint64_t commands, by_opcode[256], bytes_in, bytes_out;
	uint64_t checks, uas, flushes, peak, largest_bytes, ws_blocks, aborted;
};

/* A target of the HBA: one way to a logical unit. */
struct dw_port {
	unsigned int id;
	struct dw_lu *lu; /* NULL: nothing was ever there */
	unsigned int rel_port;
	bool gone;
	uint16_t ua[DW_UA_MAX];
	size_t n_ua;
	uint64_t in_flight;
	uint64_t polls; /* of these */
	struct dw_stats stats;
};

enum dw_event { DW_EVENT_ARRIVED, DW_EVENT_REMOVED, DW_EVENT_PARAM };
typedef void dw_event_fn(void *arg, enum dw_event event, unsigned int port, uint16_t asc);

/* The enclosure. */
struct dw_rack {
	struct dw_rack_conf conf;
	struct dw_lu_conf lu_conf[DW_PORTS_MAX];
	bool configured[DW_PORTS_MAX];
	struct dw_port port[DW_PORTS_MAX];
	struct dw_lu *lu[DW_PORTS_MAX];
	unsigned int n_ports; /* highest configured + 1 */
	struct dw_model model;
	struct dw_model_disk media[DW_PORTS_MAX];
	struct dw_faults faults;
	uint64_t start_ns, now_ns, peak;
	uint64_t in_flight;
	struct dw_task *tasks;
	dw_event_fn *event;
	void *event_arg;
};

void dw_rack_init(struct dw_rack *r);
int dw_rack_start(struct dw_rack *r, int dir_fd, uint64_t now_ns);
void dw_rack_deinit(struct dw_rack *r);
struct dw_port *dw_rack_route(struct dw_rack *r, const uint8_t lun[8]);
unsigned int dw_rack_lun(const struct dw_rack *r, unsigned int port);
void dw_rack_submit(struct dw_rack *r, struct dw_task *t, uint64_t now_ns);
void dw_rack_finish(struct dw_rack *r, struct dw_task *t);
void dw_rack_advance(struct dw_rack *r, uint64_t now_ns);
uint64_t dw_rack_next(const struct dw_rack *r);
bool dw_rack_abort(struct dw_rack *r, unsigned int port, uint64_t tag, bool by_tag);
void dw_rack_let_go(struct dw_rack *r, int port, enum dw_holder by);
void dw_rack_drop(struct dw_rack *r);
int dw_rack_flush(struct dw_rack *r, const struct dw_lu *lu);
void dw_rack_mode(struct dw_rack *r, struct dw_lu *lu, int except);
uint64_t dw_rack_load(const struct dw_rack *r, const struct dw_lu *lu);
void dw_rack_pace(struct dw_rack *r, struct dw_lu *lu);

void dw_rack_ua(struct dw_rack *r, const struct dw_lu *lu, uint16_t asc, int except);
void dw_port_ua(struct dw_port *p, uint16_t asc);
void dw_rack_reset(struct dw_rack *r, struct dw_lu *lu, bool lose, uint16_t asc);
void dw_rack_gone(struct dw_rack *r, unsigned int port, bool quiet);
void dw_rack_back(struct dw_rack *r, unsigned int port, bool quiet);
void dw_rack_swap(struct dw_rack *r, unsigned int a, unsigned int b, uint16_t asc);
int dw_rack_resize(struct dw_rack *r, unsigned int port, uint64_t blocks, bool quiet);

void dw_firmware_start(struct dw_rack *r, struct dw_lu *lu, uint64_t ms);
void dw_firmware_look(struct dw_rack *r, struct dw_lu *lu);
void dw_firmware_touch(const struct dw_rack *r, struct dw_lu *lu);
void dw_firmware_cut(struct dw_rack *r, struct dw_lu *lu);
void dw_firmware_power(struct dw_rack *r, struct dw_lu *lu);
uint16_t dw_firmware_progress(const struct dw_rack *r, const struct dw_lu *lu);
bool dw_firmware_sense(const struct dw_rack *r, const struct dw_lu *lu,
		       struct dw_sense *ret_s);
void dw_firmware_print(struct dw_rack *r, struct dw_lu *lu, FILE *f);
int dw_lu_holds(const struct dw_lu *lu, uint64_t lba, uint64_t nlb, bool spare, FILE *f);

uint64_t dw_held(const struct dw_rack *r, const struct dw_port *p);
void dw_stats_print(const struct dw_rack *r, FILE *f);

#endif
