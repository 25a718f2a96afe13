/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_HOOKS_H
#define DW_SERVICE_HOOKS_H

/*
 * Programs of the station that are run for an attempt: before it begins, after it has ended, and
 * of each of both. They get a JSON document on the standard input, run as an unprivileged
 * user, and are killed when their time is over.
 */
#include "service.h"

/** hooks_before() - run the hook before an attempt; attempt_hooked() is called, perhaps at once. */
void hooks_before(struct service *s, struct svc_attempt *a);

/** hooks_begun() - tell of an attempt that begins; nobody waits for that. */
void hooks_begun(struct service *s, const struct svc_attempt *a);

/** hooks_after() - run the hooks after an attempt; nobody waits for them. */
void hooks_after(struct service *s, const struct svc_attempt *a);

/** hooks_unbound() - the system bus is gone: nobody will hear of those that are units. */
void hooks_unbound(void);

/** hooks_free() - kill those that run; as a unit, one that nobody waits for continues. */
void hooks_free(void);

#endif
