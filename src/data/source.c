/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contents of one pass on one disk, at any block. A constant pass reads from the shared
 * pool; a random one from its keystream, whose counter is the byte offset on the disk, so
 * that writing and comparing need neither an order nor a memory of each other. Comparison
 * goes in pieces that stay in the cache together with what they are compared with.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "data/crypto.h"
#include "data/data.h"

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

/* Name of a repeated pattern: its 1..3 bytes, equal for equal sequences of bytes; never 0. */
static uint32_t pool_id(const uint8_t *byte, uint32_t len)
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

/* The entry of a pattern of 1..3 bytes, made when it is missing, which lives for ever; NULL
 * when memory is short. */
static struct dw_pool_entry *pool_get(const uint8_t *byte, uint32_t len)
{
	uint32_t id = pool_id(byte, len);
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

/* The first @len bytes of the repeated pattern, read-only, 4096-byte aligned, and the
 * pattern's name; NULL when @len is over DW_CONST_MAX or memory is short. Thread-safe. */
static const void *pool_bytes(struct dw_pool_entry *e, uint32_t len, uint32_t *ret_id)
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

#define CHUNK 65536u /* bytes compared at a time; no block is longer */

struct dw_source {
	struct dw_stream *stream; /* of a random pass, else NULL */
	uint32_t block_size;
	uint32_t period;
	uint8_t byte[3];
	_Atomic(struct dw_pool_entry *) phase[3];
};

static int derive(const struct dw_key *key, const char *identity, uint32_t pass,
		  struct dw_stream **ret_stream)
{
	uint8_t stream_key[DW_STREAM_KEY];
	char info[512];
	int n = snprintf(info, sizeof(info), "%s/%u", identity, pass), r;

	if (n < 0 || (size_t)n >= sizeof(info))
		return -EINVAL;
	r = dw_crypto_hkdf(key->bytes, sizeof(key->bytes), info, (size_t)n, stream_key,
			   sizeof(stream_key));
	if (r == 0)
		r = dw_stream_new(stream_key, ret_stream);
	dw_crypto_cleanse(stream_key, sizeof(stream_key));
	return r;
}

int dw_source_new(const struct dw_pattern *pattern, const struct dw_key *key,
		  const char *identity, uint32_t pass, uint32_t block_size,
		  struct dw_source **ret_source)
{
	struct dw_source *s;
	int r = 0;

	if (block_size == 0 || block_size > CHUNK)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->block_size = block_size;
	if (pattern->kind == DW_PATTERN_RANDOM && key) {
		r = derive(key, identity, pass, &s->stream);
	} else if (dw_pattern_is_const(pattern) && pattern->len >= 1 &&
		   pattern->len <= 3) {
		s->period = pool_id(pattern->byte, pattern->len) >> 24;
		memcpy(s->byte, pattern->byte, sizeof(s->byte));
	} else {
		r = -EINVAL;
	}
	if (r < 0) {
		free(s);
		return r;
	}
	*ret_source = s;
	return 0;
}

/**
 * dw_source_free() - wipe the pass' key and release the source
 * @s: a source that nobody uses any more, or NULL
 */
void dw_source_free(struct dw_source *s)
{
	if (!s)
		return;
	dw_stream_free(s->stream);
	free(s);
}

bool dw_source_is_const(const struct dw_source *s)
{
	return !s->stream;
}

bool dw_source_is_zero(const struct dw_source *s)
{
	return !s->stream && s->period == 1 && s->byte[0] == 0;
}

/* Where in the pattern block @lba begins; the pattern is anchored to byte 0 of LBA 0. */
static uint32_t pattern_phase(const struct dw_source *s, uint64_t lba)
{
	return (uint32_t)(lba % s->period * (s->block_size % s->period) % s->period);
}

static struct dw_pool_entry *pool_entry(struct dw_source *s, uint32_t phase)
{
	struct dw_pool_entry *e =
		atomic_load_explicit(&s->phase[phase], memory_order_acquire);
	uint8_t byte[3] = { 0 };

