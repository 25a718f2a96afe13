/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_PRINT_ATTEMPTS_H
#define DW_PRINT_ATTEMPTS_H

#include "print/checked.h"

/**
 * paper_attempts() - find the last attempt at each disk
 * @in: all records of a paper; those that another attempt at the same disk follows are marked as
 *	superseded
 *
 * Attempts at a disk have its serial number, WWN and model; which is the last is told by the time
 * at which records were written, then by their numbers. Simulations and checks that found what they
 * expected are no attempts.
 *
 * Return: 0 or -ENOMEM.
 */
int paper_attempts(struct dw_paper_records *in);

/** paper_failed() - whether a record is of an attempt that did not erase its disk. */
bool paper_failed(const struct dw_paper_record *r);

/** paper_look_later() - set @later of a record by those of @failed, attempts that did not erase
 *  their disks. */
void paper_look_later(struct dw_paper_record *r, const struct dw_paper_records *failed);

#endif
