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

/** files_has_state() - the file is there and can be resumed from; one that cannot be read is
 *  removed, and said: that is no reason not to erase, its disk is begun again. */
bool files_has_state(struct service *s, const char *file);

/** files_sweep() - remove those of attempts that are over, once the jobs are loaded; and again each
 *  time that it is too late for a disk that was pulled. */
void files_sweep(struct service *s);

/** files_expect() - what decides about that has changed: an attempt, or the configuration. */
void files_expect(struct service *s);

#endif
