/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DISKWIPE_ENGINE_H
#define DISKWIPE_ENGINE_H

/*
 * The engine: one per process, for as many jobs as there are. It has the one descriptor to wait
 * for, and what all jobs share: threads, links to the disks, the kernel's events.
 *
 *	dw_engine_new() -> dw_job_new() ... dw_job_start() -> while (dw_engine_step() == 1) ...
 *
 * Threads: all functions of an engine and of its jobs belong to one thread, but dw_engine_wake()
 * and those that say "from any thread".
 *
 * Locale: numbers in files and documents are read and written as LC_NUMERIC of the process has it.
 * A program that calls setlocale(LC_ALL, "") sets that back to "C".
 */
#include <diskwipe/disk.h>
#include <diskwipe/public.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dw_engine;

/** dw_engine_new() - an engine without jobs. @ret: dw_engine_free(); untouched on failure. 0;
 *  -ENOMEM or another negative errno. */
DW_PUBLIC int dw_engine_new(struct dw_engine **ret);

/**
 * dw_engine_free() - stop what is under way, wait for commands on their way, free all
 * @engine: its jobs have been freed; NULL is accepted
 */
DW_PUBLIC void dw_engine_free(struct dw_engine *engine);

/**
 * dw_engine_step() - do what is to be done for all jobs
 * @timeout_ms: waits so long for something to happen; -1 = no limit. It may return earlier.
 *	Take the events of all jobs before the next call: it waits although some are left
 *
 * It waits for nothing else: what takes its time (finding, claiming and giving back a disk, what
 * the kernel has to write back, state files) is done by threads of the engine.
 *
 * Return: 1 at least one job goes on, or disks are being looked for; 0 neither; a negative errno
 *	ends all jobs without a result, and is returned from then on.
 */
DW_PUBLIC int dw_engine_step(struct dw_engine *engine, int timeout_ms);

/**
 * dw_discovered - what dw_engine_discover() has found
 * @ctx, @path: as they were given
 * @r: 0 or a negative errno
 * @disk: @n disks with their verdicts, the callee's: free(); NULL on an error
 *
 * Called by dw_engine_step(). It may use the engine's jobs, and begin to look again; it neither
 * steps the engine nor frees it.
 */
typedef void dw_discovered(void *ctx, const char *path, int r, struct dw_disk *disk,
			   size_t n);

/**
 * dw_engine_discover() - look for disks without waiting for them
 * @engine: it must be stepped; what is under way when it is freed is waited for and dropped
 * @path: as dw_disk_examine() has it; NULL = every disk, as dw_disks_list() has it
 * @rules: as for an erase, NULL = defaults; borrowed until @done is called
 * @done: called once, with @ctx
 * @ctx: for @done
 *
 * Return: 0; -ENOMEM, and @done is not called.
 */
DW_PUBLIC int dw_engine_discover(struct dw_engine *engine, const char *path,
				 const struct dw_rules *rules, dw_discovered *done,
				 void *ctx);

/** dw_engine_fd() - readable when dw_engine_step() has something to do, timers included. The
 *  engine's: do not close it. */
DW_PUBLIC int dw_engine_fd(const struct dw_engine *engine);

/** dw_engine_wake() - make dw_engine_fd() readable, and so a waiting dw_engine_step() return;
 *  async-signal-safe, from any thread until dw_engine_free() is called. */
DW_PUBLIC void dw_engine_wake(struct dw_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
