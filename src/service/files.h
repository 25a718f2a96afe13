/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_FILES_H
#define DW_SERVICE_FILES_H

/* What an attempt keeps beside the store: its state, and the key of its random passes. */
#include "service.h"

/** files_name() - @kind "state" or "key": of the disk in the job, so that the attempt after a pull
 *  finds them. */
void files_name(const struct service *s, const struct svc_attempt *a, const char *kind,
		char *buf, size_t size);

/** files_remove() - those of an attempt that does not continue. */
void files_remove(const struct service *s, const struct svc_attempt *a);

/** files_has_state() - 1: the file is there and can be resumed from; 0: it is not there, or what it
 *  holds is no state: that is noted, it is removed, and its disk is erased from the start; a
 *  negative errno, and @err: it could not be read now, and stays. */
int files_has_state(struct service *s, const char *file, struct dw_error *err);

/** files_sweep() - remove those of attempts that are over, once the jobs are loaded; and again each
 *  time that it is too late for a disk that was pulled. */
void files_sweep(struct service *s);

/** files_expect() - what decides about that has changed: an attempt, or the configuration. */
void files_expect(struct service *s);

#endif
