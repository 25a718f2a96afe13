/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stripe sets (Digital Review), by the models that its text implies.
 *
 *	piece of block b: member (b div c) mod n; balance = L / (n largest member share)
 *	aggregate = min(n r, C), speed-up = aggregate/r, full at C/r members
 *	busy = Q / (Q + n - 1) at depth Q, exponential service
 *	ops = n 2w / (s (2w + s (1 + cv2))), w = threshold - s (M/G/1)
 *	response of a request split over k members: fork-join by Nelson and Tantawi,
 *	exact for two
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/util.h"
#include "papers/model.h"
#include "papers/random.h"
#include "base/stripe.h"

enum { PIECES, CHANNEL, DEPTH, TARGET, OPERATIONS, RESPONSE };

static int run_pieces(struct dw_model_call *call)
{
	double offset = dw_call_number(call, "offset");
	double length = dw_call_number(call, "length");
	double chunk = dw_call_number(call, "chunk");
	size_t n = (size_t)dw_call_number(call, "members");
	double *share = calloc(n, sizeof(*share));

	if (!share)
		return -ENOMEM;
	for (size_t m = 0; m < n; m++)
		share[m] = dw_stripe_member_blocks(offset, length, chunk, (double)n,
						   (double)m);
	dw_out_array(call, "member_blocks", share, n);
	dw_out_number(call, "balance", dw_stripe_balance(offset, length, chunk, n));
	free(share);
	return 0;
}

static int run_channel(struct dw_model_call *call)
{
	double rate = dw_call_number(call, "rate"),
	       channel = dw_call_number(call, "channel");
	double want = dw_call_number(call, "members") * rate;
	double get = want < channel ? want : channel;

	dw_out_number(call, "aggregate", get);
	dw_out_number(call, "speedup", get / rate);
	dw_out_number(call, "full_at", channel / rate);
	return 0;
}

struct members {
	size_t n;
	bool constant;
	struct dw_rng rng;
	struct dw_heap heap;
	uint64_t *queue; /* requests at each member */
	size_t busy;
	double now;
};

static int start_member(struct members *s, size_t m)
{
	double time = s->constant ? 1 : dw_random_exponential(&s->rng, 1);

	return dw_event_push(&s->heap, s->now + time, m);
}

static int put(struct members *s)
{
	size_t m = (size_t)dw_rng_below(&s->rng, s->n);

	if (s->queue[m]++)
		return 0;
	s->busy++;
	return start_member(s, m);
}

/* A tenth more completions than asked for, of which the first are not counted. */
static int play_members(struct dw_model_call *call, struct members *s, double depth,
			double count, struct dw_ratio *ret_busy)
{
	double last = 0, warm = floor(count / 10);
	int r = 0;

	for (double i = 0; !r && i < depth; i++)
		r = put(s);
	for (double i = 0; !r && i < warm + count; i++) {
		uint64_t m = 0;

		dw_event_pop(&s->heap, &s->now, &m);
		if (i >= warm) {
			size_t batch = (size_t)((i - warm) / count * DW_MODEL_BATCHES);

			ret_busy->num[batch] +=
				(double)s->busy / (double)s->n * (s->now - last);
			ret_busy->den[batch] += s->now - last;
		}
		last = s->now;
		if (--s->queue[m])
			r = start_member(s, (size_t)m);
		else
			s->busy--;
		if (!r)
			r = put(s);
		if (!((uint64_t)i & 65535))
			dw_call_tell(call, i / (warm + count));
	}
	return r;
}

static int run_depth(struct dw_model_call *call)
{
	double depth = dw_call_number(call, "depth"), n = dw_call_number(call, "members");
	struct members s = { .n = (size_t)n,
			     .constant = dw_call_word(call, "service") == 1 };
	struct dw_ratio busy = { 0 };
	int r;

	if (!s.constant)
		dw_out_number(call, "busy", dw_stripe_busy(depth, n));
	if (!dw_call_has(call, "simulate"))
		return s.constant ? dw_call_fail(call, "simulate is missing: there is no"
						       " formula for constant service")
				  : 0;
	if (!dw_call_has(call, "seed"))
		return dw_call_fail(call, "seed is missing");
	dw_rng_seed(&s.rng, (uint64_t)dw_call_number(call, "seed"));
	s.queue = calloc(s.n, sizeof(*s.queue));
	r = s.queue ? play_members(call, &s, depth, dw_call_number(call, "simulate"),
				   &busy)
		    : -ENOMEM;
	if (!r)
		dw_out_simulated(call, "busy", &busy, 1, false, 95);
	dw_heap_deinit(&s.heap);
	free(s.queue);
	return r;
}

static int run_target(struct dw_model_call *call)
{
	dw_out_number(call, "depth",
		      dw_stripe_depth(dw_call_number(call, "target"),
				      dw_call_number(call, "members")));
	return 0;
}

