/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_FORECAST_WORLD_H
#define DW_FORECAST_WORLD_H

/*
 * What the files of the simulator share: the world, which is a transport, and what is in it.
 * All times are ns of a clock of their own, see leap.c.
 */
#include "base/heap.h"
#include "base/rng.h"
#include "plan/extents.h"
#include "station/station.h"
#include "transport/transport.h"

#define SIM_NONE     UINT32_MAX
#define SIM_LOAD_TAG (UINT64_C(1) << 63)  /* of an event: not an op's */
#define SIM_START_NS UINT64_C(1000000000) /* the clock at the beginning: 0 means never */

enum sim_kind {
	SIM_OTHER,
	SIM_WRITE,
	SIM_SAME,
	SIM_READ,
	SIM_FLUSH,
	SIM_OWN,
	SIM_COMPARE
};

enum sim_phase {
	SIM_QUEUED,  /* in the host, before the disk's depth lets it out */
	SIM_HELD,    /* waits for the controller */
	SIM_ARRIVE,  /* reaches the disk */
	SIM_PENDING, /* waits behind another command of the disk for its data */
	SIM_MOVE,    /* its data may move */
	SIM_SEND,    /* data of a read may move */
	SIM_DONE,    /* ends */
	SIM_READY,   /* waits to be reaped */
};

/**
 * struct sim_op - one command in the world
 * @cmd: the submitter's
 * @next: link of whatever list it is in
 * @event: number of the only event that counts for it
 * @path: which of the disk's paths
 * @bytes, @bus_bytes: on the medium, on the bus
 * @held: bytes of the controller's buffer
 * @admitted: counts in the controller's queue
 * @out: sent to the disk, @here: has reached it
 */
struct sim_op {
	struct dw_cmd *cmd;
	uint64_t lba;
	uint64_t bytes;
	uint64_t bus_bytes;
	uint64_t held;
	uint64_t submit_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t info_lba;
	uint32_t disk;
	uint32_t next;
	uint32_t event;
	uint32_t nlb;
	int32_t resid;
	int err;
	uint16_t host_status;
	uint8_t kind;
	uint8_t phase;
	uint8_t path;
	uint8_t status;
	uint8_t key;
	uint8_t asc;
	uint8_t ascq;
	bool info;
	bool admitted;
	bool out;
	bool here;
};

/** struct sim_list - ops in a line */
struct sim_list {
	uint32_t head;
	uint32_t tail;
	uint32_t n;
};

/**
 * struct sim_server - something data pass through; first come, first served
 * @ns_per_byte: 0 = no limit
 * @free_ns: when it has done what has reached it
 * @busy_ns: time in use
 * @up: next towards the host
 */
struct sim_server {
	double ns_per_byte;
	uint64_t command_ns;
	uint64_t free_ns;
	uint64_t busy_ns;
	uint32_t up;
	bool parallel;
	bool retry;
};

/** struct sim_controller - its processor, queue and buffer; by the index of its node */
struct sim_controller {
	uint64_t command_ns;
	uint64_t cpu_free_ns;
	uint64_t buffer;
	uint64_t used;
	uint64_t overflow_ns;
	uint64_t queue;
	uint64_t at;
	struct sim_list wait;
};

/**
 * struct sim_arm - an actuator, with the part of the medium that it reaches
 * @media_free_ns: when the medium has done what it was given
 * @next_lba: where the head is then
 * @leap_from, @leap_to: blocks between which nothing is sent, 0 = none
 * @used: it stands somewhere
 */
struct sim_arm {
	uint64_t media_free_ns;
	uint64_t next_lba;
	uint64_t leap_from;
	uint64_t leap_to;
	bool used;
};

/**
 * struct sim_disk - one disk
 * @spec: what it is
 * @target: as attached
 * @arm, @arms: its actuators; each has as many blocks, and its share of the buffer
 * @slope: bytes per second lost from one byte to the next
 * @link_free_ns: its interface is in use until then, by path
 * @moving: op that moves its data or waits to, @pending: those behind it
 * @queue: in the host
 * @retries: whether a bus on the path does not queue
 * @at: commands sent to the disk, @here: those that have reached it
 * @stalled_ns: nothing ends before
 * @slow: what is left of the rate
 * @cache: its write cache is on
 * @attention: the next command learns of a reset
 * @luck: commands until the next that is aborted
 * @own_begun_ns, @own_until_ns: it works by itself, on the clock that others see; 0 = it does not
 * @odd: single blocks whose contents are not the pass's: planted differences
 * @own_failed: the last such work did not end well; @own_count: how often it was begun
 * @missed: revolutions lost to a busy bus, @lost: to a late command
 */
