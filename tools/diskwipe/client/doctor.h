/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_DOCTOR_H
#define DISKWIPE_CLIENT_DOCTOR_H

#include <diskwipe/doctor.h>

#include "cli.h"

/** cli_client_doctor() - what keeps this user from the service, where it is installed: masked,
 *  failed, not running, a socket that refuses; or the service from its records. It is not
 *  started. false = nothing. */
bool cli_client_doctor(struct dw_finding *ret);

/** cli_client_fix() - the sandbox of the service lets it write to the folder of its records from
 *  now on, by a drop-in of its unit; the folder is made, and the service started again. 0 or an
 *  exit code. */
int cli_client_fix(struct cli *c);

#endif
