/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_UNITS_H
#define DW_ENGINE_UNITS_H

/*
 * Logical units, or namespaces, of one device that are erased by one command. Each is a disk of
 * the job. Before the command is sent, blocks of all units have been read, and all are still the
 * claimed ones.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/op.h"

struct job_disk;

/**
 * job_units_check() - if the method erases devices as a whole: do the disks include all units of
 * their devices?
 * @d: @n disks, open and claimed; NULL = one that could not be taken, as @v says
 * @want: the disks as they were shown to the user
 * @v: a verdict of each; set to a refusal for units of an incomplete device
 * @group: @n numbers; see struct dw_whole
 *
 * May wait. Return: 0 or negative errno.
 */
int job_units_check(struct dw_job *job, struct job_disk *const *d,
		    const struct dw_disk *want, size_t n, struct dw_verdict *v,
		    uint32_t *group);

/** job_units_join() - disks of one group are one device from now on. 0, -ENOMEM. */
int job_units_join(struct dw_job *job, struct job_disk *const *d, size_t n,
		   const struct dw_verdict *v, const uint32_t *group);

/** job_units_leave() - @d is not taken into the job after all: no command to erase is sent to its
 *  device. */
void job_units_leave(struct job_disk *d);

/** job_units_spread() - a refusal of one unit is a refusal of all units of its device. */
void job_units_spread(struct job_disk *const *d, size_t n, struct dw_verdict *v);

/** job_units_number() - number of disks of the job that are one device with @d, itself
 *  included. */
uint32_t job_units_number(const struct job_disk *d);

/** job_units_needed() - @d is about to be commanded to erase itself, and its device has to be
 *  checked before. */
bool job_units_needed(const struct job_disk *d);

/** job_units_submit() - hold @op until all units of the device are ready. Then it is sent, or is
 *  answered with the answer of the unit that was commanded, or fails with the reason. 0,
 *  -ENOMEM. */
int job_units_submit(struct job_disk *d, const struct dw_op *op);

/** job_units_answered() - the answer to the command of @d to erase itself. 1 = it is kept until
 *  all units have an answer; 0, negative errno. */
int job_units_answered(struct job_disk *d, const struct dw_result *result);

/** job_units_commanded() - @d was commanded to erase itself, and the core has the answer. 0,
 *  -ENOMEM. */
int job_units_commanded(struct job_disk *d);

/** job_units_poll() - answer a poll of @d from the state of the unit that was commanded. 1 = @d
 *  itself is to be polled; 0, -ENOMEM. */
int job_units_poll(struct job_disk *d, const struct dw_op *op);

/** job_units_ended() - @d has ended, or is being stopped: commands that wait for it get a result.
 *  0, -ENOMEM. */
int job_units_ended(struct job_disk *d, bool stopped);

/** job_units_paused() - number of commands, of all jobs, that are held because a unit is
 *  paused. */
uint32_t job_units_paused(const struct dw_engine *e);

/** job_units_known() - by the state file that is resumed, the device of @d was commanded to erase
 *  itself, and only the proof is missing. */
bool job_units_known(const struct job_disk *d);

/** job_units_came() - check whether a unit that is not claimed was added to the device of @d, or
 *  one was removed. Waits: off the loop. @commanded: the device was commanded to erase itself;
 *  units in the state file that is resumed belong to it, and may have ended. @text: for the
 *  reason. NULL = nothing has changed. */
const char *job_units_came(struct job_disk *d, bool commanded, char *text, size_t size);

/** job_units_free() - free the devices of a job that has nothing under way. */
void job_units_free(struct dw_job *job);

#endif
