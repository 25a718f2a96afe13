/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split virtqueues (virtio 1.1, clause 2.6) from the device's side. Everything in
 * guest memory may be wrong: every index and every address is checked, chains
 * are bounded, and a ring that makes no sense is no longer looked at.
 */
#include "vring.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

static void *find(const struct dw_memory *m, uint64_t addr, uint64_t len, bool guest)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		const struct dw_region *r = &m->r[i];
		uint64_t base = guest ? r->guest_addr : r->user_addr;

		if (addr >= base && addr - base < r->size &&
		    len <= r->size - (addr - base))
			return r->host + (addr - base);
	}
	return NULL;
}

/**
 * dw_memory_guest - where a guest physical range is here
 * @m: memory
 * @addr: first byte
 * @len: bytes
 *
 * Return: pointer, NULL when not all of it is in one region.
 */
void *dw_memory_guest(const struct dw_memory *m, uint64_t addr, uint64_t len)
{
	return find(m, addr, len, true);
}

/**
 * dw_memory_user - where a range of the front end's address space is here
 * @m: memory
 * @addr: first byte
 * @len: bytes
 *
 * Return: pointer, NULL when not all of it is in one region.
 */
void *dw_memory_user(const struct dw_memory *m, uint64_t addr, uint64_t len)
{
	return find(m, addr, len, false);
}

/**
 * dw_vring_map - find the ring's three parts in memory
 * @q: ring with its size and addresses set
 * @m: memory
 *
 * Return: false, and the ring is not to be used, when one of them is elsewhere.
 */
bool dw_vring_map(struct dw_vring *q, const struct dw_memory *m)
{
	uint64_t n = q->num;
	bool ok = n && n <= 32768 && !(n & (n - 1)) && !(q->desc_user & 15) &&
		  !(q->avail_user & 1) && !(q->used_user & 3);

	q->desc = ok ? dw_memory_user(m, q->desc_user, 16 * n) : NULL;
	q->avail = ok ? dw_memory_user(m, q->avail_user, 6 + 2 * n) : NULL;
	q->used = ok ? dw_memory_user(m, q->used_user, 6 + 8 * n) : NULL;
	if (!q->avail || !q->used)
		q->desc = NULL;
	return q->desc != NULL;
}

static uint16_t load16(const volatile void *p)
{
	return __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE);
}

static void store16(void *p, uint16_t v)
{
	__atomic_store_n((uint16_t *)p, v, __ATOMIC_RELEASE);
}

/* event suppression: the two fields after the rings */
static uint16_t *used_event(const struct dw_vring *q)
{
	return (uint16_t *)((uint8_t *)q->avail + 4 + 2 * (size_t)q->num);
}

static uint16_t *avail_event(const struct dw_vring *q)
{
	return (uint16_t *)((uint8_t *)q->used + 4 + 8 * (size_t)q->num);
}

static bool add_buffer(struct dw_chain *c, const struct dw_memory *m,
		       const struct vring_desc *d)
{
	bool in = d->flags & VRING_DESC_F_WRITE;
	void *p = d->len ? dw_memory_guest(m, d->addr, d->len) : NULL;

	if ((d->len && !p) || (!in && c->n_in) || c->n_out + c->n_in == DW_CHAIN_MAX)
		return false;
	c->v[c->n_out + c->n_in] = (struct iovec){ p, d->len };
	if (in) {
		c->n_in++;
		c->in_len += d->len;
	} else {
		c->n_out++;
		c->out_len += d->len;
	}
	return true;
}

static bool walk(struct dw_chain *c, const struct dw_memory *m,
		 const struct vring_desc *table, uint32_t n, uint16_t at, bool indirect)
{
	uint32_t hops;

	for (hops = 0; hops < n; hops++) {
		struct vring_desc d;

		if (at >= n)
			return false;
		memcpy(&d, &table[at], sizeof(d));
		if (d.flags & VRING_DESC_F_INDIRECT) {
			const void *t = dw_memory_guest(m, d.addr, d.len);

			if (indirect || !t || d.len % 16 || !d.len || d.len / 16 > 32768)
				return false;
			return walk(c, m, t, d.len / 16, 0, true);
		}
		if (!add_buffer(c, m, &d))
			return false;
		if (!(d.flags & VRING_DESC_F_NEXT))
			return true;
		at = d.next;
	}
	return false;
}

static bool more(struct dw_vring *q)
{
	if (load16(&q->avail->idx) != q->last_avail)
		return true;
	if (!q->event_idx)
		return false;
	store16(avail_event(q), q->last_avail);
	atomic_thread_fence(memory_order_seq_cst);
	return load16(&q->avail->idx) != q->last_avail;
}

/**
 * dw_vring_pop - the next request
 * @q: mapped ring; unmapped when it turns out to be broken
 * @m: memory
 * @ret_c: its buffers
 *
 * Return: 1, 0 when there is none, -EPROTO for a broken ring.
 */
int dw_vring_pop(struct dw_vring *q, const struct dw_memory *m, struct dw_chain *ret_c)
{
	uint16_t head;

	if (!q->desc || !q->enabled || !more(q))
		return 0;
	ret_c->n_out = ret_c->n_in = ret_c->out_len = ret_c->in_len = 0;
	head = load16(&q->avail->ring[q->last_avail & (q->num - 1)]);
	if ((uint16_t)(load16(&q->avail->idx) - q->last_avail) > q->num ||
	    !walk(ret_c, m, q->desc, q->num, head, false)) {
		q->desc = NULL;
		return -EPROTO;
	}
	ret_c->head = head;
	q->last_avail++;
	return 1;
}

/**
 * dw_vring_push - give a request back
 * @q: ring; nothing happens when it is no longer mapped
 * @head: first descriptor of the request
 * @len: bytes written into its buffers
 */
void dw_vring_push(struct dw_vring *q, uint16_t head, uint32_t len)
{
	struct vring_used_elem *e;

	if (!q->desc)
		return;
	e = &q->used->ring[q->used_idx & (q->num - 1)];
	e->id = head;
	e->len = len;
	store16(&q->used->idx, ++q->used_idx);
	q->pending = true;
}

/**
 * dw_vring_notify - whether the driver wants to hear of what was pushed
 * @q: ring; asked again only after the next push
 *
 * Return: true when it is to be called.
 */
bool dw_vring_notify(struct dw_vring *q)
{
	uint16_t old = q->signalled;

	if (!q->pending || !q->desc)
		return false;
	q->pending = false;
	q->signalled = q->used_idx;
	atomic_thread_fence(memory_order_seq_cst);
	if (q->event_idx)
		return vring_need_event(load16(used_event(q)), q->used_idx, old);
	return !(load16(&q->avail->flags) & VRING_AVAIL_F_NO_INTERRUPT);
}
