/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_UNITS_H
#define DW_ENGINE_UNITS_H

/*
 * Logical units, or namespaces, of one device, each of them a disk of the job, that are erased as
 * one. Before the first of them is told all have been read, and are still those that are claimed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/op.h"

struct job_disk;

/**
 * job_units_check() - do the disks, which are open and claimed, have all units of their devices
 *	among them, if the method erases devices as a whole?
 * @d: @n disks; NULL = one that could not be taken, as @v says
 * @want: as they were shown
 * @v: of each; what keeps it
 * @group: @n; see struct dw_whole
 *
 * May wait. Return: 0 or negative errno.
 */
int job_units_check(struct dw_job *job, struct job_disk *const *d,
		    const struct dw_disk *want, size_t n, struct dw_verdict *v,
		    uint32_t *group);

/** job_units_join() - those of one group are one device from now on; 0, -ENOMEM. */
int job_units_join(struct dw_job *job, struct job_disk *const *d, size_t n,
		   const struct dw_verdict *v, const uint32_t *group);

/** job_units_leave() - @d is not taken into the job after all: nothing is told to its device. */
void job_units_leave(struct job_disk *d);

/** job_units_spread() - what keeps one unit from being planned keeps its device. */
void job_units_spread(struct job_disk *const *d, size_t n, struct dw_verdict *v);

/** job_units_number() - of the disks of the job that are one device with it; 1 = it is alone. */
uint32_t job_units_number(const struct job_disk *d);

/** job_units_needed() - @d is about to be told to erase itself, and its device has to be looked at
 *  before. */
bool job_units_needed(const struct job_disk *d);

/** job_units_submit() - @op goes out, or is answered as that of the unit that was told, when all
 *  units have got so far; else its result says why not. 0, -ENOMEM. */
int job_units_submit(struct job_disk *d, const struct dw_op *op);

/** job_units_answered() - @d was told to erase itself, and this is what came back. 1 = it is kept
 *  until all units have such an answer; 0, negative errno. */
int job_units_answered(struct job_disk *d, const struct dw_result *result);

/** job_units_told() - @d was told to erase itself, and the core has the answer; 0, -ENOMEM. */
int job_units_told(struct job_disk *d);

/** job_units_poll() - answer a question about what its device does from what is known of the unit
 *  that was told; 1 = @d itself is to be asked; 0, -ENOMEM. */
int job_units_poll(struct job_disk *d, const struct dw_op *op);

/** job_units_ended() - @d has ended, or is being stopped: what waits for it is given back. 0,
 *  -ENOMEM. */
int job_units_ended(struct job_disk *d, bool stopped);

/** job_units_paused() - commands of all jobs that are held here until somebody resumes a unit that
 *  is paused. */
uint32_t job_units_paused(const struct dw_engine *e);

/** job_units_known() - does the state that is resumed have that the device of @d has been told, so
 *  that the command has gone out, and all that is left is to prove it? */
bool job_units_known(const struct job_disk *d);

/** job_units_came() - has a unit come to the device of @d that is not claimed, or gone? Waits: off
 *  the loop. @told: the device was; those of the state that is resumed were so with it, and may
 *  have ended. @text: why; NULL = it is as it was. */
const char *job_units_came(struct job_disk *d, bool told, char *text, size_t size);

/** job_units_free() - of a job with nothing under way. */
void job_units_free(struct dw_job *job);

#endif
