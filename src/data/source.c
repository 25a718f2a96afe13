/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contents of one pass on one disk, at any block. A constant pass reads from the shared
 * pool; a random one from its keystream, whose counter is the byte offset on the disk, so
 * that writing and comparing need neither an order nor a memory of each other. Comparison
 * goes in pieces that stay in the cache together with what they are compared with.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/crypto.h"
#include "data/data.h"
#include "data/pool.h"

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
		s->period = dw_pool_id(pattern->byte, pattern->len) >> 24;
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
	e = dw_pool_get(byte, s->period);
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
	return e ? dw_pool_bytes(e, len, ret_id) : NULL;
}

/* Bytes of a constant pass from phase 0 on, which hold every other phase, too. */
static const uint8_t *const_chunk(struct dw_source *s, uint64_t lba)
{
	struct dw_pool_entry *e = pool_entry(s, 0);
	uint32_t id;
	const uint8_t *p = e ? dw_pool_bytes(e, CHUNK + 2, &id) : NULL;

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
