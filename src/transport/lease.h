/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_LEASE_H
#define DW_TRANSPORT_LEASE_H

/*
 * A lease of writing: how much may go out before the disk has to say again who it is. See
 * lease.c for the rules.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "scsi/cmd.h"

/** typedef dw_lease_send - carry a command out and wait for it; @ret filled wholly. */
typedef void (*dw_lease_send)(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret);

/**
 * struct dw_lease_terms - what a disk is asked, and how often
 * @bytes: most bytes that go out between two answers, but for a single command that is longer
 * @ns: longest time between an answer and a write
 * @identify: ask, by commands that take no unit attention away: 0 the disk that is meant, 1
 *	another or none that can be told from another, negative errno: no answer, and the last
 *	completion tells why. Called in the disk's threads, one at a time for each path.
 * @ctx: for @identify
 */
struct dw_lease_terms {
	uint64_t bytes;
	uint64_t ns;
	int (*identify)(void *ctx, dw_lease_send send, void *send_ctx);
	void *ctx;
};

/**
 * struct dw_lease - of one path to a disk
 * @terms: borrowed; NULL = there is none, everything may go out
 * @begun, @ended: bytes of writes that went out, that came back
 * @proven: the first so many of @ended went to the disk that is meant
 * @asked_ns: when it was last asked with success; 0 = never
 * @asking: a thread does
 * @doubted: asked again before any further write
 */
struct dw_lease {
	const struct dw_lease_terms *terms;
	pthread_mutex_t lock;
	pthread_cond_t news;
	uint64_t begun;
	uint64_t ended;
	uint64_t proven;
	uint64_t asked_ns;
	bool asking;
	bool doubted;
};

/** dw_lease_init() - @terms: see struct dw_lease. */
void dw_lease_init(struct dw_lease *l, const struct dw_lease_terms *terms);
/** dw_lease_deinit() - nobody is inside any more. */
void dw_lease_deinit(struct dw_lease *l);

/**
 * dw_lease_enter() - may this many bytes be written now?
 * @l: the lease
 * @bytes: of one command
 * @now_ns: CLOCK_MONOTONIC, when the command was taken from its line a moment ago; 0 = read
 *	the clock
 * @send, @send_ctx: the way to the disk
 * @ret: of the command, when it may not: -ESTALE where another disk answered, else what came
 *	of the question; untouched otherwise
 *
 * Asks the disk where that is due, or waits for the thread that does.
 *
 * Return: whether it may; dw_lease_leave() when it has come back.
 */
bool dw_lease_enter(struct dw_lease *l, uint64_t bytes, uint64_t now_ns,
		    dw_lease_send send, void *send_ctx, struct dw_completion *ret);

/** dw_lease_leave() - a write of @bytes has come back; @carried_out: or may have been, for all that
 *  is known. */
void dw_lease_leave(struct dw_lease *l, uint64_t bytes, bool carried_out);

/** dw_lease_doubt() - the disk may be another: let it say who it is before it is written. */
void dw_lease_doubt(struct dw_lease *l);

/** dw_lease_unproven() - bytes that went out and of which it is not known where to. */
uint64_t dw_lease_unproven(struct dw_lease *l);

#endif
