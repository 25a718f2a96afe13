/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_WORLD_H
#define DW_ENGINE_WORLD_H

/*
 * The interface to the place where the disks of an engine are: this machine (disks.c), or a
 * simulation (virtual.c). The code above it does not distinguish them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <diskwipe/error.h>

struct dw_core_rules;
struct dw_disk;
struct dw_engine;
struct dw_io_count;
struct dw_job;
struct dw_trace_head;
struct dw_verdict;
struct dw_world;
struct job_disk;
struct job_slot;

/**
 * struct dw_world_ops - operations of a world
 * @now: the time on its clock, ns
 * @time_of_day: the time of day when its clock shows @now_ns
 * @open: open disk @want, which must be the one that was shown, and claim it; may wait. Sets the
 *	facts of @d. NULL: disks cannot be opened by a node. 0, 1 refused with @v, -errno
 * @discover: find the disks, or the one that @path names, NULL = all; may wait. @ret: free().
 *	NULL = those of this machine, wherever the disks of the engine are. 0 or -errno
 * @listen: open the events of the kernel, before the disks of a job begin; 0 or -errno. NULL =
 *	there are none
 * @prepare: change the settings of a disk, but no data; may wait. 0, -errno with @err
 * @attach: attach a disk to its transport; 0 or -errno
 * @fill: set the data of the command in a slot; 0 or -ENOMEM
 * @ahead: set how many commands may wait for a disk: @ahead and @ahead_data of its rules
 * @way: how its commands are sent; static text
 * @origin: two random words that name a run, and the machine; 0 or -errno
 * @find_others: find the disks beside those of a job in the background, before it starts and when
 *	a disk has joined it. 0; -errno: nothing has changed
 * @others: the I/O of these disks so far; false = it cannot be seen
 * @wiring: add the adapters of the disks to the head of a trace; 0 or -ENOMEM. NULL = not known
 * @leap: called before each wait; 0 or -errno. NULL = every command is sent
 * @free: free the world
 * @simulated: its disks are nobody's, and its jobs have state files: none of real ones is resumed
 *	here, nor one of these there
 */
struct dw_world_ops {
	uint64_t (*now)(struct dw_world *w);
	struct timespec (*time_of_day)(struct dw_world *w, uint64_t now_ns);
	int (*open)(struct dw_world *w, struct job_disk *d, const struct dw_disk *want,
		    struct dw_verdict *v);
	int (*discover)(struct dw_world *w, const char *path, struct dw_disk **ret,
			size_t *ret_n);
	int (*listen)(struct dw_world *w, struct dw_job *job);
	int (*prepare)(struct dw_world *w, struct job_disk *d, struct dw_error *err);
	int (*attach)(struct dw_world *w, struct job_disk *d);
	int (*fill)(struct job_disk *d, struct job_slot *s);
	void (*ahead)(const struct job_disk *d, struct dw_core_rules *rules);
	const char *(*way)(struct dw_world *w, const struct job_disk *d);
	int (*origin)(struct dw_world *w, struct dw_job *job, uint64_t ret[2]);
	int (*find_others)(struct dw_world *w, struct dw_job *job);
	bool (*others)(struct dw_world *w, const struct dw_job *job,
		       struct dw_io_count *ret);
	int (*wiring)(struct dw_world *w, const struct dw_job *job,
		      struct dw_trace_head *head);
	int (*leap)(struct dw_world *w, struct dw_engine *e);
	void (*free)(struct dw_world *w);
	bool simulated;
};

/** struct dw_world - a world; the first member of its own struct */
struct dw_world {
	const struct dw_world_ops *ops;
};

/** dw_world_disks() - the disks of this machine; freed by its own op. 0 or -ENOMEM. */
int dw_world_disks(struct dw_world **ret);

#endif
