/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DW_TESTS_SELF_WORKER_H
#define DW_TESTS_SELF_WORKER_H

/*
 * A device that does a pass by itself, and the ops of the core about it as text, one letter each: o
 * operate, p poll, P poll during recovery, s settle, f flush, i identify, r read, w write, l lift.
 */
#include <string.h>

#include "hand.h"

#define MINUTE (60 * DW_NS_PER_S)

/**
 * struct device - what works by itself
 * @takes_ns: time of its operation; @until_ns: it works until then, 0 = it does not
 * @begun: how often it was begun
 * @fails: it does not end well; @still: it tells no progress
 * @bad_at, @bad_n, @class: of its answers, counted from 0, so many are these
 * @heard: a bad answer to OPERATE does not mean that it was not begun
 * @untold: how it ended is not told
 * @call_at: at that answer the core is called
 */
static struct device {
	uint64_t takes_ns;
	uint64_t until_ns;
	uint64_t began_ns;
	uint32_t begun;
	bool fails;
	bool still;
	uint32_t bad_at, bad_n;
	uint8_t class;
	bool heard;
	uint32_t answers;
	uint32_t call_at;
	void (*call)(struct dw_core *c);
	uint64_t last_poll_ns;
	uint64_t longest_ns;
	bool succeeded;
	bool untold;
} dev;

static inline void begin(struct hand *h)
{
	if (dev.until_ns)
		return;
	dev.begun++;
	dev.began_ns = h->now;
	dev.until_ns = h->now + dev.takes_ns;
}

static inline void answer(struct hand *h, const struct dw_op *op, struct dw_result *r)
{
	uint32_t n = dev.answers;

	if (dev.until_ns && h->now >= dev.until_ns) {
		dev.until_ns = 0;
		dev.succeeded = !dev.fails;
	}
	if (!(dw_verb_flags(op->verb) & DW_VERB_IS_OPERATION)) {
		assert_int_equal(0, dev.until_ns);
		return;
	}
	dev.answers++;
	if (dev.call && n == dev.call_at)
		dev.call(h->core);
	if (n >= dev.bad_at && n < dev.bad_at + dev.bad_n) {
		r->class = dev.class;
		if (op->verb == DW_VERB_OPERATE && dev.heard)
			begin(h);
		return;
	}
	if (op->verb == DW_VERB_OPERATE) {
		begin(h);
		return;
	}
	if (dev.last_poll_ns && h->now - dev.last_poll_ns > dev.longest_ns)
		dev.longest_ns = h->now - dev.last_poll_ns;
	dev.last_poll_ns = h->now;
	if (dev.untold)
		r->ended = dev.until_ns ? DW_ENDED_UNSAID : DW_ENDED_UNREADABLE;
	else if (dev.succeeded)
		r->ended = DW_ENDED_WELL;
	if (!dev.until_ns)
		return;
	r->class = DW_CLASS_RUNNING;
	r->progress = dev.still ? 7
				: (uint32_t)((h->now - dev.began_ns) * DW_PROGRESS_ALL /
					     dev.takes_ns);
}

static inline void new_device(struct hand *h, uint64_t takes_ns)
{
	dev = (struct device){ .takes_ns = takes_ns };
	hand_new(h, answer);
	h->now = DW_NS_PER_S; /* 0 means never */
	h->plan.pass[0].kind = DW_PASS_OPERATION;
	h->plan.pass[0].verify = DW_VERIFY_OFF;
}

/* the ops as text; more than two polls in a row are two */
static inline const char *story(const struct hand *h)
{
	static const char letters[DW_VERB_COUNT] = {
		[DW_VERB_OPERATE] = 'o', [DW_VERB_POLL] = 'p',     [DW_VERB_SETTLE] = 's',
		[DW_VERB_FLUSH] = 'f',   [DW_VERB_IDENTIFY] = 'i', [DW_VERB_READ] = 'r',
		[DW_VERB_WRITE] = 'w',   [DW_VERB_LIFT] = 'l',     [DW_VERB_READY] = '?',
		[DW_VERB_START] = '?',   [DW_VERB_DEPTH] = '?',
	};
	static char text[OPS + 1];
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->n_ops; i++) {
		char c = letters[h->op[i].verb];

		if (c == 'p' && h->op[i].flags & DW_OP_RECOVERY)
			c = 'P';
		if (n > 1 && c == text[n - 1] && c == text[n - 2])
			continue;
		text[n++] = c;
	}
	text[n] = '\0';
	return text;
}

static inline uint32_t notices(struct hand *h, const char *what)
{
	struct dw_core_event e;
	uint32_t n = 0;

	while (dw_core_event(h->core, &e))
		n += e.kind == DW_CORE_EVENT_NOTICE && strstr(e.text, what);
	return n;
}

#endif
