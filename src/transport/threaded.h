/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_THREADED_H
#define DW_TRANSPORT_THREADED_H

/* For the senders in this folder. */
#include "transport/transport.h"

/** dw_threaded_ctx() - the sender's state of a transport made by dw_threaded_new(). */
void *dw_threaded_ctx(struct dw_transport *t);

#endif
