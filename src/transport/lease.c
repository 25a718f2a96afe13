/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lease of writing. The unit behind a node can become another unnoticed: the unit attention
 * that reports it goes to one command only, which may be another program's. So a write is sent
 * only while a lease lasts, which is renewed by identifying the disk. That is done over the same
 * way as the write and right before it, so that no queue, no loop and no lost event can exceed
 * the bound.
 *
 * Proven are the writes that had come back before a successful identification began. What is not
 * proven never exceeds the terms: if a write would, its thread identifies the disk, and others
 * wait for it. At half of the terms the first thread identifies it already, while the others
 * continue, so that a disk with a queue never waits.
 */
#include "transport/lease.h"

#include <errno.h>
#include <string.h>

#include "transport/meter.h"

void dw_lease_init(struct dw_lease *l, const struct dw_lease_terms *terms)
{
	*l = (struct dw_lease){ .terms = terms };
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->news, NULL);
}

void dw_lease_deinit(struct dw_lease *l)
{
	pthread_cond_destroy(&l->news);
	pthread_mutex_destroy(&l->lock);
}

/* Was there no answer within @ns before @now_ns? One that came after @now_ns counts. Locked. */
static bool is_older(const struct dw_lease *l, uint64_t now_ns, uint64_t ns)
{
	return l->doubted || !l->asked_ns ||
	       (now_ns > l->asked_ns && now_ns - l->asked_ns >= ns);
}

/* Locked. */
static bool lease_fits(const struct dw_lease *l, uint64_t bytes)
{
	return l->begun == l->proven || l->begun - l->proven + bytes <= l->terms->bytes;
}

/* Would an answer now make more room, and is it time for it? Locked. */
static bool is_due(const struct dw_lease *l, uint64_t now_ns, uint64_t bytes)
{
	uint64_t gain = l->ended - l->proven;

	return is_older(l, now_ns, l->terms->ns / 2) || gain >= l->terms->bytes / 2 ||
	       (gain && !lease_fits(l, bytes));
}

/**
 * struct question - an identification in progress; @last: the latest completion
 */
struct question {
	dw_lease_send send;
	void *ctx;
	struct dw_completion last;
};

static void send_one(void *ctx, struct dw_cmd *cmd, struct dw_completion *ret)
{
	struct question *q = ctx;

	q->send(q->ctx, cmd, ret);
	q->last = *ret;
}

/* The write did not go out; what the disk answered to the question is its end. */
static void end_question(const struct question *q, int r, struct dw_completion *ret)
{
	if (r > 0 || !q->last.cmd) {
		ret->err = -ESTALE;
		return;
	}
	ret->err = q->last.err;
	ret->status = q->last.status;
	ret->sense_len = q->last.sense_len;
	memcpy(ret->sense, q->last.sense, sizeof(ret->sense));
	ret->host_status = q->last.host_status;
	ret->driver_status = q->last.driver_status;
	/* an answer without content is none, whatever its status is */
	if (!ret->err && !ret->host_status && !ret->status)
		ret->err = -ESTALE;
}

/* Locked before and after, not while the disk is asked. */
static bool ask_disk(struct dw_lease *l, dw_lease_send send, void *send_ctx,
		     struct dw_completion *ret)
{
	struct question q = { .send = send, .ctx = send_ctx };
	uint64_t ended = l->ended, now = dw_clock_ns();
	int r;

	l->asking = true;
	l->doubted = false; /* a doubt that arises meanwhile is a new one */
	pthread_mutex_unlock(&l->lock);
	r = l->terms->identify(l->terms->ctx, send_one, &q);
	pthread_mutex_lock(&l->lock);
	l->asking = false;
	pthread_cond_broadcast(&l->news);
	if (r) {
		l->doubted = true;
		end_question(&q, r, ret);
		return false;
	}
	l->proven = ended;
	l->asked_ns = now;
	return true;
}

bool dw_lease_enter(struct dw_lease *l, uint64_t bytes, uint64_t now_ns,
		    dw_lease_send send, void *send_ctx, struct dw_completion *ret)
{
	bool may = true;

	if (!l->terms)
		return true;
	pthread_mutex_lock(&l->lock);
	for (;;) {
		uint64_t now = now_ns ? now_ns : dw_clock_ns();

		if (is_due(l, now, bytes) && !l->asking) {
			may = ask_disk(l, send, send_ctx, ret);
			/* fresh, however long the answer took */
			if (!may || (lease_fits(l, bytes) && !l->doubted))
				break;
		} else if (lease_fits(l, bytes) && !is_older(l, now, l->terms->ns)) {
			break;
		} else {
			pthread_cond_wait(&l->news, &l->lock);
			now_ns = 0;
		}
	}
	if (may)
		l->begun += bytes;
	pthread_mutex_unlock(&l->lock);
	return may;
}

void dw_lease_leave(struct dw_lease *l, uint64_t bytes, bool carried_out)
{
	if (!l->terms)
		return;
	pthread_mutex_lock(&l->lock);
	if (carried_out)
		l->ended += bytes;
	else
		l->begun -= bytes;
	pthread_cond_broadcast(&l->news);
	pthread_mutex_unlock(&l->lock);
}

void dw_lease_doubt(struct dw_lease *l)
{
	pthread_mutex_lock(&l->lock);
	l->doubted = true;
	pthread_mutex_unlock(&l->lock);
}

uint64_t dw_lease_unproven(struct dw_lease *l)
{
	uint64_t n;

	pthread_mutex_lock(&l->lock);
	n = l->begun - l->proven;
	pthread_mutex_unlock(&l->lock);
	return n;
}
