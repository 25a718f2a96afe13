/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_SERVICE_PROVE_H
#define DW_SERVICE_PROVE_H

/* Signed records: what is in the store of an attempt that has ended goes to the folder that the
 * configuration names, once, in the order of the ends. So does the audit trail: when a day (UTC)
 * has ended, when rows have waited for an hour or many have come, and when the service stops. */
#include "service.h"

struct prove;

/** prove_new() - NULL without memory. */
struct prove *prove_new(void);

/** prove_free() - NULL is accepted. */
void prove_free(struct prove *p);

/** prove_make() - the record of an attempt that has ended; 0, -ENOMEM; dw_proof_deinit(). */
int prove_make(struct store *store, const struct store_record *r, struct dw_proof *ret);

/**
 * compare_all() - do the store and the records say the same? Both are only read.
 * @db: file of the store; @dir: the records
 * @signers: who may have signed them; NULL = the list that is with them
 *
 * Each difference is a line on standard error. While a service uses the store, only the records
 * are looked at.
 *
 * Return: exit code: 0, 5 they do not, 1 it cannot be seen.
 */
int compare_all(const char *db, const char *dir, const char *signers);

/** seal_store() - @db is closed: sign it as it is, if records are signed. */
void seal_store(struct service *s, const char *db);

/** prove_round() - each second, and when the settings have changed: write what is missing; some
 *  records at once, and when that fails again after a while. */
void prove_round(struct service *s);

/** prove_stop() - the service stops: what is missing is written, as far as that is possible. */
void prove_stop(struct service *s);

/** prove_left() - there is more to be written. */
bool prove_left(const struct prove *p);

/** prove_trouble() - why what has ended cannot be signed now, in words; empty = it can, or nothing
 *  is to be signed. */
const char *prove_trouble(const struct prove *p);

/** prove_due() - an attempt has ended. */
void prove_due(struct prove *p);

#endif
