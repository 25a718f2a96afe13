/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_VERIFICATION_H
#define DISKWIPE_VERIFICATION_H

/* What of the disks is read after the last pass. */
#include <stdbool.h>
#include <stddef.h>

#include <diskwipe/diskwipe.h>

/** cli_verification_method() - the row of the method @name; false = there is none. */
bool cli_verification_method(const char *name, struct dw_method_info *ret);

/**
 * cli_verification_say() - as in "full", or "a sample of 1 %; 2 disks in full, as they are small"
 * @f: which tells what each disk reads; NULL = not known
 *
 * Return: whether that is not what was asked for: more is read, or the choice was left to us.
 */
bool cli_verification_say(const struct dw_job_spec *spec, const struct dw_forecast *f,
			  char *buf, size_t size);

#endif
