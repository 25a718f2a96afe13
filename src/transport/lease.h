/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DW_TRANSPORT_LEASE_H
#define DW_TRANSPORT_LEASE_H

/*
 * A lease of writing: how much may be written before the disk has to be identified again. See
 * lease.c for the rules.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "scsi/cmd.h"

/** typedef dw_lease_send - carry a command out and wait for it; @ret filled wholly. */
typedef void (*dw_lease_send)(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret);

/**
 * struct dw_lease_terms - how a disk is identified, and how often
 * @bytes: greatest number of bytes sent between two identifications, except for a single command
 *	that is longer
 * @ns: longest time between an identification and a write
 * @identify: identify the disk, by commands that leave a unit attention pending: 0 the right
 *	disk, 1 another, or one that cannot be distinguished from another, negative errno: no
 *	answer, and the last completion tells why. Called in the disk's threads, one at a time for
 *	each path
 * @ctx: for @identify
 */
struct dw_lease_terms {
	uint64_t bytes;
	uint64_t ns;
	int (*identify)(void *ctx, dw_lease_send send, void *send_ctx);
	void *ctx;
};

/**
 * struct dw_lease - the lease of one path to a disk
 * @terms: borrowed; NULL = no lease, all may be sent
 * @lock: protects what follows; @news: signalled when it changes
 * @begun, @ended: bytes of writes that were sent, and that came back
 * @proven: the first @proven of @ended went to the right disk
 * @asked_ns: time of the last successful identification; 0 = never
 * @asking: a thread is identifying the disk
 * @doubted: the disk is identified before any further write
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
 * @now_ns: CLOCK_MONOTONIC, when the command was taken from its line a moment ago; 0 = read the
 *	clock
 * @send, @send_ctx: the way to the disk
 * @ret: of the command, if it may not: -ESTALE if another disk answered, else the end of the
 *	identification; otherwise unchanged
 *
 * Identifies the disk if that is due, or waits for the thread that does.
 *
 * Return: whether it may; dw_lease_leave() when it has come back.
 */
bool dw_lease_enter(struct dw_lease *l, uint64_t bytes, uint64_t now_ns,
		    dw_lease_send send, void *send_ctx, struct dw_completion *ret);

/** dw_lease_leave() - a write of @bytes has come back; @carried_out: it was carried out, or may
 *  have been. */
void dw_lease_leave(struct dw_lease *l, uint64_t bytes, bool carried_out);

/** dw_lease_doubt() - the disk may be another: identify it before the next write. */
void dw_lease_doubt(struct dw_lease *l);

/** dw_lease_unproven() - bytes that were sent and may have gone to another disk. */
uint64_t dw_lease_unproven(struct dw_lease *l);

#endif
