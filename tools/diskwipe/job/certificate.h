/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CERTIFICATE_H
#define DISKWIPE_CERTIFICATE_H

/* --certificate: the paper of what a job did. diskwipe-report prints it from the job's records. */
#include <limits.h>

#include "cli.h"

/** struct cli_papers - where key and records are if the caller names none; @without_key: it is
 *  still to be made */
struct cli_papers {
	bool without_key;
	char folder[PATH_MAX];
	char records[PATH_MAX];
	char key[PATH_MAX];
	char signers[PATH_MAX];
};

/** cli_certificate_prepare() - before cli_record_open(): try whether the file can be made and
 *  diskwipe-report prints it, and name key and records where the caller names none. Nothing is made
 *  without a key. 0, without --certificate as well, or an exit code. */
int cli_certificate_prepare(struct cli *c);

/** cli_certificate_begin() - after consent, before the first write: make the key that is missing,
 *  and try whether records can be added. 0, also where nothing is to be made, or an exit
 *  code. */
int cli_certificate_begin(struct cli *c);

/** cli_certificate_print() - when all records are written: a page for each disk of the job, also
 *  of those that are not erased. @code: exit code so far. Returns it, or that of a failure if it is
 *  0. */
int cli_certificate_print(struct cli *c, const struct dw_job_result *result, int code);

/** cli_certificate_records() - the folder of records if the caller names none; false = this user
 *  has none yet. */
bool cli_certificate_records(char *buf, size_t size);

/** cli_certificate_free() - forget the places. Safe without one. */
void cli_certificate_free(struct cli *c);

#endif
