/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_ENGINE_OWN_H
#define DW_ENGINE_OWN_H

/*
 * Disks that erase themselves: what is shown, asked, read and kept of them before that, and what
 * is read after it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "plan/op.h"

struct dw_disk_state;
struct job_disk;

/** job_begin_needed() - @op has to be on record before it goes out, and is not: a command that is
 *  the whole erasure tells nothing of itself if the program is killed meanwhile. */
bool job_begin_needed(const struct job_disk *d, const struct dw_op *op);

/** job_begin_keep() - write the state; then @op goes out, or its result says why not. 0,
 *  -ENOMEM. */
int job_begin_keep(struct job_disk *d, const struct dw_op *op);

/** job_health_before() - ask a disk that is open, and will be claimed, how it is, unless it works
 *  by itself or is only verified; waits for it some seconds at most: off the loop. */
void job_health_before(struct job_disk *d);

/** job_health_due() - whether it is to be asked again when it has been given back: it is there, and
 *  does not work by itself. @outcome: of it. */
bool job_health_due(const struct job_disk *d, const struct dw_disk_state *st,
		    enum dw_outcome outcome);

/** job_health_after() - ask it again, as before; @ret: unchanged if it, or another disk, does not
 *  answer. */
void job_health_after(const struct job_disk *d, struct dw_health *ret);

/** job_security_submit() - @op goes out as SECURITY ERASE UNIT with all that belongs to it, off the
 *  loop, and its result comes when that has ended. 0, -ENOMEM. */
int job_security_submit(struct job_disk *d, const struct dw_op *op);

/** job_witness_needed() - a disk that is about to be told to erase itself has to be read before. */
bool job_witness_needed(const struct job_disk *d);

/** job_witness_submit() - read it, off the loop; then @op goes out, or its result says why not. 0,
 *  -ENOMEM. */
int job_witness_submit(struct job_disk *d, const struct dw_op *op);

/** job_witness_restore() - what an earlier run read, as the state file has it; 0, -ENOMEM. */
int job_witness_restore(struct job_disk *d);

/** job_witness_text() - for the state file; free(). NULL = there is nothing. */
char *job_witness_text(const struct job_disk *d);

/** job_witness_look() - has the disk erased itself? Reads the same blocks again; waits: off the
 *  loop. @untold: how its operation ended cannot be read. Return: NULL it has, or did nothing by
 *  itself; why that is not proven. */
const char *job_witness_look(struct job_disk *d, bool untold);

/** job_witness_guarded() - so many of the same blocks could not be read when the work was over, as
 *  their protection information did not match. */
uint32_t job_witness_guarded(const struct job_disk *d);

/** job_witness_passed() - it has been shown to have erased itself, by so many blocks that held
 *  something, and so many that were written to be found; of both it lets some not be read. */
bool job_witness_passed(const struct job_disk *d, uint32_t *ret_blocks,
			uint32_t *ret_markers, uint32_t *ret_withheld);

/** job_eta_longer() - the plan of the disk has got one more pass, which no forecast knew of; 0 or
 *  -ENOMEM. */
int job_eta_longer(struct job_disk *d);

/** job_settle_ends() - what came of zeros at both ends after a crypto erase: 0 they are there, 1
 *  none were to be written, negative errno. */
int job_settle_ends(const struct job_disk *d);

/** job_witness_free() - nothing is under way. */
void job_witness_free(struct job_disk *d);

/** job_disk_unhide() - with DW_UNHIDE_RESTORE show its hidden blocks, and plan it anew. May wait.
 *  0, 1 refused with @v, -errno. */
int job_disk_unhide(struct job_disk *d, struct dw_verdict *v);

/** job_unhide_result() - what came of that, and how large the disk is now, into its result. */
void job_unhide_result(const struct job_disk *d, struct dw_disk_result *r);

/** job_works_on() - it works by itself, as far as is known: it has said so, and has not said since
 *  that it has ended. */
bool job_works_on(const struct job_disk *d, const struct dw_disk_state *st);

#endif
