/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_RECORD_H
#define DISKWIPE_RECORD_H

/* --record: what came of each disk, signed, in a folder of records. */
#include "cli.h"
#include "client/client.h"

/** cli_assets_read() - the list of --assets, if there is one; cli_record_close(). 0 or an exit
 *  code. */
int cli_assets_read(struct cli *c);

/** cli_assets_fit() - --asset is of one disk; @n: how many are selected. 0 or an exit code. */
int cli_assets_fit(struct cli *c, size_t n);

/** cli_asset_of() - the tag of a disk; NULL = it has none. */
const char *cli_asset_of(const struct cli *c, const char *serial);

/** cli_record_open() - before anything is done: can records be added? With a key that is still
 *  to be made, cli_certificate_begin() answers that. 0, without --record as well, or an exit
 *  code. */
int cli_record_open(struct cli *c);

/** cli_record_try() - can records be added? 0 or an exit code. */
int cli_record_try(struct cli *c);

/** cli_record_done() - a record of disk number @disk, of which DW_EVENT_DISK_DONE has come: what it
 *  reports is final. */
void cli_record_done(struct cli *c, const struct dw_job_result *result, size_t disk);

/** cli_record_rest() - a record of each disk that has none yet, also of those that were refused.
 *  @code: exit code so far. Returns it, or that of a failure if it is 0. */
int cli_record_rest(struct cli *c, const struct dw_job_result *result, int code);

/** cli_record_number() - of the record of disk number @disk of the job; 0 = it has none. */
uint64_t cli_record_number(const struct cli *c, size_t disk);

/** cli_record_close() - Safe without one. */
void cli_record_close(struct cli *c);

/** cli_record_operator() - who does it: --operator, or who logged in. */
void cli_record_operator(const struct cli *c, char *buf, size_t size);

/** cli_record_time() - a moment of --@option, microseconds since 1970; @last: of a day its end.
 *  @text: NULL = nothing is set. 0, or an exit code after cli_fail(). */
int cli_record_time(struct cli *c, const char *option, const char *text, bool last,
		    uint64_t *ret);

#define CLI_SIGNER 300

/** cli_record_signer() - whose a new key is if nobody says: "diskwipe@HOST"; returns @buf. */
const char *cli_record_signer(char buf[CLI_SIGNER]);

/** cli_records_key() - diskwipe records key FILE. */
int cli_records_key(struct cli *c);

/** cli_records_verify() - diskwipe records verify FILE|DIR... */
int cli_records_verify(struct cli *c);

#endif
