/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DISKWIPE_CLIENT_DOCTOR_H
#define DISKWIPE_CLIENT_DOCTOR_H

#include <diskwipe/doctor.h>

#include "cli.h"

/** cli_client_doctor() - what keeps this user from the service, where it is installed: masked,
 *  failed, not running, or a socket that refuses. It is not started. false = nothing. */
bool cli_client_doctor(struct dw_finding *ret);

#endif