static int run_operations(struct dw_model_call *call)
{
	double s = dw_call_number(call, "service_s"), cv2 = dw_call_number(call, "cv2");
	double w = dw_call_number(call, "threshold_s") - s;

	if (w <= 0)
		return dw_call_fail(call, "threshold_s is not above service_s");
	dw_out_number(call, "op_rate",
		      dw_call_number(call, "members") * 2 * w /
			      (s * (2 * w + s * (1 + cv2))));
	return 0;
}

static int run_response(struct dw_model_call *call)
{
	double rho = dw_call_number(call, "utilisation");
	double k = dw_call_number(call, "members_hit"), h = 0, grow;
	double one = dw_call_number(call, "service_s") / (1 - rho);

	for (unsigned i = 1; i <= (unsigned)k; i++)
		h += 1.0 / i;
	grow = h / 1.5 + 4.0 / 11 * (1 - h / 1.5) * rho;
	dw_out_number(call, "response_s", k < 2 ? one : grow * (12 - rho) / 8 * one);
	return 0;
}

static int run_stripe(struct dw_model_call *call)
{
	switch (dw_call_form(call)) {
	case PIECES:
		return run_pieces(call);
	case CHANNEL:
		return run_channel(call);
	case DEPTH:
		return run_depth(call);
	case TARGET:
		return run_target(call);
	case OPERATIONS:
		return run_operations(call);
	default:
		return run_response(call);
	}
}

#define F(form) (1u << (form))

static const struct dw_model_key keys[] = {
	{ "offset", "blocks", DW_MODEL_WHOLE, .forms = F(PIECES), .needed = F(PIECES),
	  .help = "first block of the request" },
	{ "length", "blocks", DW_MODEL_WHOLE, .min = 1, .forms = F(PIECES),
	  .needed = F(PIECES), .help = "of the request" },
	{ "chunk", "blocks", DW_MODEL_WHOLE, .min = 1, .forms = F(PIECES),
	  .needed = F(PIECES), .help = "that lie together on one member" },
	{ "members", "", DW_MODEL_WHOLE, .min = 1, .max = 1000000, .forms = 31,
	  .needed = 31, .help = "disks of the set" },
	{ "rate", "", .above = true, .forms = F(CHANNEL), .needed = F(CHANNEL),
	  .help = "of one member" },
	{ "channel", "", .above = true, .forms = F(CHANNEL), .needed = F(CHANNEL),
	  .help = "rate of what they share, in the same unit" },
	{ "depth", "", DW_MODEL_WHOLE, .min = 1, .max = 10000000, .forms = F(DEPTH),
	  .needed = F(DEPTH), .help = "requests at the set" },
	{ "service", "", DW_MODEL_WORD, .forms = F(DEPTH),
	  .words = "exponential|constant", .fallback = "exponential",
	  .help = "time of a request at a member" },
	{ "simulate", "", DW_MODEL_WHOLE, .min = 100, .max = 1e7, .forms = F(DEPTH),
	  .help = "completions" },
	{ "seed", "", DW_MODEL_WHOLE, .max = 9007199254740992.0, .forms = F(DEPTH),
	  .help = "of the simulation" },
	{ "target", "", .above = true, .max = 1, .below = true, .forms = F(TARGET),
	  .needed = F(TARGET), .help = "how busy the members shall be" },
	{ "service_s", "s", .above = true, .forms = F(OPERATIONS) | F(RESPONSE),
	  .needed = F(OPERATIONS) | F(RESPONSE),
	  .help = "time of a request at a member" },
	{ "threshold_s", "s", .above = true, .forms = F(OPERATIONS),
	  .needed = F(OPERATIONS), .help = "response that is still allowed" },
	{ "cv2", "", .forms = F(OPERATIONS), .needed = F(OPERATIONS),
	  .help = "squared coefficient of variation of the service time" },
	{ "members_hit", "", DW_MODEL_WHOLE, .min = 1, .max = 1000000,
	  .forms = F(RESPONSE), .needed = F(RESPONSE),
	  .help = "members that a request is split over" },
	{ "utilisation", "", .max = 1, .below = true, .forms = F(RESPONSE),
	  .needed = F(RESPONSE), .help = "of a member" },
};

const struct dw_model dw_model_stripe = {
	.name = "stripe",
	.paper = "Digital Review",
	.summary = "Pieces, rate, depth, operations and response of a stripe set.",
	.outputs = "member_blocks[] balance aggregate speedup full_at busy depth op_rate"
		   " response_s",
	.forms = { "pieces", "channel", "depth", "target", "operations", "response" },
	.keys = keys,
	.n_keys = DW_ARRAY_SIZE(keys),
	.run = run_stripe,
};
