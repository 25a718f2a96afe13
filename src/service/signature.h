/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_SIGNATURE_H
#define DW_SERVICE_SIGNATURE_H

/*
 * Whether a disk carries what it did not when somebody agreed that it is erased. Then it was put to
 * use meanwhile, and whoever did that was not asked.
 */
#include <stdbool.h>

/**
 * signature_is_new() - compare what is found with what was agreed to
 * @found, @agreed: names with ", " between, as a verdict has them
 * @start_erased: the beginning of the disk was erased since: what lies there now is new, though it
 *	is of the same kind as before
 */
bool signature_is_new(const char *found, const char *agreed, bool start_erased);

#endif
