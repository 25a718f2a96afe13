/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ENGINE_H
#define DW_ENGINE_ENGINE_H

/* The engine of a process: what all its jobs share. */
#include "core/core.h"
#include "data/data.h"
#include "engine/loop.h"
#include "engine/world.h"
#include "transport/paths.h"
#include "transport/transport.h"

#define ENGINE_TRANSPORTS 4

/**
 * struct dw_engine - the engine of a process
 * @core, @loop, @world: its parts; owned
 * @transport: created when they are first needed, NULL = not yet
 * @workers: threads for keystream and comparison; NULL = not yet needed
 * @uevents: events of the kernel; NULL = they cannot be received
 * @resets_ns: when they were last read
 * @homes: of disks with several paths, the number that have each connection as their home
 * @disk, @cap_disks: the disks, by number in the core
 * @link, @n_links: links.c; @n_shared: last number given to links of one adapter
 * @slot, @n_slots: by slot of the core
 * @local: results that need no transport; @n_local of them, with room for @cap_local
 * @jobs: list of all jobs; @looked: those that need regular checks; @due: those that may have
 *	ended
 * @running: number of jobs that have begun and not ended
 * @actionable: number of ended jobs and found disks in this turn, on which the caller may act
 * @discoveries: number of discoveries under way for the caller
 * @turn_ns: time of this turn of the loop, 0 between turns
 * @overdue_ns: when commands that are overdue are looked for; UINT64_MAX = none is under way
 * @wake_ns: in virtual time, the latest end of the next wait; UINT64_MAX = none
 * @error: the error that stopped it for good, 0 = none
 */
struct dw_engine {
	struct dw_core *core;
	struct dw_loop *loop;
	struct dw_world *world;
	struct dw_transport *transport[ENGINE_TRANSPORTS];
	struct dw_workers *workers;
	struct dw_uevents *uevents;
	uint64_t resets_ns;
	uint32_t homes[DW_LINKS_MAX];
	struct job_disk **disk;
	uint32_t cap_disks;
	struct engine_link *link; /* links.c */
	uint32_t n_links;
	uint32_t n_shared;
	struct job_slot **slot;
	uint32_t n_slots;
	struct dw_result *local;
	uint32_t n_local, cap_local;
	struct dw_job *jobs;
	struct dw_job *looked;
	struct dw_job *due;
	uint32_t running;
	uint32_t actionable;
	uint32_t discoveries;
	uint64_t turn_ns;
	uint64_t overdue_ns;
	uint64_t wake_ns;
	int error;
};

/** engine_clock() - the time on the clock of its world. */
uint64_t engine_clock(const struct dw_engine *e);

/** engine_turn() - one turn of the loop; waits for at most @timeout_ms, -1 = no limit. 0, or a
 *  negative errno, which all later calls return as well. */
int engine_turn(struct dw_engine *e, int timeout_ms);

/** engine_add_transport() - use @t as transport @i from now on; the engine owns it. 0 or
 *  -errno. */
int engine_add_transport(struct dw_engine *e, uint32_t i, struct dw_transport *t);

/** engine_workers() - the threads for keystream and comparison, created when they are first
 *  needed. 0 or -errno. */
int engine_workers(struct dw_engine *e, struct dw_executor *ret);

/** engine_take_job() - add a job to the engine, which frees it if nobody else does. */
void engine_take_job(struct dw_engine *e, struct dw_job *job);

/** engine_look_after() - give the job regular checks from now on. */
void engine_look_after(struct dw_job *job);

/** engine_begin_job() - the job has begun; engine_end_job() - it has ended. */
void engine_begin_job(struct dw_job *job);
void engine_end_job(struct dw_job *job);

/** engine_forget_job() - remove a job that is being freed; waits until it has ended. False: the
 *  engine has failed, and keeps the job until it is freed itself. */
bool engine_forget_job(struct dw_job *job);

/** job_may_end() - check in this turn whether the job has ended, as something it may have waited
 *  for has happened. */
void job_may_end(struct dw_job *job);

#endif