	if (e)
		return e;
	for (uint32_t i = 0; i < s->period; i++)
		byte[i] = s->byte[(phase + i) % s->period];
	e = pool_get(byte, s->period);
	atomic_store_explicit(&s->phase[phase], e, memory_order_release);
	return e;
}

const void *dw_source_const(struct dw_source *s, uint64_t lba, uint32_t len,
			    uint32_t *ret_id)
{
	struct dw_pool_entry *e;

	if (s->stream)
		return NULL;
	e = pool_entry(s, pattern_phase(s, lba));
	return e ? pool_bytes(e, len, ret_id) : NULL;
}

/* Bytes of a constant pass from phase 0 on, which hold every other phase, too. */
static const uint8_t *const_chunk(struct dw_source *s, uint64_t lba)
{
	struct dw_pool_entry *e = pool_entry(s, 0);
	uint32_t id;
	const uint8_t *p = e ? pool_bytes(e, CHUNK + 2, &id) : NULL;

	return p ? p + pattern_phase(s, lba) : NULL;
}

static int fill_const(struct dw_source *s, uint64_t lba, uint8_t *out, size_t len)
{
	/* A multiple of every period, so that each piece begins in the same phase. */
	const size_t piece = CHUNK - CHUNK % 6;
	const uint8_t *from;

	if (s->period == 1) {
		memset(out, s->byte[0], len);
		return 0;
	}
	from = const_chunk(s, lba);
	if (!from)
		return -ENOMEM;
	while (len) {
		size_t n = len < piece ? len : piece;

		memcpy(out, from, n);
		out += n;
		len -= n;
	}
	return 0;
}

int dw_source_fill(struct dw_source *s, uint64_t lba, uint32_t nlb, void *buf)
{
	uint64_t offset, len = (uint64_t)nlb * s->block_size, end;

	if (!s->stream)
		return fill_const(s, lba, buf, len);
	if (__builtin_mul_overflow(lba, s->block_size, &offset) ||
	    __builtin_add_overflow(offset, len, &end))
		return -ERANGE;
	return dw_stream_read(s->stream, offset, buf, len);
}

/* What the blocks should hold: @scratch filled, or bytes of the pool. */
static int expected(struct dw_source *s, uint64_t lba, uint32_t nlb, uint8_t *scratch,
		    const uint8_t **ret_bytes)
{
	*ret_bytes = scratch;
	if (s->stream)
		return dw_source_fill(s, lba, nlb, scratch);
	*ret_bytes = const_chunk(s, lba);
	return *ret_bytes ? 0 : -ENOMEM;
}

static uint32_t count_differing(const uint8_t *a, const uint8_t *b, uint32_t nlb,
				uint32_t block_size, uint32_t *ret_first)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < nlb; i++, a += block_size, b += block_size) {
		if (!memcmp(a, b, block_size))
			continue;
		if (count++ == 0)
			*ret_first = i;
	}
	return count;
}

int64_t dw_source_check(struct dw_source *s, uint64_t lba, uint32_t nlb, const void *buf,
			uint32_t *ret_first)
{
	const uint32_t piece = CHUNK / s->block_size;
	uint8_t scratch[CHUNK];
	const uint8_t *got = buf;
	int64_t differing = 0;

	for (uint32_t done = 0, n; done < nlb;
	     done += n, got += (size_t)n * s->block_size) {
		const uint8_t *want;
		uint32_t first = 0, count;
		int r;

		n = nlb - done < piece ? nlb - done : piece;
		r = expected(s, lba + done, n, scratch, &want);
		if (r < 0)
			return r;
		if (!memcmp(got, want, (size_t)n * s->block_size))
			continue;
		count = count_differing(got, want, n, s->block_size, &first);
		if (differing == 0)
			*ret_first = done + first;
		differing += count;
	}
	return differing;
}
