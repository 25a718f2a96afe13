/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One copy of each constant pattern for the whole process. An entry reserves address space
 * for the longest transfer and fills it as longer ones are asked for, so that memory is
 * spent on what is used; a filled part is read-only for ever, which makes a stray data-in
 * command an error instead of a wrong pattern on every disk.
 *
 * A three-byte pattern that begins in another phase is the pattern of its rotated bytes:
 * no entry knows of phases. The first few entries ask for huge pages, which keep scatter
 * lists short; methods of many patterns would waste too much with them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "data/data.h"
#include "data/pool.h"

#define SMALL        65536u /* whole pages on every architecture */
#define HUGE         (2u << 20)
#define HUGE_ENTRIES 8

struct dw_pool_entry {
	struct dw_pool_entry *next;
	uint32_t id;
	uint32_t period;
	uint8_t byte[3];
	uint8_t *base;
	uint32_t granule; /* filled at a time */
	_Atomic uint32_t filled;
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct dw_pool_entry *pool;
static unsigned pool_entries;

uint32_t dw_pool_id(const uint8_t *byte, uint32_t len)
{
	uint32_t id = 0;

	for (uint32_t i = 1; i < len; i++) {
		if (byte[i] != byte[0]) {
			for (i = 0; i < len; i++)
				id |= (uint32_t)byte[i] << 8 * i;
			return len << 24 | id;
		}
	}
	return 1u << 24 | byte[0];
}

/* Address space for DW_CONST_MAX bytes, aligned to a huge page, without memory behind it. */
static uint8_t *reserve_pages(void)
{
	size_t size = DW_CONST_MAX + HUGE;
	uint8_t *p = mmap(NULL, size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t head;

	if (p == MAP_FAILED)
		return NULL;
	head = (HUGE - (uintptr_t)p % HUGE) % HUGE;
	if (head)
		munmap(p, head);
	if (HUGE - head)
		munmap(p + head + DW_CONST_MAX, HUGE - head);
	return p + head;
}

static struct dw_pool_entry *make_entry(uint32_t id)
{
	struct dw_pool_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->base = reserve_pages();
	if (!e->base) {
		free(e);
		return NULL;
	}
	e->id = id;
	e->period = id >> 24;
	for (uint32_t i = 0; i < sizeof(e->byte); i++)
		e->byte[i] = (uint8_t)(id >> 8 * i);
	e->granule = SMALL;
	if (pool_entries++ < HUGE_ENTRIES &&
	    madvise(e->base, DW_CONST_MAX, MADV_HUGEPAGE) == 0)
		e->granule = HUGE;
	e->next = pool;
	pool = e;
	return e;
}

struct dw_pool_entry *dw_pool_get(const uint8_t *byte, uint32_t len)
{
	uint32_t id = dw_pool_id(byte, len);
	struct dw_pool_entry *e;

	pthread_mutex_lock(&pool_lock);
	for (e = pool; e && e->id != id; e = e->next)
		;
	if (!e)
		e = make_entry(id);
	pthread_mutex_unlock(&pool_lock);
	return e;
}

static void repeat(const struct dw_pool_entry *e, uint32_t from, uint32_t to)
{
	uint8_t *at = e->base + from;
	uint32_t left = to - from, done;

	if (e->period == 1) {
		memset(at, e->byte[0], left);
		return;
	}
	for (done = 0; done < e->period && done < left; done++)
		at[done] = e->byte[(from + done) % e->period];
	while (done < left) {
		uint32_t n = done < left - done ? done : left - done;

		memcpy(at + done, at, n);
		done += n;
	}
}

static bool grow_entry(struct dw_pool_entry *e, uint32_t len)
{
	uint32_t from = atomic_load_explicit(&e->filled, memory_order_relaxed);
	uint32_t to = (len + e->granule - 1) / e->granule * e->granule;

	if (len <= from)
		return true;
	if (mprotect(e->base + from, to - from, PROT_READ | PROT_WRITE) < 0)
		return false;
	repeat(e, from, to);
	if (mprotect(e->base + from, to - from, PROT_READ) < 0)
		return false;
	atomic_store_explicit(&e->filled, to, memory_order_release);
	return true;
}

const void *dw_pool_bytes(struct dw_pool_entry *e, uint32_t len, uint32_t *ret_id)
{
	bool ok = true;

	if (len > DW_CONST_MAX)
		return NULL;
	if (len > atomic_load_explicit(&e->filled, memory_order_acquire)) {
		pthread_mutex_lock(&pool_lock);
		ok = grow_entry(e, len);
		pthread_mutex_unlock(&pool_lock);
	}
	if (!ok)
		return NULL;
	*ret_id = e->id;
	return e->base;
}
