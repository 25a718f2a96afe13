/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_OWN_H
#define DW_ENGINE_OWN_H

/*
 * Disks that erase themselves: what is asked for, read and stored before the command, and what is
 * read after it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "own/witness.h"
#include "plan/op.h"

struct dw_disk_state;
struct job_disk;

/** job_begin_needed() - @op is the whole erasure, and has to be in the state file before it is
 *  sent. If the program is killed meanwhile, nothing on the disk shows that the command was
 *  sent. */
bool job_begin_needed(const struct job_disk *d, const struct dw_op *op);

/** job_begin_keep() - write the state file; then @op is sent, or fails with the reason. 0,
 *  -ENOMEM. */
int job_begin_keep(struct job_disk *d, const struct dw_op *op);

/** job_health_before() - ask an open disk for its health before it is claimed, unless it is at
 *  work by itself or is only verified. Waits for some seconds at most: off the loop. */
void job_health_before(struct job_disk *d);

/** job_health_due() - the disk is to be asked for its health again when it is released: it is
 *  present, and not at work by itself. @outcome: of the disk. */
bool job_health_due(const struct job_disk *d, const struct dw_disk_state *st,
		    enum dw_outcome outcome);

/** job_health_after() - ask for its health again, as before. @ret: unchanged if there is no
 *  answer, or another disk answers. */
void job_health_after(const struct job_disk *d, struct dw_health *ret);

/** job_security_submit() - execute @op as SECURITY ERASE UNIT with the commands that belong to
 *  it, off the loop; its result follows. 0, -ENOMEM. */
int job_security_submit(struct job_disk *d, const struct dw_op *op);

/** job_witness_needed() - the disk is about to be commanded to erase itself, and blocks of it
 *  have to be read before. */
bool job_witness_needed(const struct job_disk *d);

/** job_witness_submit() - read these blocks, off the loop; then @op is sent, or fails with the
 *  reason. 0, -ENOMEM. */
int job_witness_submit(struct job_disk *d, const struct dw_op *op);

/** job_witness_restore() - take the blocks that an earlier run read from the state file. 0,
 *  -ENOMEM. */
int job_witness_restore(struct job_disk *d);

/** job_witness_text() - the blocks as text for the state file; free(). NULL = there are none. */
char *job_witness_text(const struct job_disk *d);

/** job_witness_look() - read the same blocks again: has the disk erased itself? Waits: off the
 *  loop. @untold: the result of its operation cannot be read. Return: NULL: it has, or did
 *  nothing by itself; else why that is not proven. */
const char *job_witness_look(struct job_disk *d, bool untold);

/** job_witness_guarded() - number of these blocks that could not be read after the work, as their
 *  protection information did not match. */
uint32_t job_witness_guarded(const struct job_disk *d);

/** job_witness_passed() - what the blocks were found to be afterwards if they prove that the disk
 *  erased itself; NULL = they do not. */
const struct dw_witness_found *job_witness_passed(const struct job_disk *d);

/** job_eta_longer() - the plan of the disk got one more pass than forecast. 0 or -ENOMEM. */
int job_eta_longer(struct job_disk *d);

/** job_settle_ends() - the result of writing zeros to both ends after a crypto erase: 0 written,
 *  1 not wanted, negative errno. */
int job_settle_ends(const struct job_disk *d);

/** job_witness_free() - free the blocks; nothing is under way. */
void job_witness_free(struct job_disk *d);

/** job_disk_unhide() - with DW_UNHIDE_RESTORE, show the hidden blocks of the disk, and plan it
 *  again. May wait. 0, 1 refused with @v, -errno. */
int job_disk_unhide(struct job_disk *d, struct dw_verdict *v);

/** job_unhide_result() - set the result of that, and the present size of the disk, in its
 *  result. */
void job_unhide_result(const struct job_disk *d, struct dw_disk_result *r);

/** job_works_on() - as far as is known, the disk is at work by itself: it has reported so, and
 *  has not reported the end. */
bool job_works_on(const struct job_disk *d, const struct dw_disk_state *st);

#endif