struct sim_disk {
	const struct station_disk *spec;
	struct dw_target target;
	struct dw_rng rng;
	double slope;
	double rev_ns;
	double link_ns_per_byte;
	double slow;
	double chance;
	uint64_t link_free_ns[2];
	struct sim_arm arm[STATION_ACTUATORS];
	uint32_t arms;
	uint64_t stalled_ns;
	uint64_t luck;
	uint64_t own_begun_ns;
	uint64_t own_until_ns;
	uint64_t missed;
	uint64_t lost;
	uint32_t own_count;
	uint32_t unit;
	uint32_t controller[2];
	uint32_t moving;
	uint32_t at;
	uint32_t here;
	struct sim_list pending;
	struct sim_list queue;
	struct dw_extents odd;
	uint8_t turn;
	bool retries[2];
	bool attached;
	bool fenced;
	bool gone;
	bool attention;
	bool cache;
	bool own_failed;
};

/** struct sim_observer - who looks at what reaches a disk; any member may be NULL. @leapt:
 *  positions of the sweep written within a leap */
struct sim_observer {
	void (*begun)(void *ctx, uint32_t unit, const struct dw_cmd *cmd,
		      uint32_t at_device);
	void (*ended)(void *ctx, uint32_t unit, const struct dw_cmd *cmd, bool good);
	void (*reset)(void *ctx, uint32_t unit);
	void (*leapt)(void *ctx, uint32_t unit, uint64_t pos, uint64_t n);
	void *ctx;
};

struct sim_leap;
struct sim_loads;

/**
 * struct sim_world - the whole
 * @due: what is to happen to ops, @faults: to disks (in the time since the start)
 * @fault_ns: when the first of them is due
 * @now_ns: the clock of all that happens, @leapt_ns: what others see beyond it
 * @gone_err: of commands to a disk that is gone, as where its node goes with it; 0 = they have no
 *	connection
 * @moves: how often a disk went or came
 * @leap: measurements of coarse mode, NULL = exact
 * @loads: other work, NULL = nothing else continues
 */
struct sim_world {
	struct dw_transport base;
	const struct dw_station *station;
	struct sim_server *server;
	struct sim_controller *controller;
	struct sim_disk *disk;
	uint32_t n_disks;
	struct sim_op *op;
	uint32_t n_ops;
	uint32_t free_op;
	struct sim_list ready;
	struct dw_heap due;
	struct dw_heap faults;
	uint64_t fault_ns;
	uint64_t now_ns;
	uint64_t leapt_ns;
	int gone_err;
	uint64_t moves;
	struct sim_leap *leap;
	struct sim_loads *loads;
	struct sim_observer observer;
	int error;
};

/**
 * sim_world_new() - disks of a station, all idle, as a transport
 * @station: borrowed until the world is freed
 * @seed: of everything random
 * @coarse: leap over even stretches, see leap.c
 * @ret: free with ops->free
 *
 * A disk is attached by its number in dw_target.sg_fd. Nothing is read from or written to the
 * data of a WRITE or READ; parameter data are filled in.
 *
 * Return: 0 or -ENOMEM.
 */
int sim_world_new(const struct dw_station *station, uint64_t seed, bool coarse,
		  struct sim_world **ret);

/** sim_world_disk() - the description of disk @unit, and which of its kind it is (from 0). */
const struct station_disk *sim_world_disk(const struct dw_station *station, uint32_t unit,
					  uint32_t *ret_index);

/**
 * sim_world_begin() - from now on its clock, as others see it, continues from @now_ns; before
 *  anything has happened. The times of faults count from there, and a disk that goes is no device
 *  any more.
 */
void sim_world_begin(struct sim_world *w, uint64_t now_ns);

/** sim_world_advance() - all that is due until @until_ns, as others see the clock, happens; what
 *  has ended waits to be reaped. 0 or -ENOMEM. */
int sim_world_advance(struct sim_world *w, uint64_t until_ns);

/** sim_world_next() - when the next thing happens, or the present if something waits to be reaped;
 *  UINT64_MAX = never. As others see the clock. */
uint64_t sim_world_next(const struct sim_world *w);

/** sim_disk_pull() - the disk is gone, and its commands end so; sim_disk_insert(): it is back, and
 *  has just been switched on. */
void sim_disk_pull(struct sim_world *w, uint32_t unit);
void sim_disk_insert(struct sim_world *w, uint32_t unit);

/* world.c */

/** sim_list_add() - append op @i. */
void sim_list_add(struct sim_world *w, struct sim_list *l, uint32_t i);

/** sim_list_take() - take the first op out; SIM_NONE when empty. */
uint32_t sim_list_take(struct sim_world *w, struct sim_list *l);

/** sim_event() - the next thing that happens to op @i: @phase at @ns; replaces what was to
 *  happen. */
void sim_event(struct sim_world *w, uint32_t i, uint64_t ns, uint8_t phase);

/** sim_end() - op @i ends at @ns, or when the host loses patience. */
void sim_end(struct sim_world *w, uint32_t i, uint64_t ns);

/** sim_arrive_at() - op @i leaves the controller at @ns and reaches its disk after the disk's
 *  overhead. */
