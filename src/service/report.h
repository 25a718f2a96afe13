/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_REPORT_H
#define DW_SERVICE_REPORT_H

/*
 * What the service tells the journal: a message of its own kind for each event, with the fields
 * DISKWIPE_JOB, DISKWIPE_SERIAL, DISKWIPE_WWN, DISKWIPE_BAY, DISKWIPE_OUTCOME. The journal is a
 * copy; the store is the record.
 */
#include "service.h"

/** report_simulated() - from now on nothing goes to the journal, where programs look for what was
 *  erased: lines of standard error alone, which say that they are of a simulation. */
void report_simulated(void);

/** report_started() - once, when it is known which disks there are. */
void report_started(const struct service *s);

/** report_settings() - the configuration was read, or, if not @good, has a mistake. */
void report_settings(const char *text, bool good);

/** report_note() - trouble of the service itself: somebody has to look at it. */
void report_note(const char *text);

/** report_denied() - somebody was not allowed to do that. */
void report_denied(const struct store_caller *who, const char *what);

/** report_submitted() - a job is on record. */
void report_submitted(const struct service *s, const struct svc_job *job,
		      const struct store_caller *who);

/** report_begin() - the engine is given an attempt. */
void report_begin(const struct service *s, const struct svc_attempt *a);

/** report_end() - an attempt has ended, and that is on record. */
void report_end(const struct service *s, const struct svc_attempt *a);

/** report_job_end() - all disks of a job have ended. */
void report_job_end(const struct service *s, const struct svc_job *job);

#endif
