/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The advice of the models about a stripe set that was found on the machine. */
#include <math.h>

#include "base/util.h"
#include "diskwipe/stripe.h"
#include "base/stripe.h"

#define REQUEST DW_MIB

static size_t first_misaligned(const struct dw_stripe *s)
{
	size_t i = 0;

	for (; i < s->n; i++) {
		uint32_t physical = s->member[i].disk.physical_block_size;

		if (physical &&
		    (s->member[i].start_bytes % physical || s->chunk_bytes % physical))
			break;
	}
	return i;
}

static void advise_link(size_t n, double rate, double link, struct dw_stripe_advice *a)
{
	a->run = n;
	if (rate <= 0)
		return;
	a->want = (double)n * rate;
	a->aggregate = a->want;
	if (link > 0 && link < a->want) {
		a->link = link;
		a->aggregate = link;
		a->run = (size_t)ceil(link / rate * (1 - 1e-12));
	}
	if (link > 0)
		a->full_at = link / rate;
	a->speedup = a->aggregate / rate;
}

void dw_stripe_advise(const struct dw_stripe *s, double rate, double link,
		      struct dw_stripe_advice *ret)
{
	double n = (double)s->n;

	*ret = (struct dw_stripe_advice){ .request_bytes = REQUEST,
					  .whole_bytes = (uint64_t)s->chunk_bytes * s->n,
					  .depth = 4 * n,
					  .misaligned = first_misaligned(s) };
	advise_link(s->n, rate, link, ret);
	if (s->chunk_bytes)
		ret->balance = dw_stripe_balance(0, (double)REQUEST,
						 (double)s->chunk_bytes, s->n);
	ret->busy = dw_stripe_busy(ret->depth, n);
	ret->depth_90 = dw_stripe_depth(0.9, n);
}
