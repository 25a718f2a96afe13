/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_THREADED_H
#define DW_TRANSPORT_THREADED_H

/* For the senders in this folder. */
#include <pthread.h>

#include "transport/transport.h"

/** dw_thread_start() - a thread that no signal reaches: who waits for a command is not
 *  disturbed. @stack: bytes, 0 = as usual. 0 or negative errno. */
int dw_thread_start(pthread_t *ret, size_t stack, void *(*fn)(void *arg), void *arg);

/** dw_threaded_ctx() - the sender's state of a transport made by dw_threaded_new(). */
void *dw_threaded_ctx(struct dw_transport *t);

#endif
