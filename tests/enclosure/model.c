/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service time of a command as a small discrete-event simulation. It reads
 * no clock and moves no data: the caller says what time it is, so the same code
 * paces a real guest and runs in virtual time in a test.
 *
 * A command first needs room in the controller's buffer (strictly first come,
 * first served; it keeps the room until it has been served), then the shared
 * bus and the disk's medium, in the order its direction asks for. With the disk
 * cache on a write ends when its last byte is in the cache; with the cache off
 * it ends on the medium, and a sequential write that comes after the medium fell
 * idle has missed its sector and waits for the next revolution.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PHASE_WAIT, PHASE_START, PHASE_BUS, PHASE_MEDIA, PHASE_HOLD, PHASE_DONE };

#define SEC_NS 1000000000u

static uint64_t bytes_ns(uint64_t bytes, uint64_t bps)
{
	return bps ? (uint64_t)((unsigned __int128)bytes * SEC_NS / bps) : 0;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool before(const struct dw_model_op *a, const struct dw_model_op *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->seq < b->seq;
}

static void heap_set(struct dw_model *m, size_t i, struct dw_model_op *op)
{
	m->heap[i] = op;
	op->slot = i;
}

static void heap_up(struct dw_model *m, size_t i)
{
	struct dw_model_op *op = m->heap[i];

	while (i && before(op, m->heap[(i - 1) / 2])) {
		heap_set(m, i, m->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_set(m, i, op);
}

static void heap_down(struct dw_model *m, size_t i)
{
	struct dw_model_op *op = m->heap[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= m->n_heap)
			break;
		if (c + 1 < m->n_heap && before(m->heap[c + 1], m->heap[c]))
			c++;
		if (!before(m->heap[c], op))
			break;
		heap_set(m, i, m->heap[c]);
		i = c;
	}
	heap_set(m, i, op);
}

/* room for it was made in dw_model_submit() */
static void heap_push(struct dw_model *m, struct dw_model_op *op, uint64_t due_ns)
{
	op->due_ns = due_ns;
	op->seq = m->seq++;
	heap_set(m, m->n_heap++, op);
	heap_up(m, m->n_heap - 1);
}

static void heap_remove(struct dw_model *m, size_t i)
{
	struct dw_model_op *last = m->heap[--m->n_heap];

	if (i == m->n_heap)
		return;
	heap_set(m, i, last);
	heap_up(m, i);
	heap_down(m, last->slot);
}

static uint64_t rate_at(const struct dw_model_disk *d, uint64_t offset)
{
	uint64_t outer = d->outer_bps, inner = d->inner_bps ? d->inner_bps : outer, bps;

	if (!outer)
		return 0;
	if (offset > d->capacity_bytes)
		offset = d->capacity_bytes;
	bps = outer;
	if (inner < outer && d->capacity_bytes)
		bps -= (uint64_t)((unsigned __int128)(outer - inner) * offset /
				  d->capacity_bytes);
	if (d->slow_permille)
		bps = bps * 1000 / d->slow_permille;
	return bps ? bps : 1;
}

static void admit(struct dw_model *m, uint64_t now_ns)
{
	while (m->wait_head) {
		struct dw_model_op *op = m->wait_head;
		uint64_t need = op->bus_bytes;

		if (need > m->conf.buffer_bytes)
			need = m->conf.buffer_bytes;
		if (m->buffer_used + need > m->conf.buffer_bytes)
			return;
		m->wait_head = op->next;
		if (!m->wait_head)
			m->wait_tail = &m->wait_head;
		op->held_bytes = need;
		m->buffer_used += need;
		op->phase = PHASE_START;
		heap_push(m, op, now_ns + m->disks[op->disk].overhead_ns);
	}
}

static void release(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns)
{
	m->buffer_used -= op->held_bytes;
	op->held_bytes = 0;
	admit(m, now_ns);
}

static uint64_t bus_end(struct dw_model *m, const struct dw_model_op *op, uint64_t t)
{
	uint64_t ns = bytes_ns(op->bus_bytes, m->conf.bus_bps);

	if (op->bus_bytes)
		ns += m->conf.bus_cmd_ns;
	if (!ns)
		return t;
	m->bus_free_ns[op->bus] = max64(t, m->bus_free_ns[op->bus]) + ns;
	return m->bus_free_ns[op->bus];
}

/* a disk that cannot wait for the bus comes again when its sector does */
static bool misses(const struct dw_model *m, const struct dw_model_op *op, uint64_t t)
{
	const struct dw_model_disk *d = &m->disks[op->disk];

	return m->conf.bus_retry && op->kind == DW_MODEL_WRITE && op->bus_bytes &&
	       !d->cache_on && d->rev_ns && m->bus_free_ns[op->bus] > t;
}

/* one more pass through the buffer for each load after the first */
static uint64_t overflow_ns(const struct dw_model *m, const struct dw_model_op *op)
{
	const struct dw_model_disk *d = &m->disks[op->disk];
	uint64_t loads, each = m->conf.overflow_ns;

	if (!m->conf.buffer_bytes || op->bus_bytes <= m->conf.buffer_bytes)
		return 0;
	loads = (op->bus_bytes + m->conf.buffer_bytes - 1) / m->conf.buffer_bytes;
	if (!each && !d->cache_on)
		each = d->rev_ns;
	return (loads - 1) * each;
}

static uint64_t write_start(const struct dw_model_disk *d, const struct dw_model_op *op,
			    uint64_t t, bool cached)
{
	if (!d->used || op->offset_bytes != d->next_byte)
		return max64(t, d->media_free_ns) + d->seek_ns + d->rev_ns / 2;
	if (t <= d->media_free_ns)
		return d->media_free_ns;
	if (cached || !d->rev_ns)
		return t;
	return d->media_free_ns +
	       (t - d->media_free_ns + d->rev_ns - 1) / d->rev_ns * d->rev_ns;
}

/* a sequential reader finds what the disk read ahead while the bus was busy */
static uint64_t read_start(const struct dw_model_disk *d, const struct dw_model_op *op,
			   uint64_t t, uint64_t bps)
{
	uint64_t ahead = bytes_ns(d->cache_bytes, bps);

	if (!d->used || op->offset_bytes != d->next_byte)
		return max64(t, d->media_free_ns) + d->seek_ns + d->rev_ns / 2;
	return max64(d->media_free_ns, t > ahead ? t - ahead : 0);
}

/* A long command crosses zones: the rate at its middle is its mean where that is linear. */
static uint64_t media_end(struct dw_model *m, const struct dw_model_op *op, uint64_t t)
{
	struct dw_model_disk *d = &m->disks[op->disk];
	uint64_t bps = rate_at(d, op->offset_bytes + op->media_bytes / 2), start, slack;
	bool write = op->kind == DW_MODEL_WRITE;
	bool cached = write && d->cache_on && !op->through;

	if (op->kind == DW_MODEL_FLUSH)
		return max64(t, d->media_free_ns);
	if (!op->media_bytes)
		return t;
	start = write ? write_start(d, op, t, cached) : read_start(d, op, t, bps);
	d->media_free_ns = start + bytes_ns(op->media_bytes, bps) + overflow_ns(m, op);
	d->next_byte = op->offset_bytes + op->media_bytes;
	d->used = true;
	if (!cached)
		return max64(t, d->media_free_ns);
	slack = bytes_ns(d->cache_bytes, bps);
	return d->media_free_ns > slack ? max64(t, d->media_free_ns - slack) : t;
}

/* the phase after the one that ended at t; pushes the op unless it is done */
static void step(struct dw_model *m, struct dw_model_op *op, uint64_t t)
{
	bool read = op->kind == DW_MODEL_READ;

	if (op->phase == PHASE_START && misses(m, op, t)) {
		heap_push(m, op, t + m->disks[op->disk].rev_ns);
		return;
	}
	if (op->phase == PHASE_START && op->kind != DW_MODEL_NONE)
		op->phase = read || op->kind == DW_MODEL_FLUSH ? PHASE_MEDIA : PHASE_BUS;
	else if (op->phase == PHASE_BUS && !read)
		op->phase = PHASE_MEDIA;
	else if (op->phase == PHASE_MEDIA && read)
		op->phase = PHASE_BUS;
	else
		op->phase = op->phase == PHASE_HOLD ? PHASE_DONE : PHASE_HOLD;
	switch (op->phase) {
	case PHASE_BUS:
		heap_push(m, op, bus_end(m, op, t));
		break;
	case PHASE_MEDIA:
		heap_push(m, op, media_end(m, op, t));
		break;
	case PHASE_HOLD:
		heap_push(m, op, t + op->hold_ns);
		release(m, op, t);
		break;
	default:
		break;
	}
}

/**
 * dw_model_init - start with everything idle
 * @m: model to fill
 * @conf: shared parts, copied
 * @disks: parameters and state of the disks, borrowed until dw_model_deinit()
 * @n_disks: how many
 */
void dw_model_init(struct dw_model *m, const struct dw_model_conf *conf,
		   struct dw_model_disk *disks, size_t n_disks)
{
	memset(m, 0, sizeof(*m));
	m->conf = *conf;
	if (!m->conf.buffer_bytes)
		m->conf.buffer_bytes = UINT64_MAX / 2;
	m->disks = disks;
	m->n_disks = n_disks;
	m->wait_tail = &m->wait_head;
}

/**
 * dw_model_deinit - free what the model holds; commands stay the caller's
 * @m: model
 */
void dw_model_deinit(struct dw_model *m)
{
	free(m->heap);
	m->heap = NULL;
	m->n_heap = m->cap_heap = 0;
}

static int grow(struct dw_model *m, size_t want)
{
	struct dw_model_op **heap;

	if (want <= m->cap_heap)
		return 0;
	want *= 2;
	heap = reallocarray(m->heap, want, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	m->heap = heap;
	m->cap_heap = want;
	return 0;
}

/**
 * dw_model_submit - a command reaches the controller
 * @m: model
 * @op: command, first part filled in; borrowed until it is popped or cancelled
 * @now_ns: time, never going back
 *
 * Return: 0, or -ENOMEM.
 */
int dw_model_submit(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns)
{
	size_t waiting = 1;
	struct dw_model_op *o;

	for (o = m->wait_head; o; o = o->next)
		waiting++;
	if (grow(m, m->n_heap + waiting))
		return -ENOMEM;
	op->phase = PHASE_WAIT;
	op->held_bytes = 0;
	op->next = NULL;
	*m->wait_tail = op;
	m->wait_tail = &op->next;
	admit(m, now_ns);
	return 0;
}

/**
 * dw_model_next - when something happens next
 * @m: model
 *
 * Return: time in ns, UINT64_MAX when nothing is under way.
 */
uint64_t dw_model_next(const struct dw_model *m)
{
	return m->n_heap ? m->heap[0]->due_ns : UINT64_MAX;
}

/**
 * dw_model_pop - run up to a time, or to the next command that ends
 * @m: model
 * @now_ns: run no further than this
 *
 * Return: a command that has ended (its due_ns says when), in the order of their
 * ends, or NULL when none is left that ends by @now_ns.
 */
struct dw_model_op *dw_model_pop(struct dw_model *m, uint64_t now_ns)
{
	while (m->n_heap && m->heap[0]->due_ns <= now_ns) {
		struct dw_model_op *op = m->heap[0];

		heap_remove(m, 0);
		step(m, op, op->due_ns);
		if (op->phase == PHASE_DONE)
			return op;
	}
	return NULL;
}

/**
 * dw_model_let_go - a command is held no longer than the hardware takes
 * @m: model
 * @op: command that was submitted and not yet popped
 * @now_ns: time
 */
void dw_model_let_go(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns)
{
	op->hold_ns = 0;
	if (op->phase != PHASE_HOLD || op->due_ns <= now_ns)
		return;
	heap_remove(m, op->slot);
	heap_push(m, op, now_ns);
}

/**
 * dw_model_cancel - take a command out before its end
 * @m: model
 * @op: command that was submitted and not yet popped
 * @now_ns: time
 */
void dw_model_cancel(struct dw_model *m, struct dw_model_op *op, uint64_t now_ns)
{
	struct dw_model_op **p;

	if (op->phase != PHASE_WAIT) {
		heap_remove(m, op->slot);
		release(m, op, now_ns);
		return;
	}
	for (p = &m->wait_head; *p; p = &(*p)->next) {
		if (*p != op)
			continue;
		*p = op->next;
		if (!op->next)
			m->wait_tail = p;
		break;
	}
	admit(m, now_ns);
}