void sim_arrive_at(struct sim_world *w, uint32_t i, uint64_t ns);

/** sim_fault_draw() - how many commands of the disk go well before the next aborted one. */
void sim_fault_draw(struct sim_disk *d);

/* bus.c: data on their way */

/** sim_bus_busy() - whether a node on the way that does not queue is in use now. */
bool sim_bus_busy(const struct sim_world *w, const struct sim_disk *d, uint8_t path);

/** sim_bus_move() - move an op's data from now on; when the last byte has passed. */
uint64_t sim_bus_move(struct sim_world *w, struct sim_disk *d, const struct sim_op *o);

/** sim_bus_choose() - the path that is free first; equal ones in turn. */
uint8_t sim_bus_choose(struct sim_world *w, struct sim_disk *d);

/* controller.c: its queue, buffer and processor */

/** sim_controller_enter() - op @i reaches the controller of its path, or the disk at once. */
void sim_controller_enter(struct sim_world *w, uint32_t i);

/** sim_controller_leave() - op @i has ended: its room is the next one's. */
void sim_controller_leave(struct sim_world *w, uint32_t i);

/* disk.c: medium, cache and buffer */

/** sim_disk_init() - an idle disk; @seed for its latencies and its luck. */
void sim_disk_init(struct sim_disk *d, const struct station_disk *spec, uint64_t seed);

/** sim_disk_arm() - the actuator that reaches @lba. */
struct sim_arm *sim_disk_arm(struct sim_disk *d, uint64_t lba);

/** sim_disk_pace() - blocks per ns that pass under the head at @lba. */
double sim_disk_pace(const struct sim_disk *d, uint64_t lba);

/** sim_disk_buffer_ns() - the time that an actuator needs for its share of the buffer when that is
 *  full, where its head is. */
double sim_disk_buffer_ns(const struct sim_disk *d, const struct sim_arm *a);

/** sim_disk_free_ns() - when the medium has done all that it was given. */
uint64_t sim_disk_free_ns(const struct sim_disk *d);

/** sim_disk_hold() - no actuator continues before @ns, nor for @more ns after what it has to do. */
void sim_disk_hold(struct sim_disk *d, uint64_t ns, uint64_t more);

/** sim_disk_arrive() - op @i has reached its disk, and nothing is wrong with it. */
void sim_disk_arrive(struct sim_world *w, uint32_t i);

/** sim_disk_move() - it is the turn of write @i to move its data, if they may move now. */
void sim_disk_move(struct sim_world *w, uint32_t i);

/* own.c: what it does by itself, without its bus */

/** sim_own_work() - whether disk @d works by itself now; what is due of that happens. */
bool sim_own_work(const struct sim_world *w, struct sim_disk *d);

/** sim_own_command() - a command about that has reached the disk: it begins if so commanded. */
void sim_own_command(const struct sim_world *w, struct sim_disk *d,
		     const struct dw_cmd *cmd);

/** sim_own_answer() - how far it is, in the completion of such a command. */
void sim_own_answer(const struct sim_world *w, struct sim_disk *d,
		    struct dw_completion *ret);

/** sim_own_left() - ns until its work ends, UINT64_MAX = it does not work by itself. */
uint64_t sim_own_left(const struct sim_world *w, const struct sim_disk *d);

/* odd.c: blocks that differ, of a disk that compares them */

/** sim_odd_wrote() - op @o, a write, has ended well. */
void sim_odd_wrote(struct sim_world *w, struct sim_disk *d, const struct sim_op *o);

/** sim_odd_compare() - whether one of the blocks of @o differs: then it ends with the first of
 *  them, and its sense data say which. */
bool sim_odd_compare(const struct sim_disk *d, struct sim_op *o);

/* fault.c: what goes wrong */

/** sim_fault_command() - whether op @o meets a fault; its status is then set. */
bool sim_fault_command(struct sim_world *w, struct sim_disk *d, struct sim_op *o);

/** sim_fault_happen() - the time of fault number @fault of disk @disk has come. */
void sim_fault_happen(struct sim_world *w, uint32_t disk, uint32_t fault);

/** sim_fault_sense() - op @o ends with CHECK CONDITION and these sense data (SPC). */
void sim_fault_sense(struct sim_op *o, uint8_t key, uint8_t asc, uint8_t ascq);

/** sim_fault_put_sense() - the sense data of op @o in descriptor format into zeroed @sense;
 *  their length, 0 = none. */
uint32_t sim_fault_put_sense(const struct sim_op *o, uint8_t *sense);

/* answer.c: parameter data */

/** sim_answer() - fill in the parameter data that op @o asks for, or refuse it. */
void sim_answer(const struct sim_world *w, const struct sim_disk *d, struct sim_op *o);

/** sim_answer_names() - the serial number and WWN of disk @unit. */
void sim_answer_names(const struct station_disk *s, uint32_t unit, char serial[24],
		      char wwn[24]);

#endif
