/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_ENGINE_H
#define DW_ENGINE_ENGINE_H

/* What all jobs of a process share. */
#include "core/core.h"
#include "data/data.h"
#include "engine/loop.h"
#include "engine/world.h"
#include "transport/paths.h"
#include "transport/transport.h"

#define ENGINE_TRANSPORTS 4

/**
 * struct dw_engine - what all jobs of a process share
 * @world: where the disks are
 * @transport: made as they are needed, NULL = not yet
 * @resets_ns: when it last listened to the kernel
 * @homes: of disks with several paths, how many have each connection for their home
 * @disk, @cap_disks: by number in the core
 * @slot, @n_slots: by slot of the core
 * @local: results that need no transport
 * @jobs, @looked, @due: lists of jobs
 * @running: jobs that have begun and not ended
 * @told: jobs that have ended and disks that were found in this turn, which the caller may act on
 * @discoveries: disks are being looked for, for the caller
 * @turn_ns: time of this turn of the loop, 0 between turns
 * @wake_ns: in virtual time: the wait ends then at the latest; UINT64_MAX = never
 * @error: what stopped it for good
 */
struct dw_engine {
	struct dw_core *core;
	struct dw_loop *loop;
	struct dw_world *world;
	struct dw_transport *transport[ENGINE_TRANSPORTS];
	struct dw_workers *workers;
	struct dw_uevents *uevents; /* NULL = deaf */
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
	uint32_t told;
	uint32_t discoveries;
	uint64_t turn_ns;
	uint64_t wake_ns;
	int error;
};

/** engine_clock() - on the clock of its world. */
uint64_t engine_clock(const struct dw_engine *e);

/** engine_turn() - one turn of the loop, which waits for at most @timeout_ms, -1 = no limit; 0,
 *  or a negative errno, which stands. */
int engine_turn(struct dw_engine *e, int timeout_ms);

/** engine_add_transport() - transport @i is that from now on, the engine's; 0 or -errno. */
int engine_add_transport(struct dw_engine *e, uint32_t i, struct dw_transport *t);

/** engine_workers() - threads for keystream and comparison, made when they are first needed;
 *  0 or -errno. */
int engine_workers(struct dw_engine *e, struct dw_executor *ret);

/** engine_take_job() - it is one of the engine's, which frees it if nobody does. */
void engine_take_job(struct dw_engine *e, struct dw_job *job);

/** engine_look_after() - it wants to be looked after from now on. */
void engine_look_after(struct dw_job *job);

/** engine_begin_job() - it has begun; engine_end_job() - it has ended. */
void engine_begin_job(struct dw_job *job);
void engine_end_job(struct dw_job *job);

/** engine_forget_job() - it is being freed; waits until it has ended. false: the engine has
 *  failed, and keeps the job until it is freed itself. */
bool engine_forget_job(struct dw_job *job);

/** job_may_end() - something has happened that it may have waited for to end. */
void job_may_end(struct dw_job *job);

#endif
