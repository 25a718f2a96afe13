/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/stamp.h"

#include <string.h>

#include "base/be.h"
#include "base/rng.h"

#define CUT_LEAST 16 /* bits: 32 MiB; a power of two tells of fewer */

static const char name[16] = "diskwipe stamp";

/* in its place, once */
static uint32_t insert_lba(uint64_t *v, uint32_t n, uint64_t lba)
{
	uint32_t i = n;

	while (i && v[i - 1] >= lba)
		i--;
	if (i < n && v[i] == lba)
		return n;
	memmove(&v[i + 1], &v[i], (n - i) * sizeof(*v));
	v[i] = lba;
	return n + 1;
}

uint32_t dw_stamp_lbas(uint64_t blocks, uint64_t ret[DW_STAMPS_MAX])
{
	uint64_t last = blocks - 1;
	uint32_t n = insert_lba(ret, 0, 0);

	for (uint32_t bit = 0; bit < 64 && last >> bit; bit++) {
		n = insert_lba(ret, n, UINT64_C(1) << bit);
		if (bit >= CUT_LEAST)
			n = insert_lba(ret, n, last & ((UINT64_C(1) << bit) - 1));
	}
	return insert_lba(ret, n, last);
}

void dw_stamp_fill(uint64_t key, uint64_t lba, uint32_t block_size, uint8_t *ret)
{
	struct dw_rng rng;
	uint8_t word[8];

	memcpy(ret, name, sizeof(name));
	dw_put_be64(ret + sizeof(name), lba);
	dw_rng_seed(&rng, key ^ lba);
	for (uint32_t at = sizeof(name) + 8; at < block_size; at += 8) {
		dw_put_be64(word, dw_rng_next(&rng));
		memcpy(ret + at, word, block_size - at < 8 ? block_size - at : 8);
	}
}

bool dw_stamp_is(uint64_t lba, const uint8_t *block)
{
	return !memcmp(block, name, sizeof(name)) &&
	       dw_get_be64(block + sizeof(name)) == lba;
}

/* Nothing, or the stamp of another: nobody knows that of its address. */
static bool is_own(const struct dw_stamp_seen *seen, uint32_t i)
{
	return !seen[i].known || seen[i].as == (int)i;
}

/* The lowest address that shares a block with 0: it took the place of 0's stamp, reads what 0
 * reads, or its stamp went elsewhere while another took that place. UINT64_MAX: none. */
static uint64_t onto_zero(const struct dw_stamp_seen *seen, uint32_t n)
{
	bool lost = !is_own(seen, 0) && seen[0].as >= 0;

	for (uint32_t i = 1; i < n; i++) {
		if (lost && seen[0].as == (int)i)
			return seen[i].lba;
		if (!is_own(seen, i) && (seen[i].as == seen[0].as || seen[i].as == 0 ||
					 (lost && seen[i].as < 0)))
			return seen[i].lba;
	}
	return UINT64_MAX;
}

/* One may be an accident; the last and others with it are addresses without blocks. */
static void find_end(const struct dw_stamp_seen *seen, uint32_t n,
		     struct dw_stamp_verdict *ret)
{
	uint32_t odd = 0;

	while (n && (!seen[n - 1].known || seen[n - 1].as < 0)) {
		n--;
		odd += seen[n].known;
		if (seen[n].known)
			ret->end_lba = seen[n].lba;
	}
	ret->ends = odd > 1;
}

void dw_stamp_judge(const struct dw_stamp_seen *seen, uint32_t n,
		    struct dw_stamp_verdict *ret)
{
	uint64_t at;

	*ret = (struct dw_stamp_verdict){ 0 };
	find_end(seen, n, ret);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t as = (uint32_t)seen[i].as;

		if (is_own(seen, i))
			continue;
		if (seen[i].as < 0) {
			ret->odd_lba = ret->odd++ ? ret->odd_lba : seen[i].lba;
			continue;
		}
		if (ret->wraps)
			continue;
		ret->wraps = true;
		ret->at = seen[as > i ? as : i].lba;
		ret->onto = seen[as > i ? i : as].lba;
	}
	at = ret->wraps ? onto_zero(seen, n) : UINT64_MAX;
	if (at == UINT64_MAX)
		return;
	ret->at = at;
	ret->onto = 0;
}
